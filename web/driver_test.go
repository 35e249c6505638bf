package webapp_test

import (
	"strings"
	"testing"
)

// drives signs the demo's driver in, on a phone, and returns the address of the trip to drive.
func (d *demo) drives() string {
	d.T.Helper()
	d.Work(d.T)
	d.Looks(390, "light")
	d.Opens("/")
	d.Clicks("button", phones["driver"])
	d.Finds("link", "Me")
	d.listens()
	d.settles()
	return d.firstLink("/app/home", "main a[href^='/app/trips/']")
}

// TestEveryDriverPage opens every page of a driver on a phone.
func TestEveryDriverPage(t *testing.T) {
	t.Parallel()
	eachDemo(t, func(d *demo) {
		d.looks, d.finger = []look{{390, "light"}, {320, "dark"}}, 56
		trip := d.drives()
		d.speaks(d.language)
		for _, path := range pagesOf(d.T, "src/driver") {
			d.visit(path, strings.ReplaceAll(path, "/app/trips/{id}", trip))
		}
		d.clean()
	})
}

// TestIncidentOffline reports an incident in a tunnel: it is sent once, when the network is back.
func TestIncidentOffline(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		wire := d.wired()
		d.drives()
		d.keeps()
		admin := d.login("admin@greenfield.test")
		before := d.count(admin, "/school-admin/transport/incident/list")
		d.goes("/app/incident")
		d.Finds("button", "Tell the office and the parents")
		wire.Cut()
		d.Fills("In your words optional", "Engine stopped in the tunnel.")
		d.Clicks("button", "Tell the office and the parents")
		d.Sees("The incident is reported.")
		if now := d.count(admin, "/school-admin/transport/incident/list"); now != before {
			d.T.Errorf("%s incidents without a network, want %s", now, before)
		}
		wire.Mend(0)
		d.Until("the incident arrives", func() bool { return d.count(admin, "/school-admin/transport/incident/list") != before })
		d.Until("nothing waits", func() bool { return !strings.Contains(d.Text(), "not sent yet") })
		if got := d.first(admin, "/school-admin/transport/incident/list", "description"); got != "Engine stopped in the tunnel." {
			d.T.Errorf("the newest incident is %q", got)
		}

		d.goes("/app/incident")
		d.Clicks("button", "It was a mistake")
		d.Fills("Reason optional", "It starts again.")
		d.Clicks("button", "Withdraw")
		d.Sees("Withdrawn. Everyone who was told of it knows.")
		if got := d.first(admin, "/school-admin/transport/incident/list", "withdrawReason"); got != "It starts again." {
			d.T.Errorf("the newest incident was withdrawn because of %q", got)
		}
	})
}
