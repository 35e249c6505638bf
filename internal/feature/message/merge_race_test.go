package message_test

import (
	"fmt"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// TestMergeAtOnce: the two records of one parent become one while a teacher and the
// parent write. What was sent is in the parent's conversations.
func TestMergeAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i := range 12 {
			phone := func(n int) string { return fmt.Sprintf("+15550400%d%02d", n, i) }
			child := w.Make("student/create", m{"firstName": "Kim", "classId": w.one, "divisionId": w.a, "guardians": list{
				m{"name": "Jo", "phone": phone(1)}, m{"name": "Jo", "phone": phone(2)}}})
			kept, gone := w.Account(actor.Parent, phone(1)), w.Account(actor.Parent, phone(2))
			if i%2 == 0 { // both have a conversation with the teacher
				w.send(w.anns, kept.ID, child, "before").OK()
			}
			thread := ""
			if i%3 > 0 {
				thread = threadOf(w.send(w.anns, gone.ID, child, "before").OK())
			}
			record := func(who *apptest.Account) string {
				return string(apptest.Value[id.ID](w.World, `SELECT id FROM guardians WHERE school_id = :school AND user_id = :user`,
					db.Args{"user": who.ID}))
			}
			to, from := record(kept), record(gone)
			sent := make([]string, 4)
			apptest.AtOnce(len(sent), func(n int) (r apptest.Reply) {
				switch {
				case n == 0:
					r = w.Admin("POST", "/school-admin/guardian/"+to+"/merge", m{"guardianId": from})
				case n == 1:
					r = w.send(gone, w.anns.ID, child, "by the parent")
				case n == 2 && thread != "":
					r = w.answer(w.anns, thread, "by the teacher")
				default:
					r = w.send(w.anns, gone.ID, child, fmt.Sprint("by the teacher ", n))
				}
				if r.Status >= 500 || n == 0 && r.Status != 200 {
					t.Errorf("round %d: call %d: %d %s", i, n, r.Status, r.Body)
				}
				if r.Status == 201 {
					sent[n] = messageOf(r.OK())
				}
				return r
			})
			for n, message := range sent {
				if message == "" {
					continue
				}
				r := w.As(kept, "GET", at(kept, "thread/"+message), nil)
				if r.Status != 200 {
					t.Errorf("round %d: message of call %d is lost: %d", i, n, r.Status)
				} else if got := r.OK().Object("thread").Object("with").Text("id"); got != string(w.anns.ID) {
					t.Errorf("round %d: message of call %d is in a conversation with %s", i, n, got)
				}
			}
		}
	})
}
