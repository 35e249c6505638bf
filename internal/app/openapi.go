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

// OpenAPI returns the OpenAPI document of the routes.
func OpenAPI(routes []web.Route, version string) ([]byte, error) {
	return openapi.JSON(routes, openapi.Info{Title: "Homeroom", Version: version, Description: introduction,
		Names: names,
		NotFound: "No such record in this school (STUDENT_NOT_FOUND, SCHOOL_NOT_FOUND)."})
}
