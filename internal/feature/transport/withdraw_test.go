package transport_test

import (
	"strings"
	"testing"

	"homeroom/internal/apptest"
)

// withdraw takes an incident back: the driver, or the office.
func (w *world) withdraw(who *apptest.Account, incident, reason string) apptest.Reply {
	w.Helper()
	path := "/driver/"
	if who == w.North.Admin || who == w.South.Admin {
		path = depot
	}
	return w.As(who, "POST", path+"incident/"+incident+"/withdraw", m{"reason": reason})
}

// TestWithdrawIncident: an incident that was reported by mistake is kept as withdrawn, and everyone
// who was told of it hears that. Its driver can withdraw it while the trip runs, the office always.
func TestWithdrawIncident(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		driver, admin := w.North.Driver, w.North.Admin
		report := func(body m) string { return w.As(driver, "POST", "/driver/incident/report", body).OK().Text("id") }
		trip := w.begin("pickup", "07:00")
		w.set(trip, w.mia, "boarded").OK()
		w.set(trip, w.noa, "absent").OK()
		crash := report(m{"type": "accident", "severity": "HIGH"})
		later := report(m{"type": "traffic_jam"})
		w.set(trip, w.zoe, "absent").OK() // her parents were told

		w.withdraw(w.eves, crash, "").Want(403, "PERMISSION_DENIED")
		w.withdraw(w.South.Admin, crash, "").Want(404, "Not Found")
		got := w.withdraw(driver, crash, "Wrong button").OK()
		if got.Text("withdrawnBy") != driver.ID.String() || got["withdrawnAt"] == nil || got.Text("withdrawReason") != "Wrong button" {
			t.Errorf("withdrawn: %v", got)
		}
		last := func(name string, who *apptest.Account, incident string, n int, want ...string) {
			t.Helper()
			told := w.told(who, incident)
			apptest.Eq(t, name+" has messages", len(told), n)
			for _, text := range want {
				if said := strings.Join(told[n-len(want):], "\n"); !strings.Contains(said, text) {
					t.Errorf("%s reads %q, want %q", name, said, text)
				}
			}
		}
		last("Parent", w.North.Parent, crash, 2, "The message about Blue bus and Mia Roe was a mistake.")
		last("Uncle", w.uncle, crash, 4, "Mia Roe was a mistake.", "Zoe Roe was a mistake.")
		last("Aunt", w.aunt, crash, 0)
		last("the office", admin, crash, 2, "has withdrawn this report: Blue bus was in an accident. Reason: Wrong button")
		apptest.Eq(t, "e-mails to the office", len(w.sent(admin.Email, "Correction: no bus incident")), 1)
		w.withdraw(driver, crash, "").Want(409, "Conflict")
		w.withdraw(admin, crash, "").Want(409, "Conflict")
		w.As(admin, "POST", depot+"incident/"+crash+"/acknowledge", m{}).Want(409, "Conflict")

		apptest.Eq(t, "open", w.As(admin, "GET", depot+"incident/list?acknowledged=false", nil).OK().Texts("id"), []string{later})
		seen := w.As(w.North.Parent, "GET", "/bus-tracking/incidents/"+w.bus, nil)
		apptest.Eq(t, "a parent sees", seen.OK().Texts("id"), []string{later, crash})
		apptest.Eq(t, "withdrawn, for a parent", seen.OK().Items()[1]["withdrawnAt"] != nil, true)
		seen.HasNot("Wrong button")

		w.act(trip, "end", m{}).OK()
		w.withdraw(driver, later, "").Want(409, "Conflict")
		w.withdraw(admin, later, "").OK()
		last("Dan", driver, later, 1, "has withdrawn this report: Blue bus is held up in traffic.")
		last("Parent", w.North.Parent, later, 2, "was a mistake")
	})
}

// TestWithdrawWithoutTrip: without a trip, the driver can withdraw an incident until the office acts on it.
func TestWithdrawWithoutTrip(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		report := func() string {
			return w.As(w.North.Driver, "POST", "/driver/incident/report", m{"type": "other"}).OK().Text("id")
		}
		w.withdraw(w.North.Driver, report(), "").OK()
		seen := report()
		w.As(w.North.Admin, "POST", depot+"incident/"+seen+"/acknowledge", m{}).OK()
		w.withdraw(w.North.Driver, seen, "").Want(409, "Conflict")
		w.withdraw(w.North.Admin, seen, "").OK()
		got := apptest.AtOnce(6, func(int) apptest.Reply { return w.withdraw(w.North.Admin, seen, "") })
		apptest.Eq(t, "withdrawn again", got[409], 6)
	})
}
