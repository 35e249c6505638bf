package app_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"homeroom/internal/apptest"
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
