package fee_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/platform/db"
)

// TestReminderSelection: a reminder names its students, or says all.
func TestReminderSelection(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.charge(w.ann, "Books", "10", w.Day(-3))
		for _, action := range []string{"reminder/send", "reminder/preview"} {
			for field, bad := range map[string][]m{
				"all": {{}, {"minDue": 5}, {"overdueOnly": true}, {"all": false}, {"studentIds": list{}}, {"all": true, "classId": w.one},
					{"all": true, "studentIds": list{w.ann}}},
				"studentIds": {{"classId": w.one, "studentIds": list{w.ann}}},
			} {
				for _, body := range bad {
					r := w.post(action, body)
					r.Want(422, "Unprocessable Entity")
					if !strings.Contains(string(r.Body), `"field":"`+field+`"`) {
						t.Errorf("%s %v: %s, want it about %s", action, body, r.Body, field)
					}
				}
			}
		}
		if n := w.Count(`notifications WHERE school_id = :school AND title = 'Fees due'`, db.Args{}); n != 0 {
			t.Errorf("%d reminders were sent", n)
		}
	})
}

// TestReminderPreview: the preview counts what the reminder then sends, and sends nothing.
func TestReminderPreview(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.charge(w.ann, "Books", "10", w.Day(-3))
		w.charge(w.ben, "Trip", "40", w.Day(3))
		deliveries := func() int { return w.Count(`deliveries WHERE school_id = :school`, db.Args{}) }
		before := deliveries()
		first := w.post("reminder/preview", m{"all": true}).OK()
		if first["students"] != 2.0 || first["sms"] == 0.0 || first["smsCost"] != nil {
			t.Errorf("preview: got %v", first)
		}
		w.Call(t, w.North.Admin, "PUT", "/school-admin/setting", m{"smsCost": 0.05}).OK()
		seen := w.post("reminder/preview", m{"all": true}).OK()
		if cost := fmt.Sprintf("%.2f", seen["smsParts"].(float64)*0.05); fmt.Sprintf("%.2f", seen["smsCost"]) != cost {
			t.Errorf("smsCost is %v, want %s", seen["smsCost"], cost)
		}
		if n := deliveries(); n != before {
			t.Errorf("the preview sent %d messages", n-before)
		}
		sent := w.post("reminder/send", m{"all": true}).OK()
		if fmt.Sprint(sent) != fmt.Sprint(seen) {
			t.Errorf("sent %v, the preview said %v", sent, seen)
		}
		letters := w.Count(`deliveries WHERE school_id = :school AND channel <> 'push' AND subject = 'Fees due'`, db.Args{})
		if float64(letters) != sent["sms"].(float64)+sent["email"].(float64) {
			t.Errorf("%d letters were written, the answer says %v", letters, sent)
		}
		again := w.post("reminder/preview", m{"all": true}).OK()
		if again["students"] != 0.0 || again["alreadyReminded"] != 2.0 || again["sms"] != 0.0 || again["families"] != 0.0 {
			t.Errorf("after it was sent: %v", again)
		}
		w.Call(t, w.North.Teacher, "POST", at+"reminder/preview", m{"all": true}).Want(403, "PERMISSION_DENIED")
	})
}
