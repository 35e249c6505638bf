package year_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

// model is what the test knows of the school.
type model struct {
	classes  [2]class // One and Two
	pupils   []*pupil
	told     map[string]map[string]int // parent's phone, type of notification: number since the last check
	since    time.Time                 // of the last check; old notifications are deleted
	due      clock.Date                // of the fees
	received int64                     // money in the till, in cents

	teachers map[string]string // employee ids by first name
	cid      *apptest.Account  // the substitute
	maths    string
	bus      string
	eve      string // a driver
	loan     string
	next     string // the next academic year
}

type class struct{ id, division string }

// pupil is a student and what happened to it.
type pupil struct {
	id, number, name, phone string
	class                   int // 0 or 1; -1: has left
	marks                   map[clock.Date]string
	alerts                  map[clock.Date]string // what the parents were told last
	charged, paid, conceded int64                 // in cents
	fined                   int64
	result                  int
	erased                  bool
}

// tell expects a notification in the log of the pupil's parent.
func (s *school) tell(p *pupil, kind string) {
	if s.told[p.phone] == nil {
		s.told[p.phone] = map[string]int{}
	}
	s.told[p.phone][kind]++
}

// marked records a mark in the model, and the alert that it sends.
func (s *school) marked(p *pupil, day clock.Date, status string) {
	alert := func(told string) bool { return told == "ABSENT" || told == "LATE" }
	was, is := p.alerts[day], status
	if p.marks[day] = status; status == "" {
		delete(p.marks, day)
		is = "UNMARKED"
	}
	switch {
	case !alert(was) && alert(is), alert(was) && was != is:
		p.alerts[day] = is
		s.tell(p, "ATTENDANCE")
	}
}

func (p *pupil) owes() int64 { return p.charged + p.fined - p.conceded - p.paid }

// of returns the pupils of a class in the running year.
func (s *school) of(class int) (out []*pupil) {
	for _, p := range s.pupils {
		if p.class == class {
			out = append(out, p)
		}
	}
	return out
}

// some returns a random pupil of a class.
func (s *school) some(class int) *pupil {
	all := s.of(class)
	return all[s.IntN(len(all))]
}

// check compares the service with the model.
func (s *school) check() {
	s.Helper()
	s.checkRegisters()
	s.checkMoney()
	s.checkMessages()
	s.checkLists()
}

// checkRegisters compares every mark of every student.
func (s *school) checkRegisters() {
	s.Helper()
	for _, p := range s.pupils {
		if p.erased {
			continue
		}
		got := map[clock.Date]string{}
		for _, row := range s.All(`SELECT date || ' ' || status FROM attendance WHERE school_id = :school AND student_id = :student`,
			db.Args{"student": p.id}) {
			day, status, _ := strings.Cut(row, " ")
			got[clock.Date(day)] = status
		}
		if !maps.Equal(got, p.marks) {
			s.Errorf("marks of %s: %v, want %v", p.name, got, p.marks)
		}
	}
	month := string(s.monday)[:7]
	for i, c := range s.classes {
		report := s.Admin("GET", "/school-admin/attendance/report?classId="+c.id+"&month="+month, nil).OK()
		absent := 0
		for _, line := range report.Objects("students") {
			for _, mark := range line.Objects("days") {
				if mark.Text("status") == "ABSENT" {
					absent++
				}
			}
		}
		want := 0
		for _, p := range s.pupils {
			for day, status := range p.marks {
				if p.class == i && status == "ABSENT" && strings.HasPrefix(string(day), month) {
					want++
				}
			}
		}
		if s.next == "" {
			apptest.Eq(s, "absences in the month's report", absent, want)
		}
	}
}

// checkMoney compares every statement, what is due in total, and the books.
func (s *school) checkMoney() {
	s.Helper()
	var due int64
	for _, p := range s.pupils {
		if p.erased {
			continue
		}
		totals := s.Admin("GET", "/school-admin/fee/report/"+p.id, nil).OK().Object("totals")
		got := fmt.Sprint(cents(totals["charged"]), cents(totals["fine"]), cents(totals["concession"]), cents(totals["paid"]),
			cents(totals["due"])-cents(totals["advance"]))
		apptest.Eq(s, "statement of "+p.name, got, fmt.Sprint(p.charged, p.fined, p.conceded, p.paid, p.owes()))
		due += max(0, p.owes())
	}
	stats := s.Admin("GET", "/school-admin/dashboard/stats", nil).OK().Object("today").Object("fees")
	apptest.Eq(s, "due in total", cents(stats["due"]), due)
	books := s.Admin("GET", "/school-admin/fee/report/trial-balance", nil).OK()
	var balance, cash int64
	for _, a := range books.Objects("accounts") {
		balance += cents(a["debit"]) - cents(a["credit"])
		if a.Text("account") == "CASH" {
			cash = cents(a["debit"]) - cents(a["credit"])
		}
	}
	apptest.Eq(s, "debits less credits", balance, 0)
	apptest.Eq(s, "money in the till", cash, s.received)
}

// checkMessages compares the number of notifications of every parent, by type.
func (s *school) checkMessages() {
	s.Helper()
	s.Drain()
	phones := slices.Collect(maps.Keys(s.told))
	for _, p := range s.pupils {
		phones = append(phones, p.phone) // also those who were told nothing
	}
	slices.Sort(phones)
	for _, phone := range slices.Compact(phones) {
		for _, kind := range []string{"ATTENDANCE", "LEAVE_REQUEST", "RESULT", "TRANSPORT"} {
			apptest.Eq(s, fmt.Sprint(s.monday, " ", kind, " of ", phone), s.logged(phone, kind), s.told[phone][kind])
		}
	}
	s.told, s.since = map[string]map[string]int{}, s.Now()
}

// logged counts the notifications of a parent since the last check.
func (s *school) logged(phone, kind string) int {
	s.Helper()
	return s.Count(`notifications n JOIN users u ON u.school_id = n.school_id AND u.id = n.user_id
		WHERE n.school_id = :school AND u.phone = :phone AND n.type = :type AND n.created_at > :since`,
		db.Args{"phone": phone, "type": kind, "since": s.since})
}

// checkLists compares who is in which class.
func (s *school) checkLists() {
	s.Helper()
	for i, c := range s.classes {
		got := s.Admin("GET", "/school-admin/student/list?limit=100&status=ACTIVE&classId="+c.id, nil).OK().Texts("admissionNo")
		var want []string
		for _, p := range s.of(i) {
			want = append(want, p.number)
		}
		slices.Sort(got)
		slices.Sort(want)
		apptest.Eq(s, fmt.Sprint("students of class ", i+1), got, want)
	}
}

// cents returns an amount of a reply in cents.
func cents(v any) int64 {
	f, ok := v.(float64)
	if n, is := v.(json.Number); is {
		f, _ = n.Float64()
	} else if !ok {
		return math.MinInt32
	}
	return int64(math.Round(f * 100))
}
