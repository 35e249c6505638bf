package app_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/id"
)

// libraryProbes are those of the module; see probes.
var libraryProbes = []probe{
	{route: "GET /school-admin/library/book/{id}", path: []string{"$book"}},
	{route: "PUT /school-admin/library/book/{id}", path: []string{"$book"}, body: m{"author": "Changed"}},
	{route: "POST /school-admin/library/book/{id}/copies", path: []string{"$book"}, body: m{"copies": list{m{}}}},
	{route: "PUT /school-admin/library/copy/{id}", path: []string{"$copy"}, body: m{"accessionNo": "L-9"}},
	{route: "POST /school-admin/library/loan/issue", body: m{"accessionNo": "L-1", "studentId": "$student"}},
	{route: "POST /school-admin/library/loan/issue", body: m{"accessionNo": "L-1", "employeeId": "$employee"}},
	{route: "GET /school-admin/library/loan/{id}", path: []string{"$loan"}},
	{route: "GET /school-admin/library/loan/list", body: m{"filters": m{"studentId": "$student"}}},
	{route: "GET /school-admin/library/loan/list", body: m{"filters": m{"employeeId": "$employee"}}},
	{route: "GET /school-admin/library/loan/list", body: m{"filters": m{"bookId": "$book"}}},
	{route: "POST /school-admin/library/reservation/create", body: m{"bookId": "$book", "studentId": "$student"}},
	{route: "POST /school-admin/library/reservation/create", body: m{"bookId": "$book", "employeeId": "$employee"}},
	{route: "GET /school-admin/library/reservation/list", body: m{"filters": m{"studentId": "$student"}}},
	{route: "GET /school-admin/library/reservation/list", body: m{"filters": m{"employeeId": "$employee"}}},
	{route: "GET /school-admin/library/reservation/list", body: m{"filters": m{"bookId": "$book"}}},
	{route: "POST /school-admin/library/reservation/{id}/cancel", path: []string{"$reservation"}},
	{route: "GET /parent/library/loans", body: m{"filters": m{"studentId": "$student"}}},
	{route: "DELETE /school-admin/library/book/{id}", path: []string{"$spareBook"}},
}

// furnishLibrary creates the records that the probes name.
func furnishLibrary(t *testing.T, s *apptest.Service, at apptest.School, f fixtures) {
	t.Helper()
	const path = "/school-admin/library/"
	add := func(title string, copies ...any) apptest.Object {
		return s.Call(t, at.Admin, "POST", path+"book/create", m{"title": title, "copies": copies}).OK()
	}
	book := add("Book", m{"accessionNo": "L-1"}, m{"accessionNo": "L-2"})
	copies, _ := book["copies"].([]any)
	second, _ := copies[1].(map[string]any)
	loan := s.Call(t, at.Admin, "POST", path+"loan/issue", m{"accessionNo": "L-2", "employeeId": f["driver"]}).OK()
	reservation := s.Call(t, at.Admin, "POST", path+"reservation/create", m{"bookId": book.Text("id"), "studentId": f["spareStudent"]}).OK()
	f["book"], f["copy"], f["spareBook"] = id.ID(book.Text("id")), id.ID(apptest.Object(second).Text("id")), id.ID(add("Spare").Text("id"))
	f["loan"], f["reservation"] = id.ID(loan.Text("id")), id.ID(reservation.Text("id"))
}
