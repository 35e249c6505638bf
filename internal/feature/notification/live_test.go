package notification_test

import (
	"encoding/json"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/await"
)

// TestLive tells the sockets of whom it is for, and nobody else's.
func TestLive(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		parent, second, una := w.Dial(w.North.Parent), w.Dial(w.North.Parent), w.Dial(w.una)
		driver, far := w.Dial(w.North.Driver), w.Dial(w.South.Parent)
		w.mark("ABSENT")
		w.Make("announcement/create", m{"title": "To all", "body": "Hello", "audience": "DRIVERS"})
		type event struct {
			ID, Title, Type string
			UnreadCount     int
			ReadAt          *time.Time
			Data            struct{ RecordID, StudentID string }
		}
		next := func(c *apptest.Socket) (e event) {
			t.Helper()
			raw, err := c.Event("notification", await.Limit)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(raw, &e); err != nil {
				t.Fatal(err)
			}
			return e
		}
		for c, title := range map[*apptest.Socket]string{parent: "Absent from school", second: "Absent from school", una: "Ausencia"} {
			if e := next(c); e.Title != title || e.Type != "ATTENDANCE" || e.UnreadCount != 1 || e.ReadAt != nil || e.Data.StudentID != w.mia ||
				e.Data.RecordID == "" {
				t.Errorf("live event: got %+v, want %s", e, title)
			}
		}
		own := w.log(w.North.Driver, "").Objects("notifications")[0]
		if e := next(driver); e.Title != "To all" || e.ID != own["id"] || e.UnreadCount != 1 {
			t.Errorf("the driver hears %+v first", e)
		}
		w.Make("announcement/create", m{"title": "To parents", "body": "Hello", "audience": "PARENTS"})
		if e := next(una); e.Title != "To parents" || e.UnreadCount != 2 {
			t.Errorf("live event: got %+v", e)
		}
		for _, other := range []*apptest.Socket{far, driver} {
			if raw, err := other.Event("notification", 100*time.Millisecond); err == nil {
				t.Errorf("another heard %s", raw)
			}
		}
	})
}
