package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// ask is a request, and what its answer must contain how often.
type ask struct {
	request []byte
	want    []want
}

type want struct {
	text  string
	times int
}

// check returns an error unless the answer has what it must contain.
func (a ask) check(body []byte) error {
	for _, w := range a.want {
		if n := bytes.Count(body, []byte(w.text)); n != w.times {
			return fmt.Errorf("%q is %d times in the answer, not %d: %.600s", w.text, n, w.times, body)
		}
	}
	return nil
}

// peer is one of the two servers. Both get the same requests, but for ids and tokens.
type peer struct {
	name            string
	addr            string
	id              func(school, kind, n int) string
	admins          [peerSchools]string // tokens
	teachers        [peerSchools]string
	cpu             func() (seconds float64, err error) // of the server and its database
	stop            func()
	world           *peerWorld
	sheets, created atomic.Int64 // days marked, students created
}

// scenario is a kind of request. weight is its share of the mix, in per cent.
type scenario struct {
	name, what string
	weight     int
	ask        func(*peer) ask
}

// singles are the scenarios of one kind of request, in the order of the table.
var singles = []scenario{
	{"list", "list 20 of a class, with total", 25, (*peer).list},
	{"search", "search, substring", 10, (*peer).search},
	{"one", "one student", 25, (*peer).one},
	{"create", "create a student", 2, (*peer).create},
	{"mark", "mark 40, new", 5, (*peer).markNew},
	{"again", "mark 40, again", 3, (*peer).markAgain},
	{"month", "a division's month", 10, (*peer).month},
	{"statement", "statement of 60 entries", 20, (*peer).statement},
}

var scenarios = append(slices.Clone(singles), scenario{"mixed", "mixed", 0, (*peer).mixed})

func (p *peer) mixed() ask {
	n := rand.N(100)
	for _, s := range singles {
		if n -= s.weight; n < 0 {
			return s.ask(p)
		}
	}
	panic("the weights are less than 100")
}

func (p *peer) list() ask {
	s, class := rand.N(peerSchools), rand.N(peerClasses)
	first := p.world.firsts[s][class]
	return ask{get(listPath+"?limit=20&classId="+p.id(s, classID, class), p.admins[s]), []want{
		{`"admissionNo":`, len(first)}, {`"` + first[0].admissionNo() + `"`, 1}, {`"` + first[len(first)-1].admissionNo() + `"`, 1},
		{`"Parent `, len(first)}, {fmt.Sprintf(`"total":%d`, peerDivisions*markStudents), 1}}}
}

func (p *peer) search() ask {
	s, i := rand.N(peerSchools), rand.N(len(peerSearches))
	total := p.world.named[s][i]
	return ask{get(listPath+"?limit=20&search="+peerSearches[i], p.admins[s]), []want{
		{`"admissionNo":`, min(total, 20)}, {fmt.Sprintf(`"total":%d`, total), 1}}}
}

func (p *peer) one() ask {
	s, n := rand.N(peerSchools), rand.N(peerStudents)
	st := p.world.pupils[s][n]
	return ask{get("/school-admin/student/"+p.id(s, studentID, n), p.admins[s]), []want{{`"admissionNo":"` + st.admissionNo() + `"`, 1},
		{`"firstName":"` + st.first + `"`, 1}, {`"Parent ` + st.last + `"`, 1}, {fmt.Sprintf(`"Division %d"`, st.division()+1), 1}}}
}

// create creates a student whose name no search finds, in a division of its own.
func (p *peer) create() ask {
	n := int(p.created.Add(1))
	s, last := n%peerSchools, fmt.Sprintf("Q%d", n)
	body := fmt.Sprintf(`{"data":{"firstName":"Quux","lastName":%q,"classId":%q,"divisionId":%q,"dateOfBirth":"2016-06-06","gender":"MALE"}}`,
		last, p.id(s, classID, peerClasses), p.id(s, divisionID, peerNewcomers))
	return ask{post("/school-admin/student/create", p.admins[s], []byte(body)), []want{{`"lastName":"` + last + `"`, 1},
		{`"admissionNo":"PR-`, 1}, {`"id":`, 1}}}
}

func (p *peer) markNew() ask {
	n := int(p.sheets.Add(1))
	s, n := n%peerSchools, n/peerSchools
	divisions := peerClasses * peerDivisions
	return p.sheet(s, n%divisions, n/divisions, p.world.freeDay(n/divisions), "created")
}

// markAgain sends a sheet that is already saved.
func (p *peer) markAgain() ask {
	day := rand.N(peerDays)
	return p.sheet(rand.N(peerSchools), rand.N(peerClasses*peerDivisions), day, p.world.days[day], "unchanged")
}

// sheet marks a division, and expects that all marks count as one thing.
func (p *peer) sheet(s, division, dayNo int, day time.Time, all string) ask {
	var b strings.Builder
	fmt.Fprintf(&b, `{"data":{"classId":%q,"divisionId":%q,"date":%q,"records":[`, p.id(s, classID, classOf(division)),
		p.id(s, divisionID, division), day.Format(time.DateOnly))
	for i := range markStudents {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"studentId":%q,"status":%q}`, p.id(s, studentID, division*markStudents+i), sheetStatus(i+1, dayNo))
	}
	b.WriteString(`]}}`)
	return ask{post("/teacher/attendance/mark", p.teachers[s], []byte(b.String())), []want{
		{fmt.Sprintf(`"marked":%d,`, markStudents), 1}, {fmt.Sprintf(`%q:%d`, all, markStudents), 1}}}
}

func (p *peer) month() ask {
	s, division, m := rand.N(peerSchools), rand.N(peerClasses*peerDivisions), p.world.months[rand.N(len(p.world.months))]
	path := "/school-admin/attendance/report?classId=" + p.id(s, classID, classOf(division)) + "&divisionId=" + p.id(s, divisionID, division) +
		"&month=" + m.name
	absent := m.days * markStudents / 20 // and as many are late
	present := m.days*markStudents - 2*absent
	return ask{get(path, p.admins[s]), []want{
		{`"admissionNo":`, markStudents}, {`"PRESENT"`, present}, {`"ABSENT"`, absent}, {`"LATE"`, absent},
		{fmt.Sprintf(`"totals":{"present":%d,"absent":%d,"late":%d`, present, absent, absent), 1}}}
}

func (p *peer) statement() ask {
	s, n := rand.N(peerSchools), rand.N(peerStudents)
	fee := p.world.pupils[s][n].fee()
	paid := (peerCharges-1)*fee + peerPart
	return ask{get(feePath+"report/"+p.id(s, studentID, n), p.admins[s]), []want{{`"balance":`, 2 * peerCharges}, {`"type":"CR"`, peerCharges},
		{`"admissionNo":"` + p.world.pupils[s][n].admissionNo() + `"`, 1},
		{fmt.Sprintf(`"charged":%g`, float64(peerCharges*fee)/100), 1}, {fmt.Sprintf(`"paid":%g`, float64(paid)/100), 1}}}
}
