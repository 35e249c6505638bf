package webhook_test

import (
	"testing"

	"homeroom/internal/apptest"
)

// TestImported: a webhook that came with a school is told what happens from when the school is resumed. An import writes
// its rows without a signal of webhooks.
func TestImported(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		hook := w.hook("event.created")
		w.Exec(`UPDATE webhooks SET status = 'DISABLED' WHERE school_id = :school`, nil)
		w.event(w.North.Admin)
		apptest.Eq(t, "before the import", types(w.sends()), "")
		w.Exec(`UPDATE webhooks SET status = 'ACTIVE' WHERE school_id = :school AND id = '`+hook.Text("id")+`'`, nil)
		for _, act := range []string{"/suspend", "/resume"} {
			w.As(w.Super, "POST", "/super-admin/school/"+w.North.ID.String()+act, nil).OK()
		}
		w.event(w.North.Admin)
		apptest.Eq(t, "after it", types(w.sends()), "event.created")
	})
}
