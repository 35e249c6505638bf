package notification_test

import (
	"errors"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/jobs"
)

// TestDeliveriesOfClerk: every administrator has the permission for notifications, for uploads and the own log. It shows
// neither what was written for another module nor the addresses of guardians.
func TestDeliveriesOfClerk(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.speak().say(jobs.Permanent(errors.New("pat@example.org is full")))
		w.As(w.North.Teacher, "POST", "/teacher/attendance/mark", m{"classId": w.class, "divisionId": w.a, "date": w.monday,
			"records": list{m{"studentId": w.mia, "status": "ABSENT"}}}).OK()
		w.Drain()
		none, marks, people := w.clerk("none", nil), w.clerk("marks", m{"attendance": "canRead"}), w.clerk("people", m{"student": "canRead"})
		for who, want := range map[*apptest.Account][2]bool{ // the text, the recipient
			w.North.Admin: {true, true}, none: {false, false}, marks: {true, false}, people: {false, true}} {
			r := w.As(who, "GET", "/school-admin/notification/deliveries?channel=email&status=FAILED", nil).OK()
			if r["total"] != 2.0 {
				t.Fatalf("deliveries: got %v, want Pat's and Una's", r)
			}
			for _, d := range r.Items() {
				again := w.As(who, "POST", "/school-admin/notification/deliveries/"+d.Text("id")+"/retry", nil).OK()
				for what, d := range map[string]apptest.Object{"list": d, "retry": again} {
					if text := d["body"] != nil && d["subject"] != nil; text != want[0] || !text && (d["body"] != nil || d["subject"] != nil) {
						t.Errorf("%s: the text is %v, want it shown: %v", what, d["body"], want[0])
					}
					if d["to"] != nil != want[1] || d["providerAnswer"] == "pat@example.org is full" != want[1] {
						t.Errorf("%s: to %v, answer %v, want them shown: %v", what, d["to"], d["providerAnswer"], want[1])
					}
				}
			}
			w.Drain()
		}
		own := w.As(none, "POST", "/school-admin/notification/test", m{"channel": "email"}).OK()
		apptest.Eq(t, "one's own test", own["to"], "none@north.test")
		w.Drain()
		all := w.As(none, "GET", "/school-admin/notification/deliveries?channel=email", nil).OK().Items()
		apptest.Eq(t, "one's own test in the list", all[0]["to"], "none@north.test")
	})
}
