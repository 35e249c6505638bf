package file

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Attach replaces the files of a record. Each must be an unattached upload of who, or
// a file that the record already has; any other is ErrNoFile, whether it exists or
// not. Files of the record that are not in the list are detached.
func (s *Service) Attach(ctx context.Context, tx *db.Tx, who actor.Actor, kind Kind, record id.ID, files []id.ID) error {
	had, err := listHeld(ctx, tx, kind, record)
	if err != nil {
		return err
	}
	var add, drop []id.ID
	for _, f := range files {
		if !has(had, f) && !slices.Contains(add, f) {
			add = append(add, f)
		}
	}
	for _, f := range had {
		if !slices.Contains(files, f.ID) {
			drop = append(drop, f.ID)
		}
	}
	if len(add) > 0 {
		if err := s.add(ctx, tx, who, kind, record, add); err != nil {
			return err
		}
	}
	if len(drop) > 0 {
		return detach(ctx, tx, drop, s.Now())
	}
	return nil
}

// AttachOne is Attach for a record with at most one file.
func (s *Service) AttachOne(ctx context.Context, tx *db.Tx, who actor.Actor, kind Kind, record id.ID, file *id.ID) error {
	if file == nil {
		return s.Attach(ctx, tx, who, kind, record, nil)
	}
	return s.Attach(ctx, tx, who, kind, record, []id.ID{*file})
}

func has(files []File, f id.ID) bool {
	return slices.ContainsFunc(files, func(x File) bool { return x.ID == f })
}

func (s *Service) add(ctx context.Context, tx *db.Tx, who actor.Actor, kind Kind, record id.ID, add []id.ID) error {
	found, err := listFiles(ctx, tx, add)
	if err != nil {
		return err
	}
	if len(found) < len(add) {
		return ErrNoFile
	}
	for _, f := range found {
		if f.HolderID != nil || f.UploadedBy != who.User {
			return ErrNoFile
		}
	}
	for _, f := range found {
		if err := fits(kind, f.ContentType, f.Size); err != nil {
			return err
		}
	}
	n, err := attach(ctx, tx, kind, record, add)
	if err == nil && n < int64(len(add)) { // another record was first
		err = ErrNoFile
	}
	return err
}

var errTooLarge = fault.New(fault.TooLarge, "", "")

// fits checks the type and size of a file for a kind of record.
func fits(kind Kind, contentType string, size int64) error {
	k := kinds[kind]
	if k.picture && !strings.HasPrefix(contentType, "image/") {
		return errPicture
	}
	if k.max > 0 && size > k.max {
		return errTooLarge.Saying("The file is too large for this purpose. The maximum is %d MiB: make it smaller.", k.max>>20)
	}
	return nil
}

// Release detaches all files of a record that is deleted.
func (s *Service) Release(ctx context.Context, tx *db.Tx, kind Kind, record id.ID) error {
	return s.Attach(ctx, tx, actor.Actor{}, kind, record, nil)
}

// Erase deletes the files of records. They can't be downloaded from now on; the next
// run of Collect deletes their content.
func (s *Service) Erase(ctx context.Context, tx *db.Tx, kind Kind, records []id.ID) error {
	n, err := db.Exec(ctx, tx, `
		UPDATE files SET holder_kind = NULL, holder_id = NULL, loose_since = :now, gone_at = :now, name = ''
		WHERE school_id = :school AND holder_kind = :kind AND holder_id IN (:records)`,
		db.Args{"kind": kind, "records": records, "now": s.Now()})
	if err != nil {
		return fmt.Errorf("erase files: %w", err)
	}
	if n == 0 {
		return nil
	}
	return s.collectSoon(ctx, tx)
}
