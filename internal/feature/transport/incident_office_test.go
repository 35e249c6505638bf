package transport_test

import (
	"strings"
	"sync"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

// sent returns the SMS and e-mails with a subject to an address.
func (w *world) sent(to, subject string) []string {
	w.Helper()
	list, err := db.All[string](w.Context(), w.DB.School(w.North.ID), `
		SELECT channel || ': ' || body FROM deliveries
		WHERE school_id = :school AND to_addr = :to AND subject = :subject AND channel <> 'push' ORDER BY channel, id`,
		db.Args{"to": to, "subject": subject})
	if err != nil {
		w.Fatal(err)
	}
	return list
}

// TestIncidentReachesTheOffice: administrators who may read transport are told of each
// incident; of a grave one also by SMS and e-mail in quiet hours, as are emergency contacts.
func TestIncidentReachesTheOffice(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin := w.North.Admin
		w.As(admin, "PUT", "/school-admin/setting", m{"emergencyContacts": list{m{"name": "Head", "phone": "+15553330001"}}}).OK()
		w.As(admin, "PUT", "/school-admin/notification/preferences", m{"quietHours": m{"from": "05:00", "to": "09:00"}}).OK()
		role := w.Make("role/create", m{"name": "Library", "type": "SCHOOL_ADMIN"})
		w.Make("employee/create", m{"firstName": "Liv", "roleId": role, "email": "liv@north.test"})
		report := func(body m) string {
			return w.As(w.North.Driver, "POST", "/driver/incident/report", body).OK().Text("id")
		}
		jam := report(m{"type": "traffic_jam"})
		if got := w.told(admin, jam); len(got) != 1 || !strings.Contains(got[0], "Blue bus is held up in traffic.") ||
			!strings.Contains(got[0], "Students on the bus: 0.") {
			t.Errorf("the office reads %q", got)
		}
		if got := w.sent("+15553330001", "Bus incident"); len(got) != 0 {
			t.Errorf("sent to the emergency contact of a MEDIUM incident: %q", got)
		}
		trip := w.begin("pickup", "07:00")
		w.set(trip, w.mia, "boarded").OK()
		crash := report(m{"type": "accident", "severity": "HIGH", "description": "A tree fell."})
		const says = "Blue bus was in an accident."
		for _, to := range []string{"+15553330001", admin.Email} {
			if got := w.sent(to, "Bus incident"); len(got) != 1 || !strings.Contains(got[0], says) || !strings.Contains(got[0], "A tree fell.") ||
				!strings.Contains(got[0], "Students on the bus: 1.") {
				t.Errorf("sent to %s: %q", to, got)
			}
		}
		if got := w.told(admin, crash); len(got) != 1 {
			t.Errorf("the office reads %q", got)
		}
		if got := w.sent("liv@north.test", "Bus incident"); len(got) != 0 {
			t.Errorf("sent to an administrator without transport: %q", got)
		}
		for _, who := range []*apptest.Account{w.North.Driver, w.eves, w.aunt, w.South.Admin} {
			if got := w.told(who, crash); len(got) != 0 {
				t.Errorf("%s reads %q", who.Role, got)
			}
		}
	})
}

// TestAcknowledgedOnce races two administrators: one of them acknowledges, the driver is
// told once, and everyone at the school reads who it was.
func TestAcknowledgedOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		incident := w.As(w.North.Driver, "POST", "/driver/incident/report", m{"type": "other"}).OK().Text("id")
		path := depot + "incident/" + incident + "/acknowledge"
		var ok sync.Map
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				if r := w.As(w.North.Admin, "POST", path, m{"note": "A taxi is on its way."}); r.Status == 200 {
					ok.Store(i, true)
				} else if r.Status != 409 || !strings.Contains(string(r.Body), "has acknowledged this incident already") {
					t.Errorf("acknowledged again: %d %s", r.Status, r.Body)
				}
			})
		}
		wg.Wait()
		n := 0
		ok.Range(func(any, any) bool { n++; return true })
		if n != 1 {
			t.Errorf("%d calls acknowledged it", n)
		}
		if got := w.told(w.North.Driver, incident); len(got) != 1 || !strings.Contains(got[0], "A taxi is on its way.") {
			t.Errorf("the driver reads %q", got)
		}
		for _, path := range []string{depot + "incident/list", "/bus-tracking/incidents/" + w.bus} {
			i := w.As(w.North.Admin, "GET", path, nil).OK().Items()[0]
			if i.Text("acknowledgedBy") != w.North.Admin.ID.String() || i.Text("acknowledgedByName") == "" || i["acknowledgedAt"] == nil {
				t.Errorf("%s: %v", path, i)
			}
		}
	})
}
