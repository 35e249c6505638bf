package app_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/id"
)

// transportProbes are those of buses, routes, trips and incidents; see probes.
var transportProbes = []probe{
	{route: "POST /school-admin/transport/bus/create", body: m{"registrationNo": "B-9", "driverId": "$driver", "routeId": "$route"}},
	{route: "GET /school-admin/transport/bus/list", body: m{"filters": m{"driverId": "$driver", "routeId": "$route"}}},
	{route: "GET /school-admin/transport/bus/{id}", path: []string{"$bus"}},
	{route: "PUT /school-admin/transport/bus/{id}", path: []string{"$spareBus"}, body: m{"driverId": "$driver", "routeId": "$route"}},
	{route: "GET /school-admin/transport/route/{id}", path: []string{"$route"}},
	{route: "PUT /school-admin/transport/route/{id}", path: []string{"$route"},
		body: m{"stops": list{m{"id": "$stop", "name": "Gate", "lat": 1, "lng": 1}}}},
	{route: "PUT /school-admin/transport/route/{id}/students", path: []string{"$route"},
		body: m{"students": list{m{"studentId": "$student", "stopId": "$stop"}, m{"studentId": "$spareStudent", "stopId": "$stop"}}}},
	{route: "GET /school-admin/transport/route/{id}/students", path: []string{"$route"}},
	{route: "POST /school-admin/transport/trip/schedule", body: m{"busId": "$bus", "routeId": "$route", "driverId": "$driver",
		"type": "pickup", "date": schoolDay, "startTime": "09:00"}},
	{route: "GET /school-admin/transport/trip/list", body: m{"filters": m{"busId": "$bus", "routeId": "$route", "driverId": "$driver"}}},
	{route: "GET /school-admin/transport/trip/{id}", path: []string{"$trip"}},
	{route: "PUT /school-admin/transport/trip/{id}", path: []string{"$spareTrip"}, body: m{"driverId": "$driver", "busId": "$spareBus"}},
	{route: "GET /school-admin/transport/incident/list", body: m{"filters": m{"busId": "$bus"}}},
	{route: "POST /school-admin/transport/incident/{id}/acknowledge", path: []string{"$incident"}},
	{route: "POST /school-admin/transport/incident/{id}/withdraw", path: []string{"$incident"}},
	{route: "GET /bus-tracking/trip/{tripId}/students", path: []string{"$trip"}},
	{route: "GET /bus-tracking/incidents/{busId}", path: []string{"$bus"}},
	{route: "GET /parent/transport/list", body: m{"filters": m{"studentId": "$student"}}},
	{route: "POST /parent/transport/walk", body: m{"stopId": "$stop", "minutes": 4}},
	{route: "GET /driver/student/list", body: m{"filters": m{"tripId": "$trip"}}},
	{route: "POST /driver/incident/report", body: m{"type": "other", "busId": "$bus", "tripId": "$trip", "photoFileId": "$incidentFile"}},
	{route: "POST /driver/incident/{id}/withdraw", path: []string{"$spareIncident"}},
	{route: "POST /driver/bus-tracking/trips/{tripId}/start", path: []string{"$trip"}},
	{route: "POST /driver/bus-tracking/trips/{tripId}/students/{studentId}/status", path: []string{"$trip", "$student"},
		body: m{"status": "boarded", "stopId": "$stop"}},
	{route: "POST /driver/bus-tracking/trips/{tripId}/pause", path: []string{"$trip"}},
	{route: "POST /driver/bus-tracking/trips/{tripId}/resume", path: []string{"$trip"}},
	{route: "POST /driver/bus-tracking/trips/{tripId}/end", path: []string{"$trip"}},
	{route: "POST /school-admin/transport/trip/{id}/cancel", path: []string{"$spareTrip"}, body: m{"replacementTripId": "$trip"}},
	{route: "POST /school-admin/transport/trip/{id}/cancel", path: []string{"$spareTrip"}, body: m{"replacementBusId": "$bus"}},
	{route: "POST /school-admin/transport/trip/{id}/cancel", path: []string{"$spareTrip"}},
	{route: "POST /school-admin/transport/trip/cancel", body: m{"busId": "$bus", "fromDate": schoolDay}},
	{route: "DELETE /school-admin/transport/bus/{id}", path: []string{"$spareBus"}},
	{route: "DELETE /school-admin/transport/route/{id}", path: []string{"$spareRoute"}},
}

// furnishTransport creates the records that the probes name.
func furnishTransport(t *testing.T, s *apptest.Service, at apptest.School, f fixtures) {
	t.Helper()
	const path = "/school-admin/transport/"
	add := func(what string, body m) apptest.Object {
		t.Helper()
		return s.Call(t, at.Admin, "POST", path+what, body).OK()
	}
	route := add("route/create", m{"name": "Loop", "stops": list{m{"name": "Gate", "lat": 1, "lng": 1}}})
	stops, _ := route["stops"].([]any)
	stop, _ := stops[0].(map[string]any)
	f["route"], f["stop"] = id.ID(route.Text("id")), id.ID(apptest.Object(stop).Text("id"))
	f["spareRoute"] = id.ID(add("route/create", m{"name": "Spare"}).Text("id"))
	f["bus"] = id.ID(add("bus/create", m{"registrationNo": "B-1", "driverId": f["driver"], "routeId": f["route"]}).Text("id"))
	f["spareBus"] = id.ID(add("bus/create", m{"registrationNo": "B-2"}).Text("id"))
	s.Call(t, at.Admin, "PUT", path+"route/"+route.Text("id")+"/students",
		m{"students": list{m{"studentId": f["student"], "stopId": f["stop"]}}}).OK()
	trip := m{"busId": f["bus"], "type": "pickup", "date": schoolDay, "startTime": "07:00"}
	f["trip"] = id.ID(add("trip/schedule", trip).Text("id"))
	trip["startTime"] = "08:00"
	f["spareTrip"] = id.ID(add("trip/schedule", trip).Text("id"))
	for _, name := range []string{"incident", "spareIncident"} {
		f[name] = id.ID(s.Call(t, at.Driver, "POST", "/driver/incident/report", m{"type": "other"}).OK().Text("id"))
	}
}
