package notification_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
)

// mouth is a fake provider that fails on demand.
type mouth struct {
	mu   sync.Mutex
	fail error
	took []notify.Message
}

func (*mouth) Name() string { return "mouth" }

func (p *mouth) Send(_ context.Context, m notify.Message) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		return "", p.fail
	}
	p.took = append(p.took, m)
	return "taken", nil
}

func (p *mouth) say(err error) { p.mu.Lock(); defer p.mu.Unlock(); p.fail = err }

// to lists the messages sent to an address.
func (p *mouth) to(address string) (out []notify.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.took {
		if m.To == address {
			out = append(out, m)
		}
	}
	return out
}

// speak makes the service send through a fake provider.
func (w *world) speak() *mouth {
	w.Helper()
	w.Drain() // skip earlier messages
	p := &mouth{}
	w.Notify.Providers = map[notify.Channel]notify.Provider{notify.SMS: p, notify.Email: p, notify.Push: p}
	return p
}

// deliver sends messages in a school.
func (w *world) deliver(at id.ID, messages ...notify.Message) {
	w.Helper()
	err := w.DB.InSchool(w.Context(), at, func(ctx context.Context, tx *db.Tx) error { return w.Notify.SendAll(ctx, tx, at, messages) })
	if err != nil {
		w.Fatal(err)
	}
}

func TestRetry(t *testing.T) {
	bare(t, func(t *testing.T, w *world) {
		p := w.speak()
		p.say(jobs.Permanent(errors.New("no such number")))
		w.deliver(w.North.ID, notify.Message{Channel: notify.SMS, To: "+15550100001", Subject: "plain", Body: "Hello"})
		w.Clock.Add(time.Second)
		w.deliver(w.North.ID, notify.Message{Channel: notify.SMS, To: "+15550100002", Subject: "code", Body: "4711", Secret: true})
		w.Drain()
		failed := w.Admin("GET", "/school-admin/notification/deliveries?status=FAILED", nil).OK().Items()
		if len(failed) != 2 || failed[1]["providerAnswer"] != "no such number" || failed[1]["provider"] != "mouth" ||
			failed[1]["attempts"] != 1.0 {
			t.Fatalf("failed deliveries: got %v", failed)
		}
		path := func(d apptest.Object) string {
			return "/school-admin/notification/deliveries/" + d.Text("id") + "/retry"
		}
		w.Admin("POST", path(failed[0]), nil).Want(409, "Conflict") // its text is not kept
		w.As(w.South.Admin, "POST", path(failed[1]), nil).Want(404, "Not Found")
		w.As(w.North.Teacher, "POST", path(failed[1]), nil).Want(403, "PERMISSION_DENIED")
		if d := w.Admin("POST", path(failed[1]), nil).OK(); d["status"] != "QUEUED" || d["id"] != failed[1]["id"] ||
			d["body"] != "Hello" {
			t.Errorf("retried delivery: got %v, want QUEUED with its body", d)
		}
		w.Admin("POST", path(failed[1]), nil).Want(409, "Conflict") // it is queued
		p.say(nil)
		w.Drain()
		if got := p.to("+15550100001"); len(got) != 1 || got[0].ID.String() != failed[1]["id"] || len(p.to("+15550100002")) != 0 {
			t.Errorf("sent %v", p.took)
		}
		w.Admin("POST", path(failed[1]), nil).Want(409, "Conflict")
		w.Audited("delivery.retry", 1)
	})
}

func TestDeviceGone(t *testing.T) {
	bare(t, func(t *testing.T, w *world) {
		for token, who := range map[string]*apptest.Account{"phone": w.North.Parent, "tablet": w.North.Parent, "far": w.South.Parent} {
			w.As(who, "POST", path(who, "token"), m{"fcmToken": token}).OK()
		}
		w.speak().say(notify.Gone(errors.New("unregistered")))
		w.deliver(w.North.ID, notify.Message{Channel: notify.Push, To: "phone", Device: true, User: w.North.Parent.ID},
			notify.Message{Channel: notify.Push, To: "tablet"}) // a topic with the name of a device
		w.Drain()
		tokens, err := db.All[string](t.Context(), w.DB.School(w.North.ID), `SELECT token FROM devices WHERE school_id = :school`, nil)
		if err != nil || fmt.Sprint(tokens) != "[tablet]" || w.count(w.South.ID, `devices WHERE school_id = :school`, nil) != 1 {
			t.Errorf("tokens left: got %v, %v, want [tablet]", tokens, err)
		}
		if r := w.Admin("GET", "/school-admin/notification/deliveries?status=FAILED&channel=push",
			nil); strings.Contains(string(r.Body), `"phone"`) {
			t.Errorf("a token is shown: %s", r.Body)
		}
	})
}

func TestCap(t *testing.T) {
	bare(t, func(t *testing.T, w *world) {
		p := w.speak()
		if now := w.Now().UTC(); now.Add(5*time.Minute).Day() != now.Day() {
			w.Clock.Add(5 * time.Minute) // the day must not end within the test
		}
		w.Admin("PUT", "/school-admin/setting", m{"smsPerDay": -1}).Want(422, "Unprocessable Entity")
		w.Admin("PUT", "/school-admin/setting", m{"smsPerDay": 2, "emailPerDay": 1}).OK()
		var texts []notify.Message
		for i := range 4 {
			texts = append(texts, notify.Message{Channel: notify.SMS, To: fmt.Sprintf("+155501000%02d", i), Body: "Hello"})
		}
		for _, at := range []id.ID{w.North.ID, w.South.ID} {
			w.deliver(at, texts...)
		}
		w.deliver(w.North.ID, notify.Message{Channel: notify.SMS, To: "+15550100099", Body: "code", Secret: true},
			notify.Message{Channel: notify.Email, To: "one@b.test", Body: "1"}, notify.Message{Channel: notify.Email, To: "one@b.test", Body: "2"})
		w.Drain()
		w.Drain() // the alerts
		sent := func(at id.ID) int {
			return w.count(at, `deliveries WHERE school_id = :school AND status = 'SENT' AND body = 'Hello'`, nil)
		}
		// South has only the operator's limit.
		if sent(w.North.ID) != 2 || sent(w.South.ID) != 3 || len(p.to("+15550100099")) != 1 || len(p.to("one@b.test")) != 1 {
			t.Errorf("sent %d and %d", sent(w.North.ID), sent(w.South.ID))
		}
		held := w.Admin("GET", "/school-admin/notification/deliveries?status=QUEUED&channel=sms", nil).OK().Items()
		if len(held) != 2 || !strings.Contains(held[0].Text("providerAnswer"), "held back") {
			t.Errorf("held back: %v", held)
		}
		alerts := p.to(w.North.Admin.Email)
		if len(alerts) != 2 || alerts[0].Channel != notify.Email || !strings.Contains(alerts[0].Body+alerts[1].Body, "2 text messages") {
			t.Errorf("the administrator was written %+v", alerts)
		}
		apptest.Eq(t, "entries in the log of the administrator",
			w.Count(`notifications WHERE school_id = :school AND type = 'LIMIT' AND user_id = :admin`,
				db.Args{"admin": w.North.Admin.ID}), 2)
		apptest.Eq(t, "entries in the logs of others", w.Count(`notifications WHERE school_id = :school AND type = 'LIMIT' AND user_id <> :admin`,
			db.Args{"admin": w.North.Admin.ID}), 0)
		w.Clock.Add(2 * time.Minute)
		w.deliver(w.North.ID, texts[0])
		w.Drain()
		apptest.Eq(t, "alerted again on the same day", len(p.to(w.North.Admin.Email)), 2)
		w.Clock.Add(32 * time.Hour)
		w.Drain()
		if sent(w.North.ID) != 4 || sent(w.South.ID) != 4 {
			t.Errorf("by the next morning %d and %d were sent", sent(w.North.ID), sent(w.South.ID))
		}
	}, func(c *app.Config) { c.SMSPerDay = 3 })
}
