package library_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
)

// TestJourney runs the whole service: a book is issued, returned late and charged to
// the student's fee account.
func TestJourney(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		admin := s.North.Admin
		student := s.Call(t, admin, "POST", "/school-admin/student/create", m{"firstName": "Mia", "guardians": []m{
			{"name": "Mum", "relation": "MOTHER", "phone": s.North.Parent.Phone}}}).OK().Text("id")
		s.Call(t, admin, "PUT", path+"rules", m{"finePerDay": 0.35}).OK()
		s.Call(t, admin, "POST", path+"book/create", m{"title": "Dune", "isbn": "0-14-143951-3", "price": 8.5,
			"copies": copies("D-1", "D-2")}).OK()
		issue := func(no string) apptest.Object {
			return s.Call(t, admin, "POST", path+"loan/issue", m{"accessionNo": no, "studentId": student}, "Idempotency-Key", "issue "+no).OK()
		}
		first := issue("D-1")
		if again := issue("D-1"); again.Text("id") != first.Text("id") {
			t.Error("a repeated call lent the copy twice")
		}
		issue("D-2")
		s.Clock.Add(16 * 24 * time.Hour)
		for _, who := range []*apptest.Account{admin, s.North.Parent, s.South.Admin, s.South.Parent, s.Super} {
			s.SignIn(t, who) // tokens live for 15 minutes
		}
		for range 2 { // as a client that retries
			s.Call(t, admin, "POST", path+"loan/return", m{"accessionNo": "D-1"}, "Idempotency-Key", "back").OK()
		}
		s.Call(t, admin, "POST", path+"loan/lost", m{"accessionNo": "D-2"}).OK()

		statement := s.Call(t, admin, "GET", "/school-admin/fee/report/"+student, nil).OK()
		charged := []float64{}
		for _, c := range statement["charges"].([]any) {
			charged = append(charged, c.(m)["amount"].(float64))
		}
		slices.Sort(charged)
		if !slices.Equal(charged, []float64{0.7, 9.2}) || statement["totals"].(m)["due"] != 9.9 {
			t.Errorf("fee statement: got %v", statement)
		}
		profile := s.Call(t, admin, "GET", "/school-admin/student/"+student+"/profile", nil).OK()
		if loans := profile["sections"].(m)["loans"].([]any); len(loans) != 2 || loans[1].(m)["fine"] != 0.7 {
			t.Errorf("loans in the profile: got %v", loans)
		}
		loans := s.Call(t, s.North.Parent, "GET", "/parent/library/loans?studentId="+student, nil)
		if len(loans.OK().Items()) != 2 || !strings.Contains(string(loans.Body), `"LOST"`) {
			t.Errorf("loans of the child: got %v", string(loans.Body))
		}
		s.Call(t, s.South.Parent, "GET", "/parent/library/loans?studentId="+student, nil).Want(404, "STUDENT_NOT_FOUND")
		s.Call(t, s.South.Admin, "POST", path+"loan/renew", m{"accessionNo": "D-2"}).Want(404, "Not Found")

		// Deleting the school deletes its library.
		at := "/super-admin/school/" + string(s.North.ID)
		s.Call(t, s.Super, "POST", at+"/suspend", nil).OK()
		s.Call(t, s.Super, "DELETE", at+"?confirm=NORTH", nil).OK()
	})
}
