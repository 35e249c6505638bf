package attendance_test

import (
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

// TestQuietMarks saves marks without telling the parents: what they were told decides
// what they hear next.
func TestQuietMarks(t *testing.T) {
	const (
		gone      = "Absent from school"
		tardy     = "Late for school"
		corrected = "Attendance corrected"
	)
	each(t, func(t *testing.T, w *world) {
		for _, tt := range []struct {
			name  string
			marks []string // ~: quietly; -: taken back
			want  []string
		}{
			{"absent, quietly", []string{"~ABSENT"}, nil},
			{"a quiet correction", []string{"ABSENT", "~PRESENT"}, []string{gone}},
			{"a quiet removal", []string{"ABSENT", "~-"}, []string{gone}},
			{"a correction of what nobody heard", []string{"~ABSENT", "PRESENT"}, nil},
			{"heard after all", []string{"~ABSENT", "LATE 5"}, []string{tardy}},
			{"quietly there and back", []string{"ABSENT", "~PRESENT", "~ABSENT"}, []string{gone}},
			{"they still think so", []string{"ABSENT", "~PRESENT", "ABSENT"}, []string{gone}},
			{"corrected later", []string{"ABSENT", "~PRESENT", "LEAVE"}, []string{gone, corrected}},
		} {
			w.mia = w.enrol(tt.name)
			for _, say := range tt.marks {
				say, quiet := strings.CutPrefix(say, "~")
				record := none(w.mia)
				if say != "-" {
					record = rec(w.mia, say)
				}
				w.mark(apptest.With(sheet(w.a, w.today, record), "quiet", quiet))
			}
			heard := w.All(`SELECT title FROM notifications WHERE school_id = :school AND student_id = :id ORDER BY id`, db.Args{"id": w.mia})
			apptest.Eq(t, tt.name, strings.Join(heard, ", "), strings.Join(tt.want, ", "))
			sent := w.Count(`deliveries WHERE school_id = :school AND to_addr LIKE :topic`, db.Args{"topic": "%" + w.mia.String() + "%"})
			apptest.Eq(t, tt.name+": pushes", sent, len(tt.want))
		}
	})
}

func TestQuietMarkIsOnRecord(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.mark(sheet(w.a, w.today, rec(w.mia, "ABSENT")))
		w.mark(apptest.With(sheet(w.a, w.today, rec(w.mia, "PRESENT")), "quiet", true))
		history := w.call("GET", admin+"history", m{"studentId": w.mia, "date": w.today}).OK().Objects("changes")
		apptest.Eq(t, "changes in the history", len(history), 2)
		entries := w.call("GET", "/school-admin/audit/list?action=attendance.mark", nil).OK().Objects("items")
		apptest.Eq(t, "entries in the audit log", len(entries), 2)
		apptest.Eq(t, "the quiet one", entries[0].Object("after")["quiet"], any(true))
		if _, has := entries[1].Object("after")["quiet"]; has {
			t.Errorf("a mark that was told is quiet in the audit log: %v", entries[1])
		}
	})
}

// TestTeachersTellParents checks that a teacher can't hide an absence.
func TestTeachersTellParents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		body := apptest.With(sheet(w.a, w.today, rec(w.mia, "ABSENT")), "quiet", true)
		w.As(w.North.Teacher, "POST", teacher+"mark", body).OK()
		apptest.Eq(t, "messages to the parents", w.Count(`notifications WHERE school_id = :school AND student_id = :id`, db.Args{"id": w.mia}), 1)
		w.As(w.North.Teacher, "POST", admin+"mark", body).Want(403, "PERMISSION_DENIED")
		apptest.Eq(t, "quiet entries", w.Count(`audit_log WHERE school_id = :school AND CAST(after AS TEXT) LIKE '%quiet%'`, nil), 0)
	})
}
