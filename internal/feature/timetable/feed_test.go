package timetable_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/timetable/ical/icaltest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// read returns the lessons of a calendar, each "2026-10-05T06:00 Mathematics".
func (w *world) read(token, path string) []string {
	w.Helper()
	rec := w.get(token, path)
	if rec.Code != 200 || rec.Header().Get("Content-Type") != "text/calendar; charset=utf-8" {
		w.Fatalf("%s: %d %s %s", path, rec.Code, rec.Header(), rec.Body)
	}
	list, err := icaltest.Read(rec.Body.String())
	if err != nil {
		w.Fatalf("%s: %v\n%s", path, err, rec.Body)
	}
	out := make([]string, len(list))
	for i, h := range list {
		out[i] = fmt.Sprintf("%s %s @%s", h.Start.Format("2006-01-02T15:04"), h.Summary, h.Location)
	}
	return out
}

// TestFeeds compares both calendars of a school in Berlin with every day of the
// year, holidays, overrides and daylight saving changes included.
func TestFeeds(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.firstPeriods()
		w.Exec(w.North, `UPDATE schools SET timezone = 'Europe/Berlin' WHERE id = :school`, nil)
		w.Exec(w.North, `INSERT INTO holidays (school_id, id, name, search, date, end_date, created_at, updated_at)
			VALUES (:school, :id, 'Winter', 'winter', '2026-12-21', '2027-01-05', :now, :now)`, db.Args{"id": id.New(), "now": now})
		w.override(w.oneA, "teacherId", w.cid).Is(201)
		w.Call(w.North.Admin, "POST", path+"/override", with(on(w.oneA, "room", "Hall, left; right"), "date", "2026-10-26")).Is(201)
		w.Call(w.North.Admin, "POST", path+"/override", with(on(w.oneA, "cancelled", true), "date", "2026-11-02")).Is(201)
		w.Call(w.North.Admin, "POST", path+"/override", with(on(w.twoA, "teacherId", w.ann), "date", "2027-03-29")).Is(409, "Conflict")
		w.Call(w.North.Admin, "POST", path+"/override", with(on(w.oneA, "teacherId", w.cid), "date", "2027-03-29")).Is(201)
		w.Call(w.North.Admin, "POST", path+"/override", with(on(w.twoA, "teacherId", w.ann), "date", "2027-03-29")).Is(201)

		var child, ann []string
		zone := clock.Zone("Europe/Berlin")
		lesson := func(list *[]string, d clock.Date, hour, minute int, what, room string) {
			at := time.Date(d.Time().Year(), d.Time().Month(), d.Time().Day(), hour, minute, 0, 0, zone).UTC()
			*list = append(*list, at.Format("2006-01-02T15:04")+" "+what+" @"+room)
		}
		for d := clock.Date("2026-06-01"); d <= "2027-05-31"; d = d.AddDays(1) {
			first := "Lab 1"
			switch {
			case d >= "2026-12-21" && d <= "2027-01-05":
				continue
			case d == "2026-10-26":
				first = "Hall, left; right"
			}
			switch d.Time().Weekday() {
			case time.Monday:
				if d != "2026-11-02" {
					lesson(&child, d, 8, 0, "Mathematics", first)
				}
				if d != "2026-11-02" && d != monday && d != "2027-03-29" {
					lesson(&ann, d, 8, 0, "Mathematics, Grade 1 A", first)
				}
				if d == "2027-03-29" {
					lesson(&ann, d, 8, 30, "Mathematics, Grade 2 A", "Lab 2")
				}
				lesson(&child, d, 9, 0, "Mathematics", "Home A")
				lesson(&ann, d, 9, 0, "Mathematics, Grade 1 A", "Home A")
			case time.Tuesday:
				lesson(&child, d, 8, 0, "Mathematics", "Home A")
				lesson(&ann, d, 8, 0, "Mathematics, Grade 1 A", "Home A")
			}
		}
		for _, list := range []*[]string{&child, &ann} {
			*list = append(*list, "2026-12-21T00:00 Winter @")
			slices.Sort(*list)
		}
		same(t, "the child's", w.read(w.parent, "/parent/timetable/calendar?studentId="+string(w.child)), child)
		same(t, "Ann's", w.read(w.annToken, "/teacher/timetable/calendar"), ann)

		// An unchanged calendar is byte-identical; a new week keeps the UIDs.
		const mine = "/teacher/timetable/calendar"
		before := w.get(w.annToken, mine).Body.String()
		if before != w.get(w.annToken, mine).Body.String() {
			t.Error("an unchanged calendar differs between two requests")
		}
		w.firstPeriods()
		after := w.get(w.annToken, mine).Body.String()
		if uids(before) != uids(after) || !strings.Contains(before, "SEQUENCE:1\r\n") || !strings.Contains(after, "SEQUENCE:2\r\n") {
			t.Errorf("UIDs or SEQUENCE after a new week, before:\n%s\nafter:\n%s", before, after)
		}
		if list := w.read(w.North.Token(w.UserOf(w.North, "employees", "employee_code", "E2")), mine); len(list) == 0 {
			t.Error("Bob's calendar is empty")
		}
	})
}

func same(t *testing.T, whose string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("%s lesson %d of %d (want %d): %q, want %q", whose, i, len(got), len(want),
				got[min(i, len(got)-1)], want[min(i, len(want)-1)])
			return
		}
	}
}

func uids(cal string) string {
	var out []string
	for l := range strings.SplitSeq(strings.ReplaceAll(cal, "\r\n ", ""), "\r\n") {
		if strings.HasPrefix(l, "UID:") {
			out = append(out, l)
		}
	}
	return strings.Join(out, " ")
}

// TestNothingToShow returns valid, empty calendars.
func TestNothingToShow(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ask := "/parent/timetable/calendar?studentId=" + string(w.child)
		if n := len(w.read(w.annToken, "/teacher/timetable/calendar")) + len(w.read(w.parent, ask)); n != 0 {
			t.Errorf("%d lessons without a timetable", n)
		}
		w.firstPeriods()
		w.Exec(w.North, `UPDATE academic_years SET is_current = FALSE WHERE school_id = :school`, nil)
		if n := len(w.read(w.annToken, "/teacher/timetable/calendar")) + len(w.read(w.parent, ask)); n != 0 {
			t.Errorf("%d lessons without a year", n)
		}
	})
}

func TestLink(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.firstPeriods()
		const own, ofChild = "/teacher/timetable/calendar-link", "/parent/timetable/calendar-link"
		link := func(token, path string, body any) string {
			url, ok := w.Call(token, "POST", path, body).Is(200).Data["url"].(string)
			if !ok || !strings.HasPrefix(url, "https://school.test/calendar/") || !strings.HasSuffix(url, ".ics") {
				t.Fatalf("calendar link: got URL %q", url)
			}
			return strings.TrimPrefix(url, "https://school.test")
		}
		gone := func(why, path string) {
			t.Helper()
			if rec := w.get("", path); rec.Code != 404 {
				t.Errorf("calendar after %s: status %d, want 404", why, rec.Code)
			}
		}
		student := m{"studentId": w.child}
		teacher, parent := link(w.annToken, own, nil), link(w.parent, ofChild, student)
		same(t, "a teacher's link", w.read("", teacher), w.read(w.annToken, "/teacher/timetable/calendar"))
		same(t, "a parent's link", w.read("", parent), w.read(w.parent, "/parent/timetable/calendar?studentId="+string(w.child)))
		if rec := w.get("", teacher); rec.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("headers of a calendar: %v", rec.Header())
		}

		w.Call(w.parent, "POST", ofChild, m{"studentId": w.stranger}).Is(403, "PERMISSION_DENIED")
		w.Call(w.parent, "POST", ofChild, m{"studentId": w.farChild}).Is(404, "STUDENT_NOT_FOUND")
		w.Call(w.parent, "POST", ofChild+"/revoke", m{"studentId": w.stranger}).Is(403, "PERMISSION_DENIED")

		// A new link replaces only the caller's old one.
		again := link(w.annToken, own, nil)
		gone("replaced", teacher)
		same(t, "the new link", w.read("", again), w.read(w.annToken, "/teacher/timetable/calendar"))
		w.Call(w.annToken, "POST", own+"/revoke", nil).Is(200)
		gone("revoked", again)
		w.read("", parent)
		w.Audited("calendar-link.create", 3)
		w.Audited("calendar-link.revoke", 2)

		for _, bad := range []string{"/calendar/.ics", "/calendar/x.ics", strings.Replace(parent, "/calendar/", "/calendar/0", 1),
			strings.TrimSuffix(parent, ".ics") + "x.ics",
			"/calendar/" + strings.ReplaceAll(string(w.South.ID), "-", "") + parent[len("/calendar/")+32:]} {
			gone(bad, bad)
		}
		teacher = link(w.annToken, own, nil)
		both, parents := []string{teacher, parent}, []string{parent}
		for _, lost := range []struct {
			why, off, on string
			links        []string
		}{
			{"the account is disabled", `UPDATE users SET status = 'DISABLED' WHERE school_id = :school`,
				`UPDATE users SET status = 'ACTIVE' WHERE school_id = :school`, both},
			{"the school is suspended", `UPDATE schools SET status = 'SUSPENDED' WHERE id = :school`,
				`UPDATE schools SET status = 'ACTIVE' WHERE id = :school`, both},
			{"the permission is gone", `UPDATE role_permissions SET can_read = FALSE WHERE school_id = :school`,
				`UPDATE role_permissions SET can_read = TRUE WHERE school_id = :school`, both},
			{"canViewData is false", `UPDATE student_guardians SET can_view_data = FALSE WHERE school_id = :school`,
				`UPDATE student_guardians SET can_view_data = TRUE WHERE school_id = :school`, parents},
			{"the student was archived", `UPDATE students SET archived_at = created_at WHERE school_id = :school`,
				`UPDATE students SET archived_at = NULL WHERE school_id = :school`, parents},
		} {
			w.Exec(w.North, lost.off, nil)
			for _, l := range lost.links {
				gone(lost.why, l)
			}
			w.Exec(w.North, lost.on, nil)
			for _, l := range lost.links {
				w.read("", l)
			}
		}
		w.secret(parent)
	})
}

// secret checks that the token is neither in the log nor in the database.
func (w *world) secret(link string) {
	w.Helper()
	token := strings.TrimSuffix(strings.TrimPrefix(link, "/calendar/"), ".ics")
	w.get("", strings.TrimSuffix(link, ".ics")) // mistyped
	w.logs.mu.Lock()
	defer w.logs.mu.Unlock()
	if text := w.logs.text.String(); strings.Contains(text, token) || !strings.Contains(text, "/calendar/…") {
		w.Error("the log has the token, or lacks the request: ", text)
	}
	n, err := db.One[int](w.Context(), w.DB.School(w.North.ID), `SELECT COUNT(*) FROM calendar_links
		WHERE school_id = :school AND hash LIKE :token`,
		db.Args{"token": "%" + token[32:] + "%"})
	if err != nil || n != 0 {
		w.Errorf("links with the plain token in the database: got %d, %v, want 0", n, err)
	}
}

// TestLinkFollowsTheRole disables a link when its owner's role changes.
func TestLinkFollowsTheRole(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.firstPeriods()
		url := w.Call(w.annToken, "POST", "/teacher/timetable/calendar-link", nil).Is(200).Data["url"].(string)
		url = strings.TrimPrefix(url, "https://school.test")
		w.read("", url)
		driver, err := access.System(t.Context(), w.DB.School(w.North.ID), actor.Driver)
		if err != nil {
			t.Fatal(err)
		}
		w.Exec(w.North, `UPDATE users SET role = 'DRIVER', role_id = :role WHERE school_id = :school AND id = :id`,
			db.Args{"role": driver.ID, "id": w.UserOf(w.North, "employees", "employee_code", "E1")})
		if rec := w.get("", url); rec.Code != 404 {
			t.Errorf("calendar after a change of role: status %d, want 404", rec.Code)
		}
	})
}
