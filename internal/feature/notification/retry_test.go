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
func speak(t *testing.T, s *apptest.Service) *mouth {
	t.Helper()
	drain(t, s) // skip earlier messages
	p := &mouth{}
	s.Notify.Providers = map[notify.Channel]notify.Provider{notify.SMS: p, notify.Email: p, notify.Push: p}
	return p
}

func drain(t *testing.T, s *apptest.Service) {
	t.Helper()
	if err := s.Queue.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// deliver sends messages in a school.
func deliver(t *testing.T, s *apptest.Service, at id.ID, messages ...notify.Message) {
	t.Helper()
	err := s.DB.InSchool(t.Context(), at, func(ctx context.Context, tx *db.Tx) error { return s.Notify.SendAll(ctx, tx, at, messages) })
	if err != nil {
		t.Fatal(err)
	}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		p := speak(t, s)
		p.say(jobs.Permanent(errors.New("no such number")))
		deliver(t, s, s.North.ID, notify.Message{Channel: notify.SMS, To: "+15550100001", Subject: "plain", Body: "Hello"})
		s.Clock.Add(time.Second)
		deliver(t, s, s.North.ID, notify.Message{Channel: notify.SMS, To: "+15550100002", Subject: "code", Body: "4711", Secret: true})
		drain(t, s)
		failed := s.Call(t, s.North.Admin, "GET", "/school-admin/notification/deliveries?status=FAILED", nil).OK().Items()
		if len(failed) != 2 || failed[1]["providerAnswer"] != "no such number" || failed[1]["provider"] != "mouth" ||
			failed[1]["attempts"] != 1.0 {
			t.Fatalf("failed deliveries: got %v", failed)
		}
		path := func(d apptest.Object) string {
			return "/school-admin/notification/deliveries/" + d.Text("id") + "/retry"
		}
		s.Call(t, s.North.Admin, "POST", path(failed[0]), nil).Want(409, "Conflict") // its text is not kept
		s.Call(t, s.South.Admin, "POST", path(failed[1]), nil).Want(404, "Not Found")
		s.Call(t, s.North.Teacher, "POST", path(failed[1]), nil).Want(403, "PERMISSION_DENIED")
		if d := s.Call(t, s.North.Admin, "POST", path(failed[1]), nil).OK(); d["status"] != "QUEUED" || d["id"] != failed[1]["id"] ||
			d["body"] != "Hello" {
			t.Errorf("retried delivery: got %v, want QUEUED with its body", d)
		}
		s.Call(t, s.North.Admin, "POST", path(failed[1]), nil).Want(409, "Conflict") // it is queued
		p.say(nil)
		drain(t, s)
		if got := p.to("+15550100001"); len(got) != 1 || got[0].ID.String() != failed[1]["id"] || len(p.to("+15550100002")) != 0 {
			t.Errorf("sent %v", p.took)
		}
		s.Call(t, s.North.Admin, "POST", path(failed[1]), nil).Want(409, "Conflict")
		if n := count(t, s, s.North.ID, `audit_log WHERE school_id = :school AND action = 'delivery.retry'`, nil); n != 1 {
			t.Errorf("%d audit entries, want 1", n)
		}
	})
}

func TestDeviceGone(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		for token, who := range map[string]*apptest.Account{"phone": s.North.Parent, "tablet": s.North.Parent, "far": s.South.Parent} {
			s.Call(t, who, "POST", path(who, "token"), m{"fcmToken": token}).OK()
		}
		speak(t, s).say(notify.Gone(errors.New("unregistered")))
		deliver(t, s, s.North.ID, notify.Message{Channel: notify.Push, To: "phone", Device: true, User: s.North.Parent.ID},
			notify.Message{Channel: notify.Push, To: "tablet"}) // a topic with the name of a device
		drain(t, s)
		tokens, err := db.All[string](t.Context(), s.DB.School(s.North.ID), `SELECT token FROM devices WHERE school_id = :school`, nil)
		if err != nil || fmt.Sprint(tokens) != "[tablet]" || count(t, s, s.South.ID, `devices WHERE school_id = :school`, nil) != 1 {
			t.Errorf("tokens left: got %v, %v, want [tablet]", tokens, err)
		}
		if r := s.Call(t, s.North.Admin, "GET", "/school-admin/notification/deliveries?status=FAILED&channel=push",
			nil); strings.Contains(string(r.Body), `"phone"`) {
			t.Errorf("a token is shown: %s", r.Body)
		}
	})
}

func TestCap(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		p := speak(t, s)
		if now := s.Now().UTC(); now.Add(5*time.Minute).Day() != now.Day() {
			s.Clock.Add(5 * time.Minute) // the day must not end within the test
		}
		s.Call(t, s.North.Admin, "PUT", "/school-admin/setting", m{"smsPerDay": -1}).Want(422, "Unprocessable Entity")
		s.Call(t, s.North.Admin, "PUT", "/school-admin/setting", m{"smsPerDay": 2, "emailPerDay": 1}).OK()
		var texts []notify.Message
		for i := range 4 {
			texts = append(texts, notify.Message{Channel: notify.SMS, To: fmt.Sprintf("+155501000%02d", i), Body: "Hello"})
		}
		for _, at := range []id.ID{s.North.ID, s.South.ID} {
			deliver(t, s, at, texts...)
		}
		deliver(t, s, s.North.ID, notify.Message{Channel: notify.SMS, To: "+15550100099", Body: "code", Secret: true},
			notify.Message{Channel: notify.Email, To: "one@b.test", Body: "1"}, notify.Message{Channel: notify.Email, To: "one@b.test", Body: "2"})
		drain(t, s)
		drain(t, s) // the alerts
		sent := func(at id.ID) int {
			return count(t, s, at, `deliveries WHERE school_id = :school AND status = 'SENT' AND body = 'Hello'`, nil)
		}
		// South has only the operator's limit.
		if sent(s.North.ID) != 2 || sent(s.South.ID) != 3 || len(p.to("+15550100099")) != 1 || len(p.to("one@b.test")) != 1 {
			t.Errorf("sent %d and %d", sent(s.North.ID), sent(s.South.ID))
		}
		held := s.Call(t, s.North.Admin, "GET", "/school-admin/notification/deliveries?status=QUEUED&channel=sms", nil).OK().Items()
		if len(held) != 2 || !strings.Contains(held[0].Text("providerAnswer"), "held back") {
			t.Errorf("held back: %v", held)
		}
		alerts := p.to(s.North.Admin.Email)
		if len(alerts) != 2 || alerts[0].Channel != notify.Email || !strings.Contains(alerts[0].Body+alerts[1].Body, "2 text messages") {
			t.Errorf("the administrator was written %+v", alerts)
		}
		if n := count(t, s, s.North.ID, `notifications WHERE school_id = :school AND type = 'LIMIT' AND user_id = :admin`,
			db.Args{"admin": s.North.Admin.ID}); n != 2 {
			t.Errorf("%d entries in the log of the administrator, want 2", n)
		}
		if n := count(t, s, s.North.ID, `notifications WHERE school_id = :school AND type = 'LIMIT' AND user_id <> :admin`,
			db.Args{"admin": s.North.Admin.ID}); n != 0 {
			t.Errorf("%d entries in the logs of others", n)
		}
		s.Clock.Add(2 * time.Minute)
		deliver(t, s, s.North.ID, texts[0])
		drain(t, s)
		if len(p.to(s.North.Admin.Email)) != 2 {
			t.Error("alerted again on the same day")
		}
		s.Clock.Add(32 * time.Hour)
		drain(t, s)
		if sent(s.North.ID) != 4 || sent(s.South.ID) != 4 {
			t.Errorf("by the next morning %d and %d were sent", sent(s.North.ID), sent(s.South.ID))
		}
	}, func(c *app.Config) { c.SMSPerDay = 3 })
}
