package app

import (
	"homeroom/internal/platform/openapi"
	"homeroom/internal/platform/web"
)

const introduction = "The backend of a school platform. Every path belongs to one client: /parent, /teacher, /driver, " +
	"/school-admin and /super-admin; the token's role must fit.\n\n" +
	"Requests carry `{\"data\": {...}}`, successes `{\"data\": {...}, \"message\": \"...\"}`, errors " +
	"`{statusCode, message, error, details?}`. Sign-in endpoints take and give their fields flat. " +
	"Any POST or PUT may carry an `Idempotency-Key`. Lists answer to GET with query parameters and to POST with a body alike."

// OpenAPI is the documentation of routes.
func OpenAPI(routes []web.Route, version string) ([]byte, error) {
	return openapi.JSON(routes, openapi.Info{Title: "Homeroom", Version: version, Description: introduction,
		NotFound: "No such record in this school (STUDENT_NOT_FOUND, SCHOOL_NOT_FOUND)."})
}
