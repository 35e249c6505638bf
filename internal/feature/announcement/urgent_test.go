package announcement_test

import (
	"testing"
	"time"

	"homeroom/internal/platform/db"
)

// TestUrgentIsTheOffices: only administrators call something urgent, and only before
// the readers were notified.
func TestUrgentIsTheOffices(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const at = "/school-admin/announcement/"
		create := func(body m) string { return w.Call(t, w.North.Admin, "POST", at+"create", body).OK().Text("id") }
		sms := func() int {
			n, err := db.One[int](t.Context(), w.DB.School(w.North.ID), `
				SELECT COUNT(*) FROM deliveries WHERE school_id = :school AND channel = 'sms' AND body LIKE '%Storm%'`, nil)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		later := create(m{"title": "Storm", "audience": "TEACHERS", "publishAt": w.Now().Add(time.Hour)})
		if got := w.Call(t, w.North.Admin, "PUT", at+later, m{"urgent": true}).OK(); got["urgent"] != true {
			t.Errorf("scheduled: got %v", got)
		}
		if n := sms(); n != 0 {
			t.Errorf("%d SMS before it is published", n)
		}
		w.Call(t, w.North.Admin, "PUT", at+later, m{"publishAt": w.Now()}).OK()
		if sms() == 0 {
			t.Error("no SMS of an urgent announcement")
		}
		w.Call(t, w.North.Admin, "PUT", at+later, m{"urgent": false}).Want(409, "Conflict")
		calm := create(m{"title": "Fair", "audience": "TEACHERS"})
		w.Call(t, w.North.Admin, "PUT", at+calm, m{"urgent": true}).Want(409, "Conflict")
		w.Call(t, w.North.Admin, "PUT", at+calm, m{"urgent": false, "title": "Fête"}).OK()
		own := w.Call(t, w.ann, "POST", "/teacher/announcement/create",
			m{"title": "Quiz", "audience": "DIVISION", "divisionIds": []string{w.oneA}, "urgent": true}).OK()
		if own["urgent"] != false {
			t.Errorf("a teacher's announcement: got %v", own)
		}
	})
}
