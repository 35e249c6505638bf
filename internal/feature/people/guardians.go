package people

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// NewGuardian is a guardian to link to a student. If the school has a guardian with
// this phone, that guardian is linked and keeps the name.
type NewGuardian struct {
	Name        string
	Relation    string // FATHER, MOTHER or GUARDIAN
	Phone       string // with + and country code; "" = no account
	Email       string
	IsPrimary   bool
	CanViewData bool
	CanPickUp   bool
}

// family is a student and the guardians to link. If none is primary, the first is.
type family struct {
	student   id.ID
	guardians []NewGuardian
	existing  bool // the student may have links and a primary guardian already
}

// guardianRow is a row to insert.
type guardianRow struct {
	NewGuardian
	ID     id.ID
	UserID id.ID // "": no phone, no account
	Search string
	Now    time.Time
}

// linkRow links a student to a guardian.
type linkRow struct {
	guardianRow
	StudentID id.ID
}

const (
	insertGuardian = `
		INSERT INTO guardians (school_id, id, user_id, name, phone, email, search, created_at, updated_at)
		VALUES (:school, :id, :user_id, :name, :phone, :email, :search, :now, :now)`
	insertLink = `
		INSERT INTO student_guardians (school_id, student_id, guardian_id, relation, is_primary, can_view_data, can_pick_up, created_at)
		VALUES (:school, :student_id, :id, :relation, :is_primary, :can_view_data, :can_pick_up, :now)
		ON CONFLICT (school_id, student_id, guardian_id) DO UPDATE SET relation = excluded.relation, is_primary = excluded.is_primary,
			can_view_data = excluded.can_view_data, can_pick_up = excluded.can_pick_up`
)

// addGuardians links every family and creates the missing guardians and PARENT
// accounts.
func (s *Service) addGuardians(ctx context.Context, tx *db.Tx, who actor.Actor, families []family) error {
	return s.linkFamilies(ctx, tx, who, families, s.openAccounts)
}

// linkFamilies links every family; open creates the accounts of new guardians.
func (s *Service) linkFamilies(ctx context.Context, tx *db.Tx, who actor.Actor, families []family, open openAccounts) error {
	if !slices.ContainsFunc(families, func(f family) bool { return len(f.guardians) > 0 }) {
		return nil
	}
	if err := lockGuardians(ctx, tx); err != nil {
		return err
	}
	known, err := guardiansByPhone(ctx, tx, families)
	if err != nil {
		return err
	}
	if err := s.enableChildless(ctx, tx, who, slices.Collect(maps.Values(known))); err != nil {
		return err
	}
	now := s.Now()
	var fresh []guardianRow
	var links []linkRow
	for _, f := range families {
		first := len(links)
		hasPrimary := f.existing || slices.ContainsFunc(f.guardians, func(g NewGuardian) bool { return g.IsPrimary })
		for i, g := range f.guardians {
			g.IsPrimary = g.IsPrimary || i == 0 && !hasPrimary
			row := guardianRow{NewGuardian: g, ID: known[g.Phone], Search: guardianText(g.Name, g.Phone, g.Email), Now: now}
			if row.ID == "" {
				row.ID = s.NewID()
				fresh = append(fresh, row)
			}
			if g.Phone != "" {
				known[g.Phone] = row.ID
			}
			if !slices.ContainsFunc(links[first:], func(l linkRow) bool { return l.ID == row.ID }) { // the same guardian named twice
				links = append(links, linkRow{guardianRow: row, StudentID: f.student})
			}
		}
	}
	if err := open(ctx, tx, who, fresh); err != nil {
		return fmt.Errorf("create guardians' accounts: %w", err)
	}
	if _, err := db.Insert(ctx, tx, insertGuardian, fresh); err != nil {
		return fmt.Errorf("add guardians: %w", err)
	}
	if _, err := db.Insert(ctx, tx, insertLink, links); err != nil {
		return fmt.Errorf("link guardians: %w", err)
	}
	return nil
}

// guardiansByPhone maps phones to the school's existing guardians.
func guardiansByPhone(ctx context.Context, q db.Q, families []family) (map[string]id.ID, error) {
	var phones []string
	for _, f := range families {
		for _, g := range f.guardians {
			if g.Phone != "" {
				phones = append(phones, g.Phone)
			}
		}
	}
	known := map[string]id.ID{}
	if len(phones) == 0 {
		return known, nil
	}
	type guardian struct {
		ID    id.ID
		Phone string
	}
	err := db.Each(ctx, q, `SELECT id, phone FROM guardians WHERE school_id = :school AND phone <> '' AND phone IN (:phones)`,
		db.Args{"phones": phones}, func(g guardian) error {
			known[g.Phone] = g.ID
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read guardians: %w", err)
	}
	return known, nil
}

// openAccounts finds or creates the PARENT account of each new guardian with a
// phone and sets its UserID.
type openAccounts func(ctx context.Context, tx *db.Tx, who actor.Actor, fresh []guardianRow) error

// openAccounts creates accounts one by one, each with an audit entry.
func (s *Service) openAccounts(ctx context.Context, tx *db.Tx, who actor.Actor, fresh []guardianRow) error {
	for i := range fresh {
		g := &fresh[i]
		if g.Phone == "" {
			continue
		}
		var err error
		g.UserID, err = s.Accounts.FindByPhone(ctx, tx, actor.Parent, g.Phone)
		if errors.Is(err, identity.ErrNoUser) {
			g.UserID, err = s.Accounts.CreateAccount(ctx, tx, who, identity.NewAccount{
				Role: actor.Parent, Name: g.Name, Phone: g.Phone, Email: g.Email})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// openManyAccounts creates accounts in batches and returns the new ones. The import's
// audit entry covers them all.
func (s *Service) openManyAccounts(ctx context.Context, tx *db.Tx, fresh []guardianRow) ([]id.ID, error) {
	var phones []string
	for _, g := range fresh {
		if g.Phone != "" {
			phones = append(phones, g.Phone)
		}
	}
	users, err := s.Accounts.ParentsByPhone(ctx, tx, phones)
	if err != nil {
		return nil, err
	}
	var wanted []identity.NewAccount
	for _, g := range fresh {
		if g.Phone != "" && users[g.Phone] == "" {
			wanted = append(wanted, identity.NewAccount{Name: g.Name, Phone: g.Phone, Email: g.Email})
		}
	}
	ids, err := s.Accounts.CreateParents(ctx, tx, wanted)
	if err != nil {
		return nil, err
	}
	for i, n := range wanted {
		users[n.Phone] = ids[i]
	}
	for i := range fresh {
		fresh[i].UserID = users[fresh[i].Phone]
	}
	return ids, nil
}
