package academics

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

var errInUse = fault.New(fault.Conflict, "", "This record is in use. Delete what uses it first.")

// Use is a table that refers to a class, a division or a subject.
type Use struct {
	Column    string // class_id, division_id or subject_id
	Table     string
	Where     string // an optional condition
	Count     string // "" = COUNT(*)
	One, Many string // "division", "divisions"
	Stays     bool   // history, which can't be moved
}

// ownUses are the uses by this package and people. Other features add to Service.Uses.
var ownUses = []Use{
	{Column: "class_id", Table: "divisions", One: "division", Many: "divisions"},
	inUseByStudents("class_id"), inUseByTeachers("class_id"), enrolledElsewhere("class_id"),
	inUseByStudents("division_id"), inUseByTeachers("division_id"), enrolledElsewhere("division_id"),
	inUseByTeachers("subject_id"),
}

func inUseByStudents(column string) Use {
	return Use{Column: column, Table: "students", Where: "archived_at IS NULL", One: "student", Many: "students"}
}

func inUseByTeachers(column string) Use {
	return Use{Column: column, Table: "teacher_assignments", Count: "COUNT(DISTINCT employee_id)", One: "teacher", Many: "teachers"}
}

// enrolledElsewhere counts enrolments of students who are not in the class or division
// now: they have left it, or it is a class of a year to come.
func enrolledElsewhere(column string) Use {
	return Use{Column: column, Table: "enrolments", One: "enrolment of another year", Many: "enrolments of other years", Stays: true,
		Where: `student_id NOT IN (SELECT s.id FROM students s WHERE s.school_id = :school AND s.` + column + ` = :id AND s.archived_at IS NULL)`}
}

// removal is a class, division or subject to delete.
type removal struct {
	entity, table string
	id            id.ID
	name          string // for messages
	record        any    // for the audit log
}

// remove deletes an unused record. It locks the record first, so that nobody uses it
// between the count and the deletion, which would delete the use, too.
func (s *Service) remove(ctx context.Context, tx *db.Tx, who actor.Actor, r removal) error {
	_, err := db.One[id.ID](ctx, tx, `SELECT id FROM `+r.table+` WHERE school_id = :school AND id = :id`+db.ForUpdate(tx), db.Args{"id": r.id})
	if err != nil {
		return db.Found("lock "+r.entity, err, fault.Missing(r.entity))
	}
	if err := s.mustBeUnused(ctx, tx, r.entity+"_id", r.id, r.name); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, tx, `DELETE FROM `+r.table+` WHERE school_id = :school AND id = :id`, db.Args{"id": r.id}); err != nil {
		return writeFault("delete "+r.entity, err, errInUse)
	}
	return s.record(ctx, tx, who, r.entity+".delete", r.entity, r.id, r.record, nil)
}

// mustBeUnused returns an error that counts the uses, such as "Grade 5 is used by 2
// divisions and 30 students. Move them first."
func (s *Service) mustBeUnused(ctx context.Context, tx *db.Tx, column string, record id.ID, name string) error {
	var parts []string
	stays := false
	for _, u := range slices.Concat(ownUses, s.Uses) {
		if u.Column != column {
			continue
		}
		n, err := u.count(ctx, tx, record)
		switch {
		case err != nil:
			return fmt.Errorf("count %s: %w", u.Many, err)
		case n > 0:
			parts, stays = append(parts, people.Plural(n, u.One, u.Many)), stays || u.Stays
		}
	}
	switch {
	case len(parts) == 0:
		return nil
	case stays:
		return errInUse.Saying("%s is used by %s and has to be kept for their records.", name, people.Join(parts))
	}
	return errInUse.Saying("%s is used by %s. Move them first.", name, people.Join(parts))
}

func (u Use) count(ctx context.Context, q db.Q, record id.ID) (int, error) {
	count := u.Count
	if count == "" {
		count = "COUNT(*)"
	}
	return db.One[int](ctx, q, `SELECT `+count+` FROM `+u.Table+` WHERE school_id = :school AND `+u.Column+` = :id`+
		db.When(u.Where != "", ` AND `+u.Where), db.Args{"id": record})
}
