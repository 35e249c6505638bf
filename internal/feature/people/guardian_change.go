package people

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// AddGuardian links an adult to a student. One whose phone is known is that
// guardian; one who is linked already has the relation and rights given now.
func (s *Service) AddGuardian(ctx context.Context, tx *db.Tx, who actor.Actor, student id.ID, g NewGuardian) (Record, error) {
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
	if err := ReachChanged(ctx, tx, who.School); err != nil { // a link that was there may allow less now
		return before, err
	}
	after, err := withPrimary(ctx, tx, student)
	if err != nil {
		return after, err
	}
	return after, s.record(ctx, tx, who, "student.guardian.add", student, adults(before), adults(after))
}

// RemoveGuardian unlinks an adult from a student. An account that has no child
// left is disabled; of those who remain one is primary.
func (s *Service) RemoveGuardian(ctx context.Context, tx *db.Tx, who actor.Actor, student, guardian id.ID) error {
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
	if err := ReachChanged(ctx, tx, who.School); err != nil {
		return err
	}
	after, err := withPrimary(ctx, tx, student)
	if err != nil {
		return err
	}
	if err := s.record(ctx, tx, who, "student.guardian.remove", student, adults(before), adults(after)); err != nil {
		return err
	}
	return s.sayGoodbye(ctx, tx, who, []id.ID{guardian})
}

// withPrimary reads a student of whose guardians, if there are any, one is
// primary: the first, where none was.
func withPrimary(ctx context.Context, tx *db.Tx, student id.ID) (Record, error) {
	r, err := GetRecord(ctx, tx, student)
	if err != nil || len(r.Guardians) == 0 || r.Guardians[0].IsPrimary {
		return r, err
	}
	r.Guardians[0].IsPrimary = true
	return r, setPrimary(ctx, tx, student, r.Guardians[0].ID)
}

// adults is the part of a record that a change of guardians changes.
func adults(r Record) any {
	return map[string]any{"guardians": r.Guardians}
}

// setPrimary makes one guardian of a student the primary one, or none.
func setPrimary(ctx context.Context, tx *db.Tx, student, guardian id.ID) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE student_guardians SET is_primary = (guardian_id IN (:guardian))
		WHERE school_id = :school AND student_id = :student`, db.Args{"student": student, "guardian": known(guardian)})
	if err != nil {
		return fmt.Errorf("set the primary guardian: %w", err)
	}
	return nil
}

// known is a list of the id, if it is one.
func known(v id.ID) []id.ID {
	if v == "" {
		return []id.ID{}
	}
	return []id.ID{v}
}

// childless lists the accounts of those of the guardians who have no child in
// the school; a student who is archived is none.
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

// sayGoodbye disables the accounts of those of the guardians who have no child left.
func (s *Service) sayGoodbye(ctx context.Context, tx *db.Tx, who actor.Actor, guardians []id.ID) error {
	return s.setAccounts(ctx, tx, who, guardians, identity.Disabled)
}

// welcomeBack enables them again, before they get another child.
func (s *Service) welcomeBack(ctx context.Context, tx *db.Tx, who actor.Actor, guardians []id.ID) error {
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
