package app_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify/fake"
)

// outbox is a small school that sends messages by every channel to two guardians
// of one student: to the parent, who has a second child, and to a witness.
type outbox struct {
	*lossWorld
	guardian id.ID

	service         *fake.PushService
	parent, witness *fake.Browser
}

const device = "a-token-of-the-parent"

func newOutbox(t *testing.T, s *apptest.Service, n int) *outbox {
	t.Helper()
	w := &lossWorld{T: t, s: s, far: s, phones: fmt.Sprintf("+1557%03d", n), f: fixtures{}}
	w.at = s.AddSchool(t, fmt.Sprintf("OUT%d", n), w.phones)
	parent := m{"name": "Parent", "phone": w.at.Parent.Phone, "email": fmt.Sprintf("parent%d@home.test", n)}
	witness := m{"name": "Witness", "phone": w.phones + "0004", "email": fmt.Sprintf("witness%d@home.test", n)}
	w.f["class"] = w.made("class/create", m{"name": "One"})
	for _, of := range []string{"student", "otherChild"} {
		w.f[of] = w.made("student/create", m{"firstName": of, "classId": w.f["class"], "guardians": list{parent, witness}})
	}
	w.addIda()
	w.f["head"] = w.made("fee/head/create", m{"name": "Books"})
	w.made("fee/charge/create", m{"studentId": w.f["student"], "feeHeadId": w.f["head"], "amount": 10})
	w.wit = w.account(actor.Parent, `SELECT user_id FROM guardians WHERE school_id = :school AND phone = :phone`, w.phones+"0004")
	s.Call(t, w.at.Parent, "POST", "/parent/notification/token", m{"fcmToken": fmt.Sprint(device, n), "platform": "android"}).OK()
	return &outbox{lossWorld: w, guardian: id.ID(w.one(`SELECT id FROM guardians WHERE school_id = :school AND phone = :phone`,
		db.Args{"phone": w.at.Parent.Phone}))}
}

// subscribe registers a browser for an account.
func (o *outbox) subscribe(who *apptest.Account) *fake.Browser {
	o.Helper()
	b := o.service.Subscribe(o.s.Call(o.T, who, "GET", "/parent/notification/push-key", nil).OK().Text("publicKey"))
	o.s.Call(o.T, who, "POST", "/parent/notification/token", m{"subscription": b.JSON()}).OK()
	return b
}

// shown lists the types of the pushes that a browser received.
func (o *outbox) shown(b *fake.Browser) (types []string) {
	for _, p := range o.service.Got(b) {
		types = append(types, p.Data["type"])
	}
	return types
}

// sent counts the deliveries to an account with this status, by channel, without those to
// browsers.
func (o *outbox) sent(who *apptest.Account, status string) map[string]int {
	o.Helper()
	type count struct {
		Channel string
		N       int
	}
	out := map[string]int{}
	err := db.Each(o.Context(), o.s.DB.School(o.at.ID), `
		SELECT channel, COUNT(*) AS n FROM deliveries
		WHERE school_id = :school AND user_id = :user AND status = :status AND to_addr NOT LIKE 'http%' GROUP BY channel`,
		db.Args{"user": who.ID, "status": status}, func(c count) error { out[c.Channel] = c.N; return nil })
	if err != nil {
		o.Fatal(err)
	}
	return out
}

// remind sends a fee reminder to the guardians by SMS and e-mail.
func (o *outbox) remind() {
	o.does(o.at.Admin, "/school-admin/fee/reminder/send", m{"studentIds": list{o.f["student"]}})
}

// unsent says which losses stop SMS and e-mail about the student (letters), and
// pushes to the parent's devices. With one child left, the office's message is
// about that child and goes to its topic instead of a device, and to the browser.
// Everything stops pushes about the student to the parent's browser; witness says
// that the other guardian's browser still gets them.
var unsent = map[string]struct{ letters, pushes, browser, witness bool }{
	"guardian link removed":             {letters: true, pushes: true, witness: true},
	"canViewData false":                 {letters: true, pushes: true, witness: true},
	"student archived":                  {letters: true, pushes: true},
	"student erased":                    {letters: true, pushes: true},
	"account without a child: disabled": {letters: true, pushes: true, browser: true, witness: true},
	"account erased with its children":  {letters: true, pushes: true, browser: true},
	"school suspended":                  {letters: true, pushes: true, browser: true},
	"logout":                            {pushes: true, browser: true, witness: true}, // a signed-out parent still gets SMS and e-mail
	"session ended":                     {pushes: true, browser: true, witness: true},
	"all sessions ended":                {pushes: true, browser: true, witness: true},
}

// TestLossReachesTheOutbox revokes a right while messages wait for the end of quiet
// hours and before more are sent. Neither may go out.
func TestLossReachesTheOutbox(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		var all []func()
		service := fake.NewPushService(s.Clock.Now)
		t.Cleanup(service.Close)
		for i, l := range losses {
			ends, is := unsent[l.name]
			if l.takes[actor.Parent] == nil || l.route {
				continue
			}
			if !is {
				t.Errorf("%s is missing in unsent", l.name)
			}
			o := newOutbox(t, s, i)
			o.f["guardian"], o.service = o.guardian, service
			o.parent, o.witness = o.subscribe(o.at.Parent), o.subscribe(o.wit)
			o.quiet()
			o.remind()
			if got := o.sent(o.at.Parent, "QUEUED"); got["sms"] == 0 || got["email"] == 0 {
				t.Fatalf("%s: queued deliveries: got %v, want sms and email", l.name, got)
			}
			l.do(o.lossWorld)
			o.does(o.at.Admin, "/school-admin/message/send", m{"recipientId": o.at.Parent.ID, "body": "Hello"})
			all = append(all, func() {
				o.checkSent(l.name, ends.letters, ends.pushes)
				o.checkBrowsers(l.name, ends.browser, ends.witness)
			})
		}
		s.Clock.Add(12 * time.Hour) // after the quiet hours
		s.Work(t)
		for _, check := range all {
			check()
		}
	}, func(c *app.Config) { c.WebPushLoopback, c.WebPushContact = true, "operator@example.org" })
}

// checkBrowsers waits until nothing is queued, and checks what the browsers received.
func (o *outbox) checkBrowsers(name string, lost, witness bool) {
	o.Helper()
	await.Until(o.T, name+": queued pushes to end", func() bool {
		return o.one(`SELECT CAST(COUNT(*) AS TEXT) FROM deliveries
			WHERE school_id = :school AND channel = 'push' AND status = 'QUEUED'`, nil) == "0"
	})
	got := o.shown(o.parent)
	if slices.Contains(got, "FEE") || slices.Contains(got, "MESSAGE") == lost {
		o.Errorf("%s: the parent's browser got %v, lost: %v", name, got, lost)
	}
	if got := o.shown(o.witness); slices.Contains(got, "FEE") != witness {
		o.Errorf("%s: the witness's browser got %v, FEE wanted: %v", name, got, witness)
	}
}

// quiet sets quiet hours for both guardians.
func (o *outbox) quiet() {
	o.Helper()
	at := o.s.Now().UTC()
	hours := m{"from": at.Add(-time.Hour).Format("15:04"), "to": at.Add(6 * time.Hour).Format("15:04")}
	for _, who := range []*apptest.Account{o.at.Parent, o.wit} {
		o.s.Call(o.T, who, "PUT", "/parent/notification/preferences", m{"quietHours": hours}).OK()
	}
}

// checkSent waits until nothing is queued for the parent, and checks that exactly
// the channels that were not lost have sent something.
func (o *outbox) checkSent(name string, letters, pushes bool) {
	o.Helper()
	await.Until(o.T, name+": queued deliveries to end", func() bool { return len(o.sent(o.at.Parent, "QUEUED")) == 0 })
	got := o.sent(o.at.Parent, "SENT")
	for channel, lost := range map[string]bool{"sms": letters, "email": letters, "push": pushes} {
		if (got[channel] == 0) != lost {
			o.Errorf("%s: %d sent by %s, lost: %v", name, got[channel], channel, lost)
		}
	}
}
