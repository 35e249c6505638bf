package fee

import (
	"context"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

const (
	structureColumns = `s.id, s.class_id, k.name AS class_name, s.academic_year_id, s.terms, s.fine_per_day, s.fine_flat, s.grace_days,
		s.version, s.created_at, s.updated_at`
	structureFrom = `fee_structures s JOIN classes k ON k.school_id = s.school_id AND k.id = s.class_id WHERE s.school_id = :school`
)

// getStructure gets a structure by s.id or s.class_id.
func getStructure(ctx context.Context, q db.Q, column string, at id.ID) (Structure, error) {
	st, err := db.One[Structure](ctx, q, `SELECT `+structureColumns+` FROM `+structureFrom+` AND `+column+` = :id`, db.Args{"id": at})
	if err != nil {
		return st, db.Found("read fee structure", err, errNoStructure)
	}
	list := []Structure{st}
	err = fillStructures(ctx, q, list)
	return list[0], err
}

func pageStructures(ctx context.Context, q db.Q, f structureFilters, r page.Request) (page.Of[Structure], error) {
	out, err := db.Page[Structure](ctx, q, db.List{Columns: structureColumns,
		From: structureFrom + db.When(f.ClassID != nil, ` AND s.class_id = :class`) +
			db.When(f.ClassID == nil || f.AcademicYearID != nil, school.InYear("s.academic_year_id", f.AcademicYearID)),
		Sorts: map[string]string{"className": "k.display_order, k.name", "createdAt": "s.id", "id": "s.id"}, Default: "className"},
		r, db.Args{"class": f.ClassID, "year": f.AcademicYearID})
	if err != nil {
		return out, fault.Wrap("list fee structures", err)
	}
	return out, fillStructures(ctx, q, out.Items)
}

// fillStructures sets the items and late fines of structures.
func fillStructures(ctx context.Context, q db.Q, list []Structure) error {
	ids := make([]id.ID, len(list))
	at := map[id.ID]*Structure{}
	for i := range list {
		st := &list[i]
		ids[i], at[st.ID], st.Items = st.ID, st, []Item{}
		if st.FinePerDay != nil || st.FineFlat != nil {
			st.LateFine = &LateFine{st.FinePerDay, st.FineFlat, st.GraceDays}
		}
	}
	items, err := listItems(ctx, q, ids)
	for _, i := range items {
		st := at[i.StructureID]
		st.Items = append(st.Items, i)
	}
	return err
}

func listItems(ctx context.Context, q db.Q, structures []id.ID) ([]Item, error) {
	items, err := db.All[Item](ctx, q, `
		SELECT i.id, i.structure_id, i.head_id, h.name AS head, i.amount, i.frequency, i.due_day, i.due_date, i.is_optional, i.category,
			i.start_date, i.end_date, i.position
		FROM fee_items i JOIN fee_heads h ON h.school_id = i.school_id AND h.id = i.head_id
		WHERE i.school_id = :school AND i.structure_id IN (:structures) ORDER BY i.structure_id, i.position`, db.Args{"structures": structures})
	return items, fault.Wrap("read fee items", err)
}

func putStructure(ctx context.Context, tx *db.Tx, st Structure) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO fee_structures (school_id, id, class_id, academic_year_id, terms, fine_per_day, fine_flat, grace_days, version, created_at,
			updated_at)
		VALUES (:school, :id, :class_id, :academic_year_id, :terms, :fine_per_day, :fine_flat, :grace_days, :version, :created_at, :updated_at)`,
		[]Structure{st})
	if db.IsDuplicate(err, "fee_structures_class") {
		return errOneEach.Because(err)
	}
	return fault.Wrap("write fee structure", err)
}

func updateStructure(ctx context.Context, tx *db.Tx, st Structure, was int) error {
	err := db.Update(ctx, tx, `
		UPDATE fee_structures SET terms = :terms, fine_per_day = :day, fine_flat = :flat, grace_days = :grace, version = :version,
		updated_at = :now
		WHERE school_id = :school AND id = :id AND version = :was`,
		db.Args{"id": st.ID, "terms": st.Terms, "day": st.FinePerDay, "flat": st.FineFlat,
			"grace": st.GraceDays, "version": st.Version, "now": st.UpdatedAt, "was": was})
	return fault.Wrap("change fee structure", err)
}

// putItems replaces the items of a structure.
func putItems(ctx context.Context, tx *db.Tx, structure id.ID, items []Item) error {
	keep := make([]id.ID, len(items))
	for i := range items {
		keep[i] = items[i].ID
	}
	_, err := db.Exec(ctx, tx, `DELETE FROM fee_items WHERE school_id = :school AND structure_id = :structure AND id NOT IN (:keep)`,
		db.Args{"structure": structure, "keep": keep})
	if err != nil {
		return fault.Wrap("remove fee items", err)
	}
	_, err = db.Insert(ctx, tx, `
		INSERT INTO fee_items (school_id, id, structure_id, head_id, amount, frequency, due_day, due_date, is_optional, category, start_date,
		end_date, position)
		VALUES (:school, :id, :structure_id, :head_id, :amount, :frequency, :due_day, :due_date, :is_optional, :category, :start_date, :end_date,
		:position)
		ON CONFLICT (school_id, id) DO UPDATE SET head_id = excluded.head_id, amount = excluded.amount, frequency = excluded.frequency,
			due_day = excluded.due_day, due_date = excluded.due_date, is_optional = excluded.is_optional, category = excluded.category,
			start_date = excluded.start_date, end_date = excluded.end_date, position = excluded.position`, items)
	return fault.Wrap("write fee items", err)
}

// chargedItems returns those items that have been charged to someone.
func chargedItems(ctx context.Context, q db.Q, items []id.ID) ([]id.ID, error) {
	if len(items) == 0 {
		return []id.ID{}, nil
	}
	ids, err := db.All[id.ID](ctx, q, `
		SELECT i.id FROM fee_items i WHERE i.school_id = :school AND i.id IN (:items)
			AND EXISTS (SELECT 1 FROM fee_charges c WHERE c.school_id = :school AND c.item_id = i.id)`, db.Args{"items": items})
	return ids, fault.Wrap("read charged items", err)
}
