package year_test

import (
	"fmt"
	"slices"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

// prepareNextYear copies the classes and promotes: One moves up but for a repeater, Two
// graduates. The running year must not notice.
func (s *school) prepareNextYear() {
	s.next = s.Make("academic-year/create", m{"name": "Next", "startDate": s.day(7 * (weeks - 30 + 5)),
		"endDate": s.day(7 * (weeks - 30 + 50))})
	s.Admin("POST", "/school-admin/class/copy", m{"toAcademicYearId": s.next, "assignments": true, "timetable": true,
		"feeStructures": true}).OK()
	one, two := s.copied("One"), s.copied("Two")
	repeater := s.of(0)[0]
	move := m{"fromClassId": s.classes[0].id, "toClassId": two, "except": list{repeater.id}, "detainedClassId": one}
	preview := s.Admin("POST", "/school-admin/student/promote/preview", move).OK()
	apptest.Eq(s, "preview", fmt.Sprint(preview["promoted"], " ", preview["detained"]), fmt.Sprint(eachClass-1, " ", 1))
	s.Admin("POST", "/school-admin/student/promote", move).OK()
	s.Admin("POST", "/school-admin/student/promote/undo", m{"fromClassId": s.classes[0].id}).OK()
	s.Admin("POST", "/school-admin/student/promote", move).OK()
	s.Admin("POST", "/school-admin/student/promote", m{"fromClassId": s.classes[1].id, "outcome": "GRADUATED"}).OK()
	s.checkLists()
}

// copied returns the class with this name in the next year.
func (s *school) copied(name string) string {
	return s.One(`SELECT id FROM classes WHERE school_id = :school AND name = :name AND academic_year_id = :year`,
		db.Args{"name": name, "year": s.next})
}

// activateNextYear starts the next year and moves the pupils of the model.
func (s *school) activateNextYear() {
	s.Admin("POST", "/school-admin/academic-year/"+s.next+"/activate", nil).OK()
	repeater := s.of(0)[0]
	for _, p := range s.pupils {
		switch {
		case p.class == 1:
			p.class = -1
			st := s.Admin("GET", "/school-admin/student/"+p.id, nil).OK()
			apptest.Eq(s, "status of "+p.name, st.Text("status"), "GRADUATED")
		case p != repeater:
			p.class = 1
		}
	}
	for i, name := range []string{"One", "Two"} {
		s.classes[i] = class{id: s.copied(name)}
		s.classes[i].division = s.One(`SELECT id FROM divisions WHERE school_id = :school AND class_id = :class`,
			db.Args{"class": s.classes[i].id})
	}
}

// erase erases a graduate who owes nothing. The name is gone, the books stay.
func (s *school) erase() {
	for _, p := range s.pupils {
		if p.class != -1 || slices.ContainsFunc(s.pupils, func(o *pupil) bool { return o != p && o.phone == p.phone }) {
			continue
		}
		if owes := p.owes(); owes > 0 {
			s.Make("fee/collection/record", m{"studentId": p.id, "amount": money(owes), "method": "CASH"})
			p.paid += owes
			s.received += owes
		}
		s.Admin("POST", "/school-admin/student/"+p.id+"/erase", m{"confirm": p.number}).OK()
		p.erased = true
		delete(s.told, p.phone)
		s.Admin("GET", "/school-admin/search?q="+p.name, nil).HasNot(p.name)
		return
	}
}
