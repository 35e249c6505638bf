package webapp_test

import (
	"strings"
	"testing"
)

// never leaves the list of students without an answer, so that the page shows what it has.
const never = `((ask) => {
	window.fetch = (to, o) => String(to.url ?? to).includes("/student/list") ? new Promise(() => {}) : ask(to, o)
})(window.fetch)`

// TestNextPerson: on a shared computer, the session ends without a click on this tab. Who signs in next sees nothing of the
// person before: no list, no message that was typed and not sent.
func TestNextPerson(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		d.goes("/app/messages")
		d.settles()
		thread := d.js(`document.querySelector("main a[href*='thread=']").getAttribute("href")`)
		d.goes(thread)
		d.Until("a conversation", func() bool { return d.js(`document.querySelector(".write textarea") !== null`) == "true" })
		name := d.js(`document.querySelector(".write textarea").getAttribute("aria-label")`)
		d.Fills(name, "Your son was seen")
		d.goes("/app/students")
		d.Finds("heading", "Students")
		d.settles()
		d.Sees("GF-0001")

		other, _ := d.SecondTab()
		other.Opens("/app/students")
		other.Clicks("button", "Your account, Grace Whitfield")
		other.Clicks("button", "Sign out")
		d.Finds("heading", "Sign in")
		d.js(never)
		d.Clicks("button", "Administrator admin@riverside.test")
		d.Finds("heading", "Students")
		if text := d.Text(); strings.Contains(text, "GF-") { // admission numbers of Greenfield
			d.T.Errorf("the next person sees the students of another school: %s", text)
		}

		d.Clicks("button", "Your account, Ananya Deshpande")
		d.Clicks("button", "Sign out")
		d.Clicks("button", "Administrator admin@greenfield.test")
		d.Finds("heading", "Needs you")
		d.goes(thread)
		d.Finds("textbox", name)
		if typed := d.js(`document.querySelector(".write textarea").value`); typed != "" {
			d.T.Errorf("the next person sees what was typed: %s", typed)
		}
	})
}
