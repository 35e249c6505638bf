package webapp_test

import (
	"strings"
	"testing"
)

// TestPagesApart looks at the pages that are not of the app: an error, the outbox and the
// documentation. The letter of an invitation is shown as an e-mail program does.
func TestPagesApart(t *testing.T) {
	t.Parallel()
	eachDemo(t, func(d *demo) {
		d.Work(d.T) // sends the e-mails
		if r := d.Call(d.T, nil, "POST", "/auth/forgot-password", map[string]any{"email": "admin@riverside.test"}); r.Status != 200 {
			d.T.Fatalf("%d %s", r.Status, r.Body)
		}
		d.linkTo("admin@riverside.test")
		for path, heading := range map[string]string{
			"/nothing/here": "There is nothing at this address", "/school-admin/student/list": "Please sign in first",
			"/dev/outbox?channel=email": "Outbox", "/dev/outbox?to=nobody@example.org": "Outbox", "/live": "Sign in",
		} {
			d.Opens(path)
			d.Finds("heading", heading)
			for _, look := range d.looks {
				d.Looks(look.width, look.scheme)
				d.PassesAxe(axe)
				d.FitsWidth()
			}
		}
		d.Opens("/dev/outbox?channel=email")
		d.js(`document.querySelectorAll("details").forEach((x) => { x.open = true })`)
		d.Until("the e-mail", func() bool { return d.js(`document.querySelector("iframe").contentWindow.length`) == "0" })
		for _, problem := range d.Seen.Problems() {
			if !strings.Contains(problem, "404") && !strings.Contains(problem, "401") { // the error pages themselves
				d.T.Errorf("console: %s", problem)
			}
		}
		for _, url := range d.Seen.Abroad(d.Site) {
			d.T.Errorf("a page asked %s", url)
		}
	})
}
