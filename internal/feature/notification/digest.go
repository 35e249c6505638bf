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
)

// Of several pushes of one type to one topic the first leaves at once and opens a
// window; those that come while it is open wait, and leave as one at its end. Rows
// and job are written in the transaction of what they tell of, so that a crash
// neither loses nor doubles any. Two that come at the very same time may both leave
// at once: they don't wait for each other.

// gathers tells which types are gathered. Whether a child has arrived does not
// wait, where the bus is neither, and of messages each has something to say.
func gathers(of Type) bool {
	switch of {
	case Attendance, Transport, Message:
		return false
	}
	return true
}

// slip is a row: a push that opened a window, or one that waits in it.
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

// gather returns those that leave at once; what it keeps back leaves with the
// window's end.
func (s *Service) gather(ctx context.Context, tx *db.Tx, a audience, due []pushed) ([]pushed, error) {
	length := time.Duration(a.school.DigestMinutes) * time.Minute
	if length == 0 || !slices.ContainsFunc(due, func(p pushed) bool { return gathers(p.Type) }) {
		return due, nil
	}
	open, err := openWindows(ctx, tx, due, a.now)
	if err != nil {
		return nil, err
	}
	var now []pushed
	var slips []slip
	for _, p := range due {
		if !gathers(p.Type) {
			now = append(now, p)
			continue
		}
		k := windowKey{p.Topic, p.Type}
		until, waits := open[k]
		if !waits {
			until = ending(a.now, length, p.at)
			open[k] = until
			now = append(now, p)
		}
		slips = append(slips, slip{s.NewID(), p.Topic, p.Type, waits, until, ref(p.Record), ref(p.Student), db.JSON[[]id.ID]{V: append([]id.ID{}, p.listeners()...)}})
	}
	return now, s.putSlips(ctx, tx, slips, a.now)
}

// openWindows tells when the windows of the pushes end that are open. One that is
// over is still open while its job has yet to come.
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
		return nil, fmt.Errorf("read what is gathered: %w", err)
	}
	return open, nil
}

// ending is when a window that opens now ends: with what it holds back, and on a
// whole minute, so that few jobs serve many windows.
func ending(now time.Time, length time.Duration, held time.Time) time.Time {
	end := now.Add(length)
	if held.After(end) {
		end = held
	}
	if whole := end.Truncate(time.Minute); whole.Before(end) {
		end = whole.Add(time.Minute)
	}
	return end
}

// putSlips writes the rows, and the jobs that take them away.
func (s *Service) putSlips(ctx context.Context, tx *db.Tx, slips []slip, now time.Time) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO push_digests (school_id, id, topic, type, gathered, until, record_id, student_id, users)
		VALUES (:school, :id, :topic, :type, :gathered, :until, :record_id, :student_id, :users)`, slips)
	if err != nil {
		return fmt.Errorf("gather pushes: %w", err)
	}
	ends := map[time.Time]bool{}
	for _, w := range slips {
		ends[w.Until] = true
	}
	for end := range ends { // whole minutes of one window's length: few
		if err := jobs.Enqueue(ctx, tx, now, digest{end}, jobs.At(end)); err != nil {
			return err
		}
	}
	return nil
}

// digest is the job that closes the windows of a school that end by a time.
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
		windows := counted(over)
		if len(windows) == 0 {
			return nil
		}
		var users []id.ID
		for _, w := range windows {
			users = append(users, w.newest.Users.V...)
		}
		a, err := audienceOf(ctx, tx, users, now)
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

// window is how much waited of one type for one topic, and the newest of it.
type window struct {
	newest slip
	n      int
}

// counted are the windows in which something waited.
func counted(over []slip) []window {
	over = slices.DeleteFunc(over, func(w slip) bool { return !w.Gathered })
	slices.SortFunc(over, func(x, y slip) int {
		return cmp.Or(cmp.Compare(x.Topic, y.Topic), cmp.Compare(x.Type, y.Type), cmp.Compare(x.ID, y.ID))
	})
	var out []window
	for _, w := range over {
		if last := len(out) - 1; last >= 0 && out[last].newest.Topic == w.Topic && out[last].newest.Type == w.Type {
			out[last] = window{w, out[last].n + 1}
			continue
		}
		out = append(out, window{w, 1})
	}
	return out
}

// digests are the pushes that say how much there is.
func (a audience) digests(windows []window) (out []pushed) {
	for _, w := range windows {
		n := Notice{Topic: w.newest.Topic, Type: w.newest.Type, Users: w.newest.Users.V}
		if r := w.newest.RecordID; r != nil {
			n.Record = *r
		}
		if r := w.newest.StudentID; r != nil {
			n.Student = *r
		}
		if at, leaves := a.when(n); leaves {
			out = append(out, pushed{n, at, w.n})
		}
	}
	return out
}
