package notification_test

import (
	"context"
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
func (w *world) holders(token string) []id.ID {
	w.Helper()
	all, err := db.All[id.ID](w.Context(), w.DB.Across(unscoped.Permit{}), `SELECT user_id FROM devices
		WHERE token = :token`, db.Args{"token": token})
	if err != nil {
		w.Fatal(err)
	}
	return all
}

// sweep runs the hourly job.
func (w *world) sweep() {
	w.Helper()
	for _, p := range w.Queue.Periodic {
		if p.Name == "notification.devices" {
			if err := p.Run(w.Context()); err != nil {
				w.Fatal(err)
			}
			return
		}
	}
	w.Fatal("no periodic job sweeps devices")
}

var digits = regexp.MustCompile(`[0-9]{4,8}`)

// signIn signs a parent in by code and returns the refresh token.
func (w *world) signIn(p *mouth, who *apptest.Account) string {
	w.Helper()
	w.As(nil, "POST", "/parent/user-auth/send-otp", m{"phone": who.Phone}).OK()
	w.Drain()
	w.Drain()
	texts := p.to(who.Phone)
	if len(texts) == 0 {
		w.Fatal("no code was sent")
	}
	in := w.As(nil, "POST", "/parent/user-auth/verify-otp",
		m{"phone": who.Phone, "otp": digits.FindString(texts[len(texts)-1].Body)}).OK()
	who.Access = in.Text("accessToken")
	return in.Text("refreshToken")
}

// TestDeviceOfSession ends sessions in every way: queued pushes to the device are not
// sent, no new ones are queued, and the device is deleted.
func TestDeviceOfSession(t *testing.T) {
	bare(t, func(t *testing.T, w *world) {
		p, who := w.speak(), w.North.Parent
		push := func() {
			w.send(w.North.ID, notification.Notice{Devices: true, Type: notification.Message, Title: text.Plain("x"), Users: []id.ID{who.ID}})
		}
		exec := func(sql string) {
			if _, err := db.Exec(t.Context(), w.DB.School(w.North.ID), sql, db.Args{"user": who.ID}); err != nil {
				t.Fatal(err)
			}
		}
		end := map[string]func(refresh string){
			"logout":         func(string) { w.As(who, "POST", "/auth/logout", nil).OK() },
			"refresh logout": func(refresh string) { w.As(nil, "POST", "/auth/logout", m{"refreshToken": refresh}).OK() },
			"another device": func(string) {
				other := *who
				w.SignIn(t, &other)
				for _, one := range w.As(&other, "GET", "/auth/sessions", nil).OK().Items() {
					if one["current"] != true {
						w.As(&other, "DELETE", "/auth/sessions/"+one.Text("id"), nil)
					}
				}
			},
			"expiry":   func(string) { w.Clock.Add(31 * 24 * time.Hour) },
			"disabled": func(string) { exec(`UPDATE users SET status = 'DISABLED' WHERE school_id = :school AND id = :user`) },
		}
		for name, over := range end {
			token := "phone of " + name
			refresh := w.signIn(p, who)
			w.As(who, "POST", path(who, "token"), m{"fcmToken": token}).OK()
			tokens := w.As(nil, "POST", "/auth/refresh", m{"refreshToken": refresh}).OK()
			who.Access = tokens.Text("accessToken")
			push()
			w.Drain()
			if len(p.to(token)) != 1 {
				t.Fatalf("%s: a refreshed session was sent %v", name, p.to(token))
			}
			push()
			over(tokens.Text("refreshToken"))
			w.Drain()
			push()
			w.Drain()
			apptest.Eq(t, fmt.Sprint(name, ": pushed"), len(p.to(token)), 1)
			apptest.Eq(t, fmt.Sprint(name, ": were written"),
				w.Count(`deliveries WHERE school_id = :school AND to_addr = :token`, db.Args{"token": token}), 2)
			w.sweep()
			apptest.Eq(t, fmt.Sprint(name, ": the device is kept"), len(w.holders(token)), 0)
			exec(`UPDATE users SET status = 'ACTIVE' WHERE school_id = :school AND id = :user`)
			w.Clock.Add(2 * time.Minute) // another code may be sent
		}
		failed := w.Admin("GET", "/school-admin/notification/deliveries?status=FAILED&channel=push", nil)
		if strings.Contains(string(failed.Body), "phone of") {
			t.Errorf("a token is shown: %s", failed.Body)
		}
	})
}

// TestTokenIsOnes: a token moves to the account that registers it, also between schools.
func TestTokenIsOnes(t *testing.T) {
	bare(t, func(t *testing.T, w *world) {
		p := w.speak()
		register := func(who *apptest.Account, token string) {
			w.As(who, "POST", path(who, "token"), m{"fcmToken": token}).OK()
		}
		push := func(who *apptest.Account) {
			w.send(who.School, notification.Notice{Devices: true, Type: notification.Message, Title: text.Plain("x"), Users: []id.ID{who.ID}})
		}
		register(w.North.Parent, "one")
		push(w.North.Parent) // it waits
		register(w.South.Teacher, "one")
		if got := w.holders("one"); len(got) != 1 || got[0] != w.South.Teacher.ID {
			t.Errorf("%v have it", got)
		}
		push(w.North.Parent)
		w.Drain()
		apptest.Eq(t, fmt.Sprint("who had the token before got ", p.to("one")), len(p.to("one")), 0)
		push(w.South.Teacher)
		w.Drain()
		if got := p.to("one"); len(got) != 1 || got[0].User != w.South.Teacher.ID {
			t.Errorf("pushes to the token: got %v, want one of South's teacher", got)
		}

		all := append(apps(w.North), apps(w.South)...)
		for round := range 10 {
			token := fmt.Sprint("race ", round)
			var wg sync.WaitGroup
			for _, who := range all {
				wg.Go(func() { register(who, token) })
			}
			wg.Wait()
			apptest.Eq(t, "holders of the token", len(w.holders(token)), 1)
		}
	})
}

// link sets whether Mia's other parent may see her.
func (w *world) link(sees bool) {
	w.Helper()
	w.Admin("POST", "/school-admin/student/"+w.mia+"/guardians",
		m{"name": "Una", "phone": "+15550100003", "email": "una@example.org", "canViewData": sees}).OK()
}

// TestHidden takes the permission to see a student and gives it back: notifications
// about the student disappear and reappear in the list, the counts and read-all.
func TestHidden(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann := w.All(`SELECT id FROM employees WHERE school_id = :school AND first_name = 'Ann'`, nil)[0]
		assign := func(to ...any) {
			w.Admin("POST", "/school-admin/employee/"+ann+"/assignments", m{"assignments": append(list{}, to...)}).OK()
		}
		gone := w.All(`SELECT id FROM guardians WHERE school_id = :school AND name = 'Una'`, nil)[0]
		for _, loss := range []struct {
			name       string
			who        *apptest.Account
			take, give func()
		}{
			{"canViewData", w.una, func() { w.link(false) }, func() { w.link(true) }},
			{"archived", w.North.Parent, func() { w.hide(true) }, func() { w.hide(false) }},
			{"assignment", w.North.Teacher, func() { assign() },
				func() { assign(m{"classId": w.class, "divisionId": w.a, "isClassTeacher": true}) }},
			{"link", w.una, func() {
				w.Make("student/create", m{"firstName": "Sib",
					"guardians": list{m{"name": "Una", "phone": "+15550100003"}}}) // keeps the account active
				w.Admin("DELETE", "/school-admin/student/"+w.mia+"/guardians/"+gone, nil)
			}, func() { w.link(true) }},
		} {
			w.As(loss.who, "POST", path(loss.who, "read-all"), nil).OK()
			w.send(w.North.ID, notification.Notice{Type: notification.Leave, Title: text.Plain("Mia"), Student: id.ID(w.mia),
				Users: []id.ID{loss.who.ID}},
				notification.Notice{Type: notification.Announcement, Title: text.Plain("All"), Users: []id.ID{loss.who.ID}})
			before := w.log(loss.who, "")
			about := before.Objects("notifications")[1]["id"]
			if !strings.HasPrefix(titles(before), "All Mia") || before["unreadCount"] != 2.0 {
				t.Fatalf("%s: at first %v", loss.name, before)
			}
			loss.take()
			after := w.log(loss.who, "")
			if strings.Contains(titles(after), "Mia") || !strings.HasPrefix(titles(after), "All") || after["unreadCount"] != 1.0 ||
				after["total"] == before["total"] {
				t.Errorf("%s: without the right %v", loss.name, after)
			}
			w.As(loss.who, "POST", path(loss.who, "read"), m{"notificationId": about}).Want(404, "Not Found")
			apptest.Eq(t, fmt.Sprint(loss.name, ": marked"), w.As(loss.who, "POST", path(loss.who, "read-all"), nil).OK()["marked"], 1.0)
			loss.give()
			again := w.log(loss.who, "")
			if titles(again) != titles(before) || again["unreadCount"] != 1.0 || again.Objects("notifications")[1]["readAt"] != nil {
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
	each(t, func(t *testing.T, w *world) {
		w.As(w.una, "POST", path(w.una, "token"), m{"fcmToken": "phone"}).OK()
		w.send(w.North.ID, notification.Notice{Type: notification.Fee, Title: text.Plain("x"), Student: id.ID(w.mia),
			Users: []id.ID{w.una.ID}})
		w.link(false)
		w.send(w.North.ID, notification.Notice{Devices: true, Type: notification.Message, Title: text.Plain("x"), Users: []id.ID{w.una.ID}})
		apptest.Eq(t, "the badge", fmt.Sprint(w.All(`SELECT CAST(badge AS TEXT) FROM deliveries WHERE school_id = :school
			AND to_addr = 'phone'`, nil)), "[1]")
	})
}

// TestHeldBack takes the permission while a message waits for the end of quiet hours
// or of a digest: it is not sent.
func TestHeldBack(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/setting", m{"pushDetails": true, "digestMinutes": 10, "smsTypes": list{"FEE"}}).OK()
		w.As(w.una, "POST", path(w.una, "token"), m{"fcmToken": "una"}).OK()
		w.As(w.North.Parent, "POST", path(w.North.Parent, "token"), m{"fcmToken": "pat"}).OK()
		w.Make("fee/charge/create", m{"studentId": w.mia, "name": "Books", "amount": 10, "dueDate": w.monday})
		w.Drain()
		p := w.speak()
		quiet := m{"quietHours": m{"from": "06:00", "to": "09:00"}}
		w.As(w.una, "PUT", path(w.una, "preferences"), quiet).OK()
		w.As(w.North.Parent, "PUT", path(w.North.Parent, "preferences"), quiet).OK()
		w.Admin("POST", "/school-admin/fee/reminder/send", m{"all": true}).OK() // a text message and an e-mail to each, and in the digest
		w.As(w.North.Teacher, "POST", "/teacher/message/send", m{"recipientId": w.una.ID, "studentId": w.mia, "body": "Hello"}).OK()
		w.link(false)
		w.Clock.Add(3 * time.Hour)
		w.Drain()
		w.Drain()
		for _, to := range []string{"una", "+15550100003", "una@example.org"} {
			apptest.Eq(t, fmt.Sprint(to, " was sent"), len(p.to(to)), 0)
		}
		for _, to := range []string{"pat", w.North.Parent.Phone, "pat@example.org"} {
			apptest.Eq(t, fmt.Sprint(to, " was sent"), len(p.to(to)), 1)
		}
		for _, m := range p.took {
			if strings.HasPrefix(m.To, "student_") {
				t.Errorf("a topic of hers was told %v", m)
			}
		}
		apptest.Eq(t, "messages are still queued", w.Count(`deliveries WHERE school_id = :school AND status = 'QUEUED'`, nil), 0)
	})
}

// TestClosedTopics: once someone loses the permission to see a student, its topics are
// no longer used, as they may still listen. The others get pushes on their devices.
func TestClosedTopics(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for token, who := range map[string]*apptest.Account{"una": w.una, "pat": w.North.Parent} {
			w.As(who, "POST", path(who, "token"), m{"fcmToken": token}).OK()
		}
		topics := func() string {
			return fmt.Sprint(w.As(w.North.Parent, "GET", path(w.North.Parent, "topics"), nil).OK()["topics"])
		}
		if !strings.Contains(topics(), w.mia) {
			t.Errorf("at first %s", topics())
		}
		w.mark("ABSENT")
		if all := w.pushed(); len(all) != 1 || all[0].ToAddr != "student_"+w.mia+"_attendance" {
			t.Errorf("pushes: got %+v", all)
		}
		w.Drain()
		for _, who := range []*apptest.Account{w.una, w.North.Parent} {
			w.As(who, "PUT", path(who, "preferences"), m{"quietHours": m{"from": "06:00", "to": "07:05"}}).OK()
		}
		w.Make("fee/charge/create", m{"studentId": w.mia, "name": "Books", "amount": 10, "dueDate": w.monday})
		w.link(false)
		w.Clock.Add(10 * time.Minute)
		w.Drain()
		apptest.Eq(t, fmt.Sprint("what waited was sent: ", w.pushed()),
			w.Count(`deliveries WHERE school_id = :school AND to_addr = :topic AND status = 'FAILED'`,
				db.Args{"topic": "student_" + w.mia + "_fee"}), 1)
		w.mark("LATE")
		if all := w.pushed()[2:]; len(all) != 1 || all[0].ToAddr != "pat" || all[0].Subject+"|"+all[0].Body != neutrals["ATTENDANCE"] {
			t.Errorf("pushes: got %+v", all)
		}
		if strings.Contains(topics(), w.mia) {
			t.Errorf("then %s", topics())
		}
		w.As(w.North.Parent, "POST", "/parent/leave/apply", m{"studentId": w.mia, "type": "SICK", "fromDate": w.monday.AddDays(1),
			"toDate": w.monday.AddDays(1), "reason": "Flu"}).OK()
		if all := w.pushed()[3:]; len(all) != 1 || all[0].ToAddr != "teacher_"+string(w.North.Teacher.ID) {
			t.Errorf("the teacher's own topic: %+v", all)
		}
	})
}

// TestSignedInAgain registers a device again in the moment in which the sweep would delete it,
// because its session has ended: it stays.
func TestSignedInAgain(t *testing.T) {
	bare(t, func(t *testing.T, w *world) {
		dan := w.North.Driver
		w.As(dan, "POST", path(dan, "token"), m{"fcmToken": "dan"}).OK()
		w.As(dan, "POST", "/auth/logout", nil).OK()
		w.SignIn(t, dan)
		ended := make(chan struct{})
		w.In(func(ctx context.Context, tx *db.Tx) error {
			_, err := db.Exec(ctx, tx, `UPDATE devices SET session_id = (
				SELECT id FROM sessions WHERE school_id = :school AND user_id = :user AND revoked_at IS NULL)
				WHERE school_id = :school AND token = 'dan'`, db.Args{"user": dan.ID})
			go func() { defer close(ended); w.sweep() }()
			time.Sleep(100 * time.Millisecond) // the sweep finds the session ended, and waits for the device
			return err
		})
		<-ended
		apptest.Eq(t, "holders", fmt.Sprint(w.holders("dan")), fmt.Sprint([]id.ID{dan.ID}))
	})
}
