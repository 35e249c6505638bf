package app_test

import "homeroom/internal/platform/clock"

// trackingProbes are those of live positions and tracks; see probes.
var trackingProbes = []probe{
	{route: "GET /bus-tracking/bus/{busId}/live", path: []string{"$bus"}},
	{route: "GET /school-admin/transport/trip/{id}/track", path: []string{"$trip"}},
	{route: "GET /school-admin/transport/trip/{id}/report", path: []string{"$trip"}},
	{route: "POST /driver/bus-tracking/trips/{tripId}/locations", path: []string{"$trip"},
		body: m{"locations": list{m{"lat": 1, "lng": 1, "timestamp": clock.System()}}}},
}
