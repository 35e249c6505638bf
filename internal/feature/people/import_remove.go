package people

import (
	"context"
	"errors"
	"slices"

	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// imports are the imports of students, or of employees.
func (s *Service) imports(entity string) Imports {
	table := func(name string) Table { return Table{Name: name, Key: "id", Version: "version", Logged: true} }
	return Imports{DB: s.DB, Audit: s.Accounts.Audit, Now: s.Now, NewID: s.NewID, Entity: entity, Holds: slices.Concat(ownHolds, s.Holds),
		Tables: map[string]Table{"student": table("students"), "guardian": table("guardians"),
			"employee": table("employees"), "user": table("users")},
		Lock: lockFamilies, Remove: s.removeImport}
}

// removeImport deletes people: children before parents, people before their accounts.
func (s *Service) removeImport(ctx context.Context, tx *db.Tx, u *Undoing) error {
	known, err := u.linked(ctx)
	if err != nil {
		return err
	}
	if err := u.Delete(ctx, "student"); err != nil {
		return err
	}
	if err := u.countSiblings(ctx); err != nil {
		return err
	}
	if err := u.Delete(ctx, "guardian"); err != nil {
		return err
	}
	if err := s.disableChildless(ctx, tx, u.Who, known); err != nil {
		return err
	}
	if err := u.Delete(ctx, "employee"); err != nil {
		return err
	}
	if err := s.removeAccounts(ctx, tx, u); err != nil {
		return err
	}
	return ReachChanged(ctx, tx, u.Who.School)
}

// linked lists the guardians of the students whom the import did not add.
func (u *Undoing) linked(ctx context.Context) ([]id.ID, error) {
	fresh, known := map[id.ID]bool{}, map[id.ID]bool{}
	_ = u.Each("guardian", func(p Part) error {
		for _, g := range p.Records.V {
			fresh[g] = true
		}
		return nil
	})
	err := u.Each("student", func(p Part) error {
		return db.Each(ctx, u.tx, `SELECT DISTINCT guardian_id FROM student_guardians WHERE school_id = :school AND student_id IN (:ids)`,
			db.Args{"ids": p.Records.V}, func(g id.ID) error {
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
func (u *Undoing) countSiblings(ctx context.Context) error {
	return u.Each("guardian", func(p Part) error {
		n, err := db.One[int](ctx, u.tx, `
			SELECT COUNT(DISTINCT guardian_id) FROM student_guardians WHERE school_id = :school AND guardian_id IN (:ids)`,
			db.Args{"ids": p.Records.V})
		if err != nil {
			return fault.Wrap("count children of an import's guardians", err)
		}
		return u.Refuse(isSibling, n)
	})
}

// removeAccounts deletes the accounts of parents, or of employees.
func (s *Service) removeAccounts(ctx context.Context, tx *db.Tx, u *Undoing) error {
	return u.Each("user", func(p Part) error {
		if u.of.Entity == "student" {
			return s.Accounts.RemoveParents(ctx, tx, p.Records.V)
		}
		for _, user := range p.Records.V {
			if err := s.Accounts.Delete(ctx, tx, u.Who, user); err != nil && !errors.Is(err, identity.ErrNoUser) {
				return err
			}
		}
		return nil
	})
}
