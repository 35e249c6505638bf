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
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/text"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type m = apptest.M

// send sends notices in a school.
func (w *world) send(at id.ID, notices ...notification.Notice) {
	w.Helper()
	n := &notification.Service{DB: w.DB, Out: w.Notify, Now: w.Now, NewID: w.NewID}
	err := w.DB.InSchool(w.Context(), at, func(ctx context.Context, tx *db.Tx) error { return n.Send(ctx, tx, at, notices) })
	if err != nil {
		w.Fatal(err)
	}
}

// path is a path of the account's app.
func path(who *apptest.Account, action string) string {
	return "/" + who.Role.Prefix() + "/notification/" + action
}

func (w *world) log(who *apptest.Account, query string) apptest.Object {
	w.Helper()
	return w.As(who, "GET", path(who, "delivered-notifications"+query), nil).OK()
}

func titles(o apptest.Object) string {
	return strings.Join(apptest.Pick(o["notifications"], "title"), " ")
}

func apps(at apptest.School) []*apptest.Account {
	return []*apptest.Account{at.Parent, at.Teacher, at.Driver}
}

// everyone is all who have a log: the apps, and the administrator.
func everyone(at apptest.School) []*apptest.Account { return append(apps(at), at.Admin) }

func (w *world) count(at id.ID, from string, a db.Args) int {
	w.Helper()
	n, err := db.One[int](w.Context(), w.DB.School(at), `SELECT COUNT(*) FROM `+from, a)
	if err != nil {
		w.Fatal(err)
	}
	return n
}

func TestLog(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		record, mia := w.NewID(), id.ID(w.mia)
		for _, who := range everyone(w.North) {
			student := mia
			if who == w.North.Driver { // drivers see no students in the log
				student = ""
			}
			if o := w.log(who, ""); len(o.Objects("notifications")) != 0 || o["unreadCount"] != 0.0 || o["total"] != 0.0 {
				t.Errorf("%s starts with %v", who.Role, o)
			}
			w.send(w.North.ID,
				notification.Notice{Type: notification.Fee, Title: text.Plain("first"), Body: text.Plain("b1"), Record: record, Student: student,
					Users: []id.ID{who.ID}},
				notification.Notice{Type: notification.Announcement, Title: text.Plain("second"), Body: text.Plain("b2"), Record: record,
					Users: []id.ID{who.ID}})
			w.send(w.North.ID, notification.Notice{Type: notification.Leave, Title: text.Plain("third"), Record: record, Users: []id.ID{who.ID}})

			o := w.log(who, "")
			if titles(o) != "third second first" || o["unreadCount"] != 3.0 || o["total"] != 3.0 {
				t.Errorf("%s: %v", who.Role, o)
			}
			first := o.Objects("notifications")[2]
			apptest.Eq(t, "a record has", fmt.Sprint(slices.Sorted(maps.Keys(first))), "[body createdAt data id readAt title type]")
			if first["type"] != "FEE" || first["body"] != "b1" || first["readAt"] != nil || first["data"].(m)["recordId"] != record.String() ||
				student != "" && first["data"].(m)["studentId"] != student.String() {
				t.Errorf("first entry: got %v", first)
			}
			if second := o.Objects("notifications")[1]["data"].(m); second["studentId"] != nil {
				t.Errorf("second entry: got %v, want no student", second)
			}
			if o := w.log(who, "?limit=2&page=2"); titles(o) != "first" || o["totalPages"] != 2.0 || o["page"] != 2.0 || o["limit"] != 2.0 ||
				o["unreadCount"] != 3.0 {
				t.Errorf("the second page is %v", o)
			}
			apptest.Eq(t, "oldest first", titles(w.log(who, "?sort=createdAt&order=asc")), "first second third")
			apptest.Eq(t, "by POST", titles(w.As(who, "POST", path(who, "delivered-notifications"), m{"limit": 1}).OK()), "third")
		}
		for _, who := range everyone(w.South) {
			w.SignIn(t, who)
			apptest.Eq(t, fmt.Sprint("another school's ", who.Role, " reads"), len(w.log(who, "").Objects("notifications")), 0)
		}
	})
}

func TestRead(t *testing.T) {
	bare(t, func(t *testing.T, w *world) {
		for _, who := range apps(w.North) {
			for _, title := range []string{"a", "b", "c"} {
				w.send(w.North.ID, notification.Notice{Type: notification.Message, Title: text.Plain(title),
					Users: []id.ID{who.ID, w.North.Admin.ID}})
			}
			one := w.log(who, "").Objects("notifications")[0]["id"]
			read := w.As(who, "POST", path(who, "read"), m{"notificationId": one}).OK()
			at := read.Text("readAt")
			if at != w.Now().Format(clock.Stamp) || read["id"] != one {
				t.Errorf("read %v", read)
			}
			w.Clock.Add(time.Second)
			apptest.Eq[any](t, "read again , first at", w.As(who, "POST", path(who, "read"), m{"notificationId": one}).OK()["readAt"], at)
			o := w.log(who, "")
			if o["unreadCount"] != 2.0 || o.Objects("notifications")[0]["readAt"] != at || o.Objects("notifications")[1]["readAt"] != nil {
				t.Errorf("log after reading: got %v", o)
			}
			apptest.Eq(t, "marked", w.As(who, "POST", path(who, "read-all"), nil).OK()["marked"], 2.0)
			apptest.Eq(t, "marked again", w.As(who, "POST", path(who, "read-all"), m{}).OK()["marked"], 0.0)
			if o := w.log(who, ""); o["unreadCount"] != 0.0 || o.Objects("notifications")[0]["readAt"] != at {
				t.Errorf("log after reading: got %v", o)
			}
			w.As(who, "POST", path(who, "read"), m{}).Want(422, "Unprocessable Entity")
			w.As(who, "POST", path(who, "read"), m{"notificationId": "7"}).Want(422, "Unprocessable Entity")
			w.As(who, "POST", path(who, "read"), m{"notificationId": w.NewID()}).Want(404, "Not Found")
			for _, other := range append(apps(w.North), apps(w.South)...) {
				if other != who {
					w.As(other, "POST", path(other, "read"), m{"notificationId": one}).Want(404, "Not Found")
				}
			}
		}
		apptest.Eq(t, "entries of someone else were marked",
			w.Count(`notifications WHERE school_id = :school AND user_id = :user AND read_at IS NOT NULL`,
				db.Args{"user": w.North.Admin.ID}), 0)
		apptest.Eq(t, "the administrator marked", w.Admin("POST", path(w.North.Admin, "read-all"), nil).OK()["marked"], 9.0)
	})
}

func TestDevice(t *testing.T) {
	bare(t, func(t *testing.T, w *world) {
		owner := func(token string) (who id.ID) {
			who, err := db.One[id.ID](t.Context(), w.DB.School(w.North.ID),
				`SELECT user_id FROM devices WHERE school_id = :school AND token = :token`, db.Args{"token": token})
			if err != nil {
				t.Fatal(err)
			}
			return who
		}
		for _, who := range everyone(w.North) {
			d := w.As(who, "POST", path(who, "token"), m{"fcmToken": "shared", "platform": "ios"}).OK()
			if d["platform"] != "ios" || d["id"] == "" || strings.Contains(fmt.Sprint(d), "shared") {
				t.Errorf("registered device: got %v", d)
			}
			apptest.Eq(t, fmt.Sprint("owner of the device after ", who.Role, " signed in"), owner("shared"), who.ID)
			first := d.Text("id")
			w.Clock.Add(time.Second)
			// Registering again without a platform keeps device and platform.
			if d := w.As(who, "POST", path(who, "token"), m{"fcmToken": "shared"}).OK(); d["platform"] != "ios" || d.Text("id") != first ||
				d["updatedAt"] == d["createdAt"] {
				t.Errorf("registered device: got %v", d)
			}
			for _, bad := range []m{{}, {"fcmToken": " "}, {"fcmToken": 1}, {"fcmToken": strings.Repeat("x", 5000)},
				{"fcmToken": "x", "platform": "fridge"}} {
				w.As(who, "POST", path(who, "token"), bad).Want(422, "Unprocessable Entity")
			}
		}
		apptest.Eq(t, "devices", w.Count(`devices WHERE school_id = :school`, nil), 1)
		for i := range 25 {
			w.Clock.Add(time.Second)
			w.As(w.North.Driver, "POST", "/driver/notification/token", m{"fcmToken": fmt.Sprint("token ", i)}).OK()
		}
		if n := w.Count(`devices WHERE school_id = :school AND user_id = :user`,
			db.Args{"user": w.North.Driver.ID}); n != 20 || owner("token 24") != w.North.Driver.ID {
			t.Errorf("%d devices are kept, want the last 20", n)
		}
		apptest.Eq(t, "devices in another school", w.count(w.South.ID, `devices WHERE school_id = :school`, nil), 0)
	})
}

func TestTopics(t *testing.T) {
	bare(t, func(t *testing.T, w *world) {
		topics := func(who *apptest.Account) string {
			t.Helper()
			return fmt.Sprint(w.As(who, "GET", path(who, "topics"), nil).OK()["topics"])
		}
		school := "school_" + string(w.North.ID)
		for who, want := range map[*apptest.Account]string{
			w.North.Parent: "[" + school + "]", w.North.Teacher: "[" + school + " teacher_" + string(w.North.Teacher.ID) + "]",
			w.North.Driver: "[" + school + " driver_" + string(w.North.Driver.ID) + "]", w.North.Admin: "[" + school + "]",
		} {
			apptest.Eq(t, who.Role, topics(who), want)
		}
		child := func(name string, sees bool) string {
			return w.Make("student/create", m{"firstName": name,
				"guardians": []m{{"name": "P", "phone": w.North.Parent.Phone, "canViewData": sees}}})
		}
		a, b, hidden := child("A", true), child("B", true), child("C", false)
		want := []string{school}
		for _, c := range []string{a, b} {
			want = append(want, "student_"+c, "student_"+c+"_attendance", "student_"+c+"_result", "student_"+c+"_fee")
		}
		if got := topics(w.North.Parent); got != fmt.Sprint(want) || strings.Contains(got, hidden) {
			t.Errorf("the parent has %s, want %v", got, want)
		}
	})
}

func TestDeliveries(t *testing.T) {
	bare(t, func(t *testing.T, w *world) {
		w.send(w.North.ID, notification.Notice{Topic: notification.SchoolTopic(w.North.ID), Type: notification.Fee,
			Title: text.Plain("secret"), Body: text.Plain("secret")})
		w.Drain()
		w.Clock.Add(time.Second)
		err := w.DB.InSchool(t.Context(), w.North.ID, func(ctx context.Context, tx *db.Tx) error {
			return w.Notify.Send(ctx, tx, w.North.ID, notify.Message{Channel: notify.SMS, To: "+15550100001", Subject: "texted",
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
			r := w.Admin("GET", "/school-admin/notification/deliveries"+query, nil)
			var got []string
			for _, d := range r.OK().Items() {
				got = append(got, d.Text("subject"))
			}
			if strings.Join(got, " ") != want || strings.Contains(string(r.Body), "4711") {
				t.Errorf("%s: %s", query, r.Body)
			}
		}
		for _, bad := range []string{"?channel=fax", "?status=LOST", "?sort=status"} {
			w.Admin("GET", "/school-admin/notification/deliveries"+bad, nil).Want(422, "Unprocessable Entity")
		}
		if o := w.As(w.South.Admin, "GET", "/school-admin/notification/deliveries", nil).OK(); o["total"] != 1.0 ||
			o.Items()[0]["subject"] != invited {
			t.Errorf("another school reads %v", o)
		}
	})
}

func TestErased(t *testing.T) {
	bare(t, func(t *testing.T, w *world) {
		add := func(name, no string) id.ID {
			return id.ID(w.Make("student/create", m{"firstName": name, "admissionNo": no,
				"guardians": []m{{"name": "Of " + name, "phone": "+1555000" + no, "canViewData": true}}}))
		}
		gone, stays := add("Ann", "1001"), add("Bob", "1002")
		parent := func(phone string) *apptest.Account {
			user, err := db.One[id.ID](t.Context(), w.DB.School(w.North.ID), `SELECT id FROM users WHERE school_id = :school
				AND phone = :phone`, db.Args{"phone": phone})
			if err != nil {
				t.Fatal(err)
			}
			a := &apptest.Account{ID: user, School: w.North.ID, Role: actor.Parent}
			w.SignIn(t, a)
			return a
		}
		hers, his := parent("+15550001001"), parent("+15550001002")
		for _, who := range []*apptest.Account{hers, his} {
			w.As(who, "POST", path(who, "token"), m{"fcmToken": "of " + string(who.ID)}).OK()
		}
		w.send(w.North.ID,
			notification.Notice{Type: notification.Attendance, Title: text.Plain("Ann is absent"), Student: gone,
				Users: []id.ID{hers.ID, w.North.Admin.ID}},
			notification.Notice{Type: notification.Announcement, Title: text.Plain("To all"), Users: []id.ID{hers.ID, his.ID, w.North.Admin.ID}},
			notification.Notice{Type: notification.Attendance, Title: text.Plain("Bob is absent"), Student: stays,
				Users: []id.ID{his.ID, w.North.Admin.ID}})
		w.Admin("POST", "/school-admin/student/"+string(gone)+"/erase", m{"confirm": "1001"}).OK()
		apptest.Eq(t, "the administrator still reads", titles(w.log(w.North.Admin, "")), "Bob is absent To all")
		apptest.Eq(t, "the other parent reads", titles(w.log(his, "")), "Bob is absent To all")
		for _, table := range []string{"notifications", "devices"} {
			apptest.Eq(t, fmt.Sprint(table, " of an erased parent"),
				w.Count(table+` WHERE school_id = :school AND user_id = :user`, db.Args{"user": hers.ID}), 0)
		}
		apptest.Eq(t, "devices are left", w.Count(`devices WHERE school_id = :school`, nil), 1)
	})
}
