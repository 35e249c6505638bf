package library_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/feature/library"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

func TestReminders(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("Dune", "D-1", "D-2", "D-3")
		due := func(no, key string, who any) {
			w.call("POST", "loan/issue", m{"accessionNo": no, key: who, "dueDate": "2026-10-02"}).Is(201)
		}
		due("D-1", "studentId", w.mia)
		due("D-2", "studentId", w.noa)
		due("D-3", "employeeId", w.ann)
		counts := func() [5]int {
			return [5]int{w.told(w.miaMum), w.pushed(notification.StudentTopic(w.mia)), w.pushed(notification.StudentTopic(w.noa)),
				w.told(w.annUser), w.pushed(notification.TeacherTopic(w.annUser))}
		}
		w.later(1) // the day it is due
		w.day()
		if got := counts(); got != [5]int{} {
			t.Errorf("notifications on the due date: got %v, want none", got)
		}
		w.later(1)
		var wg sync.WaitGroup
		for range 5 { // more than one node, more than once
			wg.Go(w.day)
		}
		wg.Wait()
		w.day()
		if got := counts(); got != [5]int{1, 1, 1, 1, 1} {
			t.Errorf("notifications: got %v", got)
		}
		body := w.one(`SELECT body FROM notifications WHERE school_id = :school AND user_id = :user`, db.Args{"user": w.miaMum})
		if !strings.Contains(body, "Dune") || !strings.Contains(body, "Mia") || !strings.Contains(body, "2 October 2026") {
			t.Errorf("text of the notification: got %v", body)
		}
		w.giveBack("D-2").Is(200)
		w.later(1)
		w.day()
		if got := counts(); got != [5]int{2, 2, 1, 2, 2} {
			t.Errorf("notifications: got %v", got)
		}
		// Returned books send no reminder.
		w.giveBack("D-1").Is(200)
		w.giveBack("D-3").Is(200)
		w.later(1)
		w.day()
		if got := counts(); got != [5]int{2, 2, 1, 2, 2} {
			t.Errorf("notifications: got %v", got)
		}
	})
}

// TestRemindersToDrivers: a driver hears of an overdue book on the phone, as a teacher does.
func TestRemindersToDrivers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("Dune", "D-1")
		w.call("POST", "loan/issue", m{"accessionNo": "D-1", "employeeId": w.dan, "dueDate": "2026-10-02"}).Is(201)
		w.later(2)
		w.day()
		dan := w.UserOf(w.North, "employees", "id", string(w.dan))
		if w.told(dan) != 1 || w.pushed(notification.DriverTopic(dan)) != 1 {
			t.Errorf("told %d times, pushed %d times, want 1 and 1", w.told(dan), w.pushed(notification.DriverTopic(dan)))
		}
	})
}

// TestRemindersKeepHours sends nothing at night, in the school's time zone.
func TestRemindersKeepHours(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("Dune", "D-1")
		w.call("POST", "loan/issue", m{"accessionNo": "D-1", "studentId": w.mia, "dueDate": "2026-10-01"}).Is(201)
		w.Exec(w.North, `UPDATE schools SET timezone = 'Pacific/Auckland' WHERE id = :school`, nil) // 13 hours ahead
		for _, c := range []struct {
			at   string
			told int
		}{
			{"2026-10-01T10:59:00Z", 0}, // 23:59 on the day it is due
			{"2026-10-01T11:01:00Z", 0}, // overdue, at night
			{"2026-10-01T18:59:00Z", 0}, // 07:59
			{"2026-10-01T19:00:00Z", 1}, // 08:00
			{"2026-10-02T06:59:00Z", 1}, // 19:59
			{"2026-10-02T08:00:00Z", 1}, // 21:00
			{"2026-10-02T19:30:00Z", 2}, // the next morning
		} {
			w.mu.Lock()
			w.now, _ = time.Parse(time.RFC3339, c.at)
			w.mu.Unlock()
			w.day()
			if got := w.told(w.miaMum); got != c.told {
				t.Errorf("%s: told %d times, want %d", c.at, got, c.told)
			}
		}
		w.Exec(w.North, `UPDATE schools SET status = 'SUSPENDED' WHERE id = :school`, nil)
		w.later(1)
		w.day()
		if got := w.told(w.miaMum); got != 2 {
			t.Error("a suspended school sends reminders")
		}
	})
}

func TestPeriodic(t *testing.T) {
	t.Parallel()
	p := (&library.Service{}).Periodics()
	if len(p) != 1 || p[0].Every != time.Hour || p[0].Name == "" {
		t.Errorf("periodic jobs: got %v", p)
	}
}

func TestParent(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("Dune", "D-1", "D-2", "D-3")
		w.issue("D-1", w.mia).Is(201)
		w.giveBack("D-1").Is(200)
		w.issue("D-2", w.mia).Is(201)
		w.issue("D-3", w.noa).Is(201)
		loans := func(token, query string) peopletest.Answer {
			return w.Call(token, "GET", "/parent/library/loans?"+query, nil)
		}
		for _, query := range []string{"", "studentId=" + string(w.mia)} {
			a := loans(w.mum, query).Is(200)
			if got := a.All("items", "accessionNo"); !slices.Equal(got, []string{"D-2", "D-1"}) || strings.Contains(a.Text, "Noa") {
				t.Errorf("loans by query: got %v, %v", query, a.Text)
			}
		}
		if got := loans(w.mum, "status=ISSUED").Is(200).All("items", "accessionNo"); !slices.Equal(got, []string{"D-2"}) {
			t.Errorf("loans: got %v", got)
		}
		w.later(30)
		if got := loans(w.mum, "overdue=true").Is(200).All("items", "accessionNo"); !slices.Equal(got, []string{"D-2"}) {
			t.Errorf("loans: got %v", got)
		}
		loans(w.mum, "studentId="+string(w.noa)).Is(403, "PERMISSION_DENIED")
		loans(w.mum, "studentId="+string(w.farMia)).Is(404, "STUDENT_NOT_FOUND")
		loans(w.mum, "studentId="+string(peopletest.Nobody)).Is(404, "STUDENT_NOT_FOUND")
		// A guardian without access to the child sees no loans and gets no reminder.
		w.Exec(w.North, `UPDATE student_guardians SET can_view_data = FALSE WHERE school_id = :school AND student_id = :id`, db.Args{"id": w.mia})
		loans(w.mum, "studentId="+string(w.mia)).Is(403, "PERMISSION_DENIED")
		if a := loans(w.mum, "").Is(200); a.Data["total"] != 0.0 {
			t.Errorf("loans: got %v", a.Text)
		}
		w.day()
		if w.told(w.miaMum) != 0 {
			t.Error("a guardian without access was notified")
		}
	})
}

// TestHistory tests the profile section and the erasure of a student with loans.
func TestHistory(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.rules(m{"finePerDay": 0.5})
		w.add("Dune", "D-1")
		w.issue("D-1", w.mia).Is(201)
		w.later(16)
		q := w.DB.School(w.North.ID)
		for student, want := range map[id.ID]bool{w.mia: true, w.noa: false} {
			if has, err := w.lib.HasHistory(t.Context(), q, student); err != nil || has != want {
				t.Errorf("HasHistory: got %v, %v, %v", student, has, err)
			}
		}
		w.People.Sections = []people.Section{w.lib.Section()}
		w.In(w.North, func(ctx context.Context, tx *db.Tx) error {
			p, err := w.People.GetProfile(ctx, tx, actor.Actor{Grants: actor.Grants{"library": actor.Read}}, w.mia)
			loans, _ := p.Sections["loans"].([]library.Loan)
			if len(loans) != 1 || !loans[0].Overdue || loans[0].Fine != 100 || loans[0].Title != "Dune" {
				t.Errorf("sections of the profile: got %v", p.Sections)
			}
			return err
		})
		// After erasure the student has no name, and the book can still be returned.
		w.In(w.North, func(ctx context.Context, tx *db.Tx) error {
			return w.People.EraseStudent(ctx, tx, actor.Actor{School: w.North.ID}, w.mia, "S-Mia")
		})
		if l := w.giveBack("D-1").Is(200).Data; l["borrowerName"] != nil || l["status"] != "RETURNED" || l["fine"] != 1.0 || w.fines.calls != 0 {
			t.Errorf("returned loan: got %v", l)
		}
	})
}

func TestRules(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.call("GET", "rules", nil).Is(200).Data
		if r["studentLoans"] != 3.0 || r["studentDays"] != 14.0 || r["finePerDay"] != 0.0 || r["overdueBlocks"] != true || r["version"] != 0.0 ||
			r["updatedAt"] != nil {
			t.Errorf("GET rules: got %v", r)
		}
		r = w.call("PUT", "rules", m{"finePerDay": 0.05, "maxFine": 10, "overdueBlocks": false, "version": 0}).Is(200).Data
		if r["finePerDay"] != 0.05 || r["maxFine"] != 10.0 || r["studentDays"] != 14.0 || r["overdueBlocks"] != false || r["version"] != 1.0 {
			t.Errorf("PUT rules: got %v", r)
		}
		w.call("PUT", "rules", m{"holdDays": 5, "version": 0}).Is(409, "Conflict")
		for _, body := range []m{{"finePerDay": 0.005}, {"finePerDay": -1}, {"maxFine": "1"}, {"studentLoans": -1}, {"studentDays": 0},
			{"holdDays": 0},
			{"employeeDays": 367}, {"maxRenewals": 1.5}, {"defaultPrice": 10000000000}} {
			w.call("PUT", "rules", body).Is(422, "Unprocessable Entity")
		}
		if again := w.call("GET", "rules", nil).Is(200).Data; again["version"] != 1.0 || again["finePerDay"] != 0.05 {
			t.Errorf("GET rules: got %v", again)
		}
		if far := w.Call(w.South.Admin, "GET", path+"rules", nil).Is(200).Data; far["finePerDay"] != 0.0 {
			t.Errorf("GET rules: got %v", far)
		}
		w.Audited("library-rules.update", 1)
	})
}
