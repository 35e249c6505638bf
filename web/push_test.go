package webapp_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestPushInBrowser asks for messages of a closed app. Chromium refuses to subscribe without windows: what it is asked
// for is checked, and that each refusal is a plain sentence. TestBrowser of package notification has the rest.
func TestPushInBrowser(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.asParent()
		d.keeps()
		d.Opens("/app/notifications")
		d.Sees("This browser does not allow it.")

		d.allows()
		d.Opens("/app/notifications")
		d.Finds("button", "Tell me on this phone")
		d.js(notesKey)
		d.Clicks("button", "Tell me on this phone")
		d.Sees("This browser can't show messages of a closed app.")
		if key := d.js(`asked`); len(key) != 87 || strings.ContainsAny(key, "+/=") { // a point of P-256 in base64url
			d.T.Errorf("the browser is asked with the key %q", key)
		}
		d.Finds("button", "Tell me on this phone") // to try again
	})
}

// notesKey notes the key with which the page asks the browser to subscribe.
const notesKey = `(() => {
	const real = PushManager.prototype.subscribe
	PushManager.prototype.subscribe = function (o) { globalThis.asked = o.applicationServerKey; return real.call(this, o) }
})()`

// allows lets the page show notifications from its next load on. Without windows there is nobody to ask, and they are denied.
func (d *demo) allows() {
	d.T.Helper()
	const granted = `
		Object.defineProperty(Notification, "permission", {value: "granted"})
		Notification.requestPermission = async () => "granted"`
	if _, err := chromedp.Call(d.Tab, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: granted}); err != nil {
		d.T.Fatal(err)
	}
}
