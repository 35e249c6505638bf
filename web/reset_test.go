package webapp_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestResetPage chooses a password with the link of an e-mail, by keyboard alone.
func TestResetPage(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.Work(d.T) // sends the e-mails
		const email, password = "admin@riverside.test", "shorter but long"
		if r := d.Call(d.T, nil, "POST", "/auth/forgot-password", map[string]any{"email": email}); r.Status != 200 {
			d.T.Fatalf("%d %s", r.Status, r.Body)
		}
		link := d.linkTo(email)
		d.Opens(link)
		d.Finds("heading", "Choose a password")
		if at := d.js("location.href"); at != d.Site+"/reset" {
			d.T.Errorf("the secret is still in the address: %s", at)
		}
		for _, look := range []look{{1440, "light"}, {390, "dark"}} {
			d.Looks(look.width, look.scheme)
			d.PassesAxe(axe)
			d.FitsWidth()
		}
		d.Fills("New password", "short")
		d.Presses(kb.Tab, "short", kb.Enter)
		d.Sees("needs at least 10 characters")
		d.Fills("New password", password)
		d.Presses(kb.Tab, "something else", kb.Enter)
		d.Sees("is not the same as the first one")
		d.Fills("The same again", password)
		d.Presses(kb.Enter)
		d.Finds("heading", "Your password is set")
		d.clean()
		if r := d.Call(d.T, nil, "POST", "/auth/login", map[string]any{"email": email, "password": password}); r.Status != 200 {
			d.T.Errorf("sign in with the new password: %d %s", r.Status, r.Body)
		}
		d.Follows("Sign in")
		d.Finds("heading", "Sign in")
		d.Opens("/reset")
		d.Sees("This link is not complete.")
		d.Opens(link)
		d.Fills("New password", "another long one")
		d.Fills("The same again", "another long one")
		d.Presses(kb.Enter)
		d.Sees("This link was used already or is too old.")
	})
}

// linkTo returns the path of the link in the newest e-mail to an address.
func (d *demo) linkTo(email string) string {
	d.T.Helper()
	link := regexp.MustCompile(`/reset\?token=[\w-]+`)
	var found string
	d.Until("get a link for "+email, func() bool {
		var reply struct {
			Data struct{ Items []struct{ Body string } }
		}
		r := d.Call(d.T, nil, "GET", "/dev/outbox?channel=email&to="+email, nil)
		if err := json.Unmarshal(r.Body, &reply); err != nil {
			d.T.Fatalf("%s: %v", r.Body, err)
		}
		if len(reply.Data.Items) > 0 {
			found = link.FindString(reply.Data.Items[0].Body)
		}
		return found != ""
	})
	return strings.TrimPrefix(found, d.Site)
}
