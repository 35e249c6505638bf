// Package oneroster exports a school year as OneRoster 1.2 CSV files, which learning
// platforms and library systems read.
//
// A class of the school is a OneRoster course, and each of its divisions a class of type
// homeroom. A subject is a course, too, and each division has a class of type scheduled
// for it. rows.go reads the records, csv.go writes the files.
package oneroster

import (
	"context"
	"errors"
	"io"

	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/actor"
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

// Service exports a school's rosters.
type Service struct {
	DB    *db.DB
	Audit *audit.Service
}

// Routes returns the routes of this feature.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		web.Handle("GET /school-admin/oneroster/export", s.export, web.Read("student"), web.GivesFile(zipType),
			web.Doc("The students, guardians, staff, classes and enrolments of a year as OneRoster 1.2 CSV files.")),
	}
}

type exportIn struct {
	AcademicYearID *id.ID `json:"academicYearId" doc:"Default: the current year."`
}

func (s *Service) export(ctx context.Context, who actor.Actor, in exportIn) (web.File, error) {
	for _, module := range []string{"employee", "class", "division", "subject"} {
		if !who.Can(module, actor.Read) {
			return web.File{}, errMayNot
		}
	}
	y, err := getYear(ctx, s.DB.School(who.School), in.AcademicYearID)
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
			return (&archive{ctx: ctx, tx: tx, school: who.School, year: y}).write(w)
		})
	}}, nil
}
