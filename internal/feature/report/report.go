// Package report serves the numbers of the two dashboards: of a school, and of the
// platform; the office's day; a parent's first page; and what is missing to
// set up a school. It only reads data of other features.
package report

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/feature/file"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/web"
)

const (
	activeFor = 30 * 24 * time.Hour // an active user signed in within this time
	daysAhead = 60                  // days of upcoming holidays
)

// Service serves the dashboards.
type Service struct {
	DB       *db.DB
	Queue    func() *jobs.Queue // a func, because the queue is created after the features
	Requests func() int64       // served by this node since its start
	Now      clock.Now
	Demo     bool // messages in the local outbox count as sent
	Files    *file.Service

	// NeedCover lists today's lessons that need a substitute, by time.
	NeedCover func(ctx context.Context, who actor.Actor) ([]Thing, error)
}

// Routes are the endpoints of this feature.
func (s *Service) Routes() []web.Route {
	return append(s.jobRoutes(),
		web.Handle("GET /school-admin/dashboard/stats", s.school, web.Read("report"), web.Doc("Statistics of the school.")),
		web.Handle("GET /school-admin/dashboard/today", s.day, web.Read("report"),
			web.Doc("The office's day: what needs it, the most urgent first; attendance, absentees, fees, birthdays and running trips.")),
		web.Handle("GET /school-admin/dashboard/setup", s.setup, web.Read("setting"),
			web.Doc("What is still missing to set up the school, in order.")),
		web.Handle("GET /parent/home", s.home, web.Read("student"),
			web.Doc("A parent's first page: where each child is, the week, today's trips, what is to be done, and what is new.")),
		web.Handle("GET /super-admin/dashboard/stats", s.platform, web.Read("report"), web.Doc("Statistics of the platform.")),
	)
}

type schoolOut struct {
	AcademicYear     *school.Year     `json:"academicYear" doc:"The current one; null if there is none."`
	Students         students         `json:"students"`
	Employees        employees        `json:"employees"`
	Classes          int              `json:"classes" doc:"Of the current academic year."`
	Divisions        int              `json:"divisions" doc:"Of the current academic year."`
	Buses            int              `json:"buses" doc:"In service or under repair."`
	UpcomingHolidays []school.Holiday `json:"upcomingHolidays" doc:"In the next 60 days."`
	Today            today            `json:"today"`
}

type students struct {
	Total    int            `json:"total"`
	ByStatus map[string]int `json:"byStatus"`
	ByClass  []classCount   `json:"byClass" doc:"Active students."`
}

type classCount struct {
	ClassID id.ID  `json:"classId"`
	Name    string `json:"name"`
	Count   int    `json:"count"`
}

type employees struct {
	Total  int         `json:"total"`
	ByRole []roleCount `json:"byRole"`
}

type roleCount struct {
	RoleID id.ID      `json:"roleId"`
	Name   string     `json:"name"`
	Type   actor.Role `json:"type"`
	Count  int        `json:"count"`
}

func (s *Service) school(ctx context.Context, who actor.Actor, _ web.None) (out schoolOut, err error) {
	q := s.DB.School(who.School)
	year, err := school.CurrentYear(ctx, q)
	switch {
	case err == nil:
		out.AcademicYear = &year
	case !errors.Is(err, school.ErrNoCurrentYear):
		return out, err
	}
	day := clock.DateIn(s.Now(), who.Zone)
	if out.UpcomingHolidays, err = school.Holidays(ctx, q, day, day.AddDays(daysAhead)); err != nil {
		return out, err
	}
	if out.Today, err = s.today(ctx, q, who, day); err != nil {
		return out, err
	}
	if out.Students, err = countStudents(ctx, q); err != nil {
		return out, fmt.Errorf("count students: %w", err)
	}
	if out.Employees, err = countEmployees(ctx, q); err != nil {
		return out, fmt.Errorf("count employees: %w", err)
	}
	things, err := countThings(ctx, q, year.ID)
	if err != nil {
		return out, fmt.Errorf("count classes and buses: %w", err)
	}
	out.Classes, out.Divisions, out.Buses = things.Classes, things.Divisions, things.Buses
	return out, nil
}

type platformOut struct {
	Schools     schools `json:"schools"`
	Students    int     `json:"students"`
	ActiveUsers int     `json:"activeUsers" doc:"Signed in within the last 30 days."`
	Jobs        jobsOut `json:"jobs"`
	Requests    int64   `json:"requests" doc:"Served by this node since it started."`
}

type schools struct {
	Total     int `json:"total"`
	Active    int `json:"active"`
	Suspended int `json:"suspended"`
}

type jobsOut struct {
	Waiting int `json:"waiting"`
	Failed  int `json:"failed"`
}

func (s *Service) platform(ctx context.Context, _ actor.Actor, _ web.None) (out platformOut, err error) {
	counted, err := countPlatform(ctx, s.DB.Across(unscoped.Permit{}), s.Now().Add(-activeFor))
	if err != nil {
		return out, fmt.Errorf("count schools, students and users: %w", err)
	}
	queue, err := s.Queue().Stats(ctx)
	if err != nil {
		return out, fmt.Errorf("count jobs: %w", err)
	}
	return platformOut{
		Schools:  schools{counted.Active + counted.Suspended, counted.Active, counted.Suspended},
		Students: counted.Students, ActiveUsers: counted.Users,
		Jobs:     jobsOut{queue.Waiting, queue.Dead},
		Requests: s.Requests(),
	}, nil
}
