package people

import (
	"context"
	"errors"
	"strings"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// ContactChange is a change of contact data that a parent proposes and the office
// decides. Null fields stay as they are; "" clears.
type ContactChange struct {
	ID           id.ID      `json:"id"`
	GuardianID   id.ID      `json:"guardianId"`
	GuardianName string     `json:"guardianName" doc:"The name as it is now."`
	Name         *string    `json:"name"`
	Phone        *string    `json:"phone"`
	Email        *string    `json:"email"`
	Address      *string    `json:"address"`
	Status       string     `json:"status" enum:"PENDING,ACCEPTED,REJECTED,CANCELLED"`
	Reason       opt.Text   `json:"reason" doc:"Why it was rejected."`
	CreatedAt    time.Time  `json:"createdAt"`
	DecidedAt    *time.Time `json:"decidedAt"`
	UserID       id.ID      `json:"-"` // the parent's account
}

// Asked tells the office of a change that a parent proposes, and the parent of the decision.
type Asked func(ctx context.Context, tx *db.Tx, who actor.Actor, c ContactChange) error

var (
	errNoChange     = fault.Missing("proposed change")
	errDecided      = fault.New(fault.Conflict, "", "This change has been decided already.")
	errNotAGuardian = fault.New(fault.NotFound, "", "The school has no contact data of yours. Ask the office.")
)

const contactColumns = `c.id, c.guardian_id, g.name AS guardian_name, c.name, c.phone, c.email, c.address, c.status, c.reason,
	c.created_at, c.decided_at, c.user_id`

const contactFrom = `contact_changes c JOIN guardians g ON g.school_id = c.school_id AND g.id = c.guardian_id WHERE c.school_id = :school`

type contactFilters struct {
	Status string `json:"status,omitempty" enum:"PENDING,ACCEPTED,REJECTED,CANCELLED" default:"PENDING"`
}

func (s *Service) contactChanges(ctx context.Context, who actor.Actor, in page.Ask[contactFilters]) (page.Of[ContactChange], error) {
	if in.Filters.Status == "" {
		in.Filters.Status = "PENDING"
	}
	out, err := db.Page[ContactChange](ctx, s.DB.School(who.School), db.List{
		Columns: contactColumns,
		From:    contactFrom + ` AND c.status = :status`,
		Sorts:   map[string]string{"createdAt": "c.id", "id": "c.id"},
		Default: "createdAt",
	}, in.Request, db.Args{"status": in.Filters.Status})
	return out, fault.Wrap("list proposed changes", err)
}

type ownContactOut struct {
	Name    string         `json:"name"`
	Phone   opt.Text       `json:"phone"`
	Email   opt.Text       `json:"email"`
	Address opt.Text       `json:"address"`
	Pending *ContactChange `json:"pending" doc:"The change that waits for the office; null if none does."`
}

func (s *Service) ownContact(ctx context.Context, who actor.Actor, _ web.None) (ownContactOut, error) {
	q := s.DB.School(who.School)
	g, err := guardianOf(ctx, q, who.User)
	if err != nil {
		return ownContactOut{}, err
	}
	out := ownContactOut{Name: g.Name, Phone: g.Phone, Email: g.Email, Address: g.Address}
	pending, err := pendingChange(ctx, q, g.ID)
	switch {
	case err == nil:
		out.Pending = &pending
	case !errors.Is(err, errNoChange):
		return out, err
	}
	return out, nil
}

// guardianOf reads the guardian of a parent's account.
func guardianOf(ctx context.Context, q db.Q, user id.ID) (GuardianRecord, error) {
	g, err := db.One[GuardianRecord](ctx, q, `SELECT `+guardianFields+` FROM `+guardianFrom+` AND g.user_id = :user`, db.Args{"user": user})
	return g, db.Found("read the caller's contact data", err, errNotAGuardian)
}

func pendingChange(ctx context.Context, q db.Q, guardian id.ID) (ContactChange, error) {
	c, err := db.One[ContactChange](ctx, q, `SELECT `+contactColumns+` FROM `+contactFrom+`
		AND c.guardian_id = :guardian AND c.status = 'PENDING'`, db.Args{"guardian": guardian})
	return c, db.Found("read the proposed change", err, errNoChange)
}

// Proposal is a change of contact data that a parent proposes.
type Proposal struct{ ContactData }

// Check requires something to change.
func (c *Proposal) Check() error {
	if c.Name == nil && !c.Phone.Set && !c.Email.Set && !c.Address.Set {
		return fault.OnField("name", "or phone, email or address is required")
	}
	if c.Phone.Set && c.Phone.V == "" {
		return fault.OnField("phone", "can't be removed: it is what you sign in with")
	}
	return nil
}

// Propose records the change that the parent proposes, in place of an earlier one, and tells the office.
func (s *Service) Propose(ctx context.Context, who actor.Actor, in Proposal) (out ContactChange, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lockGuardians(ctx, tx); err != nil {
			return err
		}
		g, err := guardianOf(ctx, tx, who.User)
		if err != nil {
			return err
		}
		if err := closeChange(ctx, tx, g.ID, s.Now()); err != nil && !errors.Is(err, errNoChange) {
			return err
		}
		out = ContactChange{ID: s.NewID(), GuardianID: g.ID, GuardianName: g.Name, UserID: who.User, Status: "PENDING", CreatedAt: s.Now(),
			Name: in.Name, Phone: sentText(in.Phone), Email: sentText(in.Email), Address: sentText(in.Address)}
		_, err = db.Insert(ctx, tx, `
			INSERT INTO contact_changes (school_id, id, guardian_id, user_id, name, phone, email, address, status, reason, created_at)
			VALUES (:school, :id, :guardian_id, :user_id, :name, :phone, :email, :address, :status, :reason, :created_at)`, []ContactChange{out})
		if err != nil {
			return fault.Wrap("propose a change", err)
		}
		if err := s.tellAsked(ctx, tx, who, out); err != nil {
			return err
		}
		return s.Accounts.Audit.Record(ctx, tx, who, "guardian.change.propose", "guardian", g.ID, nil, out)
	})
	return out, err
}

// sentText is nil for what was not sent, and "" for null.
func sentText(o web.Opt[string]) *string {
	if !o.Set {
		return nil
	}
	return new(strings.TrimSpace(value("", o)))
}

// closeChange cancels a guardian's pending change.
func closeChange(ctx context.Context, tx *db.Tx, guardian id.ID, now time.Time) error {
	n, err := db.Exec(ctx, tx, `
		UPDATE contact_changes SET status = 'CANCELLED', decided_at = :now
		WHERE school_id = :school AND guardian_id = :guardian AND status = 'PENDING'`, db.Args{"guardian": guardian, "now": now})
	if err == nil && n == 0 {
		return errNoChange
	}
	return fault.Wrap("cancel a proposed change", err)
}

func (s *Service) cancelChange(ctx context.Context, who actor.Actor, _ web.None) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lockGuardians(ctx, tx); err != nil { // decide looks at the status under this lock
			return err
		}
		g, err := guardianOf(ctx, tx, who.User)
		if err != nil {
			return err
		}
		if err := closeChange(ctx, tx, g.ID, s.Now()); err != nil {
			return err
		}
		return s.Accounts.Audit.Record(ctx, tx, who, "guardian.change.cancel", "guardian", g.ID, nil, nil)
	})
}

func (s *Service) acceptChange(ctx context.Context, who actor.Actor, in idIn) (out ContactChange, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if out, err = s.decide(ctx, tx, who, in.ID, "ACCEPTED", ""); err != nil {
			return err
		}
		set := func(v *string) web.Opt[string] {
			if v == nil {
				return web.Opt[string]{}
			}
			return web.Opt[string]{Set: true, V: *v}
		}
		_, err := s.ChangeGuardian(ctx, tx, who, out.GuardianID, GuardianChange{ContactData: ContactData{Name: out.Name,
			Phone: set(out.Phone), Email: set(out.Email), Address: set(out.Address)}})
		return err
	})
	return out, err
}

type rejectIn struct {
	ID     id.ID  `path:"id"`
	Reason string `json:"reason" maxLength:"500" multiline:"true" doc:"Told to the parent."`
}

func (s *Service) rejectChange(ctx context.Context, who actor.Actor, in rejectIn) (out ContactChange, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		out, err = s.decide(ctx, tx, who, in.ID, "REJECTED", strings.TrimSpace(in.Reason))
		return err
	})
	return out, err
}

// decide ends a pending change. Of two decisions at once the second is refused.
func (s *Service) decide(ctx context.Context, tx *db.Tx, who actor.Actor, change id.ID, status, reason string) (ContactChange, error) {
	if err := lockGuardians(ctx, tx); err != nil {
		return ContactChange{}, err
	}
	c, err := db.One[ContactChange](ctx, tx, `SELECT `+contactColumns+` FROM `+contactFrom+` AND c.id = :id`, db.Args{"id": change})
	switch {
	case err != nil:
		return c, db.Found("read the proposed change", err, errNoChange)
	case c.Status != "PENDING":
		return c, errDecided
	}
	c.Status, c.Reason, c.DecidedAt = status, opt.Text(reason), new(s.Now())
	_, err = db.Exec(ctx, tx, `
		UPDATE contact_changes SET status = :status, reason = :reason, decided_by = :user, decided_at = :now
		WHERE school_id = :school AND id = :id`,
		db.Args{"id": change, "status": status, "reason": reason, "user": who.User, "now": *c.DecidedAt})
	if err != nil {
		return c, fault.Wrap("decide a proposed change", err)
	}
	if err := s.tellAsked(ctx, tx, who, c); err != nil {
		return c, err
	}
	return c, s.Accounts.Audit.Record(ctx, tx, who, "guardian.change."+strings.ToLower(status), "guardian", c.GuardianID, nil, c)
}

// tellAsked notifies the office of a proposal, or the parent of the decision.
func (s *Service) tellAsked(ctx context.Context, tx *db.Tx, who actor.Actor, c ContactChange) error {
	if s.Asked == nil {
		return nil
	}
	return s.Asked(ctx, tx, who, c)
}
