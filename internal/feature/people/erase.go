package people

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/web"
)

// Erased is whose personal data is being erased: a student, and the guardians who
// have no other child in the school.
type Erased struct {
	Student   id.ID
	Guardians []id.ID
	Users     []id.ID  // their accounts
	Addresses []string // phones and e-mails that nobody else uses
}

// EraseStudent blanks the personal data of a student and of guardians without
// another child, also in the audit log. The rows and the admission number stay for
// foreign keys. confirm must be that number. Archived students can be erased too.
func (s *Service) EraseStudent(ctx context.Context, tx *db.Tx, who actor.Actor, student id.ID, confirm string) error {
	if err := lockFamilies(ctx, tx); err != nil {
		return err
	}
	number, err := db.One[string](ctx, tx, `
		SELECT admission_no FROM students WHERE school_id = :school AND id = :id AND erased_at IS NULL`, db.Args{"id": student})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return ErrNoStudent
	case err != nil:
		return fmt.Errorf("read student: %w", err)
	case confirm != number:
		return fault.OnField("confirm", "must be the admission number of the student: this can't be undone")
	}
	e, err := erasedWith(ctx, tx, student)
	if err != nil {
		return err
	}
	if err := s.erasePeople(ctx, tx, who, e); err != nil {
		return err
	}
	if err := s.eraseTraces(ctx, tx, who, e); err != nil {
		return err
	}
	for _, erase := range s.Erasers {
		if err := erase(ctx, tx, e); err != nil {
			return fmt.Errorf("erase a student's data of other modules: %w", err)
		}
	}
	if err := ReachChanged(ctx, tx, who.School); err != nil {
		return err
	}
	return s.record(ctx, tx, who, "student.erase", student, nil, map[string]any{"guardians": len(e.Guardians)})
}

// erasedWith finds the guardians who have no other child; erased ones don't count.
func erasedWith(ctx context.Context, q db.Q, student id.ID) (Erased, error) {
	type guardian struct {
		ID           id.ID
		UserID       id.ID
		Phone, Email string
	}
	e := Erased{Student: student, Guardians: []id.ID{}, Users: []id.ID{}, Addresses: []string{}}
	reached := func(addresses ...string) {
		for _, a := range addresses {
			if a != "" {
				e.Addresses = append(e.Addresses, a)
			}
		}
	}
	err := db.Each(ctx, q, `
		SELECT g.id, g.user_id, g.phone, g.email FROM guardians g
		JOIN student_guardians own ON own.school_id = g.school_id AND own.guardian_id = g.id AND own.student_id = :student
		WHERE g.school_id = :school AND NOT EXISTS (
			SELECT 1 FROM student_guardians l WHERE l.school_id = g.school_id AND l.guardian_id = g.id AND l.student_id <> :student)
		ORDER BY g.id`, db.Args{"student": student}, func(g guardian) error {
		e.Guardians = append(e.Guardians, g.ID)
		if g.UserID != "" {
			e.Users = append(e.Users, g.UserID)
		}
		reached(g.Phone, g.Email)
		return nil
	})
	if err != nil {
		return e, fmt.Errorf("list guardians to erase: %w", err)
	}
	err = db.Each(ctx, q, `SELECT phone, email FROM students WHERE school_id = :school AND id = :student`, db.Args{"student": student},
		func(s guardian) error {
			reached(s.Phone, s.Email)
			return nil
		})
	if err != nil {
		return e, fmt.Errorf("read a student's phone and e-mail: %w", err)
	}
	e.Addresses, err = unshared(ctx, q, e)
	return e, err
}

// unshared returns the addresses that no guardian, employee or account has who stays: a child
// may have the phone of a parent, and parents one e-mail.
func unshared(ctx context.Context, q db.Q, e Erased) ([]string, error) {
	others, err := db.All[string](ctx, q, `
		SELECT lower(o.address) FROM (
			SELECT phone AS address FROM guardians WHERE school_id = :school AND id NOT IN (:guardians)
			UNION SELECT email FROM guardians WHERE school_id = :school AND id NOT IN (:guardians)
			UNION SELECT phone FROM employees WHERE school_id = :school
			UNION SELECT email FROM employees WHERE school_id = :school
			UNION SELECT phone FROM users WHERE school_id = :school AND id NOT IN (:users)
			UNION SELECT email FROM users WHERE school_id = :school AND id NOT IN (:users)) o
		WHERE lower(o.address) IN (:addresses)`,
		db.Args{"guardians": e.Guardians, "users": e.Users, "addresses": lowered(e.Addresses)})
	return slices.DeleteFunc(e.Addresses, func(a string) bool { return slices.Contains(others, strings.ToLower(a)) }),
		fault.Wrap("look for shared addresses", err)
}

func lowered(all []string) []string {
	out := make([]string, len(all))
	for i, a := range all {
		out[i] = strings.ToLower(a)
	}
	return out
}

// erasePeople blanks the student, its guardians and their accounts. It deletes the
// links to guardians, so that erasedWith doesn't count the student any more.
func (s *Service) erasePeople(ctx context.Context, tx *db.Tx, who actor.Actor, e Erased) error {
	now := s.Now()
	for _, user := range e.Users {
		if err := s.Accounts.Delete(ctx, tx, who, user); err != nil && !errors.Is(err, identity.ErrNoUser) {
			return fmt.Errorf("delete a guardian's account: %w", err)
		}
	}
	guardians, err := guardianIDs(ctx, tx, e.Student)
	if err != nil {
		return err
	}
	if err := closeEnrolments(ctx, tx, Student{Summary: Summary{ID: e.Student, UpdatedAt: now}}, ""); err != nil {
		return err
	}
	blank := []struct {
		sql  string
		args db.Args
	}{
		{`UPDATE guardians SET user_id = NULL, name = '', phone = '', email = '', address = '', search = '', version = version + 1,
			updated_at = :now WHERE school_id = :school AND id IN (:guardians)`, db.Args{"guardians": e.Guardians, "now": now}},
		{`DELETE FROM contact_changes WHERE school_id = :school AND guardian_id IN (:guardians)`, db.Args{"guardians": e.Guardians}},
		// Sessions hold device names and IP addresses.
		{`DELETE FROM sessions WHERE school_id = :school AND user_id IN (:users)`, db.Args{"users": e.Users}},
		{`DELETE FROM student_guardians WHERE school_id = :school AND student_id = :student`, db.Args{"student": e.Student}},
		{`DELETE FROM student_stops WHERE school_id = :school AND student_id = :student`, db.Args{"student": e.Student}},
		{`UPDATE students SET first_name = '', last_name = '', date_of_birth = NULL, gender = '', blood_group = '', address = '',
			phone = '', email = '', photo_file_id = NULL, medical_notes = '', ride_notes = '', emergency_contacts = '[]', custom_fields = '{}',
			leaving_reason = '', search = '', erased_at = :now, archived_at = COALESCE(archived_at, :now),
			version = version + 1, updated_at = :now
			WHERE school_id = :school AND id = :student`, db.Args{"student": e.Student, "now": now}},
	}
	for _, b := range blank {
		if _, err := db.Exec(ctx, tx, b.sql, b.args); err != nil {
			return fmt.Errorf("blank a student: %w", err)
		}
	}
	return s.disableChildless(ctx, tx, who, guardians)
}

// eraseTraces blanks personal data in the audit log, in sent notifications, in
// queued jobs and in stored idempotent responses. Sign-in jobs are the platform's.
func (s *Service) eraseTraces(ctx context.Context, tx *db.Tx, who actor.Actor, e Erased) error {
	records := append(append([]id.ID{e.Student}, e.Guardians...), e.Users...)
	if err := s.Accounts.Audit.Blank(ctx, tx, records); err != nil {
		return err
	}
	if err := notify.Blank(ctx, tx, notify.Traces{Users: e.Users, Addresses: e.Addresses, About: e.Student}); err != nil {
		return err
	}
	unused, err := s.Accounts.Forget(ctx, tx, e.Users, e.Addresses)
	if err != nil {
		return err
	}
	var ids []string
	for _, r := range records {
		ids = append(ids, r.String())
	}
	if err := jobs.Forget(ctx, tx, []id.ID{who.School}, slices.Concat(ids, e.Addresses)); err != nil {
		return err
	}
	if err := jobs.Forget(ctx, tx, []id.ID{school.PlatformID}, slices.Concat(ids, unused)); err != nil {
		return err
	}
	return web.ForgetAnswers(ctx, tx, records)
}
