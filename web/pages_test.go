package webapp_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"homeroom/internal/apptest"
)

// look is a window.
type look struct {
	width  int64
	scheme string
}

// TestEveryPage opens every page of the office: it has a heading, passes axe, fits the
// width, and the browser has nothing to complain about. At a desk it is light and English,
// on a phone dark and Spanish.
func TestEveryPage(t *testing.T) {
	t.Parallel()
	eachDemo(t, func(d *demo) {
		ids := d.ids()
		d.signIn()
		d.speaks(d.language)
		for _, path := range pagesOf(d.T, "src/office") {
			d.visit(path, fill(d.T, ids, path))
		}
		d.clean()
	})
}

// TestEveryPlatformPage does the same with the pages of super-administrators.
func TestEveryPlatformPage(t *testing.T) {
	t.Parallel()
	eachDemo(t, func(d *demo) {
		ids := d.ids()
		d.Opens("/")
		d.Clicks("button", "Super-administrator super@homeroom.test")
		d.Finds("heading", "Platform")
		d.speaks(d.language)
		for _, path := range pagesOf(d.T, "src/platform") {
			d.visit(path, fill(d.T, ids, path))
		}
		d.clean()
	})
}

// pagesOf returns the addresses of the pages in a folder, as their pages.ts list them.
func pagesOf(t testing.TB, folder string) []string {
	t.Helper()
	address := regexp.MustCompile(`path: "(/app/[^"]+)"`)
	var out []string
	for name, text := range sources(t) {
		if !strings.HasPrefix(name, folder+"/") {
			continue
		}
		for _, m := range address.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// fill replaces the {names} of an address with ids of records of the demo.
func fill(t testing.TB, ids map[string]string, path string) string {
	t.Helper()
	return regexp.MustCompile(`\{\w+\}`).ReplaceAllStringFunc(path, func(name string) string {
		module := strings.Split(path, "/")[2]
		for _, key := range []string{path + " " + name, module + " " + name, name} {
			if ids[key] != "" {
				return ids[key]
			}
		}
		t.Fatalf("%s: ids has no record for %s", path, name)
		return ""
	})
}

// ids are records that pages about one record are opened with.
func (d *demo) ids() map[string]string {
	d.T.Helper()
	admin, super := d.login("admin@greenfield.test"), d.login("super@homeroom.test")
	class := d.first(admin, "/school-admin/division/list", "classId")
	exam := d.first(admin, "/school-admin/exam/list?status=PUBLISHED", "id")
	return map[string]string{
		"{classId}": class, "{divisionId}": d.first(admin, "/school-admin/division/list?classId="+class, "id"),
		"{studentId}": d.first(admin, "/school-admin/exam/result/list?examId="+exam, "studentId"), "{kind}": "students",
		"students {id}": d.first(admin, "/school-admin/student/list", "id"), "staff {id}": d.first(admin, "/school-admin/employee/list", "id"),
		"guardians {id}": d.first(admin, "/school-admin/guardian/list", "id"), "exams {id}": exam,
		"announcements {id}":              d.first(admin, "/school-admin/announcement/list", "id"),
		"library {id}":                    d.first(admin, "/school-admin/library/book/list", "id"),
		"/app/fees/receipts/{id} {id}":    d.first(admin, "/school-admin/fee/collection/list", "id"),
		"/app/fees/tills/{id} {id}":       d.first(admin, "/school-admin/fee/till/list", "id"),
		"/app/fees/students/{id} {id}":    d.first(admin, "/school-admin/fee/report/dues", "studentId"),
		"/app/transport/routes/{id} {id}": d.first(admin, "/school-admin/transport/route/list", "id"),
		"/app/transport/trips/{id} {id}":  d.first(admin, "/school-admin/transport/trip/list", "id"),
		"platform {id}":                   d.first(super, "/super-admin/school/list", "id"),
	}
}

func (d *demo) login(email string) *apptest.Account {
	d.T.Helper()
	var reply struct{ AccessToken string }
	d.read(d.Call(d.T, nil, "POST", "/auth/login", map[string]any{"email": email, "password": "homeroom-demo"}), &reply)
	return &apptest.Account{Access: reply.AccessToken}
}

// first returns a field of the first row of a list.
func (d *demo) first(who *apptest.Account, list, field string) string {
	d.T.Helper()
	var reply struct {
		Data struct{ Items []map[string]any }
	}
	d.read(d.Call(d.T, who, "GET", list, nil), &reply)
	if len(reply.Data.Items) == 0 {
		d.T.Fatalf("%s is empty in the demo", list)
	}
	return fmt.Sprint(reply.Data.Items[0][field])
}

// count returns how many rows a list has.
func (d *demo) count(who *apptest.Account, list string) string {
	d.T.Helper()
	var reply struct{ Data struct{ Total int } }
	d.read(d.Call(d.T, who, "GET", list, nil), &reply)
	return fmt.Sprint(reply.Data.Total)
}

func (d *demo) read(r apptest.Reply, out any) {
	d.T.Helper()
	if err := json.Unmarshal(r.Body, out); err != nil || r.Status != 200 {
		d.T.Fatalf("%d %s: %v", r.Status, r.Body, err)
	}
}

// visit looks at one page.
func (d *demo) visit(name, path string) {
	d.T.Helper()
	failed := d.T.Failed()
	d.js(watchShifts)
	d.goes(path)
	d.settles()
	if heading := d.js(`document.querySelector("main h1, main h3")?.textContent ?? ""`); heading == "" {
		d.T.Errorf("%s has no heading: %s", name, d.Text())
	}
	if d.finger > 0 {
		d.holdsStill()
		d.suitsPhone()
	}
	for _, look := range d.looks {
		d.Looks(look.width, look.scheme)
		d.PassesAxe(axe)
		d.FitsWidth()
	}
	if d.T.Failed() && !failed {
		d.T.Errorf("the errors above are on %s (and perhaps later pages)", name)
	}
	for _, problem := range d.Seen.Problems()[d.problems:] {
		d.T.Errorf("%s: console: %s", name, problem)
	}
	d.problems = len(d.Seen.Problems())
}

// goes follows a link within the app, without loading it anew.
func (d *demo) goes(path string) {
	d.T.Helper()
	d.js(fmt.Sprintf(`(() => { const a = document.createElement("a"); a.href = %q; document.body.append(a); a.click(); a.remove() })()`, path))
}

// settles waits until nothing is loading.
func (d *demo) settles() {
	d.T.Helper()
	const loaded = `document.querySelector("main") !== null && document.querySelector(".bones, [aria-busy=true]") === null`
	d.Until("the page to load", func() bool { return d.js(loaded) == "true" })
}

func (d *demo) js(expression string) string {
	d.T.Helper()
	text, err := chromedp.Run(d.Tab, chromedp.Evaluate[string](`String(`+expression+`)`))
	if err != nil {
		d.T.Fatalf("%s: %v", expression, err)
	}
	return text
}
