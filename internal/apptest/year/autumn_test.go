package year_test

import (
	"fmt"
	"strings"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

const eachClass = 6 // students

// open sets the school up: two classes with teachers, a week of lessons, prices and a bus.
func (s *school) open() {
	s.due = s.day(7 * 8)
	s.teachers = map[string]string{}
	hire := func(name, phone string, role actor.Role) string {
		return s.Make("employee/create", m{"firstName": name, "phone": phone, "roleId": s.Role(role)})
	}
	s.teachers["Ann"] = hire("Ann", s.North.Teacher.Phone, actor.Teacher)
	s.teachers["Cid"] = hire("Cid", "+15557000001", actor.Teacher)
	s.cid = s.Account(actor.Teacher, "+15557000001")
	var ids list
	for i, name := range []string{"One", "Two"} {
		s.classes[i].id = s.Make("class/create", m{"name": name})
		s.classes[i].division = s.Make("division/create", m{"classId": s.classes[i].id, "name": "A"})
		ids = append(ids, s.classes[i].id)
	}
	s.maths = s.Make("subject/create", m{"name": "Maths", "classIds": ids})
	var assignments list
	for i, c := range s.classes {
		assignments = append(assignments, m{"classId": c.id, "divisionId": c.division, "isClassTeacher": true})
		lesson := m{"dayOfWeek": 1, "periodNo": 1, "startTime": fmt.Sprintf("%02d:00", 9+i), "endTime": fmt.Sprintf("%02d:45", 9+i),
			"subjectId": s.maths, "teacherId": s.teachers["Ann"]}
		s.Admin("PUT", "/school-admin/timetable", m{"classId": c.id, "divisionId": c.division, "periods": list{lesson}}).OK()
		s.Make("fee/structure/create", m{"classId": c.id, "lateFine": m{"flat": 20, "graceDays": 3}, "items": list{
			m{"name": "Tuition", "amount": 300, "frequency": "YEARLY", "dueDate": s.due}}})
	}
	s.Admin("POST", "/school-admin/employee/"+s.teachers["Ann"]+"/assignments", m{"assignments": assignments}).OK()
	dan := hire("Dan", s.North.Driver.Phone, actor.Driver)
	s.eve = hire("Eve", "+15557000002", actor.Driver)
	route := s.Admin("POST", "/school-admin/transport/route/create", m{"name": "Hills", "stops": list{
		m{"name": "Mill", "lat": 40.71, "lng": -74.0}}}).OK()
	s.bus = s.Make("transport/bus/create", m{"registrationNo": "B-1", "capacity": 40, "driverId": dan, "routeId": route.Text("id")})
}

// admit imports the students from a file that has mistakes at first.
func (s *school) admit() {
	var rows []string
	for i := range 2 * eachClass {
		p := &pupil{number: fmt.Sprintf("N-%03d", i+1), name: fmt.Sprintf("Child%02d", i+1), phone: fmt.Sprintf("+1555800%04d", i+1),
			class: i / eachClass, marks: map[clock.Date]string{}, alerts: map[clock.Date]string{}}
		s.pupils = append(s.pupils, p)
		rows = append(rows, fmt.Sprintf("%s,%s,Roe,%s,A,2015-03-0%d,Parent%02d,%s", p.number, p.name, []string{"One", "Two"}[p.class],
			i%9+1, i+1, p.phone))
	}
	const header = "admissionNo,firstName,lastName,class,division,dateOfBirth,guardianName,guardianPhone\n"
	upload := func(rows []string, query string) apptest.Object {
		return s.Admin("POST", "/school-admin/student/import"+query, header+strings.Join(rows, "\n")+"\n", "Content-Type", "text/csv").OK()
	}
	bad := append([]string{}, rows...)
	bad[1] = strings.Replace(bad[1], "2015-03-02", "2035-03-02", 1)
	bad[4] = strings.Replace(bad[4], "One", "Three", 1)
	faults := upload(bad, "?dryRun=true").Objects("errors")
	apptest.Eq(s, "faults of the file", apptest.Pick(anyOf(faults), "row"), []string{"3", "6"})
	apptest.Eq(s, "imported", upload(rows, "")["created"], any(float64(len(rows))))
	for _, p := range s.pupils {
		p.id = s.One(`SELECT id FROM students WHERE school_id = :school AND admission_no = :number`, db.Args{"number": p.number})
		s.Account(actor.Parent, p.phone)
	}
	var riders list
	stop := s.One(`SELECT id FROM route_stops WHERE school_id = :school`, nil)
	for _, p := range s.of(0) {
		riders = append(riders, m{"studentId": p.id, "stopId": stop})
	}
	route := s.One(`SELECT id FROM routes WHERE school_id = :school`, nil)
	s.Admin("PUT", "/school-admin/transport/route/"+route+"/students", m{"students": riders}).OK()
}

func anyOf(list []apptest.Object) (out []any) {
	for _, o := range list {
		out = append(out, map[string]any(o))
	}
	return out
}

// correctGuardian corrects a name and a phone, which is the login.
func (s *school) correctGuardian() {
	p := s.some(0)
	guardian := s.One(`SELECT id FROM guardians WHERE school_id = :school AND phone = :phone`, db.Args{"phone": p.phone})
	told := s.told[p.phone]
	delete(s.told, p.phone)
	p.phone = "+15558009999"
	if told != nil {
		s.told[p.phone] = told
	}
	s.Admin("PUT", "/school-admin/guardian/"+guardian, m{"name": "Corrected", "phone": p.phone}).OK()
	s.Account(actor.Parent, p.phone)
}

// mergeGuardians joins the records of one person: the parent of a child in each class.
func (s *school) mergeGuardians() {
	kept, gone := s.some(0), s.some(1)
	id := func(p *pupil) string {
		return s.One(`SELECT id FROM guardians WHERE school_id = :school AND phone = :phone`, db.Args{"phone": p.phone})
	}
	s.Admin("POST", "/school-admin/guardian/"+id(kept)+"/merge", m{"guardianId": id(gone)}).OK()
	for kind, n := range s.told[gone.phone] {
		for range n {
			s.tell(kept, kind)
		}
	}
	delete(s.told, gone.phone)
	gone.phone = kept.phone
}

// markWeek marks both classes on Monday and corrects some marks on Tuesday. Now and
// then a child has leave on Wednesday.
func (s *school) markWeek() {
	mark := func(class int, day clock.Date, status map[*pupil]any) {
		var records list
		for _, p := range s.of(class) {
			if v, ok := status[p]; ok {
				records = append(records, m{"studentId": p.id, "status": v})
			}
		}
		s.As(s.North.Teacher, "POST", "/teacher/attendance/mark", m{"classId": s.classes[class].id, "divisionId": s.classes[class].division,
			"date": day, "records": records}).OK()
		for _, p := range s.of(class) {
			if v, ok := status[p]; ok {
				text, _ := v.(string)
				s.marked(p, day, text)
			}
		}
	}
	for class := range s.classes {
		all := map[*pupil]any{}
		for _, p := range s.of(class) {
			all[p] = []string{"PRESENT", "PRESENT", "PRESENT", "ABSENT", "LATE"}[s.IntN(5)]
		}
		mark(class, s.monday, all)
		if s.IntN(3) == 0 {
			mark(class, s.monday, map[*pupil]any{s.some(class): []any{"PRESENT", "ABSENT", nil}[s.IntN(3)]})
		}
	}
	if s.IntN(2) == 0 {
		s.leaveOn(s.some(s.IntN(2)), s.day(2))
	}
}

// leaveOn lets a parent apply for leave of a day, which the class teacher approves.
func (s *school) leaveOn(p *pupil, day clock.Date) {
	parent := s.Account(actor.Parent, p.phone)
	leave := s.As(parent, "POST", "/parent/leave/apply", m{"studentId": p.id, "type": "SICK", "fromDate": day}).OK().Text("id")
	s.As(s.North.Teacher, "POST", "/teacher/leave/"+leave+"/approve", nil).OK()
	s.marked(p, day, "LEAVE")
	s.tell(p, "LEAVE_REQUEST")
}

// substitute lets Cid take over Ann's lesson, and with it the class for the day.
func (s *school) substitute() {
	c := s.classes[0]
	p := s.some(0)
	mark := m{"classId": c.id, "divisionId": c.division, "date": s.monday, "records": list{m{"studentId": p.id, "status": "PRESENT"}}}
	s.As(s.cid, "POST", "/teacher/attendance/mark", mark).Want(403, "PERMISSION_DENIED")
	s.Make("leave/create", m{"employeeId": s.teachers["Ann"], "type": "SICK", "fromDate": s.monday})
	apptest.Eq(s, "lessons to cover", len(s.Admin("GET", "/school-admin/timetable/cover", nil).OK().Objects("lessons")), 2)
	s.Admin("POST", "/school-admin/timetable/override", m{"date": s.monday, "classId": c.id, "divisionId": c.division, "periodNo": 1,
		"teacherId": s.teachers["Cid"]}).OK()
	s.As(s.cid, "POST", "/teacher/attendance/mark", mark).OK()
	s.marked(p, s.monday, "PRESENT")
}
