package announcement

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

const (
	columns = `a.id, a.title, a.body, a.audience, a.attachments, a.is_pinned, a.urgent, a.publish_at, a.expires_at,
		a.created_by,
		(SELECT u.name FROM users u WHERE u.school_id = a.school_id AND u.id = a.created_by) AS author_name,
		a.version, a.created_at, a.updated_at`
	managedColumns = columns + `, a.published_at, a.audience_count, a.by_office,
		(SELECT COUNT(*) FROM announcement_reads r WHERE r.school_id = a.school_id AND r.announcement_id = a.id) AS read_count`
	shownColumns = columns + `,
		EXISTS (SELECT 1 FROM announcement_reads r
			WHERE r.school_id = a.school_id AND r.announcement_id = a.id AND r.user_id = :user) AS is_read`
)

// sorts are the sort keys of all lists; pinned announcements come first.
var sorts = map[string]string{"isPinned": "a.is_pinned, a.publish_at", "publishAt": "a.publish_at", "id": "a.id"}

func getManaged(ctx context.Context, q db.Q, announcement id.ID, now time.Time) (Managed, error) {
	m, err := db.One[Managed](ctx, q, `
		SELECT `+managedColumns+` FROM announcements a WHERE a.school_id = :school AND a.id = :id`, db.Args{"id": announcement})
	if err != nil {
		return m, db.Found("read announcement", err, errNone)
	}
	return m, complete(ctx, q, now, &m.Announcement)
}

// complete sets classes, divisions and the status.
func complete(ctx context.Context, q db.Q, now time.Time, all ...*Announcement) error {
	by := map[id.ID]*Announcement{}
	ids := make([]id.ID, len(all))
	for i, a := range all {
		a.ClassIDs, a.DivisionIDs, a.Status = []id.ID{}, []id.ID{}, a.statusAt(now)
		by[a.ID], ids[i] = a, a.ID
	}
	if len(ids) == 0 {
		return nil
	}
	type row struct{ AnnouncementID, ClassID, DivisionID id.ID }
	err := db.Each(ctx, q, `
		SELECT announcement_id, class_id, division_id FROM announcement_targets
		WHERE school_id = :school AND announcement_id IN (:ids) ORDER BY division_id, class_id`, db.Args{"ids": ids}, func(r row) error {
		a := by[r.AnnouncementID]
		if r.DivisionID != "" {
			a.DivisionIDs = append(a.DivisionIDs, r.DivisionID)
		} else {
			a.ClassIDs = append(a.ClassIDs, r.ClassID)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read classes of announcements: %w", err)
	}
	return nil
}

// filter filters the administrator's list.
type filter struct {
	Audience Audience `json:"audience,omitempty" enum:"ALL,PARENTS,TEACHERS,DRIVERS,CLASS,DIVISION"`
	Status   Status   `json:"status,omitempty" enum:"SCHEDULED,PUBLISHED,EXPIRED"`
	Search   string   `json:"search,omitempty" doc:"Any part of the title."`
}

func listManaged(ctx context.Context, q db.Q, f filter, now time.Time, r page.Request) (page.Of[Managed], error) {
	search := people.Pattern(f.Search)
	a := db.Args{"audience": f.Audience, "search": search}
	if f.Status != "" {
		a["now"] = now
	}
	p, err := db.Page[Managed](ctx, q, db.List{
		Columns: managedColumns,
		From: `announcements a WHERE a.school_id = :school` +
			db.When(f.Audience != "", ` AND a.audience = :audience`) +
			db.When(f.Status == Scheduled, ` AND a.publish_at > :now`) +
			db.When(f.Status == Published, ` AND a.publish_at <= :now AND (a.expires_at IS NULL OR a.expires_at > :now)`) +
			db.When(f.Status == Expired, ` AND a.expires_at <= :now`) +
			db.When(search != "", ` AND a.search LIKE :search ESCAPE '\'`),
		Sorts: sorts, Default: "-isPinned",
	}, r, a)
	if err != nil {
		return p, err
	}
	all := make([]*Announcement, len(p.Items))
	for i := range p.Items {
		all[i] = &p.Items[i].Announcement
	}
	return p, complete(ctx, q, now, all...)
}

// isFor selects what a reader may open: published announcements for the reader, and the
// reader's own.
const isFor = `a.school_id = :school AND (a.created_by = :user OR a.publish_at <= :now AND a.published_at IS NOT NULL AND (
	a.audience IN (:audiences) OR a.id IN (SELECT t.announcement_id FROM announcement_targets t WHERE t.school_id = :school
		AND (t.division_id IS NULL AND t.class_id IN (:classes) OR t.division_id IN (:divisions)))))`

func (r reader) args(now time.Time) db.Args {
	return db.Args{"user": r.user, "audiences": r.audiences, "classes": r.classes, "divisions": r.divisions, "now": now}
}

func listShown(ctx context.Context, q db.Q, who reader, now time.Time, r page.Request) (page.Of[Shown], error) {
	a := who.args(now)
	p, err := db.Page[Shown](ctx, q, db.List{
		Columns: shownColumns,
		From:    `announcements a WHERE ` + isFor + ` AND (a.expires_at IS NULL OR a.expires_at > :now)`,
		Sorts:   sorts, Default: "-isPinned",
	}, r, a)
	if err != nil {
		return p, err
	}
	all := make([]*Announcement, len(p.Items))
	for i := range p.Items {
		all[i] = &p.Items[i].Announcement
	}
	return p, complete(ctx, q, now, all...)
}

func getShown(ctx context.Context, q db.Q, who reader, announcement id.ID, now time.Time) (Shown, error) {
	a := who.args(now)
	a["id"] = announcement
	v, err := db.One[Shown](ctx, q, `SELECT `+shownColumns+` FROM announcements a WHERE a.id = :id AND `+isFor, a)
	if err != nil {
		return v, db.Found("read announcement", err, errNone)
	}
	return v, complete(ctx, q, now, &v.Announcement)
}

// putOpened records that the user has opened the announcement.
func putOpened(ctx context.Context, q db.Q, announcement, user id.ID, now time.Time) error {
	_, err := db.Exec(ctx, q, `
		INSERT INTO announcement_reads (school_id, announcement_id, user_id, read_at) VALUES (:school, :id, :user, :now)
		ON CONFLICT (school_id, announcement_id, user_id) DO NOTHING`, db.Args{"id": announcement, "user": user, "now": now})
	if err != nil && !db.IsReference(err) { // it was deleted meanwhile
		return fmt.Errorf("write reader: %w", err)
	}
	return nil
}

func args(m Managed) db.Args {
	return db.Args{"id": m.ID, "title": m.Title, "body": m.Body, "audience": m.Audience, "attachments": m.Attachments,
		"pinned": m.IsPinned, "urgent": m.Urgent, "publish": m.PublishAt, "expires": m.ExpiresAt, "search": people.SearchText(m.Title),
		"office": m.ByOffice, "version": m.Version, "updated": m.UpdatedAt}
}

func putNew(ctx context.Context, tx *db.Tx, m Managed, targets []target) error {
	a := args(m)
	a["author"], a["created"] = m.CreatedBy, m.CreatedAt
	_, err := db.Exec(ctx, tx, `
		INSERT INTO announcements (school_id, id, title, body, audience, attachments, is_pinned, urgent, publish_at, expires_at,
			audience_count, search, created_by, by_office, version, created_at, updated_at)
		VALUES (:school, :id, :title, :body, :audience, :attachments, :pinned, :urgent, :publish, :expires,
			0, :search, :author, :office, :version, :created, :updated)`, a)
	if err != nil {
		return err
	}
	return insertTargets(ctx, tx, m.ID, targets)
}

func insertTargets(ctx context.Context, tx *db.Tx, announcement id.ID, targets []target) error {
	type row struct {
		target
		AnnouncementID id.ID
	}
	rows := make([]row, len(targets))
	for i, t := range targets {
		rows[i] = row{t, announcement}
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO announcement_targets (school_id, id, announcement_id, class_id, division_id)
		VALUES (:school, :id, :announcement_id, :class_id, :division_id)`, rows)
	return err
}

// putTargets replaces the classes and divisions of an announcement.
func putTargets(ctx context.Context, tx *db.Tx, announcement id.ID, targets []target) error {
	_, err := db.Exec(ctx, tx, `
		DELETE FROM announcement_targets WHERE school_id = :school AND announcement_id = :id`, db.Args{"id": announcement})
	if err == nil {
		err = insertTargets(ctx, tx, announcement, targets)
	}
	if err != nil {
		return fmt.Errorf("replace classes of announcement: %w", err)
	}
	return nil
}

// putChange writes the next version of m.
func putChange(ctx context.Context, tx *db.Tx, m Managed) error {
	err := db.Update(ctx, tx, `
		UPDATE announcements SET title = :title, body = :body, audience = :audience, attachments = :attachments, is_pinned = :pinned,
			urgent = :urgent, publish_at = :publish, expires_at = :expires, search = :search, by_office = :office, version = version + 1,
			updated_at = :updated
		WHERE school_id = :school AND id = :id AND version = :version`, args(m))
	return fault.Wrap("update announcement", err)
}

func putCount(ctx context.Context, tx *db.Tx, announcement id.ID, readers int) error {
	_, err := db.Exec(ctx, tx, `UPDATE announcements SET audience_count = :n WHERE school_id = :school AND id = :id`,
		db.Args{"id": announcement, "n": readers})
	if err != nil {
		return fmt.Errorf("write recipient count: %w", err)
	}
	return nil
}

// putPublished marks an announcement as published. A second call is a bug.
func putPublished(ctx context.Context, tx *db.Tx, announcement id.ID, readers int, now time.Time) error {
	n, err := db.Exec(ctx, tx, `
		UPDATE announcements SET published_at = :now, audience_count = :n
		WHERE school_id = :school AND id = :id AND published_at IS NULL`, db.Args{"id": announcement, "n": readers, "now": now})
	switch {
	case err != nil:
		return fmt.Errorf("publish announcement: %w", err)
	case n == 0:
		return errPublished
	}
	return nil
}
