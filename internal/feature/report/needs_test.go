package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
)

// needed formats the list of what needs the office.
func needed(w *apptest.World, who *apptest.Account) string {
	w.Helper()
	var out []string
	for _, n := range w.As(who, "GET", "/school-admin/dashboard/today", nil).OK().Objects("needs") {
		out = append(out, fmt.Sprint(n["urgency"], " ", n["kind"], " ", n["count"]))
		if first := n.Objects("first"); len(first) != min(3, int(n["count"].(float64))) || first[0]["id"] == nil {
			w.Errorf("%v %v has %v", n["count"], n["kind"], first)
		}
	}
	return strings.Join(out, ", ")
}

func TestNeeds(t *testing.T) {
	apptest.Worlds(t, func(w *apptest.World) *apptest.World { return w }, func(t *testing.T, w *apptest.World) {
		monday := w.Monday(8)
		apptest.Eq(t, "an empty school needs", needed(w, w.North.Admin), "")
		class := w.Make("class/create", m{"name": "One"})
		division := w.Make("division/create", m{"classId": class, "name": "A"})
		mia := w.Make("student/create", m{"firstName": "Mia", "classId": class, "divisionId": division,
			"guardians": list{m{"name": "Pat", "phone": w.North.Parent.Phone}}})
		subject := w.Make("subject/create", m{"name": "Maths", "code": "M", "classIds": list{class}})
		ann := w.Make("employee/create", m{"firstName": "Ann", "phone": w.North.Teacher.Phone})
		dan := w.Make("employee/create", m{"firstName": "Dan", "roleId": w.Role(actor.Driver), "phone": w.North.Driver.Phone})
		w.Admin("PUT", "/school-admin/timetable", m{"classId": class, "divisionId": division, "periods": list{
			m{"dayOfWeek": 1, "periodNo": 1, "startTime": "09:00", "endTime": "10:00", "subjectId": subject, "teacherId": ann}}}).OK()
		route := w.Make("transport/route/create", m{"name": "Hills", "stops": list{m{"name": "Mill", "lat": 40.71, "lng": -74.0}}})
		bus := w.Make("transport/bus/create", m{"registrationNo": "B-1", "capacity": 3, "driverId": dan, "routeId": route,
			"insuranceExpiry": monday.AddDays(10)})
		w.Make("transport/bus/create", m{"registrationNo": "B-2", "capacity": 3, "fitnessExpiry": monday.AddDays(-1)})
		w.Make("transport/trip/schedule", m{"busId": bus, "type": "dropoff", "date": monday, "startTime": "15:00"})
		w.As(w.North.Driver, "POST", "/driver/incident/report", m{"type": "traffic_jam"}).OK()
		mistake := w.As(w.North.Driver, "POST", "/driver/incident/report", m{"type": "other"}).OK().Text("id")
		w.As(w.North.Driver, "POST", "/driver/incident/"+mistake+"/withdraw", m{}).OK()
		accident := w.As(w.North.Driver, "POST", "/driver/incident/report", m{"type": "accident", "severity": "HIGH"}).OK().Text("id")
		w.As(w.North.Parent, "POST", "/parent/leave/apply", m{"studentId": mia, "type": "SICK", "fromDate": monday.AddDays(3)}).OK()
		w.As(w.North.Parent, "POST", "/parent/message/send", m{"recipientId": w.North.ID, "body": "When?"}).OK()
		w.As(w.North.Parent, "POST", "/parent/contact/change", m{"name": "Patricia"}).OK()
		for _, who := range []string{ann, dan} {
			w.Make("leave/create", m{"employeeId": who, "type": "SICK", "fromDate": monday})
		}
		early := needed(w, w.North.Admin)
		if strings.Contains(early, "CLASS_NOT_MARKED") || !strings.Contains(early, "LESSON_WITHOUT_TEACHER") {
			t.Errorf("before the first lesson the office needs %s", early)
		}
		w.Pass(time.Hour)
		all := "HIGH LESSON_WITHOUT_TEACHER 1, HIGH INCIDENT 1, HIGH TRIP_WITHOUT_DRIVER 1, HIGH BUS_PAPERS 1, NORMAL CLASS_NOT_MARKED 1, " +
			"NORMAL LEAVE 1, NORMAL MESSAGE 1, NORMAL CONTACT_CHANGE 1, NORMAL INCIDENT 1, LOW BUS_PAPERS 1"
		apptest.Eq(t, "the office needs", needed(w, w.North.Admin), all)
		apptest.Eq(t, "the other school needs", needed(w, w.South.Admin), "")
		var things []string
		for _, n := range w.Admin("GET", "/school-admin/dashboard/today", nil).OK().Objects("needs") {
			f := n.Objects("first")[0]
			things = append(things, fmt.Sprint(f["name"], " ", f["note"], " ", f["time"]))
		}
		apptest.Eq(t, "the first things", strings.Join(things, ", "), "One A Maths 09:00, B-1 accident <nil>, "+
			"B-1 scheduled 15:00, B-2 <nil> <nil>, One A <nil> 09:00, Mia SICK <nil>, "+
			"Test PARENT <nil> <nil>, Pat <nil> <nil>, B-1 traffic_jam <nil>, B-1 <nil> <nil>")

		w.Pass(6*time.Hour + 9*time.Minute)
		if late := needed(w, w.North.Admin); strings.Contains(late, "TRIP_LATE") || strings.Contains(late, "LESSON_WITHOUT_TEACHER") {
			t.Errorf("9 minutes after the trip's start the office needs %s", late)
		}
		w.Pass(2 * time.Minute)
		if late := needed(w, w.North.Admin); !strings.Contains(late, "HIGH TRIP_LATE 1") {
			t.Errorf("11 minutes after the trip's start the office needs %s", late)
		}

		w.Admin("POST", "/school-admin/transport/incident/"+accident+"/acknowledge", m{}).OK()
		w.Admin("POST", "/school-admin/attendance/mark", m{"classId": class, "divisionId": division, "date": monday,
			"records": list{m{"studentId": mia, "status": "PRESENT"}}}).OK()
		after := needed(w, w.North.Admin)
		if strings.Contains(after, "HIGH INCIDENT") || strings.Contains(after, "CLASS_NOT_MARKED") {
			t.Errorf("what was done is still needed: %s", after)
		}

		role := w.Make("role/create", m{"name": "Bus office", "type": "SCHOOL_ADMIN"})
		var grants list
		for _, o := range w.Admin("GET", "/school-admin/module/list?limit=100", nil).OK().Items() {
			if n := o.Text("name"); n == "report" || n == "leave" {
				grants = append(grants, m{"moduleId": o.Text("id"), "canRead": true})
			}
		}
		w.Admin("PUT", "/school-admin/role/"+role+"/permissions", m{"permissions": grants}).OK()
		w.Make("employee/create", m{"firstName": "Lea", "roleId": role, "email": "lea@example.org"})
		apptest.Eq(t, "who reads leave only needs", needed(w, w.Account(actor.SchoolAdmin, "lea@example.org")), "NORMAL LEAVE 1")
	})
}

func TestSetup(t *testing.T) {
	apptest.Worlds(t, func(w *apptest.World) *apptest.World { return w }, func(t *testing.T, w *apptest.World) {
		missing := func(who *apptest.Account) (done any, steps string) {
			t.Helper()
			got := w.As(who, "GET", "/school-admin/dashboard/setup", nil).OK()
			for _, s := range got.Objects("steps") {
				if s["done"] != true && s["optional"] != true {
					steps += fmt.Sprint(s["step"], " ", s["missing"], ", ")
				}
			}
			return got["done"], steps
		}
		const all = "DETAILS 0, HOLIDAYS 0, CLASSES 0, DIVISIONS 0, SUBJECTS 0, EMPLOYEES 0, CLASS_TEACHERS 0, STUDENTS 0, TIMETABLE 0, "
		if done, steps := missing(w.North.Admin); done != false || steps != all {
			t.Errorf("a new school: %v %s", done, steps)
		}
		w.Admin("PUT", "/school-admin/setting", m{"phone": "+15550100000", "email": "office@example.org", "address": "1 High St"}).OK()
		w.Make("holiday/create", m{"name": "Spring", "date": w.Day(20)})
		one, two := w.Make("class/create", m{"name": "One"}), w.Make("class/create", m{"name": "Two"})
		a := w.Make("division/create", m{"classId": one, "name": "A"})
		if _, steps := missing(w.North.Admin); !strings.HasPrefix(steps, "DIVISIONS 1, SUBJECTS 0, EMPLOYEES 0, CLASS_TEACHERS 1, ") {
			t.Errorf("a class without a division: %s", steps)
		}
		b := w.Make("division/create", m{"classId": two, "name": "B"})
		maths := w.Make("subject/create", m{"name": "Maths", "code": "M", "classIds": list{one, two}})
		ann := w.Make("employee/create", m{"firstName": "Ann", "phone": w.North.Teacher.Phone})
		w.Make("student/create", m{"firstName": "Mia", "classId": one, "divisionId": a})
		w.Admin("POST", "/school-admin/employee/"+ann+"/assignments", m{"assignments": list{
			m{"classId": one, "divisionId": a, "isClassTeacher": true}, m{"classId": two, "divisionId": b, "isClassTeacher": true}}}).OK()
		for i, at := range []m{{"classId": one, "divisionId": a}, {"classId": two, "divisionId": b}} {
			w.Admin("PUT", "/school-admin/timetable", apptest.With(at, "periods", list{m{"dayOfWeek": 1, "periodNo": i + 1,
				"startTime": fmt.Sprintf("%02d:00", 9+i), "endTime": fmt.Sprintf("%02d:45", 9+i), "subjectId": maths, "teacherId": ann}})).OK()
		}
		if done, steps := missing(w.North.Admin); done != true || steps != "" {
			t.Errorf("a school that is set up: %v %s", done, steps)
		}
		if done, steps := missing(w.South.Admin); done != false || steps != all {
			t.Errorf("the other school: %v %s", done, steps)
		}
	})
}
