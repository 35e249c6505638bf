package audit

import (
	"slices"
	"strings"

	"homeroom/internal/platform/actor"
)

// modules have the records that are not named after their module. An account belongs to a
// guardian or to an employee.
var modules = map[string][]string{
	"guardian": {"student"}, "oneroster": {"student"}, "user": {"student", "employee"},
	"academic-year": {"setting"}, "backup": {"setting"}, "holiday": {"setting"}, "oneroster-key": {"setting"},
	"school": {"setting"}, "webhook": {"setting"},
	"bus": {"transport"}, "incident": {"transport"}, "route": {"transport"}, "trip": {"transport"},
	"calendar-link": {"timetable"}, "delivery": {"notification"}, "elective": {"subject"}, "gradeScale": {"exam"},
	"module": {"role"}, "file": {"report"}, "session": {"report"},
}

// modulesOf returns the modules whose records an action is about: "fee-charge.void" is about fees.
func modulesOf(action string) []string {
	record, _, _ := strings.Cut(action, ".")
	if of, ok := modules[record]; ok {
		return of
	}
	module, _, _ := strings.Cut(record, "-")
	return []string{module}
}

// hide leaves out the states of a record that the caller may not read.
func (e *Entry) hide(who actor.Actor) {
	if slices.ContainsFunc(modulesOf(e.Action), func(m string) bool { return !who.Can(m, actor.Read) }) {
		e.Before, e.After = nil, nil
	}
}
