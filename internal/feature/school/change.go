package school

import (
	"context"
	"fmt"

	"homeroom/internal/feature/access"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/opt"
)

// Update changes a school's record or settings.
func (s *Service) Update(ctx context.Context, who actor.Actor, school id.ID, c Change) (School, error) {
	return s.change(ctx, who, school, "school.update", func(sch School) (School, error) {
		if err := fault.SameVersion(c.Version, sch.Version); err != nil {
			return sch, err
		}
		return c.apply(sch), nil
	})
}

// Suspend blocks a school's users until Resume.
func (s *Service) Suspend(ctx context.Context, who actor.Actor, school id.ID) (School, error) {
	return s.change(ctx, who, school, "school.suspend", func(sch School) (School, error) {
		if sch.Status != Active {
			return sch, errSuspended
		}
		sch.Status = Suspended
		return sch, nil
	})
}

// Resume ends the suspension of a school, and runs the jobs that were held when it was
// closed for an export.
func (s *Service) Resume(ctx context.Context, who actor.Actor, school id.ID) (School, error) {
	return s.change(ctx, who, school, "school.resume", func(sch School) (School, error) {
		if sch.Status != Suspended {
			return sch, errActive
		}
		sch.Status = Active
		return sch, nil
	}, mustBeComplete, jobs.Release)
}

// mustBeComplete refuses a school whose import has not finished.
func mustBeComplete(ctx context.Context, tx *db.Tx) error {
	n, err := db.One[int](ctx, tx, `SELECT COUNT(*) FROM school_imports WHERE school_id = :school`, nil)
	if err == nil && n > 0 {
		return errImporting
	}
	return err
}

// change updates a school with its logo, the audit log and cache invalidation. also runs
// in the same transaction.
func (s *Service) change(ctx context.Context, who actor.Actor, school id.ID, action string,
	alter func(School) (School, error), also ...func(context.Context, *db.Tx) error) (after School, err error) {
	err = s.DB.InSchool(ctx, school, func(ctx context.Context, tx *db.Tx) error {
		before, err := find(ctx, tx)
		if err != nil {
			return err
		}
		if after, err = alter(before); err != nil {
			return err
		}
		for _, f := range also {
			if err := f(ctx, tx); err != nil {
				return err
			}
		}
		after.UpdatedAt = s.Now()
		if err := updateSchool(ctx, tx, after); err != nil {
			return schoolFault("update school", err)
		}
		after.Version++
		if s.Files != nil && !sameFile(before.LogoFileID, after.LogoFileID) {
			if err := s.Files.SetLogo(ctx, tx, who, school, after.LogoFileID); err != nil {
				return err
			}
		}
		if err := s.Audit.Record(ctx, tx, who, action, "school", school, before, after); err != nil {
			return err
		}
		return access.Changed(ctx, tx, school)
	})
	s.showLogo(&after)
	return after, err
}

// Delete deletes a suspended school with all its data. The caller confirms with the
// school's code. The audit log of the platform's school records it.
func (s *Service) Delete(ctx context.Context, who actor.Actor, school id.ID, confirm string) error {
	return s.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, all *db.Tx) error {
		sch, err := find(ctx, all.School(school))
		switch {
		case err != nil:
			return err
		case confirm != sch.Code:
			return fault.OnField("confirm", "must be the code of the school to delete")
		}
		switch ok, err := deleteSchool(ctx, all, school); {
		case err != nil:
			return fmt.Errorf("delete school: %w", err)
		case !ok:
			return errNotYet
		}
		own := all.School(PlatformID)
		if s.Files != nil {
			if err := s.Files.Forget(ctx, own, school); err != nil {
				return err
			}
		}
		if err := s.Audit.Record(ctx, own, who, "school.delete", "school", school, sch, nil); err != nil {
			return err
		}
		return access.Changed(ctx, all, school)
	})
}

func sameFile(a, b *id.ID) bool { return a == b || a != nil && b != nil && *a == *b }

// showLogo adds the URL of the logo.
func (s *Service) showLogo(sch *School) {
	if s.Files != nil && sch.LogoFileID != nil {
		sch.LogoURL = opt.Text(s.Files.LogoURL(sch.ID, *sch.LogoFileID))
	}
}

// find is Get, except that the platform's own school is not found.
func find(ctx context.Context, q db.Q) (School, error) {
	sch, err := Get(ctx, q)
	if err == nil && sch.IsPlatform {
		return School{}, ErrNoSchool
	}
	return sch, err
}
