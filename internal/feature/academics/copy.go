package academics

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

var errNotGranted = fault.Denied("You may not change everything that this copies. Copy less, or ask another administrator.")

type copyIn struct {
	FromAcademicYearID *id.ID `json:"fromAcademicYearId" doc:"Default: the current academic year."`
	ToAcademicYearID   id.ID  `json:"toAcademicYearId" required:"true"`
	Assignments        bool   `json:"assignments" doc:"Copy the teachers' assignments too."`
	Timetable          bool   `json:"timetable" doc:"Copy the weekly timetables of divisions that have none in the new year."`
	Electives          bool   `json:"electives" doc:"Make the electives electives of the new year too, in classes that have none there. Nobody takes them until they are chosen, or kept by a promotion."`
	FeeStructures      bool   `json:"feeStructures" doc:"Copy the fee structures of classes that have none in the new year, with dates moved to that year."`
}

type copyOut struct {
	Classes   int `json:"classes" doc:"Number of classes created. Existing classes with the same name are not counted."`
	Divisions int `json:"divisions"`
	Subjects  int `json:"subjects" doc:"Number of subjects added to classes."`

	Assignments   int `json:"assignments"`
	Timetables    int `json:"timetables"`
	Electives     int `json:"electives"`
	FeeStructures int `json:"feeStructures"`
}

// Copying is a copy of a year's classes in progress. Classes and Divisions map the old
// ones to those of the new year.
type Copying struct {
	From, To           school.Year
	Classes, Divisions map[id.ID]id.ID
}

// Copier copies another module's records of the classes and returns their number.
type Copier func(ctx context.Context, tx *db.Tx, c Copying) (int, error)

func (s *Service) copyClasses(ctx context.Context, who actor.Actor, in copyIn) (out copyOut, err error) {
	for _, part := range s.parts(in) {
		if part.wanted && !who.Can(part.module, actor.Write) {
			return out, errNotGranted
		}
	}
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		from, err := yearOrCurrent(ctx, tx, in.FromAcademicYearID)
		if err != nil {
			return err
		}
		to, err := school.GetYear(ctx, tx, in.ToAcademicYearID)
		switch {
		case err != nil:
			return err
		case from.ID == to.ID:
			return fault.OnField("toAcademicYearId", "must be another academic year than the one to copy from")
		}
		if err := tx.Lock(ctx, "copy-classes"); err != nil {
			return fmt.Errorf("lock classes: %w", err)
		}
		c := Copying{From: from, To: to}
		if out, err = s.copyYear(ctx, tx, &c); err != nil {
			return err
		}
		if err := s.copyMore(ctx, tx, c, in, &out); err != nil || out == (copyOut{}) {
			return err
		}
		return s.record(ctx, tx, who, "class.copy", "academic-year", to.ID, nil, out)
	})
	return out, err
}

// copyPart is something to copy beside the classes. It needs write on its module, as changing it there does.
type copyPart struct {
	wanted bool
	module string
	copy   Copier
	n      func(*copyOut) *int
}

func (s *Service) parts(in copyIn) []copyPart {
	return []copyPart{
		{in.Assignments, "employee", s.copyAssignments, func(o *copyOut) *int { return &o.Assignments }},
		{in.Timetable, "timetable", s.CopyTimetable, func(o *copyOut) *int { return &o.Timetables }},
		{in.Electives, "subject", s.CopyElectives, func(o *copyOut) *int { return &o.Electives }},
		{in.FeeStructures, "fee", s.CopyFees, func(o *copyOut) *int { return &o.FeeStructures }},
	}
}

// copyMore copies what was asked for beside the classes.
func (s *Service) copyMore(ctx context.Context, tx *db.Tx, c Copying, in copyIn, out *copyOut) (err error) {
	for _, part := range s.parts(in) {
		if !part.wanted || part.copy == nil || len(c.Classes) == 0 {
			continue
		}
		if *part.n(out), err = part.copy(ctx, tx, c); err != nil {
			return err
		}
	}
	return nil
}

// copyAssignments assigns the teachers of the old classes to the new ones, unless they
// have left or a class has another class teacher already.
func (s *Service) copyAssignments(ctx context.Context, tx *db.Tx, c Copying) (int, error) {
	of := func(classes iter.Seq[id.ID]) ([]Assignment, error) {
		list, err := db.All[Assignment](ctx, tx, `
			SELECT a.employee_id, a.class_id, a.division_id, a.subject_id, a.is_class_teacher
			FROM teacher_assignments a JOIN employees e ON e.school_id = a.school_id AND e.id = a.employee_id
			WHERE a.school_id = :school AND a.class_id IN (:classes) AND e.archived_at IS NULL AND e.status <> 'RESIGNED'
			ORDER BY a.id`, db.Args{"classes": slices.Collect(classes)})
		return list, fault.Wrap("read assignments", err)
	}
	old, err := of(maps.Keys(c.Classes))
	if err != nil {
		return 0, err
	}
	there, err := of(maps.Values(c.Classes))
	if err != nil {
		return 0, err
	}
	key := func(a Assignment) string {
		return fmt.Sprint(a.EmployeeID, a.ClassID, opt.Value(a.DivisionID), opt.Value(a.SubjectID))
	}
	seat := func(a Assignment) string { return fmt.Sprint(a.ClassID, opt.Value(a.DivisionID)) }
	known, headed := map[string]bool{}, map[string]bool{}
	for _, a := range there {
		known[key(a)] = true
		headed[seat(a)] = headed[seat(a)] || a.IsClassTeacher
	}
	var fresh []Assignment
	for _, a := range old {
		a.ClassID = c.Classes[a.ClassID]
		if a.DivisionID != nil {
			a.DivisionID = new(c.Divisions[*a.DivisionID])
		}
		if known[key(a)] {
			continue
		}
		a.IsClassTeacher = a.IsClassTeacher && !headed[seat(a)]
		fresh = append(fresh, a)
	}
	return len(fresh), s.Assign(ctx, tx, fresh)
}

// copyYear creates the classes, divisions and subjects of one year that the other
// lacks, by name, and fills the maps of c.
func (s *Service) copyYear(ctx context.Context, tx *db.Tx, c *Copying) (out copyOut, err error) {
	to := c.To.ID
	old, err := classesOf(ctx, tx, c.From.ID)
	if err != nil {
		return out, err
	}
	there, err := classesOf(ctx, tx, to)
	if err != nil {
		return out, err
	}
	twins, fresh := map[string]id.ID{}, []Class{}
	for _, c := range there {
		twins[c.Name] = c.ID
	}
	for _, c := range old {
		if twins[c.Name] == "" {
			fresh = append(fresh, Class{Name: c.Name, DisplayOrder: c.DisplayOrder, AcademicYearID: to})
		}
	}
	if fresh, err = s.AddClasses(ctx, tx, fresh); err != nil {
		return out, err
	}
	for _, c := range fresh {
		twins[c.Name] = c.ID
	}
	out.Classes = len(fresh)
	c.Classes = map[id.ID]id.ID{}
	for _, class := range old {
		c.Classes[class.ID] = twins[class.Name]
	}
	if out.Divisions, err = s.copyDivisions(ctx, tx, c); err != nil {
		return out, err
	}
	out.Subjects, err = copySubjects(ctx, tx, c.Classes)
	return out, err
}

// copyDivisions copies missing divisions.
func (s *Service) copyDivisions(ctx context.Context, tx *db.Tx, c *Copying) (int, error) {
	there, err := divisionsOf(ctx, tx, slices.Collect(maps.Values(c.Classes)))
	if err != nil {
		return 0, err
	}
	divisions, err := divisionsOf(ctx, tx, slices.Collect(maps.Keys(c.Classes)))
	if err != nil {
		return 0, err
	}
	type place struct {
		class id.ID
		name  string
	}
	twins := map[place]id.ID{}
	for _, d := range there {
		twins[place{d.ClassID, d.Name}] = d.ID
	}
	var fresh []Division
	for _, d := range divisions {
		if class := c.Classes[d.ClassID]; twins[place{class, d.Name}] == "" {
			fresh = append(fresh, Division{ClassID: class, Name: d.Name, Capacity: d.Capacity, Room: d.Room})
		}
	}
	if fresh, err = s.AddDivisions(ctx, tx, fresh); err != nil {
		return 0, err
	}
	for _, d := range fresh {
		twins[place{d.ClassID, d.Name}] = d.ID
	}
	c.Divisions = map[id.ID]id.ID{}
	for _, d := range divisions {
		c.Divisions[d.ID] = twins[place{c.Classes[d.ClassID], d.Name}]
	}
	return len(fresh), nil
}

// divisionsOf lists the divisions of classes, without class teachers.
func divisionsOf(ctx context.Context, q db.Q, classes []id.ID) ([]Division, error) {
	if len(classes) == 0 {
		return []Division{}, nil
	}
	list, err := db.All[Division](ctx, q, `
		SELECT id, class_id, name, capacity, room FROM divisions
		WHERE school_id = :school AND class_id IN (:classes) ORDER BY id`, db.Args{"classes": classes})
	if err != nil {
		return nil, fmt.Errorf("read divisions of classes: %w", err)
	}
	return list, nil
}

func copySubjects(ctx context.Context, tx *db.Tx, moved map[id.ID]id.ID) (int, error) {
	if len(moved) == 0 {
		return 0, nil
	}
	ties, err := db.All[tie](ctx, tx, `SELECT class_id, subject_id FROM class_subjects WHERE school_id = :school AND class_id IN (:classes)`,
		db.Args{"classes": slices.Collect(maps.Keys(moved))})
	if err != nil {
		return 0, fmt.Errorf("read subjects of classes: %w", err)
	}
	for i := range ties {
		ties[i].ClassID = moved[ties[i].ClassID]
	}
	n, err := db.Insert(ctx, tx, insertTie, ties)
	return int(n), writeFault("copy subjects", err, ErrNoClass)
}
