package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The schools of peers. Each has 5 classes of 5 divisions of 40 students, and an empty
// division for the students that the benchmark creates.
const (
	peerSchools   = 10
	peerClasses   = 5
	peerDivisions = 5 // of a class
	peerStudents  = peerClasses * peerDivisions * markStudents
	peerDays      = 180 // school days with marks
	peerCharges   = 30  // of a student, each with its payment
	peerNewcomers = peerClasses * peerDivisions
)

// pupil is a student of peers. All other data follow from its number in the school.
type pupil struct {
	school, no  int // from 0
	first, last string
}

func (p pupil) division() int       { return p.no / markStudents }
func (p pupil) class() int          { return classOf(p.division()) }
func (p pupil) roll() int           { return p.no%markStudents + 1 }
func (p pupil) admissionNo() string { return fmt.Sprintf("PR-%04d", p.no+1) }
func (p pupil) phone() string       { return fmt.Sprintf("+1555%03d%04d", p.school, p.no) }
func (p pupil) nameKey() string     { return strings.ToLower(p.first + " " + p.last) }

// fee is the amount of each charge, in cents. All are paid, but the last one, of
// which peerPart is paid.
func (p pupil) fee() int { return 100_25 + 100*p.roll() }

const peerPart = 50_00

func classOf(division int) int { return division / peerDivisions }

// peerWorld is what both servers are filled with.
type peerWorld struct {
	pupils [peerSchools][]pupil
	days   []time.Time // the school days with marks, up to yesterday
	months []peerMonth // the whole ones with marks

	firsts [peerSchools][peerClasses][]pupil   // the first 20 of a class by first name
	named  [peerSchools][len(peerSearches)]int // the students that a search finds
}

// peerMonth is a month, with its number of school days.
type peerMonth struct {
	name string
	days int
}

// peerSearches are parts of names. None is part of "parent".
var peerSearches = [...]string{"mar", "den", "son", "ger", "ver", "mel", "ter", "kori", "sato", "nelu", "jo", "ze"}

func newPeerWorld(today time.Time) *peerWorld {
	w, words := &peerWorld{}, listNames()
	for s := range w.pupils {
		for n := range peerStudents {
			w.pupils[s] = append(w.pupils[s], pupil{s, n, words[(n*7919+s)%881], words[(n*104729+s)%877]})
		}
	}
	for day := today; len(w.days) < peerDays; {
		if day = day.AddDate(0, 0, -1); day.Weekday() != time.Saturday && day.Weekday() != time.Sunday {
			w.days = append(w.days, day)
		}
	}
	slices.Reverse(w.days)
	w.expect()
	return w
}

// freeDay is the n-th day without marks, counted backwards from the first with some.
func (w *peerWorld) freeDay(n int) time.Time { return w.days[0].AddDate(0, 0, -1-n) }

// yearStart is the first day of the academic year, long enough ago for every free day.
func (w *peerWorld) yearStart() string { return w.freeDay(2000).Format(time.DateOnly) }

// sheetStatus is the status of a student on the n-th day: two of a division are absent, two late.
func sheetStatus(roll, day int) string {
	switch (roll + day) % 20 {
	case 0:
		return "ABSENT"
	case 1:
		return "LATE"
	}
	return "PRESENT"
}

// statusSQL is sheetStatus as SQL, with other names for the statuses.
func statusSQL(day int, absent, late, present string) string {
	return fmt.Sprintf("CASE (s.roll_no + %d) %% 20 WHEN 0 THEN %s WHEN 1 THEN %s ELSE %s END", day, absent, late, present)
}

// expect computes what the answers must contain.
func (w *peerWorld) expect() {
	for _, day := range w.days {
		if name := day.Format("2006-01"); len(w.months) == 0 || w.months[len(w.months)-1].name != name {
			w.months = append(w.months, peerMonth{name: name})
		}
		w.months[len(w.months)-1].days++
	}
	w.months = w.months[1 : len(w.months)-1]
	const size = peerDivisions * markStudents
	for s, pupils := range w.pupils {
		for c := range peerClasses {
			all := slices.Clone(pupils[c*size : (c+1)*size])
			slices.SortStableFunc(all, func(a, b pupil) int { return strings.Compare(a.first, b.first) })
			w.firsts[s][c] = all[:20]
		}
		for i, text := range peerSearches {
			for _, p := range pupils {
				if strings.Contains(p.nameKey(), text) {
					w.named[s][i]++
				}
			}
		}
	}
}
