package webapp_test

import (
	"strings"
	"testing"
)

// endsSession ends the session of the browser from elsewhere, and lets the page learn of it.
func (d *demo) endsSession(learn func()) {
	d.T.Helper()
	d.Call(d.T, d.login("admin@greenfield.test"), "DELETE", "/auth/sessions", nil).OK()
	learn()
	d.Finds("heading", "Sign in")
	d.Sees("What you typed is kept")
}

// TestSessionEndsWhileTyping: what was typed when the session ended is there after signing in as the same person, and for nobody else.
func TestSessionEndsWhileTyping(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		const title = `document.querySelector("main form input")?.value`
		send := func() { d.js(`document.querySelector("main form button[type=submit]").click()`) }
		greenfield := func() { d.Clicks("button", "Administrator admin@greenfield.test") }
		d.signIn()
		d.writesNews()
		d.endsSession(send)
		if page := d.js(`document.documentElement.outerHTML`); strings.Contains(page, "Sports day") {
			d.T.Error("what was typed is still on the page")
		}
		greenfield()
		d.Finds("heading", "New announcement")
		d.Until("have what was typed", func() bool { return d.js(title) == "Sports day" })

		d.endsSession(send)
		d.Clicks("button", "Administrator admin@riverside.test")
		d.Finds("heading", "New announcement")
		d.settles()
		if typed := d.js(title); typed != "" {
			d.T.Errorf("another person sees %q", typed)
		}
		d.Clicks("button", "Your account, Ananya Deshpande")
		d.Clicks("button", "Sign out")
		greenfield()
		d.Finds("heading", "Needs you") // after a sign-out one begins anew
		d.goes("/app/announcements/new")
		d.Finds("heading", "New announcement")
		if typed := d.js(title); typed != "" {
			d.T.Errorf("after somebody else was here, the page has %q", typed)
		}

		ids := d.ids()
		d.goes("/app/attendance/" + ids["{classId}"] + "/" + ids["{divisionId}"])
		d.settles()
		d.js(`(document.querySelector("main tbody [data-mark]").focus(), 0)`)
		d.Presses("h")
		d.Sees("1 unsaved mark")
		d.endsSession(func() { d.PressesCtrl("s") })
		greenfield()
		d.Sees("1 unsaved mark")
	})
}

// TestSignOutWithoutAnswer signs out without a network: nobody goes on with the session, now or after the page was closed.
func TestSignOutWithoutAnswer(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		wire := d.wired()
		for _, closed := range []bool{false, true} {
			wire.Mend(0)
			d.signIn()
			wire.Cut()
			d.Clicks("button", "Your account, Grace Whitfield")
			d.Clicks("button", "Sign out")
			d.Finds("heading", "Signing out")
			d.Sees("your session has not ended yet")
			if d.Has("button", "Administrator admin@greenfield.test") || d.Has("button", "Sign in") {
				d.T.Error("somebody can sign in before the last person is signed out")
			}
			d.FitsWidth()
			d.PassesAxe(axe)
			wire.Mend(0)
			if closed {
				d.Opens("/")
			} else {
				d.Clicks("button", "Try again")
			}
			d.Finds("heading", "Sign in")
			d.js(`(localStorage.setItem("session", "SCHOOL_ADMIN"), 0)`) // in the console, to go on with the cookie
			d.Opens("/")
			d.Finds("heading", "Sign in")
		}
	})
}
