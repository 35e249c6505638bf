package people

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// ContactData is a guardian's own data, as the office corrects it and a parent
// proposes it. Unset fields stay, null clears.
type ContactData struct {
	Name    *string         `json:"name,omitempty" maxLength:"200" pattern:"\\S" patternHint:"must not be blank"`
	Phone   web.Opt[string] `json:"phone,omitzero" format:"phone" doc:"The guardian's login. A new phone ends the account's sessions and removes its PIN."`
	Email   web.Opt[string] `json:"email,omitzero" format:"email"`
	Address web.Opt[string] `json:"address,omitzero" maxLength:"500" multiline:"true"`
}

// GuardianChange is a correction by the office.
type GuardianChange struct {
	ContactData
	Language web.Opt[string] `json:"language" pattern:"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$" patternHint:"must be a language, such as en or pt-BR" example:"pt-BR" doc:"Language of messages; null for the school's. Only with an account."`
	Version  *int            `json:"version" doc:"The version you read. 409 if the record has changed since."`
}

var (
	errGuardianPhone = fault.Duplicate("Another guardian has this phone. If they are the same person, merge the two records.")
	errNoAccount     = fault.OnField("language", "needs an account: give the guardian a phone first")
)

func (c ContactData) apply(g GuardianRecord) GuardianRecord {
	if c.Name != nil {
		g.Name = strings.TrimSpace(*c.Name)
	}
	g.Phone, g.Email, g.Address = textOr(g.Phone, c.Phone), textOr(g.Email, c.Email), textOr(g.Address, c.Address)
	return g
}

// ChangeGuardian corrects a guardian and the account. A new phone opens an account for
// a guardian without one; removing the phone deletes the account.
func (s *Service) ChangeGuardian(ctx context.Context, tx *db.Tx, who actor.Actor, guardian id.ID, c GuardianChange,
) (GuardianRecord, error) {
	if err := lockGuardians(ctx, tx); err != nil {
		return GuardianRecord{}, err
	}
	before, err := getGuardian(ctx, tx, guardian)
	if err != nil {
		return before, err
	}
	if err := fault.SameVersion(c.Version, before.Version); err != nil {
		return before, err
	}
	after := c.apply(before)
	if after.UserID, err = s.changeParent(ctx, tx, who, before, after); err != nil {
		return after, err
	}
	if c.Language.Set {
		if after.UserID == nil {
			return after, errNoAccount
		}
		after.Language = c.Language.Or(nil)
		if err := identity.SetLanguage(ctx, tx, *after.UserID, after.Language); err != nil {
			return after, err
		}
	}
	if sameContact(before, after) && same(before.Language, after.Language) {
		return before, nil
	}
	after.UpdatedAt = s.Now()
	if err := putGuardian(ctx, tx, after); err != nil {
		return after, err
	}
	after.Version++
	return after, s.Accounts.Audit.Record(ctx, tx, who, "guardian.update", "guardian", guardian, before.audited(), after.audited())
}

func sameContact(a, b GuardianRecord) bool {
	return a.Name == b.Name && a.Phone == b.Phone && a.Email == b.Email && a.Address == b.Address && same(a.UserID, b.UserID)
}

// changeParent applies a guardian's change to the PARENT account and returns it.
func (s *Service) changeParent(ctx context.Context, tx *db.Tx, who actor.Actor, before, after GuardianRecord) (*id.ID, error) {
	switch {
	case before.UserID == nil && after.Phone == "":
		return nil, nil
	case before.UserID == nil:
		row := []guardianRow{{NewGuardian: NewGuardian{Name: after.Name, Phone: string(after.Phone), Email: string(after.Email)}}}
		err := s.openAccounts(ctx, tx, who, row)
		return &row[0].UserID, err
	case after.Phone == "":
		err := s.Accounts.Delete(ctx, tx, who, *before.UserID)
		if errors.Is(err, identity.ErrNoUser) {
			err = nil
		}
		return nil, err
	}
	var c identity.Change
	if before.Name != after.Name {
		c.Name = &after.Name
	}
	if before.Phone != after.Phone {
		c.Phone = (*string)(&after.Phone)
	}
	if before.Email != after.Email {
		c.Email = (*string)(&after.Email)
	}
	if c == (identity.Change{}) {
		return before.UserID, nil
	}
	_, err := s.Accounts.Update(ctx, tx, who, *before.UserID, c)
	return before.UserID, err
}

// putGuardian writes the next version of a guardian.
func putGuardian(ctx context.Context, tx *db.Tx, g GuardianRecord) error {
	err := db.Update(ctx, tx, `
		UPDATE guardians SET user_id = :user, name = :name, phone = :phone, email = :email, address = :address, search = :search,
			version = version + 1, updated_at = :now
		WHERE school_id = :school AND id = :id AND version = :version`,
		db.Args{"id": g.ID, "user": g.UserID, "name": g.Name, "phone": g.Phone, "email": g.Email, "address": g.Address,
			"search": guardianText(g.Name, string(g.Phone), string(g.Email)), "version": g.Version, "now": g.UpdatedAt})
	if db.IsDuplicate(err, "guardians_phone") || db.IsDuplicate(err, "guardians_user") {
		return errGuardianPhone.Because(err)
	}
	return fault.Wrap("update guardian", err)
}

// guardianText is the content of the search column.
func guardianText(name, phone, email string) string { return SearchText(name, phone, email) }

// lockGuardians serializes changes of a school's guardians: two siblings added at once
// must not create a guardian twice.
func lockGuardians(ctx context.Context, tx *db.Tx) error {
	return fault.Wrap("lock guardians", tx.Lock(ctx, "guardians"))
}

// lockFamilies serializes calls that link or unlink guardians and may enable or disable
// their accounts. Students come first: whoever takes both locks keeps this order.
func lockFamilies(ctx context.Context, tx *db.Tx) error {
	if err := lockStudents(ctx, tx); err != nil {
		return err
	}
	return lockGuardians(ctx, tx)
}

// GuardianLink is a guardian in an update of a student. With an id it is a guardian of
// the school, whose data is corrected; without one a new guardian, or a known phone.
type GuardianLink struct {
	ID *id.ID `json:"id" doc:"A guardian of the school. Without it: a new guardian, who needs a name, or one with a known phone."`
	ContactData
	Relation    string `json:"relation" enum:"FATHER,MOTHER,GUARDIAN" doc:"Default: as it is, else GUARDIAN."`
	IsPrimary   *bool  `json:"isPrimary"`
	CanViewData *bool  `json:"canViewData" doc:"Default: as it is, else true."`
	CanPickUp   *bool  `json:"canPickUp" doc:"Default: as it is, else true."`
}

// setGuardians makes links the guardians of a student: others are removed.
func (s *Service) setGuardians(ctx context.Context, tx *db.Tx, who actor.Actor, student id.ID, links []GuardianLink) error {
	if err := lockFamilies(ctx, tx); err != nil {
		return err
	}
	before, err := GetRecord(ctx, tx, student)
	if err != nil {
		return err
	}
	was := map[id.ID]Guardian{}
	for _, g := range before.Guardians {
		was[g.ID] = g
	}
	keep := map[id.ID]bool{}
	for i, l := range links {
		at, err := s.setGuardian(ctx, tx, who, student, l, was, fmt.Sprintf("guardians[%d].", i))
		if err != nil {
			return err
		}
		keep[at] = true
	}
	for _, g := range before.Guardians {
		if !keep[g.ID] {
			if err := s.RemoveGuardian(ctx, tx, who, student, g.ID); err != nil {
				return err
			}
		}
	}
	_, err = s.relinked(ctx, tx, who, "student.guardian.update", before)
	return err
}

// among returns the present link of the guardian, who is named by id or phone.
func (l GuardianLink) among(was map[id.ID]Guardian) (Guardian, bool) {
	if l.ID != nil {
		g, ok := was[*l.ID]
		return g, ok
	}
	for _, g := range was {
		if l.Phone.V != "" && string(g.Phone) == l.Phone.V {
			return g, true
		}
	}
	return Guardian{}, false
}

// setGuardian corrects and links one guardian of a student.
func (s *Service) setGuardian(ctx context.Context, tx *db.Tx, who actor.Actor, student id.ID, l GuardianLink, was map[id.ID]Guardian,
	at string,
) (id.ID, error) {
	g := NewGuardian{Relation: "GUARDIAN", CanViewData: true, CanPickUp: true}
	if link, ok := l.among(was); ok {
		g.Relation, g.IsPrimary, g.CanViewData, g.CanPickUp = link.Relation, link.IsPrimary, link.CanViewData, link.CanPickUp
	}
	if l.ID == nil {
		if l.Name == nil {
			return "", fault.OnField(at+"name", "is required without an id")
		}
	} else {
		after, err := s.ChangeGuardian(ctx, tx, who, *l.ID, GuardianChange{ContactData: l.ContactData})
		if err != nil {
			return "", err
		}
		g.Name, g.Phone, g.Email = after.Name, string(after.Phone), string(after.Email)
	}
	if l.Name != nil {
		g.Name = strings.TrimSpace(*l.Name)
	}
	g.Phone, g.Email = value(g.Phone, l.Phone), value(g.Email, l.Email)
	if l.Relation != "" {
		g.Relation = l.Relation
	}
	for to, sent := range map[*bool]*bool{&g.IsPrimary: l.IsPrimary, &g.CanViewData: l.CanViewData, &g.CanPickUp: l.CanPickUp} {
		if sent != nil {
			*to = *sent
		}
	}
	return s.linkGuardian(ctx, tx, who, student, l.ID, g)
}

// linkGuardian links a known guardian of the school, or adds one, and returns its id.
func (s *Service) linkGuardian(ctx context.Context, tx *db.Tx, who actor.Actor, student id.ID, known *id.ID, g NewGuardian) (id.ID, error) {
	if known == nil {
		return s.addOne(ctx, tx, who, student, g)
	}
	if g.IsPrimary {
		if err := setPrimary(ctx, tx, student, ""); err != nil {
			return "", err
		}
	}
	if err := s.enableChildless(ctx, tx, who, []id.ID{*known}); err != nil {
		return "", err
	}
	link := linkRow{guardianRow: guardianRow{NewGuardian: g, ID: *known, Now: s.Now()}, StudentID: student}
	_, err := db.Insert(ctx, tx, insertLink, []linkRow{link})
	return *known, fault.Wrap("link guardian", err)
}

// addOne adds a guardian to a student and returns its id.
func (s *Service) addOne(ctx context.Context, tx *db.Tx, who actor.Actor, student id.ID, g NewGuardian) (id.ID, error) {
	after, err := s.AddGuardian(ctx, tx, who, student, g)
	if err != nil {
		return "", err
	}
	newest := after.Guardians[0]
	for _, other := range after.Guardians {
		if g.Phone != "" && string(other.Phone) == g.Phone {
			return other.ID, nil
		}
		if other.ID > newest.ID {
			newest = other
		}
	}
	return newest.ID, nil
}
