package exam

import (
	"context"
	"fmt"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/elective"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
)

type publishIn struct {
	ID      id.ID  `path:"id"`
	Preview bool   `json:"preview" doc:"Returns what parents would see and what is missing, without publishing."`
	ClassID *id.ID `json:"classId" doc:"With preview: only this class."`
}

// Publication is the result of publishing, or its preview.
type Publication struct {
	Exam     Exam   `json:"exam"`
	Preview  bool   `json:"preview"`
	Students int    `json:"students" doc:"Number of students with results. Their parents are notified."`
	Missing  []Gap  `json:"missing" doc:"Papers with missing results."`
	Results  []Seen `json:"results" doc:"With preview: the total of each student, as parents would see it. Needs read on result."`
}

// Gap is a paper with missing results.
type Gap struct {
	ClassID     id.ID  `json:"classId"`
	ClassName   string `json:"className"`
	SubjectID   id.ID  `json:"subjectId"`
	SubjectName string `json:"subjectName"`
	Students    int    `json:"students" doc:"Number of students without a result."`
}

// Seen is a student's total.
type Seen struct {
	StudentID  id.ID    `json:"studentId"`
	FirstName  opt.Text `json:"firstName"`
	LastName   opt.Text `json:"lastName"`
	ClassID    id.ID    `json:"classId"`
	DivisionID *id.ID   `json:"divisionId"`
	Pending    int      `json:"pending" doc:"Subjects without a result."`
	Total
}

func (s *Service) publish(ctx context.Context, who actor.Actor, in publishIn) (Publication, error) {
	err := people.MustExist(ctx, s.DB.School(who.School), people.Ref{Table: "classes", ID: in.ClassID, Missing: academics.ErrNoClass})
	if err != nil {
		return Publication{}, err
	}
	if in.Preview {
		return s.preview(ctx, s.DB.School(who.School), who, in)
	}
	return s.Publish(ctx, who, in.ID)
}

// Publish publishes the results and notifies parents, once per student. Publishing
// again needs an unpublish first and counts as a correction.
func (s *Service) Publish(ctx context.Context, who actor.Actor, exam id.ID) (out Publication, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := s.lockExam(ctx, tx, who, exam, toPublish)
		if err != nil {
			return err
		}
		if out, err = publication(ctx, tx, before, ""); err != nil {
			return err
		}
		if len(out.Results) == 0 {
			return errNoResults
		}
		if err := s.setPublished(ctx, tx, before); err != nil {
			return err
		}
		if err := s.notifyParents(ctx, tx, who.School, before, out.Results); err != nil {
			return err
		}
		out.Results = []Seen{}
		if out.Exam, err = getExam(ctx, tx, exam, s.today(who)); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "exam.publish", exam, before, out.Exam)
	})
	return out, err
}

func (s *Service) preview(ctx context.Context, q db.Q, who actor.Actor, in publishIn) (Publication, error) {
	e, err := getExam(ctx, q, in.ID, s.today(who))
	if err != nil {
		return Publication{}, err
	}
	out, err := publication(ctx, q, e, opt.Value(in.ClassID))
	if out.Preview = true; !who.Can("result", actor.Read) {
		out.Results = []Seen{}
	}
	return out, err
}

// publication reads the results that publishing would show, and what is missing.
func publication(ctx context.Context, q db.Q, e Exam, class id.ID) (Publication, error) {
	out := Publication{Exam: e, Missing: []Gap{}, Results: []Seen{}}
	all, err := readStandings(ctx, q, e, class)
	if err != nil {
		return out, err
	}
	names, err := namesOf(ctx, q, e, class)
	if err != nil {
		return out, err
	}
	for _, st := range all {
		seen := Seen{StudentID: st.student, FirstName: opt.Text(names[st.student].FirstName), LastName: opt.Text(names[st.student].LastName),
			ClassID: st.class, Total: st.total}
		if st.division != "" {
			seen.DivisionID = &st.division
		}
		for _, l := range st.lines {
			if l.Outcome == pending {
				seen.Pending++
			}
		}
		out.Results = append(out.Results, seen)
	}
	out.Students = len(out.Results)
	gaps, err := db.All[Gap](ctx, q, `
		SELECT p.class_id, c.name AS class_name, p.subject_id, u.name AS subject_name, COUNT(*) AS students
		FROM exam_papers p
		JOIN exams e ON e.school_id = p.school_id AND e.id = p.exam_id
		JOIN classes c ON c.school_id = p.school_id AND c.id = p.class_id
		JOIN subjects u ON u.school_id = p.school_id AND u.id = p.subject_id
		JOIN enrolments n ON n.school_id = p.school_id AND n.academic_year_id = e.academic_year_id AND n.class_id = p.class_id
			AND n.outcome <> 'LEFT'
		JOIN students s ON s.school_id = n.school_id AND s.id = n.student_id AND s.archived_at IS NULL
		LEFT JOIN exam_results r ON r.school_id = p.school_id AND r.paper_id = p.id AND r.student_id = n.student_id
		WHERE p.school_id = :school AND p.exam_id = :exam AND r.id IS NULL AND `+elective.Takes("p.class_id", "p.subject_id", "n.student_id")+
		db.When(class != "", ` AND p.class_id = :class`)+`
		GROUP BY p.class_id, c.name, c.display_order, p.subject_id, u.name
		ORDER BY c.display_order, p.class_id, u.name, p.subject_id`, db.Args{"exam": e.ID, "class": class})
	if err != nil {
		return out, fmt.Errorf("read missing results: %w", err)
	}
	out.Missing = gaps
	return out, nil
}

// named is a student's name.
type named struct {
	ID                  id.ID
	FirstName, LastName string
}

// namesOf reads the names of students with results in an exam.
func namesOf(ctx context.Context, q db.Q, e Exam, class id.ID) (map[id.ID]named, error) {
	out := map[id.ID]named{}
	err := db.Each(ctx, q, `
		SELECT s.id, s.first_name, s.last_name FROM students s WHERE s.school_id = :school AND s.id IN (
			SELECT r.student_id FROM exam_results r WHERE r.school_id = :school AND r.exam_id = :exam`+
		db.When(class != "", ` AND r.class_id = :class`)+`)`, db.Args{"exam": e.ID, "class": class}, func(n named) error {
		out[n.ID] = n
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read names: %w", err)
	}
	return out, nil
}

// setPublished copies the grade scale, so that later changes to it have no effect.
func (s *Service) setPublished(ctx context.Context, tx *db.Tx, e Exam) error {
	var bands db.JSON[[]Band]
	bands.V = append([]Band{}, e.bands()...)
	_, err := db.Exec(ctx, tx, `
		UPDATE exams SET state = 'PUBLISHED', bands = :bands, published_at = :now, told_at = :now, version = version + 1,
			updated_at = :now
		WHERE school_id = :school AND id = :id`, db.Args{"id": e.ID, "bands": bands, "now": s.Now()})
	if err != nil {
		return fmt.Errorf("publish exam: %w", err)
	}
	return nil
}

// notifyParents sends one notification per student. It names no marks, because lock
// screens show it.
func (s *Service) notifyParents(ctx context.Context, tx *db.Tx, school id.ID, e Exam, results []Seen) error {
	told, err := toldBefore(ctx, tx, e)
	if err != nil {
		return err
	}
	notices := make([]notification.Notice, len(results))
	for i, r := range results {
		name := fullName(string(r.FirstName), string(r.LastName))
		notices[i] = notification.Notice{Topic: notification.StudentResultTopic(r.StudentID), Type: notification.Result, Record: e.ID,
			Student: r.StudentID,
			Title:   text.T("exam.results.title", "exam", e.Name), Body: text.T("exam.results.body", "student", name, "exam", e.Name)}
		if told[r.StudentID] {
			notices[i].Title = text.T("exam.corrected.title", "exam", e.Name)
			notices[i].Body = text.T("exam.corrected.body", "student", name, "exam", e.Name)
		}
	}
	return s.Notify.SendToParents(ctx, tx, school, notices)
}

// toldBefore returns the students who had results when the exam was last published.
func toldBefore(ctx context.Context, q db.Q, e Exam) (map[id.ID]bool, error) {
	told := map[id.ID]bool{}
	if e.ToldAt == nil {
		return told, nil
	}
	err := db.Each(ctx, q, `
		SELECT DISTINCT student_id FROM exam_results WHERE school_id = :school AND exam_id = :exam AND created_at <= :told`,
		db.Args{"exam": e.ID, "told": e.ToldAt}, func(student id.ID) error {
			told[student] = true
			return nil
		})
	return told, fault.Wrap("read results that were published before", err)
}

// Recalled returns which news is of results that were unpublished.
func Recalled(ctx context.Context, q db.Q, some []notification.Told) (map[notification.Told]bool, error) {
	exams, published := make([]id.ID, len(some)), map[id.ID]bool{}
	for i, t := range some {
		exams[i] = t.Record
	}
	err := db.Each(ctx, q, `SELECT id FROM exams WHERE school_id = :school AND id IN (:exams) AND state = 'PUBLISHED'`,
		db.Args{"exams": id.Unique(exams)}, func(exam id.ID) error {
			published[exam] = true
			return nil
		})
	gone := map[notification.Told]bool{}
	for _, t := range some {
		gone[t] = !published[t.Record]
	}
	return gone, fault.Wrap("read published exams", err)
}

type unpublishIn struct {
	ID       id.ID  `path:"id"`
	Reason   string `json:"reason" required:"true" maxLength:"500" multiline:"true" doc:"Why the results are unpublished."`
	Unopened bool   `json:"unopened" doc:"Only while no parent has opened the results; else 409."`
}

// unpublish hides the results from parents, for correction.
func (s *Service) unpublish(ctx context.Context, who actor.Actor, in unpublishIn) (Exam, error) {
	return s.changeState(ctx, who, in.ID, toUnpublish, `
		UPDATE exams SET state = 'COMPLETED', published_at = NULL, opened_at = NULL, bands = NULL, unpublish_reason = :reason,
			version = version + 1, updated_at = :now
		WHERE school_id = :school AND id = :id`+db.When(in.Unopened, ` AND opened_at IS NULL`), in.Reason)
}

func (s *Service) complete(ctx context.Context, who actor.Actor, in idIn) (Exam, error) {
	return s.Complete(ctx, who, in.ID)
}

// Complete ends an exam before the day of its last paper.
func (s *Service) Complete(ctx context.Context, who actor.Actor, exam id.ID) (Exam, error) {
	return s.changeState(ctx, who, exam, toComplete, `
		UPDATE exams SET state = 'COMPLETED', version = version + 1, updated_at = :now WHERE school_id = :school AND id = :id`, "")
}

func (s *Service) changeState(ctx context.Context, who actor.Actor, exam id.ID, a action, sql, reason string) (after Exam, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := s.lockExam(ctx, tx, who, exam, a)
		if err != nil {
			return err
		}
		n, err := db.Exec(ctx, tx, sql, db.Args{"id": exam, "reason": reason, "now": s.Now()})
		if err != nil {
			return fmt.Errorf("%s exam: %w", a, err)
		}
		if n == 0 {
			return errOpened
		}
		if a == toUnpublish {
			if err := notification.Keep(ctx, tx, exam, nil); err != nil {
				return err
			}
		}
		if after, err = getExam(ctx, tx, exam, s.today(who)); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "exam."+string(a), exam, before, after)
	})
	return after, err
}
