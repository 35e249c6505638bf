package webapp_test

import (
	"strings"
	"testing"
)

// TestBackKeepsForm: the browser's Back asks before it throws away what was typed.
func TestBackKeepsForm(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		d.js(`(window.asked = 0, window.confirm = () => { window.asked++; return false }, 0)`)
		d.goes("/app/announcements")
		d.goes("/app/announcements/new")
		d.Fills("Title", "Sports day")
		d.js(`(history.back(), 0)`)
		d.Until("be asked", func() bool { return d.js(`asked`) == "1" })
		d.Until("stay", func() bool { return d.js(`location.pathname`) == "/app/announcements/new" })
		if text := d.js(`[...document.querySelectorAll("main input")].map((e) => e.value).join("|")`); !strings.Contains(text, "Sports day") {
			d.T.Errorf("what was typed is gone: %s", text)
		}
		d.js(`(window.confirm = () => true, history.back(), 0)`)
		d.Finds("heading", "Announcements")
		d.Until("leave", func() bool { return d.js(`location.pathname`) == "/app/announcements" })
		d.js(`(history.forward(), 0)`)
		d.Finds("heading", "New announcement")
		d.clean()
	})
}
