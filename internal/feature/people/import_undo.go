package people

import (
	"context"
	"errors"
	"slices"

	"homeroom/internal/feature/identity"
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

// undoImport deletes what an import added, as if it had never been. It is refused once
// anything else refers to one of the records, or one has changed.
func (s *Service) undoImport(entity string) func(context.Context, actor.Actor, idIn) (PastImport, error) {
	return func(ctx context.Context, who actor.Actor, in idIn) (out PastImport, err error) {
		err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
			if err := errors.Join(lockStudents(ctx, tx), lockGuardians(ctx, tx)); err != nil {
				return err
			}
			u := undoing{s: s, tx: tx, who: who}
			if err := u.read(ctx, entity, in.ID); err != nil {
				return err
			}
			if err := u.mustBeFree(ctx); err != nil {
				return err
			}
			if err := u.remove(ctx); err != nil {
				return err
			}
			out, err = u.done(ctx, entity)
			return err
		})
		return out, err
	}
}

// undoing is one undo of an import.
type undoing struct {
	s     *Service
	tx    *db.Tx
	who   actor.Actor
	made  PastImport
	parts []addedPart
	held  heldBy
}

func getImport(ctx context.Context, q db.Q, entity string, at id.ID) (PastImport, error) {
	i, err := db.One[PastImport](ctx, q, `
		SELECT `+pastImports+` FROM imports i WHERE i.school_id = :school AND i.entity = :entity AND i.id = :id`,
		db.Args{"entity": entity, "id": at})
	return i, db.Found("read import", err, errNoImport)
}

func (u *undoing) read(ctx context.Context, entity string, at id.ID) (err error) {
	if u.made, err = getImport(ctx, u.tx, entity, at); err != nil {
		return err
	}
	if u.made.Status == importUndone {
		return errImportUndone
	}
	u.parts, err = db.All[addedPart](ctx, u.tx, `
		SELECT part, entity, version, records FROM import_parts WHERE school_id = :school AND import_id = :id ORDER BY part`, db.Args{"id": at})
	return fault.Wrap("read what an import added", err)
}

// each runs fn for every list of one kind.
func (u *undoing) each(entity string, fn func(ids []id.ID) error) error {
	for _, p := range u.parts {
		if p.Entity != entity {
			continue
		}
		if err := fn(p.Records.V); err != nil {
			return err
		}
	}
	return nil
}

// tables have the records that an import can add.
var tables = map[string]string{"student": "students", "guardian": "guardians", "employee": "employees", "user": "users"}

// mustBeFree counts what holds the records.
func (u *undoing) mustBeFree(ctx context.Context) error {
	u.held.add(isUpdated, u.made.Updated)
	for _, p := range u.parts {
		if p.Entity == "adopted" {
			u.held.add(isAdopted, len(p.Records.V))
			continue
		}
		if err := u.lock(ctx, p); err != nil {
			return err
		}
		if err := u.s.count(ctx, u.tx, &u.held, p.Entity, p.Records.V); err != nil {
			return err
		}
		if err := u.countChanged(ctx, p); err != nil {
			return err
		}
	}
	return u.refused()
}

// lock keeps others from referring to the records while they are counted and deleted.
func (u *undoing) lock(ctx context.Context, p addedPart) error {
	_, err := db.All[id.ID](ctx, u.tx, `SELECT id FROM `+tables[p.Entity]+` WHERE school_id = :school AND id IN (:ids) ORDER BY id`+
		db.ForUpdate(u.tx), db.Args{"ids": p.Records.V})
	return fault.Wrap("lock what an import added", err)
}

func (u *undoing) refused() error {
	if what := u.held.words(); what != "" {
		return errImportHeld.Saying("This import can't be undone because of %s.", what)
	}
	return nil
}

// countChanged counts records that have changed or gone since the import. Not every change
// has a version, but every one is in the audit log.
func (u *undoing) countChanged(ctx context.Context, p addedPart) error {
	table := tables[p.Entity]
	same, err := db.One[int](ctx, u.tx, `
		SELECT COUNT(*) FROM `+table+` r WHERE r.school_id = :school AND r.id IN (:ids) AND r.version = :version
			AND NOT EXISTS (SELECT 1 FROM audit_log a WHERE a.school_id = r.school_id AND a.entity_id = r.id AND a.id > :import
				AND a.action NOT LIKE '%.export')`, db.Args{"ids": p.Records.V, "version": p.Version, "import": u.made.ID})
	u.held.add(isChanged, len(p.Records.V)-same)
	return fault.Wrap("count changed records of an import", err)
}

// remove deletes the records: children before parents, people before their accounts.
func (u *undoing) remove(ctx context.Context) error {
	known, err := u.linked(ctx)
	if err != nil {
		return err
	}
	for _, entity := range []string{"student", "guardian"} {
		if err := u.each(entity, func(ids []id.ID) error {
			if entity == "guardian" {
				if err := u.countSiblings(ctx, ids); err != nil {
					return err
				}
			}
			return u.delete(ctx, entity, ids)
		}); err != nil {
			return err
		}
	}
	if err := u.s.disableChildless(ctx, u.tx, u.who, known); err != nil {
		return err
	}
	return u.removeStaff(ctx)
}

func (u *undoing) delete(ctx context.Context, entity string, ids []id.ID) error {
	_, err := db.Exec(ctx, u.tx, `DELETE FROM `+tables[entity]+` WHERE school_id = :school AND id IN (:ids)`, db.Args{"ids": ids})
	return fault.Wrap("delete what an import added", err)
}

// linked lists the guardians of the students whom the import did not add.
func (u *undoing) linked(ctx context.Context) ([]id.ID, error) {
	fresh, known := map[id.ID]bool{}, map[id.ID]bool{}
	_ = u.each("guardian", func(ids []id.ID) error {
		for _, g := range ids {
			fresh[g] = true
		}
		return nil
	})
	err := u.each("student", func(ids []id.ID) error {
		return db.Each(ctx, u.tx, `SELECT DISTINCT guardian_id FROM student_guardians WHERE school_id = :school AND student_id IN (:ids)`,
			db.Args{"ids": ids}, func(g id.ID) error {
				if !fresh[g] {
					known[g] = true
				}
				return nil
			})
	})
	out := make([]id.ID, 0, len(known))
	for g := range known {
		out = append(out, g)
	}
	slices.Sort(out)
	return out, fault.Wrap("list guardians of an import", err)
}

// countSiblings refuses guardians who still have a child: all of the import's are gone.
func (u *undoing) countSiblings(ctx context.Context, guardians []id.ID) error {
	n, err := db.One[int](ctx, u.tx, `
		SELECT COUNT(DISTINCT guardian_id) FROM student_guardians WHERE school_id = :school AND guardian_id IN (:ids)`, db.Args{"ids": guardians})
	if err != nil {
		return fault.Wrap("count children of an import's guardians", err)
	}
	u.held.add(isSibling, n)
	return u.refused()
}

// removeStaff deletes employees, then the accounts of everyone.
func (u *undoing) removeStaff(ctx context.Context) error {
	staff := false
	if err := u.each("employee", func(ids []id.ID) error { staff = true; return u.delete(ctx, "employee", ids) }); err != nil {
		return err
	}
	return u.each("user", func(ids []id.ID) error {
		if !staff {
			return u.s.Accounts.RemoveParents(ctx, u.tx, ids)
		}
		for _, user := range ids {
			if err := u.s.Accounts.Delete(ctx, u.tx, u.who, user); err != nil && !errors.Is(err, identity.ErrNoUser) {
				return err
			}
		}
		return nil
	})
}

// done marks the import as undone.
func (u *undoing) done(ctx context.Context, entity string) (PastImport, error) {
	_, err := db.Exec(ctx, u.tx, `
		UPDATE imports SET status = 'UNDONE', undone_at = :now, undone_by = :user WHERE school_id = :school AND id = :id`,
		db.Args{"id": u.made.ID, "now": u.s.Now(), "user": u.who.User})
	if err != nil {
		return PastImport{}, fault.Wrap("mark import as undone", err)
	}
	if err := ReachChanged(ctx, u.tx, u.who.School); err != nil {
		return PastImport{}, err
	}
	if err := u.s.Accounts.Audit.Record(ctx, u.tx, u.who, entity+".import-undo", entity, "", nil,
		map[string]any{"file": u.made.File, "importId": u.made.ID, "created": u.made.Created}); err != nil {
		return PastImport{}, err
	}
	return getImport(ctx, u.tx, entity, u.made.ID)
}
