package announcement_test

import (
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/file/filetest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type m = map[string]any

const admin = "/school-admin/announcement/"

// world is the school North with Grade 1 (divisions A and B) and Grade 2 (A). Ann
// teaches 1 A, Bob all of Grade 2. Mia and her brother Max are in 1 A, Noa in 1 B, Oli
// in 2 A.
type world struct {
	*testing.T
	*apptest.Service
	one, two, oneA, oneB, twoA string
	ann, bob                   *apptest.Account
	mia, max, noa, oli         string
	ofMia, alsoOfMia           *apptest.Account
	ofNoa, ofOli               *apptest.Account
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) { test(t, newWorld(t, s)) })
}

func newWorld(t *testing.T, s *apptest.Service) *world {
	t.Helper()
	w := &world{T: t, Service: s}
	w.one, w.two = w.make("class", m{"name": "Grade 1"}), w.make("class", m{"name": "Grade 2"})
	w.oneA = w.make("division", m{"classId": w.one, "name": "A"})
	w.oneB = w.make("division", m{"classId": w.one, "name": "B"})
	w.twoA = w.make("division", m{"classId": w.two, "name": "A"})
	w.ann = w.teacher("Ann", "+15550200001", m{"classId": w.one, "divisionId": w.oneA})
	w.bob = w.teacher("Bob", "+15550200002", m{"classId": w.two})
	w.mia = w.student("Mia", w.one, w.oneA, "+15550200011", "+15550200012")
	w.max = w.student("Max", w.one, w.oneA, "+15550200011", "+15550200012")
	w.noa = w.student("Noa", w.one, w.oneB, "+15550200013")
	w.oli = w.student("Oli", w.two, w.twoA, "+15550200014")
	w.ofMia, w.alsoOfMia = w.account(actor.Parent, "+15550200011"), w.account(actor.Parent, "+15550200012")
	w.ofNoa, w.ofOli = w.account(actor.Parent, "+15550200013"), w.account(actor.Parent, "+15550200014")
	w.Call(t, s.North.Admin, "PUT", "/school-admin/setting", m{"digestMinutes": 0}).OK() // each push by itself
	w.drain()                                                                            // the invitations
	return w
}

// make creates a record as the administrator and returns its id.
func (w *world) make(module string, body m) string {
	w.Helper()
	return w.Call(w.T, w.North.Admin, "POST", "/school-admin/"+module+"/create", body).OK().Text("id")
}

func (w *world) teacher(name, phone string, assigned m) *apptest.Account {
	w.Helper()
	e := w.make("employee", m{"firstName": name, "phone": phone})
	w.Call(w.T, w.North.Admin, "POST", "/school-admin/employee/"+e+"/assignments", m{"assignments": []m{assigned}}).OK()
	return w.account(actor.Teacher, phone)
}

func (w *world) student(name, class, division string, phones ...string) string {
	w.Helper()
	var guardians []m
	for _, p := range phones {
		guardians = append(guardians, m{"name": "Of " + name, "phone": p, "canViewData": true})
	}
	return w.make("student", m{"firstName": name, "classId": class, "divisionId": division, "guardians": guardians})
}

// account signs in the user of North with this phone.
func (w *world) account(role actor.Role, phone string) *apptest.Account {
	w.Helper()
	user, err := db.One[id.ID](w.Context(), w.DB.School(w.North.ID),
		`SELECT id FROM users WHERE school_id = :school AND role = :role AND phone = :phone`, db.Args{"role": role, "phone": phone})
	if err != nil {
		w.Fatal(err)
	}
	a := &apptest.Account{ID: user, School: w.North.ID, Role: role, Phone: phone}
	w.SignIn(w.T, a)
	return a
}

// readers are all possible readers, by name.
func (w *world) readers() map[string]*apptest.Account {
	return map[string]*apptest.Account{"mia": w.ofMia, "mia2": w.alsoOfMia, "noa": w.ofNoa, "oli": w.ofOli, "parent": w.North.Parent,
		"ann": w.ann, "bob": w.bob, "teacher": w.North.Teacher, "driver": w.North.Driver,
		"far parent": w.South.Parent, "far teacher": w.South.Teacher, "far driver": w.South.Driver}
}

// later moves the clock and signs everyone in again.
func (w *world) later(d time.Duration) {
	w.Helper()
	w.Clock.Add(d)
	for _, a := range w.readers() {
		w.SignIn(w.T, a)
	}
	w.SignIn(w.T, w.North.Admin)
	w.SignIn(w.T, w.South.Admin)
}

// drain runs the due jobs.
func (w *world) drain() {
	w.Helper()
	if err := w.Queue.Drain(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// write creates an announcement as the administrator.
func (w *world) write(body m) apptest.Object {
	w.Helper()
	return w.Call(w.T, w.North.Admin, "POST", admin+"create", body).OK()
}

func (w *world) read(announcement string) apptest.Object {
	w.Helper()
	return w.Call(w.T, w.North.Admin, "GET", admin+announcement, nil).OK()
}

// list returns the titles of a user's list.
func (w *world) list(who *apptest.Account, query string) string {
	w.Helper()
	var out []string
	for _, a := range w.Call(w.T, who, "GET", "/"+who.Role.Prefix()+"/announcement/list"+query, nil).OK().Items() {
		out = append(out, a.Text("title"))
	}
	return strings.Join(out, " ")
}

func (w *world) open(who *apptest.Account, announcement string) apptest.Reply {
	w.Helper()
	return w.Call(w.T, who, "GET", "/"+who.Role.Prefix()+"/announcement/"+announcement, nil)
}

// log returns the bodies of a user's notifications, the newest first.
func (w *world) log(who *apptest.Account) string {
	w.Helper()
	var out []string
	o := w.Call(w.T, who, "GET", "/"+who.Role.Prefix()+"/notification/delivered-notifications?limit=100", nil).OK()
	for _, n := range o["notifications"].([]any) {
		out = append(out, n.(m)["body"].(string))
	}
	return strings.Join(out, " ")
}

// pushes returns the topics that got a push with this text.
func (w *world) pushes(body string) []string {
	w.Helper()
	list, err := db.All[string](w.Context(), w.DB.School(w.North.ID), `
		SELECT d.to_addr FROM deliveries d WHERE d.school_id = :school AND d.channel = 'push' AND EXISTS (
			SELECT 1 FROM notifications n WHERE n.school_id = d.school_id AND n.body = :body
				AND CAST(d.data AS TEXT) LIKE '%' || CAST(n.record_id AS TEXT) || '%')
		ORDER BY d.to_addr`, db.Args{"body": body})
	if err != nil {
		w.Fatal(err)
	}
	return list
}

func (w *world) rows(from string, a db.Args) int {
	w.Helper()
	n, err := db.One[int](w.Context(), w.DB.School(w.North.ID), `SELECT COUNT(*) FROM `+from, a)
	if err != nil {
		w.Fatal(err)
	}
	return n
}

// upload uploads a letter as the administrator.
func (w *world) upload() string {
	w.Helper()
	body, typ := filetest.Form("letter.pdf", filetest.PDF(300))
	return w.Call(w.T, w.North.Admin, "POST", "/school-admin/file/upload", body, "Content-Type", typ).OK().Text("id")
}
