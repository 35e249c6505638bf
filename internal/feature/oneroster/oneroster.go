// Package oneroster gives the rosters of a school to the systems that it already has, such
// as learning platforms and library systems, as OneRoster 1.2: as CSV files, which an
// administrator saves, and by REST, which a system reads with a key.
//
// Package roster has the records. keys.go has the keys of systems, token.go exchanges one
// for an access token, rest.go reads records, ask.go parses what is asked for.
package oneroster

import (
	"context"
	"errors"
	"io"
	"slices"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/oneroster/roster"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// zipType is the media type of the export.
const zipType = "application/zip"

var (
	errNoYear    = fault.Missing("academic year")
	errNoCurrent = fault.New(fault.Conflict, "", "The school has no current academic year. Choose one, or activate one first.")
	errMayNot    = fault.Denied("An export needs the permission to read students, staff, classes and subjects.")
)

// modules are what an export, and each read with a key, needs permission to read.
var modules = []string{"student", "employee", "class", "division", "subject"}

// Service exports a school's rosters.
type Service struct {
	DB        *db.DB
	Audit     *audit.Service
	Notify    *notification.Service
	Keys      Sealer
	Now       clock.Now
	NewID     id.Source
	Rand      io.Reader
	PublicURL string
}

// Sealer encrypts access tokens for a purpose, which is needed to decrypt.
type Sealer interface {
	Seal(purpose string, plain []byte) (string, error)
	Open(purpose, sealed string) ([]byte, error)
}

// mayRead reports whether a role may read all that the rosters have.
func mayRead(g actor.Grants) bool {
	return !slices.ContainsFunc(modules, func(m string) bool { return g[m]&actor.Read == 0 })
}

type exportIn struct {
	AcademicYearID *id.ID `json:"academicYearId" doc:"Default: the current year."`
}

func (s *Service) export(ctx context.Context, who actor.Actor, in exportIn) (web.File, error) {
	if !mayRead(who.Grants) {
		return web.File{}, errMayNot
	}
	y, err := roster.GetYear(ctx, s.DB.School(who.School), in.AcademicYearID)
	switch {
	case errors.Is(err, db.ErrNotFound) && in.AcademicYearID == nil:
		return web.File{}, errNoCurrent
	case err != nil:
		return web.File{}, db.Found("read academic year", err, errNoYear)
	}
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		return s.Audit.Record(ctx, tx, who, "oneroster.export", "academic-year", y.ID, nil, nil)
	})
	if err != nil {
		return web.File{}, err
	}
	return web.File{Name: "oneroster.zip", Type: zipType, Write: func(ctx context.Context, w io.Writer) error {
		return s.DB.Snapshot(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
			return roster.WriteCSV(ctx, tx, y, w)
		})
	}}, nil
}
