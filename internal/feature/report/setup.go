package report

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/web"
)

type setupOut struct {
	Done  bool   `json:"done" doc:"Every step that is not optional is done."`
	Steps []Step `json:"steps" doc:"In the order in which they are best done."`
}

// Step is a part of setting up a school.
type Step struct {
	Step     string `json:"step" enum:"DETAILS,LOGO,ACADEMIC_YEAR,HOLIDAYS,CLASSES,DIVISIONS,SUBJECTS,EMPLOYEES,CLASS_TEACHERS,STUDENTS,TIMETABLE,FEES,GRADES,TRANSPORT,LIBRARY,MESSAGES"`
	Done     bool   `json:"done"`
	Optional bool   `json:"optional"`
	Count    int    `json:"count" doc:"Number of records there are."`
	Missing  int    `json:"missing" doc:"Number of records that still lack something, such as divisions without a class teacher."`
}

// setupSteps counts the records of each step; it is done with one record and none missing.
const setupSteps = `
	WITH year AS (SELECT id FROM academic_years WHERE school_id = :school AND is_current),
		place AS (SELECT d.id, d.class_id FROM divisions d JOIN classes c ON c.school_id = d.school_id AND c.id = d.class_id
			WHERE d.school_id = :school AND c.academic_year_id IN (SELECT id FROM year))
	SELECT
		(SELECT CASE WHEN phone <> '' AND email <> '' AND address <> '' THEN 1 ELSE 0 END FROM schools WHERE id = :school) AS details,
		(SELECT COUNT(logo_file_id) FROM schools WHERE id = :school) AS logo,
		(SELECT COUNT(*) FROM year) AS years,
		(SELECT COUNT(*) FROM holidays WHERE school_id = :school) AS holidays,
		(SELECT COUNT(*) FROM classes WHERE school_id = :school AND academic_year_id IN (SELECT id FROM year)) AS classes,
		(SELECT COUNT(*) FROM place) AS divisions,
		(SELECT COUNT(*) FROM classes c WHERE c.school_id = :school AND c.academic_year_id IN (SELECT id FROM year)
			AND c.id NOT IN (SELECT class_id FROM place)) AS undivided,
		(SELECT COUNT(*) FROM subjects WHERE school_id = :school) AS subjects,
		(SELECT COUNT(*) FROM employees WHERE school_id = :school AND archived_at IS NULL AND status <> 'RESIGNED') AS employees,
		(SELECT COUNT(*) FROM place p WHERE NOT EXISTS (SELECT 1 FROM teacher_assignments a WHERE a.school_id = :school AND a.is_class_teacher
			AND a.class_id = p.class_id AND (a.division_id IS NULL OR a.division_id = p.id))) AS headless,
		(SELECT COUNT(*) FROM students WHERE school_id = :school AND archived_at IS NULL AND status = 'ACTIVE') AS students,
		(SELECT COUNT(*) FROM timetables WHERE school_id = :school AND division_id IN (SELECT id FROM place)) AS timetables,
		(SELECT COUNT(*) FROM fee_structures WHERE school_id = :school AND academic_year_id IN (SELECT id FROM year)) AS fees,
		(SELECT COUNT(*) FROM grade_scales WHERE school_id = :school) AS grades,
		(SELECT COUNT(*) FROM buses WHERE school_id = :school AND archived_at IS NULL AND status <> 'RETIRED') AS buses,
		(SELECT COUNT(*) FROM library_books WHERE school_id = :school) AS books,
		(SELECT COUNT(*) FROM (SELECT 1 FROM deliveries WHERE school_id = :school AND created_at >= :since AND status = 'SENT'
			AND (provider <> 'local' OR :local) LIMIT 1) sent) AS messages`

type setupCounts struct {
	Details, Logo, Years, Holidays, Classes, Divisions, Undivided, Subjects, Employees, Headless, Students, Timetables, Fees, Grades,
	Buses, Books, Messages int
}

// provenFor is how long a sent message proves that messages reach people.
const provenFor = 30 * 24 * time.Hour

// setup finds out which steps of setting up the school are done.
func (s *Service) setup(ctx context.Context, who actor.Actor, _ web.None) (setupOut, error) {
	n, err := db.One[setupCounts](ctx, s.DB.School(who.School), setupSteps,
		db.Args{"since": s.Now().Add(-provenFor), "local": s.Demo})
	if err != nil {
		return setupOut{}, fmt.Errorf("count the steps of setting up a school: %w", err)
	}
	out := setupOut{Done: true, Steps: []Step{
		{Step: "DETAILS", Count: n.Details},
		{Step: "LOGO", Count: n.Logo, Optional: true},
		{Step: "ACADEMIC_YEAR", Count: n.Years},
		{Step: "HOLIDAYS", Count: n.Holidays},
		{Step: "CLASSES", Count: n.Classes},
		{Step: "DIVISIONS", Count: n.Divisions, Missing: n.Undivided},
		{Step: "SUBJECTS", Count: n.Subjects},
		{Step: "EMPLOYEES", Count: n.Employees},
		{Step: "CLASS_TEACHERS", Count: n.Divisions - n.Headless, Missing: n.Headless},
		{Step: "STUDENTS", Count: n.Students},
		{Step: "TIMETABLE", Count: n.Timetables, Missing: n.Divisions - n.Timetables},
		{Step: "FEES", Count: n.Fees, Optional: true},
		{Step: "GRADES", Count: n.Grades, Optional: true},
		{Step: "TRANSPORT", Count: n.Buses, Optional: true},
		{Step: "LIBRARY", Count: n.Books, Optional: true},
		{Step: "MESSAGES", Count: n.Messages, Optional: true},
	}}
	for i := range out.Steps {
		step := &out.Steps[i]
		step.Done = step.Count > 0 && step.Missing == 0
		out.Done = out.Done && (step.Done || step.Optional)
	}
	return out, nil
}
