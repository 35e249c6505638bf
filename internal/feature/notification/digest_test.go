package notification_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

func TestDigest(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := newWorld(t, s)
		w.do(s.North.Admin, "PUT", "/school-admin/setting", m{"digestMinutes": 10})
		topic := "student_" + w.mia + "_result"
		one := notification.Notice{Topic: topic, Type: notification.Result, Record: s.NewID(), Student: id.ID(w.mia), Title: text.Plain("t"),
			Users: []id.ID{w.una.ID}}
		for range 6 {
			send(t, s, s.North.ID, one)
			s.Clock.Add(time.Second)
		}
		bodies := func() (out []string) {
			for _, p := range w.pushed() {
				out = append(out, p.Body)
			}
			return out
		}
		drain := func() {
			t.Helper()
			if err := s.Queue.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		first := "There is news about results. Open the app to read it."
		drain()
		if got := bodies(); !slices.Equal(got, []string{first}) {
			t.Errorf("at first: %q", got)
		}
		s.Clock.Add(11 * time.Minute)
		drain()
		if got := bodies(); !slices.Equal(got, []string{first, "5 new results. Open the app to see them."}) {
			t.Errorf("after ten minutes: %q", got)
		}
		if last := w.pushed()[1]; last.Subject != "Results" || !strings.Contains(last.Data, string(one.Record)) ||
			!strings.Contains(last.Data, w.mia) {
			t.Errorf("digest: got %+v, want Results of the last record", last)
		}
		if n := count(t, s, s.North.ID, `notifications WHERE school_id = :school AND type = 'RESULT'`, nil); n != 6 {
			t.Errorf("%d in the log, want all", n)
		}
		// Quiet hours that began in the meantime delay the digest.
		send(t, s, s.North.ID, one, one)
		w.pass(0)
		w.do(w.una, "PUT", path(w.una, "preferences"), m{"quietHours": m{"from": s.Now().Format("15:04"), "to": "22:00"}})
		s.Clock.Add(11 * time.Minute)
		drain()
		if got := w.all(`SELECT body FROM deliveries WHERE school_id = :school AND not_before IS NOT NULL`, nil); !slices.Equal(got,
			[]string{"1 new result. Open the app to see it."}) {
			t.Errorf("held back: %q", got)
		}
	})
}

// TestDigestRace sends to two topics from many goroutines at once: no push is lost or
// duplicated, and no row stays behind.
func TestDigestRace(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := newWorld(t, s)
		w.do(s.North.Admin, "PUT", "/school-admin/setting", m{"digestMinutes": 10})
		const calls = 12
		var wg sync.WaitGroup
		for i := range calls {
			wg.Go(func() {
				topics := []string{"a", "b"}
				send(t, s, s.North.ID, notification.Notice{Topic: topics[i%2], Type: notification.Fee, Title: text.Plain("t")},
					notification.Notice{Topic: topics[(i+1)%2], Type: notification.Fee, Title: text.Plain("t")})
			})
		}
		wg.Wait()
		s.Clock.Add(11 * time.Minute)
		if err := s.Queue.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		told, digests := map[string]int{}, map[string]int{}
		for _, p := range w.pushed() {
			n := 1
			if strings.Contains(p.Body, " update") {
				_, _ = fmt.Sscan(p.Body, &n)
				digests[p.ToAddr]++
			}
			told[p.ToAddr] += n
		}
		for _, topic := range []string{"a", "b"} {
			if told[topic] != calls || digests[topic] > 1 {
				t.Errorf("%s was told of %d, in %d digests, want %d in one", topic, told[topic], digests[topic], calls)
			}
		}
		if n := count(t, s, s.North.ID, `push_digests WHERE school_id = :school`, nil); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// gathering is a simple model of digests.
type gathering struct {
	length  time.Duration
	windows map[string]*open
	sent    []string
}

type open struct {
	until time.Time
	more  int
}

func (g *gathering) send(key string, now time.Time, gathers bool) {
	w := g.windows[key]
	switch {
	case !gathers || g.length == 0:
		g.sent = append(g.sent, key)
	case w != nil && (w.more > 0 || w.until.After(now)):
		w.more++
	default:
		g.sent = append(g.sent, key)
		end := now.Add(g.length)
		if end.Truncate(time.Minute) != end {
			end = end.Truncate(time.Minute).Add(time.Minute)
		}
		g.windows[key] = &open{until: end}
	}
}

// work runs the due jobs.
func (g *gathering) work(now time.Time) {
	for key, w := range g.windows {
		if w.more > 0 && !w.until.After(now) {
			g.sent = append(g.sent, fmt.Sprint(key, " +", w.more))
			delete(g.windows, key)
		}
	}
}

// TestDigestModel compares random sends, with a queue that runs now and then, with
// the model.
func TestDigestModel(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := newWorld(t, s)
		types := []notification.Type{notification.Result, notification.Fee, notification.Transport, notification.Attendance, notification.Message}
		round := 0
		rapid.Check(t, func(r *rapid.T) {
			round++
			g := &gathering{windows: map[string]*open{}}
			set := func(minutes int) {
				w.pass(0)
				w.do(s.North.Admin, "PUT", "/school-admin/setting", m{"digestMinutes": minutes})
				g.length = time.Duration(minutes) * time.Minute
			}
			set(rapid.SampledFrom([]int{0, 1, 10}).Draw(r, "minutes"))
			before := len(w.pushed())
			for range rapid.IntRange(1, 12).Draw(r, "steps") {
				switch rapid.IntRange(0, 5).Draw(r, "step") {
				case 0:
					s.Clock.Add(time.Duration(rapid.IntRange(0, 900).Draw(r, "seconds")) * time.Second)
				case 1:
					if err := s.Queue.Drain(t.Context()); err != nil {
						r.Fatal(err)
					}
					g.work(s.Now())
				default:
					var notices []notification.Notice
					for range rapid.IntRange(1, 4).Draw(r, "notices") {
						n := notification.Notice{Topic: fmt.Sprint("topic ", round, rapid.IntRange(0, 1).Draw(r, "topic")),
							Type: rapid.SampledFrom(types).Draw(r, "type"), Title: text.Plain("t")}
						notices = append(notices, n)
						g.send(n.Topic+" "+string(n.Type), s.Now(), n.Type == notification.Result || n.Type == notification.Fee)
					}
					send(t, s, s.North.ID, notices...)
				}
			}
			s.Clock.Add(20 * time.Minute)
			if err := s.Queue.Drain(t.Context()); err != nil {
				r.Fatal(err)
			}
			g.work(s.Now())
			var got []string
			for _, p := range w.pushed()[before:] {
				key := p.ToAddr + " " + typeOf(p)
				if n := 0; strings.Contains(p.Body, " new result") || strings.Contains(p.Body, " update") {
					_, _ = fmt.Sscan(p.Body, &n)
					key = fmt.Sprint(key, " +", n)
				}
				got = append(got, key)
			}
			slices.Sort(got)
			slices.Sort(g.sent)
			if !slices.Equal(got, g.sent) {
				r.Fatalf("sent\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(g.sent, "\n"))
			}
		})
	})
}

func typeOf(p queued) string {
	for _, of := range notification.Types {
		if strings.Contains(p.Data, `"`+string(of)+`"`) {
			return string(of)
		}
	}
	return ""
}
