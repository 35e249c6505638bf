package file

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// A school has a quota for all its files, and each user one for uploads that no
// record has. Both are checked in the transaction that writes a file's row, while
// it holds the school's row of file_usage: of two uploads at once the second sees
// the first. An upload that has no room anyway is refused before it is stored.

var (
	errSchoolQuota = fault.New(fault.TooLarge, "", "The school has no room left for files.")
	errUserQuota   = fault.New(fault.TooLarge, "", "Too many of your uploads are attached to nothing.")
)

// reserve adds a file to what the school and its uploader have, if there is room.
// Other uploads of the school wait until tx ends.
func (s *Service) reserve(ctx context.Context, tx *db.Tx, who actor.Actor, f File) error {
	n := f.Size + f.ThumbSize
	used, err := addUsage(ctx, tx, n)
	if err != nil {
		return err
	}
	return s.room(ctx, tx, used-n, who.User, n)
}

// roomNow refuses what has no room as things stand.
func (s *Service) roomNow(ctx context.Context, who actor.Actor, school id.ID, n int64) error {
	q := s.DB.School(school)
	used, err := getUsage(ctx, q)
	if err != nil {
		return err
	}
	return s.room(ctx, q, used, who.User, n)
}

func (s *Service) room(ctx context.Context, q db.Q, used int64, user id.ID, n int64) error {
	if s.PerSchool > 0 && used+n > s.PerSchool {
		return errSchoolQuota.Saying("The school has used %d of its %d MiB for files, and this one has no room. Ask who runs the service for more.",
			used>>20, s.PerSchool>>20)
	}
	if s.Unattached <= 0 {
		return nil
	}
	loose, err := sumUnattached(ctx, q, user)
	if err == nil && loose+n > s.Unattached {
		err = errUserQuota.Saying("You have %d MiB of uploads that are attached to nothing, and may have %d. Use them, or try again later: what nothing uses is removed after a day.",
			loose>>20, s.Unattached>>20)
	}
	return err
}
