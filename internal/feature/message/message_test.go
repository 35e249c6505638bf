package message_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

func day(from string, n int) string { return string(clock.Date(from).AddDays(n)) }

func TestSendRefuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		thread := threadOf(w.send(w.una, w.anns.ID, "", "Hello").OK())
		for _, tt := range []struct {
			field string
			body  m
		}{
			{"recipientId", m{"body": "x"}},
			{"recipientId", m{"body": "x", "threadId": thread, "recipientId": w.anns.ID}},
			{"studentId", m{"body": "x", "threadId": thread, "studentId": w.mia}},
			{"body", m{"threadId": thread}},
			{"body", m{"threadId": thread, "body": " \n\t"}},
			{"body", m{"threadId": thread, "body": strings.Repeat("ü", 4001)}},
			{"threadId", m{"threadId": "x", "body": "x"}},
		} {
			e := w.As(w.una, "POST", at(w.una, "send"), tt.body).Want(422, "Unprocessable Entity")
			if len(e.Details) != 1 || e.Details[0].Field != tt.field {
				t.Errorf("send %v: %v, want an error on %s", tt.body, e.Details, tt.field)
			}
		}
		for _, other := range []*apptest.Account{w.pat, w.zed, w.bobs, w.North.Admin, w.South.Parent, w.South.Admin} {
			w.answer(other, thread, "x").Want(404, "Not Found")
			w.As(other, "GET", at(other, "thread/"+thread), nil).Want(404, "Not Found")
			w.markRead(other, thread, m{}).Want(404, "Not Found")
		}
		long := strings.Repeat("ü", 4000)
		w.answer(w.anns, thread, long).OK()
		w.answer(w.anns, thread, "<b>{{1}}</b> & 'more'").OK()
		apptest.Eq(t, "message text", w.talk(w.una, thread, ""), "<b>{{1}}</b> & 'more' "+long+" Hello")
		apptest.Eq(t, "conversations", w.threads(w.una, "").Items()[0].Object("lastMessage").Text("body"), "<b>{{1}}</b> & 'more'")
	})
}

// TestOnce sends a message twice with one Idempotency-Key.
func TestOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		body := m{"recipientId": w.anns.ID, "body": "Hello"}
		one := w.As(w.una, "POST", at(w.una, "send"), body, "Idempotency-Key", "k1").OK()
		again := w.As(w.una, "POST", at(w.una, "send"), body, "Idempotency-Key", "k1").OK()
		if messageOf(one) != messageOf(again) || w.unread(w.anns) != 1 {
			t.Errorf("first reply %v, second %v", one, again)
		}
	})
}

// TestConversation is between a parent and the office, whose two administrators are one side.
func TestConversation(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		sent := w.send(w.una, w.office(), "", "Is there school?").OK()
		thread, first := threadOf(sent), messageOf(sent)
		seen := w.threads(w.eve, "").Items()[0]
		if seen["unreadCount"] != 1.0 || seen.Object("with").Text("name") != "Una" || seen.Object("with").Text("role") != "PARENT" ||
			seen.Text("studentName") != "Mia Roe" || w.unread(w.North.Admin) != 1 || w.unread(w.una) != 0 {
			t.Errorf("the office sees %v", seen)
		}
		second := messageOf(w.answer(w.eve, thread, "Yes.").OK())
		w.answer(w.North.Admin, thread, "At eight.").OK()
		l := w.threads(w.una, "")
		seen = l.Items()[0]
		if l["unreadCount"] != 2.0 || seen.Object("with").Text("id") != string(w.North.ID) ||
			seen.Object("with").Text("name") != "NORTH School" ||
			seen.Object("with").Text("role") != "OFFICE" || seen.Object("lastMessage").Text("body") != "At eight." {
			t.Errorf("Una sees %v", l)
		}
		// Una sees the school as sender; administrators see which of them wrote.
		mine := w.As(w.una, "GET", at(w.una, "thread/"+thread), nil).OK()
		ours := w.Admin("GET", at(w.eve, "thread/"+thread), nil).OK()
		if s := fmt.Sprint(mine); strings.Contains(s, "Eve") || strings.Contains(s, string(w.eve.ID)) || strings.Contains(s, "author") {
			t.Errorf("Una reads who wrote: %s", s)
		}
		if got := ours.Items()[1].Object("author"); got.Text("name") != "Eve" || ours.Items()[1]["isOwn"] != true ||
			ours.Items()[2]["isOwn"] != false {
			t.Errorf("the office reads %v", ours)
		}

		// Read receipts: the office reads Una's message; Una reads the first of the office's two.
		w.Clock.Add(time.Minute)
		if got := w.markRead(w.eve, thread, m{}).OK(); got["marked"] != 1.0 || got["unreadCount"] != 0.0 {
			t.Errorf("Eve marks as read: %v", got)
		}
		if got := w.markRead(w.una, thread, m{"messageId": second}).OK(); got["marked"] != 1.0 || got["unreadCount"] != 1.0 ||
			w.unread(w.una) != 1 {
			t.Errorf("Una marks as read up to the second: %v", got)
		}
		mine = w.As(w.una, "GET", at(w.una, "thread/"+thread), nil).OK()
		ours = w.As(w.eve, "GET", at(w.eve, "thread/"+thread), nil).OK()
		read := func(o apptest.Object, i int) string {
			return fmt.Sprintf("%v %s", o.Items()[i]["readAt"] != nil, o.Items()[i].Object("readBy").Text("name"))
		}
		apptest.Eq(t, "receipts seen by Una",
			fmt.Sprint([]string{read(mine, 0), read(mine, 1), read(mine, 2)}), "[false  true Una true NORTH School]")
		if got := read(ours, 2); got != "true Eve" || mine.Items()[2].Text("id") != first {
			t.Errorf("receipts seen by the office: %q", got)
		}
		apptest.Eq(t, "marked as read again", w.markRead(w.North.Admin, thread, m{}).OK()["marked"], 0.0)
		w.markRead(w.una, thread, m{"messageId": id.New()}).Want(404, "Not Found")
		n := w.Count(`audit_log WHERE school_id = :school AND action = 'message.send' AND CAST(after AS TEXT) NOT LIKE '%eight%'`, nil)
		apptest.Eq(t, "audit log entries without the text", n, 3)
	})
}

// TestPages pages through a conversation by number and by cursor.
func TestPages(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		thread := threadOf(w.send(w.una, w.anns.ID, "", "0").OK())
		ids := []string{}
		for i := 1; i < 6; i++ {
			ids = append(ids, messageOf(w.answer(w.anns, thread, fmt.Sprint(i)).OK()))
		}
		for query, want := range map[string]string{
			"":                               "5 4 3 2 1 0",
			"?limit=2":                       "5 4",
			"?limit=2&page=3":                "1 0",
			"?limit=2&before=" + ids[2]:      "2 1", // before 3
			"?before=" + ids[0]:              "0",
			"?sort=createdAt&order=asc":      "0 1 2 3 4 5",
			"?filters[before]=" + ids[1]:     "1 0",
			"?limit=1&page=9":                "",
			"?sort=createdAt&limit=1&page=2": "1",
		} {
			apptest.Eq(t, fmt.Sprint("messages ", query), w.talk(w.una, thread, query), want)
		}
		other := messageOf(w.send(w.una, w.office(), "", "x").OK())
		w.As(w.una, "GET", at(w.una, "thread/"+thread+"?before="+other), nil).Want(404, "Not Found")
		w.markRead(w.una, thread, m{"messageId": other}).Want(404, "Not Found")
	})
}

// TestThreads lists conversations by each filter.
func TestThreads(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		office, admin := w.office(), w.North.Admin
		w.send(w.una, office, "", "1").OK()
		w.send(w.zed, office, "", "2").OK()
		w.send(w.anns, office, "", "3").OK()
		w.send(admin, w.North.Driver.ID, "", "4").OK()
		w.send(w.una, w.anns.ID, "", "not the office's").OK()
		zeds := w.threads(admin, "?search=zed").Items()[0].Text("id")
		w.markRead(admin, zeds, m{}).OK()
		bodies := func(who *apptest.Account, query string) string {
			var out []string
			for _, i := range w.threads(who, query).Items() {
				out = append(out, i.Object("lastMessage").Text("body"))
			}
			return strings.Join(out, " ")
		}
		for query, want := range map[string]string{
			"":                                      "4 3 2 1",
			"?sort=lastMessageAt":                   "1 2 3 4",
			"?unread=true":                          "3 1",
			"?unread=false":                         "4 2",
			"?studentId=" + w.mia:                   "1",
			"?studentId=" + w.moe:                   "",
			"?search=UNA":                           "1",
			"?search=mia":                           "1",
			"?search=lee":                           "3",
			"?search=0300013":                       "2", // a phone
			"?search=%25":                           "",
			"?limit=1&page=2":                       "3",
			"?unread=true&search=roe":               "1",
			"?unread=true&limit=1":                  "3",
			"?studentId=" + w.mia + "&unread=false": "",
		} {
			apptest.Eq(t, fmt.Sprint("conversations ", query), bodies(admin, query), want)
		}
		apptest.Eq(t, "a parent's search by phone", bodies(w.una, "?search=0300001"), "")
		apptest.Eq(t, "a parent's search by name", bodies(w.una, "?search=ann"), "not the office's")
		w.As(admin, "GET", at(admin, "threads?studentId="+string(id.New())), nil).Want(404, "STUDENT_NOT_FOUND")
		w.As(w.una, "GET", at(w.una, "threads?studentId="+w.oli), nil).Want(403, "PERMISSION_DENIED")
		// A driver can answer too.
		driver := w.North.Driver
		mine := w.threads(driver, "").Items()
		if len(mine) != 1 || mine[0]["unreadCount"] != 1.0 {
			t.Fatalf("the driver's conversations: %v", mine)
		}
		w.answer(driver, mine[0].Text("id"), "5").OK()
		apptest.Eq(t, "conversation after the driver's answer", bodies(admin, "?limit=1"), "5")
	})
}

func TestRecipients(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/student/"+w.moe, m{"status": "ACTIVE"}).OK()
		for _, tt := range []struct {
			who         *apptest.Account
			query, want string
		}{
			{w.una, "", "NORTH School Ann Lee"},
			{w.zed, "", "NORTH School Bob"},
			{w.hid, "", "NORTH School"},
			{w.pat, "?studentId=" + w.moe, "NORTH School Ann Lee"},
			{w.anns, "", "NORTH School Test PARENT Una"},
			{w.anns, "?search=un", "Una"},
			{w.anns, "?studentId=" + w.moe, "NORTH School Test PARENT"},
			{w.anns, "?limit=1&page=2", "Test PARENT"},
			{w.bobs, "", "NORTH School Zed"},
			{w.North.Driver, "", "NORTH School"},
			{w.eve, "?role=DRIVER", "Test DRIVER"},
			{w.eve, "?role=TEACHER", "Ann Lee Bob Test TEACHER"},
			{w.eve, "?role=PARENT", "Hid Test PARENT Una Zed"},
			{w.eve, "?limit=2", "Ann Lee Bob"},
			{w.eve, "?search=0300011", "Una"},
			{w.eve, "?studentId=" + w.mia, "Ann Lee Test PARENT Una"},
			{w.South.Admin, "?search=0300", ""},
		} {
			apptest.Eq(t, fmt.Sprint("recipients of ", tt.who.Role, tt.query),
				strings.Join(w.As(tt.who, "GET", at(tt.who, "recipients"+tt.query), nil).OK().Texts("name"), " "), tt.want)
		}
		pat := w.As(w.anns, "GET", at(w.anns, "recipients"), nil).OK().Items()[1]
		if got := fmt.Sprint(pat["students"]); !strings.Contains(got, "Mia Roe") || !strings.Contains(got, "Moe") ||
			strings.Contains(got, "Oli") {
			t.Errorf("students of a recipient: %s", got)
		}
		w.As(w.una, "GET", at(w.una, "recipients?search=x"), nil).Want(422, "Unprocessable Entity")
		w.As(w.una, "GET", at(w.una, "recipients?studentId="+w.oli), nil).Want(403, "PERMISSION_DENIED")
	})
}

// TestTold counts notifications and pushes.
func TestTold(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.As(w.pat, "POST", "/parent/notification/token", m{"fcmToken": "pats-phone"}).OK()
		if err := w.Queue.Drain(t.Context()); err != nil { // the invitations
			t.Fatal(err)
		}
		count := func() int { return w.Count(`deliveries WHERE school_id = :school AND channel = 'push'`, nil) }
		for _, tt := range []struct {
			name    string
			who     *apptest.Account
			to      id.ID
			student string
			topic   string
			log     id.ID
		}{
			{"to a teacher", w.una, w.anns.ID, "", "teacher_" + string(w.anns.ID), w.anns.ID},
			{"to a parent", w.anns, w.una.ID, "", "student_" + w.mia, w.una.ID},
			{"from the office, of a child", w.eve, w.pat.ID, w.moe, "student_" + w.moe, w.pat.ID},
			{"from the office, of nobody", w.eve, w.pat.ID, "", "pats-phone", w.pat.ID},
			{"to a driver", w.eve, w.North.Driver.ID, "", "driver_" + string(w.North.Driver.ID), w.North.Driver.ID},
			{"to the office", w.una, w.office(), "", "", ""},
		} {
			before := count()
			message := messageOf(w.send(tt.who, tt.to, tt.student, "Secret words").OK())
			entries := w.Count(`notifications WHERE school_id = :school AND type = 'MESSAGE' AND record_id = :id`, db.Args{"id": id.ID(message)})
			own := w.Count(`notifications WHERE school_id = :school AND record_id = :id AND user_id = :user`,
				db.Args{"id": id.ID(message), "user": tt.log})
			if tt.log == "" {
				if entries != 2 || count() != before { // both administrators, who have no devices
					t.Errorf("%s: %d entries, %d pushes", tt.name, entries, count()-before)
				}
				continue
			}
			if entries != 1 || own != 1 || count() != before+1 {
				t.Errorf("%s: %d entries, %d of them the reader's, %d pushes", tt.name, entries, own, count()-before)
			}
			pushed := w.One(`SELECT to_addr || '|' || CAST(data AS TEXT) FROM deliveries WHERE school_id = :school AND channel = 'push'
				ORDER BY id DESC LIMIT 1`, nil)
			if !strings.HasPrefix(pushed, tt.topic+"|") || !strings.Contains(pushed, message) || !strings.Contains(pushed, "MESSAGE") {
				t.Errorf("%s: pushed %s", tt.name, pushed)
			}
		}
		n := w.Count(`deliveries WHERE school_id = :school
		AND (body LIKE '%Secret%' OR body LIKE '%Una%' OR body LIKE '%Ann%' OR subject LIKE '%Ann%')`, nil)
		apptest.Eq(t, "pushes with the text or the sender", n, 0)
	})
}

// TestThreadOfMessage opens a conversation by the message that a notification names. Nobody opens that of other people.
func TestThreadOfMessage(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		sent := w.send(w.una, w.anns.ID, "", "Hello").OK()
		message, thread := messageOf(sent), sent.Object("thread").Text("id")
		for _, who := range []*apptest.Account{w.una, w.anns} {
			got := w.As(who, "GET", at(who, "thread/"+message), nil).OK()
			apptest.Eq(t, "the conversation", got.Object("thread").Text("id"), thread)
			apptest.Eq(t, "its messages", strings.Join(got.Texts("body"), " "), "Hello")
		}
		for _, who := range []*apptest.Account{w.pat, w.zed, w.eve, w.South.Parent, w.North.Driver} {
			w.As(who, "GET", at(who, "thread/"+message), nil).Want(404, "Not Found")
		}
	})
}

// TestLive checks messages and receipts on open sockets, which replace the push.
func TestLive(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		una, ann, eve, admin, zed := w.Dial(w.una), w.Dial(w.anns), w.Dial(w.eve), w.Dial(w.North.Admin), w.Dial(w.zed)
		pushes := func() int { return w.Count(`deliveries WHERE school_id = :school AND channel = 'push'`, nil) }
		before := pushes()
		sent := w.send(w.una, w.anns.ID, "", "Hello").OK()
		got := ann.Hears("message")
		if got.Text("id") != messageOf(sent) || got.Text("body") != "Hello" ||
			got.Object("sender").Text("name") != "Una" || got["isOwn"] != false {
			t.Errorf("Ann hears %v", got)
		}
		for _, c := range []*apptest.Socket{una, eve, admin, zed} {
			c.HearsNot("message")
		}
		apptest.Eq(t, "pushes to an account with a socket", pushes()-before, 0)
		apptest.Eq(t, "notifications",
			w.Count(`notifications WHERE school_id = :school AND user_id = :user AND type = 'MESSAGE'`, db.Args{"user": w.anns.ID}), 1)
		w.markRead(w.anns, threadOf(sent), m{}).OK()
		got = una.Hears("message-read")
		if got.Text("messageId") != messageOf(sent) || got.Object("readBy").Text("name") != "Ann Lee" || got["readAt"] == nil {
			t.Errorf("Una hears %v", got)
		}
		ann.HearsNot("message-read")
		w.markRead(w.anns, threadOf(sent), m{}).OK()
		una.HearsNot("message-read") // nothing was unread

		// All administrators get messages to the office.
		sent = w.send(w.una, w.office(), "", "To the office").OK()
		for _, c := range []*apptest.Socket{eve, admin} {
			if got := c.Hears("message"); got.Text("body") != "To the office" || got["isOwn"] != false {
				t.Errorf("the office hears %v", got)
			}
		}
		ann.HearsNot("message")
		w.answer(w.eve, threadOf(sent), "From the office").OK()
		if got := una.Hears("message"); got.Object("sender").Text("role") != "OFFICE" || got["author"] != nil {
			t.Errorf("Una hears %v", got)
		}
		if got := admin.Hears("message"); got["isOwn"] != true || got.Object("author").Text("name") != "Eve" {
			t.Errorf("another administrator hears %v", got)
		}
		eve.HearsNot("message")
		w.markRead(w.una, threadOf(sent), m{}).OK()
		for _, c := range []*apptest.Socket{eve, admin} {
			apptest.Eq(t, "the office hears", c.Hears("message-read").Object("readBy").Text("id"), string(w.una.ID))
		}
		// Nobody gets an event of a refused message.
		w.send(w.una, w.bobs.ID, "", "x").Want(403, "PERMISSION_DENIED")
		ann.HearsNot("message")
	})
}

// TestForgotten erases a student and the messages about it.
func TestForgotten(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin := w.North.Admin
		hers := threadOf(w.send(w.una, w.anns.ID, "", "About Mia").OK())
		w.send(w.anns, w.pat.ID, w.moe, "About Moe").OK()
		export := string(w.As(admin, "GET", "/school-admin/student/"+w.mia+"/data-export", nil).Body)
		if !strings.Contains(export, "About Mia") || strings.Contains(export, "About Moe") {
			t.Errorf("export: %s", export)
		}
		if profile := string(w.As(admin, "GET", "/school-admin/student/"+w.mia+"/profile", nil).Body); strings.Contains(profile, "About Mia") {
			t.Error("the profile shows the office a parent's message to a teacher")
		}
		number := w.One(`SELECT admission_no FROM students WHERE school_id = :school AND id = :id`, db.Args{"id": id.ID(w.mia)})
		w.As(admin, "POST", "/school-admin/student/"+w.mia+"/erase", m{"confirm": number}).OK()
		apptest.Eq(t, "Ann still reads", w.talk(w.anns, hers, ""), "<nil>")
		apptest.Eq(t, "cleared messages", w.Count(`messages WHERE school_id = :school AND body = ''`, nil), 1)
		apptest.Eq(t, "a message about another student was cleared", w.Count(`messages WHERE school_id = :school AND body = 'About Moe'`, nil), 1)
		for _, name := range []string{"mia", "una"} {
			apptest.Eq(t, fmt.Sprint("conversations found by ", name), w.threads(w.anns, "?search="+name)["total"], 0.0)
		}
		w.answer(w.anns, hers, "More").Want(403, "PERMISSION_DENIED")
	})
}
