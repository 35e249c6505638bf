package attendance_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

const remindPath = "/school-admin/attendance/remind"

// remind reminds and returns "told/unreachable: division outcome teacher, …".
func (w *world) remind(body m) string {
	w.Helper()
	o := w.Admin("POST", remindPath, body).OK()
	var rows []string
	for _, d := range o.Objects("divisions") {
		name := strings.TrimSpace(fmt.Sprint(d.Text("className"), " ", d.Text("divisionName")))
		rows = append(rows, strings.TrimSpace(name+" "+d.Text("outcome")+" "+d.Text("teacherName")))
	}
	return fmt.Sprintf("%v/%v: %s", o["told"], o["unreachable"], strings.Join(rows, ", "))
}

// reminders counts the reminders in a teacher's log.
func (w *world) reminders(user id.ID) int {
	w.Helper()
	return w.Count(`notifications WHERE school_id = :school AND user_id = :user AND title = 'Attendance is not marked'`, db.Args{"user": user})
}

// teaches gives another teacher an account and a lesson of a division, held now.
func (w *world) teaches(name, phone, division string) (account *apptest.Account, employee string) {
	w.Helper()
	employee = w.Make("employee/create", m{"firstName": name, "phone": phone})
	account = w.Account(actor.Teacher, phone)
	subject := w.Make("subject/create", m{"name": "Maths", "code": name, "classIds": []id.ID{w.one.ID}})
	w.Admin("PUT", "/school-admin/timetable", m{"classId": w.one.ID, "divisionId": division, "periods": []m{
		{"dayOfWeek": w.today.Weekday(), "periodNo": 1, "startTime": "08:30", "endTime": "10:00", "subjectId": subject, "teacherId": employee},
	}}).OK()
	return account, employee
}

func TestRemind(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann := w.North.Teacher
		apptest.Eq(t, "without a phone", w.remind(m{}), "0/3: Grade 1 A NO_DEVICE Ann Lee, Grade 1 B NO_TEACHER, Grade 2 NO_TEACHER")
		apptest.Eq(t, "in the log", w.reminders(ann.ID), 1)
		apptest.Eq(t, "at once again", w.remind(m{}), "0/2: Grade 1 A ALREADY_TOLD Ann Lee, Grade 1 B NO_TEACHER, Grade 2 NO_TEACHER")
		w.As(ann, "POST", "/teacher/notification/token", m{"fcmToken": "phone"}).OK()
		w.Pass(15 * time.Minute)
		apptest.Eq(t, "with a phone", w.remind(m{"divisionIds": []id.ID{w.a.ID}}), "1/0: Grade 1 A TOLD Ann Lee")
		apptest.Eq(t, "in the log", w.reminders(ann.ID), 2)
		body := w.All(`SELECT body FROM notifications WHERE school_id = :school AND user_id = :user AND record_id = :record`,
			db.Args{"user": ann.ID, "record": w.a.ID})
		apptest.Eq(t, "the text", body[0], "Grade 1 A is not marked today. Please mark attendance now.")
		w.Audited("attendance.remind", 2)

		w.Pass(time.Hour)
		w.mark(sheet(w.a, w.today, rec(w.mia, "PRESENT")))
		apptest.Eq(t, "once it is marked", w.remind(m{"divisionIds": []id.ID{w.a.ID}}), "0/0: ")
		w.Admin("POST", "/school-admin/holiday/create", m{"name": "Snow", "date": w.today}).OK()
		apptest.Eq(t, "on a holiday", w.remind(m{}), "0/0: ")
		apptest.Eq(t, "in the log", w.reminders(ann.ID), 2)
		w.Audited("attendance.remind", 2)
	})
}

// TestRemindWhoTeachesNow falls back from a class teacher who can't be told to the
// teacher of the present lesson, if that one may mark.
func TestRemindWhoTeachesNow(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		bea, employee := w.teaches("Bea", "+15550100077", w.a.ID.String())
		only := m{"divisionIds": []id.ID{w.a.ID}}
		w.Admin("POST", "/school-admin/leave/create", m{"employeeId": w.ann, "type": "SICK", "fromDate": w.today}).OK()
		apptest.Eq(t, "no assignment", w.remind(only), "0/1: Grade 1 A ON_LEAVE Ann Lee")
		w.Admin("POST", "/school-admin/employee/"+employee+"/assignments",
			m{"assignments": []m{{"classId": w.one.ID, "divisionId": w.a.ID}}}).OK()
		apptest.Eq(t, "while the lesson is held", w.remind(only), "0/1: Grade 1 A NO_DEVICE Bea")
		apptest.Eq(t, "Ann's log", w.reminders(w.North.Teacher.ID), 0)
		apptest.Eq(t, "Bea's log", w.reminders(bea.ID), 1)
		w.Pass(2 * time.Hour)
		apptest.Eq(t, "after the lesson", w.remind(only), "0/1: Grade 1 A ON_LEAVE Ann Lee")
		w.Exec(`UPDATE users SET status = 'DISABLED' WHERE school_id = :school AND id = :id`, db.Args{"id": w.North.Teacher.ID})
		apptest.Eq(t, "without an account", w.remind(only), "0/1: Grade 1 A NO_ACCOUNT Ann Lee")
	})
}

func TestRemindOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.SignIn(t, w.North.Admin)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { w.Admin("POST", remindPath, nil).OK() })
		}
		wg.Wait()
		apptest.Eq(t, "reminders of eight clicks", w.reminders(w.North.Teacher.ID), 1)
		w.Audited("attendance.remind", 1)
	})
}

func TestRemindIsForTheOffice(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, who := range []*apptest.Account{w.North.Teacher, w.North.Parent, w.North.Driver} {
			w.As(who, "POST", remindPath, nil).Want(403, "PERMISSION_DENIED")
		}
		w.As(w.South.Admin, "POST", remindPath, m{"divisionIds": []id.ID{w.a.ID}}).Want(404, "Not Found")
		w.As(w.South.Admin, "POST", remindPath, nil).OK()
		apptest.Eq(t, "reminders", w.reminders(w.North.Teacher.ID), 0)
	})
}
