package announcement_test

import (
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type m = apptest.M

const admin = "/school-admin/announcement/"

// world is the school North with Grade 1 (divisions A and B) and Grade 2 (A). Ann
// teaches 1 A, Bob all of Grade 2. Mia and her brother Max are in 1 A, Noa in 1 B, Oli
// in 2 A.
type world struct {
	*apptest.World
	one, two, oneA, oneB, twoA string
	ann, bob                   *apptest.Account
	mia, max, noa, oli         string
	ofMia, alsoOfMia           *apptest.Account
	ofNoa, ofOli               *apptest.Account
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	apptest.Worlds(t, newWorld, test)
}

func newWorld(base *apptest.World) *world {
	base.Helper()
	w := &world{World: base}
	w.one, w.two = w.Make("class/create", m{"name": "Grade 1"}), w.Make("class/create", m{"name": "Grade 2"})
	w.oneA = w.Make("division/create", m{"classId": w.one, "name": "A"})
	w.oneB = w.Make("division/create", m{"classId": w.one, "name": "B"})
	w.twoA = w.Make("division/create", m{"classId": w.two, "name": "A"})
	w.ann = w.teacher("Ann", "+15550200001", m{"classId": w.one, "divisionId": w.oneA})
	w.bob = w.teacher("Bob", "+15550200002", m{"classId": w.two})
	w.mia = w.student("Mia", w.one, w.oneA, "+15550200011", "+15550200012")
	w.max = w.student("Max", w.one, w.oneA, "+15550200011", "+15550200012")
	w.noa = w.student("Noa", w.one, w.oneB, "+15550200013")
	w.oli = w.student("Oli", w.two, w.twoA, "+15550200014")
	w.ofMia, w.alsoOfMia = w.Account(actor.Parent, "+15550200011"), w.Account(actor.Parent, "+15550200012")
	w.ofNoa, w.ofOli = w.Account(actor.Parent, "+15550200013"), w.Account(actor.Parent, "+15550200014")
	w.Admin("PUT", "/school-admin/setting", m{"digestMinutes": 0}).OK() // each push by itself
	w.Drain()                                                           // the invitations
	return w
}

func (w *world) teacher(name, phone string, assigned m) *apptest.Account {
	w.Helper()
	e := w.Make("employee/create", m{"firstName": name, "phone": phone})
	w.Admin("POST", "/school-admin/employee/"+e+"/assignments", m{"assignments": []m{assigned}}).OK()
	return w.Account(actor.Teacher, phone)
}

func (w *world) student(name, class, division string, phones ...string) string {
	w.Helper()
	var guardians []m
	for _, p := range phones {
		guardians = append(guardians, m{"name": "Of " + name, "phone": p, "canViewData": true})
	}
	return w.Make("student/create", m{"firstName": name, "classId": class, "divisionId": division, "guardians": guardians})
}

// readers are all possible readers, by name.
func (w *world) readers() map[string]*apptest.Account {
	return map[string]*apptest.Account{"mia": w.ofMia, "mia2": w.alsoOfMia, "noa": w.ofNoa, "oli": w.ofOli, "parent": w.North.Parent,
		"ann": w.ann, "bob": w.bob, "teacher": w.North.Teacher, "driver": w.North.Driver,
		"far parent": w.South.Parent, "far teacher": w.South.Teacher, "far driver": w.South.Driver}
}

// write creates an announcement as the administrator.
func (w *world) write(body m) apptest.Object {
	w.Helper()
	return w.Admin("POST", admin+"create", body).OK()
}

func (w *world) read(announcement string) apptest.Object {
	w.Helper()
	return w.Admin("GET", admin+announcement, nil).OK()
}

// list returns the titles of a user's list.
func (w *world) list(who *apptest.Account, query string) string {
	w.Helper()
	return strings.Join(w.As(who, "GET", "/"+who.Role.Prefix()+"/announcement/list"+query, nil).OK().Texts("title"), " ")
}

func (w *world) open(who *apptest.Account, announcement string) apptest.Reply {
	w.Helper()
	return w.As(who, "GET", "/"+who.Role.Prefix()+"/announcement/"+announcement, nil)
}

// log returns the bodies of a user's notifications, the newest first.
func (w *world) log(who *apptest.Account) string {
	w.Helper()
	o := w.As(who, "GET", "/"+who.Role.Prefix()+"/notification/delivered-notifications?limit=100", nil).OK()
	return strings.Join(apptest.Pick(o["notifications"], "body"), " ")
}

// pushes returns the topics that got a push with this text.
func (w *world) pushes(body string) []string {
	w.Helper()
	return w.All(`
		SELECT d.to_addr FROM deliveries d WHERE d.school_id = :school AND d.channel = 'push' AND EXISTS (
			SELECT 1 FROM notifications n WHERE n.school_id = d.school_id AND n.body = :body
				AND CAST(d.data AS TEXT) LIKE '%' || CAST(n.record_id AS TEXT) || '%')
		ORDER BY d.to_addr`, db.Args{"body": body})
}
