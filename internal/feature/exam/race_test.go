package exam_test

import (
	"testing"

	"homeroom/internal/apptest"
)

// TestTakenBackAtOnce: the office takes results back while a parent opens the latest
// report card. The parent sees published results or none.
func TestTakenBackAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		path := "/school-admin/exam/" + w.marked()
		for i := range 20 {
			w.Admin("POST", path+"/publish", nil).OK()
			const parents = 6
			apptest.AtOnce(parents+1, func(who int) apptest.Reply {
				if who == parents/2 {
					return w.Admin("POST", path+"/unpublish", m{"reason": "Too early"})
				}
				r := w.parent("/parent/exam/report-card?studentId=" + string(w.pupils[0]))
				if e, _ := r.OK()["exam"].(m); e != nil && e["status"] != "PUBLISHED" {
					t.Errorf("round %d: a parent sees an exam that is %v", i, e["status"])
				}
				return r
			})
		}
	})
}
