package elective_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type (
	m    = apptest.M
	list = apptest.List
)

// world is a class with Maths for everyone, and Art, which Mia takes and Noa does not.
// Both are Parent's children.
type world struct {
	*apptest.World
	class, division, maths, art string
	mia, noa                    string
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	apptest.Worlds(t, func(base *apptest.World) *world {
		w := &world{World: base}
		w.Monday(8)
		w.class = w.Make("class/create", m{"name": "One"})
		w.division = w.Make("division/create", m{"classId": w.class, "name": "A"})
		w.maths = w.Make("subject/create", m{"name": "Maths", "code": "M", "classIds": list{w.class}})
		w.art = w.Make("subject/create", m{"name": "Art", "code": "A", "classIds": list{w.class}})
		enrol := func(name string) string {
			return w.Make("student/create", m{"firstName": name, "classId": w.class, "divisionId": w.division,
				"guardians": list{m{"name": "Pat", "phone": w.North.Parent.Phone}}})
		}
		w.mia, w.noa = enrol("Mia"), enrol("Noa")
		w.Admin("PUT", w.path(w.art), m{"studentIds": list{w.mia}}).OK()
		return w
	}, test)
}

func (w *world) path(subject string) string {
	return "/school-admin/elective/" + w.class + "/" + subject
}

func TestElective(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		got := w.Admin("GET", w.path(w.art), nil).OK()
		apptest.Eq(t, "elective", got.Text("className")+" "+got.Text("subjectName")+" "+got.Objects("takenBy")[0].Text("name"), "One Art Mia")
		apptest.Eq(t, "students", got["students"], any(1.0))
		w.Admin("GET", w.path(w.maths), nil).Want(404, "Not Found")
		apptest.Eq(t, "electives", len(w.Admin("GET", "/school-admin/elective/list", nil).OK().Items()), 1)
		of := func(student string) int {
			return len(w.Admin("GET", "/school-admin/elective/list?filters[studentId]="+student, nil).OK().Items())
		}
		apptest.Eq(t, "electives of Mia", of(w.mia), 1)
		apptest.Eq(t, "electives of Noa", of(w.noa), 0)
		w.Admin("PUT", w.path(w.art), m{"studentIds": list{w.mia, w.mia}}).Fields(422, "studentIds[1]")
		other := w.Make("student/create", m{"firstName": "Zoe", "classId": w.Make("class/create", m{"name": "Two"})})
		w.Admin("PUT", w.path(w.art), m{"studentIds": list{w.mia, other}}).Fields(422, "studentIds[1]")
		w.Admin("PUT", w.path(w.art), m{"studentIds": list{w.North.ID}}).Want(404, "STUDENT_NOT_FOUND")
		w.Admin("PUT", "/school-admin/elective/"+w.class+"/"+w.class, m{"studentIds": list{}}).Want(404, "Not Found")
		w.As(w.South.Admin, "PUT", w.path(w.art), m{"studentIds": list{}}).Want(404, "Not Found")
		w.As(w.South.Admin, "DELETE", w.path(w.art), nil).Want(404, "Not Found")
		w.As(w.North.Teacher, "PUT", w.path(w.art), m{"studentIds": list{}}).Want(403, "PERMISSION_DENIED")
		w.Admin("GET", "/school-admin/student/"+w.mia+"/profile", nil).Has(`"subjectName":"Art"`)
		w.Admin("GET", "/school-admin/student/"+w.noa+"/profile", nil).HasNot(`"subjectName":"Art"`)

		w.Admin("PUT", w.path(w.art), m{"studentIds": list{w.noa, w.mia}}).OK()
		apptest.Eq(t, "electives of Noa, who joined", of(w.noa), 1)
		w.Admin("DELETE", w.path(w.art), nil).OK()
		w.Admin("DELETE", w.path(w.art), nil).Want(404, "Not Found")
		w.Audited("elective.update", 2)
		w.Audited("elective.delete", 1)
	})
}

// TestTimetable leaves lessons of electives out for students who don't take them.
func TestTimetable(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		lesson := func(no int, subject string) m {
			return m{"dayOfWeek": 1, "periodNo": no, "subjectId": subject,
				"startTime": fmt.Sprintf("%02d:00", 8+no), "endTime": fmt.Sprintf("%02d:45", 8+no)}
		}
		w.Admin("PUT", "/school-admin/timetable", m{"classId": w.class, "divisionId": w.division,
			"periods": list{lesson(1, w.maths), lesson(2, w.art)}}).OK()
		subjects := func(student, query string) (names []string) {
			t.Helper()
			for _, p := range w.As(w.North.Parent, "GET", "/parent/timetable/get?studentId="+student+query, nil).OK().Objects("periods") {
				names = append(names, p.Text("subjectName"))
			}
			return names
		}
		for _, query := range []string{"", "&date=" + w.Day(0)} {
			apptest.Eq(t, "lessons of Mia"+query, fmt.Sprint(subjects(w.mia, query)), "[Maths Art]")
			apptest.Eq(t, "lessons of Noa"+query, fmt.Sprint(subjects(w.noa, query)), "[Maths]")
		}
		changed := func(student string) int {
			return len(w.As(w.North.Parent, "GET", "/parent/timetable/get?studentId="+student, nil).OK().Objects("overrides"))
		}
		override := m{"classId": w.class, "divisionId": w.division, "date": w.Day(7), "periodNo": 2}
		w.Admin("POST", "/school-admin/timetable/override", apptest.With(override, "cancelled", true)).OK()
		apptest.Eq(t, "overrides of Mia", changed(w.mia), 1)
		apptest.Eq(t, "overrides of Noa, who has no Art", changed(w.noa), 0)
		w.Admin("POST", "/school-admin/timetable/override", apptest.With(override, "subjectId", w.maths)).OK()
		apptest.Eq(t, "overrides of Noa, with Maths instead", changed(w.noa), 1)
		w.As(w.North.Parent, "GET", "/parent/timetable/calendar?studentId="+w.mia, nil).Has("SUMMARY:Art")
		w.As(w.North.Parent, "GET", "/parent/timetable/calendar?studentId="+w.noa, nil).HasNot("SUMMARY:Art")
	})
}

// TestPeriodRegister lists and marks only those who take the lesson of a period.
func TestPeriodRegister(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		lesson := func(no int, subject string) m {
			return m{"dayOfWeek": 1, "periodNo": no, "subjectId": subject,
				"startTime": fmt.Sprintf("%02d:00", 8+no), "endTime": fmt.Sprintf("%02d:45", 8+no)}
		}
		w.Admin("PUT", "/school-admin/timetable", m{"classId": w.class, "divisionId": w.division,
			"periods": list{lesson(1, w.maths), lesson(2, w.art)}}).OK()
		mark := func(period int, student string, status any) apptest.Reply {
			return w.Admin("POST", "/school-admin/attendance/mark", m{"classId": w.class, "date": w.Day(0), "periodNo": period,
				"records": list{m{"studentId": student, "status": status}}})
		}
		register := func(query string) (names []string) {
			t.Helper()
			got := w.Admin("GET", "/school-admin/attendance/list?classId="+w.class+query, nil).OK()
			for _, e := range got.Items() {
				names = append(names, e.Text("firstName"))
			}
			apptest.Eq(t, "total"+query, got["total"], any(float64(len(names))))
			return names
		}
		both, mia := []string{"Mia", "Noa"}, []string{"Mia"}
		for query, want := range map[string][]string{"": both, "&periodNo=1": both, "&periodNo=2": mia, "&periodNo=3": both,
			"&periodNo=2&date=" + w.Day(-1): both} { // no lessons on Sunday
			apptest.Eq(t, "register"+query, register(query), want)
		}
		mark(1, w.noa, "PRESENT").OK()
		mark(2, w.mia, "PRESENT").OK()
		mark(2, w.noa, "ABSENT").Fields(422, "records[0].studentId")
		mark(2, w.noa, nil).OK() // nothing to take back

		w.Admin("DELETE", w.path(w.art), nil).OK()
		mark(2, w.noa, "ABSENT").OK()
		w.Admin("PUT", w.path(w.art), m{"studentIds": list{w.mia}}).OK()
		apptest.Eq(t, "register with an old mark", register("&periodNo=2"), both)
		mark(2, w.noa, nil).OK()
		apptest.Eq(t, "register without the old mark", register("&periodNo=2"), mia)

		w.Admin("POST", "/school-admin/timetable/override", m{"classId": w.class, "divisionId": w.division, "date": w.Day(0), "periodNo": 2,
			"subjectId": w.maths}).OK()
		apptest.Eq(t, "register of another lesson that day", register("&periodNo=2"), both)
		mark(2, w.noa, "PRESENT").OK()
	})
}

// TestExam takes marks in an elective only for those who take it, and misses none of the others.
func TestExam(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := w.Make("exam/create", m{"name": "Term", "type": "TERM", "classIds": list{w.class}})
		w.Admin("POST", "/school-admin/exam/schedule", m{"examId": exam, "entries": list{
			m{"classId": w.class, "subjectId": w.maths, "date": w.Day(1), "maxMarks": 100},
			m{"classId": w.class, "subjectId": w.art, "date": w.Day(2), "maxMarks": 100}}}).OK()
		papers := func(student string) string {
			return fmt.Sprint(w.As(w.North.Parent, "GET", "/parent/exam/schedule?filters[studentId]="+student, nil).OK()["items"])
		}
		if !strings.Contains(papers(w.mia), "Art") || strings.Contains(papers(w.noa), "Art") {
			t.Errorf("papers of Mia: %s, of Noa: %s", papers(w.mia), papers(w.noa))
		}
		w.Pass(4 * 24 * time.Hour)
		upload := func(subject string, students ...string) apptest.Reply {
			var results list
			for _, s := range students {
				results = append(results, m{"studentId": s, "marks": 50})
			}
			return w.Admin("POST", "/school-admin/exam/result/upload",
				m{"examId": exam, "classId": w.class, "subjectId": subject, "results": results})
		}
		upload(w.art, w.noa).Fields(422, "results[0].studentId")
		upload(w.art, w.mia).OK()
		upload(w.maths, w.mia).OK()
		preview := func() string {
			return fmt.Sprint(w.Admin("POST", "/school-admin/exam/"+exam+"/publish", m{"preview": true}).OK()["missing"])
		}
		if got := preview(); strings.Contains(got, "Art") || !strings.Contains(got, "Maths") {
			t.Errorf("missing marks: %s", got)
		}
	})
}
