package file

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

// unattachedTTL is how long an unattached file is kept.
const unattachedTTL = 24 * time.Hour

// collectJob runs Collect at once.
type collectJob struct{}

// Kind implements jobs.Args.
func (collectJob) Kind() string { return "file.collect" }

func (s *Service) collectSoon(ctx context.Context, tx *db.Tx) error {
	return jobs.Enqueue(ctx, tx, s.Now(), collectJob{})
}

// Workers returns the workers of the job queue.
func (s *Service) Workers() []jobs.Worker {
	forget := jobs.Work(s.forgetSchool)
	forget.Timeout = time.Hour // S3 deletes about 30 files a second
	return []jobs.Worker{jobs.Work(func(ctx context.Context, _ id.ID, _ collectJob) error { return s.Collect(ctx) }), forget}
}

// Periodics returns the periodic jobs.
func (s *Service) Periodics() []jobs.Periodic {
	return []jobs.Periodic{
		{Name: "file.collect", Every: time.Hour, Run: s.Collect},
		{Name: "file.sweep", Every: 24 * time.Hour, Run: s.Sweep},
	}
}

// Collect deletes files that have been unattached for a day: it marks them as
// deleted, then deletes their content, then their rows. The next run completes an
// interrupted one.
func (s *Service) Collect(ctx context.Context) error {
	const some = 200
	total := 0
	for {
		gone, err := markUnattached(ctx, s.DB, s.Now().Add(-unattachedTTL), s.Now(), some)
		if err != nil {
			return err
		}
		var failed error
		for _, g := range gone { // one failure does not stop the others
			failed = errors.Join(failed, s.remove(ctx, g))
		}
		if failed != nil {
			return fmt.Errorf("collect files: %w", failed)
		}
		if total += len(gone); len(gone) < some {
			break
		}
	}
	if total > 0 {
		s.Log.InfoContext(ctx, "unattached files deleted", "files", total)
	}
	return nil
}

func (s *Service) remove(ctx context.Context, g deletedFile) error {
	if err := s.Store.Delete(ctx, g.keys()...); err != nil {
		return err
	}
	return deleteRow(ctx, s.DB, g)
}

// Content is the content of a file, or of its thumbnail, in the store.
type Content struct {
	Key  string
	Size int64
}

// Contents lists what q's school has in the store, in the order of the files.
func Contents(ctx context.Context, q db.Q) ([]Content, error) {
	type row struct {
		ID              id.ID
		SchoolID        id.ID
		Size, ThumbSize int64
	}
	rows, err := db.All[row](ctx, q, `
		SELECT id, school_id, size, thumb_size FROM files WHERE school_id = :school AND gone_at IS NULL ORDER BY id`, nil)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	var out []Content
	for _, r := range rows {
		out = append(out, Content{key(r.SchoolID, r.ID, ""), r.Size})
		if r.ThumbSize > 0 {
			out = append(out, Content{key(r.SchoolID, r.ID, Thumb), r.ThumbSize})
		}
	}
	return out, nil
}

// ForgetSchool enqueues the deletion of all files of a school that tx deletes.
func (s *Service) ForgetSchool(ctx context.Context, tx *db.Tx, school id.ID) error {
	return jobs.Enqueue(ctx, tx, s.Now(), forgetJob{school})
}

// forgetJob deletes the content of a deleted school's files.
type forgetJob struct {
	School id.ID `json:"school"`
}

// Kind implements jobs.Args.
func (forgetJob) Kind() string { return "file.forget-school" }

// forgetSchool does nothing for a school that was imported again before the job was retried.
// While it runs, no import can begin.
func (s *Service) forgetSchool(ctx context.Context, _ id.ID, j forgetJob) error {
	if back, err := schoolsAmong(ctx, s.DB, []id.ID{j.School}); err != nil || back[j.School] {
		return err
	}
	return s.Store.Walk(ctx, func(b blob.Blob) error {
		if g, ok := ownerOf(b.Key); !ok || g.SchoolID != j.School {
			return nil
		}
		return s.Store.Delete(ctx, b.Key)
	})
}

var errDeleting = errors.New("the files of this school are still being deleted here: try again in a minute")

// KeepSchool withdraws the deletion of the files of a school that the platform's tx imports again.
// Sweep deletes those without a row. It refuses while they are being deleted.
func (s *Service) KeepSchool(ctx context.Context, tx *db.Tx, school id.ID) error {
	running, err := jobs.Withdraw(ctx, tx, s.Now(), func(j forgetJob) bool { return j.School == school })
	if err == nil && running {
		err = errDeleting
	}
	return err
}

// Sweep deletes orphaned content without a row, left by a crash during an upload. It
// ignores content of schools that are not in this database.
func (s *Service) Sweep(ctx context.Context) error {
	const some = 500
	before, total := s.Now().Add(-unattachedTTL), 0
	var batch []blob.Blob
	flush := func() error {
		n, err := s.sweep(ctx, batch)
		total, batch = total+n, batch[:0]
		return err
	}
	err := s.Store.Walk(ctx, func(b blob.Blob) error {
		if b.At.After(before) { // its upload may be in progress
			return nil
		}
		if batch = append(batch, b); len(batch) < some {
			return nil
		}
		return flush()
	})
	if err = errors.Join(err, flush()); err != nil {
		return fmt.Errorf("sweep files: %w", err)
	}
	if total > 0 {
		s.Log.InfoContext(ctx, "orphaned file content deleted", "blobs", total)
	}
	return nil
}

func (s *Service) sweep(ctx context.Context, batch []blob.Blob) (int, error) {
	var ids, schools []id.ID
	for _, b := range batch {
		if g, ok := ownerOf(b.Key); ok {
			ids, schools = append(ids, g.ID), append(schools, g.SchoolID)
		}
	}
	rows, err := known(ctx, s.DB, ids)
	if err != nil {
		return 0, err
	}
	ours, err := schoolsAmong(ctx, s.DB, schools)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, b := range batch {
		g, ok := ownerOf(b.Key)
		draft := strings.HasPrefix(b.Key, "draft/")
		if !draft && (!ok || rows[g] || !ours[g.SchoolID]) {
			continue
		}
		if err := s.Store.Delete(ctx, b.Key); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// ownerOf parses a storage key; false if it is not one of this package.
func ownerOf(k string) (deletedFile, bool) {
	parts := strings.Split(k, "/")
	if len(parts) != 3 {
		return deletedFile{}, false
	}
	school, err := id.Parse(parts[0])
	if err != nil {
		return deletedFile{}, false
	}
	file, err := id.Parse(strings.TrimSuffix(parts[2], ".thumb"))
	return deletedFile{school, file}, err == nil
}
