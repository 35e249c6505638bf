package people

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Merged are two accounts of one person. From is deleted; what it has becomes To's.
type Merged struct{ From, To id.ID }

// Merger moves another module's records from one account to the other.
type Merger func(ctx context.Context, tx *db.Tx, m Merged) error

var errMergeSelf = fault.OnField("guardianId", "must be another guardian")

// MergeGuardians joins two records of one person. keep stays and gets what it lacks
// from the other: phone, e-mail, address, children, conversations, notifications. Of
// two links to one child the stricter rights hold.
func (s *Service) MergeGuardians(ctx context.Context, tx *db.Tx, who actor.Actor, keep, other id.ID) (GuardianRecord, error) {
	if keep == other {
		return GuardianRecord{}, errMergeSelf
	}
	if err := lockFamilies(ctx, tx); err != nil {
		return GuardianRecord{}, err
	}
	before, err := getGuardian(ctx, tx, keep)
	if err != nil {
		return before, err
	}
	gone, err := getGuardian(ctx, tx, other)
	if err != nil {
		return before, err
	}
	after := before
	for to, from := range map[*string]string{(*string)(&after.Phone): string(gone.Phone), (*string)(&after.Email): string(gone.Email),
		(*string)(&after.Address): string(gone.Address)} {
		if *to == "" {
			*to = from
		}
	}
	if after.UserID, err = s.mergeAccounts(ctx, tx, who, before.UserID, gone.UserID); err != nil {
		return before, err
	}
	if err := moveLinks(ctx, tx, keep, other); err != nil {
		return before, err
	}
	after.UpdatedAt = s.Now()
	if err := raiseVersions(ctx, tx, gone.students(), after.UpdatedAt); err != nil {
		return before, err
	}
	if err := putGuardian(ctx, tx, after); err != nil {
		return before, err
	}
	if err := s.followChildren(ctx, tx, who, after); err != nil {
		return before, err
	}
	if err := ReachChanged(ctx, tx, who.School); err != nil {
		return before, err
	}
	if after, err = getGuardian(ctx, tx, keep); err != nil {
		return after, err
	}
	return after, s.Accounts.Audit.Record(ctx, tx, who, "guardian.merge", "guardian", keep, gone.audited(), after.audited())
}

// followChildren enables the account of a merged guardian, unless no child is left: either of
// the two may have been disabled.
func (s *Service) followChildren(ctx context.Context, tx *db.Tx, who actor.Actor, g GuardianRecord) error {
	if g.UserID == nil {
		return nil
	}
	u, err := s.Accounts.Get(ctx, tx, *g.UserID)
	if err == nil && u.Status != identity.Active {
		err = s.Accounts.SetStatus(ctx, tx, who, u.ID, identity.Active)
	}
	if err != nil {
		return fault.Wrap("enable a guardian's account", err)
	}
	return s.disableChildless(ctx, tx, who, []id.ID{g.ID})
}

// mergeAccounts returns the account of the merged guardian. Of two, the other's
// records move and it is deleted.
func (s *Service) mergeAccounts(ctx context.Context, tx *db.Tx, who actor.Actor, keep, gone *id.ID) (*id.ID, error) {
	if keep == nil || gone == nil {
		if keep == nil {
			keep = gone
		}
		return keep, nil
	}
	for _, merge := range s.Mergers {
		if err := merge(ctx, tx, Merged{From: *gone, To: *keep}); err != nil {
			return nil, fmt.Errorf("merge two accounts: %w", err)
		}
	}
	err := s.Accounts.Delete(ctx, tx, who, *gone)
	if errors.Is(err, identity.ErrNoUser) {
		err = nil
	}
	return keep, err
}

// moveLinks links the children of other to keep and deletes other.
func moveLinks(ctx context.Context, tx *db.Tx, keep, other id.ID) error {
	a := db.Args{"keep": keep, "other": other}
	for _, sql := range []string{`
		UPDATE student_guardians SET
			is_primary = is_primary OR twin.first, can_view_data = can_view_data AND twin.views, can_pick_up = can_pick_up AND twin.picks
		FROM (SELECT student_id AS student, is_primary AS first, can_view_data AS views, can_pick_up AS picks FROM student_guardians
			WHERE school_id = :school AND guardian_id = :other) AS twin
		WHERE school_id = :school AND guardian_id = :keep AND student_id = twin.student`, `
		INSERT INTO student_guardians (school_id, student_id, guardian_id, relation, is_primary, can_view_data, can_pick_up, created_at)
		SELECT school_id, student_id, :keep, relation, is_primary, can_view_data, can_pick_up, created_at FROM student_guardians
		WHERE school_id = :school AND guardian_id = :other
		ON CONFLICT (school_id, student_id, guardian_id) DO NOTHING`,
	} {
		if _, err := db.Exec(ctx, tx, sql, a); err != nil {
			return fmt.Errorf("move links of a guardian: %w", err)
		}
	}
	_, err := db.Exec(ctx, tx, `DELETE FROM guardians WHERE school_id = :school AND id = :other`, db.Args{"other": other})
	return fault.Wrap("delete the merged guardian", err)
}
