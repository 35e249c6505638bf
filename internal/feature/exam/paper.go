package exam

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// NewPaper is a paper to put on the schedule.
type NewPaper struct {
	ClassID    id.ID            `json:"classId" required:"true" doc:"A class that sits the exam."`
	SubjectID  id.ID            `json:"subjectId" required:"true" doc:"A subject of the class."`
	Date       clock.Date       `json:"date" required:"true"`
	StartTime  *clock.TimeOfDay `json:"startTime"`
	EndTime    *clock.TimeOfDay `json:"endTime" example:"09:35"`
	MaxMarks   Marks            `json:"maxMarks" required:"true" minimum:"0.01" maximum:"100000" doc:"At most two decimals."`
	PassMarks  *Marks           `json:"passMarks" minimum:"0" maximum:"100000" doc:"Default: the paper has no pass or fail."`
	Room       string           `json:"room" maxLength:"100"`
	Components []Component      `json:"components" maxItems:"10" doc:"Separately marked parts, such as theory and practical. Their maxMarks must add up to the paper's maxMarks."`
}

// NewSchedule is the input of Schedule.
type NewSchedule struct {
	ExamID  id.ID      `json:"examId" required:"true"`
	Entries []NewPaper `json:"entries" required:"true" minItems:"1" maxItems:"500"`
	Replace bool       `json:"replace" doc:"Removes papers that are not in entries. They must have no results."`
}

// Check validates the fields together.
func (in *NewSchedule) Check() error {
	var bad []fault.Field
	for i, e := range in.Entries {
		at := fmt.Sprintf("entries[%d].", i)
		bad = append(bad, e.check(at)...)
		for j, o := range in.Entries[:i] {
			if o.ClassID == e.ClassID && o.SubjectID == e.SubjectID {
				bad = append(bad, fault.Field{Field: at + "subjectId", Message: fmt.Sprintf("is the same as in entries[%d] for this class", j)})
			}
		}
	}
	if bad != nil {
		return fault.Fields(bad...)
	}
	return nil
}

func (e NewPaper) check(at string) (bad []fault.Field) {
	say := func(field, format string, a ...any) {
		bad = append(bad, fault.Field{Field: at + field, Message: fmt.Sprintf(format, a...)})
	}
	switch {
	case (e.StartTime == nil) != (e.EndTime == nil):
		say("endTime", "requires startTime: send both or neither")
	case e.StartTime != nil && *e.EndTime <= *e.StartTime:
		say("endTime", "must be after startTime")
	}
	switch {
	case e.MaxMarks == 0:
		say("maxMarks", "must be more than 0")
	case e.PassMarks != nil && *e.PassMarks > e.MaxMarks:
		say("passMarks", "must be at most maxMarks, %s", e.MaxMarks)
	}
	var sum Marks
	for i, c := range e.Components {
		sum += c.MaxMarks
		same := func(o Component) bool { return people.Fold(o.Name) == people.Fold(c.Name) }
		if slices.ContainsFunc(e.Components[:i], same) {
			say(fmt.Sprintf("components[%d].name", i), "is a duplicate")
		}
	}
	if len(e.Components) > 0 && sum != e.MaxMarks {
		say("components", "add up to %s, but maxMarks is %s", sum, e.MaxMarks)
	}
	return bad
}

type scheduleOut struct {
	Exam   Exam    `json:"exam"`
	Papers []Paper `json:"papers" doc:"The whole schedule, by class and date."`

	Warnings []string `json:"warnings" doc:"Papers on holidays. They are scheduled nevertheless."`
}

// Translated implements web.Translated.
func (o scheduleOut) Translated(say func(string) string) any {
	o.Warnings = slices.Clone(o.Warnings)
	for i := range o.Warnings {
		o.Warnings[i] = say(o.Warnings[i])
	}
	return o
}

// onHolidays returns a warning for each day of a paper that is a holiday.
func onHolidays(ctx context.Context, q db.Q, papers []Paper) ([]string, error) {
	warnings := []string{}
	if len(papers) == 0 {
		return warnings, nil
	}
	byDate := func(a, b Paper) int { return strings.Compare(string(a.Date), string(b.Date)) }
	free, err := school.Holidays(ctx, q, slices.MinFunc(papers, byDate).Date, slices.MaxFunc(papers, byDate).Date)
	if err != nil {
		return nil, err
	}
	for _, h := range free {
		for _, p := range papers {
			if h.Date <= p.Date && p.Date <= h.EndDate {
				warnings = append(warnings, fmt.Sprintf("%s of %s is on %s, which is a holiday: %s.", p.SubjectName, p.ClassName, p.Date, h.Name))
			}
		}
	}
	return warnings, nil
}

// Schedule schedules papers of an exam, replacing those of the same class and
// subject. A lock per school makes sure that one of two conflicting calls is refused.
func (s *Service) Schedule(ctx context.Context, who actor.Actor, in NewSchedule) (out scheduleOut, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "exam-schedule"); err != nil {
			return fmt.Errorf("lock schedules: %w", err)
		}
		exam, err := s.lockExam(ctx, tx, who, in.ExamID, toSchedule)
		if err != nil {
			return err
		}
		before, err := listPapers(ctx, tx, paperFilter{exam: exam.ID})
		if err != nil {
			return err
		}
		if err := in.fits(ctx, tx, exam); err != nil {
			return err
		}
		if err := s.putPapers(ctx, tx, exam, before, in); err != nil {
			return err
		}
		if err := in.clashes(ctx, tx); err != nil {
			return err
		}
		if out.Papers, err = listPapers(ctx, tx, paperFilter{exam: exam.ID}); err != nil {
			return err
		}
		if err := s.setDays(ctx, tx, exam, out.Papers); err != nil {
			return err
		}
		if out.Exam, err = getExam(ctx, tx, exam.ID, s.today(who)); err != nil {
			return err
		}
		if out.Warnings, err = onHolidays(ctx, tx, out.Papers); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "exam.schedule", exam.ID, before, out.Papers)
	})
	return out, err
}

// fits validates the classes, subjects and dates of the entries.
func (in NewSchedule) fits(ctx context.Context, q db.Q, e Exam) error {
	var classes []id.ID
	for _, p := range in.Entries {
		classes = append(classes, p.ClassID)
	}
	if _, err := people.ClassYears(ctx, q, classes); err != nil {
		return err
	}
	taught, err := taughtIn(ctx, q, in.Entries)
	if err != nil {
		return err
	}
	year, err := school.GetYear(ctx, q, e.AcademicYearID)
	if err != nil {
		return err
	}
	for i, p := range in.Entries {
		at := fmt.Sprintf("entries[%d].", i)
		switch {
		case !slices.Contains(e.ClassIDs, p.ClassID):
			return fault.OnField(at+"classId", "is not a class of this exam: add it to the exam first")
		case !taught[[2]id.ID{p.ClassID, p.SubjectID}]:
			return fault.OnField(at+"subjectId", "is not a subject of this class")
		case p.Date < year.StartDate || p.Date > year.EndDate:
			return fault.OnField(at+"date", "must be in the academic year, %s to %s", year.StartDate, year.EndDate)
		case e.AnnouncedStart != nil && p.Date < *e.AnnouncedStart:
			return fault.OnField(at+"date", "must not be before the exam starts, on %s", *e.AnnouncedStart)
		case e.AnnouncedEnd != nil && p.Date > *e.AnnouncedEnd:
			return fault.OnField(at+"date", "must not be after the exam ends, on %s", *e.AnnouncedEnd)
		}
	}
	return nil
}

// taughtIn returns the class-subject pairs of the entries that exist, or
// ErrNoSubject.
func taughtIn(ctx context.Context, q db.Q, entries []NewPaper) (map[[2]id.ID]bool, error) {
	type tie struct{ SubjectID, ClassID id.ID }
	known, taught := map[id.ID]bool{}, map[[2]id.ID]bool{}
	var subjects []id.ID
	for _, p := range entries {
		subjects = append(subjects, p.SubjectID)
	}
	err := db.Each(ctx, q, `
		SELECT s.id AS subject_id, l.class_id FROM subjects s
		LEFT JOIN class_subjects l ON l.school_id = s.school_id AND l.subject_id = s.id
		WHERE s.school_id = :school AND s.id IN (:subjects)`, db.Args{"subjects": subjects}, func(t tie) error {
		known[t.SubjectID], taught[[2]id.ID{t.ClassID, t.SubjectID}] = true, true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read subjects: %w", err)
	}
	for _, s := range subjects {
		if !known[s] {
			return nil, academics.ErrNoSubject
		}
	}
	return taught, nil
}

// paperRow is a row of exam_papers.
type paperRow struct {
	NewPaper
	ID, ExamID id.ID
	Parts      db.JSON[[]Component]
	Now        time.Time
}

// putPapers writes the entries and, with replace, deletes other papers. An existing
// paper keeps its id.
func (s *Service) putPapers(ctx context.Context, tx *db.Tx, e Exam, before []Paper, in NewSchedule) error {
	ids := map[[2]id.ID]id.ID{}
	for _, p := range before {
		ids[[2]id.ID{p.ClassID, p.SubjectID}] = p.ID
	}
	rows, kept := make([]paperRow, len(in.Entries)), make([]id.ID, len(in.Entries))
	for i, p := range in.Entries {
		p.Room = strings.TrimSpace(p.Room)
		rows[i] = paperRow{NewPaper: p, ID: ids[[2]id.ID{p.ClassID, p.SubjectID}], ExamID: e.ID, Now: s.Now()}
		rows[i].Parts.V = append([]Component{}, p.Components...)
		if rows[i].ID == "" {
			rows[i].ID = s.NewID()
		}
		kept[i] = rows[i].ID
	}
	if err := stillFit(ctx, tx, rows, before); err != nil {
		return err
	}
	if in.Replace {
		if err := dropPapers(ctx, tx, e.ID, kept); err != nil {
			return err
		}
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO exam_papers (school_id, id, exam_id, class_id, subject_id, date, start_time, end_time, max_marks, pass_marks, room,
			components, created_at, updated_at)
		VALUES (:school, :id, :exam_id, :class_id, :subject_id, :date, :start_time, :end_time, :max_marks, :pass_marks, :room, :parts, :now, :now)
		ON CONFLICT (school_id, exam_id, class_id, subject_id) DO UPDATE SET date = excluded.date, start_time = excluded.start_time,
			end_time = excluded.end_time, max_marks = excluded.max_marks, pass_marks = excluded.pass_marks, room = excluded.room,
			components = excluded.components, updated_at = excluded.updated_at`, rows)
	if err != nil {
		return fmt.Errorf("write papers: %w", err)
	}
	return nil
}

// stillFit refuses maximum marks below existing results, and other components for a
// paper with results.
func stillFit(ctx context.Context, q db.Q, rows []paperRow, before []Paper) error {
	type most struct {
		PaperID id.ID
		Marks   Marks
		Results int
	}
	scored := map[id.ID]most{}
	ids := make([]id.ID, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	err := db.Each(ctx, q, `
		SELECT paper_id, COALESCE(MAX(marks), 0) AS marks, COUNT(*) AS results FROM exam_results
		WHERE school_id = :school AND paper_id IN (:papers) GROUP BY paper_id`, db.Args{"papers": ids}, func(m most) error {
		scored[m.PaperID] = m
		return nil
	})
	if err != nil {
		return fmt.Errorf("read highest marks: %w", err)
	}
	for _, p := range before {
		i := slices.Index(ids, p.ID)
		if i < 0 || scored[p.ID].Results == 0 {
			continue
		}
		switch {
		case rows[i].MaxMarks < scored[p.ID].Marks:
			return errResults.Saying("%s of %s has results of up to %s marks: maxMarks can't be less.", p.SubjectName, p.ClassName,
				scored[p.ID].Marks)
		case !slices.Equal(rows[i].Parts.V, p.Components.V):
			return errResults.Saying("%s of %s has results: its components can't be changed.", p.SubjectName, p.ClassName)
		}
	}
	return nil
}

// dropPapers deletes the papers of an exam except those kept.
func dropPapers(ctx context.Context, tx *db.Tx, exam id.ID, kept []id.ID) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM exam_papers WHERE school_id = :school AND exam_id = :exam AND id NOT IN (:kept)`,
		db.Args{"exam": exam, "kept": kept})
	switch {
	case db.IsReference(err):
		return errResults.Saying("A paper that you remove has results. Keep it on the schedule.").Because(err)
	case err != nil:
		return fmt.Errorf("remove papers: %w", err)
	}
	return nil
}

// setDays stores the dates of the first and last paper, and sets the state to
// SCHEDULED. The status then follows these dates.
func (s *Service) setDays(ctx context.Context, tx *db.Tx, e Exam, papers []Paper) error {
	first, last := papers[0].Date, papers[0].Date
	for _, p := range papers {
		first, last = min(first, p.Date), max(last, p.Date)
	}
	_, err := db.Exec(ctx, tx, `
		UPDATE exams SET first_day = :first, last_day = :last, state = 'SCHEDULED', version = version + 1, updated_at = :now
		WHERE school_id = :school AND id = :id`, db.Args{"id": e.ID, "first": first, "last": last, "now": s.Now()})
	if err != nil {
		return fmt.Errorf("schedule exam: %w", err)
	}
	return nil
}
