package app_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/id"
)

// eventProbes are those of the module; see probes.
var eventProbes = []probe{
	{route: "POST /teacher/co-curricular/add-event", body: m{"title": "New", "eventDate": schoolDay, "targetAudience": "CLASS",
		"classIds": list{"$class"}}},
	{route: "PUT /teacher/co-curricular/update-event", body: m{"id": "$event", "venue": "Changed"}},
	{route: "PUT /teacher/co-curricular/update-event", body: m{"eventId": "$event", "venue": "Changed"}},
	{route: "PUT /teacher/co-curricular/update-event", body: m{"id": "$event", "targetAudience": "CLASS", "classIds": list{"$class"}}},
	{route: "POST /school-admin/event/create", body: m{"title": "New", "eventDate": schoolDay, "targetAudience": "CLASS",
		"classIds": list{"$class", "$spareClass"}}},
	{route: "GET /school-admin/event/{id}", path: []string{"$event"}},
	{route: "PUT /school-admin/event/{id}", path: []string{"$event"}, body: m{"targetAudience": "CLASS", "classIds": list{"$class"}}},
	{route: "POST /school-admin/event/{id}/cancel", path: []string{"$spareEvent"}},
	{route: "DELETE /school-admin/event/{id}", path: []string{"$spareEvent"}},
	{route: "DELETE /teacher/co-curricular/delete-event/{id}", path: []string{"$event"}},
}

// furnishEvent creates the records that the probes name.
func furnishEvent(t *testing.T, s *apptest.Service, at apptest.School, f fixtures) {
	t.Helper()
	for _, name := range []string{"event", "spareEvent"} {
		made := s.Call(t, at.Admin, "POST", "/school-admin/event/create", m{"title": "Fair", "eventDate": schoolDay}).OK()
		f[name] = id.ID(made.Text("id"))
	}
}
