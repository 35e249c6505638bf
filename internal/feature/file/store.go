package file

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
)

const columns = `id, name, content_type, size, sha256, thumb_type, thumb_size, uploaded_by, holder_kind, holder_id, loose_since, created_at`

func putFile(ctx context.Context, tx *db.Tx, f File) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO files (school_id, id, name, content_type, size, sha256, thumb_type, thumb_size, uploaded_by, loose_since, created_at)
		VALUES (:school, :id, :name, :content_type, :size, :sha256, :thumb_type, :thumb_size, :uploaded_by, :loose_since, :created_at)`, []File{f})
	if err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	return nil
}

func getFile(ctx context.Context, q db.Q, file id.ID) (File, error) {
	f, err := db.One[File](ctx, q, `SELECT `+columns+` FROM files WHERE school_id = :school AND id = :id AND gone_at IS NULL`, db.Args{"id": file})
	return f, db.Found("read file", err, ErrNoFile)
}

func listFiles(ctx context.Context, q db.Q, files []id.ID) ([]File, error) {
	list, err := db.All[File](ctx, q, `SELECT `+columns+` FROM files WHERE school_id = :school AND id IN (:ids) AND gone_at IS NULL`, db.Args{"ids": files})
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	return list, nil
}

// listHeld lists the files that a record has.
func listHeld(ctx context.Context, q db.Q, kind Kind, record id.ID) ([]File, error) {
	list, err := db.All[File](ctx, q, `SELECT `+columns+` FROM files
		WHERE school_id = :school AND holder_kind = :kind AND holder_id = :record AND gone_at IS NULL`, db.Args{"kind": kind, "record": record})
	if err != nil {
		return nil, fmt.Errorf("list the files of a record: %w", err)
	}
	return list, nil
}

// hold gives files that nothing holds to a record, and tells how many those were.
func hold(ctx context.Context, tx *db.Tx, kind Kind, record id.ID, files []id.ID) (int64, error) {
	n, err := db.Exec(ctx, tx, `
		UPDATE files SET holder_kind = :kind, holder_id = :record, loose_since = NULL
		WHERE school_id = :school AND id IN (:ids) AND holder_id IS NULL AND gone_at IS NULL`,
		db.Args{"ids": files, "kind": kind, "record": record})
	if err != nil {
		return 0, fmt.Errorf("attach files: %w", err)
	}
	return n, nil
}

func letGo(ctx context.Context, tx *db.Tx, files []id.ID, now time.Time) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE files SET holder_kind = NULL, holder_id = NULL, loose_since = :now WHERE school_id = :school AND id IN (:ids)`,
		db.Args{"ids": files, "now": now})
	if err != nil {
		return fmt.Errorf("let files go: %w", err)
	}
	return nil
}

// getUsage is how many bytes the files of a school have.
func getUsage(ctx context.Context, q db.Q) (int64, error) {
	n, err := db.One[int64](ctx, q, `SELECT bytes FROM file_usage WHERE school_id = :school`, nil)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return 0, fmt.Errorf("read how much room files take: %w", err)
	}
	return n, nil
}

// addUsage adds to it, and returns what it is then.
func addUsage(ctx context.Context, tx *db.Tx, n int64) (int64, error) {
	used, err := db.One[int64](ctx, tx, `
		INSERT INTO file_usage (school_id, bytes) VALUES (:school, :n)
		ON CONFLICT (school_id) DO UPDATE SET bytes = file_usage.bytes + :n
		RETURNING bytes`, db.Args{"n": n})
	if err != nil {
		return 0, fmt.Errorf("add to the room that files take: %w", err)
	}
	return used, nil
}

// sumUnattached is how many bytes of a user's uploads no record has.
func sumUnattached(ctx context.Context, q db.Q, user id.ID) (int64, error) {
	n, err := db.One[int64](ctx, q, `
		SELECT CAST(COALESCE(SUM(size + thumb_size), 0) AS BIGINT) AS n FROM files
		WHERE school_id = :school AND uploaded_by = :user AND loose_since IS NOT NULL AND gone_at IS NULL`, db.Args{"user": user})
	if err != nil {
		return 0, fmt.Errorf("measure a user's uploads: %w", err)
	}
	return n, nil
}

// goner is a file that is on its way out.
type goner struct {
	SchoolID id.ID
	ID       id.ID
}

// takeLoose marks some of what has been loose since before a time as gone, and
// returns it with what was marked before.
func takeLoose(ctx context.Context, d *db.DB, before, now time.Time, some int) (out []goner, err error) {
	err = d.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
		a := db.Args{"before": before, "now": now, "some": some}
		if _, err := db.Exec(ctx, tx, `
			UPDATE files SET gone_at = :now WHERE gone_at IS NULL AND (school_id, id) IN (
				SELECT school_id, id FROM files WHERE loose_since < :before AND gone_at IS NULL ORDER BY loose_since LIMIT :some)`, a); err != nil {
			return err
		}
		out, err = db.All[goner](ctx, tx, `
			SELECT school_id, id FROM files WHERE loose_since IS NOT NULL AND gone_at IS NOT NULL ORDER BY loose_since LIMIT :some`, db.Args{"some": some})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("take files that nothing holds: %w", err)
	}
	return out, nil
}

// forget removes the row of what is gone, and gives its room back.
func forget(ctx context.Context, d *db.DB, g goner) error {
	err := d.InSchool(ctx, g.SchoolID, func(ctx context.Context, tx *db.Tx) error {
		n, err := db.One[int64](ctx, tx, `
			DELETE FROM files WHERE school_id = :school AND id = :id AND gone_at IS NOT NULL RETURNING size + thumb_size`, db.Args{"id": g.ID})
		if errors.Is(err, db.ErrNotFound) {
			return nil // another node was faster
		}
		if err == nil {
			_, err = db.Exec(ctx, tx, `UPDATE file_usage SET bytes = bytes - :n WHERE school_id = :school`, db.Args{"n": n})
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("forget a file: %w", err)
	}
	return nil
}

// known tells which files have a row, of any school.
func known(ctx context.Context, d *db.DB, files []id.ID) (map[id.ID]id.ID, error) {
	list, err := db.All[goner](ctx, d.Across(unscoped.Permit{}), `SELECT school_id, id FROM files WHERE id IN (:ids)`, db.Args{"ids": files})
	if err != nil {
		return nil, fmt.Errorf("look for the rows of files: %w", err)
	}
	out := make(map[id.ID]id.ID, len(list))
	for _, g := range list {
		out[g.ID] = g.SchoolID
	}
	return out, nil
}

// schoolsAmong tells which of the ids are those of schools.
func schoolsAmong(ctx context.Context, d *db.DB, ids []id.ID) (map[id.ID]bool, error) {
	list, err := db.All[id.ID](ctx, d.Across(unscoped.Permit{}), `SELECT id FROM schools WHERE id IN (:ids)`, db.Args{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("look for schools: %w", err)
	}
	out := make(map[id.ID]bool, len(list))
	for _, school := range list {
		out[school] = true
	}
	return out, nil
}
