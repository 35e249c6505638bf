package fee

import (
	"context"
	"strings"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
)

// Profile is a student's fee category and optional items.
type Profile struct {
	StudentID id.ID       `json:"studentId"`
	Category  opt.Text    `json:"category" doc:"Fee category: the student is charged the items of this category and those without one."`
	Options   []id.ID     `json:"optionalItemIds" doc:"Optional items that the student takes."`
	Due       money.Money `json:"due"`
	Advance   money.Money `json:"advance"`
}

// ProfileChange is the input of SetProfile.
type ProfileChange struct {
	StudentID id.ID    `path:"studentId"`
	Category  *string  `json:"category" maxLength:"50"`
	Options   *[]id.ID `json:"optionalItemIds" maxItems:"100" doc:"Replaces the list of optional items."`
}

func (s *Service) profile(ctx context.Context, who actor.Actor, in statementIn) (Profile, error) {
	return readProfile(ctx, s.DB.School(who.School), in.StudentID)
}

func readProfile(ctx context.Context, q db.Q, of id.ID) (Profile, error) {
	p := Profile{StudentID: of}
	if _, err := getStudents(ctx, q, []id.ID{of}); err != nil {
		return p, err
	}
	accounts, err := listAccounts(ctx, q, []id.ID{of})
	for _, a := range accounts {
		p.Category, p.Due, p.Advance = opt.Text(a.Category), a.Due, a.Advance
	}
	if err != nil {
		return p, err
	}
	p.Options, err = db.All[id.ID](ctx, q, `SELECT item_id FROM fee_options WHERE school_id = :school AND student_id = :student
		ORDER BY item_id`, db.Args{"student": of})
	return p, fault.Wrap("read options", err)
}

// SetProfile changes a student's fee category and options, for future charges.
func (s *Service) SetProfile(ctx context.Context, who actor.Actor, in ProfileChange) (after Profile, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := ledger.Lock(ctx, tx); err != nil { // concurrent calls must not add their options up
			return err
		}
		before, err := readProfile(ctx, tx, in.StudentID)
		if err != nil {
			return err
		}
		if in.Category != nil {
			_, err := db.Exec(ctx, tx, `
				INSERT INTO fee_accounts (school_id, student_id, category, created_at, updated_at) VALUES (:school, :student, :category, :now, :now)
				ON CONFLICT (school_id, student_id) DO UPDATE SET category = :category, updated_at = :now`,
				db.Args{"student": in.StudentID, "category": strings.TrimSpace(*in.Category), "now": s.Now()})
			if err != nil {
				return fault.Wrap("write category", err)
			}
		}
		if in.Options != nil {
			if err := putOptions(ctx, tx, in.StudentID, *in.Options); err != nil {
				return err
			}
		}
		if after, err = readProfile(ctx, tx, in.StudentID); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-profile.update", "student", in.StudentID, before, after)
	})
	return after, err
}

func putOptions(ctx context.Context, tx *db.Tx, student id.ID, items []id.ID) error {
	items = id.Unique(items)
	n, err := db.One[int](ctx, tx, `SELECT COUNT(*) FROM fee_items WHERE school_id = :school AND id IN (:items)`, db.Args{"items": items})
	if err != nil {
		return fault.Wrap("read items", err)
	}
	if n != len(items) {
		return errNoItem
	}
	if _, err := db.Exec(ctx, tx, `DELETE FROM fee_options WHERE school_id = :school AND student_id = :student`,
		db.Args{"student": student}); err != nil {
		return fault.Wrap("clear options", err)
	}
	type row struct{ StudentID, ItemID id.ID }
	rows := make([]row, len(items))
	for i, item := range items {
		rows[i] = row{student, item}
	}
	_, err = db.Insert(ctx, tx, `INSERT INTO fee_options (school_id, student_id, item_id) VALUES (:school, :student_id, :item_id)`, rows)
	return fault.Wrap("write options", err)
}
