package notify_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/page"
)

func TestNotBefore(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		morning := k.now.Add(8 * time.Hour)
		k.send(notify.Message{Channel: notify.Push, To: "later", At: morning, Lang: "es"},
			notify.Message{Channel: notify.Push, To: "now"},
			notify.Message{Channel: notify.Push, To: "long ago", At: k.now.Add(-time.Hour)})
		k.drain()
		waiting := k.deliveries(notify.Filter{Status: notify.Queued})
		if len(waiting) != 1 || waiting[0].To != "later" || !waiting[0].NotBefore.Equal(morning) || len(k.fake.took) != 2 {
			t.Fatalf("waiting %+v, sent %d", waiting, len(k.fake.took))
		}
		for _, d := range k.deliveries(notify.Filter{Status: notify.Sent}) {
			if d.NotBefore != nil {
				t.Errorf("%s waits for %s", d.To, d.NotBefore)
			}
		}
		k.now = morning.Add(-time.Second)
		k.drain()
		if len(k.fake.took) != 2 {
			t.Fatal("sent too soon")
		}
		k.now = morning
		k.drain()
		if last := k.fake.took[len(k.fake.took)-1]; len(k.fake.took) != 3 || last.To != "later" || last.Lang != "es" {
			t.Fatalf("sent %+v", k.fake.took)
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		k.fake.fail = func(m notify.Message) error {
			if strings.HasSuffix(m.To, "7") {
				return jobs.Permanent(errBusy)
			}
			return nil
		}
		all := make([]notify.Message, 500)
		for i := range all {
			all[i] = notify.Message{Channel: notify.Push, To: fmt.Sprint("topic", i)}
		}
		k.must(k.DB.InSchool(t.Context(), k.school, func(ctx context.Context, tx *db.Tx) error { return k.SendAll(ctx, tx, k.school, all) }))
		k.drain()
		seen := map[string]int{}
		for _, m := range k.fake.took {
			seen[m.To]++
		}
		failed := k.deliveries(notify.Filter{Status: notify.Failed})
		if len(seen) != 450 || len(k.fake.took) != 450 || len(failed) != 50 {
			t.Fatalf("%d different of %d were sent, %d failed", len(seen), len(k.fake.took), len(failed))
		}
	})
}

func TestRetry(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		k.fake.fail = func(notify.Message) error { return jobs.Permanent(errBusy) }
		k.send(notify.Message{Channel: notify.SMS, To: "+15550100001", Body: "Hello"})
		queued := k.only().ID
		if _, err := k.retry(k.school, queued); !errors.Is(err, notify.ErrNotFailed) {
			t.Fatalf("of a queued one: %v", err)
		}
		k.drain()
		if _, err := k.retry(id.New(), queued); !errors.Is(err, notify.ErrNoDelivery) {
			t.Fatalf("from another school: %v", err)
		}
		k.fake.fail = nil
		d, err := k.retry(k.school, queued)
		if err != nil || d.Status != notify.Queued || d.Attempts != 1 || d.ID != queued {
			t.Fatalf("retry: got %+v, %v", d, err)
		}
		if _, err := k.retry(k.school, queued); !errors.Is(err, notify.ErrNotFailed) {
			t.Fatalf("twice: %v", err)
		}
		k.drain()
		if d := k.only(); d.Status != notify.Sent || d.Attempts != 2 || len(k.fake.took) != 1 {
			t.Fatalf("after the retry: %+v, sent %d times", d, len(k.fake.took))
		}
		// Retrying the dead job of the first attempt too sends nothing more.
		dead, err := k.queue.List(t.Context(), k.school, jobs.Dead, page.Request{Page: 1, Limit: 10})
		k.must(err)
		k.must(k.queue.Retry(t.Context(), k.school, dead.Items[0].ID))
		k.drain()
		if len(k.fake.took) != 1 {
			t.Fatalf("sent %d times", len(k.fake.took))
		}
	})
}

func TestRetryOfWhatIsForgotten(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		k.fake.fail = func(notify.Message) error { return jobs.Permanent(errBusy) }
		k.send(secretMessage())
		k.drain()
		if _, err := k.retry(k.school, k.only().ID); !errors.Is(err, notify.ErrForgotten) {
			t.Fatalf("a secret: %v", err)
		}
		user := id.New()
		k.send(notify.Message{Channel: notify.Email, To: "a@b.test", Body: "Hello", User: user})
		k.drain()
		k.must(k.DB.InSchool(t.Context(), k.school, func(ctx context.Context, tx *db.Tx) error {
			return notify.Blank(ctx, tx, notify.Traces{Users: []id.ID{user}, About: id.New()})
		}))
		for _, d := range k.deliveries(notify.Filter{}) {
			if _, err := k.retry(k.school, d.ID); !errors.Is(err, notify.ErrForgotten) {
				t.Errorf("%s: %v", d.Channel, err)
			}
		}
	})
}

func TestGone(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		var gone []string
		k.Gone = func(_ context.Context, school id.ID, c notify.Channel, address string) error {
			gone = append(gone, fmt.Sprintf("%v %s %s", school == k.school, c, address))
			return nil
		}
		k.fake.fail = func(notify.Message) error { return notify.Gone(errors.New("unregistered")) }
		k.send(notify.Message{Channel: notify.Push, To: "token-1", Device: true, Badge: new(3)})
		k.send(notify.Message{Channel: notify.Push, To: "topic-1"})
		k.drain()
		if fmt.Sprint(gone) != "[true push token-1]" {
			t.Errorf("Gone was called for %v", gone)
		}
		for _, d := range k.deliveries(notify.Filter{}) {
			if d.Status != notify.Failed || d.Attempts != 1 || *d.Answer != "unregistered" || strings.Contains(fmt.Sprint(d), "token-1") {
				t.Errorf("delivery to a device that is gone: %+v", d)
			}
		}
		k.fake.fail = nil
		k.send(notify.Message{Channel: notify.Push, To: "token-2", Device: true, Badge: new(3)})
		k.drain()
		if m := k.fake.took[0]; !m.Device || *m.Badge != 3 || m.To != "token-2" {
			t.Errorf("the provider got %+v", m)
		}
	})
}

func TestAProviderThatPanics(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		k.fake.fail = func(m notify.Message) error { panic("can't send " + m.Body) }
		k.send(secretMessage())
		k.drain()
		if d := k.only(); d.Status != notify.Queued || d.Attempts != 1 || !strings.Contains(*d.Answer, "panic") {
			t.Errorf("delivery after a panic: %+v", d)
		}
		if log := k.log.String(); !strings.Contains(log, "a provider panicked") || strings.Contains(log, otp) {
			t.Errorf("the log says %s", log)
		}
	})
}

// retry sends a delivery of the school again.
func (k *kit) retry(school, delivery id.ID) (d notify.Delivery, err error) {
	err = k.DB.InSchool(k.Context(), school, func(ctx context.Context, tx *db.Tx) error {
		d, err = k.Retry(ctx, tx, delivery)
		return err
	})
	return d, err
}
