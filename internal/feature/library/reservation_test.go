package library_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/db"
)

// queue is the queue of a book, as "S-Mia READY 0".
func (w *world) queue(book any) string {
	w.Helper()
	a := w.call("GET", "reservation/list?bookId="+fmt.Sprint(book), nil).Is(200)
	var out []string
	for _, r := range a.Data["items"].([]any) {
		if r := r.(m); r["status"] == "WAITING" || r["status"] == "READY" {
			out = append(out, fmt.Sprint(r["borrowerNo"], " ", r["status"], " ", r["position"]))
		}
	}
	return strings.Join(out, ", ")
}

func TestReservation(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		zed := w.zed()
		book := w.add("Dune", "D-1")["id"]
		w.issue("D-1", zed).Is(201)
		w.reserve(book, zed).Is(409, "Conflict") // who has it
		r := w.reserve(book, w.mia).Is(201).Data
		if r["status"] != "WAITING" || r["position"] != 1.0 || r["title"] != "Dune" || r["borrowerName"] != "Mia Lee" || r["copyId"] != nil ||
			r["holdUntil"] != nil {
			t.Errorf("reservation: got %v", r)
		}
		w.reserve(book, w.mia).Is(409, "DUPLICATE_ENTRY")
		w.reserve(book, w.noa).Is(201)
		w.call("POST", "reservation/create", m{"bookId": book, "employeeId": w.ann}).Is(201)
		w.call("POST", "reservation/create", m{"bookId": book, "employeeId": w.ann}).Is(409, "DUPLICATE_ENTRY")
		if got := w.queue(book); got != "S-Mia WAITING 1, S-Noa WAITING 2, E1 WAITING 3" {
			t.Errorf("queue: got %v", got)
		}
		if n := w.told(w.miaMum); n != 0 {
			t.Errorf("notifications before a copy is ready: got %d, want 0", n)
		}

		// The returned copy is held for the first in the queue, whose parents are notified.
		back := w.giveBack("D-1").Is(200).Data
		hold, _ := back["hold"].(m)
		if hold["borrowerNo"] != "S-Mia" || hold["holdUntil"] != "2026-10-04" || hold["accessionNo"] != "D-1" ||
			w.statusOf(book, "D-1") != "HELD" {
			t.Errorf("returned loan: got %v", back)
		}
		if w.told(w.miaMum) != 1 || w.pushed(notification.StudentTopic(w.mia)) != 1 || w.pushed(notification.StudentTopic(w.noa)) != 0 {
			t.Error("Mia's parents were not notified, or others were")
		}
		body := w.one(`SELECT body FROM notifications WHERE school_id = :school AND user_id = :user`, db.Args{"user": w.miaMum})
		if !strings.Contains(body, "Dune") || !strings.Contains(body, "Mia") || !strings.Contains(body, "4 October 2026") {
			t.Errorf("text of the notification: got %v", body)
		}
		for _, other := range []any{zed, w.noa} {
			w.call("POST", "loan/issue", m{"accessionNo": "D-1", "studentId": other}).Is(409, "Conflict")
		}
		if b := w.call("GET", "book/"+fmt.Sprint(book), nil).Data; b["availableCopies"] != 0.0 || b["waiting"] != 2.0 {
			t.Errorf("GET book: got %v", b)
		}
		w.issue("D-1", w.mia).Is(201)
		if got := w.queue(book); got != "S-Noa WAITING 1, E1 WAITING 2" {
			t.Errorf("queue: got %v", got)
		}
		// The next hold expires, and the copy is held for the teacher.
		w.giveBack("D-1").Is(200)
		w.later(3)
		w.day()
		if got := w.queue(book); got != "S-Noa READY 0, E1 WAITING 1" {
			t.Errorf("queue: got %v", got)
		}
		w.later(1)
		w.day()
		w.day()
		if got := w.queue(book); got != "E1 READY 0" {
			t.Errorf("queue: got %v", got)
		}
		if w.told(w.annUser) != 1 || w.pushed(notification.TeacherTopic(w.annUser)) != 1 {
			t.Error("the teacher was not notified exactly once")
		}
		w.later(4)
		w.day()
		if w.statusOf(book, "D-1") != "AVAILABLE" || w.queue(book) != "" {
			t.Errorf("queue: got %v", w.queue(book))
		}
		w.issue("D-1", zed).Is(201)
	})
}

// TestHoldRunsOutAtTheDesk ends an expired hold before the hourly job runs.
func TestHoldRunsOutAtTheDesk(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		book := w.add("Dune", "D-1")["id"]
		if r := w.reserve(book, w.mia).Is(201).Data; r["status"] != "READY" {
			t.Errorf("reservation: got %v", r)
		}
		w.later(3)
		w.issue("D-1", w.noa).Is(409, "Conflict")
		w.later(1)
		w.issue("D-1", w.noa).Is(201)
		if got := w.queue(book); got != "" {
			t.Errorf("queue: got %v", got)
		}
	})
}

// TestAnotherCopy issues another copy than the held one.
func TestAnotherCopy(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		book := w.add("Dune", "D-1", "D-2")["id"]
		held := w.reserve(book, w.mia).Is(201).Data
		if held["accessionNo"] != "D-1" || w.statusOf(book, "D-2") != "AVAILABLE" {
			t.Errorf("reservation: got %v", held)
		}
		w.issue("D-2", w.mia).Is(201)
		if w.statusOf(book, "D-1") != "AVAILABLE" || w.queue(book) != "" {
			t.Errorf("queue: got %v", w.queue(book))
		}
		list := w.call("GET", "reservation/list?status=FULFILLED&studentId="+string(w.mia), nil).Is(200)
		if got := strings.Join(list.All("items", "accessionNo"), " "); got != "D-2" {
			t.Errorf("copies of fulfilled reservations: got %v", got)
		}
	})
}

// TestHeldCopyGoesAway marks a held copy as lost: its borrower is first in the queue
// again.
func TestHeldCopyGoesAway(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		book := w.add("Dune", "D-1")["id"]
		w.reserve(book, w.mia).Is(201)
		w.reserve(book, w.noa).Is(201)
		w.do(book, "D-1", "WITHDRAWN").Is(200)
		if got := w.queue(book); got != "S-Mia WAITING 1, S-Noa WAITING 2" {
			t.Errorf("queue: got %v", got)
		}
		if w.told(w.miaMum) != 2 || w.pushed(notification.StudentTopic(w.noa)) != 0 {
			t.Error("Mia's parents were not told that the copy is gone, or others were")
		}
		body := w.one(`SELECT body FROM notifications WHERE school_id = :school AND user_id = :user ORDER BY id DESC LIMIT 1`,
			db.Args{"user": w.miaMum})
		if !strings.Contains(body, "“Dune” is not kept for Mia any more") {
			t.Errorf("text of the notification: got %v", body)
		}
		w.reserve(book, w.zed()).Is(409, "Conflict") // no copy is left to wait for
		// New copies are held in queue order.
		w.call("POST", "book/"+fmt.Sprint(book)+"/copies", m{"copies": copies("D-2", "D-3", "D-4")}).Is(201)
		if got := w.queue(book); got != "S-Mia READY 0, S-Noa READY 0" {
			t.Errorf("queue: got %v", got)
		}
		if w.statusOf(book, "D-2") != "HELD" || w.statusOf(book, "D-3") != "HELD" || w.statusOf(book, "D-4") != "AVAILABLE" {
			t.Error("copies are not held in order")
		}
		if b := w.call("GET", "book/"+fmt.Sprint(book), nil).Data; b["availableCopies"] != 1.0 {
			t.Errorf("GET book: got %v", b)
		}
		// The next copy takes the place of a lost one: there is only the news of that.
		w.do(book, "D-2", "LOST").Is(200)
		if w.statusOf(book, "D-4") != "HELD" || w.queue(book) != "S-Mia READY 0, S-Noa READY 0" || w.told(w.miaMum) != 4 {
			t.Errorf("queue: got %v, Mia's mother was told %d times", w.queue(book), w.told(w.miaMum))
		}
	})
}

// TestWhoLeftIsPassedOver cancels the reservations of people who have left.
func TestWhoLeftIsPassedOver(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		book := w.add("Dune", "D-1")["id"]
		w.issue("D-1", w.zed()).Is(201)
		w.reserve(book, w.mia).Is(201)
		w.call("POST", "reservation/create", m{"bookId": book, "employeeId": w.ann}).Is(201)
		w.reserve(book, w.noa).Is(201)
		w.Exec(w.North, `UPDATE students SET status = 'LEFT' WHERE school_id = :school AND id = :id`, db.Args{"id": w.mia})
		w.Exec(w.North, `UPDATE employees SET status = 'RESIGNED' WHERE school_id = :school AND id = :id`, db.Args{"id": w.ann})
		if back := w.giveBack("D-1").Is(200).Data; back["hold"].(m)["borrowerNo"] != "S-Noa" {
			t.Errorf("returned loan: got %v", back)
		}
		if got := w.queue(book); got != "S-Noa READY 0" {
			t.Errorf("queue: got %v", got)
		}
		if w.told(w.miaMum) != 0 {
			t.Error("the parents of who left were told")
		}
	})
}

func TestReservationIsChecked(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		book := w.add("Dune", "D-1")["id"]
		empty := w.add("No copy")["id"]
		far := w.Call(w.South.Admin, "POST", path+"book/create", m{"title": "Far", "copies": copies("")}).Is(201).Data["id"]
		for _, c := range []struct {
			body   m
			status int
			name   string
		}{
			{m{"studentId": w.mia}, 422, "Unprocessable Entity"},
			{m{"bookId": book}, 422, "Unprocessable Entity"},
			{m{"bookId": book, "studentId": w.mia, "employeeId": w.ann}, 422, "Unprocessable Entity"},
			{m{"bookId": far, "studentId": w.mia}, 404, "Not Found"},
			{m{"bookId": book, "studentId": w.farMia}, 404, "STUDENT_NOT_FOUND"},
			{m{"bookId": book, "employeeId": peopletest.Nobody}, 404, "Not Found"},
			{m{"bookId": empty, "studentId": w.mia}, 409, "Conflict"},
		} {
			w.call("POST", "reservation/create", c.body).Is(c.status, c.name)
		}
		for query, name := range map[string]string{
			"studentId=" + string(w.farMia):           "STUDENT_NOT_FOUND",
			"employeeId=" + string(peopletest.Nobody): "Not Found",
			"bookId=" + fmt.Sprint(far):               "Not Found",
		} {
			w.call("GET", "reservation/list?"+query, nil).Is(404, name)
		}
	})
}

// TestReservationsUnderConcurrency reserves, returns and issues concurrently: holds
// stay consistent.
func TestReservationsUnderConcurrency(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		book := w.add("Dune", "D-1", "D-2")["id"]
		w.issue("D-1", w.zed()).Is(201)
		if got := same(8, func(int) peopletest.Answer { return w.reserve(book, w.mia) }); got[201] != 1 || got[409] != 7 {
			t.Errorf("statuses of concurrent calls: got %v", got)
		}
		same(12, func(i int) peopletest.Answer {
			switch i % 4 {
			case 0:
				return w.giveBack("D-1")
			case 1:
				return w.reserve(book, w.noa)
			case 2:
				return w.issue("D-2", w.noa)
			}
			return w.issue("D-1", w.mia)
		})
		wrong := w.Count(`library_copies c WHERE c.school_id = :school AND (
			(c.status = 'HELD') <> EXISTS (SELECT 1 FROM library_reservations r WHERE r.school_id = :school AND r.copy_id = c.id
				AND r.status = 'READY')
			OR (c.status = 'ISSUED') <> EXISTS (SELECT 1 FROM library_loans l WHERE l.school_id = :school AND l.copy_id = c.id
				AND l.status = 'ISSUED'))`, nil)
		free := w.Count(`library_copies WHERE school_id = :school AND status = 'AVAILABLE'`, nil)
		if b := w.call("GET", "book/"+fmt.Sprint(book), nil).Data; wrong != 0 || b["availableCopies"] != float64(free) || free > 0 &&
			b["waiting"] != 0.0 {
			t.Errorf("inconsistent copies, free copies and the book: got %v, %v, %v", wrong, free, b)
		}
	})
}
