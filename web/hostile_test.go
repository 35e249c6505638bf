package webapp_test

import (
	"strings"
	"testing"

	"homeroom/internal/feature/file/filetest"
)

const (
	markup  = `<img src=x onerror=hacked=1>`
	closing = `</script><script>hacked=1</script>`
	hebrew  = "\u05d0\u05d1\u05d2" // turns digits and signs that follow in the same line, if nothing holds it
	turned  = "\u202b" + hebrew    // turns the rest of its block; only texts of several lines may have it
)

// ranScripts says whether hostile content has run, or has become an element.
const ranScripts = `String(globalThis.hacked ?? document.querySelector("img[src=x], script:not([src]):not([type])")?.outerHTML ?? "")`

// turnedTexts lists texts that turn their neighbours: neither isolated nor alone in their block.
const turnedTexts = `(() => {
	const out = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
	for (let t = texts.nextNode(); t; t = texts.nextNode()) {
		if (!/[\u202b\u05d0]/.test(t.textContent.replace(/\u2068[^\u2069]*\u2069/g, "")) || !t.parentElement.checkVisibility()) continue
		let e = t.parentElement, held = false
		for (let style; !held && (style = getComputedStyle(e)).display.startsWith("inline"); e = e.parentElement) {
			held = /isolate|plaintext/.test(style.unicodeBidi)
		}
		if (!held && e.textContent.trim() !== t.textContent.trim()) out.push(e.outerHTML.slice(0, 200))
	}
	return out.slice(0, 3).join("\n")
})()`

// unharmed fails the test if a page is changed by hostile content.
func (d *demo) unharmed(path string) {
	d.T.Helper()
	d.goes(path)
	d.Finds("main", "")
	d.settles()
	if ran := d.js(ranScripts); ran != "" {
		d.T.Errorf("%s: hostile content has run: %s", path, ran)
	}
	if texts := d.js(turnedTexts); texts != "" {
		d.T.Errorf("%s: a text turns its neighbours: %s", path, texts)
	}
	failed := d.T.Failed()
	d.FitsWidth()
	if d.T.Failed() && !failed {
		d.T.Errorf("the page above is %s", path)
	}
}

// spoil writes hostile content about a child of the demo's family, whom the demo's teacher teaches.
func (d *demo) spoil(child string) {
	d.T.Helper()
	admin := d.login("admin@greenfield.test")
	put := func(method, path string, body m) {
		d.T.Helper()
		if r := d.Call(d.T, admin, method, path, body); r.Status >= 300 {
			d.T.Fatalf("%s: %d %s", path, r.Status, r.Body)
		}
	}
	huge := filetest.JPEG(4000, 3000) // 12 megapixels
	photo := func() string {
		form, kind := filetest.Form(markup+".jpg", huge)
		return d.Call(d.T, admin, "POST", "/school-admin/file/upload", form, "Content-Type", kind).OK().Text("id")
	}
	long := func(n int) string { return strings.Repeat("W", n-len(markup)) + markup }
	d.Call(d.T, admin, "PUT", "/school-admin/student/"+child, m{"firstName": "a\u202eb"}).Want(422, "Unprocessable Entity") // an override
	var student struct {
		Data struct {
			ClassID, DivisionID string
			Guardians           []struct{ UserID string }
		}
	}
	d.read(d.Call(d.T, admin, "GET", "/school-admin/student/"+child, nil), &student)
	put("PUT", "/school-admin/student/"+child, m{"firstName": markup + "\u200b" + hebrew, "lastName": closing + hebrew, "photoFileId": photo(),
		"rideNotes": turned + long(900), "medicalNotes": turned + long(900)})
	put("POST", "/school-admin/announcement/create", m{"title": markup + closing + hebrew, "body": turned + long(19_000),
		"isPinned": true, "attachments": []string{photo()}})
	today := d.field(admin, "/school-admin/attendance/list?classId="+student.Data.ClassID, "date")
	put("POST", "/school-admin/event/create", m{"title": markup + closing + hebrew, "description": turned + long(4900),
		"venue": long(200), "eventDate": today})
	put("POST", "/school-admin/attendance/mark", m{"classId": student.Data.ClassID, "divisionId": student.Data.DivisionID, "date": today,
		"records": []m{{"studentId": child, "status": "ABSENT", "remark": turned + long(400)}}})
	put("POST", "/school-admin/leave/create", m{"studentId": child, "fromDate": today, "toDate": today,
		"type": "EMERGENCY", "reason": turned + long(900)})
	for _, g := range student.Data.Guardians {
		if g.UserID != "" {
			put("POST", "/school-admin/message/send", m{"recipientId": g.UserID, "body": turned + long(3900)})
			break
		}
	}
}

// TestHostileContent: names with markup and turned text, endless words and huge photos change no page, on phones and in the office.
func TestHostileContent(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		child := d.asParent()
		d.spoil(child)
		class, division := d.seat(child)
		at := map[string]string{"/app/children/{id}": "/app/children/" + child, "{classId}": class, "{divisionId}": division}
		for _, path := range pagesOf(d.T, "src/parent") {
			d.unharmed(strings.ReplaceAll(path, "{id}", child))
		}
		d.goes("/app/home")
		d.Sees(markup)
		d.shared()
		d.becomes("teacher")
		for _, path := range pagesOf(d.T, "src/teacher") {
			for name, id := range at {
				path = strings.ReplaceAll(path, name, id)
			}
			if !strings.Contains(path, "{") { // news are below
				d.unharmed(path)
			}
		}
		d.shared()
		d.becomes("driver")
		for _, path := range pagesOf(d.T, "src/driver") {
			if !strings.Contains(path, "{") {
				d.unharmed(path)
			}
		}
		d.unharmed(d.firstLink("/app/home", "main a[href^='/app/trips/']"))
		d.shared()
		d.goes("/app/me")
		d.Clicks("button", "Sign out")
		d.Looks(1440, "light")
		d.signIn()
		for _, path := range []string{"/app/students", "/app/students/" + child, "/app/attendance", "/app/messages",
			"/app/announcements", "/app/today", "/app/attendance/" + class + "/" + division} {
			d.unharmed(path)
		}
		d.clean()
	})
}

// shared looks at the pages that all phones share, and at the newest news and message.
func (d *demo) shared() {
	d.T.Helper()
	for list, line := range map[string]string{"/app/messages": "a.thread-line", "/app/news": "main a.line[href^='/app/news/']",
		"/app/notifications": "a.notice-line"} {
		d.unharmed(list)
		if first := d.firstLink(list, line); first != "" {
			d.unharmed(first)
		}
	}
}

// becomes signs somebody else in on the same phone.
func (d *demo) becomes(role string) {
	d.T.Helper()
	d.goes("/app/me")
	d.Clicks("button", "Sign out")
	d.Clicks("button", phones[role])
	d.Finds("link", "Me")
}

func (d *demo) seat(student string) (class, division string) {
	d.T.Helper()
	path := "/school-admin/student/" + student
	admin := d.login("admin@greenfield.test")
	return d.field(admin, path, "classId"), d.field(admin, path, "divisionId")
}
