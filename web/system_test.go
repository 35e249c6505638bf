package webapp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// signInSuper signs the super-administrator in with one click, and runs the jobs.
func (d *demo) signInSuper() {
	d.T.Helper()
	d.Work(d.T)
	d.Opens("/")
	d.Clicks("button", "Super-administrator super@homeroom.test")
	d.Finds("heading", "Platform")
}

// TestBackupInTheBrowser makes a backup, sees it listed and downloads it.
func TestBackupInTheBrowser(t *testing.T) {
	t.Parallel()
	eachDemo(t, func(d *demo) {
		saved := d.T.TempDir()
		d.SavesTo(saved)
		d.signInSuper()
		d.Clicks("link", "Backups")
		d.Sees("There is no backup yet.")
		d.Clicks("button", "Back up now")
		d.Sees("complete", "Sam Okafor")
		name := d.js(`document.querySelector("[aria-label^='Download the backup of']").ariaLabel`)
		d.Clicks("button", name)
		d.Sees("The download has begun.")
		d.Until("save the backup", func() bool {
			files, err := filepath.Glob(filepath.Join(saved, "homeroom-*.tar.gz"))
			if err != nil || len(files) != 1 {
				return false
			}
			info, err := os.Stat(files[0])
			return err == nil && info.Size() > 10_000
		})
		d.Clicks("link", "System")
		d.Sees("1 node runs.", "Requests a second", "this one", "Largest tables")
		d.clean()
	})
}

// TestTestMessage sends a test message from the platform and from a school, and finds both
// in the outbox.
func TestTestMessage(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signInSuper()
		d.Clicks("link", "Providers")
		d.Clicks("button", "Send me a test by E-mail")
		d.Sees("Sent to super@homeroom.test.")
		d.Clicks("button", "Send me a test by Push")
		d.Sees("No device of yours is registered for push.")
		d.Clicks("button", "Your account, Sam Okafor")
		d.Clicks("button", "Sign out")
		d.signIn()
		d.goes("/app/settings?part=messages")
		d.Clicks("button", "Send me a test by E-mail")
		d.Sees("Sent to admin@greenfield.test.")
		for _, who := range []string{"super@homeroom.test", "admin@greenfield.test"} {
			r := d.Call(d.T, nil, "GET", "/dev/outbox?channel=email&to="+who, nil, "Accept", "application/json")
			if r.Status != 200 || !strings.Contains(string(r.Body), "test message") {
				d.T.Errorf("the outbox of %s: %d %s", who, r.Status, r.Body)
			}
		}
	})
}
