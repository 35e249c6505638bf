package notification

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/opt"
)

// The first push of a type to a topic is sent at once and opens a window. Later ones
// wait and are sent as one digest when the window ends. Rows and job are written in
// the notice's transaction, so a crash neither loses nor duplicates any. Two
// concurrent first pushes may both be sent at once: they don't lock each other. A digest
// may wait, too (quiet hours, retries): what is left of its news is counted again right
// before it is sent (tally.go).

// digested reports whether pushes of the notice are combined into digests. Attendance,
// bus positions and what is urgent can't wait, and each message matters by itself.
func (n Notice) digested() bool {
	switch n.Type {
	case Attendance, Transport, Message:
		return false
	}
	return !n.Urgent
}

// slip is a row of push_digests: a push that opened a window, or waits in it.
type slip struct {
	ID        id.ID
	Topic     string
	Type      Type
	Gathered  bool
	Until     time.Time
	RecordID  *id.ID
	StudentID *id.ID
	Users     db.JSON[[]id.ID]
}

type windowKey struct {
	topic string
	of    Type
}

// gather returns the pushes to send at once and stores the others for the digest.
func (s *Service) gather(ctx context.Context, tx *db.Tx, a audience, due []pushed) ([]pushed, error) {
	length := time.Duration(a.school.DigestMinutes) * time.Minute
	if length == 0 || !slices.ContainsFunc(due, func(p pushed) bool { return p.digested() }) {
		return due, nil
	}
	open, err := openWindows(ctx, tx, due, a.now)
	if err != nil {
		return nil, err
	}
	var now []pushed
	var slips []slip
	for _, p := range due {
		if !p.digested() {
			now = append(now, p)
			continue
		}
		k := windowKey{p.Topic, p.Type}
		until, waits := open[k]
		if !waits {
			until = windowEnd(a.now, length, p.at)
			open[k] = until
			now = append(now, p)
		}
		slips = append(slips, slip{s.NewID(), p.Topic, p.Type, waits, until, ref(p.Record), ref(p.Student),
			db.JSON[[]id.ID]{V: append([]id.ID{}, p.listeners()...)}})
	}
	return now, s.putSlips(ctx, tx, slips, a.now)
}

// openWindows returns the ends of the open windows. A window with waiting pushes
// stays open until its job has run.
func openWindows(ctx context.Context, q db.Q, due []pushed, now time.Time) (map[windowKey]time.Time, error) {
	topics := make([]string, len(due))
	for i, p := range due {
		topics[i] = p.Topic
	}
	open := map[windowKey]time.Time{}
	err := db.Each(ctx, q, `
		SELECT DISTINCT topic, type, until FROM push_digests
		WHERE school_id = :school AND topic IN (:topics) AND (until > :now OR gathered)`,
		db.Args{"topics": topics, "now": now}, func(w slip) error {
			if k := (windowKey{w.Topic, w.Type}); w.Until.After(open[k]) {
				open[k] = w.Until
			}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read push digests: %w", err)
	}
	return open, nil
}

// windowEnd returns when a window that opens now ends: not before held, and on a whole
// minute, so that one job serves many windows.
func windowEnd(now time.Time, length time.Duration, held time.Time) time.Time {
	end := now.Add(length)
	if held.After(end) {
		end = held
	}
	if whole := end.Truncate(time.Minute); whole.Before(end) {
		end = whole.Add(time.Minute)
	}
	return end
}

// putSlips inserts the rows and the jobs that process them.
func (s *Service) putSlips(ctx context.Context, tx *db.Tx, slips []slip, now time.Time) error {
	_, err := db.Insert(ctx, tx.Later(), `
		INSERT INTO push_digests (school_id, id, topic, type, gathered, until, record_id, student_id, users)
		VALUES (:school, :id, :topic, :type, :gathered, :until, :record_id, :student_id, :users)`, slips)
	if err != nil {
		return fmt.Errorf("insert push digests: %w", err)
	}
	ends := map[time.Time]bool{}
	for _, w := range slips {
		ends[w.Until] = true
	}
	for end := range ends { // few: whole minutes
		if err := jobs.Enqueue(ctx, tx, now, digest{end}, jobs.At(end)); err != nil {
			return err
		}
	}
	return nil
}

// digest is the job that closes a school's windows ending by Until.
type digest struct {
	Until time.Time `json:"until"`
}

// Kind names the job.
func (digest) Kind() string { return "notification.digest" }

// Workers are the workers that close windows.
func (s *Service) Workers() []jobs.Worker { return []jobs.Worker{jobs.Work(s.closeWindows)} }

func (s *Service) closeWindows(ctx context.Context, school id.ID, d digest) error {
	now := s.Now()
	if now.Before(d.Until) { // another node's clock is ahead
		now = d.Until
	}
	return s.DB.InSchool(ctx, school, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "push digests"); err != nil {
			return fmt.Errorf("lock windows: %w", err)
		}
		over, err := db.All[slip](ctx, tx, `
			DELETE FROM push_digests WHERE school_id = :school AND until <= :now
			RETURNING id, topic, type, gathered, record_id, student_id, users`, db.Args{"now": now})
		if err != nil {
			return fmt.Errorf("close windows: %w", err)
		}
		windows := groupByTopic(over)
		if len(windows) == 0 {
			return nil
		}
		notices := make([]Notice, len(windows))
		for i, w := range windows {
			notices[i] = w.newest().notice()
		}
		a, err := audienceOf(ctx, tx, notices, now)
		if err != nil {
			return err
		}
		out, err := s.addressed(ctx, tx, a, a.digests(windows), map[id.ID]int{})
		if err != nil {
			return err
		}
		return s.sendAll(ctx, tx, school, out)
	})
}

// window is the waiting pushes of one type and topic, in order.
type window []slip

func (w window) newest() slip { return w[len(w)-1] }

// groupByTopic groups the waiting pushes by topic and type.
func groupByTopic(over []slip) []window {
	over = slices.DeleteFunc(over, func(w slip) bool { return !w.Gathered })
	slices.SortFunc(over, func(x, y slip) int {
		return cmp.Or(cmp.Compare(x.Topic, y.Topic), cmp.Compare(x.Type, y.Type), cmp.Compare(x.ID, y.ID))
	})
	var out []window
	for _, w := range over {
		if last := len(out) - 1; last >= 0 && out[last].newest().Topic == w.Topic && out[last].newest().Type == w.Type {
			out[last] = append(out[last], w)
			continue
		}
		out = append(out, window{w})
	}
	return out
}

// notice returns what is left of the notice, which is enough for a digest.
func (w slip) notice() Notice {
	return Notice{Topic: w.Topic, Type: w.Type, Users: w.Users.V, Record: opt.Value(w.RecordID), Student: opt.Value(w.StudentID)}
}

// digests returns one push per window.
func (a audience) digests(windows []window) (out []pushed) {
	for _, w := range windows {
		n := w.newest().notice()
		if at, send := a.when(n); send {
			out = append(out, pushed{n, at, w})
		}
	}
	return out
}
