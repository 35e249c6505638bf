package people_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

// clerk is an administrator who may only read these modules.
func (o families) clerk(name string, modules ...string) *apptest.Account {
	o.Helper()
	role := o.Make("role/create", m{"name": name, "type": "SCHOOL_ADMIN"})
	var may []m
	for _, module := range modules {
		on := o.One(`SELECT id FROM modules WHERE name = :name AND :school <> ''`, db.Args{"name": module})
		may = append(may, m{"moduleId": on, "canRead": true})
	}
	o.admin("PUT", "role/"+role+"/permissions", m{"permissions": may}).OK()
	o.Make("employee/create", m{"firstName": name, "roleId": role, "email": name + "@north.test"})
	return o.Account(actor.SchoolAdmin, name+"@north.test")
}

// TestProfileOfClerk: a profile has nothing of modules that the caller may not read, and a data export has everything or is
// refused.
func TestProfileOfClerk(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		ada, _ := o.enrol("Ada", m{"name": "Jon", "phone": "+15550820001"})
		route := o.Make("transport/route/create", m{"name": "East", "stops": []m{{"name": "Mill", "lat": 1, "lng": 1}}})
		stop := o.One(`SELECT id FROM route_stops WHERE school_id = :school AND route_id = :route`, db.Args{"route": route})
		o.Exec(`INSERT INTO student_stops (school_id, student_id, stop_id, pickup, dropoff, created_at)
			VALUES (:school, :st, :stop, TRUE, FALSE, :now)`,
			db.Args{"st": ada, "stop": stop, "now": o.Now()})
		profile := "/school-admin/student/" + ada + "/profile"
		parts := func(who *apptest.Account) string {
			p := o.As(who, "GET", profile, nil).OK()
			has := ""
			for _, name := range []string{"attendance", "electives", "fees", "leave", "loans", "messages", "results", "trips"} {
				if _, ok := p["sections"].(m)[name]; ok {
					has += name + " "
				}
			}
			return has + fmt.Sprint(len(p["transport"].([]any)))
		}
		apptest.Eq(t, "all", parts(o.North.Admin), "attendance electives fees leave loans results trips 1")
		desk := o.clerk("desk", "student")
		apptest.Eq(t, "only students", parts(desk), "0")
		apptest.Eq(t, "and fees", parts(o.clerk("cashier", "student", "fee")), "fees 0")

		export := "/school-admin/student/" + ada + "/data-export"
		o.As(desk, "GET", export, nil).Want(403, "PERMISSION_DENIED")
		o.As(o.North.Admin, "GET", export, nil).Has(`"messages"`, `"auditLog"`, "Mill")
	})
}

// TestNumbersOfCustomFields: numbers that a database or a program can't hold are refused.
func TestNumbersOfCustomFields(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		create := func(number string) apptest.Reply {
			return o.admin("POST", "student/create", `{"data": {"firstName": "Ada", "customFields": {"x": [`+number+`]}}}`)
		}
		for _, number := range []string{"1e400", "1e200000", "-1e-300000", "0.1e-20000", "1." + strings.Repeat("0", 20000) + "1"} {
			create(number).Fields(422, "customFields.x")
		}
		for _, number := range []string{"0", "-0.0e5", "1.5", "1e300", "-2.5e-300", "12345678901234567890"} {
			create(number).OK()
		}
	})
}
