package notification_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// channels lists the channels of the deliveries that do causes, to the person with the
// phone, e-mail and device, as administrators read them.
func (w *world) channels(to []string, do func()) string {
	w.Helper()
	read := func() map[string]bool {
		out := map[string]bool{}
		for _, d := range w.As(w.North.Admin, "GET", "/school-admin/notification/deliveries?limit=100", nil).OK().Items() {
			if slices.Contains(to, d.Text("to")) || d.Text("channel") == "push" && strings.HasPrefix(d.Text("to"), "student_"+w.mia) {
				out[d.Text("id")+" "+d.Text("channel")] = true
			}
		}
		return out
	}
	before := read()
	do()
	var out []string
	for d := range read() {
		if !before[d] {
			out = append(out, strings.Fields(d)[1])
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestChannels decides the channels by policy, the app and preferences. Una's app is
// registered or not; Parent has switched everything off.
func TestChannels(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		una := []string{"+15550100003", "una@example.org"}
		none := m{}
		for _, of := range notification.Types {
			none[string(of)] = m{"push": false, "sms": false, "email": false}
		}
		w.As(w.North.Parent, "PUT", path(w.North.Parent, "preferences"), m{"channels": none}).OK()
		tell := func(of notification.Type, urgent bool) string {
			w.Helper()
			return w.channels(una, func() {
				w.send(w.North.ID, notification.Notice{Topic: notification.StudentTopic(id.ID(w.mia)), Type: of, Urgent: urgent,
					Title: text.Plain("t"), Body: text.Plain("b"), Student: id.ID(w.mia), Users: []id.ID{w.una.ID, w.North.Parent.ID}})
			})
		}
		want := func(what string, got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%s: got %q, want %q", what, got, want)
			}
		}
		many := func(of notification.Type) bool { return of == notification.Transport || of == notification.Message }
		each := func(what string, few, frequent string) {
			t.Helper()
			for _, of := range notification.Types {
				expected := few
				if many(of) {
					expected = frequent
				}
				want(fmt.Sprint(what, ", ", of), tell(of, false), expected)
			}
		}
		each("without the app", "email push sms", "push")
		w.As(w.una, "POST", path(w.una, "token"), m{"fcmToken": "una"}).OK()
		each("with the app", "email push", "push")
		every := list{}
		for _, of := range notification.Types {
			every = append(every, string(of))
		}
		w.As(w.North.Admin, "PUT", "/school-admin/setting", m{"smsTypes": every}).OK()
		each("by policy", "email push sms", "push sms")
		for _, of := range notification.Types { // each switch changes what is sent
			for _, channel := range []string{"push", "sms", "email"} {
				on := strings.Contains(tell(of, false), channel)
				w.As(w.una, "PUT", path(w.una, "preferences"), m{"channels": m{string(of): m{channel: !on}}}).OK()
				if got := strings.Contains(tell(of, false), channel); got == on {
					t.Errorf("the switch %s of %s changes nothing", channel, of)
				}
			}
		}
		w.As(w.una, "PUT", path(w.una, "preferences"), m{"channels": none}).OK()
		each("all switched off", "", "")
		for _, of := range notification.Types {
			want(fmt.Sprint("urgent ", of), tell(of, true), "email push sms")
		}
		w.As(w.North.Admin, "PUT", "/school-admin/setting", m{"smsTypes": list{}}).OK()
		want("urgent, whatever the policy", tell(notification.Announcement, true), "email push sms")
	})
}

// TestSeen: without a policy an SMS is sent once the app was not seen for 30 days, or at
// once when it signs out.
func TestSeen(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		una := []string{"+15550100003"}
		tell := func() bool {
			return strings.Contains(w.channels(una, func() {
				w.send(w.North.ID, notification.Notice{Topic: notification.StudentTopic(id.ID(w.mia)), Type: notification.Attendance,
					Title: text.Plain("t"), Student: id.ID(w.mia), Users: []id.ID{w.una.ID}})
			}), "sms")
		}
		w.As(w.una, "POST", path(w.una, "token"), m{"fcmToken": "una"}).OK()
		for _, tt := range []struct {
			days int
			sms  bool
		}{{0, false}, {29, false}, {2, true}} {
			w.Clock.Add(time.Duration(tt.days) * 24 * time.Hour)
			w.SignIn(t, w.North.Admin)
			for _, p := range w.Queue.Periodic {
				if p.Name == "notification.devices" || p.Name == "identity.sweep" {
					if err := p.Run(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			}
			if got := tell(); got != tt.sms {
				t.Errorf("%d days later: sms %v, want %v", tt.days, got, tt.sms)
			}
		}
		w.SignIn(t, w.una)
		w.As(w.una, "POST", path(w.una, "token"), m{"fcmToken": "una"}).OK()
		if tell() {
			t.Error("an SMS though the app is back")
		}
		w.As(w.una, "POST", "/auth/logout", nil).OK()
		if !tell() {
			t.Error("no SMS after signing out")
		}
	})
}

// TestUrgent sends urgent notices past quiet hours, digests and the daily limit.
func TestUrgent(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := w.speak()
		w.As(w.North.Admin, "PUT", "/school-admin/setting", m{"digestMinutes": 10, "smsPerDay": 1, "smsTypes": list{"ANNOUNCEMENT"}}).OK()
		for _, who := range []*apptest.Account{w.una, w.North.Parent} {
			w.As(who, "PUT", path(who, "preferences"), m{"quietHours": m{"from": "06:00", "to": "09:00"}}).OK()
		}
		announce := func(title string, urgent bool) {
			w.Make("announcement/create", m{"title": title, "body": "Stay at home.", "audience": "PARENTS", "urgent": urgent})
			w.Drain()
		}
		announce("First", false)
		if got := p.to("+15550100003"); len(got) != 0 {
			t.Errorf("in quiet hours: %v", got)
		}
		for _, title := range []string{"Snow", "Ice"} {
			announce(title, true)
		}
		got := p.to("+15550100003")
		if len(got) != 2 || got[0].Body != "NORTH School: Snow: Stay at home." || got[1].Body != "NORTH School: Ice: Stay at home." {
			t.Errorf("urgent SMS: got %+v", got)
		}
		if got := p.to("una@example.org"); len(got) != 2 {
			t.Errorf("urgent e-mails: got %+v", got)
		}
		if got := p.to("student_" + w.mia); len(got) != 2 {
			t.Errorf("urgent pushes: got %+v", got)
		}
		w.Clock.Add(3 * time.Hour)
		w.Drain()
		sms := len(p.to("+15550100003")) + len(p.to(w.North.Parent.Phone)) - 4 // without the urgent ones
		if sms != 1 {
			t.Errorf("%d SMS that are not urgent, want 1 by the limit", sms)
		}
	})
}

// TestGuardianWithoutAccount: someone with an e-mail address only gets e-mails, while
// they may see the student.
func TestGuardianWithoutAccount(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := w.speak()
		w.As(w.North.Admin, "POST", "/school-admin/student/"+w.mia+"/guardians", m{"name": "Gran", "email": "gran@example.org"}).OK()
		w.mark("ABSENT")
		w.Drain()
		w.Make("announcement/create", m{"title": "Fair", "body": strings.Repeat("Long. ", 100), "audience": "CLASS", "classIds": list{w.class}})
		w.Drain()
		got := p.to("gran@example.org")
		if len(got) != 2 || !strings.Contains(got[0].Body, "Mia Roe was marked absent") || strings.Count(got[1].Body, "Long.") != 100 {
			t.Errorf("e-mails: got %+v", got)
		}
		gran := w.All(`SELECT id FROM guardians WHERE school_id = :school AND name = 'Gran'`, nil)[0]
		w.mark("LATE")
		w.Call(t, w.North.Admin, "DELETE", "/school-admin/student/"+w.mia+"/guardians/"+gran, nil)
		w.Drain()
		if got := p.to("gran@example.org"); len(got) != 2 {
			t.Errorf("after the link was removed: %+v", got[2:])
		}
	})
}

// TestPolicyNamesEveryType: the setting accepts each type.
func TestPolicyNamesEveryType(t *testing.T) {
	bare(t, func(t *testing.T, w *world) {
		for _, of := range notification.Types {
			w.Call(t, w.North.Admin, "PUT", "/school-admin/setting", m{"smsTypes": list{string(of)}}).OK()
		}
	})
}
