package exam

import (
	"context"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Scale is a grade scale: it maps percents to grades.
type Scale struct {
	ID        id.ID           `json:"id"`
	Name      string          `json:"name"`
	IsDefault bool            `json:"isDefault" doc:"Used by exams without a scale of their own. At most one scale is the default."`
	Bands     db.JSON[[]Band] `json:"bands" doc:"The highest first."`
	Version   int             `json:"version"`
	CreatedAt time.Time       `json:"createdAt"`
	UpdatedAt time.Time       `json:"updatedAt"`
}

const scaleColumns = `id, name, is_default, bands, version, created_at, updated_at`

// NewScale is the input of CreateScale.
type NewScale struct {
	Name      string `json:"name" required:"true" maxLength:"100" example:"Letters"`
	Bands     []Band `json:"bands" required:"true" minItems:"1" maxItems:"50"`
	IsDefault *bool  `json:"isDefault" doc:"Default: true if the school has no default scale yet."`
}

// Check validates the fields together.
func (in *NewScale) Check() error { return checkBands(in.Bands) }

// CreateScale adds a grade scale. The first one is the school's default.
func (s *Service) CreateScale(ctx context.Context, who actor.Actor, in NewScale) (out Scale, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lockScales(ctx, tx); err != nil {
			return err
		}
		hasDefault, err := db.One[bool](ctx, tx, `SELECT EXISTS (SELECT 1 FROM grade_scales WHERE school_id = :school AND is_default) AS has`,
			nil)
		if err != nil {
			return fmt.Errorf("read default grade scale: %w", err)
		}
		now := s.Now()
		out = Scale{ID: s.NewID(), Name: strings.TrimSpace(in.Name), IsDefault: !hasDefault, Version: 1, CreatedAt: now, UpdatedAt: now}
		out.Bands.V = in.Bands
		if in.IsDefault != nil {
			out.IsDefault = *in.IsDefault
		}
		if err := onlyDefault(ctx, tx, out, now); err != nil {
			return err
		}
		_, err = db.Exec(ctx, tx, `
			INSERT INTO grade_scales (school_id, id, name, search, is_default, bands, version, created_at, updated_at)
			VALUES (:school, :id, :name, :search, :is_default, :bands, :version, :now, :now)`, scaleArgs(out))
		if err != nil {
			return scaleFault("create grade scale", err)
		}
		return s.Audit.Record(ctx, tx, who, "gradeScale.create", "gradeScale", out.ID, nil, out)
	})
	return out, err
}

func lockScales(ctx context.Context, tx *db.Tx) error {
	if err := tx.Lock(ctx, "grade-scales"); err != nil {
		return fmt.Errorf("lock grade scales: %w", err)
	}
	return nil
}

// onlyDefault unsets the current default if sc is the new default.
func onlyDefault(ctx context.Context, tx *db.Tx, sc Scale, now time.Time) error {
	if !sc.IsDefault {
		return nil
	}
	_, err := db.Exec(ctx, tx, `
		UPDATE grade_scales SET is_default = FALSE, version = version + 1, updated_at = :now
		WHERE school_id = :school AND is_default AND id <> :id`, db.Args{"id": sc.ID, "now": now})
	if err != nil {
		return fmt.Errorf("unset default grade scale: %w", err)
	}
	return nil
}

func scaleArgs(sc Scale) db.Args {
	return db.Args{"id": sc.ID, "name": sc.Name, "search": people.SearchText(sc.Name), "is_default": sc.IsDefault,
		"bands": sc.Bands, "now": sc.UpdatedAt, "version": sc.Version}
}

func scaleFault(doing string, err error) error {
	if db.IsDuplicate(err, "grade_scales_name") {
		return errScaleName.Because(err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func getScale(ctx context.Context, q db.Q, scale id.ID) (Scale, error) {
	sc, err := db.One[Scale](ctx, q, `SELECT `+scaleColumns+` FROM grade_scales WHERE school_id = :school AND id = :id`, db.Args{"id": scale})
	return sc, db.Found("read grade scale", err, errNoScale)
}

type idIn struct {
	ID id.ID `path:"id"`
}

func (s *Service) scale(ctx context.Context, who actor.Actor, in idIn) (Scale, error) {
	return getScale(ctx, s.DB.School(who.School), in.ID)
}

type scaleFilters struct {
	Search string `json:"search,omitempty" doc:"Any part of the name."`
}

func (s *Service) scales(ctx context.Context, who actor.Actor, in page.Ask[scaleFilters]) (page.Of[Scale], error) {
	pattern := people.Pattern(in.Filters.Search)
	return db.Page[Scale](ctx, s.DB.School(who.School), db.List{
		Columns: scaleColumns,
		From:    `grade_scales WHERE school_id = :school` + db.When(pattern != "", ` AND search LIKE :search ESCAPE '\'`),
		Sorts:   map[string]string{"name": "search", "createdAt": "id"},
		Default: "name",
	}, in.Request, db.Args{"search": pattern})
}

type scaleChange struct {
	ID        id.ID   `path:"id"`
	Name      *string `json:"name" maxLength:"100" pattern:"\\S" patternHint:"must not be blank"`
	Bands     *[]Band `json:"bands" minItems:"1" maxItems:"50"`
	IsDefault *bool   `json:"isDefault" doc:"True makes it the school's default; false leaves the school without one."`
	Version   *int    `json:"version" doc:"The version you read; 409 if it has changed since."`
}

// Check validates the fields together.
func (in *scaleChange) Check() error {
	if in.Bands == nil {
		return nil
	}
	return checkBands(*in.Bands)
}

// updateScale changes a scale. Results that are published keep their grades.
func (s *Service) updateScale(ctx context.Context, who actor.Actor, in scaleChange) (after Scale, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lockScales(ctx, tx); err != nil {
			return err
		}
		before, err := getScale(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := fault.SameVersion(in.Version, before.Version); err != nil {
			return err
		}
		after = in.apply(before)
		after.UpdatedAt = s.Now()
		if err := onlyDefault(ctx, tx, after, after.UpdatedAt); err != nil {
			return err
		}
		_, err = db.Exec(ctx, tx, `
			UPDATE grade_scales SET name = :name, search = :search, is_default = :is_default, bands = :bands, version = :version, updated_at = :now
			WHERE school_id = :school AND id = :id`, scaleArgs(after))
		if err != nil {
			return scaleFault("update grade scale", err)
		}
		return s.Audit.Record(ctx, tx, who, "gradeScale.update", "gradeScale", in.ID, before, after)
	})
	return after, err
}

func (in scaleChange) apply(sc Scale) Scale {
	if in.Name != nil {
		sc.Name = strings.TrimSpace(*in.Name)
	}
	if in.Bands != nil {
		sc.Bands.V = *in.Bands
	}
	if in.IsDefault != nil {
		sc.IsDefault = *in.IsDefault
	}
	sc.Version++
	return sc
}

func (s *Service) deleteScale(ctx context.Context, who actor.Actor, in idIn) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lockScales(ctx, tx); err != nil {
			return err
		}
		before, err := getScale(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		_, err = db.Exec(ctx, tx, `DELETE FROM grade_scales WHERE school_id = :school AND id = :id`, db.Args{"id": in.ID})
		switch {
		case db.IsReference(err):
			return errScaleUsed.Because(err)
		case err != nil:
			return fmt.Errorf("delete grade scale: %w", err)
		}
		return s.Audit.Record(ctx, tx, who, "gradeScale.delete", "gradeScale", in.ID, before, nil)
	})
}
