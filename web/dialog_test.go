package webapp_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestDialogKeepsTyped: a dialog asks before Escape, its cross or a sign-out throw away what was typed. The file chooser's
// Cancel does not close it.
func TestDialogKeepsTyped(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		d.js(`(window.asked = 0, window.confirm = () => { window.asked++; return false }, 0)`)
		d.goes("/app/classes/subjects")
		d.settles()
		d.Clicks("button", "New subject")
		d.Fills("Name", "Botany")
		stays := func(how, asked string) {
			d.T.Helper()
			d.Until("be asked after "+how, func() bool { return d.js(`asked`) >= asked })
			if name := d.js(`document.querySelector("dialog[open] .body input")?.value`); name != "Botany" {
				d.T.Errorf("after %s the name is %q", how, name)
			}
		}
		d.js(`(document.querySelector("dialog .body input").dispatchEvent(new Event("cancel", {bubbles: true})), 0)`)
		d.Presses(kb.Escape)
		stays("Escape", "1")
		d.Presses(kb.Escape)
		stays("a second Escape", "2")
		d.Clicks("button", "Close")
		stays("the cross", "3")
		d.js(`(window.confirm = () => { window.asked++; return true }, 0)`)
		d.Presses(kb.Escape)
		d.Until("have no dialog", func() bool { return d.js(`document.querySelector("dialog") === null`) == "true" })

		d.Clicks("button", "New subject") // nothing is typed: nothing is asked
		before := d.js(`asked`)
		d.Presses(kb.Escape)
		d.Until("have no dialog", func() bool { return d.js(`document.querySelector("dialog") === null`) == "true" })
		if now := d.js(`asked`); now != before {
			d.T.Errorf("asked %s times without anything typed", now)
		}

		d.js(`(window.confirm = () => { window.asked++; return false }, 0)`)
		d.goes("/app/announcements/new")
		d.Fills("Title", "Sports day")
		d.Clicks("button", "Your account, Grace Whitfield")
		d.Clicks("button", "Sign out")
		d.Until("be asked", func() bool { return d.js(`asked`) > before })
		d.Finds("heading", "New announcement")
		d.clean()
	})
}

// TestFaultInDialog: what goes wrong in a dialog is said in front of it, and to screen readers.
func TestFaultInDialog(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		wire := d.wired()
		d.signIn()
		d.goes("/app/leave?status=PENDING")
		d.settles()
		d.Until("open a leave", func() bool {
			d.js(`document.querySelector("main tbody .act .btn.icon:last-child")?.click()`)
			return d.js(`document.querySelector("dialog .btn.go") !== null`) == "true"
		})
		wire.Cut()
		d.js(`document.querySelector("dialog .btn.go").click()`)
		d.Sees("There is no connection.")
		d.Finds("button", "Close message") // what is behind a dialog is not found
		if said := d.js(`document.querySelector("dialog [role=status]")?.textContent`); !strings.Contains(said, "There is no connection.") {
			d.T.Errorf("the dialog says %q", said)
		}
		const seen = `((toast) => { const r = toast.getBoundingClientRect()
			const top = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)
			return toast.contains(top) && r.bottom <= innerHeight && r.right <= innerWidth
		})(document.querySelector(".toast"))`
		d.Until("see it in front", func() bool { return d.js(seen) == "true" })
		wire.Mend(0)
		d.js(`document.querySelector("dialog .btn.go").click()`)
		d.Until("have no dialog", func() bool { return d.js(`document.querySelector("dialog") === null`) == "true" })
		d.Finds("button", "Close message") // it is approved: the page says so
	})
}
