package system

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/web"
)

const (
	keepLoad = 7 * 24 * time.Hour
	steps    = 144 // of a chart: ten minutes each over a day
)

// minute is what this node counts.
type minute struct {
	at     time.Time  // its start; zero before the first beat
	before web.Counts // at its start
}

// row is a minute of a node.
type row struct {
	At          time.Time
	Failed      int64
	Buckets     db.JSON[[]int64]
	Sockets     int
	JobsWaiting int
}

// countMinute writes the load of the minute that has ended, if one has.
func (s *Service) countMinute(ctx context.Context, now time.Time, load Load) error {
	at, counts := now.Truncate(time.Minute), s.Counts()
	if s.minute.at.IsZero() {
		s.minute = minute{at, counts}
	}
	if !at.After(s.minute.at) {
		return nil
	}
	queue, err := s.Queue().Stats(ctx)
	if err != nil {
		return fmt.Errorf("count waiting jobs: %w", err)
	}
	r := row{At: s.minute.at, Failed: counts.Failed - s.minute.before.Failed, Sockets: load.Sockets, JobsWaiting: queue.Waiting}
	r.Buckets.V = make([]int64, len(counts.Buckets))
	for i, n := range counts.Buckets {
		r.Buckets.V[i] = n - s.minute.before.Buckets[i]
	}
	_, err = db.Exec(ctx, s.across(), `
		INSERT INTO node_minutes (at, node_id, failed, buckets, sockets, jobs_waiting)
		VALUES (:at, :node, :failed, :buckets, :sockets, :waiting) ON CONFLICT (at, node_id) DO NOTHING`,
		db.Args{"at": r.At, "node": s.node, "failed": r.Failed, "buckets": r.Buckets, "sockets": r.Sockets, "waiting": r.JobsWaiting})
	if err != nil {
		return fmt.Errorf("write the load of a minute: %w", err)
	}
	s.minute = minute{at, counts}
	return nil
}

type metricsIn struct {
	Hours int `json:"hours" minimum:"1" maximum:"168" default:"24"`
}

type metricsOut struct {
	StepSeconds int     `json:"stepSeconds"`
	Points      []Point `json:"points" doc:"One per step, oldest first. The last one is not over yet."`
}

// Point is the load of all nodes in one step.
type Point struct {
	At          time.Time `json:"at" doc:"The start of the step."`
	Requests    *float64  `json:"requestsPerSecond" doc:"Null if no node has reported."`
	ErrorShare  *float64  `json:"errorShare" doc:"Requests answered with status 500 or above, from 0 to 1; null without requests."`
	P50         *float64  `json:"p50" doc:"Half of the responses took at most this long, in milliseconds, estimated; null without requests."`
	P99         *float64  `json:"p99" doc:"The same for 99 of 100."`
	Sockets     *int      `json:"sockets" doc:"The most at a time; null if no node has reported."`
	JobsWaiting *int      `json:"jobsWaiting" doc:"The same."`
}

// metrics sums the load of all nodes.
func (s *Service) metrics(ctx context.Context, _ actor.Actor, in metricsIn) (metricsOut, error) {
	if in.Hours == 0 {
		in.Hours = 24
	}
	span := time.Duration(in.Hours) * time.Hour
	step := max(span/steps, time.Minute).Truncate(time.Minute)
	end := s.Now().Truncate(step).Add(step)
	from := end.Add(-span)
	sums := make([]sum, span/step)
	err := db.Each(ctx, s.across(), `
		SELECT at, failed, buckets, sockets, jobs_waiting FROM node_minutes WHERE at >= :from AND at < :end ORDER BY at`,
		db.Args{"from": from, "end": end}, func(r row) error {
			if i := int(r.At.Sub(from) / step); i < len(sums) {
				sums[i].add(r)
			}
			return nil
		})
	if err != nil {
		return metricsOut{}, fmt.Errorf("read the load: %w", err)
	}
	out := metricsOut{StepSeconds: int(step.Seconds()), Points: make([]Point, len(sums))}
	for i := range sums {
		out.Points[i] = sums[i].point(from.Add(time.Duration(i) * step))
	}
	return out, nil
}

// sum adds up the minutes of a step.
type sum struct {
	minutes int // different ones
	last    time.Time
	failed  int64
	buckets [len(web.Buckets) + 1]int64
	sockets int // of the minute last, over all nodes
	most    int
	waiting int
}

func (s *sum) add(r row) {
	if !r.At.Equal(s.last) {
		s.minutes, s.last, s.sockets = s.minutes+1, r.At, 0
	}
	s.failed += r.Failed
	for i := range min(len(r.Buckets.V), len(s.buckets)) {
		s.buckets[i] += r.Buckets.V[i]
	}
	s.sockets += r.Sockets
	s.most, s.waiting = max(s.most, s.sockets), max(s.waiting, r.JobsWaiting)
}

func (s *sum) point(at time.Time) Point {
	p := Point{At: at}
	if s.minutes == 0 {
		return p
	}
	var all int64
	for _, n := range s.buckets {
		all += n
	}
	p.Requests, p.Sockets, p.JobsWaiting = new(float64(all)/(float64(s.minutes)*60)), &s.most, &s.waiting
	if all > 0 {
		p.ErrorShare, p.P50, p.P99 = new(float64(s.failed)/float64(all)), new(s.quantile(all, 0.5)), new(s.quantile(all, 0.99))
	}
	return p
}

// quantile estimates a response time in milliseconds: evenly within its bucket, as
// Prometheus does.
func (s *sum) quantile(all int64, q float64) float64 {
	rank, below, lower := q*float64(all), 0.0, 0.0
	for i, n := range s.buckets {
		if i == len(web.Buckets) {
			break
		}
		upper := web.Buckets[i]
		if below+float64(n) >= rank {
			return 1000 * (lower + (upper-lower)*(rank-below)/float64(n))
		}
		below, lower = below+float64(n), upper
	}
	return 1000 * lower // slower than every bound
}
