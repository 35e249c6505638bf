package message_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// upload uploads a picture, different each time.
func (w *world) upload(who *apptest.Account) string {
	w.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 8, 8))
	img.Set(1, 1, color.RGBA{R: uint8(len(w.Name())), A: 255})
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", "letter.png")
	if err == nil {
		err = png.Encode(part, img)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		w.Fatal(err)
	}
	return w.Call(w.TB, who, "POST", "/"+who.Role.Prefix()+"/file/upload", body.String(),
		"Content-Type", form.FormDataContentType()).OK().Text("id")
}

// TestAttachments sends files, visible only to the two sides.
func TestAttachments(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		hers, to := w.upload(w.una), w.anns.ID
		with := func(who *apptest.Account, recipient id.ID, files ...string) apptest.Reply {
			t.Helper()
			return w.call(who, "POST", at(who, "send"), m{"recipientId": recipient, "attachments": files})
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
		if n := w.rows(`messages WHERE school_id = :school`, nil); n != 1 {
			t.Errorf("messages after refused attachments: %d", n)
		}
		page := w.call(w.anns, "GET", at(w.anns, "thread/"+threadOf(sent)), nil).OK()
		files, _ := page.Items()[0]["attachments"].([]any)
		if len(files) != 1 || object(files[0]).Text("id") != hers || object(files[0]).Text("url") == "" ||
			object(files[0]).Text("contentType") != "image/png" {
			t.Errorf("Ann sees %v", page)
		}
		if l := object(w.threads(w.anns, "").Items()[0]["lastMessage"]); l["attachmentCount"] != 1.0 || l.Text("body") != "" {
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
				if got := w.call(who, "GET", "/file/"+file, nil); got.Status != want {
					t.Errorf("%s %s sees %s: %d, want %d", who.Role, who.ID, file, got.Status, want)
				}
			}
		}
		sees(hers, w.una, w.anns)
		sees(office, w.una, w.eve, w.North.Admin)

		number := w.first(`SELECT admission_no FROM students WHERE school_id = :school AND id = :id`, db.Args{"id": id.ID(w.mia)})
		w.call(w.North.Admin, "POST", "/school-admin/student/"+w.mia+"/erase", m{"confirm": number}).OK()
		if got := w.call(w.anns, "GET", "/file/"+hers, nil); got.Status != 404 {
			t.Errorf("erased attachment: status %d", got.Status)
		}
		if got := string(w.call(w.anns, "GET", at(w.anns, "thread/"+threadOf(sent)), nil).Body); strings.Contains(got, hers) {
			t.Errorf("attachments of an erased message: %s", got)
		}
	})
}
