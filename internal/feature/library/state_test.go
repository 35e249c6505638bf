package library_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/db"
)

// TestStates does every action to a copy in every status. "" is 409, with nothing changed.
func TestStates(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.rules(m{"studentLoans": 1000, "employeeLoans": 1000})
		table := map[string]map[string]string{
			"AVAILABLE": {"issue": "ISSUED", "return": "", "renew": "", "lost": "", "AVAILABLE": "AVAILABLE", "LOST": "LOST",
				"WITHDRAWN": "WITHDRAWN"},
			"HELD":      {"issue": "ISSUED", "return": "", "renew": "", "lost": "", "AVAILABLE": "", "LOST": "LOST", "WITHDRAWN": "WITHDRAWN"},
			"ISSUED":    {"issue": "", "return": "AVAILABLE", "renew": "ISSUED", "lost": "LOST", "AVAILABLE": "", "LOST": "", "WITHDRAWN": ""},
			"LOST":      {"issue": "", "return": "", "renew": "", "lost": "", "AVAILABLE": "AVAILABLE", "LOST": "LOST", "WITHDRAWN": "WITHDRAWN"},
			"WITHDRAWN": {"issue": "", "return": "", "renew": "", "lost": "", "AVAILABLE": "AVAILABLE", "LOST": "", "WITHDRAWN": "WITHDRAWN"},
		}
		for status, actions := range table {
			for action, want := range actions {
				no := status + "-" + action
				book := w.add(no, no)["id"]
				w.bring(book, no, status)
				a := w.do(book, no, action)
				switch got := w.statusOf(book, no); {
				case want == "" && (a.Status != 409 || a.Error != "Conflict" || got != status):
					t.Errorf("%s of a copy that is %s: %d %s, and it is %s", action, status, a.Status, a.Text, got)
				case want == "" && !strings.Contains(a.Text, no):
					t.Errorf("%s of a copy that is %s: it does not name the copy: %s", action, status, a.Text)
				case want != "" && (a.Status >= 300 || got != want):
					t.Errorf("%s of a copy that is %s: %d %s, and it is %s, want %s", action, status, a.Status, a.Text, got, want)
				}
			}
		}
	})
}

// bring brings a copy that is on the shelf to a status.
func (w *world) bring(book any, no, status string) {
	w.Helper()
	switch status {
	case "HELD":
		w.reserve(book, w.mia).Is(201)
	case "ISSUED":
		w.issue(no, w.noa).Is(201)
	case "LOST", "WITHDRAWN":
		w.do(book, no, status).Is(200)
	}
	if got := w.statusOf(book, no); got != status {
		w.Fatalf("%s is %s, want %s", no, got, status)
	}
}

// do does an action, or sets a status.
func (w *world) do(book any, no, action string) peopletest.Answer {
	w.Helper()
	switch action {
	case "issue":
		return w.issue(no, w.mia)
	case "return", "renew", "lost":
		return w.call("POST", "loan/"+action, m{"accessionNo": no})
	}
	return w.call("PUT", "copy/"+fmt.Sprint(w.copy(book, no)["id"]), m{"status": action})
}

// TestReservationStates cancels a reservation in every status.
func TestReservationStates(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		cancel := func(r m) peopletest.Answer {
			return w.call("POST", "reservation/"+r["id"].(string)+"/cancel", nil)
		}
		book := w.add("Book", "B-1")["id"]
		w.issue("B-1", w.noa).Is(201)
		waiting := w.reserve(book, w.mia).Is(201).Data
		if r := cancel(waiting).Is(200).Data; r["status"] != "CANCELLED" || r["position"] != 0.0 {
			t.Errorf("cancelled reservation: got %v", r)
		}
		cancel(waiting).Is(409, "Conflict")
		if n := w.told(w.miaMum); n != 0 {
			t.Errorf("notifications while no copy was ready: got %d, want 0", n)
		}
		w.giveBack("B-1").Is(200)
		ready := w.reserve(book, w.mia).Is(201).Data
		if ready["status"] != "READY" || cancel(ready).Is(200).Data["status"] != "CANCELLED" || w.statusOf(book, "B-1") != "AVAILABLE" {
			t.Errorf("reservation: got %v", ready)
		}
		body := w.one(`SELECT body FROM notifications WHERE school_id = :school AND user_id = :user ORDER BY id DESC LIMIT 1`,
			db.Args{"user": w.miaMum})
		if n := w.told(w.miaMum); n != 2 || body != "“Book” is not kept for Mia any more: the library has cancelled the reservation." {
			t.Errorf("Mia's mother was told %d times, at last: %s", n, body)
		}
		fulfilled := w.reserve(book, w.mia).Is(201).Data
		w.issue("B-1", w.mia).Is(201)
		cancel(fulfilled).Is(409, "Conflict")
		w.giveBack("B-1").Is(200)
		expired := w.reserve(book, w.mia).Is(201).Data
		w.later(4)
		w.day()
		cancel(expired).Is(409, "Conflict")
		cancel(m{"id": string(peopletest.Nobody)}).Is(404, "Not Found")
		w.Call(w.South.Admin, "POST", path+"reservation/"+expired["id"].(string)+"/cancel", nil).Is(404, "Not Found")
		statuses := w.call("GET", "reservation/list?sort=createdAt&order=desc", nil).All("items", "status")
		if got := strings.Join(statuses, " "); got != "EXPIRED FULFILLED CANCELLED CANCELLED" {
			t.Errorf("statuses of reservations: got %v", got)
		}
		w.Audited("library-reservation.create", 4)
		w.Audited("library-reservation.cancel", 2)
	})
}
