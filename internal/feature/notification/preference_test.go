package notification_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

func TestPreferences(t *testing.T) {
	bare(t, func(t *testing.T, w *world) {
		all := func(of string, channels m) m {
			out := m{}
			for _, one := range notification.Types {
				many := one == notification.Transport || one == notification.Message
				out[string(one)] = m{"push": true, "sms": true, "email": !many}
			}
			if of != "" {
				out[of] = channels
			}
			return out
		}
		for _, who := range everyone(w.North) {
			at := path(who, "preferences")
			want := func(o apptest.Object, language, quiet any, channels m) {
				t.Helper()
				apptest.Eq(t, fmt.Sprint(who.Role, ": ", o),
					fmt.Sprint(o), fmt.Sprint(m{"language": language, "languages": []any{"en", "es"}, "quietHours": quiet, "channels": channels}))
			}
			put := func(body m) apptest.Object { t.Helper(); return w.As(who, "PUT", at, body).OK() }
			want(w.As(who, "GET", at, nil).OK(), nil, nil, all("", nil))
			want(put(m{}), nil, nil, all("", nil))
			want(put(m{"language": "pt-BR"}), "pt-BR", nil, all("", nil))
			quiet := m{"from": "21:30", "to": "06:45"}
			want(put(m{"quietHours": quiet}), "pt-BR", quiet, all("", nil))
			want(put(m{"channels": m{"FEE": m{"push": false, "email": false}}}), "pt-BR", quiet,
				all("FEE", m{"push": false, "sms": true, "email": false}))
			want(put(m{"channels": m{"FEE": m{"email": true}}}), "pt-BR", quiet, all("FEE", m{"push": false, "sms": true, "email": true}))
			want(put(m{"quietHours": nil}), "pt-BR", nil, all("FEE", m{"push": false, "sms": true, "email": true}))
			want(put(m{"language": nil, "channels": m{"FEE": m{"push": true}}}), nil, nil, all("", nil))
			want(w.As(who, "GET", at, nil).OK(), nil, nil, all("", nil))
			for field, bad := range map[string]m{
				"language": {"language": "english!"}, "quietHours.from": {"quietHours": m{"to": "07:00"}},
				"quietHours.to":  {"quietHours": m{"from": "07:00", "to": "07:00"}},
				"channels.PARTY": {"channels": m{"PARTY": m{"push": false}}}, "channels.FEE.push": {"channels": m{"FEE": m{"push": "no"}}},
			} {
				if e := w.As(who, "PUT", at, bad).Want(422, "Unprocessable Entity"); len(e.Details) != 1 || e.Details[0].Field != field {
					t.Errorf("%v: %v", bad, e.Details)
				}
			}
			if n := w.Count(`audit_log WHERE school_id = :school AND action = 'notification-preferences.update' AND entity_id = :user`,
				db.Args{"user": who.ID}); n == 0 {
				t.Error("no change is in the log of changes")
			}
		}
	})
}

// TestLanguageByTheOffice: a change of other preferences keeps the language that the office
// sets at the same time.
func TestLanguageByTheOffice(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		guardian := w.One(`SELECT id FROM guardians WHERE school_id = :school AND user_id = :user`, db.Args{"user": w.una.ID})
		for i := range 20 {
			language := []string{"en", "es"}[i%2]
			apptest.AtOnce(2, func(who int) (r apptest.Reply) {
				if who == 0 {
					r = w.As(w.una, "PUT", path(w.una, "preferences"), m{"quietHours": m{"from": "21:00", "to": fmt.Sprintf("07:%02d", i)}})
				} else {
					r = w.Admin("PUT", "/school-admin/guardian/"+guardian, m{"language": language})
				}
				r.OK()
				return r
			})
			apptest.Eq(t, "language", w.As(w.una, "GET", path(w.una, "preferences"), nil).OK().Text("language"), language)
		}
	})
}

func TestTopicsLeaveOutWhatIsSwitchedOff(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		all := []string{"school_" + string(w.North.ID), "student_" + w.mia, "student_" + w.mia + "_attendance", "student_" + w.mia +
			"_result", "student_" + w.mia + "_fee"}
		for _, tt := range []struct {
			off  []string
			gone []int
		}{
			{nil, nil}, {[]string{"FEE"}, []int{4}}, {[]string{"RESULT"}, []int{3, 4}}, {[]string{"ANNOUNCEMENT"}, []int{0, 3, 4}},
			{[]string{"LEAVE_REQUEST", "MESSAGE", "TRANSPORT"}, []int{0, 3, 4}}, {[]string{"LIBRARY"}, []int{0, 1, 3, 4}},
		} {
			channels := m{}
			for _, of := range tt.off {
				channels[of] = m{"push": false}
			}
			w.As(w.North.Parent, "PUT", path(w.North.Parent, "preferences"), m{"channels": channels}).OK()
			var want []string
			for i, topic := range all {
				if !strings.Contains(fmt.Sprint(tt.gone), fmt.Sprint(i)) {
					want = append(want, topic)
				}
			}
			if got := w.As(w.North.Parent, "GET", path(w.North.Parent, "topics"), nil).OK()["topics"]; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%v is off: %v, want %v", tt.off, got, want)
			}
		}
	})
}

// TestQuietHours pushes to a topic of Parent and Una, who have different preferences.
// The school is two hours ahead of UTC.
func TestQuietHours(t *testing.T) {
	const now = "never mind" // a push that is sent at once
	night := m{"quietHours": m{"from": "22:00", "to": "07:00"}}
	noon := m{"quietHours": m{"from": "12:00", "to": "13:30"}}
	off := m{"channels": m{"FEE": m{"push": false}, "TRANSPORT": m{"push": false}, "ATTENDANCE": m{"push": false}}}
	cases := []struct {
		name        string
		parent, una m
		at          string // in the school's time zone
		of          notification.Type
		urgent      bool
		want        string // when it is sent; empty: never
	}{
		{"nobody minds", nil, nil, "23:00", notification.Fee, false, now},
		{"one minds", night, nil, "23:00", notification.Fee, false, now},
		{"both mind", night, night, "23:00", notification.Fee, false, "07:00"},
		{"both mind, past midnight", night, night, "03:00", notification.Fee, false, "07:00"},
		{"as it begins", night, night, "22:00", notification.Fee, false, "07:00"},
		{"just before", night, night, "21:59", notification.Fee, false, now},
		{"as it ends", night, night, "07:00", notification.Fee, false, now},
		{"the first to wake", night, m{"quietHours": m{"from": "20:00", "to": "05:30"}}, "23:00", notification.Fee, false, "05:30"},
		{"at noon", noon, noon, "12:30", notification.Fee, false, "13:30"},
		{"not at one time", noon, night, "12:30", notification.Fee, false, now},
		{"an absence does not wait", night, night, "23:00", notification.Attendance, false, now},
		{"nor what is urgent", night, night, "23:00", notification.Transport, true, now},
		{"where the bus is, is no news tomorrow", night, night, "23:00", notification.Transport, false, ""},
		{"one switched it off", off, nil, "10:00", notification.Fee, false, now},
		{"both did", off, off, "10:00", notification.Fee, false, ""},
		{"even absences", off, off, "10:00", notification.Attendance, false, ""},
		{"but not this type", off, off, "10:00", notification.Result, false, now},
	}
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/setting", m{"timezone": "Etc/GMT-2"}).OK()
		zone := time.FixedZone("", 2*60*60)
		for _, tt := range cases {
			for who, wants := range map[*apptest.Account]m{w.North.Parent: tt.parent, w.una: tt.una} {
				body := m{"quietHours": nil, "channels": m{"FEE": m{"push": true}, "TRANSPORT": m{"push": true}, "ATTENDANCE": m{"push": true}}}
				for k, v := range wants {
					body[k] = v
				}
				w.As(who, "PUT", path(who, "preferences"), body).OK()
			}
			clock, _ := time.Parse("15:04", tt.at)
			local := w.Now().In(zone)
			w.Pass(time.Date(local.Year(), local.Month(), local.Day()+1, clock.Hour(), clock.Minute(), 0, 0, zone).Sub(w.Now()))
			before := len(w.pushed())
			w.send(w.North.ID, notification.Notice{Topic: "student_" + w.mia, Type: tt.of, Urgent: tt.urgent, Title: text.Plain("t"),
				Student: id.ID(w.mia), Users: []id.ID{w.North.Parent.ID, w.una.ID}})
			got := ""
			if all := w.pushed(); len(all) > before {
				got = now
				held, err := db.One[*time.Time](t.Context(), w.DB.School(w.North.ID), `SELECT not_before FROM deliveries WHERE school_id = :school
					AND id = :id`, db.Args{"id": id.ID(all[len(all)-1].ID)})
				if err != nil {
					t.Fatal(err)
				}
				if held != nil && held.After(w.Now()) {
					got = held.In(zone).Format("15:04")
					if held.Sub(w.Now()) > 24*time.Hour {
						t.Errorf("%s: waits until %s", tt.name, held)
					}
				}
			}
			apptest.Eq(t, fmt.Sprint(tt.name, ": leaves at"), got, tt.want)
			apptest.Eq(t, fmt.Sprint(tt.name, ": newest in the log"), titles(w.log(w.una, "?limit=1")), "t")
		}
	})
}

// TestAnnouncementByPreference: pushes to the parents' topics follow preferences; those
// to the school's topic don't.
func TestAnnouncementByPreference(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		announce := func(audience string) string {
			w.Make("announcement/create", m{"title": "A", "body": "B", "audience": audience})
			return fmt.Sprint(w.All(`SELECT to_addr || CASE WHEN not_before IS NULL THEN '' ELSE ' later' END FROM deliveries
				WHERE school_id = :school AND channel = 'push' AND CAST(data AS TEXT) LIKE :record ORDER BY to_addr`,
				db.Args{"record": "%" + w.All(`SELECT id FROM announcements WHERE school_id = :school ORDER BY id DESC LIMIT 1`, nil)[0] + "%"}))
		}
		quiet, topic := m{"quietHours": m{"from": "06:00", "to": "08:00"}}, "student_"+w.mia
		w.As(w.North.Parent, "PUT", path(w.North.Parent, "preferences"), quiet).OK()
		w.As(w.North.Teacher, "PUT", path(w.North.Teacher, "preferences"), m{"channels": m{"ANNOUNCEMENT": m{"push": false}}}).OK()
		for _, tt := range []struct{ audience, want string }{{"PARENTS", "[" + topic + "]"}, {"TEACHERS", "[]"},
			{"ALL", "[school_" + string(w.North.ID) + "]"}} {
			apptest.Eq(t, tt.audience, announce(tt.audience), tt.want)
		}
		w.As(w.una, "PUT", path(w.una, "preferences"), quiet).OK()
		apptest.Eq(t, "while all are asleep", announce("PARENTS"), "["+topic+" later]")
	})
}

// TestLettersByPreference reminds of fees by text message and e-mail.
func TestLettersByPreference(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Make("fee/charge/create", m{"studentId": w.mia, "name": "Books", "amount": 10, "dueDate": w.monday})
		w.As(w.North.Parent, "PUT", path(w.North.Parent, "preferences"), m{"channels": m{"FEE": m{"sms": false}}}).OK()
		w.As(w.una, "PUT", path(w.una, "preferences"),
			m{"channels": m{"FEE": m{"email": false}}, "quietHours": m{"from": "06:00", "to": "08:15"}}).OK()
		out := w.Admin("POST", "/school-admin/fee/reminder/send", m{"all": true}).OK()
		if out["sms"] != 1.0 || out["email"] != 1.0 {
			t.Errorf("reminders: got %v, want 1 sms and 1 email", out)
		}
		type sent struct {
			Channel, ToAddr, Lang string
			NotBefore             *time.Time
		}
		got, err := db.All[sent](t.Context(), w.DB.School(w.North.ID), `
			SELECT channel, to_addr, lang, not_before FROM deliveries WHERE school_id = :school AND channel <> 'push'
			AND (body LIKE '%pay them%' OR body LIKE '%Páguelas%') ORDER BY channel`, nil)
		if err != nil || len(got) != 2 || got[0].ToAddr != "pat@example.org" || got[0].NotBefore != nil || got[1].ToAddr != "+15550100003" ||
			got[1].Lang != "es-MX" ||
			got[1].NotBefore == nil || got[1].NotBefore.Format("15:04") != "08:15" {
			t.Errorf("letters: got %+v, %v", got, err)
		}
	})
}

// TestDevicePush: each device of each user gets a push with the user's unread count.
func TestDevicePush(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for token, who := range map[string]*apptest.Account{"p1": w.North.Parent, "p2": w.North.Parent, "u1": w.una, "t1": w.North.Teacher} {
			w.As(who, "POST", path(who, "token"), m{"fcmToken": token}).OK()
		}
		w.send(w.North.ID, notification.Notice{Type: notification.Fee, Title: text.Plain("x"), Users: []id.ID{w.North.Parent.ID}})
		w.send(w.North.ID, notification.Notice{Devices: true, Topic: "ignored", Type: notification.Message, Title: text.Plain("x"),
			Users: []id.ID{w.North.Parent.ID, w.una.ID}})
		got := w.All(`SELECT to_addr || ' ' || CAST(badge AS TEXT) || ' ' || subject FROM deliveries WHERE school_id = :school
			AND channel = 'push' AND device ORDER BY to_addr`, nil)
		if fmt.Sprint(got) != "[p1 2 Message p2 2 Message u1 1 Mensaje]" {
			t.Errorf("pushes to devices: got %v", got)
		}
		apptest.Eq(t, "pushes", len(w.pushed()), 3)
	})
}
