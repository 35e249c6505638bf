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
		VALUES (:school, :id, :name, :content_type, :size, :sha256, :thumb_type, :thumb_size, :uploaded_by, :loose_since, :created_at)`,
		[]File{f})
	if err != nil {
		return fmt.Errorf("write file: %w", err)
	}
	return nil
}

func getFile(ctx context.Context, q db.Q, file id.ID) (File, error) {
	f, err := db.One[File](ctx, q, `SELECT `+columns+` FROM files WHERE school_id = :school AND id = :id AND gone_at IS NULL`,
		db.Args{"id": file})
	return f, db.Found("read file", err, ErrNoFile)
}

func listFiles(ctx context.Context, q db.Q, files []id.ID) ([]File, error) {
	list, err := db.All[File](ctx, q, `SELECT `+columns+` FROM files WHERE school_id = :school AND id IN (:ids) AND gone_at IS NULL`,
		db.Args{"ids": files})
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	return list, nil
}

// listHeld lists the files of a record.
func listHeld(ctx context.Context, q db.Q, kind Kind, record id.ID) ([]File, error) {
	list, err := db.All[File](ctx, q, `SELECT `+columns+` FROM files
		WHERE school_id = :school AND holder_kind = :kind AND holder_id = :record AND gone_at IS NULL`, db.Args{"kind": kind, "record": record})
	if err != nil {
		return nil, fmt.Errorf("list files of record: %w", err)
	}
	return list, nil
}

// attach attaches unattached files to a record and returns their number.
func attach(ctx context.Context, tx *db.Tx, kind Kind, record id.ID, files []id.ID) (int64, error) {
	n, err := db.Exec(ctx, tx, `
		UPDATE files SET holder_kind = :kind, holder_id = :record, loose_since = NULL
		WHERE school_id = :school AND id IN (:ids) AND holder_id IS NULL AND gone_at IS NULL`,
		db.Args{"ids": files, "kind": kind, "record": record})
	if err != nil {
		return 0, fmt.Errorf("attach files: %w", err)
	}
	return n, nil
}

func detach(ctx context.Context, tx *db.Tx, files []id.ID, now time.Time) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE files SET holder_kind = NULL, holder_id = NULL, loose_since = :now WHERE school_id = :school AND id IN (:ids)`,
		db.Args{"ids": files, "now": now})
	if err != nil {
		return fmt.Errorf("detach files: %w", err)
	}
	return nil
}

// getUsage returns the bytes of a school's files.
func getUsage(ctx context.Context, q db.Q) (int64, error) {
	n, err := db.One[int64](ctx, q, `SELECT bytes FROM file_usage WHERE school_id = :school`, nil)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return 0, fmt.Errorf("read file usage: %w", err)
	}
	return n, nil
}

// addUsage adds to the usage and returns the new value.
func addUsage(ctx context.Context, tx *db.Tx, n int64) (int64, error) {
	used, err := db.One[int64](ctx, tx, `
		INSERT INTO file_usage (school_id, bytes) VALUES (:school, :n)
		ON CONFLICT (school_id) DO UPDATE SET bytes = file_usage.bytes + :n
		RETURNING bytes`, db.Args{"n": n})
	if err != nil {
		return 0, fmt.Errorf("update file usage: %w", err)
	}
	return used, nil
}

// sumUnattached returns the bytes of a user's unattached uploads.
func sumUnattached(ctx context.Context, q db.Q, user id.ID) (int64, error) {
	n, err := db.One[int64](ctx, q, `
		SELECT CAST(COALESCE(SUM(size + thumb_size), 0) AS BIGINT) AS n FROM files
		WHERE school_id = :school AND uploaded_by = :user AND loose_since IS NOT NULL AND gone_at IS NULL`, db.Args{"user": user})
	if err != nil {
		return 0, fmt.Errorf("sum unattached files of user: %w", err)
	}
	return n, nil
}

// deletedFile is a file marked for deletion.
type deletedFile struct {
	SchoolID id.ID
	ID       id.ID
}

// markUnattached marks some files that were detached before a time as deleted, and
// returns all marked files.
func markUnattached(ctx context.Context, d *db.DB, before, now time.Time, some int) (out []deletedFile, err error) {
	err = d.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
		a := db.Args{"before": before, "now": now, "some": some}
		// The first condition is repeated for a file that is attached meanwhile.
		if _, err := db.Exec(ctx, tx, `
			UPDATE files SET gone_at = :now WHERE loose_since < :before AND gone_at IS NULL AND (school_id, id) IN (
				SELECT school_id, id FROM files WHERE loose_since < :before AND gone_at IS NULL ORDER BY loose_since LIMIT :some)`, a); err != nil {
			return err
		}
		out, err = db.All[deletedFile](ctx, tx, `
			SELECT school_id, id FROM files WHERE loose_since IS NOT NULL AND gone_at IS NOT NULL ORDER BY loose_since LIMIT :some`,
			db.Args{"some": some})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("mark unattached files: %w", err)
	}
	return out, nil
}

// deleteRow deletes the row of a marked file and lowers the usage.
func deleteRow(ctx context.Context, d *db.DB, g deletedFile) error {
	err := d.InSchool(ctx, g.SchoolID, func(ctx context.Context, tx *db.Tx) error {
		n, err := db.One[int64](ctx, tx, `
			DELETE FROM files WHERE school_id = :school AND id = :id AND gone_at IS NOT NULL RETURNING size + thumb_size`, db.Args{"id": g.ID})
		if errors.Is(err, db.ErrNotFound) {
			return nil // another node was first
		}
		if err == nil {
			_, err = db.Exec(ctx, tx, `UPDATE file_usage SET bytes = bytes - :n WHERE school_id = :school`, db.Args{"n": n})
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("delete file: %w", err)
	}
	return nil
}

// known returns the files that have a row. Ids are unique within a school only.
func known(ctx context.Context, d *db.DB, files []id.ID) (map[deletedFile]bool, error) {
	list, err := db.All[deletedFile](ctx, d.Across(unscoped.Permit{}), `SELECT school_id, id FROM files WHERE id IN (:ids)`,
		db.Args{"ids": files})
	if err != nil {
		return nil, fmt.Errorf("read rows of files: %w", err)
	}
	out := make(map[deletedFile]bool, len(list))
	for _, g := range list {
		out[g] = true
	}
	return out, nil
}

// schoolsAmong returns the ids that are schools.
func schoolsAmong(ctx context.Context, d *db.DB, ids []id.ID) (map[id.ID]bool, error) {
	list, err := db.All[id.ID](ctx, d.Across(unscoped.Permit{}), `SELECT id FROM schools WHERE id IN (:ids)`, db.Args{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("read schools: %w", err)
	}
	out := make(map[id.ID]bool, len(list))
	for _, school := range list {
		out[school] = true
	}
	return out, nil
}
