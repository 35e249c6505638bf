package file

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// A school has a quota for all its files, and each user one for unattached uploads.
// Both are checked in the transaction that writes a file's row, with the school's row
// of file_usage locked, so that concurrent uploads see each other. checkQuota refuses
// an upload over quota before its content is stored.

var (
	errSchoolQuota = fault.New(fault.TooLarge, "", "The school has no storage left for files.")
	errUserQuota   = fault.New(fault.TooLarge, "", "Too many of your uploads are not attached to anything.")
)

// reserve adds a file to the school's usage and checks the quotas. Other uploads of
// the school wait until tx ends.
func (s *Service) reserve(ctx context.Context, tx *db.Tx, who actor.Actor, f File) error {
	n := f.Size + f.ThumbSize
	used, err := addUsage(ctx, tx, n)
	if err != nil {
		return err
	}
	return s.checkRoom(ctx, tx, used-n, who.User, n)
}

// checkQuota checks the quotas against the current usage.
func (s *Service) checkQuota(ctx context.Context, who actor.Actor, school id.ID, n int64) error {
	q := s.DB.School(school)
	used, err := getUsage(ctx, q)
	if err != nil {
		return err
	}
	return s.checkRoom(ctx, q, used, who.User, n)
}

func (s *Service) checkRoom(ctx context.Context, q db.Q, used int64, user id.ID, n int64) error {
	if s.PerSchool > 0 && used+n > s.PerSchool {
		return errSchoolQuota.Saying("The school has used %d of its %d MiB for files, and this file is too large. "+
			"Ask your service provider for more storage.", used>>20, s.PerSchool>>20)
	}
	if s.Unattached <= 0 {
		return nil
	}
	loose, err := sumUnattached(ctx, q, user)
	if err == nil && loose+n > s.Unattached {
		err = errUserQuota.Saying("You have %d MiB of uploads that are not attached to anything, and the limit is %d. "+
			"Use them, or try again later: unused uploads are deleted after a day.", loose>>20, s.Unattached>>20)
	}
	return err
}
