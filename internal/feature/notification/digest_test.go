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
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/setting", m{"digestMinutes": 10}).OK()
		topic := "student_" + w.mia + "_fee"
		one := notification.Notice{Topic: topic, Type: notification.Fee, Record: w.NewID(), Student: id.ID(w.mia), Title: text.Plain("t"),
			Users: []id.ID{w.una.ID}}
		for range 6 {
			w.send(w.North.ID, one)
			w.Clock.Add(time.Second)
		}
		bodies := func() (out []string) {
			for _, p := range w.pushed() {
				out = append(out, p.Body)
			}
			return out
		}
		first := "There is news about fees. Open the app to read it."
		w.Drain()
		apptest.Eq(t, "at first", bodies(), []string{first})
		w.Clock.Add(11 * time.Minute)
		w.Drain()
		apptest.Eq(t, "after ten minutes", bodies(), []string{first, "5 updates about fees. Open the app to read them."})
		if last := w.pushed()[1]; last.Subject != "Fees" || !strings.Contains(last.Data, string(one.Record)) ||
			!strings.Contains(last.Data, w.mia) {
			t.Errorf("digest: got %+v, want Fees of the last record", last)
		}
		apptest.Eq(t, "in the log", w.Count(`notifications WHERE school_id = :school AND type = 'FEE'`, nil), 6)
		// Quiet hours that began in the meantime delay the digest.
		w.send(w.North.ID, one, one)
		w.Pass(0)
		w.As(w.una, "PUT", path(w.una, "preferences"), m{"quietHours": m{"from": w.Now().Format("15:04"), "to": "22:00"}}).OK()
		w.Clock.Add(11 * time.Minute)
		w.Drain()
		apptest.Eq(t, "held back",
			w.All(`SELECT body FROM deliveries WHERE school_id = :school AND not_before IS NOT NULL`, nil),
			[]string{"1 update about fees. Open the app to read it."})
	})
}

// TestDigestRace sends to two topics from many goroutines at once: no push is lost or
// duplicated, and no row stays behind.
func TestDigestRace(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/setting", m{"digestMinutes": 10}).OK()
		const calls = 12
		var wg sync.WaitGroup
		for i := range calls {
			wg.Go(func() {
				topics := []string{"a", "b"}
				w.send(w.North.ID, notification.Notice{Topic: topics[i%2], Type: notification.Fee, Title: text.Plain("t")},
					notification.Notice{Topic: topics[(i+1)%2], Type: notification.Fee, Title: text.Plain("t")})
			})
		}
		wg.Wait()
		w.Clock.Add(11 * time.Minute)
		w.Drain()
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
		apptest.Eq(t, "rows are left", w.Count(`push_digests WHERE school_id = :school`, nil), 0)
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
	each(t, func(t *testing.T, w *world) {
		types := []notification.Type{notification.Result, notification.Fee, notification.Transport, notification.Attendance, notification.Message}
		round := 0
		rapid.Check(t, func(r *rapid.T) {
			round++
			g := &gathering{windows: map[string]*open{}}
			set := func(minutes int) {
				w.Pass(0)
				w.Admin("PUT", "/school-admin/setting", m{"digestMinutes": minutes}).OK()
				g.length = time.Duration(minutes) * time.Minute
			}
			set(rapid.SampledFrom([]int{0, 1, 10}).Draw(r, "minutes"))
			before := len(w.pushed())
			for range rapid.IntRange(1, 12).Draw(r, "steps") {
				switch rapid.IntRange(0, 5).Draw(r, "step") {
				case 0:
					w.Clock.Add(time.Duration(rapid.IntRange(0, 900).Draw(r, "seconds")) * time.Second)
				case 1:
					if err := w.Queue.Drain(t.Context()); err != nil {
						r.Fatal(err)
					}
					g.work(w.Now())
				default:
					var notices []notification.Notice
					for range rapid.IntRange(1, 4).Draw(r, "notices") {
						n := notification.Notice{Topic: fmt.Sprint("topic ", round, rapid.IntRange(0, 1).Draw(r, "topic")),
							Type: rapid.SampledFrom(types).Draw(r, "type"), Title: text.Plain("t")}
						notices = append(notices, n)
						g.send(n.Topic+" "+string(n.Type), w.Now(), n.Type == notification.Result || n.Type == notification.Fee)
					}
					w.send(w.North.ID, notices...)
				}
			}
			w.Clock.Add(20 * time.Minute)
			if err := w.Queue.Drain(t.Context()); err != nil {
				r.Fatal(err)
			}
			g.work(w.Now())
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
