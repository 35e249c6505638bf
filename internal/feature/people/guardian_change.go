package people

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// AddGuardian links a guardian to a student. A known phone links the existing
// guardian; a link that exists gets the new relation and rights.
func (s *Service) AddGuardian(ctx context.Context, tx *db.Tx, who actor.Actor, student id.ID, g NewGuardian) (Record, error) {
	if err := lockFamilies(ctx, tx); err != nil {
		return Record{}, err
	}
	before, err := GetRecord(ctx, tx, student)
	if err != nil {
		return before, err
	}
	if g.IsPrimary {
		if err := setPrimary(ctx, tx, student, ""); err != nil {
			return before, err
		}
	}
	if err := s.addGuardians(ctx, tx, who, []family{{student, []NewGuardian{g}, true}}); err != nil {
		return before, err
	}
	return s.relinked(ctx, tx, who, "student.guardian.add", before)
}

// RemoveGuardian unlinks a guardian from a student. It disables the account if no
// child is left, and makes another guardian primary if needed.
func (s *Service) RemoveGuardian(ctx context.Context, tx *db.Tx, who actor.Actor, student, guardian id.ID) error {
	if err := lockFamilies(ctx, tx); err != nil {
		return err
	}
	before, err := GetRecord(ctx, tx, student)
	if err != nil {
		return err
	}
	n, err := db.Exec(ctx, tx, `
		DELETE FROM student_guardians WHERE school_id = :school AND student_id = :student AND guardian_id = :guardian`,
		db.Args{"student": student, "guardian": guardian})
	switch {
	case err != nil:
		return fmt.Errorf("unlink guardian: %w", err)
	case n == 0:
		return errNoGuardian
	}
	if _, err := s.relinked(ctx, tx, who, "student.guardian.remove", before); err != nil {
		return err
	}
	return s.disableChildless(ctx, tx, who, []id.ID{guardian})
}

// relinked ends a change of a student's guardians. The student's version grows if one has changed:
// a page that shows the old list can't send it.
func (s *Service) relinked(ctx context.Context, tx *db.Tx, who actor.Actor, action string, before Record) (Record, error) {
	if err := ReachChanged(ctx, tx, who.School); err != nil { // a link may have lost rights
		return before, err
	}
	after, err := withPrimary(ctx, tx, before.ID)
	if err != nil {
		return after, err
	}
	if after.Version == before.Version && !slices.Equal(after.Guardians, before.Guardians) {
		after.Version, after.UpdatedAt = before.Version+1, s.Now()
		if err := raiseVersions(ctx, tx, []id.ID{before.ID}, after.UpdatedAt); err != nil {
			return after, err
		}
	}
	return after, s.record(ctx, tx, who, action, before.ID, auditedGuardians(before), auditedGuardians(after))
}

// raiseVersions gives students whose guardians changed their next version.
func raiseVersions(ctx context.Context, tx *db.Tx, students []id.ID, now time.Time) error {
	if len(students) == 0 {
		return nil
	}
	_, err := db.Exec(ctx, tx, `UPDATE students SET version = version + 1, updated_at = :now WHERE school_id = :school AND id IN (:students)`,
		db.Args{"students": students, "now": now})
	return fault.Wrap("raise the versions of students", err)
}

// withPrimary reads a student and makes the first guardian primary if none is.
func withPrimary(ctx context.Context, tx *db.Tx, student id.ID) (Record, error) {
	r, err := GetRecord(ctx, tx, student)
	if err != nil || len(r.Guardians) == 0 || r.Guardians[0].IsPrimary {
		return r, err
	}
	r.Guardians[0].IsPrimary = true
	return r, setPrimary(ctx, tx, student, r.Guardians[0].ID)
}

// auditedGuardians is what the audit log keeps of a change of guardians.
func auditedGuardians(r Record) any {
	return map[string]any{"guardians": r.Guardians}
}

// setPrimary makes one guardian of a student the primary one; with "" none is.
func setPrimary(ctx context.Context, tx *db.Tx, student, guardian id.ID) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE student_guardians SET is_primary = (guardian_id IN (:guardian))
		WHERE school_id = :school AND student_id = :student`, db.Args{"student": student, "guardian": asList(guardian)})
	if err != nil {
		return fmt.Errorf("set the primary guardian: %w", err)
	}
	return nil
}

// asList returns a list of one id, empty for "".
func asList(v id.ID) []id.ID {
	if v == "" {
		return []id.ID{}
	}
	return []id.ID{v}
}

// childless lists the accounts of guardians who have no child left in the school.
// Archived students don't count.
func childless(ctx context.Context, q db.Q, guardians []id.ID) ([]id.ID, error) {
	users, err := db.All[id.ID](ctx, q, `
		SELECT g.user_id FROM guardians g
		WHERE g.school_id = :school AND g.id IN (:guardians) AND g.user_id IS NOT NULL AND NOT EXISTS (
			SELECT 1 FROM student_guardians l JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id
			WHERE l.school_id = g.school_id AND l.guardian_id = g.id AND s.archived_at IS NULL)
		ORDER BY g.id`, db.Args{"guardians": guardians})
	if err != nil {
		return nil, fmt.Errorf("list guardians without children: %w", err)
	}
	return users, nil
}

// disableChildless disables the accounts of guardians who have no child left.
func (s *Service) disableChildless(ctx context.Context, tx *db.Tx, who actor.Actor, guardians []id.ID) error {
	return s.setAccounts(ctx, tx, who, guardians, identity.Disabled)
}

// enableChildless enables them again; call it before linking another child.
func (s *Service) enableChildless(ctx context.Context, tx *db.Tx, who actor.Actor, guardians []id.ID) error {
	return s.setAccounts(ctx, tx, who, guardians, identity.Active)
}

func (s *Service) setAccounts(ctx context.Context, tx *db.Tx, who actor.Actor, guardians []id.ID, to identity.Status) error {
	if len(guardians) == 0 {
		return nil
	}
	users, err := childless(ctx, tx, guardians)
	if err != nil {
		return err
	}
	for _, user := range users {
		if err := s.Accounts.SetStatus(ctx, tx, who, user, to); err != nil && !errors.Is(err, identity.ErrNoUser) {
			return fmt.Errorf("enable or disable a guardian's account: %w", err)
		}
	}
	return nil
}

// guardianIDs lists the guardians of a student.
func guardianIDs(ctx context.Context, q db.Q, student id.ID) ([]id.ID, error) {
	ids, err := db.All[id.ID](ctx, q, `
		SELECT guardian_id FROM student_guardians WHERE school_id = :school AND student_id = :student ORDER BY guardian_id`,
		db.Args{"student": student})
	if err != nil {
		return nil, fmt.Errorf("list guardians: %w", err)
	}
	return ids, nil
}
