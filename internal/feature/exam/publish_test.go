package exam_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

// scaled creates a grade scale: A from 80, B from 50.
func (w *world) scaled() string {
	w.Helper()
	return w.Make("grade-scale/create", m{"name": "Letters",
		"bands": list{m{"grade": "A", "minPercent": 80, "points": 4}, m{"grade": "B", "minPercent": 50}}})
}

// marked creates an exam with ties: Mia and Noa have 160 of 200; Ola has 75 of 100
// and is exempt from art; Pia has 90 of 200, absent in art; Quin was absent twice.
func (w *world) marked() string {
	w.Helper()
	exam, p := w.sat("Term 1"), w.pupils
	w.upload(exam, w.maths, got(p[0], 90), got(p[1], 70), got(p[2], 75), got(p[3], 90), was(p[4], "ABSENT")).OK()
	w.upload(exam, w.art, got(p[0], 70), got(p[1], 90), was(p[2], "EXEMPT"), was(p[3], "ABSENT"), was(p[4], "ABSENT")).OK()
	return exam
}

func TestStanding(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.scaled()
		exam := w.marked()
		r := w.Admin("POST", "/school-admin/exam/"+exam+"/publish?preview=true", nil).OK()
		var got []string
		for _, o := range r["results"].([]any) {
			o := o.(m)
			got = append(got, fmt.Sprint(o["firstName"], " ", o["marks"], "/", o["maxMarks"], " ", o["percent"], " ", o["grade"], " ", o["points"],
				" passed ", o["passed"],
				" division ", o["rankInDivision"], " of ", o["divisionSize"], " class ", o["rankInClass"], " of ", o["classSize"]))
		}
		slices.Sort(got)
		want := []string{
			"Mia 160/200 80 A 4 passed true division 1 of 3 class 1 of 4",
			"Noa 160/200 80 A 4 passed true division 1 of 3 class 1 of 4",
			"Ola 75/100 75 B <nil> passed true division 3 of 3 class 3 of 4",
			"Pia 90/200 45 <nil> <nil> passed false division 1 of 1 class 4 of 4",
			"Quin 0/200 0 <nil> <nil> passed false division <nil> of 0 class <nil> of 0",
		}
		apptest.Eq(t, "preview", strings.Join(got, "\n"), strings.Join(want, "\n"))
		if r["preview"] != true || r["students"] != 5.0 || len(r["missing"].([]any)) != 0 || w.status(exam) != "COMPLETED" {
			t.Errorf("preview: %v", r)
		}
	})
}

func TestPublish(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam, p := w.sat("Term 1"), w.pupils
		path := "/school-admin/exam/" + exam
		w.Admin("POST", path+"/publish", nil).Has("no results to publish")
		w.upload(exam, w.maths, got(p[0], 91.25), got(p[1], 70)).OK()
		preview := w.Admin("POST", path+"/publish", m{"preview": true}).OK()
		gaps := preview["missing"].([]any)
		if got := apptest.Pick(gaps, "subjectName"); !slices.Equal(got, []string{"Art", "Maths"}) || gaps[0].(m)["students"] != 5.0 ||
			gaps[1].(m)["students"] != 3.0 {
			t.Errorf("missing results: %v", gaps)
		}
		apptest.Eq(t, "a preview has told parents", w.notices(), 0)
		out := w.Admin("POST", path+"/publish", nil).OK()
		if out["preview"] != false || out["students"] != 2.0 || out["exam"].(m)["status"] != "PUBLISHED" ||
			out["exam"].(m)["publishedAt"] == nil {
			t.Errorf("publication: %v", out)
		}
		apptest.Eq(t, "notifications", w.notices(), 1)
		apptest.Eq(t, "push notifications", w.pushes("student_"+string(p[0])+"_result"), 1)
		apptest.Eq(t, "push notifications for a student whose parents have no account", w.pushes("student_"+string(p[1])+"_result"), 1)
		w.Admin("POST", path+"/publish", nil).Want(409, "Conflict")
		w.Admin("POST", path+"/unpublish", nil).Fields(422, "reason")
		w.Admin("POST", path+"/unpublish", m{"reason": "  "}).Fields(422, "reason")
		back := w.Admin("POST", path+"/unpublish", m{"reason": "Two papers were swapped"}).OK()
		if back.Text("status") != "COMPLETED" || back.Text("unpublishReason") != "Two papers were swapped" || back["publishedAt"] != nil {
			t.Errorf("unpublished exam: %v", back)
		}
		w.upload(exam, w.maths, got(p[0], 70), got(p[1], 91.25)).OK()
		w.Admin("POST", path+"/publish", nil).OK()
		texts, err := db.All[string](t.Context(), w.DB.School(w.North.ID),
			`SELECT title || '|' || body FROM notifications WHERE school_id = :school AND record_id = :exam ORDER BY id`, db.Args{"exam": exam})
		want := []string{"Results: Term 1|The results of Mia in Term 1 are out. Open the app to see them.",
			"Corrected results: Term 1|The results of Mia in Term 1 were corrected. Open the app to see them."}
		if err != nil || !slices.Equal(texts, want) {
			t.Errorf("notifications: %q %v", texts, err)
		}
		bodies, err := db.All[string](t.Context(), w.DB.School(w.North.ID),
			`SELECT body FROM deliveries WHERE school_id = :school AND channel = 'push'`, nil)
		// Notifications soon after the first one are grouped and sent later.
		if err != nil || len(bodies) != 2 || strings.Contains(strings.Join(bodies, ""), "91.25") ||
			strings.Contains(strings.Join(bodies, ""), "Mia") {
			t.Errorf("push notifications: %q %v", bodies, err)
		}
	})
}

// A child who has results only when they are published again has no corrected ones.
func TestPublishAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam, p := w.sat("Term 1"), w.pupils
		path := "/school-admin/exam/" + exam
		w.upload(exam, w.maths, got(p[1], 70)).OK()
		for range 2 {
			w.Admin("POST", path+"/publish", nil).OK()
			w.Admin("POST", path+"/unpublish", m{"reason": "Mia's were missing"}).OK()
			w.Clock.Add(time.Minute)
			w.upload(exam, w.maths, got(p[0], 90)).OK()
		}
		w.upload(exam, w.maths, got(p[0], 91)).OK()
		w.Admin("POST", path+"/publish", nil).OK()
		titles := w.All(`SELECT title FROM notifications WHERE school_id = :school AND record_id = :exam ORDER BY id`, db.Args{"exam": exam})
		apptest.Eq(t, "told", strings.Join(titles, ", "), "Results: Term 1, Corrected results: Term 1")
	})
}

// TestNotSentOnceTakenBack: what waits to tell of results is not sent once they are unpublished, and leaves the log.
func TestNotSentOnceTakenBack(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/setting", m{"smsTypes": list{"RESULT"}}).OK()
		w.Exec(`UPDATE guardians SET email = 'pat@example.org' WHERE school_id = :school`, nil)
		w.Drain()
		path := "/school-admin/exam/" + w.marked()
		told := func(status string) string {
			w.Drain()
			return strings.Join(w.All(`SELECT channel FROM deliveries WHERE school_id = :school AND status = :status
				AND (to_addr IN (:topic, :phone, 'pat@example.org')) AND subject LIKE '%esults%' ORDER BY channel`, db.Args{"status": status,
				"topic": "student_" + w.pupils[0] + "_result", "phone": w.North.Parent.Phone}), " ")
		}
		w.Admin("POST", path+"/publish", nil).OK()
		w.Admin("POST", path+"/unpublish", m{"reason": "Too early"}).OK()
		apptest.Eq(t, "sent though unpublished", told("SENT"), "")
		apptest.Eq(t, "not sent", told("FAILED"), "email push sms")
		log := func() int {
			return len(w.parent("/parent/notification/delivered-notifications").OK().Objects("notifications"))
		}
		apptest.Eq(t, "in the log", log(), 0)
		w.Clock.Add(time.Hour)
		w.SignIn(t, w.North.Admin)
		w.SignIn(t, w.North.Parent)
		w.Admin("POST", path+"/publish", nil).OK()
		apptest.Eq(t, "sent", told("SENT"), "email push sms")
		apptest.Eq(t, "in the log again", log(), 1)
	})
}

func (w *world) notices() int {
	w.Helper()
	return w.Count(`notifications WHERE school_id = :school AND type = 'RESULT'`, nil)
}

func (w *world) pushes(topic string) int {
	w.Helper()
	return w.Count(`deliveries WHERE school_id = :school AND to_addr = :topic`, db.Args{"topic": topic})
}

// Of many concurrent publications one succeeds, and parents are notified once.
func TestPublishRace(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := w.marked()
		got := apptest.AtOnce(8, func(int) apptest.Reply { return w.Admin("POST", "/school-admin/exam/"+exam+"/publish", nil) })
		apptest.Eq(t, "publications", got, map[int]int{200: 1, 409: 7})
		apptest.Eq(t, "notifications", w.notices(), 1)
	})
}

// Results can be taken back unopened until a parent has opened them.
func TestUnopened(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := w.marked()
		path, child := "/school-admin/exam/"+exam, "studentId="+string(w.pupils[0])
		undo := func() apptest.Reply {
			return w.Admin("POST", path+"/unpublish", m{"reason": "Too early", "unopened": true})
		}
		opened := func() any { return w.Admin("GET", path, nil).OK()["openedAt"] }
		for _, read := range []string{"/parent/exam/result?" + child, "/parent/exam/report-card?" + child,
			"/parent/exam/report-card?" + child + "&examId=" + exam} {
			w.Admin("POST", path+"/publish", nil).OK()
			w.Admin("GET", "/school-admin/exam/report-card/"+string(w.pupils[0]), nil).OK() // the office opens nothing
			w.parent("/parent/exam/list?" + child).OK()
			apptest.Eq(t, "opened before "+read, opened(), nil)
			undo().OK()
			w.Admin("POST", path+"/publish", nil).OK()
			if r := w.parent(read); !strings.Contains(string(r.Body), "Maths") || strings.Contains(string(r.Body), `"openedAt":"`) {
				t.Errorf("%s: %s", read, r.Body)
			}
			at := opened()
			undo().Want(409, "Conflict")
			w.Clock.Add(time.Minute)
			w.parent(read).OK()
			if at == nil || opened() != at {
				t.Errorf("%s: opened at %v, then %v", read, at, opened())
			}
			w.Admin("POST", path+"/unpublish", m{"reason": "Two papers were swapped"}).OK()
			apptest.Eq(t, "opened after "+read, opened(), nil)
		}
	})
}

// A parent who opens results while the office takes them back sees none, or the office is refused.
func TestUnopenedRace(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := w.marked()
		path := "/school-admin/exam/" + exam
		for range 8 {
			w.Admin("POST", path+"/publish", nil).OK()
			var seen, undone bool
			apptest.AtOnce(2, func(i int) (r apptest.Reply) {
				if i == 0 {
					r = w.parent("/parent/exam/result?studentId=" + string(w.pupils[0]))
					seen = len(r.OK().Items()) > 0
					return r
				}
				r = w.Admin("POST", path+"/unpublish", m{"reason": "Too early", "unopened": true})
				undone = r.Status == 200
				return r
			})
			if seen == undone {
				t.Errorf("seen %v, taken back %v", seen, undone)
			}
			if !undone {
				w.Admin("POST", path+"/unpublish", m{"reason": "Again"}).OK()
			}
		}
	})
}

// Published grades don't change with the scale.
func TestPublishedGradesStay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		scale, exam := w.scaled(), w.marked()
		w.Admin("POST", "/school-admin/exam/"+exam+"/publish", nil).OK()
		w.Admin("PUT", "/school-admin/grade-scale/"+scale, m{"bands": list{m{"grade": "Z", "minPercent": 0}}}).OK()
		grade := func() any {
			return w.parent("/parent/exam/result?studentId=" + string(w.pupils[0])).OK().Items()[0]["total"].(m)["grade"]
		}
		apptest.Eq(t, "grade", grade(), "A")
		w.Admin("POST", "/school-admin/exam/"+exam+"/unpublish", m{"reason": "New scale"}).OK()
		w.Admin("POST", "/school-admin/exam/"+exam+"/publish", nil).OK()
		apptest.Eq(t, "grade", grade(), "Z")
	})
}

func TestParents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.scaled()
		exam, child := w.marked(), "studentId="+string(w.pupils[0])
		w.newExam("Draft")
		later := w.Make("exam/create", m{"name": "Two", "classIds": list{w.two}})
		w.put(later, apptest.With(w.paper(w.latin, 1), "classId", w.two)).OK()
		exams := w.parent("/parent/exam/list?" + child).OK().Items()
		if len(exams) != 1 || exams[0].Text("id") != exam || exams[0].Text("status") != "COMPLETED" {
			t.Errorf("exams of the child: %v", exams)
		}
		if got := w.parent("/parent/exam/schedule?sort=subjectName&" + child).OK().Items(); len(got) != 2 || got[0].Text("subjectName") != "Art" {
			t.Errorf("papers of the child: %v", got)
		}
		hidden := func(when string) {
			t.Helper()
			apptest.Eq(t, when, len(w.parent("/parent/exam/result?"+child).OK().Items()), 0)
			if got := w.parent("/parent/exam/report-card?" + child).OK(); got["exam"] != nil || len(got["subjects"].([]any)) != 0 {
				t.Errorf("%s: %v", when, got)
			}
			w.parent("/parent/exam/report-card?"+child+"&examId="+exam).Want(404, "Not Found")
		}
		hidden("before publishing")
		w.Admin("POST", "/school-admin/exam/"+exam+"/publish", nil).OK()
		got := w.parent("/parent/exam/result?" + child).OK().Items()
		if len(got) != 1 || got[0]["total"].(m)["rankInClass"] != 1.0 ||
			!slices.Equal(apptest.Pick(got[0]["subjects"], "marks"), []string{"90", "70"}) {
			t.Errorf("results of the child: %v", got)
		}
		card := w.parent("/parent/exam/report-card?" + child + "&examId=" + exam).OK()
		if card["total"].(m)["percent"] != 80.0 || card["student"].(m)["className"] != "Grade 1" || card["attendance"] != nil {
			t.Errorf("report card of the child: %v", card)
		}
		w.attends("PRESENT", "ABSENT")
		card = w.parent("/parent/exam/report-card?" + child + "&examId=" + exam).OK()
		if days := card["attendance"].(m); days["schoolDays"] != 2.0 || days["presentDays"] != 1.0 || days["percent"] != 50.0 {
			t.Errorf("attendance: %v", days)
		}
		if text := fmt.Sprint(got, card); strings.Contains(text, "Noa") || strings.Contains(text, string(w.pupils[1])) {
			t.Errorf("another child shows: %s", text)
		}
		for _, path := range []string{"list", "schedule", "result", "report-card"} {
			w.parent("/parent/exam/"+path+"?studentId="+string(w.pupils[1])).Want(403, "PERMISSION_DENIED")
			w.parent("/parent/exam/"+path+"?studentId="+string(w.NewID())).Want(404, "STUDENT_NOT_FOUND")
			w.parent("/parent/exam/"+path).Fields(422, "studentId")
		}
		w.Admin("POST", "/school-admin/exam/"+exam+"/unpublish", m{"reason": "A private matter"}).OK()
		hidden("after taking back")
		w.Admin("GET", "/school-admin/exam/"+exam, nil).Has("A private matter")
		if r := w.parent("/parent/exam/list?" + child); strings.Contains(string(r.Body), "A private matter") {
			t.Error("parents see the reason of the unpublish")
		}
	})
}

func TestAnalysis(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.scaled()
		exam := w.marked()
		a := w.Admin("GET", "/school-admin/exam/"+exam+"/analysis", nil).OK()
		if a["students"] != 5.0 || a["average"] != 70.0 || a["passRate"] != 60.0 ||
			fmt.Sprint(a["grades"]) != "[map[grade:A students:2] map[grade:B students:1]]" {
			t.Errorf("analysis: %v", a)
		}
		if got := apptest.Pick(a["toppers"], "firstName"); !slices.Equal(got, []string{"Mia", "Noa", "Ola"}) &&
			!slices.Equal(got, []string{"Noa", "Mia", "Ola"}) {
			t.Errorf("toppers: %v", a["toppers"])
		}
		maths, art := a["subjects"].([]any)[0].(m), a["subjects"].([]any)[1].(m)
		for key, want := range (m{"subjectName": "Maths", "scored": 4.0, "absent": 1.0, "exempt": 0.0, "average": 81.25, "median": 82.5,
			"deviation": 8.93,
			"highest":   90.0, "lowest": 70.0, "passRate": 100.0}) {
			apptest.Eq(t, fmt.Sprint("maths: ", key), maths[key], want)
		}
		apptest.Eq(t, "ranks of the toppers", apptest.Pick(maths["toppers"], "rank"), []string{"1", "1", "3"})
		for key, want := range (m{"scored": 2.0, "absent": 2.0, "exempt": 1.0, "average": 80.0, "deviation": 10.0}) {
			apptest.Eq(t, fmt.Sprint("art: ", key), art[key], want)
		}
		b := w.Admin("GET", "/school-admin/exam/"+exam+"/analysis?divisionId="+string(w.oneB), nil).OK()
		if b["students"] != 1.0 || b["subjects"].([]any)[0].(m)["average"] != 90.0 || b["subjects"].([]any)[1].(m)["average"] != nil {
			t.Errorf("analysis of one division: %v", b)
		}
		w.Admin("GET", "/school-admin/exam/"+exam+"/analysis?classId="+string(w.two), nil).OK()
	})
}

// TestPreviewNeedsResults: whoever may not read results publishes them, and sees what is missing, but not the marks.
func TestPreviewNeedsResults(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		path := "/school-admin/exam/" + w.marked() + "/publish"
		w.Admin("POST", path, m{"preview": true}).Has("Mia")
		role := w.Make("role/create", m{"name": "Exams", "type": "SCHOOL_ADMIN"})
		module := w.One(`SELECT id FROM modules WHERE name = 'exam' AND :school <> ''`, nil)
		w.Admin("PUT", "/school-admin/role/"+role+"/permissions", m{"permissions": list{
			m{"moduleId": module, "canRead": true, "canWrite": true}}}).OK()
		w.Make("employee/create", m{"firstName": "Lea", "roleId": role, "email": "lea@example.org"})
		out := w.As(w.Account(actor.SchoolAdmin, "lea@example.org"), "POST", path, m{"preview": true}).OK()
		apptest.Eq(t, "students", out["students"], 5.0)
		apptest.Eq(t, "results", len(out["results"].([]any)), 0)
	})
}
