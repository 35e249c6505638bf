package notify_test

import (
	"context"
	"testing"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
)

// Sweep deletes finished deliveries after 90 days and notifications after 180 days,
// in several batches.
func TestSweep(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		const day = 24 * time.Hour
		k.Keep = notify.Keep{Deliveries: 90 * day, Notifications: 180 * day}
		start := k.now
		user := k.user()
		put := func(status notify.Status, age time.Duration, n int) {
			rows := make([]struct {
				ID        id.ID
				Status    notify.Status
				UserID    id.ID
				CreatedAt time.Time
			}, n)
			for i := range rows {
				rows[i].ID, rows[i].Status, rows[i].UserID, rows[i].CreatedAt = id.New(), status, user, start.Add(-age)
			}
			_, err := db.Insert(t.Context(), k.DB.School(k.school), `
				INSERT INTO deliveries (school_id, id, channel, to_addr, subject, body, html, data, sealed, status, created_at)
				VALUES (:school, :id, 'push', 'x', '', '', '', '{}', FALSE, :status, :created_at)`, rows)
			k.must(err)
			_, err = db.Insert(t.Context(), k.DB.School(k.school), `
				INSERT INTO notifications (school_id, id, user_id, type, title, body, created_at)
				VALUES (:school, :id, :user_id, 'FEE', '', '', :created_at)`, rows)
			k.must(err)
		}
		put(notify.Sent, 91*day, 1100)
		put(notify.Failed, 91*day, 1)
		put(notify.Queued, 91*day, 1)
		put(notify.Sent, 89*day, 3)
		put(notify.Sent, 181*day, 1100)
		put(notify.Sent, 179*day, 5)
		k.must(k.Sweep(t.Context()))
		left := func(table string) int {
			n, err := db.One[int](t.Context(), k.DB.School(k.school), `SELECT COUNT(*) FROM `+table+` WHERE school_id = :school`, nil)
			k.must(err)
			return n
		}
		if got := left("deliveries"); got != 1+3 {
			t.Errorf("%d deliveries are left, want the one that is queued and 3 young ones", got)
		}
		if got := left("notifications"); got != 1100+1+1+3+5 {
			t.Errorf("%d notifications are left, want those younger than 180 days", got)
		}
		k.must(k.Sweep(t.Context()))
		if left("deliveries") != 4 {
			t.Error("a second sweep deletes more")
		}
		k.Keep = notify.Keep{}
		put(notify.Sent, 2000*day, 1)
		k.must(k.Sweep(t.Context()))
		if left("deliveries") != 5 {
			t.Error("without a limit old deliveries were deleted")
		}
	})
}

// user inserts a user of the school.
func (k *kit) user() id.ID {
	k.Helper()
	role, user, q := id.New(), id.New(), k.DB.School(k.school)
	_, err := db.Exec(k.Context(), q, `
		INSERT INTO roles (school_id, id, name, type, is_system, search, created_at, updated_at)
		VALUES (:school, :id, 'Parent', 'PARENT', TRUE, 'parent', :now, :now)`, db.Args{"id": role, "now": k.now})
	k.must(err)
	_, err = db.Exec(k.Context(), q, `
		INSERT INTO users (school_id, id, role_id, role, name, status, search, created_at, updated_at)
		VALUES (:school, :id, :role, 'PARENT', 'Ann', 'ACTIVE', 'ann', :now, :now)`, db.Args{"id": user, "role": role, "now": k.now})
	k.must(err)
	return user
}

// TestRetryOfAnOldOne queues a failed delivery again in the moment in which Sweep would delete
// it: it is sent.
func TestRetryOfAnOldOne(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		k.Keep = notify.Keep{Deliveries: 90 * 24 * time.Hour}
		k.send(notify.Message{Channel: notify.SMS, To: "+15550100001", Body: "Hello"})
		k.drain()
		_, err := db.Exec(t.Context(), k.DB.School(k.school), `UPDATE deliveries SET status = 'FAILED' WHERE school_id = :school`, nil)
		k.must(err)
		failed := k.only().ID
		k.now = k.now.Add(91 * 24 * time.Hour)
		ended := make(chan error, 1)
		k.must(k.DB.InSchool(t.Context(), k.school, func(ctx context.Context, tx *db.Tx) error {
			_, err := k.Retry(ctx, tx, failed)
			go func() { ended <- k.Sweep(t.Context()) }()
			time.Sleep(100 * time.Millisecond) // Sweep finds it failed, and waits for its row
			return err
		}))
		k.must(<-ended)
		k.drain()
		if got := k.only().Status; got != notify.Sent {
			t.Errorf("the delivery is %s", got)
		}
	})
}
