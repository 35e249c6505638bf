package announcement_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

// TestNoLongerForThem: what waits to tell of an announcement is not sent to those who are not in its audience any more.
// A parent of children in several classes, who is told through one of them, stays in the audience by the other.
func TestNoLongerForThem(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/setting", m{"smsTypes": apptest.List{"ANNOUNCEMENT"}}).OK()
		silent := func(phone string) string { // a guardian without an account
			w.Exec(`UPDATE guardians SET user_id = NULL WHERE school_id = :school AND phone = :phone`, db.Args{"phone": phone})
			w.Exec(`UPDATE users SET status = 'DISABLED' WHERE school_id = :school AND phone = :phone`, db.Args{"phone": phone})
			return phone
		}
		w.student("Ida", w.one, w.oneA, "+15550200021")
		w.student("Joe", w.two, w.twoA, "+15550200022")
		ofIda, ofJoe := silent("+15550200021"), silent("+15550200022")
		sibling := w.student("Max", w.two, w.twoA, w.ofNoa.Phone)
		sent := func(to string) string {
			t.Helper()
			return fmt.Sprint(w.All(`SELECT status FROM deliveries WHERE school_id = :school AND to_addr = :to ORDER BY id`, db.Args{"to": to}))
		}
		check := func(when string, want map[string]string) {
			t.Helper()
			w.Drain()
			for to, status := range want {
				apptest.Eq(t, when+": "+to, sent(to), status)
			}
			w.Exec(`DELETE FROM deliveries WHERE school_id = :school`, nil)
		}
		teacher := func(a *apptest.Account) string { return "teacher_" + string(a.ID) }

		at := w.write(m{"title": "T", "body": "B", "audience": "CLASS", "classIds": []string{w.one, w.two}}).Text("id")
		w.Admin("PUT", admin+at, m{"classIds": []string{w.two}}).OK()
		check("narrowed to another class", map[string]string{
			w.ofMia.Phone: "[FAILED]", "student_" + w.mia: "[FAILED]", teacher(w.ann): "[FAILED]", ofIda: "[FAILED]",
			w.ofOli.Phone: "[SENT]", "student_" + w.oli: "[SENT]", teacher(w.bob): "[SENT]", ofJoe: "[SENT]",
			w.ofNoa.Phone: "[SENT]", "student_" + w.noa: "[SENT]", "student_" + sibling: "[]"})

		at = w.write(m{"title": "T", "body": "B"}).Text("id")
		w.Admin("PUT", admin+at, m{"audience": "PARENTS"}).OK()
		check("narrowed to parents", map[string]string{"school_" + string(w.North.ID): "[FAILED]", w.ann.Phone: "[FAILED]",
			w.ofMia.Phone: "[SENT]", ofIda: "[SENT]"})

		w.write(m{"title": "T", "body": "B", "audience": "DIVISION", "divisionIds": []string{w.oneA}})
		w.Admin("PUT", "/school-admin/student/"+w.mia, m{"divisionId": w.oneB}).OK()
		w.Admin("PUT", "/school-admin/student/"+w.max, m{"divisionId": w.oneB}).OK()
		check("moved to another division", map[string]string{w.ofMia.Phone: "[FAILED]", "student_" + w.mia: "[FAILED]", ofIda: "[SENT]"})
	})
}

// TestLeavesTheLog: an announcement that is withdrawn, deleted or not for someone any more is not in the log; shown
// again, it is. One that has expired stays.
func TestLeavesTheLog(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		logs := func(when, mia, oli, ann string) {
			t.Helper()
			for who, want := range map[*apptest.Account]string{w.ofMia: mia, w.ofOli: oli, w.ann: ann} {
				apptest.Eq(t, when, w.log(who), want)
				o := w.As(who, "GET", "/"+who.Role.Prefix()+"/notification/delivered-notifications", nil).OK()
				apptest.Eq(t, when+", unread", o["unreadCount"], any(float64(len(o["notifications"].([]any)))))
			}
			apptest.Eq(t, when+", on the home page", w.As(w.ofMia, "GET", "/parent/home", nil).OK()["unreadNotifications"],
				any(float64(len(strings.Fields(mia)))))
		}
		w.write(m{"title": "T", "body": "brief", "expiresAt": w.Now().Add(time.Minute)})
		at := w.write(m{"title": "T", "body": "news", "audience": "CLASS", "classIds": []string{w.one}}).Text("id")
		w.Clock.Add(2 * time.Minute)
		put := func(body m) { t.Helper(); w.Admin("PUT", admin+at, body).OK() }
		logs("published", "news brief", "brief", "news brief")
		put(m{"audience": "CLASS", "classIds": []string{w.two}})
		logs("for another class", "brief", "brief", "brief")
		put(m{"audience": "PARENTS"})
		logs("for parents", "news brief", "brief", "brief")
		put(m{"expiresAt": w.Now()})
		logs("withdrawn", "brief", "brief", "brief")
		put(m{"title": "Renamed"})
		logs("renamed", "brief", "brief", "brief")
		put(m{"expiresAt": nil})
		logs("shown again", "news brief", "brief", "brief")
		w.Admin("DELETE", admin+at, nil)
		logs("deleted", "brief", "brief", "brief")
	})
}
