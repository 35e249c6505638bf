package timetable

import (
	"fmt"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// maxClashes is the most clashes that an error lists.
const maxClashes = 100

// dayOf applies overrides to the week's lessons of a day. Cancelled ones are marked.
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

// on applies the override to a lesson.
func (o Override) on(p Period) Period {
	p.Override = &Difference{ID: o.ID, IsCancelled: o.IsCancelled, Note: o.Note,
		RegularTeacherID: p.TeacherID, RegularSubjectID: p.SubjectID, RegularRoom: p.Room}
	if o.TeacherID != nil {
		p.TeacherID, p.TeacherName = o.TeacherID, o.TeacherName
	}
	if o.SubjectID != nil {
		p.SubjectID, p.SubjectName = *o.SubjectID, string(o.SubjectName)
	}
	if o.Room != nil {
		p.Room = opt.Text(*o.Room)
	}
	return p
}

// clash is two lessons with the same teacher or room at the same time.
type clash struct {
	mine, other Period
	room        bool // false: the teacher
}

// clashes returns the clashes of lessons of mine, among lessons of one day or week.
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
			case p.Room != "" && roomKey(string(p.Room)) == roomKey(string(c.mine.Room)):
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

// overlap reports whether lessons share a minute. One may start when the other ends.
func overlap(a, b Period) bool {
	return a.DayOfWeek == b.DayOfWeek && a.StartTime < b.EndTime && b.StartTime < a.EndTime
}

// roomKey normalizes case and spaces of a room's name.
func roomKey(room string) string { return strings.Join(strings.Fields(people.Fold(room)), " ") }

var dayNames = [...]string{"", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// when formats the time of a lesson; date is "" in a week.
func (p Period) when(date clock.Date) string {
	day := dayNames[p.DayOfWeek]
	if date != "" {
		return fmt.Sprintf("%s %s %s–%s", day, date, p.StartTime, p.EndTime)
	}
	return fmt.Sprintf("%s %s–%s", day, p.StartTime, p.EndTime)
}

func (c clash) say(date clock.Date) string {
	mine, theirs := c.mine.when(date), c.other.when(date)
	if c.room {
		return fmt.Sprintf("Room %s would be booked twice: for %s (%s) and for %s (%s).",
			c.mine.Room, c.mine.place(), mine, c.other.place(), theirs)
	}
	return fmt.Sprintf("%s would be booked twice: for %s (%s) and for %s (%s).",
		c.mine.TeacherName, c.mine.place(), mine, c.other.place(), theirs)
}

// refuse returns the error for clashes, nil for none. fields is the input field of a period.
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
