package app_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/schema"
)

// TestEmployeeAndAccount follows one employee's account through a change of
// role, a resignation and a return. Each change is made on one node and must
// reach the other, which has the user cached. SQLite has one node only.
func TestEmployeeAndAccount(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			url := dbtest.URL(t, engine, schema.FS)
			office := apptest.Open(t, url)
			field := office
			if engine == "postgres" {
				field = apptest.Open(t, url)
			}
			admin := office.North.Admin
			roles := map[string]string{}
			for _, r := range office.Call(t, admin, "GET", "/school-admin/role/list", nil).OK().Items() {
				roles[r.Text("type")] = r.Text("id")
			}
			made := office.Call(t, admin, "POST", "/school-admin/employee/create", map[string]any{"firstName": "Zoë", "phone": "+15550000001"}).OK()
			path := "/school-admin/employee/" + made.Text("id")
			change := func(c map[string]any) { office.Call(t, admin, "PUT", path, c).OK() }
			zoe := &apptest.Account{ID: id.ID(made.Text("userId")), School: admin.School, Role: actor.Teacher}
			within := func(method, path string, status int) { eventually(t, field, zoe, method, path, status) }

			office.SignIn(t, zoe)
			within("GET", "/teacher/class/list", 200)
			change(map[string]any{"roleId": roles["DRIVER"]})
			within("GET", "/teacher/class/list", 401) // the token names a role that is no longer hers
			zoe.Role = actor.Driver
			office.SignIn(t, zoe)
			within("GET", "/teacher/class/list", 403)
			within("GET", "/driver/bus/get", 404) // hers to call, but she has no bus yet
			change(map[string]any{"status": "ON_LEAVE"})
			within("GET", "/driver/bus/get", 404)
			change(map[string]any{"status": "RESIGNED"})
			within("GET", "/driver/bus/get", 401)
			change(map[string]any{"status": "ACTIVE"})
			within("GET", "/driver/bus/get", 401) // that sign-in has ended
			office.SignIn(t, zoe)
			within("GET", "/driver/bus/get", 404)
			office.Call(t, admin, "DELETE", path, nil).OK()
			within("GET", "/driver/bus/get", 401)
		})
	}
}

// eventually repeats a call until the other node answers with the status.
func eventually(t *testing.T, s *apptest.Service, who *apptest.Account, method, path string, status int) {
	t.Helper()
	var r apptest.Reply
	if !await.Comes(func() bool { r = s.Call(t, who, method, path, nil); return r.Status == status }) {
		t.Fatalf("%s %s: %d %s, want %d", method, path, r.Status, r.Body, status)
	}
}
