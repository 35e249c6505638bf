package app_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/file/filetest"
	"homeroom/internal/platform/id"
)

// fileProbes are those of files; see probes. Attachments of records are probed
// with the records.
var fileProbes = []probe{
	{route: "GET /file/{id}", path: []string{"$looseFile"}},
}

// furnishFile uploads a file for each record that a probe creates: a file can be
// attached to one record only, by its uploader.
func furnishFile(t *testing.T, s *apptest.Service, at apptest.School, f fixtures) {
	t.Helper()
	for who, names := range map[*apptest.Account][]string{
		at.Parent:  {"looseFile", "leaveFile", "parentFile"},
		at.Teacher: {"staffLeaveFile", "teacherNewsFile", "correctedNewsFile", "teacherFile"},
		at.Admin:   {"newsFile", "changedNewsFile", "photoFile", "changedPhotoFile", "officeLeaveFile", "adminFile"},
		at.Driver:  {"incidentFile", "driverLeaveFile", "driverFile"},
	} {
		for _, name := range names {
			body, typ := filetest.Form("a.png", filetest.PNG(4, 4))
			r := s.Call(t, who, "POST", "/"+who.Role.Prefix()+"/file/upload", body, "Content-Type", typ)
			f[name] = id.ID(r.OK().Text("id"))
		}
	}
}
