package main

import (
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	dayAbsent  = 2    // students of each division
	dayCorrect = 0.05 // share of the teachers who correct a mark
)

// dayVisit is a person's use of the app. It ends at the first error.
type dayVisit struct {
	*dayWorld
	who  *dayPerson
	morn *morningRun
	err  error
}

// read is a GET request of a person; name is the row of the table.
func (v *dayVisit) read(name, path string, args ...any) {
	v.ask(name, false, func(token string) []byte { return get(fmt.Sprintf(path, args...), token) })
}

// send is a POST request of a person.
func (v *dayVisit) send(name, path, body string) {
	v.ask(name, true, func(token string) []byte { return post(path, token, []byte(body)) })
}

// pause is the time that a person needs to read and think.
func (v *dayVisit) pause(from, to time.Duration) {
	v.morn.sleep(from + rand.N(to-from))
}

// teacher opens the app, marks the class, and perhaps corrects a mark.
func (v *dayVisit) teacher(s *daySchool, room int) {
	at, today := s.rooms[room], v.morn.today
	v.read("Teacher: timetable", "/teacher/timetable/get?date=%s", today)
	v.pause(time.Second, 5*time.Second)
	v.read("Teacher: the class", "/teacher/class/students?classId=%s&divisionId=%s&limit=100&sort=rollNo", at.ClassID, at.DivisionID)
	v.pause(10*time.Second, 20*time.Second)
	v.send("Teacher: mark 40", "/teacher/attendance/mark", string(at.sheet(today, dayAbsent)))
	if v.err != nil {
		return
	}
	for _, student := range at.Students[:dayAbsent] {
		v.morn.comes(v.morn.after(2*time.Second, 20*time.Second), s.parents[student], func(p *dayVisit) { p.told(student, v.who) })
	}
	if rand.Float64() < dayCorrect {
		v.pause(10*time.Second, 30*time.Second)
		v.send("Teacher: correct a mark", "/teacher/attendance/mark", fmt.Sprintf(
			`{"data":{"classId":%q,"divisionId":%q,"date":%q,"records":[{"studentId":%q,"status":"LATE","minutesLate":10}]}}`,
			at.ClassID, at.DivisionID, today, at.Students[dayAbsent]))
	}
}

// told is a parent whose child is absent.
func (v *dayVisit) told(student string, teacher *dayPerson) {
	v.read("Parent: home", "/parent/home")
	v.pause(time.Second, 4*time.Second)
	v.read("Parent: notifications", "/parent/notification/delivered-notifications?limit=20")
	v.pause(time.Second, 4*time.Second)
	v.send("Parent: notifications read", "/parent/notification/read-all", `{"data":{}}`)
	if rand.Float64() < v.write {
		v.pause(10*time.Second, 30*time.Second)
		v.send("Parent: write a message", "/parent/message/send", fmt.Sprintf(
			`{"data":{"recipientId":%q,"studentId":%q,"body":"She is ill today."}}`, teacher.User, student))
	}
}

// curious is a parent who opens the app without a reason.
func (v *dayVisit) curious(student string) {
	v.read("Parent: home", "/parent/home")
	v.pause(2*time.Second, 8*time.Second)
	switch chance := rand.Float64(); {
	case chance < 0.4:
		v.read("Parent: attendance of a month", "/parent/attendance/list?studentId=%s&month=%s", student, v.morn.today[:7])
	case chance < 0.7:
		v.read("Parent: announcements", "/parent/announcement/list?limit=20")
	default:
		v.read("Parent: fees", "/parent/fee/summary?studentId=%s", student)
	}
}

// office looks at one page.
func (v *dayVisit) office(s *daySchool) {
	room := s.rooms[rand.N(len(s.rooms))]
	switch chance := rand.Float64(); {
	case chance < 0.4:
		v.read("Office: today", "/school-admin/dashboard/today")
	case chance < 0.65:
		v.read("Office: search students", "/school-admin/student/list?limit=20&search=s%02d", rand.N(markStudents))
	case chance < 0.85:
		v.read("Office: a division's day", "/school-admin/attendance/list?limit=100&divisionId=%s&classId=%s&date=%s", room.DivisionID,
			room.ClassID, v.morn.today)
	default:
		v.read("Office: dues", "/school-admin/fee/report/dues?limit=20")
	}
}

// pays is a family at the counter.
func (v *dayVisit) pays(student string) {
	v.read("Office: a student's fees", "/school-admin/fee/student/%s", student)
	v.pause(5*time.Second, 10*time.Second)
	v.send("Office: take a payment", feePath+"collection/record",
		fmt.Sprintf(`{"data":{"studentId":%q,"amount":100,"method":"CASH"}}`, student))
}

// arrivals plans who comes when. Teachers and parents come as a bell curve around two
// fifths of the morning, in a soak evenly; the office works all the time.
func (w *dayWorld) arrivals(m *morningRun) {
	for _, s := range w.schools {
		for room := range s.rooms {
			m.comes(m.arrival(), s.teachers[room], func(v *dayVisit) { v.teacher(s, room) })
			for _, student := range s.rooms[room].Students[dayAbsent:] {
				if rand.Float64() < w.opened {
					m.comes(m.arrival(), s.parents[student], func(v *dayVisit) { v.curious(student) })
				}
			}
		}
		for at := rand.N(5 * time.Second); at < w.long; at += 3*time.Second + rand.N(4*time.Second) {
			m.comes(at, s.admin, func(v *dayVisit) { v.office(s) })
		}
		for at := rand.N(time.Minute); at < w.long; at += 30*time.Second + rand.N(time.Minute) {
			student := s.rooms[rand.N(len(s.rooms))].Students[rand.N(markStudents)]
			m.comes(at, s.admin, func(v *dayVisit) { v.pays(student) })
		}
	}
}
