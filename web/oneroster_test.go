package webapp_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestOneRoster: the office gives another system a key, sees the secret once, renames the
// key and deletes it. The system reads with what the page showed, until then.
func TestOneRoster(t *testing.T) {
	t.Parallel()
	const system = "Moodle of the school district of San Bartolomé de los Montes"
	eachDemo(t, func(d *demo) {
		d.signIn()
		d.goes("/app/settings/webhooks")
		d.Looks(d.looks[0].width, d.looks[0].scheme)
		d.Sees("OneRoster", "Save as OneRoster")
		d.Clicks("button", "Add a key")
		d.Fills("Name of the other system", system)
		d.Clicks("button", "Add")
		d.Sees("Client id", "Client secret", "/ims/oneroster/token", "/ims/oneroster/rostering/v1p2", "The secret is not shown again.")
		d.PassesAxe(axe)
		d.FitsWidth()
		shown := strings.Split(d.js(`[...document.querySelectorAll("dialog pre")].map((p) => p.textContent).join(" ")`), " ")
		token := func() int {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.URL+"/ims/oneroster/token",
				strings.NewReader("grant_type=client_credentials"))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(shown[0]+":"+shown[1])))
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			_, _ = io.Copy(io.Discard, res.Body)
			return res.StatusCode
		}
		if got := token(); got != 200 {
			t.Errorf("with the key of the page: %d", got)
		}
		d.Clicks("button", "I have noted it")
		d.Sees(system, "active")
		d.PassesAxe(axe)
		d.FitsWidth()
		d.Clicks("button", "Rename "+system)
		d.Fills("Name of the other system", "Library")
		d.PassesAxe(axe)
		d.Clicks("button", "Save")
		d.Sees("Library")
		d.SeesNo(system)
		d.Clicks("button", "Delete Library")
		d.Sees("Delete Library?")
		d.PassesAxe(axe)
		d.Clicks("button", "Delete")
		d.Sees("Library is deleted.")
		if got := token(); got != 401 {
			t.Errorf("with a deleted key: %d", got)
		}
		d.clean()
	})
}
