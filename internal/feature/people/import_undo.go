package people

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

var (
	errNoImport     = fault.Missing("import")
	errImportUndone = fault.New(fault.Conflict, "", "This import has already been undone.")
	errImportHeld   = fault.New(fault.Conflict, "", "This import can't be undone.")
)

// Undo removes what an import added, as if it had never been. It is refused once
// anything else refers to one of the records, or one has changed.
func (i Imports) Undo(ctx context.Context, who actor.Actor, in idIn) (out PastImport, err error) {
	err = i.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := i.Lock(ctx, tx); err != nil {
			return err
		}
		u := &Undoing{of: i, tx: tx, Who: who}
		if err := u.read(ctx, in.ID); err != nil {
			return err
		}
		if err := u.mustBeFree(ctx); err != nil {
			return err
		}
		if err := i.Remove(ctx, tx, u); err != nil {
			return err
		}
		out, err = u.done(ctx)
		return err
	})
	return out, err
}

// Undoing is one undo of an import.
type Undoing struct {
	Who   actor.Actor
	of    Imports
	tx    *db.Tx
	made  PastImport
	parts []Part
	held  heldBy
}

func (i Imports) get(ctx context.Context, q db.Q, at id.ID) (PastImport, error) {
	found, err := db.One[PastImport](ctx, q, `
		SELECT `+pastImports+` FROM imports i WHERE i.school_id = :school AND i.entity = :entity AND i.id = :id`,
		db.Args{"entity": i.Entity, "id": at})
	return found, db.Found("read import", err, errNoImport)
}

func (u *Undoing) read(ctx context.Context, at id.ID) (err error) {
	if u.made, err = u.of.get(ctx, u.tx, at); err != nil {
		return err
	}
	if u.made.Status == importUndone {
		return errImportUndone
	}
	u.parts, err = db.All[Part](ctx, u.tx, `
		SELECT part, entity, version, records, replaced FROM import_parts WHERE school_id = :school AND import_id = :id ORDER BY part`,
		db.Args{"id": at})
	return fault.Wrap("read what an import added", err)
}

// Each runs fn for every list of one kind of record.
func (u *Undoing) Each(entity string, fn func(p Part) error) error {
	for _, p := range u.parts {
		if p.Entity != entity {
			continue
		}
		if err := fn(p); err != nil {
			return err
		}
	}
	return nil
}

// mustBeFree counts what holds the records.
func (u *Undoing) mustBeFree(ctx context.Context) error {
	u.held.add(isUpdated, u.made.Updated)
	for _, p := range u.parts {
		if p.Entity == "adopted" {
			u.held.add(isAdopted, len(p.Records.V))
			continue
		}
		if err := u.lock(ctx, p); err != nil {
			return err
		}
		if err := u.count(ctx, p.Entity, p.Records.V); err != nil {
			return err
		}
		if err := u.countChanged(ctx, p); err != nil {
			return err
		}
	}
	return u.held.refused()
}

// lock keeps others from referring to the records while they are counted and deleted.
func (u *Undoing) lock(ctx context.Context, p Part) error {
	t := u.of.Tables[p.Entity]
	_, err := db.All[id.ID](ctx, u.tx, `SELECT `+t.Key+` FROM `+t.Name+` WHERE school_id = :school AND `+t.Key+` IN (:ids) ORDER BY `+t.Key+
		db.ForUpdate(u.tx), db.Args{"ids": p.Records.V})
	return fault.Wrap("lock what an import added", err)
}

// Refuse refuses the undo because of n records, or returns nil if n is 0.
func (u *Undoing) Refuse(by Hold, n int) error {
	u.held.add(by, n)
	return u.held.refused()
}

func (h *heldBy) refused() error {
	if what := h.words(); what != "" {
		return errImportHeld.Saying("This import can't be undone because of %s.", what)
	}
	return nil
}

// countChanged counts records that have changed or gone since the import.
func (u *Undoing) countChanged(ctx context.Context, p Part) error {
	t := u.of.Tables[p.Entity]
	a := db.Args{"ids": p.Records.V, "version": p.Version}
	if t.Logged {
		a["import"] = u.made.ID
	}
	same, err := db.One[int](ctx, u.tx, `
		SELECT COUNT(*) FROM `+t.Name+` r WHERE r.school_id = :school AND r.`+t.Key+` IN (:ids) AND `+t.Version+` = :version`+
		db.When(t.Logged, ` AND NOT EXISTS (SELECT 1 FROM audit_log a WHERE a.school_id = r.school_id AND a.entity_id = r.`+t.Key+`
			AND a.id > :import AND a.action NOT LIKE '%.export')`), a)
	u.held.add(isChanged, len(p.Records.V)-same)
	return fault.Wrap("count changed records of an import", err)
}

// Delete deletes the records of one kind.
func (u *Undoing) Delete(ctx context.Context, entity string) error {
	t := u.of.Tables[entity]
	return u.Each(entity, func(p Part) error {
		_, err := db.Exec(ctx, u.tx, `DELETE FROM `+t.Name+` WHERE school_id = :school AND `+t.Key+` IN (:ids)`, db.Args{"ids": p.Records.V})
		return fault.Wrap("delete what an import added", err)
	})
}

// done marks the import as undone.
func (u *Undoing) done(ctx context.Context) (PastImport, error) {
	_, err := db.Exec(ctx, u.tx, `
		UPDATE imports SET status = 'UNDONE', undone_at = :now, undone_by = :user WHERE school_id = :school AND id = :id`,
		db.Args{"id": u.made.ID, "now": u.of.Now(), "user": u.Who.User})
	if err != nil {
		return PastImport{}, fault.Wrap("mark import as undone", err)
	}
	entity := u.of.Entity
	if err := u.of.Audit.Record(ctx, u.tx, u.Who, entity+".import-undo", entity, "", nil,
		map[string]any{"file": u.made.File, "importId": u.made.ID, "created": u.made.Created}); err != nil {
		return PastImport{}, err
	}
	return u.of.get(ctx, u.tx, u.made.ID)
}
