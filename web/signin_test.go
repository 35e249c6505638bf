package webapp_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/browsertest"
)

// TestSignInByPhone: a phone takes the code from the text message and a PIN is offered; the app is then locked by fingerprint.
func TestSignInByPhone(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.Work(d.T)
		d.Site = strings.Replace(d.Site, "127.0.0.1", "localhost", 1) // keys belong to names
		finger := hasFingerprint(d.Person)
		d.Looks(390, "light")
		d.Opens("/")
		d.Finds("textbox", "Phone")
		d.js(`(window.OTPCredential = class {}, navigator.credentials.get = () => new Promise((read) => {
			window.smsArrives = (code) => read({ code }) }), 0)`)
		const phone = "+15550100002"
		d.Fills("Phone", phone)
		d.Clicks("button", "Send me a code")
		d.Finds("textbox", "Code sent to "+phone)
		d.PassesAxe(axe)
		d.js(`(smsArrives("` + d.textedTo(phone) + `"), 0)`)
		d.Finds("dialog", "Next time without a code")
		d.PassesAxe(axe)
		d.Fills("PIN", "1")
		d.Clicks("button", "Set PIN")
		d.Sees("must be 4 to 6 digits")
		d.Fills("PIN", "7392")
		d.Clicks("button", "Set PIN")
		d.Sees("The PIN is set.")
		d.Finds("heading", "For you to do")
		if d.Has("dialog", "Next time without a code") {
			d.T.Error("the offer of a PIN stays")
		}

		d.goes("/app/account")
		d.Clicks("button", "Turn on the lock of this app")
		d.Finds("button", "Turn off the lock of this app")
		d.Opens("/app/home") // the same tab
		d.Finds("heading", "For you to do")

		stranger, _ := d.SecondTab() // somebody else's finger
		hasFingerprint(stranger)(false)
		stranger.Opens("/app/home")
		stranger.Finds("heading", "This screen is locked")
		stranger.Sees("The phone did not recognize you.")
		if text := stranger.Text(); strings.Contains(text, "For you to do") {
			d.T.Errorf("the page can be read below the lock: %s", text)
		}
		stranger.PassesAxe(axe)
		stranger.Fills("PIN", "1111")
		stranger.Clicks("button", "Unlock with PIN")
		stranger.Sees("PIN is not right")
		stranger.Finds("heading", "This screen is locked")
		stranger.Fills("PIN", "7392")
		stranger.Clicks("button", "Unlock with PIN")
		stranger.Finds("heading", "For you to do")

		starts := func() { d.js(`(sessionStorage.clear(), 0)`); d.Opens("/app/home") } // as a new start of the app
		starts()
		d.Finds("heading", "For you to do")
		finger(false)
		starts()
		d.Finds("heading", "This screen is locked")
		d.Sees("The phone did not recognize you.")
		finger(true)
		d.Clicks("button", "Unlock with fingerprint or face")
		d.Finds("heading", "For you to do")

		finger(false)
		starts()
		d.Clicks("button", "Sign out")
		d.Finds("heading", "Sign in")
		if kept := d.js(`JSON.stringify(localStorage)`); strings.Contains(kept, "unlock") || strings.Contains(kept, "locked") {
			d.T.Errorf("after signing out the browser keeps %s", kept)
		}
	})
}

// textedTo waits for the code that was sent to a phone.
func (d *demo) textedTo(phone string) string {
	d.T.Helper()
	var code string
	d.Until("send a code", func() bool {
		sent := d.Call(d.T, nil, "GET", "/dev/outbox?channel=sms&to="+url.QueryEscape(phone), nil)
		code = regexp.MustCompile(`\b\d{6}\b`).FindString(string(sent.Body))
		return code != ""
	})
	return code
}

// hasFingerprint gives a tab a fingerprint reader that recognizes the person until told otherwise.
func hasFingerprint(p *browsertest.Person) (recognizes func(bool)) {
	p.T.Helper()
	must := func(err error) {
		p.T.Helper()
		if err != nil {
			p.T.Fatal(err)
		}
	}
	_, err := chromedp.Call(p.Tab, webauthn.Enable, webauthn.EnableParams{})
	must(err)
	reader := &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal, HasResidentKey: true,
		HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true}
	made, err := chromedp.Call(p.Tab, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: reader})
	must(err)
	return func(yes bool) {
		_, err := chromedp.Call(p.Tab, webauthn.SetUserVerified,
			webauthn.SetUserVerifiedParams{AuthenticatorID: made.AuthenticatorID, IsUserVerified: yes})
		must(err)
	}
}

// TestStrangersOnTheNetwork: wrong tries of others, also on the same network, don't keep out whoever has signed in here before.
func TestStrangersOnTheNetwork(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		d.Clicks("button", "Your account, Grace Whitfield")
		d.Clicks("button", "Sign out")
		d.Finds("heading", "Sign in")
		guess := map[string]any{"email": "admin@greenfield.test", "password": "not the password"}
		status := 0
		for range 6 {
			status = d.Call(d.T, nil, "POST", "/auth/login", guess).Status
		}
		apptest.Eq(d.T, "status of the sixth try", status, 429)
		d.Clicks("button", "Administrator admin@greenfield.test")
		d.Finds("heading", "Needs you")
	})
}
