package announcement

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// Read says whether one reader has opened an announcement.
type Read struct {
	UserID   id.ID      `json:"userId"`
	Name     string     `json:"name"`
	Role     actor.Role `json:"role" enum:"PARENT,TEACHER,DRIVER,SCHOOL_ADMIN"`
	Children []string   `json:"children" db:"-" doc:"For parents: the names of their children in the audience."`
	ReadAt   *time.Time `json:"readAt" doc:"When the reader first opened it; null: not yet."`
}

type readsIn struct {
	ID id.ID `path:"id"`
	page.Ask[readsFilter]
}

type readsFilter struct {
	Status string `json:"status,omitempty" enum:"READ,UNREAD"`
}

// reads lists the readers of an announcement. Administrators also see readers who have
// left the audience since.
func (s *Service) reads(ctx context.Context, who actor.Actor, in readsIn) (page.Of[Read], error) {
	q := s.DB.School(who.School)
	m, err := getManaged(ctx, q, in.ID, s.Now())
	if err != nil {
		return page.Of[Read]{}, err
	}
	if err := s.mustManage(ctx, q, who, m); err != nil {
		return page.Of[Read]{}, err
	}
	p, err := listReads(ctx, q, m, in.Ask, who.Role != actor.Teacher)
	if err != nil {
		return p, err
	}
	return p, addChildren(ctx, q, m, p.Items)
}

// pupils joins the active students s of the guardians g: all, or those in the classes and
// divisions of the announcement :id.
func pupils(a Announcement) string {
	return `guardians g
		JOIN student_guardians l ON l.school_id = g.school_id AND l.guardian_id = g.id AND l.can_view_data
		JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id AND s.archived_at IS NULL AND s.status = 'ACTIVE'` +
		db.When(a.narrow(), ` AND EXISTS (SELECT 1 FROM announcement_targets t WHERE t.school_id = s.school_id
			AND t.announcement_id = :id AND t.class_id = s.class_id AND (t.division_id IS NULL OR t.division_id = s.division_id))`)
}

// audienceOf selects the accounts u in the audience, as recipientsOf does.
func audienceOf(a Announcement) string {
	switch a.Audience {
	case All:
		return `u.role IN ('PARENT', 'TEACHER', 'DRIVER')`
	case Parents:
		return `u.role = 'PARENT'`
	case Teachers:
		return `u.role = 'TEACHER'`
	case Drivers:
		return `u.role = 'DRIVER'`
	}
	return `(u.role = 'PARENT' AND u.id IN (SELECT g.user_id FROM ` + pupils(a) + ` WHERE g.school_id = :school)
		OR u.role = 'TEACHER' AND u.id IN (` + teachersIn + `))`
}

func listReads(ctx context.Context, q db.Q, m Managed, in page.Ask[readsFilter], former bool) (page.Of[Read], error) {
	return db.Page[Read](ctx, q, db.List{
		Columns: `u.id AS user_id, u.name, u.role, r.read_at`,
		From: `users u LEFT JOIN announcement_reads r ON r.school_id = u.school_id AND r.announcement_id = :id AND r.user_id = u.id
			WHERE u.school_id = :school AND u.id <> :author
			AND (u.status = 'ACTIVE' AND ` + audienceOf(m.Announcement) + db.When(former, ` OR r.user_id IS NOT NULL`) + `)` +
			db.When(in.Filters.Status == "READ", ` AND r.user_id IS NOT NULL`) +
			db.When(in.Filters.Status == "UNREAD", ` AND r.user_id IS NULL`),
		Sorts: map[string]string{"name": "u.name", "id": "u.id"}, Default: "name",
	}, in.Request, db.Args{"id": m.ID, "author": m.CreatedBy})
}

// addChildren sets the names of the parents' children.
func addChildren(ctx context.Context, q db.Q, m Managed, readers []Read) error {
	at := map[id.ID]*Read{}
	parents := []id.ID{}
	for i := range readers {
		r := &readers[i]
		if r.Children = []string{}; r.Role == actor.Parent {
			at[r.UserID] = r
			parents = append(parents, r.UserID)
		}
	}
	if len(parents) == 0 {
		return nil
	}
	a := db.Args{"users": parents}
	if m.narrow() {
		a["id"] = m.ID
	}
	type child struct {
		UserID id.ID
		Name   string
	}
	err := db.Each(ctx, q, `SELECT g.user_id, TRIM(s.first_name || ' ' || s.last_name) AS name FROM `+pupils(m.Announcement)+`
		WHERE g.school_id = :school AND g.user_id IN (:users) ORDER BY s.first_name, s.last_name, s.id`, a, func(c child) error {
		at[c.UserID].Children = append(at[c.UserID].Children, c.Name)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read children of readers: %w", err)
	}
	return nil
}
