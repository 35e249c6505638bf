package attendance

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

const csvTime = 10 * time.Minute

var csvColumns = []csv.Column{{Name: "date"}, {Name: "class"}, {Name: "division"}, {Name: "rollNo"}, {Name: "admissionNo"},
	{Name: "firstName"}, {Name: "lastName"}, {Name: "periodNo"}, {Name: "status"}, {Name: "halfDay"}, {Name: "minutesLate"},
	{Name: "remark"}, {Name: "markedAt"}}

type exportIn struct {
	span
	Month      string `json:"month" pattern:"^\\d{4}-(0[1-9]|1[0-2])$" patternHint:"must be a month, YYYY-MM" example:"2026-10" doc:"Instead of days. Default: this month."`
	ClassID    *id.ID `json:"classId"`
	DivisionID *id.ID `json:"divisionId"`
}

// Check validates the fields together.
func (in *exportIn) Check() error {
	if in.Month != "" && (in.Date != nil || in.From != nil || in.To != nil) {
		return fault.OnField("month", "can't be combined with days")
	}
	return in.span.Check()
}

// export writes marks as a CSV file, with one query per day. A slow client holds no
// query open, and only one day is in memory.
func (s *Service) export(ctx context.Context, who actor.Actor, in exportIn) (web.File, error) {
	q, today := s.DB.School(who.School), s.today(who.Zone)
	err := people.MustExist(ctx, q, people.Ref{Table: "classes", ID: in.ClassID, Missing: academics.ErrNoClass},
		people.Ref{Table: "divisions", ID: in.DivisionID, Missing: academics.ErrNoDivision})
	if err != nil {
		return web.File{}, err
	}
	from, to := in.days(today)
	if in.Date == nil && in.From == nil {
		if in.Month == "" {
			in.Month = string(today[:7])
		}
		from, to = monthOf(in.Month)
	}
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		return s.Audit.Record(ctx, tx, who, "attendance.export", "attendance", "", nil,
			map[string]any{"from": from, "to": to, "classId": in.ClassID, "divisionId": in.DivisionID})
	})
	if err != nil {
		return web.File{}, err
	}
	name := fmt.Sprintf("attendance-%s-%s.csv", from, to)
	return web.File{Name: name, Type: csv.Type, Write: func(ctx context.Context, out io.Writer) error {
		w, err := csv.NewWriter(out, csvColumns)
		if err != nil {
			return err
		}
		for _, d := range days(from, to) {
			if err := writeDay(ctx, q, d, in, w); err != nil {
				return err
			}
		}
		return w.Flush()
	}}, nil
}

// exportRow is a mark with the names of student, class and division.
type exportRow struct {
	pupil
	Class, Division string
	PeriodNo        int
	said
	MarkedAt time.Time
}

func writeDay(ctx context.Context, q db.Q, date clock.Date, in exportIn, w *csv.Writer) error {
	rows, err := db.All[exportRow](ctx, q, `
		SELECT s.id AS student_id, s.admission_no, s.first_name, s.last_name, s.roll_no, c.name AS class, COALESCE(d.name, '') AS division,
			a.period_no, a.status, a.half_day, a.minutes_late, a.remark, a.marked_at
		FROM attendance a
		JOIN students s ON s.school_id = a.school_id AND s.id = a.student_id AND s.archived_at IS NULL
		JOIN classes c ON c.school_id = a.school_id AND c.id = a.class_id
		LEFT JOIN divisions d ON d.school_id = a.school_id AND d.id = a.division_id
		WHERE a.school_id = :school AND a.date = :date`+
		db.When(in.ClassID != nil, ` AND a.class_id = :class`)+db.When(in.DivisionID != nil, ` AND a.division_id = :division`)+`
		ORDER BY c.display_order, c.id, division, COALESCE(s.roll_no, 2147483647), s.first_name, s.id, a.period_no`,
		db.Args{"date": date, "class": in.ClassID, "division": in.DivisionID})
	if err != nil {
		return fmt.Errorf("read marks of day: %w", err)
	}
	for _, r := range rows {
		err := w.Write([]string{string(date), r.Class, r.Division, number(opt.Value(r.RollNo)), r.AdmissionNo, r.FirstName, string(r.LastName),
			number(r.PeriodNo), r.Status, r.HalfDay, number(r.MinutesLate), r.Remark, r.MarkedAt.Format(time.RFC3339)})
		if err != nil {
			return err
		}
	}
	return nil
}

// number formats n, with 0 as "".
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// Section is a student's attendance in its profile and data export.
func (s *Service) Section() people.Section {
	type entry struct {
		Date     clock.Date `json:"date"`
		PeriodNo *int       `json:"periodNo"`
		saying
	}
	type section struct {
		Totals Tally   `json:"totals"`
		Marks  []entry `json:"marks"`
	}
	return people.Section{Name: "attendance", Module: "attendance", Read: func(ctx context.Context, q db.Q, student id.ID) (any, error) {
		out := section{Marks: []entry{}}
		err := db.Each(ctx, q, `SELECT date, period_no, `+stateColumns+` FROM attendance
			WHERE school_id = :school AND student_id = :student ORDER BY date, period_no`, db.Args{"student": student}, func(m mark) error {
			out.Marks = append(out.Marks, entry{m.Date, opt.Ptr(m.PeriodNo), *m.saying()})
			if m.PeriodNo == wholeDay {
				out.Totals.add(m.said, 1)
			}
			return nil
		})
		out.Totals = out.Totals.done()
		return out, fault.Wrap("read attendance of student", err)
	}}
}

// HasHistory reports whether a student has marks.
func (s *Service) HasHistory(ctx context.Context, q db.Q, student id.ID) (bool, error) {
	return db.One[bool](ctx, q, `
		SELECT EXISTS (SELECT 1 FROM attendance WHERE school_id = :school AND student_id = :student) AS marked`, db.Args{"student": student})
}

// YearRecords counts the marks of students in an academic year.
func (s *Service) YearRecords() people.YearRecords {
	return people.YearRecords{TakeBack: s.takeBackYear, One: "mark of attendance", Many: "marks of attendance",
		Count: func(ctx context.Context, q db.Q, y school.Year, students []id.ID) (int, error) {
			return db.One[int](ctx, q, `
				SELECT count(*) FROM attendance WHERE school_id = :school AND student_id IN (:students) AND date BETWEEN :start AND :end`,
				db.Args{"students": students, "start": y.StartDate, "end": y.EndDate})
		},
		Lock: func(ctx context.Context, tx *db.Tx, y school.Year, students []id.ID) error {
			classes, err := db.All[id.ID](ctx, tx, `
				SELECT DISTINCT class_id FROM enrolments WHERE school_id = :school AND academic_year_id = :year AND student_id IN (:students)
				ORDER BY class_id`, db.Args{"year": y.ID, "students": students})
			for _, class := range classes {
				if err := lock(ctx, tx, class); err != nil {
					return err
				}
			}
			return fault.Wrap("read classes of students", err)
		}}
}

// Erase deletes the remarks about a student, the only personal data here.
func (s *Service) Erase(ctx context.Context, tx *db.Tx, e people.Erased) error {
	for _, table := range []string{"attendance", "attendance_revisions"} {
		_, err := db.Exec(ctx, tx, `UPDATE `+table+` SET remark = '' WHERE school_id = :school AND student_id = :student AND remark <> ''`,
			db.Args{"student": e.Student})
		if err != nil {
			return fmt.Errorf("erase remarks: %w", err)
		}
	}
	return nil
}
