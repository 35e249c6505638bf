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

// NewGuardian is an adult of a new student. Who has the phone of a guardian of
// the school is that guardian, and keeps its name.
type NewGuardian struct {
	Name        string
	Relation    string // FATHER, MOTHER or GUARDIAN
	Phone       string // with + and country code; "" = no account
	Email       string
	IsPrimary   bool
	CanViewData bool
	CanPickUp   bool
}

// family is a new student and its guardians. If none is primary, the first is.
type family struct {
	student   id.ID
	guardians []NewGuardian
	grown     bool // the student is not new: its links may be there, and a primary guardian
}

// guardianRow is a guardian as it is inserted.
type guardianRow struct {
	NewGuardian
	ID     id.ID
	UserID id.ID // "": no phone, no account
	Now    time.Time
}

// linkRow ties a student to a guardian.
type linkRow struct {
	guardianRow
	StudentID id.ID
}

const (
	insertGuardian = `
		INSERT INTO guardians (school_id, id, user_id, name, phone, email, created_at, updated_at)
		VALUES (:school, :id, :user_id, :name, :phone, :email, :now, :now)`
	insertLink = `
		INSERT INTO student_guardians (school_id, student_id, guardian_id, relation, is_primary, can_view_data, can_pick_up, created_at)
		VALUES (:school, :student_id, :id, :relation, :is_primary, :can_view_data, :can_pick_up, :now)`
	orChangeLink = `
		ON CONFLICT (school_id, student_id, guardian_id) DO UPDATE SET relation = excluded.relation, is_primary = excluded.is_primary,
			can_view_data = excluded.can_view_data, can_pick_up = excluded.can_pick_up`
)

// addGuardians links every family, making the guardians and PARENT accounts
// that its phones don't have yet.
func (s *Service) addGuardians(ctx context.Context, tx *db.Tx, who actor.Actor, families []family) error {
	if err := tx.Lock(ctx, "guardians"); err != nil { // two siblings at once must not make two of one phone
		return fmt.Errorf("lock guardians: %w", err)
	}
	known, err := guardiansByPhone(ctx, tx, families)
	if err != nil {
		return err
	}
	if err := s.welcomeBack(ctx, tx, who, slices.Collect(maps.Values(known))); err != nil {
		return err
	}
	var fresh []guardianRow
	var links []linkRow
	for _, f := range families {
		first := len(links)
		hasPrimary := f.grown || slices.ContainsFunc(f.guardians, func(g NewGuardian) bool { return g.IsPrimary })
		for i, g := range f.guardians {
			g.IsPrimary = g.IsPrimary || i == 0 && !hasPrimary
			row := guardianRow{NewGuardian: g, ID: known[g.Phone], Now: s.Now()}
			if row.ID == "" {
				if row, err = s.newGuardian(ctx, tx, who, row); err != nil {
					return err
				}
				fresh = append(fresh, row)
			}
			if g.Phone != "" {
				known[g.Phone] = row.ID
			}
			link := linkRow{guardianRow: row, StudentID: f.student}
			if !slices.ContainsFunc(links[first:], func(l linkRow) bool { return l.ID == row.ID }) {
				links = append(links, link) // who is named twice is one
			}
		}
	}
	return insertGuardians(ctx, tx, fresh, nil, links)
}

// insertGuardians adds guardians, their links to new students, and links that
// may be there already.
func insertGuardians(ctx context.Context, tx *db.Tx, fresh []guardianRow, links, again []linkRow) error {
	if _, err := db.Insert(ctx, tx, insertGuardian, fresh); err != nil {
		return fmt.Errorf("add guardians: %w", err)
	}
	_, err := db.Insert(ctx, tx, insertLink, links)
	if err == nil {
		_, err = db.Insert(ctx, tx, insertLink+orChangeLink, again)
	}
	if err != nil {
		return fmt.Errorf("link guardians: %w", err)
	}
	return nil
}

// guardiansByPhone maps the phones that are guardians' already.
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

// newGuardian gives a guardian its id and, with a phone, the PARENT account of
// that phone, which may be there already.
func (s *Service) newGuardian(ctx context.Context, tx *db.Tx, who actor.Actor, g guardianRow) (guardianRow, error) {
	g.ID = s.NewID()
	if g.Phone == "" {
		return g, nil
	}
	var err error
	g.UserID, err = s.Accounts.FindByPhone(ctx, tx, actor.Parent, g.Phone)
	if errors.Is(err, identity.ErrNoUser) {
		g.UserID, err = s.Accounts.CreateAccount(ctx, tx, who, identity.NewAccount{
			Role: actor.Parent, Name: g.Name, Phone: g.Phone, Email: g.Email})
	}
	if err != nil {
		return g, fmt.Errorf("give a guardian an account: %w", err)
	}
	return g, nil
}
