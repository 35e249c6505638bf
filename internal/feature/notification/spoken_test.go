package notification_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

type list = apptest.List

// world is North at seven on a Monday morning. Mia Roe is the child of Parent, who
// reads English, and of Una, who reads Spanish. Ann, the school's Teacher, is her
// class teacher; Dan, its Driver, drives her bus from Mill. There are no digests.
type world struct {
	*apptest.World
	monday          clock.Date
	una             *apptest.Account
	class, a, maths string
	mia, zed        string
	bus             string
}

func each(t *testing.T, test func(t *testing.T, w *world), opts ...apptest.Option) {
	t.Helper()
	apptest.Worlds(t, newWorld, test, opts...)
}

// bare is each without the records of the story.
func bare(t *testing.T, test func(t *testing.T, w *world), opts ...apptest.Option) {
	t.Helper()
	apptest.Worlds(t, func(base *apptest.World) *world { return &world{World: base} }, test, opts...)
}

func newWorld(base *apptest.World) *world {
	base.Helper()
	w := &world{World: base, monday: base.Monday(7)}
	w.Admin("PUT", "/school-admin/setting", m{"digestMinutes": 0}).OK()
	w.class = w.Make("class/create", m{"name": "One"})
	w.a = w.Make("division/create", m{"classId": w.class, "name": "A"})
	w.maths = w.Make("subject/create", m{"name": "Maths", "code": "M", "classIds": list{w.class}})
	ann := w.Make("employee/create", m{"firstName": "Ann", "lastName": "Lee", "phone": w.North.Teacher.Phone})
	w.Make("employee/"+ann+"/assignments", m{"assignments": list{m{"classId": w.class, "divisionId": w.a, "isClassTeacher": true}}})
	parent := m{"name": "Pat", "phone": w.North.Parent.Phone, "email": "pat@example.org"}
	una := m{"name": "Una", "phone": "+15550100003", "email": "una@example.org"}
	w.mia = w.Make("student/create", m{"firstName": "Mia", "lastName": "Roe", "admissionNo": "A1", "classId": w.class, "divisionId": w.a,
		"guardians": list{parent, una}})
	w.zed = w.Make("student/create", m{"firstName": "Zed", "classId": w.class, "divisionId": w.a})
	w.una = w.Account(actor.Parent, "+15550100003")
	w.As(w.una, "PUT", path(w.una, "preferences"), m{"language": "es-MX"}).OK()
	return w
}

// depart makes a bus that Mia rides, and starts it.
func (w *world) depart() (trip string) {
	w.Helper()
	driver := w.Role(actor.Driver)
	dan := w.Make("employee/create", m{"firstName": "Dan", "roleId": driver, "phone": w.North.Driver.Phone})
	route := w.Admin("POST", "/school-admin/transport/route/create", m{"name": "Hills", "stops": list{
		m{"name": "Mill", "lat": 40.71, "lng": -74.0, "pickupTime": "07:05"},
		m{"name": "Gate", "lat": 40.73, "lng": -74.0, "pickupTime": "07:15"}}}).OK()
	stop := route["stops"].([]any)[0].(m)["id"]
	w.bus = w.Make("transport/bus/create", m{"registrationNo": "B-1", "capacity": 3, "driverId": dan, "routeId": route["id"]})
	w.Admin("PUT", "/school-admin/transport/route/"+route.Text("id")+"/students",
		m{"students": list{m{"studentId": w.mia, "stopId": stop}}}).OK()
	trip = w.Make("transport/trip/schedule", m{"busId": w.bus, "type": "pickup", "date": w.monday, "startTime": "07:00"})
	w.drive(trip, "start", m{})
	return trip
}

func (w *world) drive(trip, action string, body m) {
	w.Helper()
	w.As(w.North.Driver, "POST", "/driver/bus-tracking/trips/"+trip+"/"+action, body).OK()
}

// approach moves the bus to Mill.
func (w *world) approach(trip string) {
	w.Helper()
	c := w.Dial(w.North.Driver)
	c.OK("join-bus-room", m{"schoolId": w.North.ID, "busId": w.bus})
	for share := -1.5; share < -0.2; share += 0.3 {
		w.Clock.Add(50 * time.Second)
		c.OK("update-location", m{"lat": 40.71 + share*0.01, "lng": -74.0, "speed": 30, "heading": 0,
			"timestamp": w.Now().Format(time.RFC3339Nano)})
	}
	w.Admin("GET", "/school-admin/transport/trip/"+trip+"/track", nil).OK() // runs the pending work
}

// english and spanish are a date in words.
func english(d clock.Date) string { return d.Time().Format("2 January 2006") }

func spanish(d clock.Date) string {
	months := strings.Fields("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre")
	t := d.Time()
	return fmt.Sprintf("%d de %s de %d", t.Day(), months[t.Month()-1], t.Year())
}

// said is the texts that an operation should send.
type said struct {
	name   string
	do     func()
	topic  string // of the push
	kind   string // its type
	en, es string // "title|body"; empty: that reader is told nothing
}

func (w *world) mark(status string, more ...any) {
	w.Helper()
	rec := m{"studentId": w.mia, "status": status}
	for i := 0; i+1 < len(more); i += 2 {
		rec[more[i].(string)] = more[i+1]
	}
	w.Admin("POST", "/school-admin/attendance/mark", m{"classId": w.class, "divisionId": w.a, "date": w.monday,
		"records": list{rec}}).OK()
}

// substitute gives Ann a lesson of today.
func (w *world) substitute() {
	w.Helper()
	ann := w.One(`SELECT id FROM employees WHERE school_id = :school AND user_id = :user`, db.Args{"user": w.North.Teacher.ID})
	w.Admin("PUT", "/school-admin/timetable", m{"classId": w.class, "divisionId": w.a, "periods": list{
		m{"dayOfWeek": 1, "periodNo": 1, "startTime": "08:00", "endTime": "09:00", "subjectId": w.maths}}}).OK()
	w.Make("timetable/override", m{"date": w.monday, "classId": w.class, "divisionId": w.a, "periodNo": 1, "teacherId": ann})
}

// operations are all that send notifications, in an order that works.
func (w *world) operations() []said {
	student := "student_" + w.mia
	var exam, leave, trip, jam, receipt string
	admin := w.North.Admin
	upload := func(marks float64) {
		w.As(admin, "POST", "/school-admin/exam/result/upload", m{"examId": exam, "classId": w.class, "subjectId": w.maths,
			"results": list{m{"studentId": w.mia, "marks": marks}}}).OK()
	}
	en := english(w.monday.AddDays(7))
	return []said{
		{"announcement", func() {
			w.Make("announcement/create", m{"title": "Mia wins", "body": "She has 73 points", "audience": "ALL"})
		}, "school_" + string(w.North.ID), "ANNOUNCEMENT", "Mia wins|She has 73 points", "Mia wins|She has 73 points"},
		{"late", func() { w.mark("LATE", "minutesLate", 5) }, student + "_attendance", "ATTENDANCE",
			"Late for school|Mia Roe was marked late by 5 min on " + english(w.monday) + ".",
			"Retraso|Asistencia de Mia Roe: con retraso de 5 min el " + spanish(w.monday) + "."},
		{"corrected", func() { w.mark("ABSENT", "halfDay", "SECOND") }, student + "_attendance", "ATTENDANCE",
			"Attendance corrected|Mia Roe is now marked absent for the second half of the day on " + english(w.monday) +
				". The earlier message said late.",
			"Asistencia corregida|Asistencia de Mia Roe: ahora consta ausente durante la segunda mitad del día el " + spanish(w.monday) +
				". El mensaje anterior decía con retraso."},
		{"results", func() {
			exam = w.Make("exam/create", m{"name": "Term 1", "classIds": list{w.class}})
			w.As(admin, "POST", "/school-admin/exam/schedule", m{"examId": exam, "entries": list{
				m{"classId": w.class, "subjectId": w.maths, "date": w.monday.AddDays(-3), "maxMarks": 100, "passMarks": 40}}}).OK()
			upload(73.25)
			w.As(admin, "POST", "/school-admin/exam/"+exam+"/publish", m{"confirmMissing": true}).OK()
		}, student + "_result", "RESULT", "Results: Term 1|The results of Mia Roe in Term 1 are out. Open the app to see them.",
			"Resultados: Term 1|Ya están los resultados de Mia Roe en Term 1. Ábralos en la aplicación."},
		{"results corrected", func() {
			w.As(admin, "POST", "/school-admin/exam/"+exam+"/unpublish", m{"reason": "Swapped"}).OK()
			upload(74.5)
			w.As(admin, "POST", "/school-admin/exam/"+exam+"/publish", m{"confirmMissing": true}).OK()
		}, student + "_result", "RESULT", "Corrected results: Term 1|The results of Mia Roe in Term 1 were corrected. Open the app to see them.",
			"Resultados corregidos: Term 1|Se han corregido los resultados de Mia Roe en Term 1. Ábralos en la aplicación."},
		{"fee charged", func() {
			w.Make("fee/charge/create", m{"studentId": w.mia, "name": "Books", "amount": 1234.5, "dueDate": w.monday.AddDays(-3)})
		}, student + "_fee", "FEE", "Fees charged|USD 1,234.50 was charged for Mia Roe, due on " + english(w.monday.AddDays(-3)) + ".",
			"Cuotas nuevas|Nueva cuota de Mia Roe: 1.234,50 USD, con vencimiento el " + spanish(w.monday.AddDays(-3)) + "."},
		{"fee reminder", func() { w.As(admin, "POST", "/school-admin/fee/reminder/send", m{"all": true}).OK() }, student + "_fee", "FEE",
			"Fees due|Fees are due. Please pay them, or get in touch with the school office. " +
				"Mia Roe (A1): USD 1,234.50, of which USD 1,234.50 overdue.",
			"Cuotas pendientes|Hay cuotas pendientes. Páguelas, por favor, o hable con la secretaría de la escuela. " +
				"Mia Roe (A1): 1.234,50 USD, de los cuales 1.234,50 USD están vencidos."},
		{"payment", func() {
			receipt = w.Make("fee/collection/record", m{"studentId": w.mia, "amount": 1234.5, "method": "CASH"})
		}, student + "_fee", "FEE",
			"Payment received|USD 1,234.50 was received for Mia Roe. The receipt is in the app.",
			"Pago recibido|Se han recibido 1.234,50 USD de Mia Roe. El recibo está en la aplicación."},
		{"payment reversed", func() {
			w.As(admin, "POST", "/school-admin/fee/collection/"+receipt+"/reverse", m{"reason": "Bounced"}).OK()
		}, student + "_fee", "FEE",
			"Payment reversed|The payment of USD 1,234.50 for Mia Roe was reversed. Open the app to see what is due.",
			"Pago anulado|Se ha anulado el pago de 1.234,50 USD de Mia Roe. Mire en la aplicación lo que queda pendiente."},
		{"leave approved", func() {
			leave = w.As(w.North.Parent, "POST", "/parent/leave/apply", m{"studentId": w.mia, "type": "SICK", "fromDate": w.monday.AddDays(7),
				"toDate": w.monday.AddDays(7), "reason": "Flu"}).OK().Text("id")
			w.As(admin, "POST", "/school-admin/leave/"+leave+"/approve", m{}).OK()
		}, student, "LEAVE_REQUEST", "Leave approved|The leave of Mia Roe on " + en + " is approved.", ""},
		{"leave rejected", func() {
			leave = w.As(w.una, "POST", "/parent/leave/apply", m{"studentId": w.mia, "type": "SICK", "fromDate": w.monday.AddDays(14),
				"toDate": w.monday.AddDays(15), "reason": "Flu"}).OK().Text("id")
			w.As(admin, "POST", "/school-admin/leave/"+leave+"/reject", m{"note": "No"}).OK()
		}, student, "LEAVE_REQUEST", "", "Permiso denegado|Se deniega el permiso de Mia Roe del " + spanish(w.monday.AddDays(14)) + " al " +
			spanish(w.monday.AddDays(15)) + "."},
		{"leave for half a day", func() {
			leave = w.As(w.una, "POST", "/parent/leave/apply", m{"studentId": w.mia, "type": "SICK", "fromDate": w.monday.AddDays(21),
				"toDate": w.monday.AddDays(21), "isHalfDay": true, "halfDay": "FIRST", "reason": "Flu"}).OK().Text("id")
			w.As(admin, "POST", "/school-admin/leave/"+leave+"/approve", m{}).OK()
		}, student, "LEAVE_REQUEST", "", "Permiso concedido|Se concede el permiso de Mia Roe para el " + spanish(w.monday.AddDays(21)) +
			" (primera mitad)."},
		{"reserved book", func() {
			book := w.Make("library/book/create", m{"title": "Dune", "copies": list{m{"accessionNo": "D-1"}}})
			w.Make("library/loan/issue", m{"accessionNo": "D-1", "studentId": w.zed})
			w.Make("library/reservation/create", m{"bookId": book, "studentId": w.mia})
			w.As(admin, "POST", "/school-admin/library/loan/return", m{"accessionNo": "D-1"}).OK()
		}, student, "LIBRARY", "A reserved book is ready|“Dune” is kept for Mia in the library until " + english(w.monday.AddDays(3)) + ".",
			"Un libro reservado está listo|«Dune» está guardado para Mia en la biblioteca hasta el " + spanish(w.monday.AddDays(3)) + "."},
		{"trip started", func() { trip = w.depart() }, student, "TRANSPORT",
			"The bus has started|Bus B-1 is on its way. The stop of Mia Roe is Mill.",
			"El autobús ha salido|El autobús B-1 está en camino. La parada de Mia Roe es Mill."},
		{"bus near", func() { w.approach(trip) }, student, "TRANSPORT",
			"The bus is near|Bus B-1 will be at Mia Roe's stop, Mill, in about 4 min.",
			"El autobús está cerca|El autobús B-1 llegará a la parada de Mia Roe, Mill, en unos 4 min."},
		{"incident", func() {
			jam = w.As(w.North.Driver, "POST", "/driver/incident/report", m{"tripId": trip, "type": "traffic_jam"}).OK().Text("id")
		}, student, "TRANSPORT", "Bus incident|Bus B-1 is held up in traffic. Mia Roe is not on the bus yet. The school has been told.",
			"Incidente en el autobús|El autobús B-1 está en un atasco. Mia Roe todavía no está en el autobús. La escuela ya lo sabe."},
		{"incident withdrawn", func() { w.As(w.North.Driver, "POST", "/driver/incident/"+jam+"/withdraw", m{}).OK() }, student, "TRANSPORT",
			"Correction: no bus incident|The message about Bus B-1 and Mia Roe was a mistake. There is no incident.",
			"Corrección: no hay incidente en el autobús|El autobús B-1: el mensaje sobre Mia Roe fue un error. No hay ningún incidente."},
		{"boarded", func() { w.drive(trip, "students/"+w.mia+"/status", m{"status": "boarded"}) }, student, "TRANSPORT",
			"On the bus|Mia Roe got on Bus B-1 at Mill.", "En el autobús|Mia Roe ha subido en Mill (El autobús B-1)."},
		{"alighted", func() { w.drive(trip, "end", m{}) }, student, "TRANSPORT",
			"At school|Mia Roe got off Bus B-1 at school.", "En la escuela|Mia Roe ha bajado en la escuela (El autobús B-1)."},
		{"message", func() {
			w.As(w.North.Teacher, "POST", "/teacher/message/send", m{"recipientId": w.una.ID, "studentId": w.mia, "body": "She has 73 points"}).OK()
		}, student, "MESSAGE", "", "Mensaje de Ann Lee|Ann Lee le ha escrito sobre Mia Roe. Ábralo en la aplicación."},
		{"substitution", func() { w.substitute() }, "teacher_" + string(w.North.Teacher.ID), "TIMETABLE", "", ""},
	}
}

// newest is the newest log entry, "title|body", unless it is the entry seen.
func (w *world) newest(who *apptest.Account, seen *string) string {
	w.Helper()
	all := w.log(who, "?limit=1").Objects("notifications")
	if len(all) == 0 || all[0]["id"] == *seen {
		return ""
	}
	*seen = all[0]["id"].(string)
	return fmt.Sprint(all[0]["title"], "|", all[0]["body"])
}

type queued struct{ ID, ToAddr, Subject, Body, Data string }

func (w *world) pushed() []queued {
	w.Helper()
	out, err := db.All[queued](w.Context(), w.DB.School(w.North.ID), `
		SELECT id, to_addr, subject, body, CAST(data AS TEXT) AS data FROM deliveries WHERE school_id = :school AND channel = 'push'
		ORDER BY created_at, id`, nil)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// neutrals are the only pushes of a school without details in pushes.
var neutrals = map[string]string{
	"ANNOUNCEMENT":  "Announcement|There is a new announcement. Open the app to read it.",
	"ATTENDANCE":    "Attendance|There is news about attendance. Open the app to read it.",
	"RESULT":        "Results|There is news about results. Open the app to read it.",
	"FEE":           "Fees|There is news about fees. Open the app to read it.",
	"LEAVE_REQUEST": "Leave|There is news about leave. Open the app to read it.",
	"MESSAGE":       "Message|There is a new message. Open the app to read it.",
	"TRANSPORT":     "School bus|There is news about the school bus. Open the app to read it.",
	"LIBRARY":       "Library|There is news from the library. Open the app to read it.",
	"TIMETABLE":     "Timetable|There is news about your timetable. Open the app to read it.",
}

// TestSpoken runs every operation that notifies people: each reads it in their own
// language, and the push has no personal data.
func TestSpoken(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var seenEn, seenEs string
		kinds := map[string]bool{}
		for _, op := range w.operations() {
			before := len(w.pushed())
			op.do()
			apptest.Eq(t, fmt.Sprint(op.name, ": Parent reads"), w.newest(w.North.Parent, &seenEn), op.en)
			apptest.Eq(t, fmt.Sprint(op.name, ": Una reads"), w.newest(w.una, &seenEs), op.es)
			kinds[op.kind] = true
			found := false
			for _, p := range w.pushed()[before:] {
				if p.ToAddr != op.topic {
					continue
				}
				found = true
				if p.Subject+"|"+p.Body != neutrals[op.kind] || !strings.Contains(p.Data, op.kind) {
					t.Errorf("%s: the push is %+v", op.name, p)
				}
			}
			if !found {
				t.Errorf("%s: no push to %s", op.name, op.topic)
			}
		}
		apptest.Eq(t, fmt.Sprint("only ", kinds, " were driven"), len(kinds), len(neutrals))
		w.private()
	}, func(c *app.Config) { c.RateSocket = 0 })
}

// private fails if any queued push has personal data.
func (w *world) private() {
	w.Helper()
	for _, p := range w.pushed() {
		for _, never := range []string{"Mia", "Roe", "Zed", "Lee", "73", "74.5", "1234", "1,234", "USD", "Dune", "Mill", "Term", "B-1"} {
			if strings.Contains(p.Subject+p.Body, never) {
				w.Errorf("a push says %q: %+v", never, p)
			}
		}
	}
}

// TestPushDetails: with pushDetails, details go to the recipients' devices and not to
// topics, and e-mail has them too.
func TestPushDetails(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/setting", m{"pushDetails": true, "locale": "es", "brandColor": "#ffcc00",
			"emailFooter": "Calle Mayor 1", "smsTypes": list{"FEE"}}).OK()
		w.Make("announcement/create", m{"title": "Mia wins", "body": "She has 73 points", "audience": "ALL"})
		w.mark("LATE")
		if all := w.pushed(); len(all) != 2 || all[0].ToAddr != "school_"+string(w.North.ID) || all[1].ToAddr != "student_"+w.mia+"_attendance" {
			t.Errorf("without devices: %+v", all)
		}
		w.private()
		w.As(w.una, "POST", path(w.una, "token"), m{"fcmToken": "phone"}).OK()
		w.mark("ABSENT")
		all := w.pushed()[2:]
		if len(all) != 1 || all[0].ToAddr != "phone" || all[0].Subject != "Asistencia corregida" ||
			!strings.HasPrefix(all[0].Body, "Asistencia de Mia Roe: ahora consta ausente el ") {
			t.Errorf("pushes with details: got %+v", all)
		}
		w.As(w.North.Parent, "PUT", path(w.North.Parent, "preferences"), m{"language": "en"}).OK()
		w.Make("fee/charge/create", m{"studentId": w.mia, "name": "Books", "amount": 1234.5, "dueDate": w.monday.AddDays(-3)})
		w.Admin("POST", "/school-admin/fee/reminder/send", m{"all": true}).OK()
		const en = "Fees are due. Please pay them, or get in touch with the school office. " +
			"Mia Roe (A1): USD 1,234.50, of which USD 1,234.50 overdue."
		const es = "Hay cuotas pendientes. Páguelas, por favor, o hable con la secretaría de la escuela. " +
			"Mia Roe (A1): 1.234,50 USD, de los cuales 1.234,50 USD están vencidos."
		for _, want := range []string{
			w.North.Parent.Phone + "|Fees due|NORTH School: " + en,
			"+15550100003|Cuotas pendientes|NORTH School: " + es,
			"pat@example.org|Fees due|" + en + "\n\n-- \nCalle Mayor 1\nSent by NORTH School with Homeroom.\n",
			"una@example.org|Cuotas pendientes|" + es + "\n\n-- \nCalle Mayor 1\nEnviado por NORTH School con Homeroom.\n",
		} {
			part := strings.Split(want, "|")
			got := w.All(`SELECT to_addr || '|' || subject || '|' || body FROM deliveries WHERE school_id = :school AND to_addr = :to
				AND channel <> 'push' AND subject = :subject`, db.Args{"to": part[0], "subject": part[1]})
			if len(got) != 1 || got[0] != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		html := w.All(`SELECT html FROM deliveries WHERE school_id = :school AND to_addr = 'una@example.org'
			AND subject = 'Cuotas pendientes'`, nil)[0]
		for _, has := range []string{`<html lang="es">`, "background:#ffcc00; color:#111111", "1.234,50 USD", "Calle Mayor 1",
			"<title>Cuotas pendientes</title>"} {
			if !strings.Contains(html, has) {
				t.Errorf("the mail lacks %s: %s", has, html)
			}
		}
	})
}

// TestLeaveRequestIsTold: the class teacher is notified, in the teacher's language.
func TestLeaveRequestIsTold(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		seen := ""
		for i, tt := range []struct{ lang, want string }{
			{"en", "Leave request|Mia Roe asks for leave on " + english(w.monday.AddDays(1)) + "."},
			{"es", "Solicitud de permiso|Mia Roe pide permiso para el " + spanish(w.monday.AddDays(2)) + "."},
		} {
			w.As(w.North.Teacher, "PUT", path(w.North.Teacher, "preferences"), m{"language": tt.lang}).OK()
			w.As(w.North.Parent, "POST", "/parent/leave/apply", m{"studentId": w.mia, "type": "SICK", "fromDate": w.monday.AddDays(i + 1),
				"toDate": w.monday.AddDays(i + 1), "reason": "Flu"}).OK()
			apptest.Eq(t, "the teacher reads", w.newest(w.North.Teacher, &seen), tt.want)
			if p := w.pushed(); p[len(p)-1].ToAddr != "teacher_"+string(w.North.Teacher.ID) ||
				p[len(p)-1].Subject+"|"+p[len(p)-1].Body != neutrals["LEAVE_REQUEST"] {
				t.Errorf("pushes: got %+v, want the neutral one to the teacher last", p)
			}
		}
	})
}
