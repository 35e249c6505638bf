package notification_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// TestDigestIsSummedWhenSent: a digest that waits for the end of quiet hours tells of the announcements that are left
// by then, and opens the newest.
func TestDigestIsSummedWhenSent(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/setting", m{"digestMinutes": 10}).OK()
		p, topic := w.speak(), "student_"+w.mia
		write := func(title string) string {
			w.Clock.Add(time.Second)
			return w.Make("announcement/create", m{"title": title, "audience": "CLASS", "classIds": list{w.class}})
		}
		for _, tt := range []struct {
			back   []int
			want   string
			newest int
		}{
			{[]int{2}, "2 new announcements. Open the app to read them.", 1},
			{[]int{0, 1}, "1 new announcement. Open the app to read it.", 2},
			{[]int{0, 1, 2}, "", 0},
		} {
			w.Exec(`DELETE FROM notification_preferences WHERE school_id = :school`, nil)
			write("First")
			some := []string{write("One"), write("Two"), write("Three")}
			w.Drain()
			before := len(p.to(topic))
			w.Monday(7)
			w.Exec(`INSERT INTO notification_preferences (school_id, user_id, quiet_from, quiet_to, channels, updated_at)
				SELECT school_id, id, '06:00', '09:00', '{}', created_at FROM users WHERE school_id = :school AND role = 'PARENT'`, nil)
			w.Drain() // makes the digest
			for _, n := range tt.back {
				w.Admin("DELETE", "/school-admin/announcement/"+some[n], nil)
			}
			w.Pass(3 * time.Hour)
			w.Drain()
			var got, want string
			for _, m := range p.to(topic)[before:] {
				got += fmt.Sprint(m.Body, m.Data)
			}
			if tt.want != "" {
				want = fmt.Sprint(tt.want, map[string]string{"type": "ANNOUNCEMENT", "id": some[tt.newest], "studentId": w.mia})
			}
			if got != want {
				t.Errorf("without %v: sent %q, want %q", tt.back, got, want)
			}
		}
	})
}

// TestDigestAboutStudents: a teacher's digest leaves out a student who has another division by then.
func TestDigestAboutStudents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/setting", m{"digestMinutes": 10}).OK()
		p, teacher := w.speak(), w.North.Teacher.ID
		for _, student := range []string{w.mia, w.mia, w.zed} {
			w.send(w.North.ID, notification.Notice{Topic: notification.TeacherTopic(teacher), Type: notification.Leave, Record: w.NewID(),
				Student: id.ID(student), Title: text.Plain("t"), Users: []id.ID{teacher}})
			w.Clock.Add(time.Second)
		}
		w.Drain() // the first push, alone
		w.Exec(`UPDATE students SET division_id = :b WHERE school_id = :school AND id = :zed`,
			db.Args{"b": w.Make("division/create", m{"classId": w.class, "name": "B"}), "zed": w.zed})
		w.Clock.Add(11 * time.Minute)
		w.Drain()
		got := p.to("teacher_" + string(teacher))
		if last := got[len(got)-1]; !strings.HasPrefix(last.Body, "1 update about leave.") || last.Data["studentId"] != w.mia {
			t.Errorf("to the teacher: %v", got)
		}
	})
}
