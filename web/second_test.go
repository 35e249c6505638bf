package webapp_test

import (
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/token"
)

// TestSecondStep: an administrator turns on the second step, signs in with it, and turns it off with a recovery code.
func TestSecondStep(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		d.goes("/app/account")
		d.Clicks("button", "Turn on")
		d.Finds("dialog", "Turn on the second step")
		d.Clicks("button", "Show the key")
		secret := d.appKey()
		d.PassesAxe(axe)
		d.Fills("Code", "000000")
		d.Clicks("button", "Turn on")
		d.Sees("This code is not right.")
		d.Fills("Code", token.TOTP(secret, d.Clock.Now()))
		d.Clicks("button", "Turn on")
		recovery := d.recoveryCodes()
		d.Clicks("button", "I have written them down")
		d.Finds("button", "Turn off")
		d.Clicks("button", "Your account, Grace Whitfield")
		d.Clicks("button", "Sign out")

		d.Clicks("button", "Administrator admin@greenfield.test")
		d.Finds("textbox", "Code from your app, or a recovery code")
		if d.Has("image", "QR code for your authenticator app") {
			d.T.Error("the key is shown to whoever knows the password")
		}
		d.PassesAxe(axe)
		d.Clock.Add(30 * time.Second) // a code works once
		d.Fills("Code from your app, or a recovery code", token.TOTP(secret, d.Clock.Now()))
		d.Clicks("button", "Sign in")
		d.Finds("heading", "Needs you")

		d.goes("/app/account")
		d.Clicks("button", "Turn off")
		d.Fills("Code from your app, or a recovery code", recovery[0])
		d.Clicks("button", "Turn off")
		d.Finds("button", "Turn on")
	})
}

// TestRequiredSecondStep: where the school requires it, an administrator sets it up while signing in. Other people have none.
func TestRequiredSecondStep(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.Call(d.T, d.login("admin@greenfield.test"), "PUT", "/school-admin/setting", map[string]any{"requireSecondFactor": true}).OK()
		d.Opens("/")
		d.Clicks("button", "Administrator admin@greenfield.test")
		d.Sees("Administrators sign in here with a second step")
		d.Clicks("button", "Set it up")
		secret := d.appKey()
		d.PassesAxe(axe)
		d.Fills("Code from your app, or a recovery code", token.TOTP(secret, d.Clock.Now()))
		d.Clicks("button", "Sign in")
		d.recoveryCodes()
		d.Clicks("button", "I have written them down")
		d.Finds("heading", "Needs you")
		d.Clicks("button", "Your account, Grace Whitfield")
		d.Clicks("button", "Sign out")

		d.asParent()
		d.goes("/app/account")
		d.Finds("heading", "Where you are signed in")
		if text := d.Text(); strings.Contains(text, "Second step") {
			d.T.Errorf("a parent is offered what only administrators have: %s", text)
		}
	})
}

// appKey reads the key that the page shows for an authenticator app, beside its QR code.
func (d *demo) appKey() string {
	d.T.Helper()
	d.Finds("image", "QR code for your authenticator app")
	return strings.ReplaceAll(d.js(`document.querySelector(".codes").textContent`), " ", "")
}

func (d *demo) recoveryCodes() []string {
	d.T.Helper()
	d.Sees("Each works once if you lose your phone.")
	codes := strings.Fields(d.js(`document.querySelector(".codes").textContent`))
	if len(codes) != 10 {
		d.T.Errorf("recovery codes: %v", codes)
	}
	return codes
}
