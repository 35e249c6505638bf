package message_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/file/filetest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// upload uploads a picture.
func (w *world) upload(who *apptest.Account) string {
	w.Helper()
	body, typ := filetest.Form("letter.png", filetest.PNG(8, 8))
	return w.As(who, "POST", "/"+who.Role.Prefix()+"/file/upload", body, "Content-Type", typ).OK().Text("id")
}

// TestAttachments sends files, visible only to the two sides.
func TestAttachments(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		hers, to := w.upload(w.una), w.anns.ID
		with := func(who *apptest.Account, recipient id.ID, files ...string) apptest.Reply {
			t.Helper()
			return w.As(who, "POST", at(who, "send"), m{"recipientId": recipient, "attachments": files})
		}
		sent := with(w.una, to, hers).OK()
		for _, tt := range []struct {
			name string
			got  apptest.Reply
		}{
			{"a file that is attached already", with(w.una, to, hers)},
			{"another's file", with(w.una, to, w.upload(w.pat))},
			{"an unknown one", with(w.una, to, string(id.New()))},
			{"another school's", with(w.una, to, w.upload(w.South.Parent))},
		} {
			if tt.got.Status != 404 {
				t.Errorf("attach %s: %d %s", tt.name, tt.got.Status, tt.got.Body)
			}
		}
		apptest.Eq(t, "messages after refused attachments", w.Count(`messages WHERE school_id = :school`, nil), 1)
		page := w.As(w.anns, "GET", at(w.anns, "thread/"+threadOf(sent)), nil).OK()
		files := page.Items()[0].Objects("attachments")
		if len(files) != 1 || files[0].Text("id") != hers || files[0].Text("url") == "" || files[0].Text("contentType") != "image/png" {
			t.Errorf("Ann sees %v", page)
		}
		if l := w.threads(w.anns, "").Items()[0].Object("lastMessage"); l["attachmentCount"] != 1.0 || l.Text("body") != "" {
			t.Errorf("Ann's list: %v", l)
		}
		office := w.upload(w.una)
		with(w.una, w.office(), office).OK()
		sees := func(file string, yes ...*apptest.Account) {
			t.Helper()
			for _, who := range []*apptest.Account{w.una, w.anns, w.bobs, w.pat, w.zed, w.eve,
				w.North.Admin, w.North.Driver, w.South.Admin, w.South.Parent} {
				want := 404
				for _, y := range yes {
					if y == who {
						want = 200
					}
				}
				apptest.Eq(t, fmt.Sprint(who.Role, " ", who.ID, " sees ", file), w.As(who, "GET", "/file/"+file, nil).Status, want)
			}
		}
		sees(hers, w.una, w.anns)
		sees(office, w.una, w.eve, w.North.Admin)

		number := w.One(`SELECT admission_no FROM students WHERE school_id = :school AND id = :id`, db.Args{"id": id.ID(w.mia)})
		w.Admin("POST", "/school-admin/student/"+w.mia+"/erase", m{"confirm": number}).OK()
		apptest.Eq(t, "erased attachment: status", w.As(w.anns, "GET", "/file/"+hers, nil).Status, 404)
		if got := string(w.As(w.anns, "GET", at(w.anns, "thread/"+threadOf(sent)), nil).Body); strings.Contains(got, hers) {
			t.Errorf("attachments of an erased message: %s", got)
		}
	})
}
