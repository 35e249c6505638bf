package notification_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// holders are the accounts that have a token, over all schools.
func holders(t *testing.T, s *apptest.Service, token string) []id.ID {
	t.Helper()
	all, err := db.All[id.ID](t.Context(), s.DB.Across(unscoped.Permit{}), `SELECT user_id FROM devices
		WHERE token = :token`, db.Args{"token": token})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sweep runs the hourly job.
func sweep(t *testing.T, s *apptest.Service) {
	t.Helper()
	for _, p := range s.Queue.Periodic {
		if p.Name == "notification.devices" {
			if err := p.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("no periodic job sweeps devices")
}

var digits = regexp.MustCompile(`[0-9]{4,8}`)

// signIn signs a parent in by code and returns the refresh token.
func signIn(t *testing.T, s *apptest.Service, p *mouth, who *apptest.Account) string {
	t.Helper()
	s.Call(t, nil, "POST", "/parent/user-auth/send-otp", m{"phone": who.Phone}).OK()
	drain(t, s)
	drain(t, s)
	texts := p.to(who.Phone)
	if len(texts) == 0 {
		t.Fatal("no code was sent")
	}
	in := s.Call(t, nil, "POST", "/parent/user-auth/verify-otp",
		m{"phone": who.Phone, "otp": digits.FindString(texts[len(texts)-1].Body)}).OK()
	who.Access = in.Text("accessToken")
	return in.Text("refreshToken")
}

// TestDeviceOfSession ends sessions in every way: queued pushes to the device are not
// sent, no new ones are queued, and the device is deleted.
func TestDeviceOfSession(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		p, who := speak(t, s), s.North.Parent
		push := func() {
			send(t, s, s.North.ID, notification.Notice{Devices: true, Type: notification.Message, Title: text.Plain("x"), Users: []id.ID{who.ID}})
		}
		exec := func(sql string) {
			if _, err := db.Exec(t.Context(), s.DB.School(s.North.ID), sql, db.Args{"user": who.ID}); err != nil {
				t.Fatal(err)
			}
		}
		end := map[string]func(refresh string){
			"logout":         func(string) { s.Call(t, who, "POST", "/auth/logout", nil).OK() },
			"refresh logout": func(refresh string) { s.Call(t, nil, "POST", "/auth/logout", m{"refreshToken": refresh}).OK() },
			"another device": func(string) {
				other := *who
				s.SignIn(t, &other)
				for _, one := range s.Call(t, &other, "GET", "/auth/sessions", nil).OK().Items() {
					if one["current"] != true {
						s.Call(t, &other, "DELETE", "/auth/sessions/"+one.Text("id"), nil)
					}
				}
			},
			"expiry":   func(string) { s.Clock.Add(31 * 24 * time.Hour) },
			"disabled": func(string) { exec(`UPDATE users SET status = 'DISABLED' WHERE school_id = :school AND id = :user`) },
		}
		for name, over := range end {
			token := "phone of " + name
			refresh := signIn(t, s, p, who)
			s.Call(t, who, "POST", path(who, "token"), m{"fcmToken": token}).OK()
			tokens := s.Call(t, nil, "POST", "/auth/refresh", m{"refreshToken": refresh}).OK()
			who.Access = tokens.Text("accessToken")
			push()
			drain(t, s)
			if len(p.to(token)) != 1 {
				t.Fatalf("%s: a refreshed session was sent %v", name, p.to(token))
			}
			push()
			over(tokens.Text("refreshToken"))
			drain(t, s)
			push()
			drain(t, s)
			if got := p.to(token); len(got) != 1 {
				t.Errorf("%s: pushed %v", name, got)
			}
			if n := count(t, s, s.North.ID, `deliveries WHERE school_id = :school AND to_addr = :token`, db.Args{"token": token}); n != 2 {
				t.Errorf("%s: %d were written, want the two of before", name, n)
			}
			sweep(t, s)
			if got := holders(t, s, token); len(got) != 0 {
				t.Errorf("%s: the device is kept", name)
			}
			exec(`UPDATE users SET status = 'ACTIVE' WHERE school_id = :school AND id = :user`)
			s.Clock.Add(2 * time.Minute) // another code may be sent
		}
		failed := s.Call(t, s.North.Admin, "GET", "/school-admin/notification/deliveries?status=FAILED&channel=push", nil)
		if strings.Contains(string(failed.Body), "phone of") {
			t.Errorf("a token is shown: %s", failed.Body)
		}
	})
}

// TestTokenIsOnes: a token moves to the account that registers it, also between schools.
func TestTokenIsOnes(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		p := speak(t, s)
		register := func(who *apptest.Account, token string) {
			s.Call(t, who, "POST", path(who, "token"), m{"fcmToken": token}).OK()
		}
		push := func(who *apptest.Account) {
			send(t, s, who.School, notification.Notice{Devices: true, Type: notification.Message, Title: text.Plain("x"), Users: []id.ID{who.ID}})
		}
		register(s.North.Parent, "one")
		push(s.North.Parent) // it waits
		register(s.South.Teacher, "one")
		if got := holders(t, s, "one"); len(got) != 1 || got[0] != s.South.Teacher.ID {
			t.Errorf("%v have it", got)
		}
		push(s.North.Parent)
		drain(t, s)
		if len(p.to("one")) != 0 {
			t.Errorf("who had the token before got %v", p.to("one"))
		}
		push(s.South.Teacher)
		drain(t, s)
		if got := p.to("one"); len(got) != 1 || got[0].User != s.South.Teacher.ID {
			t.Errorf("pushes to the token: got %v, want one of South's teacher", got)
		}

		all := append(apps(s.North), apps(s.South)...)
		for round := range 10 {
			token := fmt.Sprint("race ", round)
			var wg sync.WaitGroup
			for _, who := range all {
				wg.Go(func() { register(who, token) })
			}
			wg.Wait()
			if got := holders(t, s, token); len(got) != 1 {
				t.Errorf("%v have it", got)
			}
		}
	})
}

// link sets whether Mia's other parent may see her.
func (w *world) link(sees bool) {
	w.Helper()
	w.do(w.North.Admin, "POST", "/school-admin/student/"+w.mia+"/guardians",
		m{"name": "Una", "phone": "+15550100003", "email": "una@example.org", "canViewData": sees})
}

// TestHidden takes the permission to see a student and gives it back: notifications
// about the student disappear and reappear in the list, the counts and read-all.
func TestHidden(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := newWorld(t, s)
		ann := w.all(`SELECT id FROM employees WHERE school_id = :school AND first_name = 'Ann'`, nil)[0]
		assign := func(to ...any) {
			w.do(s.North.Admin, "POST", "/school-admin/employee/"+ann+"/assignments", m{"assignments": append(list{}, to...)})
		}
		gone := w.all(`SELECT id FROM guardians WHERE school_id = :school AND name = 'Una'`, nil)[0]
		for _, loss := range []struct {
			name       string
			who        *apptest.Account
			take, give func()
		}{
			{"canViewData", w.una, func() { w.link(false) }, func() { w.link(true) }},
			{"archived", s.North.Parent, func() { w.hide(true) }, func() { w.hide(false) }},
			{"assignment", s.North.Teacher, func() { assign() },
				func() { assign(m{"classId": w.class, "divisionId": w.a, "isClassTeacher": true}) }},
			{"link", w.una, func() {
				w.make("student/create", m{"firstName": "Sib",
					"guardians": list{m{"name": "Una", "phone": "+15550100003"}}}) // keeps the account active
				s.Call(t, s.North.Admin, "DELETE", "/school-admin/student/"+w.mia+"/guardians/"+gone, nil)
			}, func() { w.link(true) }},
		} {
			w.do(loss.who, "POST", path(loss.who, "read-all"), nil)
			send(t, s, s.North.ID, notification.Notice{Type: notification.Leave, Title: text.Plain("Mia"), Student: id.ID(w.mia),
				Users: []id.ID{loss.who.ID}},
				notification.Notice{Type: notification.Announcement, Title: text.Plain("All"), Users: []id.ID{loss.who.ID}})
			before := log(t, s, loss.who, "")
			about := records(before)[1]["id"]
			if !strings.HasPrefix(titles(before), "All Mia") || before["unreadCount"] != 2.0 {
				t.Fatalf("%s: at first %v", loss.name, before)
			}
			loss.take()
			after := log(t, s, loss.who, "")
			if strings.Contains(titles(after), "Mia") || !strings.HasPrefix(titles(after), "All") || after["unreadCount"] != 1.0 ||
				after["total"] == before["total"] {
				t.Errorf("%s: without the right %v", loss.name, after)
			}
			s.Call(t, loss.who, "POST", path(loss.who, "read"), m{"notificationId": about}).Want(404, "Not Found")
			if all := w.do(loss.who, "POST", path(loss.who, "read-all"), nil); all["marked"] != 1.0 {
				t.Errorf("%s: marked %v", loss.name, all)
			}
			loss.give()
			again := log(t, s, loss.who, "")
			if titles(again) != titles(before) || again["unreadCount"] != 1.0 || records(again)[1]["readAt"] != nil {
				t.Errorf("%s: with the right again %v", loss.name, again)
			}
		}
	})
}

// hide archives Mia, or brings her back.
func (w *world) hide(yes bool) {
	w.Helper()
	var at *time.Time
	if yes {
		now := w.Now()
		at = &now
	}
	if _, err := db.Exec(w.Context(), w.DB.School(w.North.ID), `UPDATE students SET archived_at = :at WHERE school_id = :school AND id = :mia`,
		db.Args{"at": at, "mia": id.ID(w.mia)}); err != nil {
		w.Fatal(err)
	}
}

// TestBadge: the badge counts visible entries only.
func TestBadge(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := newWorld(t, s)
		w.do(w.una, "POST", path(w.una, "token"), m{"fcmToken": "phone"})
		send(t, s, s.North.ID, notification.Notice{Type: notification.Fee, Title: text.Plain("x"), Student: id.ID(w.mia),
			Users: []id.ID{w.una.ID}})
		w.link(false)
		send(t, s, s.North.ID, notification.Notice{Devices: true, Type: notification.Message, Title: text.Plain("x"), Users: []id.ID{w.una.ID}})
		if got := w.all(`SELECT CAST(badge AS TEXT) FROM deliveries WHERE school_id = :school
			AND to_addr = 'phone'`, nil); fmt.Sprint(got) != "[1]" {
			t.Errorf("the badge is %v", got)
		}
	})
}

// TestHeldBack takes the permission while a message waits for the end of quiet hours
// or of a digest: it is not sent.
func TestHeldBack(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := newWorld(t, s)
		w.do(s.North.Admin, "PUT", "/school-admin/setting", m{"pushDetails": true, "digestMinutes": 10, "smsTypes": list{"FEE"}})
		w.do(w.una, "POST", path(w.una, "token"), m{"fcmToken": "una"})
		w.do(s.North.Parent, "POST", path(s.North.Parent, "token"), m{"fcmToken": "pat"})
		w.make("fee/charge/create", m{"studentId": w.mia, "name": "Books", "amount": 10, "dueDate": w.monday})
		drain(t, s)
		p := speak(t, s)
		quiet := m{"quietHours": m{"from": "06:00", "to": "09:00"}}
		w.do(w.una, "PUT", path(w.una, "preferences"), quiet)
		w.do(s.North.Parent, "PUT", path(s.North.Parent, "preferences"), quiet)
		w.do(s.North.Admin, "POST", "/school-admin/fee/reminder/send", m{"all": true}) // a text message and an e-mail to each, and in the digest
		w.do(s.North.Teacher, "POST", "/teacher/message/send", m{"recipientId": w.una.ID, "studentId": w.mia, "body": "Hello"})
		w.link(false)
		w.Clock.Add(3 * time.Hour)
		drain(t, s)
		drain(t, s)
		for _, to := range []string{"una", "+15550100003", "una@example.org"} {
			if got := p.to(to); len(got) != 0 {
				t.Errorf("%s was sent %v", to, got)
			}
		}
		for _, to := range []string{"pat", s.North.Parent.Phone, "pat@example.org"} {
			if got := p.to(to); len(got) != 1 {
				t.Errorf("%s was sent %v", to, got)
			}
		}
		for _, m := range p.took {
			if strings.HasPrefix(m.To, "student_") {
				t.Errorf("a topic of hers was told %v", m)
			}
		}
		if n := count(t, s, s.North.ID, `deliveries WHERE school_id = :school AND status = 'QUEUED'`, nil); n != 0 {
			t.Errorf("%d messages are still queued", n)
		}
	})
}

// TestClosedTopics: once someone loses the permission to see a student, its topics are
// no longer used, as they may still listen. The others get pushes on their devices.
func TestClosedTopics(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := newWorld(t, s)
		for token, who := range map[string]*apptest.Account{"una": w.una, "pat": s.North.Parent} {
			w.do(who, "POST", path(who, "token"), m{"fcmToken": token})
		}
		topics := func() string {
			return fmt.Sprint(w.do(s.North.Parent, "GET", path(s.North.Parent, "topics"), nil)["topics"])
		}
		if !strings.Contains(topics(), w.mia) {
			t.Errorf("at first %s", topics())
		}
		w.mark("ABSENT")
		if all := w.pushed(); len(all) != 1 || all[0].ToAddr != "student_"+w.mia+"_attendance" {
			t.Errorf("pushes: got %+v", all)
		}
		drain(t, s)
		for _, who := range []*apptest.Account{w.una, s.North.Parent} {
			w.do(who, "PUT", path(who, "preferences"), m{"quietHours": m{"from": "06:00", "to": "07:05"}})
		}
		w.make("fee/charge/create", m{"studentId": w.mia, "name": "Books", "amount": 10, "dueDate": w.monday})
		w.link(false)
		s.Clock.Add(10 * time.Minute)
		drain(t, s)
		if count(t, s, s.North.ID, `deliveries WHERE school_id = :school AND to_addr = :topic AND status = 'FAILED'`,
			db.Args{"topic": "student_" + w.mia + "_fee"}) != 1 {
			t.Errorf("what waited was sent: %+v", w.pushed())
		}
		w.mark("LATE")
		if all := w.pushed()[2:]; len(all) != 1 || all[0].ToAddr != "pat" || all[0].Subject+"|"+all[0].Body != neutrals["ATTENDANCE"] {
			t.Errorf("pushes: got %+v", all)
		}
		if strings.Contains(topics(), w.mia) {
			t.Errorf("then %s", topics())
		}
		w.do(s.North.Parent, "POST", "/parent/leave/apply", m{"studentId": w.mia, "type": "SICK", "fromDate": w.monday.AddDays(1),
			"toDate": w.monday.AddDays(1), "reason": "Flu"})
		if all := w.pushed()[3:]; len(all) != 1 || all[0].ToAddr != "teacher_"+string(s.North.Teacher.ID) {
			t.Errorf("the teacher's own topic: %+v", all)
		}
	})
}
