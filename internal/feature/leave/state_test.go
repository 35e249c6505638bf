package leave_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// legal has every allowed action; any other pair of status and action is 409.
var legal = map[string]string{
	"PENDING approve": "APPROVED",
	"PENDING reject":  "REJECTED",
	"PENDING cancel":  "CANCELLED",
	"APPROVED cancel": "CANCELLED",
}

// TestMoves tries every action in every status, as everyone who may do it.
func TestMoves(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		reach := map[string][]string{"PENDING": {}, "APPROVED": {"approve"}, "REJECTED": {"reject"}, "CANCELLED": {"cancel"}}
		kinds := map[string]struct {
			apply   func(body m) apptest.Reply
			decider []*apptest.Account
			applies *apptest.Account
		}{
			"student": {func(body m) apptest.Reply { return w.ask(w.mia, body) }, []*apptest.Account{w.North.Teacher, w.bobs, w.North.Admin},
				w.North.Parent},
			"employee": {func(body m) apptest.Reply { return w.askOwn(w.cids, body) }, []*apptest.Account{w.North.Admin}, w.cids},
		}
		day := 0
		for kind, k := range kinds {
			for state, way := range reach {
				for _, action := range []string{"approve", "reject", "cancel"} {
					by := k.decider
					if action == "cancel" {
						by = []*apptest.Account{k.applies}
					}
					for _, who := range by {
						day++
						leave := k.apply(w.days(day, day)).OK().Text("id")
						for _, step := range way {
							done := w.North.Admin
							if step == "cancel" {
								done = k.applies
							}
							w.act(done, leave, step).OK()
						}
						name, want := fmt.Sprintf("%s: %s by %s of what is %s", kind, action, who.Role, state), legal[state+" "+action]
						r := w.act(who, leave, action)
						switch {
						case want == "":
							r.Want(409, "Conflict")
							want = state
						case r.Status != 200:
							t.Errorf("%s: %d %s", name, r.Status, r.Body)
						}
						apptest.Eq(t, fmt.Sprint(name, ": it is"), w.status(leave), want)
					}
				}
			}
		}
	})
}

// TestCancel cancels pending leave at any time, and approved leave before its first day
// in the school's time zone.
func TestCancel(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		approved := func(day int) string {
			t.Helper()
			leave := w.ask(w.mia, w.days(day, day)).OK().Text("id")
			w.act(w.North.Admin, leave, "approve").OK()
			return leave
		}
		begun, ahead, past := approved(0), approved(1), w.ask(w.mia, w.days(-3, -2)).OK().Text("id")
		w.act(w.North.Parent, begun, "cancel").Want(409, "Conflict")
		w.act(w.North.Parent, past, "cancel").OK()
		w.act(w.uncle, ahead, "cancel").Want(403, "PERMISSION_DENIED")
		w.act(w.North.Teacher, ahead, "cancel").Want(403, "PERMISSION_DENIED")
		w.act(w.North.Parent, ahead, "cancel").OK()

		// In the school's time zone it is already the next day.
		again := approved(1)
		w.Admin("PUT", "/school-admin/setting", m{"timezone": "Pacific/Kiritimati"}).OK()
		w.Pass(3 * time.Hour)
		w.act(w.North.Parent, again, "cancel").Want(409, "Conflict")
		w.Admin("PUT", "/school-admin/setting", m{"timezone": "Pacific/Pago_Pago"}).OK()
		w.act(w.North.Parent, again, "cancel").OK()

		// A parent who is no longer linked can't cancel.
		mine := w.As(w.uncle, "POST", "/parent/leave/apply", apptest.With(w.days(9, 9), "studentId", w.mia)).OK().Text("id")
		guardian := w.One(`SELECT id FROM guardians WHERE school_id = :school AND name = 'Una'`, nil)
		w.Admin("DELETE", "/school-admin/student/"+w.mia+"/guardians/"+guardian, nil).OK()
		w.act(w.uncle, mine, "cancel").Want(403, "PERMISSION_DENIED")
		w.act(w.North.Admin, mine, "reject").OK()
		if logged, pushed := w.told(w.uncle, "student_"+w.mia); logged != 0 || pushed == 0 {
			t.Errorf("a stranger was told %d times, the child's topic %d", logged, pushed)
		}
	})
}

func TestWhoDecides(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		students, noas := w.ask(w.mia, w.days(1, 1)).OK().Text("id"), w.ask(w.noa, w.days(1, 1)).OK().Text("id")
		staff, anns := w.askOwn(w.cids, w.days(1, 1)).OK().Text("id"), w.askOwn(w.North.Teacher, w.days(1, 1)).OK().Text("id")
		for _, tt := range []struct {
			name  string
			who   *apptest.Account
			leave string
		}{
			{"a teacher of the division who is not its class teacher", w.cids, students},
			{"the class teacher of another division", w.North.Teacher, noas},
			{"a colleague", w.North.Teacher, staff},
			{"oneself", w.North.Teacher, anns},
		} {
			for _, action := range []string{"approve", "reject"} {
				w.act(tt.who, tt.leave, action).Want(403, "PERMISSION_DENIED")
			}
		}
		w.act(w.South.Admin, students, "approve").Want(404, "Not Found")
		w.act(w.South.Teacher, students, "approve").Want(404, "Not Found")
		w.act(w.North.Parent, students, "approve").Want(404, "Not Found") // no such route
		for _, leave := range []string{students, noas, staff, anns} {
			apptest.Eq(t, "status", w.status(leave), "PENDING")
		}
		w.act(w.North.Teacher, students, "approve").OK()
		w.act(w.bobs, noas, "reject").OK()
		w.act(w.North.Admin, staff, "approve").OK()
	})
}

// TestOwnLeave makes a teacher with pending leave an administrator.
func TestOwnLeave(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		leave := w.askOwn(w.cids, w.days(1, 1)).OK().Text("id")
		role := w.Role(actor.SchoolAdmin)
		w.Admin("PUT", "/school-admin/employee/"+w.cid, m{"roleId": role, "email": "cid@north.test"}).OK()
		cid := w.Account(actor.SchoolAdmin, "cid@north.test")
		w.act(cid, leave, "approve").Want(403, "PERMISSION_DENIED")
		w.act(cid, leave, "reject").Want(403, "PERMISSION_DENIED")
		// The only administrator may decide on own leave.
		if _, err := db.Exec(t.Context(), w.DB.School(w.North.ID), `UPDATE users SET status = 'DISABLED' WHERE school_id = :school AND id = :id`,
			db.Args{"id": w.North.Admin.ID}); err != nil {
			t.Fatal(err)
		}
		w.act(cid, leave, "approve").OK()
	})
}

// TestClosedDays refuses a class teacher's approval for days with locked attendance.
func TestClosedDays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		old, open := w.ask(w.mia, w.days(-8, -8)).OK().Text("id"), w.ask(w.mia, w.days(-7, -7)).OK().Text("id")
		w.act(w.North.Teacher, old, "approve").Want(403, "PERMISSION_DENIED")
		apptest.Eq(t, "status", w.status(old), "PENDING")
		w.act(w.North.Teacher, open, "approve").OK()
		w.act(w.North.Admin, old, "approve").OK()
		w.act(w.North.Teacher, w.ask(w.mia, w.days(-9, -9)).OK().Text("id"), "reject").OK()
	})
}

// TestOverlap applies for leave next to, on and around other leave of the same person.
func TestOverlap(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		half := func(day int, half string) m {
			return m{"type": "CASUAL", "fromDate": w.day(day), "isHalfDay": true, "half": half}
		}
		people := map[string]func(body m) apptest.Reply{
			"student":  func(body m) apptest.Reply { return w.ask(w.mia, body) },
			"employee": func(body m) apptest.Reply { return w.askOwn(w.cids, body) },
		}
		for kind, apply := range people {
			apply(w.days(10, 14)).OK()
			apply(half(20, "FIRST")).OK()
			for _, tt := range []struct {
				name string
				body m
				want int
			}{
				{"the same", w.days(10, 14), 409},
				{"the first day", w.days(10, 10), 409},
				{"the last day", w.days(14, 14), 409},
				{"a day within", w.days(12, 12), 409},
				{"half of the first day", half(10, "FIRST"), 409},
				{"half of the last day", half(14, "SECOND"), 409},
				{"around", w.days(9, 15), 409},
				{"into the first day", w.days(8, 10), 409},
				{"from the last day", w.days(14, 16), 409},
				{"the same half", half(20, "FIRST"), 409},
				{"the day of the half", w.days(20, 20), 409},
				{"days around the half", w.days(19, 21), 409},
				{"up to the day before", w.days(8, 9), 201},
				{"from the day after", w.days(15, 16), 201},
				{"the other half", half(20, "SECOND"), 201},
			} {
				r := apply(tt.body)
				if r.Status != tt.want {
					t.Errorf("%s: %s: %d %s, want %d", kind, tt.name, r.Status, r.Body, tt.want)
				}
				if r.Status == 409 && !strings.Contains(string(r.Body), "PENDING") {
					t.Errorf("%s: %s: %s does not say what is there", kind, tt.name, r.Body)
				}
			}
		}
	})
}

// TestOverlapByStatus applies for days of another child, and for days of approved,
// rejected and cancelled leave.
func TestOverlapByStatus(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.ask(w.mia, w.days(10, 14)).OK()
		w.ask(w.noa, w.days(10, 14)).OK()
		for _, tt := range []struct {
			by     *apptest.Account
			action string
			want   int
		}{{w.North.Admin, "approve", 409}, {w.North.Admin, "reject", 201}, {w.North.Parent, "cancel", 201}} {
			leave := w.ask(w.noa, w.days(30, 31)).OK().Text("id")
			w.act(tt.by, leave, tt.action).OK()
			r := w.ask(w.noa, w.days(31, 32))
			if r.Status != tt.want {
				t.Errorf("after %s: %d %s", tt.action, r.Status, r.Body)
			}
			if r.Status == 201 {
				leave = r.OK().Text("id")
			}
			w.act(w.North.Parent, leave, "cancel").OK()
		}
	})
}

// TestRaces makes conflicting calls concurrently.
func TestRaces(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for round := range 5 {
			day := 10 + 10*round
			got := apptest.AtOnce(8, func(i int) apptest.Reply { return w.ask(w.mia, w.days(day+i%2, day+2)) })
			apptest.Eq(t, "eight applications", got, map[int]int{201: 1, 409: 7})
			leave := w.ask(w.mia, w.days(day+5, day+5)).OK().Text("id")
			deciders := []*apptest.Account{w.North.Teacher, w.North.Admin, w.bobs}
			got = apptest.AtOnce(3, func(i int) apptest.Reply { return w.act(deciders[i], leave, []string{"approve", "reject"}[i%2]) })
			apptest.Eq(t, "three decisions", got, map[int]int{200: 1, 409: 2})
			approveAndCancel := func(leave string) map[int]int {
				return apptest.AtOnce(2, func(i int) apptest.Reply {
					return w.act([]*apptest.Account{w.North.Admin, w.North.Parent}[i], leave, []string{"approve", "cancel"}[i])
				})
			}
			// After the first day, of approve and cancel only one succeeds.
			begun := w.ask(w.noa, w.days(-round, -round)).OK().Text("id")
			apptest.Eq(t, "approve and cancel", approveAndCancel(begun), map[int]int{200: 1, 409: 1})
			if is := w.status(begun); is == "PENDING" {
				t.Errorf("after approve and cancel it is %s", is)
			}
			// Before the first day, the cancellation succeeds in either order.
			ahead := w.ask(w.noa, w.days(day, day)).OK().Text("id")
			if got := approveAndCancel(ahead); got[200] == 0 || w.status(ahead) != "CANCELLED" {
				t.Errorf("approve and cancel ahead: %v, and it is %s", got, w.status(ahead))
			}
		}
		overlaps := w.Count(`leaves x JOIN leaves y ON y.school_id = x.school_id AND y.student_id = x.student_id
			AND y.id <> x.id AND y.from_date <= x.to_date AND y.to_date >= x.from_date
			WHERE x.school_id = :school AND x.status IN ('PENDING', 'APPROVED') AND y.status IN ('PENDING', 'APPROVED') AND x.student_id = :id`,
			db.Args{"id": id.ID(w.mia)})
		apptest.Eq(t, "overlaps", overlaps, 0)
	})
}
