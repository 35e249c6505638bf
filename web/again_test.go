package webapp_test

import (
	"fmt"
	"strings"
	"testing"
)

// losesOne makes the answer of the first call to a path get lost: the service has done it, and the page does not learn so.
// With a status, something between them answers in its place.
func (d *demo) losesOne(path string, status int) {
	d.T.Helper()
	d.js(fmt.Sprintf(`(((ask, lost) => { window.fetch = async (at, o) => {
		const answer = await ask(at, o)
		if (!String(at.url ?? at).includes(%q) || lost++) return answer
		if (%d) return new Response("<h1>Bad gateway</h1>", {status: %[2]d})
		throw new TypeError("the answer got lost")
	} })(window.fetch, 0), 0)`, path, status))
}

// TestAgainAfterGateway: a form that a gateway has answered with an error, although the service has saved it, is sent again
// as the same one.
func TestAgainAfterGateway(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		admin := d.login("admin@greenfield.test")
		d.writesNews()
		d.losesOne("/announcement/create", 502)
		d.js(`document.querySelector("main form button[type=submit]").click()`)
		d.Sees("The server did not answer properly.")
		d.sendsNewsOnce(admin)
	})
}

// TestChangedAfterLost: a form that was changed after its answer got lost is a new request.
func TestChangedAfterLost(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		d.goes("/app/classes/subjects")
		d.settles()
		d.Clicks("button", "New subject")
		d.Fills("Name", "Botany")
		d.losesOne("/subject/create", 0)
		d.js(`document.querySelector("dialog button[type=submit]").click()`)
		d.Sees("What you typed is kept; try again.")
		d.Fills("Name", "Botany of the sea")
		d.js(`(window.saves = 0, window.last = fetch, window.fetch = (at, o) => {
			if (String(at.url ?? at).includes("/subject/create")) saves++
			return last(at, o) }, document.querySelector("dialog button[type=submit]").click(), 0)`)
		d.Until("close the form or tell a fault", func() bool {
			return d.js(`!document.querySelector("dialog [role=alert]")?.textContent.includes("try again")`) == "true"
		})
		d.SeesNo("Idempotency-Key")
		d.Sees("Botany of the sea")
		if n := d.js(`saves`); n != "1" {
			d.T.Errorf("it was sent %s times", n)
		}
	})
}

// TestEachGetsOneMessage: of several people who get the same message, one whose answer got lost gets it once.
func TestEachGetsOneMessage(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		admin := d.login("admin@greenfield.test")
		d.goes("/app/messages?new=1")
		for i := range 2 {
			d.Clicks("button", "Teachers")
			d.Until("have found teachers", func() bool { return d.js(`document.querySelector(".hitlist button") !== null`) == "true" })
			d.js(`document.querySelector(".hitlist button").click()`)
			d.Until("have chosen one", func() bool { return d.js(`document.querySelectorAll(".tochip").length`) == fmt.Sprint(i+1) })
		}
		const text = "The staff room is painted on Friday."
		d.Fills("Message", text)
		d.losesOne("/message/send", 0)
		d.Clicks("button", "Send to 2 people")
		d.Sees("1 person did not get it.")
		d.Clicks("button", "Send to 1 person")
		d.Until("leave the form", func() bool {
			return d.js(`location.search`) == "" || strings.Contains(d.js(`location.search`), "thread=")
		})
		said := 0
		for _, thread := range d.rows(admin, "/school-admin/message/threads?page=1") {
			for _, m := range d.rows(admin, fmt.Sprintf("/school-admin/message/thread/%v?limit=50", thread["id"])) {
				if m["body"] == text {
					said++
				}
			}
		}
		if said != 2 {
			d.T.Errorf("two people got %d messages", said)
		}
	})
}

// TestImportedOnce: an import whose answer got lost is done once.
func TestImportedOnce(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		admin := d.login("admin@greenfield.test")
		d.goes("/app/import/students")
		d.Finds("heading", "Import students")
		d.settles()
		d.js(`(() => { const cells = new DataTransfer(); cells.setData("text/plain", "First Name\tLast Name\nBartholomea\tLund\n")
			dispatchEvent(new ClipboardEvent("paste", { clipboardData: cells })) })()`)
		d.Clicks("button", "Check 1 row")
		d.Finds("button", "Import 1 row")
		d.settles()
		d.losesOne("/student/import", 0)
		d.Clicks("button", "Import 1 row")
		d.Sees("What you typed is kept; try again.")
		d.settles()
		d.Clicks("button", "Import 1 row")
		d.Finds("link", "Show the students")
		if n := d.count(admin, "/school-admin/student/list?search=Bartholomea"); n != "1" {
			d.T.Errorf("there are %s students", n)
		}
	})
}
