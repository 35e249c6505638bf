package fee

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
)

// Round is the input of Generate: the students to charge and the period.
type Round struct {
	ClassID        *id.ID  `json:"classId" doc:"Charges the students of this class. Without classId and studentIds: every class."`
	StudentIDs     []id.ID `json:"studentIds" maxItems:"5000" doc:"Charges these students, by the fee structure of their class in that year."`
	AcademicYearID *id.ID  `json:"academicYearId" doc:"Default: the year of the class, or the current year."`
	Period         string  `json:"period" maxLength:"10" pattern:"^([0-9]{4}-(0[1-9]|1[0-2])|Q[1-4]|T[1-4]|YEAR)?$" patternHint:"must be a month such as 2026-11, a quarter such as Q2, a term such as T1, or YEAR" example:"2026-11" doc:"A month: charges each item for the month, quarter, term or year around it. Or one quarter (Q2), one term (T1), or YEAR. Default: this month."`
}

// Check validates the fields together.
func (in *Round) Check() error {
	if in.ClassID != nil && len(in.StudentIDs) > 0 {
		return fault.OnField("studentIds", "can't be combined with classId")
	}
	return nil
}

type generateOut struct {
	Students         int         `json:"students" doc:"Students with new charges."`
	Charged          int         `json:"charged" doc:"New charges."`
	Unchanged        int         `json:"unchanged" doc:"Charges that already existed."`
	WithoutStructure int         `json:"withoutStructure" doc:"Students in studentIds whose class has no fee structure, or who have no class that year."`
	Amount           money.Money `json:"amount" doc:"Total of the new charges."`
	Concession       money.Money `json:"concession" doc:"Total of their concessions."`
	FromAdvance      money.Money `json:"fromAdvance" doc:"The part paid from advances."`
}

// pupil is a student with the structure of the class.
type pupil struct {
	ID          id.ID
	StructureID id.ID
	Terms       int
	Category    string
}

// Generate charges students for a period, by the structures of their classes.
// Existing charges are not repeated, also not those of another class in the same year.
func (s *Service) Generate(ctx context.Context, who actor.Actor, in Round) (out generateOut, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		b, err := s.openBook(ctx, tx, who, s.today(who))
		if err != nil {
			return err
		}
		year, err := in.year(ctx, tx)
		if err != nil {
			return err
		}
		period, err := parsePeriod(in.Period, year, b.date)
		if err != nil {
			return err
		}
		period.lang = who.Locale
		pupils, err := in.pupils(ctx, tx, year.ID)
		if err != nil {
			return err
		}
		out = generateOut{WithoutStructure: max(0, len(in.StudentIDs)-len(pupils))}
		if err := b.chargeAll(ctx, pupils, period, &out); err != nil {
			return err
		}
		if err := b.write(ctx); err != nil {
			return err
		}
		if err := s.notifyParents(ctx, tx, who.School, charged, b.newCharges()); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-charge.generate", "academic-year", year.ID, nil,
			map[string]any{"classId": in.ClassID, "period": in.Period, "charged": out.Charged, "students": out.Students, "amount": out.Amount})
	})
	return out, err
}

// year is the academic year to charge for.
func (in *Round) year(ctx context.Context, q db.Q) (school.Year, error) {
	year := in.AcademicYearID
	if in.ClassID != nil {
		years, err := people.ClassYears(ctx, q, []id.ID{*in.ClassID})
		if err != nil {
			return school.Year{}, err
		}
		of := years[*in.ClassID]
		if year != nil && *year != of {
			if _, err := school.GetYear(ctx, q, *year); err != nil {
				return school.Year{}, err
			}
			return school.Year{}, fault.OnField("classId", "is a class of another academic year")
		}
		year = &of
	}
	if year == nil {
		return school.CurrentYear(ctx, q)
	}
	return school.GetYear(ctx, q, *year)
}

// pupils lists the students to charge, by id.
func (in *Round) pupils(ctx context.Context, q db.Q, year id.ID) ([]pupil, error) {
	if len(in.StudentIDs) > 0 {
		slices.Sort(in.StudentIDs)
		in.StudentIDs = slices.Compact(in.StudentIDs)
		if _, err := getStudents(ctx, q, in.StudentIDs); err != nil {
			return nil, err
		}
	}
	list, err := db.All[pupil](ctx, q, `
		SELECT s.id, f.id AS structure_id, f.terms, COALESCE(a.category, '') AS category
		FROM fee_structures f
		JOIN enrolments e ON e.school_id = f.school_id AND e.academic_year_id = f.academic_year_id AND e.class_id = f.class_id
		JOIN students s ON s.school_id = e.school_id AND s.id = e.student_id AND s.archived_at IS NULL
		LEFT JOIN fee_accounts a ON a.school_id = s.school_id AND a.student_id = s.id
		WHERE f.school_id = :school AND f.academic_year_id = :year`+
		db.When(in.ClassID != nil, ` AND f.class_id = :class`)+
		db.When(len(in.StudentIDs) > 0, ` AND s.id IN (:students)`)+
		db.When(len(in.StudentIDs) == 0, ` AND s.status = 'ACTIVE' AND e.outcome <> 'LEFT'`)+`
		ORDER BY s.id`, db.Args{"year": year, "class": in.ClassID, "students": in.StudentIDs})
	if err != nil {
		return nil, fmt.Errorf("read students to charge: %w", err)
	}
	if len(list) > 0 || in.ClassID == nil {
		return list, nil
	}
	_, err = db.One[id.ID](ctx, q, `SELECT id FROM fee_structures WHERE school_id = :school AND class_id = :class`,
		db.Args{"class": in.ClassID})
	return list, db.Found("read fee structure", err, errNothing)
}

// chargeKey identifies the charge of an item, or of a head, to a student for a period.
type chargeKey struct {
	student id.ID
	of      id.ID
	period  string
}

// isCharged reports whether a student was charged for a period: the item itself, even if
// that is void, or its head by the structure of another class.
func (p pupil) isCharged(charged map[chargeKey]id.ID, i Item, period string) bool {
	_, item := charged[chargeKey{p.ID, i.ID, period}]
	by, head := charged[chargeKey{p.ID, i.HeadID, period}]
	return item || head && by != p.StructureID
}

// chargeAll creates the missing charges of pupils.
func (b *book) chargeAll(ctx context.Context, pupils []pupil, period periodRequest, out *generateOut) error {
	if len(pupils) == 0 {
		return nil
	}
	items, charged, chosen, err := b.plan(ctx, pupils, period)
	if err != nil {
		return err
	}
	students := make([]id.ID, len(pupils))
	for i, p := range pupils {
		students[i] = p.ID
	}
	if err := b.loadAccounts(ctx, students); err != nil {
		return err
	}
	concessions, err := concessionsOf(ctx, b.tx, students)
	if err != nil {
		return err
	}
	for _, p := range pupils {
		var of []*Charge
		for _, i := range items[p.StructureID] {
			sp, _ := period.spanOf(i, p.Terms) // plan kept only items that have one
			switch {
			case i.Category != "" && string(i.Category) != p.Category || i.IsOptional && !chosen[chargeKey{p.ID, i.ID, ""}]:
			case p.isCharged(charged, i, sp.key):
				out.Unchanged++
			default:
				of = append(of, b.chargeItem(p.ID, period.year.ID, i, sp))
			}
		}
		for _, c := range of {
			b.applyConcessions(c, c.Amount, concessions[p.ID])
		}
		out.add(b, p.ID, of)
	}
	return nil
}

// add uses the student's advance, then counts the new charges.
func (o *generateOut) add(b *book, student id.ID, charges []*Charge) {
	if len(charges) == 0 {
		return
	}
	before := b.account(student).Advance
	b.useAdvance(student)
	o.FromAdvance += before - b.account(student).Advance
	o.Students++
	o.Charged += len(charges)
	for _, c := range charges {
		o.Amount += c.Amount
		o.Concession += c.Conceded
	}
}

func (b *book) chargeItem(student, year id.ID, i Item, sp span) *Charge {
	item := i.ID
	c := &Charge{ID: b.s.NewID(), StudentID: student, AcademicYearID: year, HeadID: i.HeadID, Head: i.Head, ItemID: &item,
		Period: opt.Text(sp.key), Title: i.Head + ", " + sp.label, DueDate: i.dueDate(sp), ChargedOn: b.date, CreatedAt: b.now}
	b.charge(b.track(c), i.Amount)
	return c
}

// plan reads the items to charge by structure, the charges that exist, and the
// optional items that students take.
func (b *book) plan(ctx context.Context, pupils []pupil, period periodRequest) (
	items map[id.ID][]Item, charged map[chargeKey]id.ID, chosen map[chargeKey]bool, err error,
) {
	terms := map[id.ID]int{}
	for _, p := range pupils {
		terms[p.StructureID] = p.Terms
	}
	all, err := listItems(ctx, b.tx, slices.Sorted(maps.Keys(terms)))
	if err != nil {
		return nil, nil, nil, err
	}
	items = map[id.ID][]Item{}
	ids, heads, keys := []id.ID{}, []id.ID{}, []string{}
	for _, item := range all {
		if sp, ok := period.spanOf(item, terms[item.StructureID]); ok {
			items[item.StructureID] = append(items[item.StructureID], item)
			ids, heads, keys = append(ids, item.ID), append(heads, item.HeadID), append(keys, sp.key)
		}
	}
	charged, err = readCharged(ctx, b.tx, db.Args{"year": period.year.ID, "heads": id.Unique(heads), "periods": keys})
	if err != nil {
		return nil, nil, nil, err
	}
	chosen, err = readChosen(ctx, b.tx, ids)
	return items, charged, chosen, err
}

// readCharged returns the structures by which students were charged, by item and, unless
// the charge is void, by head.
func readCharged(ctx context.Context, q db.Q, a db.Args) (map[chargeKey]id.ID, error) {
	type row struct {
		StudentID, ItemID, HeadID, StructureID id.ID
		Period, Status                         string
	}
	out := map[chargeKey]id.ID{}
	err := db.Each(ctx, q, `
		SELECT c.student_id, c.item_id, c.head_id, i.structure_id, c.period, c.status
		FROM fee_structures f
		JOIN fee_items i ON i.school_id = f.school_id AND i.structure_id = f.id
		JOIN fee_charges c ON c.school_id = i.school_id AND c.item_id = i.id
		WHERE f.school_id = :school AND f.academic_year_id = :year AND i.head_id IN (:heads) AND c.period IN (:periods)`, a,
		func(r row) error {
			out[chargeKey{r.StudentID, r.ItemID, r.Period}] = r.StructureID
			if r.Status != statusVoid {
				out[chargeKey{r.StudentID, r.HeadID, r.Period}] = r.StructureID
			}
			return nil
		})
	return out, fault.Wrap("read existing charges", err)
}

// readChosen returns who takes which optional items.
func readChosen(ctx context.Context, q db.Q, items []id.ID) (map[chargeKey]bool, error) {
	type row struct{ StudentID, ItemID id.ID }
	out := map[chargeKey]bool{}
	err := db.Each(ctx, q, `SELECT student_id, item_id FROM fee_options WHERE school_id = :school AND item_id IN (:items)`,
		db.Args{"items": items}, func(r row) error {
			out[chargeKey{r.StudentID, r.ItemID, ""}] = true
			return nil
		})
	return out, fault.Wrap("read chosen items", err)
}
