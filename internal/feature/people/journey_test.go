package people_test

import (
	"slices"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// TestParentSignsIn follows a family through the whole service; every response is
// validated against the OpenAPI document.
func TestParentSignsIn(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		admin := s.North.Admin
		add := func(in m) apptest.Object {
			return s.Call(t, admin, "POST", "/school-admin/student/create", in).OK()
		}
		ana := add(m{"firstName": "Ana", "guardians": []m{{"name": "Mia", "phone": "+1 (555) 123-4567", "relation": "MOTHER"}}}).Text("id")
		add(m{"firstName": "Ben", "guardians": []m{{"name": "Mia M.", "phone": "+15551234567"}}})
		other := add(m{"firstName": "Cem", "guardians": []m{{"name": "Eva", "phone": "+15557654321"}}}).Text("id")

		user, err := db.One[id.ID](t.Context(), s.DB.School(s.North.ID), `
			SELECT id FROM users WHERE school_id = :school AND role = 'PARENT' AND phone = '+15551234567'`, nil)
		if err != nil {
			t.Fatal(err)
		}
		mia := &apptest.Account{ID: user, School: s.North.ID, Role: actor.Parent}
		s.SignIn(t, mia)
		list := s.Call(t, mia, "POST", "/parent/student/list", m{}).OK()
		var names []string
		for _, st := range list["students"].([]any) {
			names = append(names, st.(m)["firstName"].(string))
		}
		if !slices.Equal(names, []string{"Ana", "Ben"}) || list["total"] != 2.0 {
			t.Errorf("the parent sees %v", list)
		}
		s.Call(t, mia, "GET", "/parent/student/"+ana, nil).OK()
		s.Call(t, mia, "GET", "/parent/student/"+other, nil).Want(403, "PERMISSION_DENIED")
		s.Call(t, s.North.Teacher, "GET", "/teacher/student/"+ana, nil).Want(403, "PERMISSION_DENIED")

		at := "/school-admin/student/" + ana
		s.Call(t, admin, "PUT", at, m{"lastName": "Miller", "customFields": m{"bus": true}}).OK()
		for _, path := range []string{"", "/profile", "/data-export"} {
			s.Call(t, admin, "GET", at+path, nil).OK()
		}
		s.Call(t, admin, "POST", at+"/guardians", m{"name": "Tom", "phone": "+15550001111"}).OK()
		s.Call(t, admin, "GET", "/school-admin/student/list?search=mill&sort=lastName", nil).OK()
		s.Call(t, admin, "DELETE", "/school-admin/student/"+other, nil).OK()
		s.Call(t, admin, "POST", at+"/erase", m{"confirm": "NORTH-0001"}).OK()
		s.Call(t, mia, "GET", "/parent/student/"+ana, nil).Want(404, "STUDENT_NOT_FOUND")
	})
}
