package report

import (
	"context"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Job is a background job without its payload, for super-administrators.
type Job struct {
	ID         id.ID      `json:"id"`
	SchoolID   id.ID      `json:"schoolId"`
	Kind       string     `json:"kind" example:"notify.send"`
	State      jobs.State `json:"state" enum:"waiting,running,done,dead"`
	Attempts   int        `json:"attempts"`
	LastError  *string    `json:"lastError"`
	RunAt      time.Time  `json:"runAt" doc:"The next attempt, or the last one."`
	CreatedAt  time.Time  `json:"createdAt"`
	FinishedAt *time.Time `json:"finishedAt"`
}

func (s *Service) jobRoutes() []web.Route {
	return []web.Route{
		web.Handle("GET /super-admin/job/list", s.jobs, web.Read("report"), web.List("createdAt", "runAt", "kind"),
			web.Doc("Background jobs of all schools. Default: dead ones, whose attempts have all failed.")),
		web.Handle("POST /super-admin/job/retry", s.retry, web.Write("report"), web.Says("The job is tried again."),
			web.Doc("Retries a dead job.")),
	}
}

type jobFilters struct {
	State    jobs.State `json:"state" enum:"waiting,running,done,dead" default:"dead"`
	SchoolID id.ID      `json:"schoolId,omitempty"`
}

func (s *Service) jobs(ctx context.Context, _ actor.Actor, in page.Ask[jobFilters]) (page.Of[Job], error) {
	if in.Filters.State == "" {
		in.Filters.State = jobs.Dead
	}
	found, err := s.Queue().List(ctx, in.Filters.SchoolID, in.Filters.State, in.Request)
	if err != nil {
		return page.Of[Job]{}, err
	}
	out := make([]Job, len(found.Items))
	for i, r := range found.Items {
		out[i] = Job{ID: r.ID, SchoolID: r.School, Kind: r.Kind, State: r.State, Attempts: r.Attempts, LastError: r.LastError,
			RunAt: r.RunAt, CreatedAt: r.CreatedAt, FinishedAt: r.FinishedAt}
	}
	return page.New(in.Clamp(), out, found.Total), nil
}

type retryIn struct {
	SchoolID id.ID `json:"schoolId" required:"true"`
	JobID    id.ID `json:"jobId" required:"true"`
}

func (s *Service) retry(ctx context.Context, _ actor.Actor, in retryIn) (web.None, error) {
	return web.None{}, s.Queue().Retry(ctx, in.SchoolID, in.JobID)
}
