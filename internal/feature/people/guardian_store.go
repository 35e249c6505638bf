package people

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// GuardianRecord is a guardian with the children.
type GuardianRecord struct {
	ID        id.ID           `json:"id"`
	Name      string          `json:"name"`
	Phone     opt.Text        `json:"phone"`
	Email     opt.Text        `json:"email"`
	Address   opt.Text        `json:"address"`
	Language  *string         `json:"language" doc:"Language of messages; null for the school's, or without an account."`
	UserID    *id.ID          `json:"userId" doc:"The account; null without a phone."`
	Children  []GuardianChild `json:"children" db:"-"`
	Version   int             `json:"version"`
	CreatedAt time.Time       `json:"createdAt"`
	UpdatedAt time.Time       `json:"updatedAt"`
}

// audited is the record for the audit log, without the children's names: erasing a child
// would not reach them there.
func (g GuardianRecord) audited() GuardianRecord {
	g.Children = nil
	return g
}

// students are the ids of the children.
func (g GuardianRecord) students() []id.ID {
	ids := make([]id.ID, len(g.Children))
	for i, c := range g.Children {
		ids[i] = c.StudentID
	}
	return ids
}

// GuardianChild is a guardian's link to one student.
type GuardianChild struct {
	GuardianID   id.ID    `json:"-"`
	StudentID    id.ID    `json:"studentId"`
	FirstName    string   `json:"firstName"`
	LastName     opt.Text `json:"lastName"`
	ClassName    opt.Text `json:"className"`
	DivisionName opt.Text `json:"divisionName"`
	Relation     string   `json:"relation" enum:"FATHER,MOTHER,GUARDIAN"`
	IsPrimary    bool     `json:"isPrimary"`
	CanViewData  bool     `json:"canViewData"`
	CanPickUp    bool     `json:"canPickUp"`
}

const (
	guardianFrom = `guardians g LEFT JOIN users u ON u.school_id = g.school_id AND u.id = g.user_id
		WHERE g.school_id = :school AND g.name <> ''` // blank: erased
	guardianFields = `g.id, g.name, g.phone, g.email, g.address, u.locale AS language, g.user_id, g.version, g.created_at, g.updated_at`
)

func getGuardian(ctx context.Context, q db.Q, guardian id.ID) (GuardianRecord, error) {
	g, err := db.One[GuardianRecord](ctx, q, `SELECT `+guardianFields+` FROM `+guardianFrom+` AND g.id = :id`, db.Args{"id": guardian})
	if err != nil {
		return g, db.Found("read guardian", err, errNoGuardian)
	}
	list := []GuardianRecord{g}
	err = addChildren(ctx, q, list)
	return list[0], err
}

type guardianFilters struct {
	StudentID *id.ID `json:"studentId,omitempty"`
	Search    string `json:"search,omitempty" doc:"Words in any order, each any part of the name, phone or e-mail."`
}

func listGuardians(ctx context.Context, q db.Q, in page.Ask[guardianFilters]) (page.Of[GuardianRecord], error) {
	args := db.Args{"student": in.Filters.StudentID}
	out, err := db.Page[GuardianRecord](ctx, q, db.List{
		Columns: guardianFields,
		From: guardianFrom + Matches(args, "g.search", in.Filters.Search) +
			db.When(in.Filters.StudentID != nil, ` AND g.id IN (SELECT guardian_id FROM student_guardians
				WHERE school_id = :school AND student_id = :student)`),
		Sorts:   map[string]string{"name": "g.name", "createdAt": "g.id", "id": "g.id"},
		Default: "name",
	}, in.Request, args)
	if err != nil {
		return out, fmt.Errorf("list guardians: %w", err)
	}
	return out, addChildren(ctx, q, out.Items)
}

// addChildren sets the children of guardians, by name.
func addChildren(ctx context.Context, q db.Q, guardians []GuardianRecord) error {
	if len(guardians) == 0 {
		return nil
	}
	at, ids := map[id.ID]*GuardianRecord{}, make([]id.ID, len(guardians))
	for i := range guardians {
		g := &guardians[i]
		ids[i], at[g.ID], g.Children = g.ID, g, []GuardianChild{}
	}
	err := db.Each(ctx, q, `
		SELECT l.guardian_id, s.id AS student_id, s.first_name, s.last_name, COALESCE(c.name, '') AS class_name,
			COALESCE(d.name, '') AS division_name, l.relation, l.is_primary, l.can_view_data, l.can_pick_up
		FROM student_guardians l
		JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id AND s.archived_at IS NULL
		LEFT JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id
		LEFT JOIN divisions d ON d.school_id = s.school_id AND d.id = s.division_id
		WHERE l.school_id = :school AND l.guardian_id IN (:ids) ORDER BY s.first_name, s.id`, db.Args{"ids": ids},
		func(c GuardianChild) error {
			at[c.GuardianID].Children = append(at[c.GuardianID].Children, c)
			return nil
		})
	return fault.Wrap("read children of guardians", err)
}
