package webapp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestWebhooks: the office registers another system, sees the secret once, sends a test and
// finds it delivered. The platform's page is the same.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "thank you") }))
	t.Cleanup(other.Close)
	inDemo(t, func(d *demo) {
		d.Work(d.T)
		d.signIn()
		d.goes("/app/settings")
		d.Clicks("link", "Webhooks and OneRoster")
		d.Sees("No webhooks yet")
		d.Clicks("button", "Add a webhook")
		d.Fills("Address of the other system", other.URL+"/hook")
		d.Fills("Name optional", "Library system")
		d.Clicks("checkbox", "Students: added")
		d.Clicks("button", "Add")
		d.Sees("whsec_", "It is not shown again.")
		d.PassesAxe(axe)
		d.Clicks("button", "I have noted it")
		d.Sees("Library system", "active")
		d.PassesAxe(axe)
		d.FitsWidth()
		d.Clicks("button", "Actions for Library system")
		d.Clicks("button", "Send a test")
		d.Sees("A test is on its way.")
		d.Clicks("button", "Actions for Library system")
		d.Clicks("button", "What was sent")
		d.Until("the test is delivered", func() bool {
			d.Clicks("button", "Look again")
			return d.js(`String(document.querySelector("dialog").innerText.includes("thank you"))`) == "true"
		})
		d.Sees("Test", "delivered")
		d.PassesAxe(axe)
		d.clean()
	})
}
