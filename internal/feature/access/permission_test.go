package access_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/access/accesstest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web/webtest"
)

// show writes grants as "attendance:rw student:r".
func show(g actor.Grants) string {
	var out []string
	for _, module := range slices.Sorted(maps.Keys(g)) {
		verbs := ""
		for i, letter := range "rwd" {
			if g[module]&(1<<i) != 0 {
				verbs += string(letter)
			}
		}
		out = append(out, module+":"+verbs)
	}
	return strings.Join(out, " ")
}

func TestPermissions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		two, _ := w.newSchool("TWO")
		role := w.Call(admin, "POST", roles+"create", m{"name": "Clerk", "type": "SCHOOL_ADMIN"}).Is(201).ID()
		path := roles + role + "/permissions"
		a := w.Call(admin, "GET", path, nil).Is(200)
		if n := len(a.Data["permissions"].([]any)); n != 20 || strings.Contains(a.Text, "true") || a.Data["version"] != 1.0 {
			t.Error("want 20 modules and no permission:", a.Text)
		}
		permit := func(grants ...m) webtest.Answer { return w.Call(admin, "PUT", path, m{"permissions": grants}) }
		fee, report := w.module("fee"), w.module("report")
		permit(m{"moduleId": fee, "canRead": true, "canWrite": true, "canDelete": true}, m{"moduleId": report, "canRead": true}).Is(200)
		w.Announced("school:" + string(at))
		e := w.LastAudit(super, at)
		if e["action"] != "role.permissions" || e["entityId"] != role {
			t.Errorf("audit entry: got %v", e)
		}
		none := m{"canRead": false, "canWrite": false, "canDelete": false}
		if d := cmp.Diff(any(m{"fee": none, "report": none}), e["before"]); d != "" {
			t.Errorf("permissions before, in the audit entry: %s", d)
		}
		a = permit(m{"moduleId": fee, "canWrite": true}).Is(200) // other modules stay; missing verbs are false
		g, err := access.Grants(t.Context(), w.DB.School(at), id.ID(role))
		if err != nil || show(g) != "fee:w report:r" {
			t.Error(show(g), err)
		}
		if a.Data["version"] != 3.0 {
			t.Errorf("version: want 3: %s", a.Text)
		}
		if d := cmp.Diff(a.Data, w.Call(admin, "GET", path, nil).Is(200).Data); d != "" {
			t.Errorf("permissions read again: %s", d)
		}
		w.Call(admin, "PUT", path, m{"permissions": []m{}}).Is(200)
		w.Call(admin, "DELETE", roles+role, nil).Is(204) // with its permissions
		if d := cmp.Diff(everything, w.grants(two, actor.SchoolAdmin)); d != "" {
			t.Error("another school changed:", d)
		}
	})
}

func TestPermitRefuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		own := roles + w.role(at, actor.SchoolAdmin) + "/permissions"
		before := w.Call(admin, "GET", own, nil).Is(200).Text
		fee, role, setting := w.module("fee"), w.module("role"), w.module("setting")
		for _, tt := range []struct {
			name         string
			data         m
			status       int
			error, field string
		}{
			{"nothing", m{}, 422, "Unprocessable Entity", "permissions"},
			{"no module", m{"permissions": []m{{"canRead": true}}}, 422, "Unprocessable Entity", "permissions[0].moduleId"},
			{"no flag", m{"permissions": []m{{"moduleId": fee, "canRead": "yes"}}}, 422, "Unprocessable Entity", "permissions[0].canRead"},
			{"the same module twice", m{"permissions": []m{{"moduleId": fee}, {"moduleId": role}, {"moduleId": strings.ToUpper(fee)}}},
				422, "Unprocessable Entity", "permissions[2].moduleId"},
			{"unknown module", m{"permissions": []m{{"moduleId": fee}, {"moduleId": accesstest.Nobody}}}, 404, "Not Found", ""},
			{"older version", m{"version": 0, "permissions": []m{{"moduleId": fee}}}, 409, "Conflict", ""},
			{"no write on roles", m{"permissions": []m{{"moduleId": fee}, {"moduleId": role, "canRead": true, "canDelete": true}}}, 409,
				"Conflict", ""},
			{"no read on roles", m{"permissions": []m{{"moduleId": role, "canWrite": true}}}, 409, "Conflict", ""},
			{"no write on settings", m{"permissions": []m{{"moduleId": setting, "canRead": true}}}, 409, "Conflict", ""},
			{"nothing on settings", m{"permissions": []m{{"moduleId": setting}}}, 409, "Conflict", ""},
		} {
			a := w.Call(admin, "PUT", own, tt.data)
			if a.Status != tt.status || a.Error != tt.error || tt.field != "" && !a.About(tt.field) {
				t.Errorf("%s: %s", tt.name, a.Text)
			}
		}
		if d := cmp.Diff(before, w.Call(admin, "GET", own, nil).Is(200).Text); d != "" {
			t.Error("something was changed:", d)
		}
		if seen := w.Signals(); len(seen) != 0 {
			t.Error("announced for nothing:", seen)
		}
		// Giving up delete is allowed, and so is anything on other roles.
		w.Call(admin, "PUT", own, m{"permissions": []m{{"moduleId": role, "canRead": true, "canWrite": true}, {"moduleId": fee}}}).Is(200)
		other := w.Call(admin, "POST", roles+"create", m{"name": "Clerk", "type": "SCHOOL_ADMIN"}).Is(201).ID()
		w.Call(admin, "PUT", roles+other+"/permissions", m{"permissions": []m{{"moduleId": setting}}}).Is(200)
		// The new table applies at once.
		w.Call(admin, "DELETE", roles+other, nil).Is(403, "PERMISSION_DENIED")
	})
}

func TestModules(t *testing.T) {
	const list, create = "/super-admin/module/list", "/super-admin/module/create"
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		two, _ := w.newSchool("TWO")
		keys := []string{"announcement", "attendance", "class", "division", "employee", "event", "exam", "fee", "leave", "library",
			"message", "notification", "report", "result", "role", "setting", "student", "subject", "timetable", "transport"}
		for _, call := range []webtest.Answer{w.Call(super, "GET", list+"?limit=100", nil),
			w.Call(admin, "GET", "/school-admin/module/list?limit=100", nil)} {
			if d := cmp.Diff(keys, call.All("items", "name")); d != "" {
				t.Errorf("modules: %s", d)
			}
		}
		all := []m{}
		for _, module := range w.Call(admin, "GET", "/school-admin/module/list?limit=100", nil).All("items", "id") {
			all = append(all, m{"moduleId": module, "canRead": true, "canWrite": true, "canDelete": true})
		}
		head := w.Call(admin, "POST", roles+"create", m{"name": "Head", "type": "SCHOOL_ADMIN"}).Is(201).ID()
		w.Call(admin, "PUT", roles+head+"/permissions", m{"permissions": all}).Is(200)
		clerk := w.Call(admin, "POST", roles+"create", m{"name": "Clerk", "type": "SCHOOL_ADMIN"}).Is(201).ID()
		w.Call(admin, "PUT", roles+clerk+"/permissions", m{"permissions": all[1:]}).Is(200)
		a := w.Call(super, "POST", create, m{"name": "hostel", "displayName": "Hostel & meals"}).Is(201)
		for role, want := range map[string]bool{head: true, clerk: false} { // roles with every permission keep every permission
			if g, err := access.Grants(t.Context(), w.DB.School(at), id.ID(role)); err != nil || strings.Contains(show(g), "hostel:rwd") != want {
				t.Errorf("%s on the new module: %s, %v", role, show(g), err)
			}
		}
		if a.Data["name"] != "hostel" || a.Data["displayName"] != "Hostel & meals" || a.ID() == "" {
			t.Errorf("created module: got %s", a.Text)
		}
		w.Announced("all")
		if e := w.LastAudit(super, platform); e["action"] != "module.create" || e["entityId"] != a.ID() {
			t.Errorf("audit entry of the module: got %v", e)
		}
		for _, tt := range []struct {
			at   id.ID
			typ  actor.Role
			want bool
		}{{at, actor.SchoolAdmin, true}, {two, actor.SchoolAdmin, true}, {platform, actor.SuperAdmin, true}, {at, actor.Teacher, false},
			{two, actor.Parent, false}} {
			if got := strings.Contains(w.grants(tt.at, tt.typ), "hostel:rwd"); got != tt.want ||
				strings.Contains(w.grants(tt.at, tt.typ), "hostel") != tt.want {
				t.Errorf("%s of %s on the new module: %v", tt.typ, tt.at, got)
			}
		}
		three, _ := w.newSchool("THREE")
		if d := cmp.Diff(w.grants(at, actor.SchoolAdmin), w.grants(three, actor.SchoolAdmin)); d != "" {
			t.Errorf("permissions in a new school: %s", d)
		}
		if d := cmp.Diff([]string{"hostel"}, w.Call(admin, "GET", "/school-admin/module/list?search=MEALS", nil).All("items", "name")); d != "" {
			t.Errorf("search for modules: %s", d)
		}
		if d := cmp.Diff([]string{"transport", "timetable"}, w.Call(super, "GET", list+"?sort=displayName&order=desc&limit=2",
			nil).All("items", "name")); d != "" {
			t.Errorf("sorted modules: %s", d)
		}
		for _, tt := range []struct {
			data   m
			status int
			error  string
		}{
			{m{"name": "hostel", "displayName": "Again"}, 409, "DUPLICATE_ENTRY"},
			{m{"name": "Hostel 2", "displayName": "X"}, 422, "Unprocessable Entity"},
			{m{"name": "x", "displayName": "X"}, 422, "Unprocessable Entity"},
			{m{"name": "fine"}, 422, "Unprocessable Entity"},
		} {
			if a := w.Call(super, "POST", create, tt.data); a.Status != tt.status || a.Error != tt.error {
				t.Error(fmt.Sprint(tt.data), a.Text)
			}
		}
		w.Call(super, "GET", list+"?key=fee", nil).Is(422, "Unprocessable Entity", "key")
		w.Call(admin, "POST", create, m{"name": "mine", "displayName": "Mine"}).Is(403, "PERMISSION_DENIED")
	})
}
