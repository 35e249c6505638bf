package message_test

import (
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type (
	m    = apptest.M
	list = apptest.List
)

// world is North. Ann teaches One A and Bob all of Two. Mia and Moe sit in One A,
// Oli in Two. Pat, the school's Parent, has Mia and Moe, Una has Mia, Zed has Oli.
// Hid is a guardian of Mia too, who may not see her data. Eve is an administrator
// beside the school's Admin.
type world struct {
	*apptest.World
	one, a, two        string
	ann, bob           string // employees
	mia, moe, oli      string
	anns, bobs         *apptest.Account
	pat, una, zed, hid *apptest.Account
	eve                *apptest.Account
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	apptest.Worlds(t, newWorld, test)
}

func newWorld(base *apptest.World) *world {
	base.Helper()
	w := &world{World: base, pat: base.North.Parent}
	w.one, w.two = w.Make("class/create", m{"name": "One"}), w.Make("class/create", m{"name": "Two"})
	w.a = w.Make("division/create", m{"classId": w.one, "name": "A"})
	w.ann = w.Make("employee/create", m{"firstName": "Ann", "lastName": "Lee", "phone": "+15550300001"})
	w.bob = w.Make("employee/create", m{"firstName": "Bob", "phone": "+15550300002"})
	w.assign(w.ann, m{"classId": w.one, "divisionId": w.a})
	w.assign(w.bob, m{"classId": w.two})
	pat, una := m{"name": "Pat Roe", "phone": w.North.Parent.Phone}, m{"name": "Una", "phone": "+15550300011"}
	hid, zed := m{"name": "Hid", "phone": "+15550300012", "canViewData": false}, m{"name": "Zed", "phone": "+15550300013"}
	w.mia = w.Make("student/create", m{"firstName": "Mia", "lastName": "Roe", "classId": w.one, "divisionId": w.a,
		"guardians": list{pat, una, hid}})
	w.moe = w.Make("student/create", m{"firstName": "Moe", "classId": w.one, "divisionId": w.a, "guardians": list{pat}})
	w.oli = w.Make("student/create", m{"firstName": "Oli", "classId": w.two, "guardians": list{zed}})
	w.anns, w.bobs = w.Account(actor.Teacher, "+15550300001"), w.Account(actor.Teacher, "+15550300002")
	w.una, w.hid, w.zed = w.Account(actor.Parent, "+15550300011"), w.Account(actor.Parent, "+15550300012"),
		w.Account(actor.Parent, "+15550300013")
	w.Make("employee/create", m{"firstName": "Eve", "roleId": w.Role(actor.SchoolAdmin), "email": "eve@north.test"})
	w.eve = w.Account(actor.SchoolAdmin, "eve@north.test")
	return w
}

func (w *world) assign(employee string, to ...m) {
	w.Helper()
	w.Admin("POST", "/school-admin/employee/"+employee+"/assignments", m{"assignments": to}).OK()
}

// at returns a path of the module for the account's role.
func at(who *apptest.Account, path string) string {
	return "/" + who.Role.Prefix() + "/message/" + path
}

// send sends to a recipient; student "" is omitted.
func (w *world) send(who *apptest.Account, to id.ID, student, body string) apptest.Reply {
	w.Helper()
	in := m{"recipientId": to, "body": body}
	if student != "" {
		in["studentId"] = student
	}
	return w.As(who, "POST", at(who, "send"), in)
}

// answer sends a message in a conversation.
func (w *world) answer(who *apptest.Account, thread, body string) apptest.Reply {
	w.Helper()
	return w.As(who, "POST", at(who, "send"), m{"threadId": thread, "body": body})
}

// office is the office as a recipient.
func (w *world) office() id.ID { return w.North.ID }

func (w *world) threads(who *apptest.Account, query string) apptest.Object {
	w.Helper()
	return w.As(who, "GET", at(who, "threads"+query), nil).OK()
}

// talk joins the messages of a conversation, latest first.
func (w *world) talk(who *apptest.Account, thread, query string) string {
	w.Helper()
	return strings.Join(w.As(who, "GET", at(who, "thread/"+thread+query), nil).OK().Texts("body"), " ")
}

func (w *world) markRead(who *apptest.Account, thread string, body m) apptest.Reply {
	w.Helper()
	return w.As(who, "POST", at(who, "thread/"+thread+"/read"), body)
}

// unread is the unread count of an account's conversations.
func (w *world) unread(who *apptest.Account) int {
	w.Helper()
	n, _ := w.threads(who, "")["unreadCount"].(float64)
	return int(n)
}

// threadOf returns the conversation of a sent message.
func threadOf(sent apptest.Object) string { return sent.Object("thread").Text("id") }

func messageOf(sent apptest.Object) string { return sent.Object("message").Text("id") }
