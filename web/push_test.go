package webapp_test

import (
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// TestPushInBrowser asks for messages of a closed app. Each test has a context of its own, in which Chromium refuses to subscribe:
// what it is asked for is checked, and that each refusal is a plain sentence. TestBrowser of package notification has the rest.
func TestPushInBrowser(t *testing.T) {
	t.Parallel()
	eachDemo(t, func(d *demo) {
		d.asParent()
		d.keeps()
		d.allows(cdpbrowser.PermissionSettingDenied)
		d.goes("/app/notifications")
		d.Sees("This browser does not allow it.")

		d.allows(cdpbrowser.PermissionSettingGranted)
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

// allows sets whether the browser may show notifications.
func (d *demo) allows(setting cdpbrowser.PermissionSetting) {
	d.T.Helper()
	tab, err := chromedp.Call(d.Tab, target.GetTargetInfo, target.GetTargetInfoParams{})
	if err == nil {
		_, err = chromedp.Call(d.Tab, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{Setting: setting, Origin: d.Site,
			Permission: &cdpbrowser.PermissionDescriptor{Name: "notifications"}, BrowserContextID: tab.TargetInfo.BrowserContextID})
	}
	if err != nil {
		d.T.Fatal(err)
	}
}
