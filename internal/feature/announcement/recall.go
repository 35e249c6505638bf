package announcement

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// keepNews leaves a changed announcement in the logs of those who read it: nobody if it was withdrawn.
func (s *Service) keepNews(ctx context.Context, tx *db.Tx, school id.ID, before, after Managed) (err error) {
	shown, readers := after.statusAt(s.Now()) == Published, recipients{}
	if before.PublishedAt == nil || shown == (before.Status == Published) && after.sameAudience(before.Announcement) {
		return nil
	}
	if shown {
		if readers, err = recipientsOf(ctx, tx, school, after.Announcement); err != nil {
			return err
		}
	}
	return notification.Keep(ctx, tx, before.ID, readers.users)
}

// Recalled returns which news is of announcements that were deleted, or published and then withdrawn, or is for someone
// who is not in the audience any more: nobody is told of it.
func (s *Service) Recalled(ctx context.Context, q db.Q, some []notification.Told) (map[notification.Told]bool, error) {
	gone, of := map[notification.Told]bool{}, map[id.ID][]notification.Told{}
	for _, t := range some {
		of[t.Record] = append(of[t.Record], t)
	}
	for announcement, told := range of {
		meant, err := s.stillFor(ctx, q, announcement, told)
		if err != nil {
			return nil, err
		}
		for _, t := range told {
			gone[t] = !meant(t)
		}
	}
	return gone, nil
}

// stillFor returns what reports whether news of an announcement is still meant for its recipient. Administrators and the
// author are told that it was held back.
func (s *Service) stillFor(ctx context.Context, q db.Q, of id.ID, told []notification.Told) (func(notification.Told) bool, error) {
	m, err := getManaged(ctx, q, of, s.Now())
	switch {
	case errors.Is(err, errNone):
		return func(notification.Told) bool { return false }, nil
	case err != nil:
		return nil, err
	case m.PublishedAt == nil || m.Status == Expired:
		return func(notification.Told) bool { return m.PublishedAt == nil }, nil
	}
	in, err := membersOf(ctx, q, m, told)
	return func(t notification.Told) bool {
		switch {
		case t.User != "":
			return in[t.User]
		case t.Student != "":
			return in[t.Student]
		}
		return m.Audience == All
	}, err
}

// membersOf returns which accounts are in the audience of an announcement, and which students have a guardian who is.
func membersOf(ctx context.Context, q db.Q, m Managed, told []notification.Told) (map[id.ID]bool, error) {
	var users, students []id.ID
	for _, t := range told {
		switch {
		case t.User != "":
			users = append(users, t.User)
		case t.Student != "" && m.Audience != Teachers && m.Audience != Drivers:
			students = append(students, t.Student)
		}
	}
	a := db.Args{"users": users, "students": students, "author": m.CreatedBy}
	if m.narrow() {
		a["id"] = m.ID
	}
	in := map[id.ID]bool{}
	err := db.Each(ctx, q, `
		SELECT u.id FROM users u WHERE u.school_id = :school AND u.id IN (:users)
			AND (u.id = :author OR u.role = 'SCHOOL_ADMIN' OR `+audienceOf(m.Announcement)+`)
		UNION ALL
		SELECT k.student_id FROM `+pupils(m.Announcement)+`
		JOIN student_guardians k ON k.school_id = g.school_id AND k.guardian_id = g.id AND k.can_view_data
		WHERE g.school_id = :school AND k.student_id IN (:students)`, a, func(one id.ID) error {
		in[one] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read who an announcement is for: %w", err)
	}
	return in, nil
}
