package notification_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/text"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type m = map[string]any

// send sends notices in a school.
func send(t *testing.T, s *apptest.Service, at id.ID, notices ...notification.Notice) {
	t.Helper()
	n := &notification.Service{DB: s.DB, Out: s.Notify, Now: s.Now, NewID: s.NewID}
	err := s.DB.InSchool(t.Context(), at, func(ctx context.Context, tx *db.Tx) error { return n.Send(ctx, tx, at, notices) })
	if err != nil {
		t.Fatal(err)
	}
}

// path is a path of the account's app.
func path(who *apptest.Account, action string) string {
	return "/" + who.Role.Prefix() + "/notification/" + action
}

func log(t *testing.T, s *apptest.Service, who *apptest.Account, query string) apptest.Object {
	t.Helper()
	return s.Call(t, who, "GET", path(who, "delivered-notifications"+query), nil).OK()
}

// records are the notifications of a reply.
func records(o apptest.Object) (out []m) {
	for _, v := range o["notifications"].([]any) {
		out = append(out, v.(m))
	}
	return out
}

func titles(o apptest.Object) string {
	var out []string
	for _, r := range records(o) {
		out = append(out, r["title"].(string))
	}
	return strings.Join(out, " ")
}

func apps(at apptest.School) []*apptest.Account {
	return []*apptest.Account{at.Parent, at.Teacher, at.Driver}
}

// everyone is all who have a log: the apps, and the administrator.
func everyone(at apptest.School) []*apptest.Account { return append(apps(at), at.Admin) }

func count(t *testing.T, s *apptest.Service, at id.ID, from string, a db.Args) int {
	t.Helper()
	n, err := db.One[int](t.Context(), s.DB.School(at), `SELECT COUNT(*) FROM `+from, a)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestLog(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		record, mia := s.NewID(), id.ID(newWorld(t, s).mia)
		for _, who := range everyone(s.North) {
			student := mia
			if who == s.North.Driver { // drivers see no students in the log
				student = ""
			}
			if o := log(t, s, who, ""); len(records(o)) != 0 || o["unreadCount"] != 0.0 || o["total"] != 0.0 {
				t.Errorf("%s starts with %v", who.Role, o)
			}
			send(t, s, s.North.ID,
				notification.Notice{Type: notification.Fee, Title: text.Plain("first"), Body: text.Plain("b1"), Record: record, Student: student,
					Users: []id.ID{who.ID}},
				notification.Notice{Type: notification.Announcement, Title: text.Plain("second"), Body: text.Plain("b2"), Record: record,
					Users: []id.ID{who.ID}})
			send(t, s, s.North.ID, notification.Notice{Type: notification.Leave, Title: text.Plain("third"), Record: record, Users: []id.ID{who.ID}})

			o := log(t, s, who, "")
			if titles(o) != "third second first" || o["unreadCount"] != 3.0 || o["total"] != 3.0 {
				t.Errorf("%s: %v", who.Role, o)
			}
			first := records(o)[2]
			if keys := slices.Sorted(maps.Keys(first)); fmt.Sprint(keys) != "[body createdAt data id readAt title type]" {
				t.Errorf("a record has %v", keys)
			}
			if first["type"] != "FEE" || first["body"] != "b1" || first["readAt"] != nil || first["data"].(m)["recordId"] != record.String() ||
				student != "" && first["data"].(m)["studentId"] != student.String() {
				t.Errorf("first entry: got %v", first)
			}
			if second := records(o)[1]["data"].(m); second["studentId"] != nil {
				t.Errorf("second entry: got %v, want no student", second)
			}
			if o := log(t, s, who, "?limit=2&page=2"); titles(o) != "first" || o["totalPages"] != 2.0 || o["page"] != 2.0 || o["limit"] != 2.0 ||
				o["unreadCount"] != 3.0 {
				t.Errorf("the second page is %v", o)
			}
			if o := log(t, s, who, "?sort=createdAt&order=asc"); titles(o) != "first second third" {
				t.Errorf("oldest first: %v", o)
			}
			if o := s.Call(t, who, "POST", path(who, "delivered-notifications"), m{"limit": 1}).OK(); titles(o) != "third" {
				t.Errorf("by POST: %v", o)
			}
		}
		for _, who := range everyone(s.South) {
			s.SignIn(t, who)
			if o := log(t, s, who, ""); len(records(o)) != 0 {
				t.Errorf("another school's %s reads %v", who.Role, o)
			}
		}
	})
}

func TestRead(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		for _, who := range apps(s.North) {
			for _, title := range []string{"a", "b", "c"} {
				send(t, s, s.North.ID, notification.Notice{Type: notification.Message, Title: text.Plain(title),
					Users: []id.ID{who.ID, s.North.Admin.ID}})
			}
			one := records(log(t, s, who, ""))[0]["id"]
			read := s.Call(t, who, "POST", path(who, "read"), m{"notificationId": one}).OK()
			at := read.Text("readAt")
			if at != s.Now().Format(time.RFC3339Nano) || read["id"] != one {
				t.Errorf("read %v", read)
			}
			s.Clock.Add(time.Second)
			if again := s.Call(t, who, "POST", path(who, "read"), m{"notificationId": one}).OK(); again["readAt"] != at {
				t.Errorf("read again %v, first at %s", again, at)
			}
			o := log(t, s, who, "")
			if o["unreadCount"] != 2.0 || records(o)[0]["readAt"] != at || records(o)[1]["readAt"] != nil {
				t.Errorf("log after reading: got %v", o)
			}
			if all := s.Call(t, who, "POST", path(who, "read-all"), nil).OK(); all["marked"] != 2.0 {
				t.Errorf("marked %v", all)
			}
			if all := s.Call(t, who, "POST", path(who, "read-all"), m{}).OK(); all["marked"] != 0.0 {
				t.Errorf("marked again %v", all)
			}
			if o := log(t, s, who, ""); o["unreadCount"] != 0.0 || records(o)[0]["readAt"] != at {
				t.Errorf("log after reading: got %v", o)
			}
			s.Call(t, who, "POST", path(who, "read"), m{}).Want(422, "Unprocessable Entity")
			s.Call(t, who, "POST", path(who, "read"), m{"notificationId": "7"}).Want(422, "Unprocessable Entity")
			s.Call(t, who, "POST", path(who, "read"), m{"notificationId": s.NewID()}).Want(404, "Not Found")
			for _, other := range append(apps(s.North), apps(s.South)...) {
				if other != who {
					s.Call(t, other, "POST", path(other, "read"), m{"notificationId": one}).Want(404, "Not Found")
				}
			}
		}
		if n := count(t, s, s.North.ID, `notifications WHERE school_id = :school AND user_id = :user AND read_at IS NOT NULL`,
			db.Args{"user": s.North.Admin.ID}); n != 0 {
			t.Errorf("%d entries of someone else were marked", n)
		}
		if all := s.Call(t, s.North.Admin, "POST", path(s.North.Admin, "read-all"), nil).OK(); all["marked"] != 9.0 {
			t.Errorf("the administrator marked %v", all)
		}
	})
}

func TestDevice(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		owner := func(token string) (who id.ID) {
			who, err := db.One[id.ID](t.Context(), s.DB.School(s.North.ID),
				`SELECT user_id FROM devices WHERE school_id = :school AND token = :token`, db.Args{"token": token})
			if err != nil {
				t.Fatal(err)
			}
			return who
		}
		for _, who := range everyone(s.North) {
			d := s.Call(t, who, "POST", path(who, "token"), m{"fcmToken": "shared", "platform": "ios"}).OK()
			if d["platform"] != "ios" || d["id"] == "" || strings.Contains(fmt.Sprint(d), "shared") {
				t.Errorf("registered device: got %v", d)
			}
			if owner("shared") != who.ID {
				t.Errorf("the device is not %s's, who signed in last", who.Role)
			}
			first := d.Text("id")
			s.Clock.Add(time.Second)
			// Registering again without a platform keeps device and platform.
			if d := s.Call(t, who, "POST", path(who, "token"), m{"fcmToken": "shared"}).OK(); d["platform"] != "ios" || d.Text("id") != first ||
				d["updatedAt"] == d["createdAt"] {
				t.Errorf("registered device: got %v", d)
			}
			for _, bad := range []m{{}, {"fcmToken": " "}, {"fcmToken": 1}, {"fcmToken": strings.Repeat("x", 5000)},
				{"fcmToken": "x", "platform": "fridge"}} {
				s.Call(t, who, "POST", path(who, "token"), bad).Want(422, "Unprocessable Entity")
			}
		}
		if n := count(t, s, s.North.ID, `devices WHERE school_id = :school`, nil); n != 1 {
			t.Errorf("%d devices, want 1", n)
		}
		for i := range 25 {
			s.Clock.Add(time.Second)
			s.Call(t, s.North.Driver, "POST", "/driver/notification/token", m{"fcmToken": fmt.Sprint("token ", i)}).OK()
		}
		if n := count(t, s, s.North.ID, `devices WHERE school_id = :school AND user_id = :user`,
			db.Args{"user": s.North.Driver.ID}); n != 20 || owner("token 24") != s.North.Driver.ID {
			t.Errorf("%d devices are kept, want the last 20", n)
		}
		if n := count(t, s, s.South.ID, `devices WHERE school_id = :school`, nil); n != 0 {
			t.Errorf("%d devices in another school", n)
		}
	})
}

func TestTopics(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		topics := func(who *apptest.Account) string {
			t.Helper()
			return fmt.Sprint(s.Call(t, who, "GET", path(who, "topics"), nil).OK()["topics"])
		}
		school := "school_" + string(s.North.ID)
		for who, want := range map[*apptest.Account]string{
			s.North.Parent: "[" + school + "]", s.North.Teacher: "[" + school + " teacher_" + string(s.North.Teacher.ID) + "]",
			s.North.Driver: "[" + school + " driver_" + string(s.North.Driver.ID) + "]", s.North.Admin: "[" + school + "]",
		} {
			if got := topics(who); got != want {
				t.Errorf("%s: %s, want %s", who.Role, got, want)
			}
		}
		child := func(name string, sees bool) string {
			return s.Call(t, s.North.Admin, "POST", "/school-admin/student/create", m{"firstName": name,
				"guardians": []m{{"name": "P", "phone": s.North.Parent.Phone, "canViewData": sees}}}).OK().Text("id")
		}
		a, b, hidden := child("A", true), child("B", true), child("C", false)
		want := []string{school}
		for _, c := range []string{a, b} {
			want = append(want, "student_"+c, "student_"+c+"_attendance", "student_"+c+"_result", "student_"+c+"_fee")
		}
		if got := topics(s.North.Parent); got != fmt.Sprint(want) || strings.Contains(got, hidden) {
			t.Errorf("the parent has %s, want %v", got, want)
		}
	})
}

func TestDeliveries(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		send(t, s, s.North.ID, notification.Notice{Topic: notification.SchoolTopic(s.North.ID), Type: notification.Fee,
			Title: text.Plain("secret"), Body: text.Plain("secret")})
		if err := s.Queue.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Clock.Add(time.Second)
		err := s.DB.InSchool(t.Context(), s.North.ID, func(ctx context.Context, tx *db.Tx) error {
			return s.Notify.Send(ctx, tx, s.North.ID, notify.Message{Channel: notify.SMS, To: "+15550100001", Subject: "texted",
				Body: "code 4711", Secret: true})
		})
		if err != nil {
			t.Fatal(err)
		}
		const invited = "Your Homeroom account" // the invitation mail
		for query, want := range map[string]string{"": "texted Fees " + invited, "?channel=sms": "texted", "?channel=push": "Fees",
			"?channel=email": invited,
			"?status=SENT":   "Fees " + invited, "?status=QUEUED": "texted", "?status=FAILED": "", "?channel=push&status=QUEUED": "",
			"?order=asc&sort=createdAt": invited + " Fees texted"} {
			r := s.Call(t, s.North.Admin, "GET", "/school-admin/notification/deliveries"+query, nil)
			var got []string
			for _, d := range r.OK().Items() {
				got = append(got, d.Text("subject"))
			}
			if strings.Join(got, " ") != want || strings.Contains(string(r.Body), "4711") {
				t.Errorf("%s: %s", query, r.Body)
			}
		}
		for _, bad := range []string{"?channel=fax", "?status=LOST", "?sort=status"} {
			s.Call(t, s.North.Admin, "GET", "/school-admin/notification/deliveries"+bad, nil).Want(422, "Unprocessable Entity")
		}
		if o := s.Call(t, s.South.Admin, "GET", "/school-admin/notification/deliveries", nil).OK(); o["total"] != 1.0 ||
			o.Items()[0]["subject"] != invited {
			t.Errorf("another school reads %v", o)
		}
	})
}

func TestErased(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		add := func(name, no string) id.ID {
			return id.ID(s.Call(t, s.North.Admin, "POST", "/school-admin/student/create", m{"firstName": name, "admissionNo": no,
				"guardians": []m{{"name": "Of " + name, "phone": "+1555000" + no, "canViewData": true}}}).OK().Text("id"))
		}
		gone, stays := add("Ann", "1001"), add("Bob", "1002")
		parent := func(phone string) *apptest.Account {
			user, err := db.One[id.ID](t.Context(), s.DB.School(s.North.ID), `SELECT id FROM users WHERE school_id = :school
				AND phone = :phone`, db.Args{"phone": phone})
			if err != nil {
				t.Fatal(err)
			}
			a := &apptest.Account{ID: user, School: s.North.ID, Role: actor.Parent}
			s.SignIn(t, a)
			return a
		}
		hers, his := parent("+15550001001"), parent("+15550001002")
		for _, who := range []*apptest.Account{hers, his} {
			s.Call(t, who, "POST", path(who, "token"), m{"fcmToken": "of " + string(who.ID)}).OK()
		}
		send(t, s, s.North.ID,
			notification.Notice{Type: notification.Attendance, Title: text.Plain("Ann is absent"), Student: gone,
				Users: []id.ID{hers.ID, s.North.Admin.ID}},
			notification.Notice{Type: notification.Announcement, Title: text.Plain("To all"), Users: []id.ID{hers.ID, his.ID, s.North.Admin.ID}},
			notification.Notice{Type: notification.Attendance, Title: text.Plain("Bob is absent"), Student: stays,
				Users: []id.ID{his.ID, s.North.Admin.ID}})
		s.Call(t, s.North.Admin, "POST", "/school-admin/student/"+string(gone)+"/erase", m{"confirm": "1001"}).OK()
		if got := titles(log(t, s, s.North.Admin, "")); got != "Bob is absent To all" {
			t.Errorf("the administrator still reads %q", got)
		}
		if got := titles(log(t, s, his, "")); got != "Bob is absent To all" {
			t.Errorf("the other parent reads %q", got)
		}
		for _, table := range []string{"notifications", "devices"} {
			if n := count(t, s, s.North.ID, table+` WHERE school_id = :school AND user_id = :user`, db.Args{"user": hers.ID}); n != 0 {
				t.Errorf("%d %s of an erased parent", n, table)
			}
		}
		if n := count(t, s, s.North.ID, `devices WHERE school_id = :school`, nil); n != 1 {
			t.Errorf("%d devices are left, want that of the other parent", n)
		}
	})
}
