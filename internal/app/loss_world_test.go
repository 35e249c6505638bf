package app_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/file/filetest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio/siotest"
)

// lossWorld is a school in which everyone has all rights. Its student, who has a
// photo, rides on the driver's bus; Eve drives the running trip. The parent has a
// second child, so that the account stays active without the first. The witness
// is another guardian of the student and loses nothing. Ida is a second administrator, with
// a role of her own.
type lossWorld struct {
	*testing.T
	s, far   *apptest.Service // far is the node that receivers are on
	at       apptest.School
	f        fixtures
	eve, wit *apptest.Account
	ida      *apptest.Account
	phones   string
	fixes    int
	leaves   int
	absent   bool
	mute     bool // the school is suspended: nobody can cause events
	fence    *ear // of the administrator, on far; see passed
}

// losing returns the account of a role that loses rights.
func (w *lossWorld) losing(role actor.Role) *apptest.Account {
	switch role {
	case actor.Parent:
		return w.at.Parent
	case actor.Teacher:
		return w.at.Teacher
	case actor.SchoolAdmin:
		return w.ida
	}
	return w.at.Driver
}

// newLossWorld creates the school. With listed the student is on the list of the
// running trip, else only on its route.
func newLossWorld(t *testing.T, s, far *apptest.Service, n int, listed bool) *lossWorld {
	t.Helper()
	w := &lossWorld{T: t, s: s, far: far, phones: fmt.Sprintf("+1556%03d", n)}
	w.at = s.AddSchool(t, fmt.Sprintf("LOSS%d", n), w.phones)
	w.f = furnish(t, s, w.at)
	student, phone := w.f["student"].String(), w.phones+"0004"
	w.admin("PUT", "student/"+student, m{"photoFileId": w.f["photoFile"]})
	w.f["otherChild"] = w.made("student/create", m{"firstName": "Ned", "classId": w.f["spareClass"], "divisionId": w.f["spareDivision"],
		"guardians": list{m{"name": "Parent", "phone": w.at.Parent.Phone}}})
	w.admin("POST", "student/"+student+"/guardians", m{"name": "Witness", "phone": phone})
	w.wit = w.account(actor.Parent, `SELECT user_id FROM guardians WHERE school_id = :school AND phone = :phone`, phone)
	w.f["eve"] = w.made("employee/create", m{"firstName": "Eve", "roleId": w.role(actor.Driver, "transport", "notification"),
		"phone": w.phones + "0005"})
	w.eve = w.account(actor.Driver, `SELECT user_id FROM employees WHERE school_id = :school AND phone = :phone`, w.phones+"0005")
	w.addIda()
	w.grant(actor.Teacher, "transport", true)
	w.teachAndTell()
	w.rideOn(listed)
	return w
}

// addIda adds the second administrator.
func (w *lossWorld) addIda() {
	w.Helper()
	phone := w.phones + "0006"
	w.f["idaRole"] = w.role(actor.SchoolAdmin, "setting", "student", "employee", "class", "division", "subject")
	w.f["ida"] = w.made("employee/create", m{"firstName": "Ida", "roleId": w.f["idaRole"], "phone": phone,
		"email": "ida" + phone[1:] + "@example.org"})
	w.ida = w.account(actor.SchoolAdmin, `SELECT user_id FROM employees WHERE school_id = :school AND phone = :phone`, phone)
}

// teachAndTell creates records that the student's class and its teachers can see.
func (w *lossWorld) teachAndTell() {
	w.Helper()
	w.f["classNews"] = w.made("announcement/create", m{"title": "For the class", "audience": "CLASS", "classIds": list{w.f["class"]},
		"attachments": list{w.f["newsFile"]}})
	w.f["classEvent"] = w.made("event/create", m{"title": "Outing", "eventDate": schoolDay, "targetAudience": "CLASS",
		"classIds": list{w.f["class"]}})
	w.f["pageLeave"] = id.ID(w.s.Call(w.T, w.wit, "POST", "/parent/leave/apply",
		m{"studentId": w.f["student"], "type": "SICK", "fromDate": leaveDay(40), "attachments": list{w.upload(w.wit)}}).OK().Text("id"))
	w.made("library/book/create", m{"title": "Atlas", "copies": list{m{"accessionNo": "L-9"}}})
	w.f["childLoan"] = w.made("library/loan/issue", m{"accessionNo": "L-9", "studentId": w.f["student"]})
	w.mark()
}

// rideOn starts a trip with Eve, who has reported an incident.
func (w *lossWorld) rideOn(listed bool) {
	w.Helper()
	riders := m{"students": list{m{"studentId": w.f["student"], "stopId": w.f["stop"]}}}
	if !listed {
		w.admin("PUT", "transport/route/"+w.f["route"].String()+"/students", m{"students": list{}})
	}
	w.f["ride"] = w.made("transport/trip/schedule", m{"busId": w.f["bus"], "driverId": w.f["eve"], "type": "pickup", "date": schoolDay,
		"startTime": "09:00"})
	w.drive("start", m{})
	w.admin("PUT", "transport/route/"+w.f["route"].String()+"/students", riders)
	w.f["shown"] = id.ID(w.s.Call(w.T, w.eve, "POST", "/driver/incident/report",
		m{"type": "other", "busId": w.f["bus"], "photoFileId": w.upload(w.eve)}).OK().Text("id"))
}

func (w *lossWorld) upload(who *apptest.Account) id.ID {
	w.Helper()
	body, typ := filetest.Form("a.png", filetest.PNG(4, 4))
	return id.ID(w.s.Call(w.T, who, "POST", "/"+who.Role.Prefix()+"/file/upload", body, "Content-Type", typ).OK().Text("id"))
}

// admin makes a call as the school's administrator, which must succeed.
func (w *lossWorld) admin(method, path string, body any) apptest.Object {
	w.Helper()
	return w.s.Call(w.T, w.at.Admin, method, "/school-admin/"+path, body).OK()
}

func (w *lossWorld) made(path string, body m) id.ID {
	w.Helper()
	return id.ID(w.admin("POST", path, body).Text("id"))
}

func (w *lossWorld) one(sql string, a db.Args) string {
	w.Helper()
	v, err := db.One[string](w.Context(), w.s.DB.School(w.at.ID), sql, a)
	if err != nil {
		w.Fatalf("%s: %v", sql, err)
	}
	return v
}

func (w *lossWorld) account(role actor.Role, sql, phone string) *apptest.Account {
	w.Helper()
	a := &apptest.Account{ID: id.ID(w.one(sql, db.Args{"phone": phone})), School: w.at.ID, Role: role, Phone: phone}
	w.s.SignIn(w.T, a)
	return a
}

// role creates a role of the type with read and write permission in modules.
func (w *lossWorld) role(typ actor.Role, modules ...string) id.ID {
	w.Helper()
	made := w.made("role/create", m{"name": fmt.Sprint(typ, " ", id.New()), "type": typ})
	for _, module := range modules {
		w.permit(made.String(), module, true)
	}
	return made
}

// grant gives the system role of a type read and write permission in a module, or none.
func (w *lossWorld) grant(role actor.Role, module string, may bool) {
	w.Helper()
	if role == actor.SchoolAdmin {
		w.permit(w.f["idaRole"].String(), module, may)
		return
	}
	w.permit(w.one(`SELECT id FROM roles WHERE school_id = :school AND type = :type AND is_system`, db.Args{"type": role}), module, may)
}

func (w *lossWorld) permit(role, module string, may bool) {
	w.Helper()
	on := w.one(`SELECT id FROM modules WHERE name = :name AND :school <> ''`, db.Args{"name": module})
	w.admin("PUT", "role/"+role+"/permissions", m{"permissions": list{m{"moduleId": on, "canRead": may, "canWrite": may, "canDelete": false}}})
}

// The following methods cause an event and report whether they could: a loss may
// also prevent the cause.

func (w *lossWorld) does(who *apptest.Account, path string, body m) bool {
	w.Helper()
	return w.s.Call(w.T, who, "POST", path, body).Status < 300
}

// drive makes a call of the running trip.
func (w *lossWorld) drive(action string, body m) bool {
	w.Helper()
	return w.does(w.eve, "/driver/bus-tracking/trips/"+w.f["ride"].String()+"/"+action, body)
}

const firstLat = 1.001 // positions go north from here, a millionth of a degree each

// move reports a new position of the bus.
func (w *lossWorld) move() bool {
	w.Helper()
	w.fixes++
	at := w.s.Now().Add(time.Duration(w.fixes) * time.Millisecond)
	return w.drive("locations", m{"locations": list{m{"lat": firstLat + float64(w.fixes)/1e6, "lng": 1.001, "speed": 5, "heading": 0,
		"timestamp": at.Format(time.RFC3339Nano)}}})
}

// board marks the student as boarded, and undoes it.
func (w *lossWorld) board() bool {
	w.Helper()
	at := "students/" + w.f["student"].String() + "/status"
	return w.drive(at, m{"status": "boarded"}) && w.drive(at, m{"status": "waiting"})
}

// rest pauses and resumes the trip.
func (w *lossWorld) rest() bool {
	w.Helper()
	return w.drive("pause", m{}) && w.drive("resume", m{})
}

func (w *lossWorld) incident() bool {
	w.Helper()
	return w.does(w.eve, "/driver/incident/report", m{"type": "other", "busId": w.f["bus"]})
}

// mistake reports an incident, and withdraws it.
func (w *lossWorld) mistake() bool {
	w.Helper()
	made := w.s.Call(w.T, w.eve, "POST", "/driver/incident/report", m{"type": "other", "busId": w.f["bus"]})
	return made.Status < 300 && w.does(w.eve, "/driver/incident/"+made.OK().Text("id")+"/withdraw", m{})
}

// mark marks the student absent and present in turn.
func (w *lossWorld) mark() bool {
	w.Helper()
	w.absent = !w.absent
	status := map[bool]string{true: "ABSENT", false: "PRESENT"}[w.absent]
	return w.does(w.at.Admin, "/school-admin/attendance/mark", sheetOf(w.f["class"], w.f["division"], w.f["student"], status))
}

// ask applies for leave as the witness, which notifies the class teacher.
func (w *lossWorld) ask() bool {
	w.Helper()
	w.leaves++
	return w.does(w.wit, "/parent/leave/apply", m{"studentId": w.f["student"], "type": "SICK", "fromDate": leaveDay(50 + w.leaves)})
}

// write sends a message, about a student if about is not empty.
func (w *lossWorld) write(from, to *apptest.Account, about id.ID) bool {
	w.Helper()
	body := m{"recipientId": to.ID, "body": "Hello"}
	if about != "" {
		body["studentId"] = about
	}
	return w.does(from, "/"+from.Role.Prefix()+"/message/send", body)
}

// ear is a socket that counts received events.
type ear struct {
	*siotest.Client
	w      *lossWorld
	asked  int
	heard  map[string]int
	last   map[string]json.RawMessage // the payload by event
	closed bool
}

func (w *lossWorld) listen(who *apptest.Account) *ear {
	w.Helper()
	c, err := siotest.Connect(w.Context(), w.far.URL+"/socket.io/", m{"token": who.Access}, nil)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(c.Close)
	return &ear{Client: c, w: w, heard: map[string]int{}, last: map[string]json.RawMessage{}}
}

// join joins the room of the bus.
func (e *ear) join() *ear {
	e.w.Helper()
	if err := e.Emit("join-bus-room", m{"busId": e.w.f["bus"]}); err != nil {
		e.w.Fatal(err)
	}
	return e
}

// hears returns how often the event has come since the last call. It sends a
// request first: once that is answered, all earlier events have arrived.
func (e *ear) hears(event string) int {
	e.w.Helper()
	e.asked++
	answer := fmt.Sprintf("43%d[", e.asked)
	for sent := e.closed || e.Send(fmt.Sprintf(`42%d["nonsense"]`, e.asked)) != nil; !e.closed && !sent; {
		text, err := e.Text(await.Limit)
		var packet []json.RawMessage
		rest, isEvent := strings.CutPrefix(text, "42")
		switch {
		case err != nil, strings.HasPrefix(text, "41"): // disconnected
			e.closed = true
		case isEvent && json.Unmarshal([]byte(rest), &packet) == nil && len(packet) > 0:
			var name string
			if json.Unmarshal(packet[0], &name) == nil {
				e.heard[name]++
				e.last[name] = packet[len(packet)-1]
			}
		}
		sent = strings.HasPrefix(text, answer)
	}
	n := e.heard[event]
	e.heard[event] = 0
	return n
}

// fix returns the number (see move) of the last position that has come.
func (e *ear) fix() int {
	e.w.Helper()
	var at struct{ Lat float64 }
	if err := json.Unmarshal(e.last["bus-location"], &at); err != nil {
		e.w.Fatalf("position %s: %v", e.last["bus-location"], err)
	}
	return int(math.Round((at.Lat - firstLat) * 1e6))
}
