package timetable

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// The columns of a file of lessons, one row per lesson of the week.
const (
	inClass = iota
	inDivision
	inDay
	inPeriod
	inStart
	inEnd
	inSubject
	inTeacher
	inRoom
)

var lessonColumns = []csv.Column{
	inClass:    {Name: "class", Also: []string{"Grade", "Class Name"}},
	inDivision: {Name: "division", Also: []string{"Section"}},
	inDay:      {Name: "day", Also: []string{"Weekday", "Day of Week"}},
	inPeriod:   {Name: "period", Also: []string{"Period No", "Period Number", "Lesson"}},
	inStart:    {Name: "start", Also: []string{"Start Time", "From"}},
	inEnd:      {Name: "end", Also: []string{"End Time", "To"}},
	inSubject:  {Name: "subject", Also: []string{"Subject Code", "Subject Name"}},
	inTeacher:  {Name: "teacher", Also: []string{"Teacher Code", "Employee Code"}},
	inRoom:     {Name: "room"},
}

// inWeek is a row of a file: a lesson, and the names that Check looks up.
type inWeek struct {
	class, division, subject, teacher string
	at                                home // the division
	NewPeriod
}

// home is a division with its class.
type home struct{ ClassID, DivisionID id.ID }

// importWeeks replaces the weeks of the divisions that a CSV file names.
func (s *Service) importWeeks(ctx context.Context, who actor.Actor, in people.FormIn) (people.Imported, error) {
	return people.ImportRows(ctx, who, in, people.Form[inWeek]{
		Columns: lessonColumns, Needs: []int{inClass, inDivision, inDay, inPeriod, inStart, inEnd, inSubject}, Keep: s.imports(),
		Read: readLesson, Check: checkLessons,
		Write: func(ctx context.Context, tx *db.Tx, rows []*people.Row[inWeek]) (people.Added, error) {
			return s.writeWeeks(ctx, tx, who, rows)
		},
	})
}

func readLesson(c people.Cells) inWeek {
	l := inWeek{class: c.Text(inClass, 100), division: c.Text(inDivision, 100), subject: c.Text(inSubject, 100),
		teacher: c.Text(inTeacher, 50)}
	l.Room = c.Text(inRoom, 100)
	if l.DayOfWeek = dayNumber(c.Text(inDay, 20)); l.DayOfWeek == 0 {
		c.Wrong(inDay, "must be a day of the week, such as Monday or 1")
	}
	if n := c.Number(inPeriod, 50); n != nil && *n > 0 {
		l.PeriodNo = *n
	} else {
		c.Wrong(inPeriod, "must be a number from 1 to 50")
	}
	for column, to := range map[int]*clock.TimeOfDay{inStart: &l.StartTime, inEnd: &l.EndTime} {
		text := c.Text(column, 8)
		if len(text) == len("8:30") {
			text = "0" + text
		}
		t, err := clock.ParseTimeOfDay(text)
		if err != nil {
			c.Wrong(column, "must be a time, such as 08:30")
		}
		*to = t
	}
	if l.StartTime != "" && l.EndTime != "" && l.EndTime <= l.StartTime {
		c.Wrong(inEnd, "must be after the start")
	}
	return l
}

// dayNumber reads a day: its number, or its name or the first three letters, in English
// or Spanish; 0 for anything else.
func dayNumber(text string) int {
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= 7 {
		return n
	}
	text = people.Fold(text)
	for i, names := range [][2]string{{"monday", "lunes"}, {"tuesday", "martes"}, {"wednesday", "miercoles"}, {"thursday", "jueves"},
		{"friday", "viernes"}, {"saturday", "sabado"}, {"sunday", "domingo"}} {
		for _, name := range names {
			if text == name || len(text) == 3 && strings.HasPrefix(name, text) {
				return i + 1
			}
		}
	}
	return 0
}

// checkLessons looks up the names of the file, and refuses lessons that overlap within it.
func checkLessons(ctx context.Context, tx *db.Tx, rows []*people.Row[inWeek]) error {
	if err := lock(ctx, tx); err != nil {
		return err
	}
	known, err := readNames(ctx, tx)
	if err != nil {
		return err
	}
	byDay := map[int][]*people.Row[inWeek]{}
	for _, r := range rows {
		known.find(r)
		for _, other := range byDay[r.Line.DayOfWeek] {
			checkPair(r, other)
		}
		byDay[r.Line.DayOfWeek] = append(byDay[r.Line.DayOfWeek], r)
	}
	return nil
}

// checkPair refuses two lessons of one division or one teacher at the same time.
func checkPair(r, other *people.Row[inWeek]) {
	a, b := r.Line, other.Line
	overlaps := a.StartTime < b.EndTime && b.StartTime < a.EndTime
	switch {
	case a.at.DivisionID != "" && a.at == b.at && a.PeriodNo == b.PeriodNo:
		r.Wrong(inPeriod, "is already used in row %d", other.No)
	case a.at.DivisionID != "" && a.at == b.at && overlaps:
		r.Wrong(inStart, "overlaps the lesson of row %d", other.No)
	case a.TeacherID != nil && b.TeacherID != nil && *a.TeacherID == *b.TeacherID && overlaps:
		r.Wrong(inTeacher, "has another lesson at this time in row %d", other.No)
	}
}

// writeWeeks replaces the weeks, then refuses what clashes with other divisions.
func (s *Service) writeWeeks(ctx context.Context, tx *db.Tx, who actor.Actor, rows []*people.Row[inWeek]) (added people.Added, err error) {
	weeks := map[home][]NewPeriod{}
	var order []home
	for _, r := range rows {
		if weeks[r.Line.at] == nil {
			order = append(order, r.Line.at)
		}
		weeks[r.Line.at] = append(weeks[r.Line.at], r.Line.NewPeriod)
	}
	var year id.ID
	for _, at := range order {
		before, err := getWeek(ctx, tx, at.ClassID, at.DivisionID)
		if err != nil {
			return nil, err
		}
		year = before.AcademicYearID
		if err := s.putWeek(ctx, tx, who, before, NewWeek{ClassID: at.ClassID, DivisionID: at.DivisionID, Periods: weeks[at]}); err != nil {
			return nil, err
		}
		if err := added.Replace("timetable", before.Version+1, at.DivisionID, rowsOf(before)); err != nil {
			return nil, err
		}
	}
	return added, s.checkWeek(ctx, tx, who, year, among(order), func(Period) string { return "" })
}

func among(all []home) func(Period) bool {
	return func(p Period) bool { return slices.Contains(all, home{p.ClassID, p.DivisionID}) }
}

func (s *Service) lessonTemplate(context.Context, actor.Actor, web.None) (web.File, error) {
	return people.Template("timetable-template.csv", lessonColumns,
		"Grade 1", "A", "Monday", "1", "08:30", "09:15", "MATH", "E0001", "101"), nil
}
