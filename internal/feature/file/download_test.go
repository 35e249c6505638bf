package file_test

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/feature/file/filetest"
	"homeroom/internal/platform/id"
)

// mustSee downloads a file with a token and checks the status.
func (w *world) mustSee(who *apptest.Account, file string, status int) {
	w.Helper()
	if r := w.As(who, "GET", "/file/"+file, nil); r.Status != status {
		w.Errorf("%s of %s: %d %s, want %d", who.Role, who.School, r.Status, r.Body, status)
	}
}

// TestSigned changes each part of a signed URL.
func TestSigned(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		photo, other := w.kept(w.North.Parent, "a.jpg", filetest.JPEG(400, 300)), w.kept(w.North.Parent, "b.jpg", filetest.JPEG(40, 30))
		good := photo.Text("url")
		if again := w.kept(w.North.Parent, "c.pdf", filetest.PDF(300)).Text("url"); strings.Contains(again, "size=") {
			t.Errorf("files: got %v", again)
		}
		with := func(key, value string) string {
			u, err := url.Parse(good)
			if err != nil {
				t.Fatal(err)
			}
			q := u.Query()
			q.Set(key, value)
			if value == "" {
				q.Del(key)
			}
			u.RawQuery = q.Encode()
			return u.String()
		}
		sig := good[strings.Index(good, "signature=")+10:]
		for what, tt := range map[string]struct {
			url    string
			status int
			error  string
		}{
			"as it is":                  {good, 200, ""},
			"in another order":          {with("x", "y"), 200, ""},
			"small":                     {photo.Text("thumbnailUrl"), 200, ""},
			"small with the other sign": {with("size", "thumb"), 403, "PERMISSION_DENIED"},
			"another file":              {strings.Replace(good, photo.Text("id"), other.Text("id"), 1), 403, "PERMISSION_DENIED"},
			"another school":            {with("school", string(w.South.ID)), 403, "PERMISSION_DENIED"},
			"another reader":            {with("user", string(w.North.Admin.ID)), 403, "PERMISSION_DENIED"},
			"no reader":                 {with("user", ""), 403, "PERMISSION_DENIED"},
			"another session":           {with("session", string(id.New())), 403, "PERMISSION_DENIED"},
			"no session":                {with("session", ""), 403, "PERMISSION_DENIED"},
			"another home":              {with("home", string(w.South.ID)), 403, "PERMISSION_DENIED"},
			"a later end":               {with("expires", "9999999999"), 403, "PERMISSION_DENIED"},
			"no end":                    {with("expires", ""), 403, "PERMISSION_DENIED"},
			"a changed sign":            {with("signature", "A"+sig[1:]+"A"), 403, "PERMISSION_DENIED"},
			"an empty sign":             {good[:strings.Index(good, "signature=")] + "signature=", 403, "PERMISSION_DENIED"},
			"no sign":                   {with("signature", ""), 401, "Unauthorized"},
			"nothing":                   {"/file/" + photo.Text("id"), 401, "Unauthorized"},
			"no file":                   {"/file/nonsense", 401, "Unauthorized"},
		} {
			r := w.get(tt.url)
			if tt.status == 200 && r.Status != 200 {
				t.Errorf("%s: %d %s", what, r.Status, r.Body)
			}
			if tt.status != 200 {
				e := r.Want(tt.status, tt.error)
				if tt.status == 403 && !strings.Contains(e.Message, "to get a new link") {
					t.Errorf("%s: the message does not say what to do: %s", what, e.Message)
				}
			}
		}
		w.Pass(59 * time.Minute)
		apptest.Eq(t, "before its end", w.get(good).Status, 200)
		w.Pass(12 * time.Minute)
		if e := w.get(good).Want(403, "PERMISSION_DENIED"); !strings.Contains(e.Message, "expired") {
			t.Errorf("error message: got %v", e.Message)
		}
		if u, err := url.Parse(good); err != nil || u.Host != "" {
			t.Errorf("URL without a base: got %s, want no host", good)
		}
	})
}

// TestSignedForAReader checks that a signed URL stops working when its session ends or
// its user loses access.
func TestSignedForAReader(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		photo := w.kept(w.North.Admin, "p.jpg", filetest.JPEG(40, 40))
		guardian := m{"name": "Pat", "phone": w.North.Parent.Phone}
		student := w.Make("student/create", m{"firstName": "Mia", "photoFileId": photo["id"], "guardians": list{guardian}})
		shown := func() string {
			return w.As(w.North.Parent, "GET", "/parent/student/"+student, nil).OK().Text("photoUrl")
		}
		before := shown()
		if r := w.get(before); r.Status != 200 {
			t.Fatalf("download: got %d %s", r.Status, r.Body)
		}
		guardian["canViewData"] = false
		w.Admin("POST", "/school-admin/student/"+student+"/guardians", guardian).OK()
		w.get(before).Want(403, "PERMISSION_DENIED")
		guardian["canViewData"] = true
		w.Admin("POST", "/school-admin/student/"+student+"/guardians", guardian).OK()
		if r := w.get(before); r.Status != 200 {
			t.Errorf("seen again: %d %s", r.Status, r.Body)
		}
		w.As(w.North.Parent, "POST", "/auth/logout", m{})
		w.get(before).Want(403, "PERMISSION_DENIED")
		w.SignIn(t, w.North.Parent)
		if r := w.get(shown()); r.Status != 200 {
			t.Errorf("signed in again: %d %s", r.Status, r.Body)
		}
		w.get(before).Want(403, "PERMISSION_DENIED")
		w.As(w.Super, "POST", "/super-admin/school/"+string(w.North.ID)+"/suspend", m{}).OK()
		w.get(photo.Text("url")).Want(403, "PERMISSION_DENIED")
	})
}

// TestPublicURL checks URLs with a base URL.
func TestPublicURL(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.kept(w.North.Parent, "a.pdf", filetest.PDF(300)).Text("url")
		path, ok := strings.CutPrefix(at, "https://school.example.org/")
		if !ok || w.get("/"+path).Status != 200 {
			t.Errorf("files: got %v", at)
		}
	}, func(c *app.Config) { c.PublicURL = "https://school.example.org/" })
}

// TestParts tests Range and conditional requests.
func TestParts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		content := filetest.PDF(100_000)
		v := w.kept(w.North.Parent, "a.pdf", content)
		at := v.Text("url")
		tag := w.get(at).Header.Get("ETag")
		for _, tt := range []struct {
			header []string
			status int
			body   []byte
			ranges string
		}{
			{nil, 200, content, ""},
			{[]string{"Range", "bytes=0-99"}, 206, content[:100], "bytes 0-99/100000"},
			{[]string{"Range", "bytes=99990-"}, 206, content[99990:], "bytes 99990-99999/100000"},
			{[]string{"Range", "bytes=-10"}, 206, content[99990:], "bytes 99990-99999/100000"},
			{[]string{"Range", "bytes=0-99", "If-Range", tag}, 206, content[:100], "bytes 0-99/100000"},
			{[]string{"Range", "bytes=0-99", "If-Range", `"another"`}, 200, content, ""},
			{[]string{"If-None-Match", tag}, 304, []byte{}, ""},
			{[]string{"If-None-Match", `"another"`}, 200, content, ""},
			{[]string{"If-Match", `"another"`}, 200, content, ""},
		} {
			r := w.get(at, tt.header...)
			if r.Status != tt.status || !bytes.Equal(r.Body, tt.body) || r.Header.Get("Content-Range") != tt.ranges {
				t.Errorf("%v: %d, %d bytes, %s", tt.header, r.Status, len(r.Body), r.Header.Get("Content-Range"))
			}
		}
		if r := w.get(at, "Range", "bytes=0-1,5-6"); r.Status != 206 || !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/byteranges") {
			t.Errorf("two parts: %d %s", r.Status, r.Header.Get("Content-Type"))
		}
		r := w.get(at, "Range", "bytes=200000-")
		r.Want(416, "Range Not Satisfiable")
		if r.Header.Get("Content-Range") != "bytes */100000" || r.Header.Get("Content-Disposition") != "" {
			t.Errorf("headers of the download: got %v", r.Header)
		}
		if r := w.As(nil, "HEAD", at, nil); r.Status != 200 || len(r.Body) > 0 || r.Header.Get("Content-Length") != "100000" {
			t.Errorf("head: %d %v", r.Status, r.Header)
		}
	})
}

// TestForeign checks that a file of another school looks like a missing one.
func TestForeign(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		v := w.kept(w.South.Admin, "a.pdf", filetest.PDF(300))
		for _, a := range w.Everyone() {
			theirs := w.As(a, "GET", "/file/"+v.Text("id"), nil)
			none := w.As(a, "GET", "/file/"+string(w.NewID()), nil)
			theirs.Want(404, "Not Found")
			if string(theirs.Body) != string(none.Body) {
				t.Errorf("%s: %s and %s", a.Role, theirs.Body, none.Body)
			}
		}
		w.As(w.South.Parent, "GET", "/file/"+v.Text("id"), nil).Want(404, "Not Found") // unattached: only for its uploader
	})
}

// TestWhoSees downloads each kind of file as every role.
func TestWhoSees(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		n := w.North
		class := w.Make("class/create", m{"name": "One"})
		a, b := w.Make("division/create", m{"classId": class, "name": "A"}), w.Make("division/create", m{"classId": class, "name": "B"})
		ann := w.Make("employee/create", m{"firstName": "Ann", "phone": n.Teacher.Phone})
		w.Make("employee/"+ann+"/assignments", m{"assignments": list{m{"classId": class, "divisionId": a, "isClassTeacher": true}}})
		photo := func() any { return w.kept(n.Admin, "p.jpg", filetest.JPEG(40, 40))["id"] }
		student := func(name, division string, own bool, photo any) string {
			body := m{"firstName": name, "classId": class, "divisionId": division, "photoFileId": photo}
			if own {
				body["guardians"] = list{m{"name": "Pat", "phone": n.Parent.Phone}}
			}
			return w.Make("student/create", body)
		}
		mine, others := photo(), photo()
		mia := student("Mia", a, true, mine)
		student("Zoe", b, false, others)
		leave := w.kept(n.Parent, "sick.pdf", filetest.PDF(400))["id"]
		w.As(n.Parent, "POST", "/parent/leave/apply", m{"studentId": mia, "type": "SICK", "fromDate": "2031-01-06",
			"attachments": list{leave}}).OK()
		announce := func(audience string) any {
			f := w.kept(n.Admin, "news.pdf", filetest.PDF(400))["id"]
			w.Make("announcement/create", m{"title": audience, "audience": audience, "attachments": list{f}})
			return f
		}
		toAll, toTeachers := announce("ALL"), announce("TEACHERS")
		later := w.kept(n.Admin, "later.pdf", filetest.PDF(400))["id"]
		w.Make("announcement/create", m{"title": "Later", "publishAt": "2040-01-01T00:00:00Z", "attachments": list{later}})
		loose := w.kept(n.Parent, "loose.pdf", filetest.PDF(400))["id"]
		for _, tt := range []struct {
			what                           string
			file                           any
			parent, teacher, driver, admin int
		}{
			{"the photo of a child", mine, 200, 200, 403, 200},
			{"the photo of another", others, 403, 403, 403, 200},
			{"a child's leave", leave, 200, 200, 403, 200},
			{"news for all", toAll, 200, 200, 200, 200},
			{"news for teachers", toTeachers, 404, 200, 404, 200},
			{"news of tomorrow", later, 404, 404, 404, 200},
			{"what nothing holds", loose, 200, 404, 404, 404},
		} {
			for who, want := range map[*apptest.Account]int{n.Parent: tt.parent, n.Teacher: tt.teacher, n.Driver: tt.driver, n.Admin: tt.admin,
				w.South.Admin: 404, w.South.Parent: 404, w.Super: 404} {
				apptest.Eq(t, fmt.Sprint(tt.what, ": ", who.Role, " of ", who.School, " gets"),
					w.As(who, "GET", "/file/"+tt.file.(string), nil).Status, want)
			}
		}
		w.shown(t, mia)
		w.WithoutPermissions(t)
		w.Pass(time.Minute)
		w.mustSee(n.Parent, mine.(string), 403)
		w.mustSee(n.Teacher, mine.(string), 403)
	})
}

// shown checks the URLs in API responses.
func (w *world) shown(t *testing.T, mia string) {
	t.Helper()
	record := w.As(w.North.Parent, "GET", "/parent/student/"+mia, nil).OK()
	if w.get(record.Text("photoUrl")).Status != 200 || w.get(record.Text("photoThumbnailUrl")).Status != 200 {
		t.Errorf("a photo is not shown: %v", record)
	}
	for _, o := range w.As(w.North.Parent, "GET", "/parent/announcement/list", nil).OK().Items() {
		files, _ := o["attachmentFiles"].([]any)
		if len(files) != 1 || len(o["attachments"].([]any)) != 1 {
			t.Fatalf("files are not shown: %v", o)
		}
		f := apptest.Object(files[0].(map[string]any))
		if f.Text("name") != "news.pdf" || f.Text("contentType") != "application/pdf" || w.get(f.Text("url")).Status != 200 {
			t.Errorf("a file is not shown: %v", f)
		}
	}
	leaves := w.As(w.North.Teacher, "GET", "/teacher/leave/student-requests", nil).OK().Items()
	if len(leaves) != 1 || len(leaves[0]["attachmentFiles"].([]any)) != 1 {
		t.Errorf("a leave's file is not shown: %v", leaves)
	}
}

// TestLogo checks that a logo is public, for e-mails, and nothing else is.
func TestLogo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := "/logo/" + w.North.ID.String()
		w.As(nil, "GET", at, nil).Want(404, "Not Found")
		logo := w.kept(w.North.Admin, "l.png", filetest.PNG(30, 30))
		other := w.kept(w.North.Admin, "other.png", filetest.PNG(31, 31))
		w.Admin("PUT", "/school-admin/setting", m{"logoFileId": logo["id"]}).OK()
		got := w.As(nil, "GET", at+"?v="+logo.Text("id"), nil)
		if got.Status != 200 || got.Header.Get("Content-Type") != "image/png" || !bytes.HasPrefix(got.Body, []byte("\x89PNG")) {
			t.Errorf("response: got %d %v", got.Status, got.Header)
		}
		for _, path := range []string{"/logo/" + logo.Text("id"), "/logo/" + other.Text("id"), "/logo/" + w.South.ID.String(), "/logo/x"} {
			w.As(nil, "GET", path, nil).Want(404, "Not Found")
		}
	})
}
