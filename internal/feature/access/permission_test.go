package access_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/feature/access"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
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
		role := w.call(admin, "POST", roles+"create", m{"name": "Clerk", "type": "SCHOOL_ADMIN"}).is(201).id()
		path := roles + role + "/permissions"
		a := w.call(admin, "GET", path, nil).is(200)
		if n := len(a.Data["permissions"].([]any)); n != 20 || strings.Contains(a.text, "true") || a.Data["version"] != 1.0 {
			t.Error("want 20 modules and no permission:", a.text)
		}
		permit := func(grants ...m) answer { return w.call(admin, "PUT", path, m{"permissions": grants}) }
		fee, report := w.module("fee"), w.module("report")
		permit(m{"moduleId": fee, "canRead": true, "canWrite": true, "canDelete": true}, m{"moduleId": report, "canRead": true}).is(200)
		w.announced("school:" + string(at))
		e := w.lastAudit(at)
		if e["action"] != "role.permissions" || e["entityId"] != role {
			t.Errorf("audit entry: got %v", e)
		}
		none := m{"canRead": false, "canWrite": false, "canDelete": false}
		if d := cmp.Diff(any(m{"fee": none, "report": none}), e["before"]); d != "" {
			t.Errorf("permissions before, in the audit entry: %s", d)
		}
		a = permit(m{"moduleId": fee, "canWrite": true}).is(200) // other modules stay; missing verbs are false
		g, err := access.Grants(t.Context(), w.db.School(at), id.ID(role))
		if err != nil || show(g) != "fee:w report:r" {
			t.Error(show(g), err)
		}
		if a.Data["version"] != 3.0 {
			t.Errorf("version: want 3: %s", a.text)
		}
		if d := cmp.Diff(a.Data, w.call(admin, "GET", path, nil).is(200).Data); d != "" {
			t.Errorf("permissions read again: %s", d)
		}
		w.call(admin, "PUT", path, m{"permissions": []m{}}).is(200)
		w.call(admin, "DELETE", roles+role, nil).is(204) // with its permissions
		if d := cmp.Diff(everything, w.grants(two, actor.SchoolAdmin)); d != "" {
			t.Error("another school changed:", d)
		}
	})
}

func TestPermitRefuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		own := roles + w.role(at, actor.SchoolAdmin) + "/permissions"
		before := w.call(admin, "GET", own, nil).is(200).text
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
			{"unknown module", m{"permissions": []m{{"moduleId": fee}, {"moduleId": nobody}}}, 404, "Not Found", ""},
			{"older version", m{"version": 0, "permissions": []m{{"moduleId": fee}}}, 409, "Conflict", ""},
			{"no write on roles", m{"permissions": []m{{"moduleId": fee}, {"moduleId": role, "canRead": true, "canDelete": true}}}, 409,
				"Conflict", ""},
			{"no read on roles", m{"permissions": []m{{"moduleId": role, "canWrite": true}}}, 409, "Conflict", ""},
			{"no write on settings", m{"permissions": []m{{"moduleId": setting, "canRead": true}}}, 409, "Conflict", ""},
			{"nothing on settings", m{"permissions": []m{{"moduleId": setting}}}, 409, "Conflict", ""},
		} {
			a := w.call(admin, "PUT", own, tt.data)
			if a.status != tt.status || a.Error != tt.error || tt.field != "" && !a.about(tt.field) {
				t.Errorf("%s: %s", tt.name, a.text)
			}
		}
		if d := cmp.Diff(before, w.call(admin, "GET", own, nil).is(200).text); d != "" {
			t.Error("something was changed:", d)
		}
		if seen := w.signals.all(); len(seen) != 0 {
			t.Error("announced for nothing:", seen)
		}
		// Giving up delete is allowed, and so is anything on other roles.
		w.call(admin, "PUT", own, m{"permissions": []m{{"moduleId": role, "canRead": true, "canWrite": true}, {"moduleId": fee}}}).is(200)
		other := w.call(admin, "POST", roles+"create", m{"name": "Clerk", "type": "SCHOOL_ADMIN"}).is(201).id()
		w.call(admin, "PUT", roles+other+"/permissions", m{"permissions": []m{{"moduleId": setting}}}).is(200)
		// The new table applies at once.
		w.call(admin, "DELETE", roles+other, nil).is(403, "PERMISSION_DENIED")
	})
}

func TestModules(t *testing.T) {
	const list, create = "/super-admin/module/list", "/super-admin/module/create"
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		two, _ := w.newSchool("TWO")
		keys := []string{"announcement", "attendance", "class", "division", "employee", "event", "exam", "fee", "leave", "library",
			"message", "notification", "report", "result", "role", "setting", "student", "subject", "timetable", "transport"}
		for _, call := range []answer{w.call(super, "GET", list+"?limit=100", nil),
			w.call(admin, "GET", "/school-admin/module/list?limit=100", nil)} {
			if d := cmp.Diff(keys, call.names("name")); d != "" {
				t.Errorf("modules: %s", d)
			}
		}
		all := []m{}
		for _, module := range w.call(admin, "GET", "/school-admin/module/list?limit=100", nil).names("id") {
			all = append(all, m{"moduleId": module, "canRead": true, "canWrite": true, "canDelete": true})
		}
		head := w.call(admin, "POST", roles+"create", m{"name": "Head", "type": "SCHOOL_ADMIN"}).is(201).id()
		w.call(admin, "PUT", roles+head+"/permissions", m{"permissions": all}).is(200)
		clerk := w.call(admin, "POST", roles+"create", m{"name": "Clerk", "type": "SCHOOL_ADMIN"}).is(201).id()
		w.call(admin, "PUT", roles+clerk+"/permissions", m{"permissions": all[1:]}).is(200)
		a := w.call(super, "POST", create, m{"name": "hostel", "displayName": "Hostel & meals"}).is(201)
		for role, want := range map[string]bool{head: true, clerk: false} { // roles with every permission keep every permission
			if g, err := access.Grants(t.Context(), w.db.School(at), id.ID(role)); err != nil || strings.Contains(show(g), "hostel:rwd") != want {
				t.Errorf("%s on the new module: %s, %v", role, show(g), err)
			}
		}
		if a.Data["name"] != "hostel" || a.Data["displayName"] != "Hostel & meals" || a.id() == "" {
			t.Errorf("created module: got %s", a.text)
		}
		w.announced("all")
		if e := w.lastAudit(platform); e["action"] != "module.create" || e["entityId"] != a.id() {
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
		if d := cmp.Diff([]string{"hostel"}, w.call(admin, "GET", "/school-admin/module/list?search=MEALS", nil).names("name")); d != "" {
			t.Errorf("search for modules: %s", d)
		}
		if d := cmp.Diff([]string{"transport", "timetable"}, w.call(super, "GET", list+"?sort=displayName&order=desc&limit=2",
			nil).names("name")); d != "" {
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
			if a := w.call(super, "POST", create, tt.data); a.status != tt.status || a.Error != tt.error {
				t.Error(fmt.Sprint(tt.data), a.text)
			}
		}
		w.call(super, "GET", list+"?key=fee", nil).is(422, "Unprocessable Entity", "key")
		w.call(admin, "POST", create, m{"name": "mine", "displayName": "Mine"}).is(403, "PERMISSION_DENIED")
	})
}
