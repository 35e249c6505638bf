package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/exam"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/schema"
)

// homeChild returns the demo parent's child in the demo teacher's class.
func (s demoServices) homeChild(t *testing.T, at id.ID, p demoPlan) id.ID {
	t.Helper()
	q := s.DB.School(at)
	parent, err := s.Identity.FindByPhone(t.Context(), q, actor.Parent, p.parent())
	if err != nil {
		t.Fatal(err)
	}
	children, err := people.ChildrenOf(t.Context(), q, parent)
	if err != nil {
		t.Fatal(err)
	}
	return one[id.ID](t, q, `SELECT s.id FROM students s JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id
		WHERE s.school_id = :school AND s.id IN (:children) AND c.name = 'Grade 5'`, db.Args{"children": children})
}

// checkCounts checks row counts, by table with an optional WHERE.
func checkCounts(t *testing.T, q db.Q, a db.Args, want map[string]int) {
	t.Helper()
	for table, want := range want {
		used := db.Args{}
		for name, v := range a {
			if strings.Contains(table, ":"+name) {
				used[name] = v
			}
		}
		if got := one[int](t, q, `SELECT COUNT(*) FROM `+where(table)+` school_id = :school`, used); got != want {
			t.Errorf("%d %s, want %d", got, table, want)
		}
	}
}

// checkExams checks for one exam with published results and one ahead.
func checkExams(t *testing.T, s demoServices, at id.ID, p demoPlan) {
	t.Helper()
	q := s.DB.School(at)
	checkCounts(t, q, db.Args{"today": clock.DateIn(s.Now(), p.zone)}, map[string]int{
		"exams": 2, "exam_papers": 12, "exam_results": 180, "exam_results WHERE outcome = 'ABSENT'": 1, "grade_scales WHERE is_default": 1,
		"exams WHERE state = 'PUBLISHED' AND last_day <= :today":  1,
		"exams WHERE state = 'SCHEDULED' AND first_day >= :today": 1,
		"deliveries WHERE to_addr LIKE '%result'":                 30, // one for each student
	})
	seen, err := s.Exams.Section().Read(t.Context(), q, s.homeChild(t, at, p))
	results, ok := seen.([]exam.Achieved)
	if err != nil || !ok || len(results) != 1 {
		t.Fatalf("results of the demo parent's child: %v %v", seen, err)
	}
	r := results[0]
	if r.Exam.Name != "First term exam" || len(r.Subjects) != 6 || r.Total.Percent == nil || r.Total.Grade.Grade == "" {
		t.Errorf("%s: %+v", p.code, r)
	}
	for _, line := range r.Subjects {
		if line.Outcome != exam.Scored || line.Grade.Grade == "" {
			t.Errorf("%s: %+v", p.code, line)
		}
	}
}

// checkLibrary checks that the demo child has one loan in time and one overdue,
// which someone else has reserved.
func checkLibrary(t *testing.T, s demoServices, at id.ID, p demoPlan) {
	t.Helper()
	isbns := 0
	for _, b := range demoTitles() {
		if b.isbn != "" {
			isbns++
		}
	}
	a := db.Args{"child": s.homeChild(t, at, p), "today": clock.DateIn(s.Now(), p.zone)}
	checkCounts(t, s.DB.School(at), a, map[string]int{
		"library_books": 25, "library_books WHERE isbn <> ''": isbns, "library_books WHERE price = 0": 0,
		"library_loans WHERE status = 'ISSUED'":                                                                             6,
		"library_loans WHERE employee_id IS NOT NULL":                                                                       1,
		"library_loans WHERE due_date < :today":                                                                             1,
		"library_loans WHERE due_date < :today AND student_id = :child":                                                     1,
		"library_loans WHERE due_date > :today AND student_id = :child":                                                     1,
		"library_loans WHERE issue_date > :today":                                                                           0,
		"library_reservations WHERE status = 'WAITING'":                                                                     1,
		"library_reservations WHERE student_id = :child":                                                                    0,
		"library_copies WHERE status = 'ISSUED'":                                                                            6,
		"library_books WHERE title = 'Treasure Island' AND available = 0":                                                   1,
		"library_books WHERE title = 'The Secret Garden' AND available = 1":                                                 1,
		"library_loans l WHERE l.created_at > (SELECT MAX(created_at) FROM library_reservations WHERE school_id = :school)": 0,
	})
}

// TestDemoExamDays checks every day of two years: the exams must be within the
// academic year, before and after today, and on school days if there are any.
func TestDemoExamDays(t *testing.T) {
	t.Parallel()
	const n = 6
	for _, p := range demoPlans() {
		for today := clock.Date("2026-01-01"); today < "2028-03-02"; today = today.AddDays(1) {
			first := p.yearStart(today)
			holidays := []school.Holiday{{Date: today.AddDays(9), EndDate: today.AddDays(9)}}
			for _, h := range p.holidays {
				holidays = append(holidays, school.Holiday{Date: h.within(first), EndDate: h.within(first).AddDays(h.days - 1)})
			}
			past, coming := examDays(holidays, first, today, n)
			for _, days := range [][]clock.Date{past, coming} {
				if len(days) == 0 || len(days) > n || !slices.IsSorted(days) || days[0] < first || days[len(days)-1] > yearEnd(first) {
					t.Fatalf("%s on %s: %v", p.code, today, days)
				}
				if free := len(schoolDays(holidays, days[0], days[len(days)-1])); free != len(days) && !slices.Equal(days, []clock.Date{today}) {
					t.Fatalf("%s on %s: %v are no school days in a row", p.code, today, days)
				}
			}
			if past[len(past)-1] > today || coming[0] < today {
				t.Fatalf("%s on %s: %v and %v", p.code, today, past, coming)
			}
			if calm := today.AddDays(-60) > first && today.AddDays(60) < yearEnd(first); calm &&
				(past[len(past)-1] > today.AddDays(-demoApart) || coming[0] < today.AddDays(demoApart)) {
				t.Fatalf("%s on %s: %v and %v are too near", p.code, today, past, coming)
			}
		}
	}
}

func TestDemoPapers(t *testing.T) {
	t.Parallel()
	for _, days := range [][]clock.Date{{"2026-09-01"}, {"2026-09-01", "2026-09-02", "2026-09-03", "2026-09-04"}} {
		in := exam.NewSchedule{ExamID: id.New(), Entries: papersOn(days, id.New(), []academics.Subject{
			{ID: id.New()}, {ID: id.New()}, {ID: id.New()}, {ID: id.New()}, {ID: id.New()}, {ID: id.New()}})}
		if err := in.Check(); err != nil {
			t.Error(err)
		}
		for i, e := range in.Entries {
			if e.Date == days[0] && i > 0 && *e.StartTime <= *in.Entries[i-1].EndTime {
				t.Errorf("%s begins at %s, before the last is over", e.Date, *e.StartTime)
			}
		}
		if end := in.Entries[len(in.Entries)-1]; end.Date != days[len(days)-1] || *end.EndTime > "16:00" {
			t.Errorf("the last paper ends on %s at %s", end.Date, *end.EndTime)
		}
	}
}

// TestDemoOnOddDays creates the demo on the first and on the last day of an
// academic year, and on a Saturday that starts one.
func TestDemoOnOddDays(t *testing.T) {
	t.Parallel()
	for _, day := range []clock.Date{"2027-03-31", "2027-04-01", "2026-08-01"} {
		dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) {
			s := newDemo(t, d, func() time.Time { return day.Time().Add(12 * time.Hour) })
			if err := s.seed(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, p := range demoPlans() {
				at := s.schoolOf(t, p.code)
				checkExams(t, s, at, p)
				checkLibrary(t, s, at, p)
				checkFees(t, s, at, p)
			}
		})
	}
}
