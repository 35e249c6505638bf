package notification_test

import (
	"encoding/json"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/socketio/siotest"
)

// TestLive tells the sockets of whom it is for, and nobody else's.
func TestLive(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := newWorld(t, s)
		dial := func(who *apptest.Account) *siotest.Client {
			c, err := siotest.Connect(t.Context(), s.URL+"/socket.io/", m{"token": who.Access}, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			return c
		}
		s.SignIn(t, s.South.Parent)
		parent, second, una, driver, far := dial(s.North.Parent), dial(s.North.Parent), dial(w.una), dial(s.North.Driver), dial(s.South.Parent)
		w.mark("ABSENT")
		w.make("announcement/create", m{"title": "To all", "body": "Hello", "audience": "DRIVERS"})
		type event struct {
			ID, Title, Type string
			UnreadCount     int
			ReadAt          *time.Time
			Data            struct{ RecordID, StudentID string }
		}
		next := func(c *siotest.Client) (e event) {
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
		for c, title := range map[*siotest.Client]string{parent: "Absent from school", second: "Absent from school", una: "Ausencia"} {
			if e := next(c); e.Title != title || e.Type != "ATTENDANCE" || e.UnreadCount != 1 || e.ReadAt != nil || e.Data.StudentID != w.mia ||
				e.Data.RecordID == "" {
				t.Errorf("live event: got %+v, want %s", e, title)
			}
		}
		own := records(log(t, s, s.North.Driver, ""))[0]
		if e := next(driver); e.Title != "To all" || e.ID != own["id"] || e.UnreadCount != 1 {
			t.Errorf("the driver hears %+v first", e)
		}
		w.make("announcement/create", m{"title": "To parents", "body": "Hello", "audience": "PARENTS"})
		if e := next(una); e.Title != "To parents" || e.UnreadCount != 2 {
			t.Errorf("live event: got %+v", e)
		}
		for _, other := range []*siotest.Client{far, driver} {
			if raw, err := other.Event("notification", 100*time.Millisecond); err == nil {
				t.Errorf("another heard %s", raw)
			}
		}
	})
}
