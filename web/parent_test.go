package webapp_test

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// asParent signs the demo's parent of two in, on a phone, and returns the id of the first child.
func (d *demo) asParent() string {
	d.T.Helper()
	d.Work(d.T) // sends the code of the sign-in
	d.looks = []look{{390, d.looks[0].scheme}}
	d.Looks(390, d.looks[0].scheme)
	d.Opens("/")
	d.Clicks("button", "Parent of two, one in Grade 5 A +15550100002")
	d.Finds("heading", "For you to do")
	d.listens()
	return strings.TrimPrefix(d.js(`document.querySelector(".child a").getAttribute("href")`), "/app/child/")
}

// TestEveryParentPage opens every page of a parent on a phone, as TestEveryPage does for the office.
func TestEveryParentPage(t *testing.T) {
	t.Parallel()
	eachDemo(t, func(d *demo) {
		child := d.asParent()
		d.finger = 44
		d.speaks(d.language)
		for _, path := range pagesOf(d.T, "src/parent") {
			d.visit(path, strings.ReplaceAll(path, "{id}", child))
		}
		d.Looks(320, "light")
		for _, path := range []string{"/app/home", "/app/bus", "/app/child/" + child + "/attendance"} {
			d.goes(path)
			d.settles()
			d.FitsWidth()
		}
		d.clean()
	})
}

// TestParentHomeIsOneCall: the first page shows both children, what is due and what is new after one call.
func TestParentHomeIsOneCall(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.asParent()
		if got := d.js(`String(document.querySelectorAll(".child").length)`); got != "2" {
			d.T.Errorf("%s children on the first page", got)
		}
		for _, url := range d.Seen.Requests() {
			path := strings.TrimPrefix(url, d.Site)
			if strings.HasPrefix(path, "/parent/") && path != "/parent/home" && path != "/parent/school" {
				d.T.Errorf("the first page asks %s", path)
			}
		}
	})
}

// leaves returns the statuses of a student's leave from today on, as the office sees them.
func (d *demo) leaves(student string) string {
	d.T.Helper()
	var reply struct {
		Data struct {
			Items []struct{ Status, FromDate string }
		}
	}
	d.read(d.Call(d.T, d.login("admin@greenfield.test"), "GET", "/school-admin/leave/list?studentId="+student+"&type=EMERGENCY", nil), &reply)
	var out []string
	for _, l := range reply.Data.Items {
		out = append(out, l.Status)
	}
	return strings.Join(out, " ")
}

// keeps waits until the browser keeps the app's files.
func (d *demo) keeps() {
	d.T.Helper()
	d.Until("the files are kept", func() bool {
		files, err := chromedp.Run(d.Tab, chromedp.Evaluate[int](keptFiles, chromedp.EvalAwaitPromise))
		return err == nil && files > 3
	})
}

// TestNotTodayOffline: "Not today" without a network is kept over a restart, is sent once, and can be taken back.
func TestNotTodayOffline(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		wire := d.wired()
		child := d.asParent()
		d.goes("/app/bus?child=" + child)
		d.Finds("button", "Not today")
		d.keeps()
		wire.Cut()
		d.Clicks("button", "Not today")
		d.Clicks("radio", "Emergency")
		d.Clicks("button", "Tell bus and teacher")
		d.Sees("Kept. Bus and teacher are told when there is a network.")
		d.Opens("/app/home") // the app starts again without a network
		d.Sees("No network.", "The school does not know yet")
		if got := d.leaves(child); got != "" {
			d.T.Errorf("without a network the school has leave: %s", got)
		}
		wire.Mend(0)
		d.Opens("/app/bus?child=" + child)
		d.Until("the leave has arrived", func() bool { return d.leaves(child) == "PENDING" })
		d.Until("nothing waits", func() bool { return bytesWaiting(d.Person) == 0 })
		d.Finds("button", "Comes after all")
		d.SeesNo("not sent yet")
		d.Clicks("button", "Comes after all")
		d.Until("the leave is cancelled", func() bool { return d.leaves(child) == "CANCELLED" })
		d.Finds("button", "Not today")
		if got := d.leaves(child); got != "CANCELLED" {
			d.T.Errorf("the school has leave: %s", got)
		}
	})
}

// TestLeaveOffline: an application with a photo, written without a network, arrives once over a network that comes and goes.
func TestLeaveOffline(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		wire := d.wired()
		child := d.asParent()
		d.goes("/app/leave/new?child=" + child)
		d.Finds("button", "Send the application")
		d.keeps()
		wire.Cut()
		d.Clicks("radio", "Emergency")
		d.Fills("A word to the teacher optional", "The note follows")
		d.Attaches("Photo of the note", photo(d.T))
		d.Sees("note.jpg")
		d.Until("keep the draft with its photo", func() bool { return keptBytes(d) > 2000 })
		d.Opens("/app/leave/new?child=" + child) // the tab was closed: what was typed is kept
		d.Sees("note.jpg")
		d.Clicks("button", "Send the application")
		d.Sees("Kept. It is sent when there is a network.")
		for range 3 {
			wire.Mend(20 * time.Millisecond)
			time.Sleep(300 * time.Millisecond)
			wire.Cut()
		}
		wire.Mend(0)
		d.Opens("/app/leave")
		d.Until("the leave has arrived", func() bool { return d.leaves(child) != "" })
		d.Sees("not decided yet", "The note follows")
		if got := d.leaves(child); got != "PENDING" {
			d.T.Errorf("the school has leave: %s", got)
		}
		kind := d.first(d.login("admin@greenfield.test"), "/school-admin/leave/list?type=EMERGENCY&studentId="+child, "attachmentFiles")
		if !strings.Contains(kind, "image/jpeg") {
			d.T.Errorf("the note is %s", kind)
		}
	})
}

// photo writes a picture that is larger than a phone sends.
func photo(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "note.png")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, image.NewGray(image.Rect(0, 0, 2400, 1200))); err != nil {
		t.Fatal(err)
	}
	return name
}

// keptBytes is the size of the largest draft in the browser's storage.
func keptBytes(d *demo) int {
	n, err := chromedp.Run(d.Tab, chromedp.Evaluate[int](`new Promise((done) => {
		indexedDB.open("homeroom").onsuccess = (opened) => {
			const all = opened.target.result.transaction("waiting").objectStore("waiting").getAll()
			all.onsuccess = () => { opened.target.result.close(); done(Math.max(0, ...all.result.map((kept) => kept.data.byteLength))) }
		}
	})`, chromedp.EvalAwaitPromise))
	if err != nil {
		return 0 // the page is loading
	}
	return n
}

// TestMinutesOnFoot sets how long the parent walks to the stop, and reads it after a restart.
func TestMinutesOnFoot(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		child := d.asParent()
		d.goes("/app/bus?child=" + child)
		d.Sees("How long do you walk to the stop?")
		d.Clicks("button", "How long do you walk to the stop? Then we can say when to leave.")
		d.Fills("Minutes optional", "4")
		d.Clicks("button", "Save")
		d.Sees("4 minutes on foot to the stop")
		d.Opens("/app/bus?child=" + child)
		d.Sees("4 minutes on foot to the stop")
	})
}

// TestChildIsForgotten: after the link to a child has ended, the next load shows nothing of the
// child any more, and the phone keeps nothing of it.
func TestChildIsForgotten(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		child := d.asParent()
		for _, page := range []string{"", "/attendance", "/timetable"} {
			d.goes("/app/child/" + child + page)
			d.settles()
		}
		keys := func() int {
			about := fmt.Sprintf(seenAbout, child)
			n, err := chromedp.Run(d.Tab, chromedp.Evaluate[int](about, chromedp.EvalAwaitPromise))
			if err != nil {
				d.T.Fatal(err)
			}
			return n
		}
		d.Until("the pages are kept", func() bool { return keys() >= 3 })
		admin := d.login("admin@greenfield.test")
		var student struct {
			Data struct {
				FirstName string
				Guardians []struct{ ID, Phone string }
			}
		}
		d.read(d.Call(d.T, admin, "GET", "/school-admin/student/"+child, nil), &student)
		for _, g := range student.Data.Guardians {
			if g.Phone == "+15550100002" {
				d.Call(d.T, admin, "DELETE", "/school-admin/student/"+child+"/guardians/"+g.ID, nil)
			}
		}
		d.goes("/app/home")
		d.Until("one child is left", func() bool { return d.js(`String(document.querySelectorAll(".child").length)`) == "1" })
		d.Until("nothing is kept", func() bool { return keys() == 0 })
		d.goes("/app/child/" + child + "/attendance")
		d.Finds("heading", "This page is not open to you")
		if strings.Contains(d.Text(), student.Data.FirstName) {
			d.T.Errorf("the page still names %s", student.Data.FirstName)
		}
	})
}

// seenAbout counts the kept answers to questions about an id.
const seenAbout = `new Promise((done) => {
	const open = indexedDB.open("homeroom", 1)
	open.onsuccess = () => {
		const all = open.result.transaction("seen").objectStore("seen").getAllKeys()
		all.onsuccess = () => { open.result.close(); done(all.result.filter((k) => k[1].includes(%q)).length) }
	}
})`
