package webapp_test

import (
	"testing"
)

// TestUnreadTab: a message raises the number on the tab of Messages by itself, and its notification opens the conversation.
func TestUnreadTab(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.teaches()
		d.Until("the demo's unread messages are counted", func() bool { return d.js(tabCount) != "none" })
		before := d.js(tabCount)
		office := d.login("admin@greenfield.test")
		teacher := d.with(office, "/school-admin/message/recipients?role=TEACHER&limit=100", "name", "Astrid Takahashi", "id")
		d.Call(d.T, office, "POST", "/school-admin/message/send", map[string]any{"recipientId": teacher, "body": "Please call the office."}).OK()
		d.Until("the tab says that there is a message", func() bool { return d.js(tabCount) != before })
		d.goes("/app/notifications")
		d.settles()
		d.js(`document.querySelector("a.notice-line").click()`)
		d.Sees("Please call the office.")
		d.Until("it is read", func() bool { return d.js(tabCount) == before })
		d.clean()
	})
}

const tabCount = `document.querySelector(".tabbar a[href='/app/messages'] .new")?.textContent ?? "none"`

// TestPreferencesOffline changes how a parent is told without a network: the change is there after a new start, and is sent once.
// Signing out warns of what would be lost.
func TestPreferencesOffline(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		wire := d.wired()
		d.asParent()
		d.keeps()
		d.goes("/app/notifications/preferences")
		d.Finds("button", "Save")
		wire.Cut()
		d.Chooses("Language of messages to you optional", "Español")
		d.Clicks("button", "Save")
		d.Sees("Saved.")
		d.Opens("/app/notifications/preferences") // the app starts again without a network
		d.Until("the change is shown", func() bool { return d.js(`document.querySelector("select")?.value ?? ""`) == "es" })

		d.goes("/app/me")
		d.Clicks("button", "Sign out")
		d.Finds("dialog", "Not everything is sent")
		d.Clicks("button", "Stay signed in")
		wire.Mend(0)
		d.Finds("link", "Not sent yet") // without a number
		d.goes("/app/notifications/preferences")
		d.Until("the service has it", func() bool { return d.js(`document.querySelector("select")?.value ?? ""`) == "es" })

		d.goes("/app/leave/new")
		d.Fills("A word to the teacher optional", "A cold")
		d.goes("/app/me")
		d.Finds("button", "Sign out")
		d.js(`dispatchEvent(new StorageEvent("storage", {key: (localStorage.setItem("locked", "yes"), "locked")}))`) // by another tab
		d.Finds("heading", "This screen is locked")
		d.Clicks("button", "Sign out")
		d.Sees("1 thing is kept on this phone only.")
		d.PassesAxe(axe)
		d.Clicks("button", "Stay signed in")
		d.Finds("heading", "This screen is locked")
		d.Clicks("button", "Sign out")
		d.Clicks("button", "Delete them and sign out")
		d.Finds("heading", "Sign in")
	})
}
