package fee_test

import (
	"net/url"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

// clerk is an administrator who may only read these modules.
func (w *world) clerk(name string, modules ...string) *apptest.Account {
	w.Helper()
	role := w.Make("role/create", m{"name": name, "type": "SCHOOL_ADMIN"})
	var may list
	for _, module := range modules {
		on := w.One(`SELECT id FROM modules WHERE name = :name AND :school <> ''`, db.Args{"name": module})
		may = append(may, m{"moduleId": on, "canRead": true})
	}
	w.Admin("PUT", "/school-admin/role/"+role+"/permissions", m{"permissions": may}).OK()
	w.Make("employee/create", m{"firstName": name, "roleId": role, "email": name + "@north.test"})
	return w.Account(actor.SchoolAdmin, name+"@north.test")
}

// TestDuesOfClerk hides guardians and phones from whoever reads fees, but not students.
func TestDuesOfClerk(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		cashier, office := w.clerk("cashier", "fee"), w.clerk("office", "fee", "student")
		w.Admin("PUT", "/school-admin/student/"+w.cyd, m{"phone": "+15550177777"}).OK()
		w.charge(w.cyd, "Trip", "10")

		see := func(who *apptest.Account, search string) apptest.Reply {
			return w.As(who, "GET", at+"report/dues?search="+url.QueryEscape(search), nil)
		}
		see(office, "").Has(`"guardianName":"Kim"`, `"guardianPhone":"+15550199999"`)
		see(cashier, "").Has(`"firstName":"Cyd"`, `"guardianName":null`, `"guardianPhone":null`)
		for search, seen := range map[string][2]float64{ // by the office and the cashier
			"cyd": {1, 1}, "A3": {1, 1}, "kim": {1, 0}, "0199999": {1, 0}, "0177777": {1, 0}, "nobody": {0, 0}} {
			apptest.Eq(t, "found by the office: "+search, see(office, search).OK()["total"], any(seen[0]))
			apptest.Eq(t, "found by the cashier: "+search, see(cashier, search).OK()["total"], any(seen[1]))
		}
		w.As(office, "GET", at+"report/dues/export", nil).Has("Kim", "+15550199999")
		file := w.As(cashier, "GET", at+"report/dues/export", nil)
		file.Has("Cyd")
		file.HasNot("Kim", "+15550199999")
		w.As(office, "GET", at+"report/dues/export?minDue=5&search=kim", nil).Has("Kim")
		log := w.Admin("GET", "/school-admin/audit/list?action=fee-dues.export", nil)
		log.Has("minDue") // what was typed may be a name or a phone, and erasure would not find it
		log.HasNot("kim")
	})
}
