package message_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// TestWhoMayWriteToWhom tries every sender with every recipient of both schools.
// Pairs that are not in the table are refused.
func TestWhoMayWriteToWhom(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		people := map[string]*apptest.Account{"una": w.una, "zed": w.zed, "hid": w.hid, "ann": w.anns, "bob": w.bobs,
			"driver": w.North.Driver, "admin": w.North.Admin, "eve": w.eve}
		there := map[string]id.ID{"office": w.North.ID}
		for name, a := range people {
			there[name] = a.ID
		}
		away := map[string]id.ID{"nobody": id.New(), "their office": w.South.ID, "their parent": w.South.Parent.ID,
			"their teacher": w.South.Teacher.ID,
			"their driver":  w.South.Driver.ID, "their admin": w.South.Admin.ID}
		for _, tt := range []struct{ who, may string }{
			{"una", "office ann"},
			{"zed", "office bob"},
			{"hid", "office"},
			{"ann", "office una"},
			{"bob", "office zed"},
			{"driver", "office"},
			{"admin", "una zed hid ann bob driver"},
			{"eve", "una zed hid ann bob driver"},
		} {
			who := people[tt.who]
			for name, to := range there {
				got := w.send(who, to, "", "Hello")
				if may := strings.Contains(" "+tt.may+" ", " "+name+" "); may {
					if got.OK(); got.Status != 201 {
						t.Errorf("%s to %s: status %d, want 201", tt.who, name, got.Status)
					}
				} else if e := got.Want(403, "PERMISSION_DENIED"); len(e.Message) < 20 {
					t.Errorf("%s to %s: %q does not say why", tt.who, name, e.Message)
				}
			}
			for _, to := range away {
				w.send(who, to, "", "Hello").Want(404, "Not Found")
			}
		}
		for _, far := range []*apptest.Account{w.South.Parent, w.South.Teacher, w.South.Driver, w.South.Admin} {
			for _, to := range there {
				w.send(far, to, "", "Hello").Want(404, "Not Found")
			}
		}
		// Una-Ann, Zed-Bob, and six with the office: una, zed, hid, ann, bob, driver.
		apptest.Eq(t, "conversations", w.Count(`message_threads WHERE school_id = :school`, nil), 8)
	})
}

// TestWhichStudent sends with and without a studentId.
func TestWhichStudent(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		pat, una, ann, bob := w.pat.ID, w.una.ID, w.anns.ID, w.bobs.ID
		for _, tt := range []struct {
			name    string
			who     *apptest.Account
			to      id.ID
			student string
			is      string // the student's name, or status and error if refused
		}{
			{"the only one", w.una, ann, "", "Mia Roe"},
			{"one of two, not named", w.pat, ann, "", "422 Unprocessable Entity"},
			{"one of two", w.pat, ann, w.moe, "Moe"},
			{"of two, by the teacher", w.anns, pat, "", "422 Unprocessable Entity"},
			{"the other of two, by the teacher", w.anns, pat, w.mia, "Mia Roe"},
			{"another's child", w.una, ann, w.moe, "403 PERMISSION_DENIED"},
			{"another's child, to the office", w.una, w.office(), w.oli, "403 PERMISSION_DENIED"},
			{"not this parent's", w.anns, una, w.moe, "403 PERMISSION_DENIED"},
			{"not this teacher's", w.bobs, w.zed.ID, w.mia, "403 PERMISSION_DENIED"},
			{"not this teacher's, to the office", w.bobs, w.office(), w.mia, "403 PERMISSION_DENIED"},
			{"this teacher's, to the office", w.bobs, w.office(), w.oli, "Oli"},
			{"nobody, to the office", w.bobs, w.office(), "", ""},
			{"an only child, to the office", w.una, w.office(), "", "Mia Roe"},
			{"one of two, to the office", w.pat, w.office(), w.moe, "Moe"},
			{"none of two, to the office", w.pat, w.office(), "", ""},
			{"none of two, by the office", w.North.Admin, pat, "", ""},
			{"one of two, by the office", w.North.Admin, pat, w.mia, "Mia Roe"},
			{"another's child, by the office", w.North.Admin, pat, w.oli, "403 PERMISSION_DENIED"},
			{"not this teacher's, by the office", w.North.Admin, bob, w.mia, "403 PERMISSION_DENIED"},
			{"of a driver", w.North.Admin, w.North.Driver.ID, w.mia, "422 Unprocessable Entity"},
			{"unknown", w.North.Admin, pat, string(id.New()), "404 STUDENT_NOT_FOUND"},
			{"unknown to a parent", w.una, ann, string(id.New()), "404 STUDENT_NOT_FOUND"},
			{"unknown to a teacher", w.anns, una, string(id.New()), "404 STUDENT_NOT_FOUND"},
		} {
			got := w.send(tt.who, tt.to, tt.student, "Hello")
			if status, name, refused := strings.Cut(tt.is, " "); refused && status[0] == '4' {
				code := 0
				if _, err := fmt.Sscan(status, &code); err != nil {
					t.Fatal(err)
				}
				got.Want(code, name)
				continue
			}
			if is := got.OK().Object("thread").Text("studentName"); is != tt.is {
				t.Errorf("%s: student %q, want %q", tt.name, is, tt.is)
			}
		}
	})
}

// TestWhenTheLinkEnds lets both sides read but not write.
func TestWhenTheLinkEnds(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin := w.North.Admin
		hers := threadOf(w.send(w.una, w.anns.ID, "", "First").OK())
		his := threadOf(w.send(w.zed, w.bobs.ID, "", "First").OK())
		office := threadOf(w.send(w.zed, w.office(), "", "First").OK())
		pats := threadOf(w.send(w.anns, w.pat.ID, w.moe, "First").OK())
		closed := func(what, thread string, sides ...*apptest.Account) {
			t.Helper()
			for _, who := range sides {
				if e := w.answer(who, thread, "More").Want(403, "PERMISSION_DENIED"); len(e.Message) < 20 {
					t.Errorf("after %s: error %q", what, e.Message)
				}
				page := w.As(who, "GET", at(who, "thread/"+thread), nil).OK()
				if strings.Join(page.Texts("body"), " ") != "First" || page["canWrite"] != false {
					t.Errorf("after %s: %s reads %v", what, who.Role, page)
				}
			}
		}
		apptest.Eq(t, "conversation before the link ends", w.As(w.una, "GET", at(w.una, "thread/"+hers), nil).OK()["canWrite"], true)
		guardian := w.One(`SELECT id FROM guardians WHERE school_id = :school AND name = 'Una'`, nil)
		view := func(may bool) {
			if _, err := db.Exec(t.Context(), w.DB.School(w.North.ID), `UPDATE student_guardians SET can_view_data = :may
				WHERE school_id = :school AND guardian_id = :id`, db.Args{"id": guardian, "may": may}); err != nil {
				t.Fatal(err)
			}
		}
		view(false)
		closed("without canViewData", hers, w.una, w.anns)
		w.send(w.una, w.anns.ID, "", "More").Want(403, "PERMISSION_DENIED")
		view(true)
		w.answer(w.una, hers, "More").OK()

		w.assign(w.bob, m{"classId": w.one})
		closed("another class", his, w.zed, w.bobs)
		w.assign(w.bob, m{"classId": w.two})

		w.As(admin, "PUT", "/school-admin/student/"+w.oli, m{"classId": nil}).OK()
		closed("taken out of the class", his, w.zed, w.bobs)
		w.send(w.zed, w.bobs.ID, "", "More").Want(403, "PERMISSION_DENIED")
		for _, who := range []*apptest.Account{w.zed, w.bobs} {
			apptest.Eq(t, "recipients without a class", len(w.As(who, "GET", at(who, "recipients"), nil).OK().Items()), 1) // the office
		}
		w.As(admin, "PUT", "/school-admin/student/"+w.oli, m{"classId": w.two}).OK()

		w.As(admin, "PUT", "/school-admin/student/"+w.oli, m{"status": "LEFT"}).OK()
		closed("the child has left", his, w.zed, w.bobs)
		closed("the child has left", office, w.zed, admin)
		apart := w.send(w.zed, w.office(), "", "About something else").OK()
		if threadOf(apart) == office || apart.Object("thread")["studentId"] != nil {
			t.Errorf("message to the office without a student: %v", apart)
		}

		w.As(admin, "PUT", "/school-admin/employee/"+w.ann, m{"status": "RESIGNED"}).OK()
		if e := w.answer(w.pat, pats, "More").Want(403, "PERMISSION_DENIED"); !strings.Contains(e.Message, "closed") {
			t.Errorf("message to a closed account: %q", e.Message)
		}
		w.send(admin, w.anns.ID, "", "Bye").Want(403, "PERMISSION_DENIED")
		w.As(admin, "DELETE", "/school-admin/employee/"+w.ann, nil).OK()
		w.send(admin, w.anns.ID, "", "Bye").Want(404, "Not Found") // deleted by now
		w.answer(w.pat, pats, "More").Want(403, "PERMISSION_DENIED")
	})
}

// TestYears lets next year's teacher write only once that year is current.
func TestYears(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		admin := w.North.Admin
		end := w.One(`SELECT end_date FROM academic_years WHERE school_id = :school AND is_current`, nil)
		next := w.Make("academic-year/create", m{"name": "Next", "startDate": day(end, 1), "endDate": day(end, 300)})
		class := w.Make("class/create", m{"name": "Three", "academicYearId": next})
		w.Make("student/promote", m{"fromClassId": w.two, "toClassId": class, "academicYearId": next})
		w.As(admin, "POST", "/school-admin/employee/"+w.ann+"/assignments",
			m{"academicYearId": next, "assignments": list{m{"classId": class}}}).OK()
		w.send(w.zed, w.bobs.ID, "", "This year").OK()
		w.send(w.zed, w.anns.ID, "", "This year").Want(403, "PERMISSION_DENIED")
		w.As(admin, "POST", "/school-admin/academic-year/"+next+"/activate", m{}).OK()
		w.send(w.zed, w.bobs.ID, "", "Next year").Want(403, "PERMISSION_DENIED")
		w.send(w.zed, w.anns.ID, "", "Next year").OK()
		apptest.Eq(t, "recipients next year",
			strings.Join(w.As(w.zed, "GET", at(w.zed, "recipients"), nil).OK().Texts("name"), " "), "NORTH School Ann Lee")
	})
}

// TestFirstMessagesAtOnce sends 50 concurrent first messages: they share one conversation.
func TestFirstMessagesAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const n = 50
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				if who, to := w.una, w.anns.ID; i%2 == 0 {
					w.send(who, to, "", fmt.Sprint(i)).OK()
				} else {
					w.send(w.anns, w.una.ID, w.mia, fmt.Sprint(i)).OK()
				}
			})
		}
		all.Wait()
		for what, got := range map[string]int{
			"conversations": w.Count(`message_threads WHERE school_id = :school`, nil) - 1 + n,
			"messages":      w.Count(`messages WHERE school_id = :school`, nil),
			"unread":        w.unread(w.una) + w.unread(w.anns),
			"notifications": w.Count(`notifications WHERE school_id = :school AND type = 'MESSAGE'`, nil),
			"pushes":        w.Count(`deliveries WHERE school_id = :school AND channel = 'push'`, nil),
		} {
			apptest.Eq(t, what, got, n)
		}
		if l := w.threads(w.una, ""); l["total"] != 1.0 || l.Items()[0].Object("lastMessage").Text("id") !=
			w.One(`SELECT id FROM messages WHERE school_id = :school ORDER BY id DESC LIMIT 1`, nil) {
			t.Errorf("conversations: %v", l)
		}
	})
}
