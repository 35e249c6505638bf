package message_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio/siotest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type (
	m    = map[string]any
	list = []any
)

// world is North. Ann teaches One A and Bob all of Two. Mia and Moe sit in One A,
// Oli in Two. Pat, the school's Parent, has Mia and Moe, Una has Mia, Zed has Oli.
// Hid is a guardian of Mia too, who may not see her data. Eve is an administrator
// beside the school's Admin.
type world struct {
	*apptest.Service
	testing.TB
	one, a, two        string
	ann, bob           string // employees
	mia, moe, oli      string
	anns, bobs         *apptest.Account
	pat, una, zed, hid *apptest.Account
	eve                *apptest.Account
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) { test(t, newWorld(t, s)) })
}

func newWorld(t testing.TB, s *apptest.Service) *world {
	t.Helper()
	w := &world{Service: s, TB: t, pat: s.North.Parent}
	w.one, w.two = w.make("class/create", m{"name": "One"}), w.make("class/create", m{"name": "Two"})
	w.a = w.make("division/create", m{"classId": w.one, "name": "A"})
	w.ann = w.make("employee/create", m{"firstName": "Ann", "lastName": "Lee", "phone": "+15550300001"})
	w.bob = w.make("employee/create", m{"firstName": "Bob", "phone": "+15550300002"})
	w.assign(w.ann, m{"classId": w.one, "divisionId": w.a})
	w.assign(w.bob, m{"classId": w.two})
	pat, una := m{"name": "Pat Roe", "phone": s.North.Parent.Phone}, m{"name": "Una", "phone": "+15550300011"}
	hid, zed := m{"name": "Hid", "phone": "+15550300012", "canViewData": false}, m{"name": "Zed", "phone": "+15550300013"}
	w.mia = w.make("student/create", m{"firstName": "Mia", "lastName": "Roe", "classId": w.one, "divisionId": w.a,
		"guardians": list{pat, una, hid}})
	w.moe = w.make("student/create", m{"firstName": "Moe", "classId": w.one, "divisionId": w.a, "guardians": list{pat}})
	w.oli = w.make("student/create", m{"firstName": "Oli", "classId": w.two, "guardians": list{zed}})
	w.anns, w.bobs = w.account(actor.Teacher, "+15550300001"), w.account(actor.Teacher, "+15550300002")
	w.una, w.hid, w.zed = w.account(actor.Parent, "+15550300011"), w.account(actor.Parent, "+15550300012"),
		w.account(actor.Parent, "+15550300013")
	role := w.first(`SELECT id FROM roles WHERE school_id = :school AND type = 'SCHOOL_ADMIN'`, nil)
	w.make("employee/create", m{"firstName": "Eve", "roleId": role, "email": "eve@north.test"})
	w.eve = &apptest.Account{School: s.North.ID, Role: actor.SchoolAdmin,
		ID: id.ID(w.first(`SELECT id FROM users WHERE school_id = :school AND email = 'eve@north.test'`, nil))}
	w.SignIn(t, w.eve)
	return w
}

func (w *world) make(path string, body m) string {
	w.Helper()
	return w.call(w.North.Admin, "POST", "/school-admin/"+path, body).OK().Text("id")
}

func (w *world) assign(employee string, to ...m) {
	w.Helper()
	w.call(w.North.Admin, "POST", "/school-admin/employee/"+employee+"/assignments", m{"assignments": to}).OK()
}

// account signs in the account of North with this phone.
func (w *world) account(role actor.Role, phone string) *apptest.Account {
	w.Helper()
	a := &apptest.Account{School: w.North.ID, Role: role, Phone: phone, ID: id.ID(w.first(
		`SELECT id FROM users WHERE school_id = :school AND role = :role AND phone = :phone`, db.Args{"role": role, "phone": phone}))}
	w.SignIn(w.TB, a)
	return a
}

// first reads one string from North.
func (w *world) first(sql string, a db.Args) string {
	w.Helper()
	v, err := db.One[string](w.Context(), w.DB.School(w.North.ID), sql, a)
	if err != nil {
		w.Fatal(err)
	}
	return v
}

// rows counts rows of North.
func (w *world) rows(from string, a db.Args) int {
	w.Helper()
	n, err := db.One[int](w.Context(), w.DB.School(w.North.ID), `SELECT COUNT(*) FROM `+from, a)
	if err != nil {
		w.Fatal(err)
	}
	return n
}

func (w *world) call(who *apptest.Account, method, path string, body any) apptest.Reply {
	w.Helper()
	return w.Call(w.TB, who, method, path, body)
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
	return w.call(who, "POST", at(who, "send"), in)
}

// answer sends a message in a conversation.
func (w *world) answer(who *apptest.Account, thread, body string) apptest.Reply {
	w.Helper()
	return w.call(who, "POST", at(who, "send"), m{"threadId": thread, "body": body})
}

// office is the office as a recipient.
func (w *world) office() id.ID { return w.North.ID }

func (w *world) threads(who *apptest.Account, query string) apptest.Object {
	w.Helper()
	return w.call(who, "GET", at(who, "threads"+query), nil).OK()
}

// talk joins the messages of a conversation, latest first.
func (w *world) talk(who *apptest.Account, thread, query string) string {
	w.Helper()
	return texts(w.call(who, "GET", at(who, "thread/"+thread+query), nil).OK(), "body")
}

func (w *world) markRead(who *apptest.Account, thread string, body m) apptest.Reply {
	w.Helper()
	return w.call(who, "POST", at(who, "thread/"+thread+"/read"), body)
}

// unread is the unread count of an account's conversations.
func (w *world) unread(who *apptest.Account) int {
	w.Helper()
	n, _ := w.threads(who, "")["unreadCount"].(float64)
	return int(n)
}

func object(v any) apptest.Object {
	o, _ := v.(map[string]any)
	return o
}

// texts joins one field of all items.
func texts(o apptest.Object, key string) string {
	var out []string
	for _, i := range o.Items() {
		out = append(out, i.Text(key))
	}
	return strings.Join(out, " ")
}

// threadOf returns the conversation of a sent message.
func threadOf(sent apptest.Object) string { return object(sent["thread"]).Text("id") }

func messageOf(sent apptest.Object) string { return object(sent["message"]).Text("id") }

// client is a socket of an account.
type client struct {
	*siotest.Client
	t testing.TB
}

func (w *world) dial(who *apptest.Account) *client {
	w.Helper()
	c, err := siotest.Connect(w.Context(), w.URL+"/socket.io/", m{"token": who.Access}, nil)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(c.Close)
	return &client{c, w.TB}
}

// hears waits for an event.
func (c *client) hears(event string) (o apptest.Object) {
	c.t.Helper()
	raw, err := c.Event(event, await.Limit)
	if err == nil {
		err = json.Unmarshal(raw, &o)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return o
}

// hearsNo requires that the event has not come before a later reply.
func (c *client) hearsNo(event string) {
	c.t.Helper()
	if _, err := c.Call("nonsense"); err != nil {
		c.t.Fatal(err)
	}
	if raw, err := c.Event(event, 20*time.Millisecond); err == nil {
		c.t.Errorf("heard %s: %s", event, raw)
	}
}
