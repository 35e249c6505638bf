package app

import (
	"homeroom/internal/platform/openapi"
	"homeroom/internal/platform/web"
)

const introduction = "The backend of a school platform. Every path belongs to one client: /parent, /teacher, /driver, " +
	"/school-admin and /super-admin; the token's role must match.\n\n" +
	"Requests have the form `{\"data\": {...}}`, successful responses `{\"data\": {...}, \"message\": \"...\"}`, errors " +
	"`{statusCode, message, error, details?}`. Sign-in endpoints have flat fields, without `data`. " +
	"Any POST or PUT accepts an `Idempotency-Key`. Lists accept GET with query parameters and POST with a body."

// tags describe the modules, by which the documentation groups operations.
var tags = map[string]string{
	"announcement": "Announcements to all, to roles, to classes or divisions, and who has read them.",
	"attendance":   "Marks per day and period, alerts, reports and export.",
	"class":        "Classes, their order and their copies for a new academic year.",
	"division":     "Divisions of a class, and their class teachers.",
	"employee":     "Employees, their accounts, assignments and duties; administrators of schools.",
	"event":        "Events of the school.",
	"exam":         "Exams, their papers and grade scales.",
	"fee":          "Prices, charges, payments, receipts, refunds, tills and reports.",
	"leave":        "Leave of students, teachers and drivers, with balances.",
	"library":      "Books, copies, loans, reservations and fines.",
	"message":      "Conversations of parents, teachers and the office; a parent's contact data.",
	"notification": "Notifications, devices and preferences; uploads, and the school as its users see it.",
	"report":       "Dashboards, audit log, access log, sign-in log, background jobs and the state of the service.",
	"result":       "Marks of exams, and report cards.",
	"role":         "Roles, modules and permissions.",
	"service":      "Files, logos and calendars, by a URL.",
	"setting":      "Schools, settings, academic years, holidays and backups.",
	"sign-in":      "One-time passwords, PINs, passwords, second factors, tokens and sessions.",
	"student":      "Students, guardians, import, promotion, erasure and data export.",
	"subject":      "Subjects and electives.",
	"timetable":    "Weeks, overrides, substitutes and calendars.",
	"transport":    "Buses, routes, trips, boarding, incidents and live positions.",
}

// schemes are the ways in which other systems authenticate.
var schemes = map[string]any{
	"oneRoster": map[string]any{"type": "http", "scheme": "bearer",
		"description": "The access token of a OneRoster key, from POST /ims/oneroster/token."},
	"oneRosterClient": map[string]any{"type": "http", "scheme": "basic", "description": "The client id and the secret of a OneRoster key."},
}

const socketIntroduction = "Socket.IO 4 (protocol 5). A message is an event: its name, and its payload as the first argument. " +
	"Clients send the access token in the auth object, and may ask for the acknowledgement of an event. " +
	"A client that connects with `recover: true` in the auth object gets missed events after a reconnect; " +
	"its events that can be missed have an offset as the last argument. See docs/api/live.md."

// AsyncAPI returns the AsyncAPI document of the socket events.
func (a *App) AsyncAPI(version string) ([]byte, error) {
	var events []openapi.Event
	for _, e := range a.sockets.Events() {
		events = append(events, openapi.Event(e))
	}
	return openapi.AsyncJSON(events, openapi.Info{Title: "Homeroom", Version: version, Description: socketIntroduction, Names: names})
}

// OpenAPI returns the OpenAPI document of the routes.
func OpenAPI(routes []web.Route, version string) ([]byte, error) {
	return openapi.JSON(routes, openapi.Info{Title: "Homeroom", Version: version, Description: introduction,
		Names: names, Tags: tags, Schemes: schemes,
		NotFound: "No such record in this school (STUDENT_NOT_FOUND, SCHOOL_NOT_FOUND)."})
}
