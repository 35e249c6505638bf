package webapp_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// keptFiles says how many files the browser keeps; the page itself is the last of them.
const keptFiles = `caches.match("/app/").then((page) => page ?
	caches.open("homeroom-files").then((c) => c.keys()).then((k) => k.length) : 0)`

// TestOpensWithoutNetwork signs a teacher in, cuts the network, and opens the app again.
func TestOpensWithoutNetwork(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.Work(d.T)
		wire := d.wired()
		d.Looks(390, "light")
		d.Opens("/")
		d.Clicks("button", "Class teacher of Grade 5 A +15550100001")
		d.Finds("link", "Me")
		d.Until("the files are kept", func() bool {
			files, err := chromedp.Run(d.Tab, chromedp.Evaluate[int](keptFiles, chromedp.EvalAwaitPromise))
			return err == nil && files > 3
		})
		wire.Cut()
		d.Opens("/app/me")
		d.Finds("heading", "Astrid Takahashi")
		d.FitsWidth()
		d.PassesAxe(axe)
		wire.Mend(0)
		d.Clicks("button", "Sign out")
		d.Finds("heading", "Sign in")
		d.Until("everything is erased", func() bool {
			left, err := chromedp.Run(d.Tab, chromedp.Evaluate[int](records, chromedp.EvalAwaitPromise))
			return err == nil && left == 0
		})
	})
}

// TestSlowNetwork: what was last seen is shown with its time while answers are on their way, and then replaced.
func TestSlowNetwork(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		wire := d.wired()
		d.asParent()
		d.keeps()
		wire.Mend(5 * time.Second)
		d.Opens("/app/home")
		d.Sees("For you to do", "The network is slow.", "This is how it was at")
		d.FitsWidth()
		d.PassesAxe(axe)
		wire.Mend(0)
		d.SeesNo("The network is slow.")
		d.Sees("For you to do")
	})
}

// TestLostRenewal: the answer to the renewal of a session gets lost, as at the beginning of a tunnel. The session goes on.
func TestLostRenewal(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		wire := d.wired()
		d.asParent()
		d.keeps()
		wire.LoseAnswers()
		d.Opens("/app/home")
		d.Until("the answer is lost", func() bool { return slices.ContainsFunc(d.Seen.Problems(), isRenewal) })
		d.Clock.Add(time.Minute) // a second tab would have been that late only if it had stolen the session
		wire.Mend(0)
		d.Opens("/app/home")
		d.Until("the session goes on", func() bool { return d.js(`localStorage.getItem("renewal")`) == "null" })
		d.Finds("heading", "For you to do")
	})
}

func isRenewal(problem string) bool { return strings.Contains(problem, "/auth/refresh") }

// records counts what the device keeps about people.
const records = `new Promise((done) => {
	const open = indexedDB.open("homeroom", 1)
	open.onsuccess = () => {
		const rooms = [...open.result.objectStoreNames], tx = open.result.transaction(rooms)
		const counts = rooms.map((room) => tx.objectStore(room).count())
		tx.oncomplete = () => { open.result.close(); done(counts.reduce((sum, c) => sum + c.result, 0)) }
	}
})`
