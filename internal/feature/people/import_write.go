package people

import (
	"context"
	"errors"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// studentWrites is what a chunk of lines writes.
type studentWrites struct {
	fresh    []*studentLine
	leavers  []*studentLine // of fresh, students who have left already
	changes  []studentEdit
	families []family // of existing students
}

type studentEdit struct {
	id     id.ID
	change StudentChange
}

// write inserts the new students in batches and applies changes one by one.
func (p *studentPass) write(ctx context.Context, w studentWrites) error {
	rows, err := p.insert(ctx, w.fresh)
	if err != nil {
		return err
	}
	families, relinked := w.families, make([]id.ID, len(w.families))
	for i, f := range w.families {
		relinked[i] = f.student
	}
	at := make(map[*studentLine]id.ID, len(w.fresh))
	for i, l := range w.fresh {
		if len(l.Guardians) > 0 {
			families = append(families, family{student: rows[i].ID, guardians: l.Guardians})
		}
		at[l] = rows[i].ID
	}
	if err := p.s.linkFamilies(ctx, p.tx, p.who, families, p.openAccounts); err != nil {
		return err
	}
	if err := raiseVersions(ctx, p.tx, relinked, p.s.Now()); err != nil {
		return err
	}
	for _, l := range w.leavers {
		c := StudentChange{Status: &l.status}
		if l.leavingDate != nil {
			c.LeavingDate = web.Opt[clock.Date]{Set: true, V: *l.leavingDate}
		}
		c.LeavingReason = web.Opt[string]{Set: true, V: l.leavingReason}
		w.changes = append(w.changes, studentEdit{at[l], c})
	}
	for _, e := range w.changes {
		if _, err := p.s.ChangeStudent(ctx, p.tx, p.who, e.id, e.change); err != nil {
			return conflict(err)
		}
	}
	return p.keep(ctx, rows)
}

// openAccounts creates the guardians' accounts, and keeps what was added.
func (p *studentPass) openAccounts(ctx context.Context, tx *db.Tx, _ actor.Actor, fresh []guardianRow) error {
	users, err := p.s.openManyAccounts(ctx, tx, fresh)
	p.added.Add("user", 1, users...)
	guardians := make([]id.ID, len(fresh))
	for i, g := range fresh {
		guardians[i] = g.ID
	}
	p.added.Add("guardian", 1, guardians...)
	return err
}

// keep notes the new students by their versions: those who have left already were changed.
func (p *studentPass) keep(ctx context.Context, rows []studentRow) error {
	ids := make([]id.ID, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	if len(ids) == 0 {
		return nil
	}
	type versioned struct {
		ID      id.ID
		Version int
	}
	by := map[int][]id.ID{}
	err := db.Each(ctx, p.tx, `SELECT id, version FROM students WHERE school_id = :school AND id IN (:ids) ORDER BY id`, db.Args{"ids": ids},
		func(v versioned) error {
			by[v.Version] = append(by[v.Version], v.ID)
			return nil
		})
	for version, list := range by {
		p.added.Add("student", version, list...)
	}
	return fault.Wrap("read versions of new students", err)
}

// insert enrols the new students and returns their rows.
func (p *studentPass) insert(ctx context.Context, lines []*studentLine) ([]studentRow, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	in := make([]NewStudent, len(lines))
	for i, l := range lines {
		in[i] = l.NewStudent
	}
	if err := p.given.assign(ctx, p.tx, in); err != nil {
		return nil, err
	}
	rows, now := make([]studentRow, len(in)), p.s.Now()
	years := map[id.ID]classYear{}
	for i, n := range in {
		rows[i] = newRow(n, p.s.NewID(), now)
		if n.ClassID != nil {
			years[*n.ClassID] = classYear{ID: p.seats.yearID, IsCurrent: p.seats.current}
		}
	}
	return rows, conflict(enrol(ctx, p.tx, rows, years))
}

// conflict turns a fault into errImportRace: the first pass had no such problem, so
// someone else changed the data in between.
func conflict(err error) error {
	if f, ok := errors.AsType[*fault.Fault](err); ok && f.Kind != fault.Internal {
		return errImportRace.Because(err)
	}
	return err
}
