package access_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/access/accesstest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

const roles = "/school-admin/role/"

// everything is what the administrators' roles hold.
const everything = "announcement:rwd attendance:rwd class:rwd division:rwd employee:rwd event:rwd exam:rwd fee:rwd leave:rwd library:rwd " +
	"message:rwd notification:rwd report:rwd result:rwd role:rwd setting:rwd student:rwd subject:rwd timetable:rwd transport:rwd"

// TestSeed is the whole table of what each system role may do at first.
func TestSeed(t *testing.T) {
	want := map[actor.Role]string{
		actor.SchoolAdmin: everything,
		actor.Teacher: "announcement:rwd attendance:rw class:r division:r event:rwd exam:rw leave:rw message:rw notification:rw " +
			"result:rw student:r subject:r timetable:r",
		actor.Parent: "announcement:r attendance:r event:r exam:r fee:r leave:rw library:r message:rw notification:rw " +
			"result:r student:r timetable:r transport:r",
		actor.Driver: "leave:rw notification:rw student:r transport:rw",
	}
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		for typ, grants := range want {
			if d := cmp.Diff(grants, w.grants(at, typ)); d != "" {
				t.Errorf("%s: %s", typ, d)
			}
		}
		if d := cmp.Diff(everything, w.grants(platform, actor.SuperAdmin)); d != "" {
			t.Errorf("permissions of the super-administrators: %s", d)
		}
		if d := cmp.Diff([]string{"DRIVER", "PARENT", "SCHOOL_ADMIN", "TEACHER"},
			w.Call(admin, "GET", roles+"list?sort=type", nil).All("items", "type")); d != "" {
			t.Errorf("types of the system roles: %s", d)
		}
		// Seeding again doesn't restore a removed permission.
		w.Call(admin, "PUT", roles+w.role(at, actor.Driver)+"/permissions", m{"permissions": []m{{"moduleId": w.module("student")}}}).Is(200)
		if err := w.DB.InSchool(t.Context(), at, w.roles.Seed); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff("leave:rw notification:rw transport:rw", w.grants(at, actor.Driver)); d != "" {
			t.Errorf("permissions of drivers after seeding again: %s", d)
		}
		if n := len(w.Call(admin, "GET", roles+"list", nil).All("items", "id")); n != 4 {
			t.Errorf("%d roles", n)
		}
	})
}

// role is the id of a system role.
func (w *world) role(at id.ID, typ actor.Role) string {
	w.Helper()
	r, err := access.System(w.Context(), w.DB.School(at), typ)
	if err != nil {
		w.Fatal(err)
	}
	return string(r.ID)
}

// module is the id of a module.
func (w *world) module(name string) string {
	w.Helper()
	ids := w.Call(super, "GET", "/super-admin/module/list?search="+name, nil).All("items", "id")
	if len(ids) == 0 {
		w.Fatal("no module " + name)
	}
	return ids[0]
}

// grants is what a system role may do, as text.
func (w *world) grants(at id.ID, typ actor.Role) string {
	w.Helper()
	g, err := access.Grants(w.Context(), w.DB.School(at), id.ID(w.role(at, typ)))
	if err != nil {
		w.Fatal(err)
	}
	return show(g)
}

func TestRole(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		a := w.Call(admin, "POST", roles+"create", m{"name": " Senior teacher ", "type": "TEACHER", "isSystem": true}).Is(201)
		want := m{"name": "Senior teacher", "type": "TEACHER", "isSystem": false, "version": 1.0,
			"id": a.Data["id"], "createdAt": a.Data["createdAt"], "updatedAt": a.Data["updatedAt"]}
		if d := cmp.Diff(want, w.Call(admin, "GET", roles+a.ID(), nil).Is(200).Data); d != "" {
			t.Errorf("created role: %s", d)
		}
		if e := w.LastAudit(super, at); e["action"] != "role.create" || e["entity"] != "role" || e["entityId"] != a.ID() || e["before"] != nil ||
			e["after"].(m)["name"] != "Senior teacher" || e["userId"] != string(accesstest.User) || e["requestId"] == "" {
			t.Errorf("audit entry of the creation: got %v", e)
		}
		g, err := access.Grants(t.Context(), w.DB.School(at), id.ID(a.ID()))
		if err != nil || len(g) != 0 {
			t.Error("a new role may do something:", g, err)
		}
		b := w.Call(admin, "PUT", roles+a.ID(), m{"name": "Head", "type": "SCHOOL_ADMIN", "version": 1}).Is(200)
		if b.Data["name"] != "Head" || b.Data["type"] != "SCHOOL_ADMIN" || b.Data["version"] != 2.0 {
			t.Errorf("updated role: got %s", b.Text)
		}
		w.Announced("school:" + string(at))
		if e := w.LastAudit(super, at); e["before"].(m)["name"] != "Senior teacher" || e["after"].(m)["name"] != "Head" ||
			e["after"].(m)["isSystem"] != nil {
			t.Errorf("audit entry of the update: got %v", e)
		}
		w.Call(admin, "PUT", roles+w.role(at, actor.Teacher),
			m{"name": "Lehrkraft", "type": "TEACHER"}).Is(200) // a name is free, and its own type no change
		w.Call(admin, "DELETE", roles+a.ID(), nil).Is(204)
		w.Call(admin, "GET", roles+a.ID(), nil).Is(404, "Not Found")
		if e := w.LastAudit(super, at); e["action"] != "role.delete" || e["before"].(m)["name"] != "Head" || e["after"] != nil {
			t.Errorf("audit entry of the deletion: got %v", e)
		}
	})
}

func TestRoleRefuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		teacher := w.role(at, actor.Teacher)
		held := w.Call(admin, "POST", roles+"create", m{"name": "Held", "type": "TEACHER"}).Is(201).ID()
		one := w.Call(admin, "POST", roles+"create", m{"name": "One", "type": "TEACHER"}).Is(201).ID()
		w.users[id.ID(held)], w.users[id.ID(one)] = 12, 1
		before := w.Call(admin, "GET", roles+"list", nil).Is(200).Text
		for _, tt := range []struct {
			name, method, path string
			data               m
			status             int
			error, field, says string
		}{
			{"nothing", "POST", "create", m{}, 422, "Unprocessable Entity", "name", ""},
			{"no type", "POST", "create", m{"name": "X"}, 422, "Unprocessable Entity", "type", ""},
			{"unknown type", "POST", "create", m{"name": "X", "type": "COOK"}, 422, "Unprocessable Entity", "type", ""},
			{"super-administrators", "POST", "create", m{"name": "X", "type": "SUPER_ADMIN"}, 422, "Unprocessable Entity", "type", ""},
			{"name in use", "POST", "create", m{"name": "TEACHER", "type": "TEACHER"}, 409, "DUPLICATE_ENTRY", "", ""},
			{"rename to a name in use", "PUT", held, m{"name": "parent"}, 409, "DUPLICATE_ENTRY", "", ""},
			{"blank name", "PUT", held, m{"name": " "}, 422, "Unprocessable Entity", "name", ""},
			{"older version", "PUT", held, m{"name": "X", "version": 0}, 409, "Conflict", "", ""},
			{"become super-administrators", "PUT", held, m{"type": "SUPER_ADMIN"}, 422, "Unprocessable Entity", "type", ""},
			{"a system role's type", "PUT", teacher, m{"type": "PARENT"}, 409, "Conflict", "", "system role"},
			{"type of a role that is held", "PUT", held, m{"type": "PARENT"}, 409, "Conflict", "", "12 users"},
			{"delete a system role", "DELETE", teacher, nil, 409, "Conflict", "", "system role"},
			{"delete a role that is held", "DELETE", held, nil, 409, "Conflict", "", "12 users"},
			{"delete a role that one holds", "DELETE", one, nil, 409, "Conflict", "", "1 user "},
		} {
			a := w.Call(admin, tt.method, roles+tt.path, tt.data)
			if a.Status != tt.status || a.Error != tt.error || tt.field != "" && !a.About(tt.field) || !strings.Contains(a.Message, tt.says) {
				t.Errorf("%s: %s", tt.name, a.Text)
			}
		}
		if d := cmp.Diff(before, w.Call(admin, "GET", roles+"list", nil).Is(200).Text); d != "" {
			t.Error("something was changed:", d)
		}
		w.Call("TEACHER "+string(at), "GET", roles+"list", nil).Is(403, "PERMISSION_DENIED")
	})
}

// TestRoleOfAnotherSchool: another school's role gets the same response as an unknown one.
func TestRoleOfAnotherSchool(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, admin := w.newSchool("ONE")
		_, other := w.newSchool("TWO")
		there := w.Call(other, "POST", roles+"create", m{"name": "Theirs", "type": "TEACHER"}).Is(201).ID()
		grant := m{"permissions": []m{{"moduleId": w.module("fee"), "canRead": true}}}
		for _, x := range []struct {
			method, path string
			data         m
		}{
			{"GET", "", nil}, {"PUT", "", m{"name": "Mine"}}, {"DELETE", "", nil},
			{"GET", "/permissions", nil}, {"PUT", "/permissions", grant},
		} {
			foreign := w.Call(admin, x.method, roles+there+x.path, x.data).Is(404, "Not Found")
			none := w.Call(admin, x.method, roles+accesstest.Nobody+x.path, x.data).Is(404, "Not Found")
			w.Call(admin, x.method, roles+"no-id"+x.path, x.data).Is(404, "Not Found")
			if foreign.Text != none.Text {
				t.Errorf("%s: another school's role is told from none: %s and %s", foreign.Request, foreign.Text, none.Text)
			}
		}
		if a := w.Call(other, "GET", roles+there, nil).Is(200); a.Data["name"] != "Theirs" || a.Data["version"] != 1.0 {
			t.Errorf("the other school's role has changed: %s", a.Text)
		}
		w.Call(admin, "POST", roles+"create", m{"name": "Theirs", "type": "TEACHER"}).Is(201) // names are each school's own
	})
}

func TestListRoles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, admin := w.newSchool("ONE")
		w.newSchool("TWO")
		for _, r := range []m{{"name": "Éducateur", "type": "TEACHER"}, {"name": "bus_helper", "type": "DRIVER"}} {
			w.Call(admin, "POST", roles+"create", r).Is(201)
		}
		for _, tt := range []struct {
			query string
			want  []string
		}{
			{"", []string{"bus_helper", "Driver", "Parent", "School administrator", "Teacher", "Éducateur"}},
			{"?type=TEACHER", []string{"Teacher", "Éducateur"}},
			{"?type=TEACHER&search=%C3%89DUC", []string{"Éducateur"}},
			{"?search=_", []string{"bus_helper"}},
			{"?search=%5C", []string{}},
			{"?search=R&sort=name&order=desc&limit=2", []string{"Éducateur", "Teacher"}},
			{"?sort=createdAt&order=desc&limit=1", []string{"bus_helper"}},
			{"?sort=type&limit=2", []string{"Driver", "bus_helper"}},
			{"?limit=4&page=2", []string{"Teacher", "Éducateur"}},
		} {
			if d := cmp.Diff(tt.want, w.Call(admin, "GET", roles+"list"+tt.query, nil).All("items", "name")); d != "" {
				t.Errorf("%s: %s", tt.query, d)
			}
		}
		if a := w.Call(admin, "POST", roles+"list", m{"page": 2, "limit": 4}).Is(200); a.Data["total"] != 6.0 || a.Data["totalPages"] != 2.0 {
			t.Errorf("second page: got %s", a.Text)
		}
		w.Call(admin, "GET", roles+"list?name=x", nil).Is(422, "Unprocessable Entity", "name")
		w.Call(admin, "GET", roles+"list?type=COOK", nil).Is(422, "Unprocessable Entity", "type")
		w.Call(admin, "GET", roles+"list?sort=version", nil).Is(422, "Unprocessable Entity", "sort.field")
	})
}

func TestConcerns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		signal db.Signal
		school id.ID
		one    bool
	}{
		{db.Signal{Payload: "school:a"}, "a", true},
		{db.Signal{Payload: "all"}, "", false},
		{db.Signal{Lost: true}, "", false},
	} {
		if school, one := access.Concerns(tt.signal); one != tt.one || one && school != tt.school {
			t.Errorf("%+v: %s %v", tt.signal, school, one)
		}
	}
}

// TestRolledBack: a rolled-back change is not announced.
func TestRolledBack(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, _ := w.newSchool("ONE")
		_ = w.DB.InSchool(t.Context(), at, func(ctx context.Context, tx *db.Tx) error {
			if err := access.Changed(ctx, tx, at); err != nil {
				t.Errorf("announce a change: %v", err)
			}
			return context.Canceled
		})
		if seen := w.Signals(); len(seen) != 0 {
			t.Errorf("signals after a rollback: got %v, want none", seen)
		}
	})
}
