package app_test

import (
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
)

// A calendar has holidays, exams and events: of a parent's one child, or of a teacher's
// classes; those of a module only while the role may read it.
func TestCalendarHasHolidaysExamsAndEvents(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		w := s.World(t)
		class := func(name string) string { return w.Make("class/create", apptest.M{"name": name}) }
		one, two, three := class("One"), class("Two"), class("Three")
		parent := apptest.List{apptest.M{"name": "Pat", "relation": "MOTHER", "phone": w.North.Parent.Phone, "canViewData": true}}
		ann := w.Make("student/create", apptest.M{"firstName": "Ann", "classId": one, "guardians": parent})
		w.Make("student/create", apptest.M{"firstName": "Ben", "classId": two, "guardians": parent}) // a sibling
		employee := w.Make("employee/create", apptest.M{"firstName": "Tea", "roleId": w.Role(actor.Teacher), "phone": w.North.Teacher.Phone})
		w.Admin("POST", "/school-admin/employee/"+employee+"/assignments", apptest.M{"assignments": apptest.List{apptest.M{"classId": one}}}).OK()
		w.Make("holiday/create", apptest.M{"name": "Harvest days", "date": w.Day(3), "endDate": w.Day(4)})
		event := func(title, audience string, classes ...string) string {
			body := apptest.M{"title": title, "eventDate": w.Day(2), "targetAudience": audience, "startTime": "10:00", "endTime": "11:00"}
			if classes != nil {
				body["classIds"] = classes
			}
			return w.Make("event/create", body)
		}
		event("Fair", "ALL")
		event("Staff day", "TEACHERS")
		event("Parents evening", "PARENTS")
		event("Trip of One", "CLASS", one)
		event("Trip of Two", "CLASS", two)
		w.Admin("POST", "/school-admin/event/"+event("Rained off", "ALL")+"/cancel", nil).OK()
		subject := w.Make("subject/create", apptest.M{"name": "Maths", "classIds": apptest.List{one, three}})
		exam := func(name, class string) string {
			e := w.Make("exam/create", apptest.M{"name": name, "classIds": apptest.List{class}})
			w.Admin("POST", "/school-admin/exam/schedule", apptest.M{"examId": e, "entries": apptest.List{apptest.M{"classId": class,
				"subjectId": subject, "date": w.Day(5), "maxMarks": 100}}}).OK()
			return e
		}
		exam("Term", one)
		exam("Other term", three)

		look := func(who *apptest.Account, path string, wants, not []string) {
			t.Helper()
			r := w.As(who, "GET", path, nil)
			text := strings.ReplaceAll(string(r.Body), "\r\n ", "")
			for _, want := range wants {
				if r.Status != 200 || !strings.Contains(text, want+"\r\n") {
					t.Errorf("%s: %d without %q:\n%s", path, r.Status, want, text)
				}
			}
			for _, other := range not {
				if strings.Contains(text, other) {
					t.Errorf("%s has %q", path, other)
				}
			}
		}
		day := func(n int) string { return strings.ReplaceAll(w.Day(n), "-", "") }
		child := "/parent/timetable/calendar?studentId=" + ann
		look(w.North.Parent, child, []string{"SUMMARY:Harvest days", "DTSTART;VALUE=DATE:" + day(3), "DTEND;VALUE=DATE:" + day(5),
			"SUMMARY:Fair", "SUMMARY:Parents evening", "SUMMARY:Trip of One", "SUMMARY:Term: Maths", "DTSTART;VALUE=DATE:" + day(5)},
			[]string{"Staff day", "Trip of Two", "Rained off", "Other term"})
		look(w.North.Teacher, "/teacher/timetable/calendar", []string{"SUMMARY:Harvest days", "SUMMARY:Fair", "SUMMARY:Staff day",
			"SUMMARY:Trip of One", `SUMMARY:Term: Maths\, One`}, []string{"Parents evening", "Trip of Two", "Rained off", "Other term"})
		w.LetRead(actor.Parent, "exam", false)
		w.LetRead(actor.Parent, "event", false)
		look(w.North.Parent, child, []string{"SUMMARY:Harvest days"}, []string{"Fair", "Trip of One", "Term"})
		link := w.As(w.North.Parent, "POST", "/parent/timetable/calendar-link", apptest.M{"studentId": ann}).OK().Text("url")
		secret := link[strings.Index(link, "/calendar/"):]
		look(nil, secret, []string{"SUMMARY:Harvest days"}, []string{"Fair", "Trip of One", "Term"})
		w.LetRead(actor.Parent, "event", true)
		look(nil, secret, []string{"SUMMARY:Fair", "SUMMARY:Trip of One"}, []string{"Trip of Two", "Term"})
	})
}
