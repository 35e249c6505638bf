package notification_test

import (
	"fmt"
	"testing"
	"time"

	"homeroom/internal/apptest"
)

// TestRecalled: what waits for the end of quiet hours or of a digest to tell of an announcement is not sent once that
// is deleted or withdrawn; the rest is.
func TestRecalled(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/setting", m{"digestMinutes": 10, "smsTypes": list{"ANNOUNCEMENT"}}).OK()
		p := w.speak()
		family := []*apptest.Account{w.una, w.North.Parent}
		quiet := func(hours any) {
			for _, who := range family {
				w.As(who, "PUT", path(who, "preferences"), m{"quietHours": hours}).OK()
			}
		}
		write := func(title string) string {
			return w.Make("announcement/create", m{"title": title, "body": "x", "audience": "CLASS", "classIds": list{w.class}})
		}
		end := func(deleted, withdrawn string) {
			w.Clock.Add(time.Second)
			if r := w.Admin("DELETE", "/school-admin/announcement/"+deleted, nil); r.Status != 204 {
				t.Errorf("DELETE: got %d %s", r.Status, r.Body)
			}
			w.Admin("PUT", "/school-admin/announcement/"+withdrawn, m{"expiresAt": w.Now()}).OK()
		}
		told := func() string {
			var out string
			for _, to := range []string{"+15550100003", "una@example.org", "student_" + w.mia} {
				for _, m := range p.to(to) {
					out += m.Subject + ": " + m.Body + "\n"
				}
			}
			return out
		}

		quiet(m{"from": "06:00", "to": "09:00"})
		deleted := write("Deleted")
		w.Drain()
		apptest.Eq(t, "in quiet hours", told(), "")
		withdrawn := write("Withdrawn")
		end(deleted, withdrawn)
		w.Pass(3 * time.Hour)
		w.Drain()
		apptest.Eq(t, "in the morning", told(), "")
		apptest.Eq(t, "failed", w.Count(`deliveries WHERE school_id = :school AND status = 'QUEUED'`, nil), 0)

		quiet(nil)
		write("First")
		w.Drain()
		apptest.Eq(t, "pushes of the first", len(p.to("student_"+w.mia)), 1)
		deleted, withdrawn = write("Deleted"), write("Withdrawn")
		write("Stays")
		write("Stays, too")
		last := write("Deleted")
		end(deleted, withdrawn)
		end(last, withdrawn)
		w.Clock.Add(11 * time.Minute)
		w.Drain()
		pushes := p.to("student_" + w.mia)
		apptest.Eq(t, "pushes", fmt.Sprint(len(pushes), ": ", pushes[len(pushes)-1].Body), "2: 2 new announcements. Open the app to read them.")
	})
}
