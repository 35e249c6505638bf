package app_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/socketio/siotest"
	"homeroom/internal/platform/web"
)

// messageOf returns the message of a successful reply.
func messageOf(t *testing.T, r apptest.Reply) string {
	t.Helper()
	r.OK()
	var v struct{ Message string }
	if err := json.Unmarshal(r.Body, &v); err != nil {
		t.Fatal(err)
	}
	return v.Message
}

// A success says so in the reader's language: that of the header, or of the account.
func TestSuccessInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := s.World(t)
		subject := func(code string, headers ...string) apptest.Reply {
			return w.Admin("POST", "/school-admin/subject/create", apptest.M{"name": code, "code": code}, headers...)
		}
		apptest.Eq(t, "English", messageOf(t, subject("A1")), "Created.")
		once := []string{"Accept-Language", "es", "Idempotency-Key", "twice"}
		apptest.Eq(t, "Spanish", messageOf(t, subject("A2", once...)), "Creado.")
		apptest.Eq(t, "Spanish, repeated", messageOf(t, subject("A2", once...)), "Creado.")
		apptest.Eq(t, "without an account", messageOf(t, w.As(nil, "POST", "/auth/forgot-password", apptest.M{"email": "nobody@example.org"},
			"Accept-Language", "es")), "Si este correo tiene una cuenta, le llegará un enlace.")
		apptest.Eq(t, "own language", messageOf(t, w.Admin("PUT", "/school-admin/notification/preferences", apptest.M{"language": "es"})),
			"Saved.") // the caller had none when the request came
		apptest.Eq(t, "own language, then", messageOf(t, subject("A3", "Accept-Language", "en")), "Creado.")
		duplicate := subject("A3").Want(409, "DUPLICATE_ENTRY")
		apptest.Eq(t, "error", duplicate.Message, "Otra asignatura tiene este código. Elija otro.")
	})
}

// An import tells the problems of its rows, its warnings and its result in the reader's
// language, and so does the fault of a header.
func TestImportInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := s.World(t)
		post := func(what, file string, headers ...string) apptest.Reply {
			return w.Admin("POST", "/school-admin/"+what, file, append(headers, "Content-Type", "text/csv")...)
		}
		type problem struct{ Row, Field, Message any }
		problems := func(o apptest.Object) (out []problem) {
			for _, e := range o.Objects("errors") {
				out = append(out, problem{e["row"], e["field"], e["message"]})
			}
			return out
		}
		const rows = "firstName,dateOfBirth,class,Gurdian fone\n,soon,,\nAda,2015-01-01,Nowhere,\n\"Ben\n"
		got := post("student/import", rows, "Accept-Language", "es")
		apptest.Eq(t, "rows", problems(got.OK()), []problem{
			{2.0, "dateOfBirth", "debe ser una fecha como YYYY-MM-DD"},
			{2.0, "firstName", "es obligatorio"},
			{3.0, "class", "no es una clase de This year: la lista está vacía, añada primero lo que falta"},
			{4.0, nil, "hay unas comillas sin cerrar: ciérrelas o quítelas"}})
		apptest.Eq(t, "warnings", got.OK()["warnings"], any([]any{
			"«Gurdian fone» no es una columna. ¿Quiso decir «guardianPhone»? Se ha ignorado."}))
		apptest.Eq(t, "message", messageOf(t, got),
			"No se ha guardado nada: 3 de 3 filas tienen errores. Corríjalas e importe el archivo otra vez.")

		book := post("library/book/import", "title,copies,accessionNo\nEmma,2,X1\nEmma,1,X1\n", "Accept-Language", "es")
		apptest.Eq(t, "books", problems(book.OK()), []problem{
			{2.0, "copies", "es 2, pero hay 1 números de registro"},
			{3.0, "accessionNo", "X1 ya se usa en la fila 2: cada ejemplar necesita un número distinto"}})
		apptest.Eq(t, "English again", messageOf(t, post("student/import", rows)),
			"Nothing was written: 3 of 3 rows have errors. Correct them and import the file again.")

		header := post("student/import", "admissionNo,Frist name\n1,Ada\n", "Accept-Language", "es").Want(422, "Unprocessable Entity")
		var said []string
		for _, d := range header.Details {
			said = append(said, d.Field+" "+d.Message)
		}
		apptest.Eq(t, "header", said, []string{"file debe tener la columna firstName (nombre)",
			"file «Frist name» no es una columna. ¿Quiso decir «firstName»?"})
	})
}

// A socket's errors are in the language of its account, or of the handshake.
func TestSocketErrorsInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := s.World(t)
		connect := func(token, language string) (*siotest.Client, error) {
			c, err := siotest.Connect(t.Context(), s.URL+"/socket.io/", apptest.M{"token": token}, http.Header{"Accept-Language": {language}})
			if err == nil {
				t.Cleanup(c.Close)
			}
			return c, err
		}
		_, err := connect("nonsense", "es-MX, en;q=0.5")
		refused, ok := errors.AsType[*siotest.Refused](err)
		if !ok {
			t.Fatalf("connected without a token: %v", err)
		}
		var body web.ErrorBody
		if err := json.Unmarshal(refused.Data, &body); err != nil {
			t.Fatal(err)
		}
		const invalid = "La sesión no es válida. Inicie sesión otra vez."
		apptest.Eq(t, "connect_error", []string{refused.Message, body.Message, body.Error}, []string{invalid, invalid, "Unauthorized"})

		const none = "Este evento no existe. Vea la documentación."
		c, err := connect(w.North.Parent.Access, "es")
		if err != nil {
			t.Fatal(err)
		}
		ack, err := c.Call("nonsense")
		if err != nil || !strings.Contains(string(ack), none) {
			t.Errorf("by the handshake: %s %v", ack, err)
		}
		apptest.Eq(t, "English", w.Dial(w.North.Parent).Refused(404, "Not Found", "nonsense").Text("message"),
			"There is no such event. See the documentation.")
		w.As(w.North.Parent, "PUT", "/parent/notification/preferences", apptest.M{"language": "es"}).OK()
		own := w.Dial(w.North.Parent)
		apptest.Eq(t, "own language", own.Refused(404, "Not Found", "nonsense").Text("message"), none)
		room := own.Refused(422, "Unprocessable Entity", "join-bus-room", apptest.M{})
		apptest.Eq(t, "message of a field error", room.Text("message"), "Algunos datos no son correctos. Vea los detalles.")
		apptest.Eq(t, "field error", room.Objects("details")[0].Text("message"), "es obligatorio y debe ser un texto")
	})
}

// The invitation of an administrator is in the account's own language, if it has one.
func TestInvitationInTheAccountsLanguage(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := s.World(t)
		invited := func(email string) string {
			return w.One(`SELECT subject || ' / ' || lang FROM deliveries WHERE school_id = :school AND to_addr = :to`, db.Args{"to": email})
		}
		w.Make("employee/create", apptest.M{"firstName": "New", "roleId": w.Role(actor.SchoolAdmin), "email": "new@example.org"})
		apptest.Eq(t, "a new account", invited("new@example.org"), "Your Homeroom account / en")
		eva := w.Make("employee/create", apptest.M{"firstName": "Eva", "roleId": w.Role(actor.Teacher), "phone": "+15550177001",
			"email": "eva@example.org"})
		w.As(w.Account(actor.Teacher, "+15550177001"), "PUT", "/teacher/notification/preferences", apptest.M{"language": "es"}).OK()
		w.Admin("PUT", "/school-admin/employee/"+eva, apptest.M{"roleId": w.Role(actor.SchoolAdmin)}).OK()
		apptest.Eq(t, "a teacher who becomes one", invited("eva@example.org"), "Su cuenta de Homeroom / es")
	})
}
