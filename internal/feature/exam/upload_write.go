package exam

import (
	"context"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// resultRow is a row of exam_results.
type resultRow struct {
	ID         id.ID           `json:"-"`
	ExamID     id.ID           `json:"-"`
	PaperID    id.ID           `json:"-"`
	StudentID  id.ID           `json:"studentId"`
	ClassID    id.ID           `json:"-"`
	DivisionID *id.ID          `json:"-"`
	Marks      *Marks          `json:"marks"`
	Outcome    Outcome         `json:"outcome"`
	Components db.JSON[[]Part] `json:"components"`
	Remark     string          `json:"-"` // not in the audit log, from which erasure can't remove it
	Now        time.Time       `json:"-"`
}

// change is what an upload writes.
type change struct {
	rows    []resultRow
	before  []resultRow // of those that are replaced or removed
	removed []id.ID     // results
}

// compare computes the changes of validated entries.
func (s *Service) compare(sh sheet, list []entry) (out Uploaded, c change) {
	byID := map[id.ID]pupil{}
	for _, p := range sh.pupils {
		byID[p.StudentID] = p
	}
	out.Total = len(list)
	for _, e := range list {
		p := byID[e.student]
		row := resultRow{ID: p.ResultID, ExamID: sh.exam.ID, PaperID: sh.paper.ID, StudentID: e.student, ClassID: sh.paper.ClassID,
			DivisionID: p.DivisionID, Marks: e.marks, Outcome: e.outcome, Remark: p.Remark, Now: s.Now()}
		row.Components.V = sh.paper.parts(e.parts)
		if row.Marks == nil && len(e.parts) > 0 {
			row.Marks = new(total(e.parts))
		}
		if row.Outcome == "" && row.Marks != nil {
			row.Outcome = Scored
		}
		if e.remark != nil {
			row.Remark = *e.remark
		}
		switch {
		case row.Outcome == "" && p.ResultID == "" || p.ResultID != "" && p.same(row):
			out.Unchanged++
			continue
		case row.Outcome == "":
			out.Removed++
			c.removed = append(c.removed, p.ResultID)
		case p.ResultID == "":
			out.Created++
			row.ID = s.NewID()
			c.rows = append(c.rows, row)
			continue
		default:
			out.Updated++
			c.rows = append(c.rows, row)
		}
		c.before = append(c.before, p.row())
	}
	return out, c
}

func total(parts []Part) (sum Marks) {
	for _, p := range parts {
		sum += p.Marks
	}
	return sum
}

// parts returns the parts in the order and with the names of the paper's components.
func (p Paper) parts(in []Part) []Part {
	out := []Part{}
	for _, c := range p.Components.V {
		for _, part := range in {
			if people.Fold(part.Name) == people.Fold(c.Name) {
				out = append(out, Part{c.Name, part.Marks})
			}
		}
	}
	return out
}

// row is the existing result, for the audit log.
func (p pupil) row() resultRow {
	r := resultRow{StudentID: p.StudentID, Marks: p.Marks, Outcome: p.Outcome, Remark: p.Remark}
	r.Components.V = p.parts()
	return r
}

func (p pupil) parts() []Part {
	if p.Components == nil {
		return []Part{}
	}
	return p.Components.V
}

// same reports whether the row equals the existing result.
func (p pupil) same(r resultRow) bool {
	marks := p.Marks == r.Marks || p.Marks != nil && r.Marks != nil && *p.Marks == *r.Marks
	return marks && p.Outcome == r.Outcome && p.Remark == r.Remark && slices.Equal(p.parts(), r.Components.V)
}

func (c change) write(ctx context.Context, tx *db.Tx) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO exam_results (school_id, id, exam_id, paper_id, student_id, class_id, division_id, marks, outcome, components, remark,
			created_at, updated_at)
		VALUES (:school, :id, :exam_id, :paper_id, :student_id, :class_id, :division_id, :marks, :outcome, :components, :remark, :now, :now)
		ON CONFLICT (school_id, paper_id, student_id) DO UPDATE SET marks = excluded.marks, outcome = excluded.outcome,
			components = excluded.components, remark = excluded.remark, division_id = excluded.division_id, updated_at = excluded.updated_at`,
		c.rows)
	if err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	if len(c.removed) == 0 {
		return nil
	}
	_, err = db.Exec(ctx, tx, `DELETE FROM exam_results WHERE school_id = :school AND id IN (:ids)`, db.Args{"ids": c.removed})
	if err != nil {
		return fmt.Errorf("remove results: %w", err)
	}
	return nil
}
