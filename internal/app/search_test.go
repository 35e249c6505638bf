package app_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

// TestSearchOfPeople searches for words in any order, of students and of their guardians.
func TestSearchOfPeople(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		n := namesWorld{T: t, s: s}
		n.enrol("Mia", "Smith", m{"name": "Olga Petrova", "phone": "+49 170 1112233", "email": "olga@mail.test"})
		n.enrol("Mia", "Jones", m{"name": "Peter Smith", "phone": "+49 170 4445566"})
		n.enrol("Tom", "100%_sure", m{"name": "Zoë Ångström", "phone": "+49 170 7778899"})
		const students = "/school-admin/student/list"
		for q, want := range map[string][]string{
			"smith mia":                 {"Mia Jones", "Mia Smith"}, // Smith is her father
			"SMITH  Mia ":               {"Mia Jones", "Mia Smith"},
			"mia smith petrova":         {"Mia Smith"},
			"petrova olga":              {"Mia Smith"},
			"1704445":                   {"Mia Jones"},
			"170 444 5566":              {"Mia Jones"},
			"olga@mail":                 {"Mia Smith"},
			"angstrom tom":              {"Tom 100%_sure"},
			"%":                         {"Tom 100%_sure"},
			"_":                         {"Tom 100%_sure"},
			"mia nobody":                {},
			"a b c d e f g h i j k l m": {},
			"":                          {"Mia Jones", "Mia Smith", "Tom 100%_sure"},
		} {
			n.finds(s.North.Admin, students, q, want)
		}
		n.finds(s.South.Admin, students, "mia", nil)
		n.finds(s.North.Admin, "/school-admin/guardian/list", "petrova olga", []string{"Olga Petrova"})
		s.Call(t, s.North.Admin, "POST", "/school-admin/employee/create", m{"firstName": "Ada", "lastName": "Lovelace"}).OK()
		n.finds(s.North.Admin, "/school-admin/employee/list", "lovelace ada", []string{"Ada Lovelace"})
	})
}

func (n namesWorld) enrol(first, last string, guardian m) {
	n.Helper()
	n.s.Call(n.T, n.s.North.Admin, "POST", "/school-admin/student/create",
		m{"firstName": first, "lastName": last, "guardians": list{guardian}}).OK()
}

// finds checks the names that a search in a list finds, in any order.
func (n namesWorld) finds(who *apptest.Account, path, q string, want []string) {
	n.Helper()
	got := []string{}
	for _, r := range n.s.Call(n.T, who, "GET", path+"?search="+url.QueryEscape(q), nil).OK().Items() {
		name := r.Text("name")
		if name == "" {
			name = fmt.Sprint(r["firstName"], " ", r["lastName"])
		}
		got = append(got, name)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		n.Errorf("%s finds %v for %q, want %v", path, got, q, want)
	}
}

// TestSearchForTheOffice finds records of every kind, and only of kinds that the role may read.
func TestSearchForTheOffice(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		f := furnish(t, s, s.North)
		theirs := furnish(t, s, s.South)
		n := namesWorld{T: t, s: s, f: f}
		s.Call(t, s.North.Admin, "POST", "/school-admin/library/book/create",
			m{"title": "Little Women", "author": "Louisa May Alcott", "isbn": "978-3-16-148410-0",
				"copies": list{m{"accessionNo": "BAR-77"}, m{"accessionNo": "2024-000123"}}}).OK()
		receipt := s.Call(t, s.North.Admin, "GET", "/school-admin/fee/receipt/"+f["receipt"].String(), nil).OK().Text("number")
		n.hits("student", "STUDENT Student | One A · 1")
		n.hits("parent", "STUDENT Student | One A · 1", "GUARDIAN Parent | "+s.North.Parent.Phone)
		n.hits("driver", "EMPLOYEE Driver | Driver · E0002 · "+s.North.Driver.Phone)
		n.hits(receipt, "RECEIPT "+receipt+" | "+schoolDay+" · Student")
		for _, q := range []string{"women little", "978-3-16-148410-0", "9783161484100", "978 3 16 148410 0", "3-16-148410-X", "316148410x",
			"alcott 3‐16‐148410‐X", "3 16 148410 x", "bar-77", "2024-000123", "ALCOTT"} {
			n.hits(q, "BOOK Little Women | Louisa May Alcott · 9783161484100")
		}
		for _, q := range []string{"%", "– -", "3-16-148410-9", "978-3-16-148410-1"} {
			n.hits(q)
		}
		for _, id := range theirs {
			n.hits(id.String())
		}
		for i := range 6 {
			n.enrol(fmt.Sprint("Many", i), "Children", m{"name": "One Parent", "phone": "+15550004444"})
		}
		if found := s.Call(t, s.North.Admin, "GET", "/school-admin/search?q=children", nil).OK().Objects("results"); len(found) != 5 {
			t.Errorf("%d hits, want 5: %v", len(found), found)
		}
		for _, q := range []string{"", "?q=", "?q=%20"} {
			s.Call(t, s.North.Admin, "GET", "/school-admin/search"+q, nil).Want(422, "Unprocessable Entity")
		}
		n.clerk("library", "spare", "BOOK Spare | <nil>")
		n.clerk("student", "spare", "STUDENT Spare | One · 2")
		n.clerk("fee", "spare")
		n.clerk("fee", receipt, "RECEIPT "+receipt+" | "+schoolDay+" · Student")
	})
}

// hits checks what the administrator finds.
func (n namesWorld) hits(q string, want ...string) {
	n.Helper()
	n.hitsOf(n.s.North.Admin, q, want)
}

// clerk checks what an administrator finds who may read one module only.
func (n namesWorld) clerk(module, q string, want ...string) {
	n.Helper()
	w := n.s.World(n.T)
	role := w.Make("role/create", m{"name": "Clerk of " + module + q, "type": "SCHOOL_ADMIN"})
	on := w.One(`SELECT id FROM modules WHERE name = :name AND :school <> ''`, db.Args{"name": module})
	w.Admin("PUT", "/school-admin/role/"+role+"/permissions", m{"permissions": list{m{"moduleId": on, "canRead": true}}}).OK()
	email := "clerk-" + module + fmt.Sprint(len(q)) + "@north.test"
	w.Make("employee/create", m{"firstName": "Clerk", "roleId": role, "email": email})
	n.hitsOf(w.Account(actor.SchoolAdmin, email), q, want)
}

func (n namesWorld) hitsOf(who *apptest.Account, q string, want []string) {
	n.Helper()
	var got []string
	for _, h := range n.s.Call(n.T, who, "GET", "/school-admin/search?q="+url.QueryEscape(q), nil).OK().Objects("results") {
		got = append(got, fmt.Sprint(h["kind"], " ", h["title"], " | ", h["subtitle"]))
	}
	if !slices.Equal(got, want) {
		n.Errorf("%q finds %q, want %q", q, got, want)
	}
}
