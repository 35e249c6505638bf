package notification_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/text"
)

// office sends a notice of the driver to the administrators who may read transport.
func (w *world) office(urgent bool) {
	w.Helper()
	n := &notification.Service{DB: w.DB, Out: w.Notify, Now: w.Now, NewID: w.NewID}
	who := actor.Actor{School: w.North.ID, User: w.North.Driver.ID}
	err := w.DB.InSchool(w.Context(), w.North.ID, func(ctx context.Context, tx *db.Tx) error {
		return n.Office(ctx, tx, who, "transport.read", notification.Notice{Type: notification.Transport, Urgent: urgent,
			Title: text.Plain("Accident"), Body: text.Plain("Bus 7 had an accident.")})
	})
	if err != nil {
		w.Fatal(err)
	}
}

// permit gives or takes permissions of a role on a module.
func (w *world) permit(role, module string, yes bool, verbs ...string) {
	w.Helper()
	for _, p := range w.As(w.North.Admin, "GET", "/school-admin/role/"+role+"/permissions", nil).OK()["permissions"].([]any) {
		if of := p.(m); of["module"] == module {
			grant := m{"moduleId": of["moduleId"]}
			for _, verb := range verbs {
				grant[verb] = yes
			}
			w.As(w.North.Admin, "PUT", "/school-admin/role/"+role+"/permissions", m{"permissions": list{grant}}).OK()
			return
		}
	}
	w.Fatal("no module ", module)
}

// clerk is an administrator whose role may do only what permissions say.
func (w *world) clerk(name string, permissions m) *apptest.Account {
	w.Helper()
	role := w.Make("role/create", m{"name": name, "type": "SCHOOL_ADMIN"})
	w.permit(role, "notification", true, "canRead", "canWrite")
	for module, verb := range permissions {
		w.permit(role, module, true, verb.(string))
	}
	a := &apptest.Account{ID: w.NewID(), School: w.North.ID, Role: actor.SchoolAdmin}
	_, err := db.Exec(w.Context(), w.DB.School(w.North.ID), `
		INSERT INTO users (school_id, id, role_id, role, name, email, phone, status, search, created_at, updated_at)
		VALUES (:school, :id, :role, 'SCHOOL_ADMIN', :name, :email, :phone, 'ACTIVE', :name, :now, :now)`,
		db.Args{"id": a.ID, "role": id.ID(role), "name": name, "email": name + "@north.test",
			"phone": "+1555222" + fmt.Sprintf("%04d", len(name)), "now": w.Now()})
	if err != nil {
		w.Fatal(err)
	}
	w.SignIn(w.TB, a)
	return a
}

func TestOffice(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := w.speak()
		w.As(w.North.Admin, "PUT", "/school-admin/setting", m{"smsPerDay": 1, "emergencyContacts": list{
			m{"name": "Head", "phone": "+15553330001", "email": "head@north.test"}, m{"name": "Guard", "phone": "+15553330002"}}}).OK()
		bus, fees := w.clerk("bus", m{"transport": "canRead"}), w.clerk("fees", m{"fee": "canRead"})
		w.As(bus, "POST", path(bus, "token"), m{"fcmToken": "phone of bus"}).OK()
		w.As(bus, "PUT", path(bus, "preferences"), m{"quietHours": m{"from": "06:00", "to": "09:00"},
			"channels": m{"TRANSPORT": m{"push": false, "sms": false, "email": false}}}).OK()
		w.office(false)
		w.Drain()
		if len(p.took) != 0 {
			t.Errorf("sent though it is not urgent: %+v", p.took)
		}
		w.office(true)
		w.Drain()
		for _, to := range []string{"phone of bus", "bus@north.test", "+15552220003", "+15553330001", "head@north.test", "+15553330002"} {
			if got := p.to(to); len(got) != 1 || got[0].Channel != notify.Push && !strings.Contains(got[0].Body, "Bus 7 had an accident.") {
				t.Errorf("%s was sent %+v", to, got)
			}
		}
		if titles(w.log(bus, "")) != "Accident Accident" || titles(w.log(w.North.Admin, "")) != "Accident Accident" {
			t.Errorf("logs: %v, %v", w.log(bus, ""), w.log(w.North.Admin, ""))
		}
		if got := p.to("fees@north.test"); len(got) != 0 || titles(w.log(fees, "")) != "" {
			t.Errorf("without the permission: %+v", got)
		}
		for _, who := range append(everyone(w.South), w.North.Driver, w.North.Parent, w.North.Teacher) {
			w.SignIn(t, who)
			if titles(w.log(who, "")) != "" {
				t.Errorf("%s of another office reads it", who.Role)
			}
		}
	})
}

// TestOfficeLosesRight takes the permission and the contact while messages wait.
func TestOfficeLosesRight(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		p := w.speak()
		w.As(w.North.Admin, "PUT", "/school-admin/setting", m{"emergencyContacts": list{m{"name": "Head", "phone": "+15553330001"}}}).OK()
		bus := w.clerk("bus", m{"transport": "canRead"})
		w.As(bus, "POST", path(bus, "token"), m{"fcmToken": "phone of bus"}).OK()
		w.office(true)
		role := w.All(`SELECT role_id FROM users WHERE school_id = :school AND name = 'bus'`, nil)[0]
		w.permit(role, "transport", false, "canRead")
		w.As(w.North.Admin, "PUT", "/school-admin/setting", m{"emergencyContacts": list{}}).OK()
		w.Drain()
		for _, to := range []string{"phone of bus", "bus@north.test", "+15552220003", "+15553330001"} {
			if got := p.to(to); len(got) != 0 {
				t.Errorf("%s was sent %+v", to, got)
			}
		}
		if len(p.took) == 0 {
			t.Error("the other administrator was told nothing")
		}
	})
}

// TestOfficeIsTold: leave without a class teacher, employees' leave and messages to the
// office reach the administrators who deal with them, and no others.
func TestOfficeIsTold(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		leaves, mails := w.clerk("leaves", m{"leave": "canWrite"}), w.clerk("mails", m{"message": "canRead"})
		ann := w.All(`SELECT id FROM employees WHERE school_id = :school AND first_name = 'Ann'`, nil)[0]
		ask := func(day int) {
			w.As(w.North.Parent, "POST", "/parent/leave/apply", m{"studentId": w.mia, "type": "SICK", "fromDate": w.monday.AddDays(day),
				"toDate": w.monday.AddDays(day), "reason": "Flu"}).OK()
		}
		seen := map[*apptest.Account]int{}
		told := func(what string, want ...*apptest.Account) {
			t.Helper()
			for _, who := range []*apptest.Account{leaves, mails, w.North.Admin, w.North.Teacher} {
				n := len(w.log(who, "?limit=100").Objects("notifications"))
				if got := n - seen[who]; (got == 1) != slices.Contains(want, who) || got > 1 {
					t.Errorf("%s: %s (%s) got %d entries", what, who.ID, who.Role, got)
				}
				seen[who] = n
			}
		}
		ask(1)
		told("leave in a class with a teacher", w.North.Teacher)
		w.As(w.North.Admin, "POST", "/school-admin/employee/"+ann+"/assignments", m{"assignments": list{}}).OK()
		ask(2)
		told("leave without a class teacher", leaves, w.North.Admin)
		w.As(w.North.Teacher, "POST", "/teacher/leave/apply", m{"type": "CASUAL", "fromDate": w.monday.AddDays(1),
			"toDate": w.monday.AddDays(1), "reason": "Moving"}).OK()
		told("an employee's leave", leaves, w.North.Admin)
		w.As(w.North.Parent, "POST", "/parent/message/send", m{"recipientId": w.North.ID, "body": "Hello"}).OK()
		told("a message to the office", mails, w.North.Admin)
	})
}
