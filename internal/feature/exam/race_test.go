package exam_test

import (
	"fmt"
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

// TestDeleteScaleAtOnce: a grade scale is deleted once, and not changed after that.
func TestDeleteScaleAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		bands := list{m{"grade": "A", "minPercent": 80}}
		first := "/school-admin/grade-scale/" + w.Make("grade-scale/create", m{"name": "First", "bands": bands})
		for i := range 20 {
			path := "/school-admin/grade-scale/" + w.Make("grade-scale/create", m{"name": fmt.Sprint("Scale ", i), "bands": bands})
			got := apptest.AtOnce(2, func(int) apptest.Reply { return w.Admin("DELETE", path, nil) })
			apptest.Eq(t, fmt.Sprint("round ", i, ": statuses"), got, map[int]int{204: 1, 404: 1})
		}
		w.Audited("gradeScale.delete", 20)
		apptest.Eq(t, "default", w.Admin("GET", first, nil).OK()["isDefault"], any(true))
	})
}
