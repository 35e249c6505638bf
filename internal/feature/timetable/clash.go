package timetable

import (
	"fmt"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// maxClashes is how many clashes an answer names.
const maxClashes = 100

// dayOf is what the week's lessons are on a day with these overrides. Cancelled
// ones stay, marked.
func dayOf(week []Period, overrides []Override) []Period {
	at := make(map[slot]Override, len(overrides))
	for _, o := range overrides {
		at[o.slot()] = o
	}
	day := make([]Period, len(week))
	for i, p := range week {
		if o, ok := at[p.slot()]; ok {
			p = o.on(p)
		}
		day[i] = p
	}
	return day
}

// on is the lesson as the override has it.
func (o Override) on(p Period) Period {
	p.Override = &Difference{ID: o.ID, IsCancelled: o.IsCancelled, Note: o.Note,
		RegularTeacherID: p.TeacherID, RegularSubjectID: p.SubjectID, RegularRoom: p.Room}
	if o.TeacherID != nil {
		p.TeacherID, p.TeacherName = o.TeacherID, o.TeacherName
	}
	if o.SubjectID != nil {
		p.SubjectID, p.SubjectName = *o.SubjectID, o.SubjectName
	}
	if o.Room != nil {
		p.Room = *o.Room
	}
	return p
}

// clash is two lessons that need the same teacher or room at once.
type clash struct {
	mine, other Period
	room        bool // else it is the teacher
}

// clashes finds what lessons of mine clash with, among lessons of one day or of
// one week.
func clashes(lessons []Period, mine func(Period) bool) []clash {
	var own, found []clash
	for _, p := range lessons {
		if mine(p) && !p.cancelled() {
			own = append(own, clash{mine: p})
		}
	}
	for _, c := range own {
		for _, p := range lessons {
			if p.slot() == c.mine.slot() && p.DayOfWeek == c.mine.DayOfWeek || p.cancelled() || !overlap(p, c.mine) {
				continue
			}
			c.other = p
			switch {
			case p.TeacherID != nil && c.mine.TeacherID != nil && *p.TeacherID == *c.mine.TeacherID:
				c.room = false
			case p.Room != "" && roomKey(p.Room) == roomKey(c.mine.Room):
				c.room = true
			default:
				continue
			}
			if found = append(found, c); len(found) == maxClashes {
				return found
			}
		}
	}
	return found
}

// overlap holds for lessons that share a minute. One may begin when the other ends.
func overlap(a, b Period) bool {
	return a.DayOfWeek == b.DayOfWeek && a.StartTime < b.EndTime && b.StartTime < a.EndTime
}

// roomKey is a room's name without what people write differently.
func roomKey(room string) string { return strings.Join(strings.Fields(people.Fold(room)), " ") }

var dayNames = [...]string{"", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// when is a lesson's time in words; date is "" in a week.
func (p Period) when(date clock.Date) string {
	day := dayNames[p.DayOfWeek]
	if date != "" {
		day += " " + string(date)
	}
	return fmt.Sprintf("%s %s–%s", day, p.StartTime, p.EndTime)
}

func (c clash) say(date clock.Date) string {
	what := c.mine.TeacherName
	if c.room {
		what = "Room " + c.mine.Room
	}
	return fmt.Sprintf("%s would be needed by %s (%s) and by %s (%s) at once.",
		what, c.mine.place(), c.mine.when(date), c.other.place(), c.other.when(date))
}

// refuse is the fault of clashes, nil for none. fields names the input of mine.
func refuse(found []clash, date clock.Date, fields func(Period) string) error {
	if len(found) == 0 {
		return nil
	}
	f := errClash.Saying("%s Choose another time, teacher or room for one of them.", found[0].say(date))
	for _, c := range found {
		field := "teacherId"
		if c.room {
			field = "room"
		}
		f.Fields = append(f.Fields, fault.Field{Field: fields(c.mine) + field, Message: c.say(date)})
	}
	return f
}

func ofDivision(division id.ID) func(Period) bool {
	return func(p Period) bool { return p.DivisionID == division }
}
