package report

import (
	"context"
	"slices"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

// mostOfDay limits each list of a day.
const mostOfDay = 50

// dayOut is the office's day. A part that the caller may not read is null.
type dayOut struct {
	Date        clock.Date `json:"date"`
	IsSchoolDay bool       `json:"isSchoolDay"`
	Holiday     opt.Text   `json:"holiday" doc:"The name of today's holiday."`
	Needs       []Need     `json:"needs" doc:"What waits for the office, the most urgent first. What the caller may not read is left out."`

	Attendance *marked          `json:"attendance"`
	Absentees  *some[absentee]  `json:"absentees" doc:"Absent for the whole day, by class. Needs read on attendance; the guardian also read on student."`
	Fees       *feesToday       `json:"fees"`
	Birthdays  *some[birthday]  `json:"birthdays" doc:"Of students and employees, as far as the caller may read them."`
	Trips      *some[tripToday] `json:"trips" doc:"Running ones."`
}

// some is the beginning of a list.
type some[T any] struct {
	Total int `json:"total"`
	Items []T `json:"items" doc:"At most 50."`
}

// marked counts the attendance of the current academic year's students.
type marked struct {
	Divisions       int `json:"divisions" doc:"With students; classes without divisions count as one."`
	DivisionsMarked int `json:"divisionsMarked"`
	Students        int `json:"students"`
	Marked          int `json:"marked" doc:"Sum of the counts below."`
	Present         int `json:"present" doc:"On time."`
	Late            int `json:"late"`
	Absent          int `json:"absent"`
	OnLeave         int `json:"leave"`
	Holiday         int `json:"holiday"`
}

type absentee struct {
	StudentID      id.ID    `json:"studentId"`
	FirstName      string   `json:"firstName"`
	LastName       opt.Text `json:"lastName"`
	ClassName      opt.Text `json:"className"`
	DivisionName   opt.Text `json:"divisionName"`
	GuardianName   opt.Text `json:"guardianName" doc:"The primary guardian."`
	GuardianPhone  opt.Text `json:"guardianPhone"`
	GuardianUserID *id.ID   `json:"guardianUserId" doc:"The account to write a message to; null if the guardian has none."`
	Total          int      `json:"-"`
}

type feesToday struct {
	fees
	Overdue  money.Money `json:"overdue" doc:"Of all students: what was due before today."`
	Receipts int         `json:"receiptsToday" doc:"Without reversed ones."`
}

type birthday struct {
	StudentID    *id.ID   `json:"studentId" doc:"Either a student or an employee."`
	EmployeeID   *id.ID   `json:"employeeId"`
	Name         string   `json:"name"`
	ClassName    opt.Text `json:"className"`
	DivisionName opt.Text `json:"divisionName"`
	Age          int      `json:"age"`
}

type tripToday struct {
	ID             id.ID      `json:"id"`
	BusID          id.ID      `json:"busId"`
	RegistrationNo string     `json:"registrationNo"`
	BusName        opt.Text   `json:"busName"`
	RouteName      string     `json:"routeName"`
	DriverName     opt.Text   `json:"driverName"`
	Type           string     `json:"type" enum:"pickup,dropoff"`
	Status         string     `json:"status" enum:"in_progress,paused"`
	StartedAt      *time.Time `json:"startedAt"`
	Lat            *float64   `json:"lat" doc:"The last position of this trip; null if there is none."`
	Lng            *float64   `json:"lng"`
	At             *time.Time `json:"positionAt"`
	DelaySeconds   *int       `json:"delaySeconds" doc:"At the next stop; null without planned times."`
	NextStopName   opt.Text   `json:"nextStopName"`
	NextStopAt     *time.Time `json:"nextStopAt" doc:"Predicted arrival."`
	Total          int        `json:"-"`
}

// day reads everything in one round trip, besides the lessons that need cover.
func (s *Service) day(ctx context.Context, who actor.Actor, _ web.None) (out dayOut, err error) {
	q, now := s.DB.School(who.School), s.Now()
	out.Date = clock.DateIn(now, who.Zone)
	var cal school.Calendar
	rows := make([][]found, len(needs))
	asks, args := cal.Ask(out.Date, out.Date), needArgs(now, who.Zone)
	for i, n := range needs {
		if n.sees(who, true) {
			asks = append(asks, n.ask(&rows[i], args))
		}
	}
	parts := dayParts{day: out.Date, who: who}
	if err := db.Read(ctx, q, append(asks, parts.asks()...)...); err != nil {
		return out, fault.Wrap("read the day", err)
	}
	parts.into(&out)
	out.IsSchoolDay, out.Holiday = cal.IsSchoolDay(out.Date), opt.Text(cal.Holiday(out.Date))
	var cover []Thing
	if out.IsSchoolDay && who.Can("timetable", actor.Read) {
		if cover, err = s.NeedCover(ctx, who); err != nil {
			return out, err
		}
	}
	out.Needs = listNeeds(cover, rows, who, out.IsSchoolDay)
	return out, nil
}

func needArgs(now time.Time, zone string) db.Args {
	day, local := clock.DateIn(now, zone), now.In(clock.Zone(zone))
	lately := "" // before 0:10 no trip of today is late
	if late := local.Add(-lateAfter * time.Minute); late.Day() == local.Day() {
		lately = late.Format("15:04")
	}
	return db.Args{"day": day, "weekday": day.Weekday(), "time": local.Format("15:04"), "lately": lately,
		"soon": day.AddDays(expiresWithin), "since": now.AddDate(0, 0, -7)}
}

// dayParts are the parts of a day besides the needs.
type dayParts struct {
	day clock.Date
	who actor.Actor

	marked           []marked
	absentees        []absentee
	fees             []feesToday
	students, others []birthday
	trips            []tripToday
}

func (p *dayParts) may(module string) bool { return p.who.Can(module, actor.Read) }

// asks returns the statements of the parts that the caller may read.
func (p *dayParts) asks() (list []db.Ask) {
	day := db.Args{"day": p.day}
	if p.may("attendance") {
		list = append(list, db.Into(&p.marked, sumMarks, day), db.Into(&p.absentees, listAbsent, db.Args{"day": p.day, "most": mostOfDay}))
	}
	if p.may("fee") {
		list = append(list, db.Into(&p.fees, sumFees, db.Args{"day": p.day, "first": clock.Date(string(p.day)[:8] + "01")}))
	}
	born := db.Args{"born": birthdaysOf(p.day), "year": p.day.Time().Year(), "most": mostOfDay}
	if p.may("student") {
		list = append(list, db.Into(&p.students, bornStudents, born))
	}
	if p.may("employee") {
		list = append(list, db.Into(&p.others, bornEmployees, born))
	}
	if p.may("transport") {
		list = append(list, db.Into(&p.trips, listRunning, db.Args{"most": mostOfDay}))
	}
	return list
}

// birthdaysOf returns the days of birth (MM-DD) that are celebrated on a day: outside
// leap years those of 29 February on 1 March.
func birthdaysOf(day clock.Date) []string {
	if d := day.Time(); d.Month() == time.March && d.Day() == 1 && d.AddDate(0, 0, -1).Day() == 28 {
		return []string{"03-01", "02-29"}
	}
	return []string{string(day)[5:]}
}

// into sets the parts that the caller may read.
func (p *dayParts) into(out *dayOut) {
	for i := range p.marked {
		out.Attendance = &p.marked[i]
	}
	if p.may("attendance") {
		out.Absentees = first(p.absentees, func(a absentee) int { return a.Total })
		for i := range out.Absentees.Items {
			if a := &out.Absentees.Items[i]; !p.may("student") {
				a.GuardianName, a.GuardianPhone, a.GuardianUserID = "", "", nil
			}
		}
	}
	for i := range p.fees {
		out.Fees = &p.fees[i]
	}
	if born := slices.Concat(p.students, p.others); p.may("student") || p.may("employee") {
		out.Birthdays = &some[birthday]{len(born), append([]birthday{}, born...)}
	}
	if p.may("transport") {
		out.Trips = first(p.trips, func(t tripToday) int { return t.Total })
	}
}

// first returns rows with their total, which each of them has.
func first[T any](rows []T, total func(T) int) *some[T] {
	out := &some[T]{Items: rows}
	if len(rows) > 0 {
		out.Total = total(rows[0])
	}
	return out
}
