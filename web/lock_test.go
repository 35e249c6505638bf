package webapp_test

import (
	"strings"
	"testing"
)

// idles makes the app believe that nobody has touched it for a long time.
const idles = `(localStorage.setItem("active", "1"), document.dispatchEvent(new Event("visibilitychange")))`

// TestIdleLock leaves the computer in the middle of a form, and comes back.
func TestIdleLock(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		admin := d.login("admin@greenfield.test")
		d.signIn()
		other, _ := d.SecondTab()
		other.Opens("/app/students")
		other.Finds("heading", "Students")
		d.goes("/app/students/new")
		d.Fills("First name", "Halfway")
		sessions := d.first(admin, "/auth/sessions", "id") + d.count(admin, "/auth/sessions")

		d.js(idles)
		d.Finds("heading", "This screen is locked")
		if text := d.Text(); strings.Contains(text, "Students") || strings.Contains(text, "Admit") ||
			d.Has("textbox", "First name") || d.Has("link", "Students") {
			d.T.Errorf("the page can be read below the lock: %s", text)
		}
		d.PressesCtrl("k")
		if d.Has("dialog", "Search") || d.Has("searchbox", "Search") {
			d.T.Error("keys of the page work while it is locked")
		}
		for _, look := range []look{{1440, "light"}, {390, "dark"}} {
			d.Looks(look.width, look.scheme)
			d.PassesAxe(axe)
			d.FitsWidth()
		}
		other.Finds("heading", "This screen is locked")
		other.Opens("/app/students") // loading the page again does not open it
		other.Finds("heading", "This screen is locked")

		d.Fills("Password", "not the password")
		d.Clicks("button", "Unlock")
		d.Sees("E-mail or password is not right.")
		d.Fills("Password", "homeroom-demo")
		d.Clicks("button", "Unlock")
		d.Finds("textbox", "First name")
		if d.js(`[...document.querySelectorAll("input")].some((i) => i.value === "Halfway")`) != "true" {
			d.T.Error("what was typed is gone")
		}
		other.Finds("heading", "Students")
		if now := d.first(admin, "/auth/sessions", "id") + d.count(admin, "/auth/sessions"); now != sessions {
			d.T.Errorf("unlocking changed the sessions from %s to %s", sessions, now)
		}

		d.js(idles)
		d.Finds("heading", "This screen is locked")
		d.Clicks("button", "Sign out")
		d.Finds("heading", "Sign in")
		other.Finds("heading", "Sign in")
		for _, problem := range d.Seen.Problems() {
			if !strings.Contains(problem, "/auth/login") { // the wrong password
				d.T.Errorf("console: %s", problem)
			}
		}
	})
}
