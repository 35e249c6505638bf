package notify_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
)

// texts sends n text messages.
func (k *kit) texts(n int) {
	k.Helper()
	for i := range n {
		k.send(notify.Message{Channel: notify.SMS, To: fmt.Sprintf("+1555010%04d", i), Body: "Hello"})
	}
	k.drain()
}

func (k *kit) taken() int {
	k.Helper()
	n, err := db.One[int](k.Context(), k.DB.School(k.school),
		`SELECT CAST(COALESCE(SUM(taken), 0) AS BIGINT) FROM delivery_days WHERE school_id = :school`, nil)
	k.must(err)
	return n
}

func TestQuota(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		most, alerts := 0, 0
		k.Quota = func(_ context.Context, school id.ID, c notify.Channel) (notify.Quota, error) {
			if c == notify.Email {
				return notify.Quota{Zone: "Asia/Kolkata"}, nil
			}
			return notify.Quota{Most: most, Zone: "Asia/Kolkata"}, nil
		}
		k.OverQuota = func(ctx context.Context, tx *db.Tx, school id.ID, c notify.Channel, n int) error {
			alerts++
			if c != notify.SMS || n != most || school != k.school {
				t.Errorf("OverQuota: got %s, %d", c, n)
			}
			return k.Send(ctx, tx, school, notify.Message{Channel: notify.SMS, To: "+15550109999", Body: "Over", Urgent: true})
		}
		k.texts(3)
		if len(k.fake.took) != 3 || k.taken() != 0 {
			t.Fatalf("without a limit %d were sent, %d counted", len(k.fake.took), k.taken())
		}
		most = 5
		k.now = k.now.Add(2 * time.Minute) // quotas are cached for a minute
		k.texts(7)
		held := k.deliveries(notify.Filter{Status: notify.Queued})
		if len(k.fake.took) != 3+5+1 || len(held) != 2 || alerts != 1 || k.taken() != 5 {
			t.Fatalf("%d were sent, %d are held back, %d alerts, %d counted", len(k.fake.took), len(held), alerts, k.taken())
		}
		for _, d := range held { // it is the 1st of March in India until 18:30 UTC
			if d.Attempts != 0 || !strings.Contains(*d.Answer, "goes out on 2026-03-02") ||
				!strings.Contains(*d.Answer, "limit of 5 messages by sms") {
				t.Errorf("held back: got %+v", d)
			}
		}
		k.send(secretMessage())
		k.send(notify.Message{Channel: notify.Email, To: "a@b.test", Body: "Hello"})
		k.send(notify.Message{Channel: notify.Push, To: "topic"})
		k.drain()
		if len(k.fake.took) != 12 {
			t.Fatalf("%d were sent: codes, e-mail and pushes have no limit", len(k.fake.took))
		}
		k.now = time.Date(2026, 3, 2, 1, 29, 0, 0, time.UTC) // 6:59 in the morning
		k.drain()
		if len(k.fake.took) != 12 {
			t.Fatal("held back messages were sent before 7:00")
		}
		k.now = k.now.Add(time.Minute)
		k.drain()
		if n := len(k.deliveries(notify.Filter{Status: notify.Queued})); len(k.fake.took) != 14 || n != 0 {
			t.Fatalf("%d were sent by the next morning, %d wait", len(k.fake.took), n)
		}
		k.texts(9) // three are left of that day
		if len(k.fake.took) != 14+3+1 || alerts != 2 || k.taken() != 10 {
			t.Fatalf("%d were sent, %d alerts, %d counted", len(k.fake.took), alerts, k.taken())
		}
	})
}

func TestQuotaCountsWhatIsSent(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		k.Quota = func(context.Context, id.ID, notify.Channel) (notify.Quota, error) {
			return notify.Quota{Most: 2, Zone: "UTC"}, nil
		}
		k.fake.fail = func(notify.Message) error { return jobs.Permanent(errBusy) }
		k.texts(5)
		k.fake.fail = nil
		k.texts(3)
		if len(k.fake.took) != 2 || k.taken() != 2 {
			t.Fatalf("%d were sent, %d counted: five that failed don't count", len(k.fake.took), k.taken())
		}
	})
}

// Two nodes together send no more than the limit. They reserve blocks, so that not
// every message updates the row.
func TestQuotaOfTwoNodes(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		asked := 0
		quota := func(context.Context, id.ID, notify.Channel) (notify.Quota, error) {
			asked++
			return notify.Quota{Most: 400, Zone: "UTC"}, nil
		}
		k.Quota = quota
		other := &notify.Notifier{DB: k.DB, Now: k.Now, NewID: k.NewID, Seal: k.Seal, Log: k.Notifier.Log, Providers: k.Providers, Quota: quota}
		all := make([]notify.Message, 500)
		for i := range all {
			all[i] = notify.Message{Channel: notify.SMS, To: fmt.Sprintf("+1555010%04d", i), Body: "Hello"}
		}
		k.must(k.DB.InSchool(t.Context(), k.school, func(ctx context.Context, tx *db.Tx) error { return k.SendAll(ctx, tx, k.school, all) }))
		for i, d := range k.everything() {
			n := k.Notifier
			if i%2 == 1 {
				n = other
			}
			err := n.Workers()[0].Work(t.Context(), jobs.Job{School: k.school, Payload: fmt.Appendf(nil, `{"delivery":%q}`, d)})
			if err != nil && !strings.Contains(err.Error(), "held back") {
				t.Fatal(err)
			}
		}
		if sent := len(k.fake.took); sent > 400 || sent < 390 || k.taken() != 400 || asked > 150 {
			t.Errorf("%d were sent, %d counted, the row was asked for %d times", sent, k.taken(), asked)
		}
	})
}

// everything returns the ids of all deliveries.
func (k *kit) everything() []id.ID {
	k.Helper()
	ids, err := db.All[id.ID](k.Context(), k.DB.School(k.school), `SELECT id FROM deliveries WHERE school_id = :school ORDER BY id`, nil)
	k.must(err)
	return ids
}
