package people

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// Promotion ends a class's academic year: it records how the year ended for each
// student and enrols those who go on in a class of a later year. The running year
// stays as it is until the later one is activated.
type Promotion struct {
	FromClassID     id.ID   `json:"fromClassId" required:"true"`
	ToClassID       *id.ID  `json:"toClassId" example:"0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47" doc:"A class of a later academic year. Students keep the name of their division if the class has it. Required unless outcome is GRADUATED."`
	AcademicYearID  *id.ID  `json:"academicYearId" doc:"Default: the year of toClassId, which it must be."`
	StudentIDs      []id.ID `json:"studentIds" doc:"Default: all ACTIVE students of the class, except those detained or graduated before."`
	Except          []id.ID `json:"except" doc:"Students who are not promoted: their year ends as DETAINED."`
	DetainedClassID *id.ID  `json:"detainedClassId" doc:"The class of the later year for detained students, who repeat. Default: none, they are not enrolled."`
	Outcome         string  `json:"outcome" enum:"PROMOTED,DETAINED,GRADUATED" default:"PROMOTED" doc:"How the year ends for students not in except. GRADUATED students leave the school when a later year is activated."`
	KeepRollNumbers bool    `json:"keepRollNumbers" doc:"Promoted students keep their roll numbers. Default: they have none until they are numbered."`
	KeepElectives   bool    `json:"keepElectives" doc:"Students keep the electives that the class of the later year has as electives too. Default: they choose anew."`
}

// Check requires a class to move to.
func (p *Promotion) Check() error {
	switch {
	case p.Outcome != graduated && p.ToClassID == nil:
		return fault.OnField("toClassId", "is required")
	case p.Outcome == graduated && p.ToClassID != nil:
		return fault.OnField("toClassId", "can't be combined with the outcome GRADUATED")
	}
	return nil
}

// Promoted counts the students by result.
type Promoted struct {
	Promoted  int `json:"promoted"`
	Detained  int `json:"detained"`
	Graduated int `json:"graduated"`
	Unchanged int `json:"unchanged" doc:"Students whose year has ended already: enrolled in the later year, detained or graduated."`
}

// Promote is idempotent: students whose year has ended stay as they are.
func (s *Service) Promote(ctx context.Context, tx *db.Tx, who actor.Actor, p Promotion) (Promoted, error) {
	if err := lockStudents(ctx, tx); err != nil {
		return Promoted{}, err
	}
	plan, err := p.plan(ctx, tx)
	if err != nil {
		return Promoted{}, err
	}
	for _, m := range plan.moves {
		if err := s.move(ctx, tx, plan, m); err != nil {
			return Promoted{}, err
		}
		if !p.KeepElectives || s.Electives == nil || m.class == nil || len(m.pupils) == 0 {
			continue
		}
		if err := s.Electives.Keep(ctx, tx, p.FromClassID, *m.class, idsOf(m.pupils)); err != nil {
			return Promoted{}, err
		}
	}
	if entered := plan.entered(); plan.to.IsCurrent && s.Entered != nil && len(entered) > 0 {
		if err := s.Entered(ctx, tx, who, plan.to, entered); err != nil {
			return Promoted{}, err
		}
	}
	return plan.counts(), s.recordPromotion(ctx, tx, who, p, plan)
}

// pupil is a student of the old class.
type pupil struct {
	StudentID id.ID
	FirstName string
	LastName  string
	RollNo    *int
	Outcome   string // of the year that ends
	Done      bool   // already enrolled in the later year
	Division  *id.ID // in the new class, by the same name
}

// move is the pupils for whom the year ends in one way. class is nil if they are not
// enrolled in the later year.
type move struct {
	outcome string
	class   *id.ID
	pupils  []pupil
}

// plan is a checked promotion.
type plan struct {
	from, to  school.Year // to is empty if nobody is enrolled in a later year
	moves     []move
	unchanged int
}

// entered are the students who get a class in the later year.
func (p plan) entered() (students []id.ID) {
	for _, m := range p.moves {
		if m.class != nil {
			students = append(students, idsOf(m.pupils)...)
		}
	}
	return students
}

// plan checks a promotion against the school's records.
func (p Promotion) plan(ctx context.Context, q db.Q) (out plan, err error) {
	if out.from, out.to, err = p.years(ctx, q); err != nil {
		return out, err
	}
	if err := mustBeStudents(ctx, q, slices.Concat(p.StudentIDs, p.Except)); err != nil {
		return out, err
	}
	later := opt.Ptr(out.to.ID)
	goOn, err := listPupils(ctx, q, p.FromClassID, p.ToClassID, later)
	if err != nil {
		return out, err
	}
	stay, err := listPupils(ctx, q, p.FromClassID, p.DetainedClassID, later)
	if err != nil {
		return out, err
	}
	if err := p.mustBeInClass(goOn); err != nil {
		return out, err
	}
	rising, staying := move{outcome: p.Outcome, class: p.ToClassID}, move{outcome: detained, class: p.DetainedClassID}
	for i, v := range goOn {
		switch {
		case !p.means(v):
		case p.ended(v):
			out.unchanged++
		case p.detains(v):
			staying.pupils = append(staying.pupils, stay[i])
		default:
			rising.pupils = append(rising.pupils, v)
		}
	}
	if !p.KeepRollNumbers {
		for i := range rising.pupils {
			rising.pupils[i].RollNo = nil
		}
	}
	for i := range staying.pupils { // they join a class that has its own numbers
		staying.pupils[i].RollNo = nil
	}
	out.moves = []move{rising, staying}
	return out, out.mustFit(ctx, q)
}

// means reports whether the promotion is about the student.
func (p Promotion) means(v pupil) bool {
	return len(p.StudentIDs) == 0 || slices.Contains(p.StudentIDs, v.StudentID) || slices.Contains(p.Except, v.StudentID)
}

func (p Promotion) detains(v pupil) bool {
	return p.Outcome == detained || slices.Contains(p.Except, v.StudentID)
}

// ended reports whether the student's year has ended, so that nothing is left to do.
// A detained student is promoted after all only if named.
func (p Promotion) ended(v pupil) bool {
	switch {
	case v.Done:
		return true
	case p.detains(v):
		return v.Outcome == detained && p.DetainedClassID == nil
	case p.Outcome == graduated && v.Outcome == graduated:
		return true
	}
	return (v.Outcome == detained || v.Outcome == graduated) && !slices.Contains(p.StudentIDs, v.StudentID)
}

func (p plan) counts() Promoted {
	out := Promoted{Unchanged: p.unchanged}
	for _, m := range p.moves {
		switch m.outcome {
		case promoted:
			out.Promoted += len(m.pupils)
		case graduated:
			out.Graduated += len(m.pupils)
		default:
			out.Detained += len(m.pupils)
		}
	}
	return out
}

// mustFit checks the capacity of the new divisions.
func (p plan) mustFit(ctx context.Context, q db.Q) error {
	entering, divisions := map[id.ID]int{}, []id.ID{}
	for _, m := range p.moves {
		for _, v := range m.pupils {
			if v.Division == nil {
				continue
			}
			if entering[*v.Division]++; entering[*v.Division] == 1 {
				divisions = append(divisions, *v.Division)
			}
		}
	}
	return mustFit(ctx, q, divisions, entering)
}

// years validates the classes and returns their academic years.
func (p Promotion) years(ctx context.Context, q db.Q) (from, to school.Year, err error) {
	if err := MustExist(ctx, q, Ref{"academic_years", p.AcademicYearID, errNoYear}); err != nil {
		return from, to, err
	}
	classes := []id.ID{p.FromClassID}
	for _, c := range []*id.ID{p.ToClassID, p.DetainedClassID} {
		if c != nil {
			classes = append(classes, *c)
		}
	}
	years, err := ClassYears(ctx, q, classes)
	if err != nil {
		return from, to, err
	}
	if from, err = school.GetYear(ctx, q, years[p.FromClassID]); err != nil || len(classes) == 1 {
		return from, to, err
	}
	next := years[classes[1]]
	switch {
	case p.AcademicYearID != nil && next != *p.AcademicYearID:
		return from, to, fault.OnField("toClassId", "must be a class of the academic year academicYearId")
	case p.DetainedClassID != nil && years[*p.DetainedClassID] != next:
		return from, to, fault.OnField("detainedClassId", "must be a class of the same academic year as toClassId")
	}
	to, err = school.GetYear(ctx, q, next)
	if err == nil && to.StartDate <= from.StartDate {
		err = fault.OnField("toClassId", "must be a class of a later academic year than %s", from.Name)
	}
	return from, to, err
}

// mustBeStudents returns ErrNoStudent unless all are students of the school.
func mustBeStudents(ctx context.Context, q db.Q, ids []id.ID) error {
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	n, err := db.One[int](ctx, q, `SELECT count(*) FROM students WHERE school_id = :school AND archived_at IS NULL AND id IN (:ids)`,
		db.Args{"ids": ids})
	switch {
	case err != nil:
		return fmt.Errorf("look up students: %w", err)
	case n != len(ids):
		return ErrNoStudent
	}
	return nil
}

// mustBeInClass refuses StudentIDs and Except that are not in the class.
func (p Promotion) mustBeInClass(pupils []pupil) error {
	var wrong []fault.Field
	look := func(field string, ids []id.ID) {
		for i, v := range ids {
			if !slices.ContainsFunc(pupils, func(x pupil) bool { return x.StudentID == v }) {
				wrong = append(wrong, fault.Field{Field: fmt.Sprintf("%s[%d]", field, i), Message: "is not an active student of the class fromClassId"})
			}
		}
	}
	look("studentIds", p.StudentIDs)
	look("except", p.Except)
	if len(wrong) > 0 {
		return fault.Fields(wrong...)
	}
	return nil
}
