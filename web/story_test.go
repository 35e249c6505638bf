package webapp_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/browsertest"
)

type (
	m    = apptest.M
	list = apptest.List
)

// office is the office of a demo school: its administrator at a browser, and the API, which
// prepares a story and shows what came of it.
type office struct {
	*demo
	admin   *apptest.Account
	made    int      // number of families made for stories
	refused []string // parts of addresses whose requests the story expects to be refused
}

// story is something that an office does in a school year.
type story struct {
	name string
	play func(o *office)
}

// TestStories plays what an office does in a school year, as a person would. After each
// story the browser must have nothing to complain about; refused requests are complaints.
func TestStories(t *testing.T) {
	t.Parallel()
	eachDemo(t, func(d *demo) {
		o := &office{demo: d, admin: d.login("admin@greenfield.test")}
		o.Looks(1280, "light")
		o.signIn()
		for _, s := range slices.Concat(peopleStories, dayStories, feeStories, officeStories, houseStories, platformStories) {
			o.tell(s)
		}
	})
}

// tell plays one story. After a failure the others go on in a new tab.
func (o *office) tell(s story) {
	whole := o.T.(*testing.T)
	defer func() { o.T = whole }()
	done := whole.Run(s.name, func(t *testing.T) {
		o.T, o.refused = t, nil
		o.Until("no message covers a button", func() bool { // a message may also go by itself
			o.js(`document.querySelectorAll("[aria-label='Close message']").forEach((b) => b.click())`)
			return !o.Has("button", "Close message")
		})
		s.play(o)
		o.quiet()
	})
	if done {
		return
	}
	o.Person, o.problems = browsertest.NewPerson(whole, o.Tab, o.Site), 0
	o.Looks(1280, "light")
	o.signIn()
}

// quiet fails the story for what the browser complained about.
func (o *office) quiet() {
	o.T.Helper()
	problems := o.Seen.Problems()[o.problems:]
	o.problems += len(problems)
	for _, p := range problems {
		if !slices.ContainsFunc(o.refused, func(part string) bool { return strings.Contains(p, part) }) {
			o.T.Errorf("console: %s", p)
		}
	}
}

// at goes to a page and waits until it is loaded.
func (o *office) at(path, heading string) {
	o.T.Helper()
	o.goes(path)
	o.Finds("heading", heading)
	o.settles()
}

// undo takes an action back, by the button beside its message.
func (o *office) undo(message string) {
	o.T.Helper()
	o.Clicks("button", "Undo: "+message)
	o.Sees("Undone.")
}

// get reads from the API.
func (o *office) get(path string) apptest.Object {
	o.T.Helper()
	return o.Call(o.T, o.admin, "GET", "/school-admin/"+path, nil).OK()
}

// make creates a record through the API and returns its id.
func (o *office) make(path string, body m) string {
	o.T.Helper()
	return o.Call(o.T, o.admin, "POST", "/school-admin/"+path, body).OK().Text("id")
}

// find returns the rows of a list that a search finds.
func (o *office) find(list, search string) []apptest.Object {
	o.T.Helper()
	return o.get(list + "?search=" + url.QueryEscape(search)).Items()
}

// class is a class of a story, with one division.
type class struct{ id, division string }

// newClass makes a class with division A.
func (o *office) newClass(name string) class {
	o.T.Helper()
	id := o.make("class/create", m{"name": name})
	return class{id, o.make("division/create", m{"classId": id, "name": "A"})}
}

// student admits a student called "First Last" into a class, with a guardian of the phone.
func (o *office) student(name string, in class, phone string) string {
	o.T.Helper()
	first, last, _ := strings.Cut(name, " ")
	body := m{"firstName": first, "lastName": last, "classId": in.id, "divisionId": in.division}
	if phone != "" {
		body["guardians"] = list{m{"name": "Parent " + last, "relation": "MOTHER", "phone": phone, "isPrimary": true}}
	}
	return o.make("student/create", body)
}

// count numbers families.
func (o *office) count() int { o.made++; return o.made }

// grade returns a class of the demo and its division A.
func (o *office) grade(name string) class {
	o.T.Helper()
	for _, d := range o.get("division/list?limit=100").Items() {
		if d.Text("className") == name && d.Text("name") == "A" {
			return class{d.Text("classId"), d.Text("id")}
		}
	}
	o.T.Fatalf("the demo has no %s A", name)
	return class{}
}

// day is today at the school plus n days.
func (o *office) day(n int) string {
	o.T.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		o.T.Fatal(err)
	}
	return o.Now().In(zone).AddDate(0, 0, n).Format(time.DateOnly)
}

// file writes a file to attach.
func (o *office) file(name string, lines ...string) string {
	o.T.Helper()
	path := filepath.Join(o.T.TempDir(), name)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		o.T.Fatal(err)
	}
	return path
}

// eq checks a value of the API, as text.
func (o *office) eq(what string, got any, want string) {
	o.T.Helper()
	if text := fmt.Sprint(got); text != want {
		o.T.Errorf("%s: got %s, want %s", what, text, want)
	}
}
