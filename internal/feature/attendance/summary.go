package attendance

import (
	"cmp"
	"context"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// maxSpan is the maximum number of days of a summary or an export.
const maxSpan = 366

// span is a day or a date range.
type span struct {
	Date *clock.Date `json:"date" doc:"One day. Default: today."`
	From *clock.Date `json:"from" doc:"First day; requires to."`
	To   *clock.Date `json:"to" doc:"Last day; requires from."`
}

// Check validates the fields together.
func (in *span) Check() error {
	switch {
	case in.Date != nil && (in.From != nil || in.To != nil):
		return fault.OnField("date", "can't be combined with from and to")
	case (in.From == nil) != (in.To == nil):
		return fault.OnField("to", "and from must be sent together")
	case in.From == nil:
		return nil
	case *in.To < *in.From:
		return fault.OnField("to", "must not be before from")
	case *in.To > in.From.AddDays(maxSpan-1):
		return fault.OnField("to", "must be within %d days of from", maxSpan)
	}
	return nil
}

// days returns the first and last day.
func (in span) days(today clock.Date) (from, to clock.Date) {
	switch {
	case in.From != nil:
		return *in.From, *in.To
	case in.Date != nil:
		return *in.Date, *in.Date
	}
	return today, today
}

type summaryIn struct {
	span
	ClassID *id.ID `json:"classId"`
}

// Summary has attendance totals by class and division.
type Summary struct {
	From       clock.Date     `json:"from"`
	To         clock.Date     `json:"to"`
	SchoolDays int            `json:"schoolDays" doc:"Number of school days by the calendar."`
	Totals     Tally          `json:"totals"`
	Classes    []classSummary `json:"classes"`
	NotMarked  []unmarked     `json:"notMarked" doc:"Divisions with unmarked students, on school days until today."`
}

type classSummary struct {
	ClassID   id.ID             `json:"classId"`
	ClassName string            `json:"className"`
	Students  int               `json:"students" doc:"Current number of students."`
	Totals    Tally             `json:"totals"`
	Divisions []divisionSummary `json:"divisions"`
}

type divisionSummary struct {
	DivisionID   *id.ID   `json:"divisionId" doc:"Null for students without a division."`
	DivisionName opt.Text `json:"divisionName"`
	Students     int      `json:"students"`
	Marks        int      `json:"marks"`
	Totals       Tally    `json:"totals"`
}

type unmarked struct {
	ClassID          id.ID        `json:"classId"`
	ClassName        string       `json:"className"`
	DivisionID       *id.ID       `json:"divisionId"`
	DivisionName     opt.Text     `json:"divisionName"`
	Students         int          `json:"students"`
	ClassTeacherID   *id.ID       `json:"classTeacherId" doc:"Employee id of the class teacher."`
	ClassTeacherName opt.Text     `json:"classTeacherName"`
	Dates            []clock.Date `json:"dates"`
}

// place is a division, or a class without divisions, with its counts.
type place struct {
	seat
	ClassName, DivisionName string
	DisplayOrder            int
	students, marks         int
	tally                   Tally
	marked                  map[clock.Date]bool // by a user, not by a leave
}

func (s *Service) summary(ctx context.Context, who actor.Actor, in summaryIn) (Summary, error) {
	q, today := s.DB.School(who.School), s.today(who.Zone)
	out := Summary{Classes: []classSummary{}, NotMarked: []unmarked{}}
	out.From, out.To = in.days(today)
	visible, err := seesPlaces(ctx, q, who, s.substitutions(who.Zone, out.From, out.To), in.ClassID)
	if err != nil {
		return out, err
	}
	cal, err := school.CalendarOf(ctx, q, out.From, out.To)
	if err != nil {
		return out, err
	}
	places, err := listPlaces(ctx, q, out.From, out.To, in.ClassID, visible)
	if err != nil {
		return out, err
	}
	held := cal.SchoolDays(out.From, out.To)
	out.SchoolDays = len(held)
	out.fill(places)
	return out, out.findUnmarked(ctx, q, places, slices.DeleteFunc(held, func(d clock.Date) bool { return d > today }))
}

// seesPlaces returns a filter for the places that the caller may see: teachers their
// assignments, and substitutions on the day on; office staff all.
func seesPlaces(ctx context.Context, q db.Q, who actor.Actor, on clock.Date, class *id.ID) (func(seat) bool, error) {
	if who.Role != actor.Teacher {
		return func(seat) bool { return true }, people.MustExist(ctx, q, people.Ref{Table: "classes", ID: class, Missing: academics.ErrNoClass})
	}
	teacher := academics.Caller{User: who.User, Day: on}
	if class != nil {
		if err := academics.TeachesClass(ctx, q, teacher, *class); err != nil {
			return nil, err
		}
	}
	taught, err := academics.AssignedDivisions(ctx, q, teacher)
	return func(at seat) bool {
		return slices.ContainsFunc(taught, func(t academics.Taught) bool { return t.ClassID == at.ClassID && t.DivisionID == at.DivisionID })
	}, err
}

// fill sums the places, which are sorted by class.
func (out *Summary) fill(places []*place) {
	for _, p := range places {
		if n := len(out.Classes); n == 0 || out.Classes[n-1].ClassID != p.ClassID {
			out.Classes = append(out.Classes, classSummary{ClassID: p.ClassID, ClassName: p.ClassName, Divisions: []divisionSummary{}})
		}
		c := &out.Classes[len(out.Classes)-1]
		c.Students += p.students
		c.Totals.merge(p.tally)
		c.Divisions = append(c.Divisions, divisionSummary{opt.Ptr(p.DivisionID), opt.Text(p.DivisionName), p.students, p.marks, p.tally.done()})
		out.Totals.merge(p.tally)
	}
	for i := range out.Classes {
		out.Classes[i].Totals = out.Classes[i].Totals.done()
	}
	out.Totals = out.Totals.done()
}

// findUnmarked lists the places with unmarked days.
func (out *Summary) findUnmarked(ctx context.Context, q db.Q, places []*place, days []clock.Date) error {
	for _, p := range places {
		missing := slices.DeleteFunc(slices.Clone(days), func(d clock.Date) bool { return p.marked[d] })
		if p.students > 0 && len(missing) > 0 {
			out.NotMarked = append(out.NotMarked, unmarked{ClassID: p.ClassID, ClassName: p.ClassName,
				DivisionID: opt.Ptr(p.DivisionID), DivisionName: opt.Text(p.DivisionName), Students: p.students, Dates: missing})
		}
	}
	if len(out.NotMarked) == 0 {
		return nil
	}
	teachers, err := classTeachers(ctx, q, places)
	if err != nil {
		return err
	}
	for i := range out.NotMarked {
		n := &out.NotMarked[i]
		t, ok := teachers[seat{n.ClassID, opt.Value(n.DivisionID)}]
		if !ok {
			t = teachers[seat{ClassID: n.ClassID}] // of the class as a whole
		}
		n.ClassTeacherID, n.ClassTeacherName = opt.Ptr(t.EmployeeID), opt.Text(t.Name)
	}
	return nil
}

func comparePlaces(a, b *place) int {
	return cmp.Or(cmp.Compare(a.DisplayOrder, b.DisplayOrder), cmp.Compare(a.ClassID, b.ClassID),
		cmp.Compare(a.DivisionName, b.DivisionName), cmp.Compare(a.DivisionID, b.DivisionID))
}
