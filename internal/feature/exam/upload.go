package exam

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/elective"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// entry is the input for one student in a paper. Without marks and outcome it deletes
// the result.
type entry struct {
	at      string // the client's path: results[3] or row 5
	student id.ID
	marks   *Marks
	outcome Outcome // "" if not given
	parts   []Part
	remark  *string // nil: unchanged
	bad     []fault.Field
}

// Uploaded counts the results of an upload.
type Uploaded struct {
	Total     int `json:"total"`
	Created   int `json:"created"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
	Removed   int `json:"removed" doc:"Results that were deleted."`
}

// pupil is a student of the paper's class, or one who had a result there before moving to
// another class. A result keeps its division.
type pupil struct {
	StudentID   id.ID
	AdmissionNo string
	DivisionID  *id.ID // of the result, else today's
	Today       *id.ID // the student's division today, if it is one of the class
	ResultID    id.ID  // "" for none
	Marks       *Marks
	Outcome     Outcome
	Components  *db.JSON[[]Part]
	Remark      string
}

// sheet is a paper with its students, the target of an upload.
type sheet struct {
	exam   Exam
	paper  Paper
	pupils []pupil
}

// target identifies the paper of an upload.
type target struct{ exam, class, subject id.ID }

// upload writes results, all or none, with a fixed number of statements. It is
// idempotent. entries parses the input for the paper and its students.
func (s *Service) upload(ctx context.Context, who actor.Actor, at target, entries func(sheet) ([]entry, error)) (out Uploaded, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		sh, reach, err := s.openSheet(ctx, tx, who, at)
		if err != nil {
			return err
		}
		list, err := entries(sh)
		if err != nil {
			return err
		}
		if err := sh.check(ctx, tx, list, reach); err != nil {
			return err
		}
		var change change
		out, change = s.compare(sh, list)
		if err := change.write(ctx, tx); err != nil {
			return err
		}
		if out.Unchanged == out.Total {
			return nil
		}
		return s.record(ctx, tx, who, "result.upload", at.exam,
			map[string]any{"results": change.before},
			map[string]any{"classId": at.class, "subjectId": at.subject, "results": change.rows, "removed": change.removed})
	})
	return out, err
}

// openSheet locks the exam and reads the paper and its students, if the caller may
// mark it and the exam's status allows it.
func (s *Service) openSheet(ctx context.Context, tx *db.Tx, who actor.Actor, at target) (sh sheet, r reach, err error) {
	if err := lock(ctx, tx, at.exam); err != nil {
		return sh, r, err
	}
	if sh.exam, err = getExam(ctx, tx, at.exam, s.today(who)); err != nil {
		return sh, r, err
	}
	err = people.MustExist(ctx, tx, people.Ref{Table: "classes", ID: &at.class, Missing: academics.ErrNoClass},
		people.Ref{Table: "subjects", ID: &at.subject, Missing: academics.ErrNoSubject})
	if err != nil {
		return sh, r, err
	}
	if r, err = markerOf(ctx, tx, who, at.class, at.subject); err != nil {
		return sh, r, err
	}
	if err := sh.exam.allows(toUpload); err != nil {
		return sh, r, err
	}
	if sh.paper, err = getPaper(ctx, tx, at.exam, at.class, at.subject); err != nil {
		return sh, r, err
	}
	sh.pupils, err = db.All[pupil](ctx, tx, `
		SELECT s.id AS student_id, s.admission_no, COALESCE(r.division_id, n.division_id) AS division_id, n.division_id AS today,
			r.id AS result_id, r.marks, COALESCE(r.outcome, '') AS outcome, r.components, COALESCE(r.remark, '') AS remark
		FROM (SELECT student_id FROM enrolments WHERE school_id = :school AND academic_year_id = :year AND class_id = :class
			UNION SELECT student_id FROM exam_results WHERE school_id = :school AND paper_id = :paper) p
		JOIN students s ON s.school_id = :school AND s.id = p.student_id AND s.archived_at IS NULL
		LEFT JOIN enrolments n ON n.school_id = s.school_id AND n.student_id = s.id AND n.academic_year_id = :year AND n.class_id = :class
		LEFT JOIN exam_results r ON r.school_id = s.school_id AND r.student_id = s.id AND r.paper_id = :paper
		WHERE r.id IS NOT NULL OR `+elective.Takes(":class", ":subject", "s.id")+`
		ORDER BY s.id`,
		db.Args{"paper": sh.paper.ID, "year": sh.exam.AcademicYearID, "class": at.class, "subject": at.subject})
	if err != nil {
		return sh, r, fmt.Errorf("read students of paper: %w", err)
	}
	return sh, r, nil
}

// check validates the entries and returns all errors, in the order of the input.
func (sh sheet) check(ctx context.Context, q db.Q, list []entry, r reach) error {
	byID := map[id.ID]pupil{}
	for _, p := range sh.pupils {
		byID[p.StudentID] = p
	}
	var strangers []id.ID
	for _, e := range list {
		if _, ok := byID[e.student]; !ok && e.student != "" {
			strangers = append(strangers, e.student)
		}
	}
	if err := mustBeStudents(ctx, q, strangers); err != nil {
		return err
	}
	var bad []fault.Field
	seen := map[id.ID]string{}
	for _, e := range list {
		bad = append(bad, e.bad...)
		p, ok := byID[e.student]
		switch {
		case e.student == "": // the row has an error already
		case !ok:
			bad = append(bad, fault.Field{Field: e.at + ".studentId", Message: "is not in this class, or does not take this subject"})
		case !r.has(p.DivisionID) && !r.has(p.Today):
			return academics.ErrNotSubject
		case seen[e.student] != "":
			bad = append(bad, fault.Field{Field: e.at + ".studentId", Message: "is the same as in " + seen[e.student]})
		}
		seen[e.student] = e.at
		for _, f := range sh.paper.check(e) {
			if !slices.ContainsFunc(e.bad, func(b fault.Field) bool { return b.Field == f.Field }) {
				bad = append(bad, f)
			}
		}
	}
	return firstOf(bad)
}

// firstOf returns the first errors, and the number of those left out.
func firstOf(bad []fault.Field) error {
	const most = 1000
	if len(bad) == 0 {
		return nil
	}
	if rest := len(bad) - most; rest > 0 {
		bad = append(bad[:most:most], fault.Field{Field: "notShown", Message: fmt.Sprintf("%d more errors are not listed", rest)})
	}
	return fault.Fields(bad...)
}

// mustBeStudents returns ErrNoStudent unless all ids are students of the school.
func mustBeStudents(ctx context.Context, q db.Q, ids []id.ID) error {
	if len(ids) == 0 {
		return nil
	}
	known, err := db.All[id.ID](ctx, q, `
		SELECT id FROM students WHERE school_id = :school AND archived_at IS NULL AND id IN (:ids)`, db.Args{"ids": ids})
	if err != nil {
		return fmt.Errorf("look up students: %w", err)
	}
	for _, v := range ids {
		if !slices.Contains(known, v) {
			return people.ErrNoStudent
		}
	}
	return nil
}

// check validates an entry for the paper.
func (p Paper) check(e entry) (bad []fault.Field) {
	say := func(field, format string, a ...any) {
		bad = append(bad, fault.Field{Field: e.at + "." + field, Message: fmt.Sprintf(format, a...)})
	}
	switch {
	case e.outcome == Scored && e.marks == nil && len(e.parts) == 0:
		say("marks", "are required if the outcome is SCORED")
	case (e.outcome == Absent || e.outcome == Exempt) && (e.marks != nil || len(e.parts) > 0):
		say("marks", "must be null if the outcome is %s", e.outcome)
	case e.marks != nil && *e.marks > p.MaxMarks:
		say("marks", "must be at most %s, the paper's maximum", p.MaxMarks)
	}
	if len(e.parts) == 0 {
		return bad
	}
	var sum Marks
	for i, part := range e.parts {
		at := fmt.Sprintf("components[%d]", i)
		of := slices.IndexFunc(p.Components.V, func(c Component) bool { return people.Fold(c.Name) == people.Fold(part.Name) })
		switch {
		case of < 0:
			say(at+".name", "is not a component of this paper")
		case part.Marks > p.Components.V[of].MaxMarks:
			say(at+".marks", "must be at most %s, the maximum of %s", p.Components.V[of].MaxMarks, p.Components.V[of].Name)
		case slices.ContainsFunc(e.parts[:i], func(o Part) bool { return people.Fold(o.Name) == people.Fold(part.Name) }):
			say(at+".name", "is a duplicate")
		}
		sum += part.Marks
	}
	if len(bad) == 0 && len(e.parts) < len(p.Components.V) {
		say("components", "must include all %d components of the paper", len(p.Components.V))
	}
	if e.marks != nil && sum != *e.marks {
		say("marks", "are %s, but the components add up to %s", *e.marks, sum)
	}
	return bad
}
