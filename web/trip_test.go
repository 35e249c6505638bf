package webapp_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/browsertest"
)

const (
	tripFixes   = 3600 // one a second for an hour
	tripPortion = 300  // that the phone measures at once: the hour takes seconds
)

// TestTripWithTunnels drives for an hour with three tunnels: the trip starts in the first, the second is longer than one
// call holds, and in the third the tab is lost and opened again. Every position arrives once, in order.
func TestTripWithTunnels(t *testing.T) {
	t.Parallel()
	eachDemo(t, func(d *demo) {
		wire := d.wired()
		trip := d.drives()
		d.keeps()
		phone, lose := d.SecondTab()
		measures(phone)
		phone.Opens(trip)
		phone.Finds("button", "Start the trip")
		wire.Cut()
		phone.Clicks("button", "Start the trip")
		begins := d.Clock.Now().Add(time.Second).Truncate(time.Second) // the service's clock moves in steps: it must not be behind
		in := func(minute int) bool {
			return minute < 10 || minute >= 20 && minute < 40 || minute >= 45 && minute < 55
		}
		for minute := 0; minute < 60; minute += tripPortion / 60 {
			if in(minute) && !in(minute-1) {
				wire.Cut()
			}
			d.Clock.Add(tripPortion * time.Second)
			before, grows := bytesWaiting(phone), 0
			phone.Until("measure positions", func() bool { grows = feed(phone, begins, minute*60); return grows > 0 })
			phone.Sees("Your position is being sent")
			leaves := in(minute) && !in(minute+tripPortion/60)
			if leaves || minute == 45 {
				phone.Until("keep the positions of the tunnel", func() bool { return bytesWaiting(phone) >= before+grows })
			}
			if minute == 45 {
				lose()
				phone, _ = d.SecondTab()
				measures(phone)
				phone.Opens(trip)
				phone.Sees("not sent yet")
			}
			if leaves {
				wire.Mend(0)
			}
		}
		admin := d.login("admin@greenfield.test")
		var track track
		phone.Until("send every position", func() bool {
			track = d.track(admin, strings.TrimPrefix(trip, "/app/trips/"))
			return len(track.Properties.Times) >= tripFixes && bytesWaiting(phone) == 0
		})
		apptest.Eq(d.T, "positions", len(track.Properties.Times), tripFixes)
		for i, at := range track.Properties.Times {
			lat := track.Geometry.Coordinates[i][1]
			if want := begins.Add(time.Duration(i) * time.Second); !at.Equal(want) || math.Abs(lat-latitude(i)) > 1e-7 {
				d.T.Fatalf("position %d is of %s at latitude %v, want %s and %v", i, at, lat, want, latitude(i))
			}
		}
		phone.SeesNo("not sent yet")
		if strings.Contains(phone.Text(), "not accepted") {
			d.T.Error(phone.Text())
		}
	})
}

// track is the office's track of a trip.
type track struct {
	Geometry   struct{ Coordinates [][]float64 }
	Properties struct{ Times []time.Time }
}

func (d *demo) track(admin *apptest.Account, trip string) track {
	d.T.Helper()
	var reply struct{ Data track }
	d.read(d.Call(d.T, admin, "GET", "/school-admin/transport/trip/"+trip+"/track", nil), &reply)
	return reply.Data
}

// latitude is where the bus is after some seconds: it goes north by 10 m/s.
func latitude(second int) float64 { return 40 + 9e-5*float64(second) }

// measures gives the page a receiver of positions that the test feeds.
func measures(p *browsertest.Person) {
	p.T.Helper()
	receiver := `Object.defineProperty(navigator, "geolocation", {value: {
		watchPosition: (measured) => { globalThis.measured = measured; return 1 },
		clearWatch: () => { globalThis.measured = undefined },
	}})`
	if _, err := chromedp.Call(p.Tab, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: receiver}); err != nil {
		p.T.Fatal(err)
	}
}

// feed measures the positions of the next minutes and returns how many bytes of JSON they have at least: 0 if the
// page does not listen at the moment.
func feed(p *browsertest.Person, begins time.Time, from int) int {
	p.T.Helper()
	return evaluate[int](p, fmt.Sprintf(`(() => {
		let bytes = 0
		if (!globalThis.measured) return 0
		for (let i = %d; i < %d; i++) {
			const coords = {latitude: 40 + 9e-5 * i, longitude: -3, accuracy: 5, speed: 10, heading: 0}
			const timestamp = %d + i * 1000
			measured({coords, timestamp})
			bytes += JSON.stringify({lat: coords.latitude, lng: -3, speed: 10, heading: 0, timestamp: new Date(timestamp)}).length
		}
		return bytes
	})()`, from, from+tripPortion, begins.UnixMilli()))
}

// bytesWaiting is the size of what the phone keeps to be sent.
func bytesWaiting(p *browsertest.Person) int {
	p.T.Helper()
	return evaluate[int](p, `new Promise((done) => {
		const open = indexedDB.open("homeroom", 1)
		open.onsuccess = () => {
			const all = open.result.transaction("waiting").objectStore("waiting").getAll()
			all.onsuccess = () => { open.result.close(); done(all.result.reduce((sum, kept) => sum + kept.data.byteLength, 0)) }
		}
	})`)
}

// evaluate returns the value of an expression, also of one that promises it.
func evaluate[T any](p *browsertest.Person, expression string) T {
	p.T.Helper()
	value, err := chromedp.Run(p.Tab, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.T.Fatal(err)
	}
	return value
}
