package app_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/id"
)

// announcementProbes are those of the module; see probes.
var announcementProbes = []probe{
	{route: "POST /school-admin/announcement/create", body: m{"title": "New", "audience": "CLASS",
		"classIds": list{"$class", "$spareClass"}, "attachments": list{"$newsFile"}}},
	{route: "POST /school-admin/announcement/create", body: m{"title": "New", "audience": "DIVISION", "divisionIds": list{"$division"}}},
	{route: "POST /school-admin/announcement/preview", body: m{"audience": "CLASS", "classIds": list{"$class"}}},
	{route: "POST /school-admin/announcement/preview", body: m{"audience": "DIVISION", "divisionIds": list{"$division"}}},
	{route: "GET /school-admin/announcement/{id}", path: []string{"$announcement"}},
	{route: "PUT /school-admin/announcement/{id}", path: []string{"$spareAnnouncement"},
		body: m{"audience": "CLASS", "classIds": list{"$class"}, "attachments": list{"$changedNewsFile"}}},
	{route: "PUT /school-admin/announcement/{id}", path: []string{"$spareAnnouncement"},
		body: m{"audience": "DIVISION", "divisionIds": list{"$division"}}},
	{route: "POST /teacher/announcement/create", body: m{"title": "New", "audience": "CLASS", "classIds": list{"$class"},
		"attachments": list{"$teacherNewsFile"}}},
	{route: "POST /teacher/announcement/create", body: m{"title": "New", "audience": "DIVISION", "divisionIds": list{"$division"}}},
	{route: "PUT /teacher/announcement/{id}", path: []string{"$ownNews"},
		body: m{"audience": "CLASS", "classIds": list{"$class"}, "attachments": list{"$correctedNewsFile"}}},
	{route: "PUT /teacher/announcement/{id}", path: []string{"$ownNews"}, body: m{"audience": "DIVISION", "divisionIds": list{"$division"}}},
	{route: "GET /teacher/announcement/{id}/reads", path: []string{"$ownNews"}},
	{route: "GET /school-admin/announcement/{id}/reads", path: []string{"$announcement"}},
	{route: "GET /teacher/announcement/{id}", path: []string{"$announcement"}},
	{route: "GET /parent/announcement/{id}", path: []string{"$announcement"}},
	{route: "GET /driver/announcement/{id}", path: []string{"$announcement"}},
	{route: "DELETE /school-admin/announcement/{id}", path: []string{"$spareAnnouncement"}},
	{route: "DELETE /teacher/announcement/{id}", path: []string{"$ownNews"}},
}

// furnishAnnouncement publishes two announcements to everyone, and the teacher's own.
func furnishAnnouncement(t *testing.T, s *apptest.Service, at apptest.School, f fixtures) {
	t.Helper()
	for _, name := range []string{"announcement", "spareAnnouncement"} {
		made := s.Call(t, at.Admin, "POST", "/school-admin/announcement/create", m{"title": "Hello"}).OK()
		f[name] = id.ID(made.Text("id"))
	}
	own := s.Call(t, at.Teacher, "POST", "/teacher/announcement/create",
		m{"title": "Own", "audience": "CLASS", "classIds": list{f["class"]}}).OK()
	f["ownNews"] = id.ID(own.Text("id"))
}
