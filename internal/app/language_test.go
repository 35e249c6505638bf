package app_test

import (
	"testing"

	"homeroom/internal/apptest"
)

// Error messages are in the reader's language: the account's own, else that of
// Accept-Language, else English. Codes and field names stay.
func TestErrorsInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := s.World(t)
		none := "/school-admin/student/" + string(w.NewID())
		english := w.Admin("GET", none, nil).Want(404, "STUDENT_NOT_FOUND").Message
		apptest.Eq(t, "English", english, "There is no such student in this school.")
		spanish := "No se encuentra en esta escuela: alumno."
		for _, tt := range []struct{ header, want string }{
			{"es-MX,es;q=0.9,en;q=0.8", spanish},
			{"de, fr;q=0.9, es;q=0.5", spanish},
			{"en-GB,es;q=0.9", english},
			{"de", english},
			{"*", english},
			{"es;q=0, ;;,=", english},
		} {
			got := w.Admin("GET", none, nil, "Accept-Language", tt.header).Want(404, "STUDENT_NOT_FOUND").Message
			apptest.Eq(t, tt.header, got, tt.want)
		}
		bad := w.Admin("POST", "/school-admin/student/create", apptest.M{"dateOfBirth": "soon"}, "Accept-Language", "es").Want(422,
			"Unprocessable Entity")
		apptest.Eq(t, "message", bad.Message, "Algunos datos no son correctos. Vea los detalles.")
		details := map[string]string{}
		for _, d := range bad.Details {
			details[d.Field] = d.Message
		}
		apptest.Eq(t, "details", details, map[string]string{"firstName": "es obligatorio", "dateOfBirth": "debe ser una fecha como YYYY-MM-DD"})
		apptest.Eq(t, "nobody", w.As(nil, "GET", none, nil, "Accept-Language", "es").Want(401, "Unauthorized").Message,
			"Primero inicie sesión.")

		set := func(language any) {
			w.Admin("PUT", "/school-admin/notification/preferences", apptest.M{"language": language}).OK()
		}
		set("es")
		apptest.Eq(t, "own language", w.Admin("GET", none, nil, "Accept-Language", "en").Want(404, "STUDENT_NOT_FOUND").Message, spanish)
		set("en")
		apptest.Eq(t, "own English", w.Admin("GET", none, nil, "Accept-Language", "es").Want(404, "STUDENT_NOT_FOUND").Message, english)
		set(nil)
		apptest.Eq(t, "none again", w.Admin("GET", none, nil).Want(404, "STUDENT_NOT_FOUND").Message, english)
		// The declared fault is not changed by a translation.
		again := w.Admin("POST", "/school-admin/student/create", apptest.M{}).Want(422, "Unprocessable Entity")
		apptest.Eq(t, "in English again", again.Details[0].Message, "is required")
	})
}
