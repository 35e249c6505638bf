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

// keepLoose is how long a file may wait for a record that holds it.
const keepLoose = 24 * time.Hour

// collectJob has a round made at once.
type collectJob struct{}

// Kind implements jobs.Args.
func (collectJob) Kind() string { return "file.collect" }

func (s *Service) collectSoon(ctx context.Context, tx *db.Tx) error {
	return jobs.Enqueue(ctx, tx, s.Now(), collectJob{})
}

// Workers is the work of the job queue.
func (s *Service) Workers() []jobs.Worker {
	return []jobs.Worker{jobs.Work(func(ctx context.Context, _ id.ID, _ collectJob) error { return s.Collect(ctx) }),
		jobs.Work(s.forgetSchool)}
}

// Periodics is what is done from time to time.
func (s *Service) Periodics() []jobs.Periodic {
	return []jobs.Periodic{
		{Name: "file.collect", Every: time.Hour, Run: s.Collect},
		{Name: "file.sweep", Every: 24 * time.Hour, Run: s.Sweep},
	}
}

// Collect removes the files that nothing has held for a day. A file is first
// marked, and is shown to nobody from then on; then its bytes go, and last its
// row. Whatever is cut off between is done by the next round.
func (s *Service) Collect(ctx context.Context) error {
	const some = 200
	total := 0
	for {
		gone, err := takeLoose(ctx, s.DB, s.Now().Add(-keepLoose), s.Now(), some)
		if err != nil {
			return err
		}
		var failed error
		for _, g := range gone { // one that can't be removed keeps none of the others
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
		s.Log.InfoContext(ctx, "files that nothing held were removed", "files", total)
	}
	return nil
}

func (s *Service) remove(ctx context.Context, g goner) error {
	if err := s.Store.Delete(ctx, g.keys()...); err != nil {
		return err
	}
	return forget(ctx, s.DB, g)
}

// ForgetSchool has all bytes of a school removed that is deleted in tx.
func (s *Service) ForgetSchool(ctx context.Context, tx *db.Tx, school id.ID) error {
	return jobs.Enqueue(ctx, tx, s.Now(), forgetJob{school})
}

// forgetJob removes the bytes of a school that is no more.
type forgetJob struct {
	School id.ID `json:"school"`
}

// Kind implements jobs.Args.
func (forgetJob) Kind() string { return "file.forget-school" }

func (s *Service) forgetSchool(ctx context.Context, _ id.ID, j forgetJob) error {
	return s.Store.Walk(ctx, func(b blob.Blob) error {
		if g, ok := ownerOf(b.Key); !ok || g.SchoolID != j.School {
			return nil
		}
		return s.Store.Delete(ctx, b.Key)
	})
}

// Sweep removes bytes without a row: those of uploads that a crash has cut off.
// Whatever is not a school's of this database is left alone, as it may be
// someone else's.
func (s *Service) Sweep(ctx context.Context) error {
	const some = 500
	before, total := s.Now().Add(-keepLoose), 0
	var batch []blob.Blob
	flush := func() error {
		n, err := s.sweep(ctx, batch)
		total, batch = total+n, batch[:0]
		return err
	}
	err := s.Store.Walk(ctx, func(b blob.Blob) error {
		if b.At.After(before) { // its row may be on its way
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
		s.Log.InfoContext(ctx, "bytes of files that nobody knows were removed", "blobs", total)
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
		if !draft && (!ok || rows[g.ID] == g.SchoolID || !ours[g.SchoolID]) {
			continue
		}
		if err := s.Store.Delete(ctx, b.Key); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// ownerOf reads a key; false for what is not one of ours.
func ownerOf(k string) (goner, bool) {
	parts := strings.Split(k, "/")
	if len(parts) != 3 {
		return goner{}, false
	}
	school, err := id.Parse(parts[0])
	if err != nil {
		return goner{}, false
	}
	file, err := id.Parse(strings.TrimSuffix(parts[2], ".thumb"))
	return goner{school, file}, err == nil
}
