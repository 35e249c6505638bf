package message_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

// TestSearchOfClerk: whoever reads messages, but not students, finds nobody by a phone or an e-mail address.
func TestSearchOfClerk(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		clerk := func(name string, modules ...string) *apptest.Account {
			role, may := w.Make("role/create", m{"name": name, "type": "SCHOOL_ADMIN"}), list{}
			for _, module := range modules {
				on := w.One(`SELECT id FROM modules WHERE name = :name AND :school <> ''`, db.Args{"name": module})
				may = append(may, m{"moduleId": on, "canRead": true})
			}
			w.Admin("PUT", "/school-admin/role/"+role+"/permissions", m{"permissions": may}).OK()
			w.Make("employee/create", m{"firstName": name, "roleId": role, "email": name + "@north.test"})
			return w.Account(actor.SchoolAdmin, name+"@north.test")
		}
		w.send(w.una, w.office(), w.mia, "Hello").OK()
		people, mails := clerk("people", "message", "student"), clerk("mails", "message")
		for who, want := range map[*apptest.Account]float64{w.North.Admin: 1, people: 1, mails: 0} {
			for _, list := range []string{"recipients", "threads"} {
				for search, found := range map[string]float64{"0300011": want, "una": 1} { // Una's phone and name
					if got := w.As(who, "GET", at(who, list+"?search="+search), nil).OK()["total"]; got != found {
						t.Errorf("%s: %s for %s: got %v, want %v", who.Email, list, search, got, found)
					}
				}
			}
		}
	})
}
