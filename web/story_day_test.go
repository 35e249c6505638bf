package webapp_test

import (
	"fmt"
	"strings"

	"homeroom/internal/apptest"
)

var dayStories = []story{
	{"attendance marked and corrected", markAndCorrect},
	{"leave decided", decideLeave},
	{"lesson moved", moveLesson},
	{"substitute", chooseSubstitute},
	{"exam published and taken back", publishExam},
}

// schoolDay returns the latest day, up to today, that is no holiday.
func (o *office) schoolDay(in class) string {
	o.T.Helper()
	for n := 0; n > -60; n-- {
		day := o.get(fmt.Sprintf("attendance/list?classId=%s&divisionId=%s&date=%s", in.id, in.division, o.day(n)))
		if day["holiday"] == nil && day["isSchoolDay"] == true {
			return o.day(n)
		}
	}
	o.T.Fatal("the demo has had no school for two months")
	return ""
}

func markAndCorrect(o *office) {
	home := o.newClass("Marked")
	ann, ben := o.student("Ann Ash", home, "+15559100001"), o.student("Ben Birch", home, "+15559100002")
	o.student("Cem Cedar", home, "")
	day := o.schoolDay(home)
	o.at(fmt.Sprintf("/app/attendance/%s/%s?date=%s", home.id, home.division, day), "Marked A")
	o.Clicks("button", "Absent: Ann Ash")
	o.Clicks("button", "Present: Ben Birch")
	o.Sees("2 unsaved marks")
	marks := func() string {
		out := map[string]any{}
		for _, p := range o.get(fmt.Sprintf("attendance/list?classId=%s&divisionId=%s&date=%s", home.id, home.division, day)).Items() {
			out[p.Text("firstName")] = p["status"]
		}
		return fmt.Sprint(out)
	}
	o.eq("marks before saving", marks(), "map[Ann:<nil> Ben:<nil> Cem:<nil>]")
	o.PressesCtrl("s")
	o.Sees("Marked A: 2 marks are saved.")
	o.eq("marks", marks(), "map[Ann:ABSENT Ben:PRESENT Cem:<nil>]")

	o.Clicks("button", "History of Ann Ash")
	o.Chooses("Mark", "late")
	o.Fills("Minutes late optional", "12")
	o.Clicks("button", "Save the mark")
	o.Sees("Ann Ash is now late, 12 minutes.")
	o.eq("marks after the correction", marks(), "map[Ann:LATE Ben:PRESENT Cem:<nil>]")
	history := o.get("attendance/history?studentId=" + ann + "&date=" + day).Objects("changes")
	o.eq("changes in the history", len(history), "2")
	o.eq("the other's history", len(o.get("attendance/history?studentId="+ben+"&date="+day).Objects("changes")), "1")
}

// decideLeave approves the leave that the demo's parent asks for, and rejects a teacher's.
func decideLeave(o *office) {
	child := o.get("leave/list?status=PENDING&applicantType=STUDENT").Items()[0]
	teacher := o.get("leave/list?status=PENDING&applicantType=EMPLOYEE").Items()[0]
	o.at("/app/leave?status=PENDING", "Leave")
	o.Clicks("button", "Open the leave of "+child.Text("name"))
	o.Sees("The grandmother turns eighty.")
	o.Fills("Note for the family or the employee optional", "Enjoy the party")
	o.In("dialog", child.Text("name")).Clicks("button", "Approve")
	o.Sees("The leave of " + child.Text("name") + " is approved.")
	o.Clicks("button", "Open the leave of "+teacher.Text("name"))
	o.In("dialog", teacher.Text("name")).Clicks("button", "Reject")
	o.Sees("The leave of " + teacher.Text("name") + " is rejected.")
	got := o.get("leave/" + child.Text("id"))
	o.eq("decision", fmt.Sprint(got["status"], ": ", got["decisionNote"]), "APPROVED: Enjoy the party")
	o.eq("other decision", o.get("leave/" + teacher.Text("id"))["status"], "REJECTED")
	o.eq("to decide", o.get("leave/list?status=PENDING&from=" + o.day(-30))["total"], "0")
}

// week is a class with two lessons whose teacher also teaches in the demo.
type week struct {
	class
	teacher, teacherName, clashClass string
	clashDay, freeDay                int
}

var weekdays = []string{"", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// newWeek gives a class a lesson of a busy teacher early on Monday, and one without a
// teacher at the time of another lesson of the busy one.
func (o *office) newWeek() week {
	o.T.Helper()
	five := o.grade("Grade 5")
	lessons := o.get("timetable?classId=" + five.id + "&divisionId=" + five.division).Objects("periods")
	busy := lessons[0]
	w := week{class: o.newClass("Moved"), teacher: busy.Text("teacherId"), teacherName: busy.Text("teacherName"), clashClass: "Grade 5 A"}
	w.clashDay = int(busy["dayOfWeek"].(float64))
	w.freeDay = w.clashDay%5 + 1
	subject := o.make("subject/create", m{"name": "Chess", "classIds": list{w.id}})
	for _, hour := range []string{"00", "08", "16"} { // the demo's bell rings for some hours around the present one
		put := o.Call(o.T, o.admin, "PUT", "/school-admin/timetable", m{"classId": w.id, "divisionId": w.division, "periods": list{
			m{"dayOfWeek": w.freeDay, "periodNo": 1, "startTime": hour + ":05", "endTime": hour + ":20", "subjectId": subject,
				"teacherId": w.teacher},
			m{"dayOfWeek": 7, "periodNo": 2, "startTime": busy["startTime"], "endTime": busy["endTime"], "subjectId": subject},
		}})
		if put.Status == 200 {
			return w
		}
	}
	o.T.Fatalf("%s is never free on %s", w.teacherName, weekdays[w.freeDay])
	return w
}

// moveLesson picks a lesson up: where its teacher is busy the grid says so, elsewhere it is put down.
func moveLesson(o *office) {
	w := o.newWeek()
	o.at("/app/timetable?divisionId="+w.division, "Moved A")
	lesson := weekdays[w.freeDay] + ", 1: Chess, " + w.teacherName
	o.Focuses("gridcell", lesson)
	o.Presses("m")
	o.Sees("Chess is picked up.")
	o.Clicks("gridcell", weekdays[w.clashDay]+", 2: free. "+w.teacherName+" is in "+w.clashClass)
	o.Sees("The lesson stays where it was. " + w.teacherName + " is in " + w.clashClass)
	place := func() string {
		for _, l := range o.get("timetable?classId=" + w.id + "&divisionId=" + w.division).Objects("periods") {
			if l.Text("teacherId") == w.teacher {
				return fmt.Sprint(l["dayOfWeek"], " ", l["periodNo"])
			}
		}
		return "nowhere"
	}
	o.eq("place after the clash", place(), fmt.Sprint(w.freeDay, " 1"))
	o.Focuses("gridcell", lesson)
	o.Presses("m")
	o.Clicks("gridcell", weekdays[w.clashDay]+", 1: free")
	moved := "Chess is now on " + weekdays[w.clashDay] + ", period 1."
	o.Sees(moved)
	o.eq("place", place(), fmt.Sprint(w.clashDay, " 1"))
	o.undo(moved)
	o.eq("place after undo", place(), fmt.Sprint(w.freeDay, " 1"))
}

// chooseSubstitute finds a teacher for a lesson of somebody on leave.
func chooseSubstitute(o *office) {
	lesson, day := o.lessonWithoutTeacher()
	free := o.get(fmt.Sprintf("timetable/free-teachers?date=%s&periodNo=%v&divisionId=%s", day, lesson["periodNo"],
		lesson.Text("divisionId"))).Objects("teachers")[0]
	name := strings.TrimSpace(free.Text("firstName") + " " + free.Text("lastName"))
	o.goes("/app/timetable/cover?date=" + day)
	o.settles()
	o.Clicks("button", fmt.Sprintf("%s %v lessons that day", name, free["lessons"]))
	taken := fmt.Sprintf("%s takes %s, %s %s at %.5s.", name, lesson["subjectName"], lesson["className"], lesson["divisionName"],
		lesson["startTime"])
	o.Sees(taken)
	left := apptest.Pick(o.get("timetable/cover?date=" + day)["lessons"], "id")
	o.eq("still without a teacher", strings.Contains(fmt.Sprint(left), lesson.Text("id")), "false")
	o.undo(taken)
	left = apptest.Pick(o.get("timetable/cover?date=" + day)["lessons"], "id")
	o.eq("without a teacher after undo", strings.Contains(fmt.Sprint(left), lesson.Text("id")), "true")
}

// lessonWithoutTeacher puts a teacher on leave and returns the first lesson to cover, with its day.
func (o *office) lessonWithoutTeacher() (apptest.Object, string) {
	o.T.Helper()
	six := o.grade("Grade 6")
	teacher := o.get("timetable?classId=" + six.id + "&divisionId=" + six.division).Objects("periods")[0].Text("teacherId")
	o.make("leave/create", m{"employeeId": teacher, "type": "SICK", "fromDate": o.day(10), "toDate": o.day(17)})
	for n := 10; n <= 17; n++ {
		lessons := o.get("timetable/cover?date=" + o.day(n)).Objects("lessons")
		if len(lessons) > 0 {
			return lessons[0], o.day(n)
		}
	}
	o.T.Fatal("the teacher has no lesson in a week")
	return nil, ""
}

// publishExam plans a paper, enters marks, publishes, and takes the results back.
func publishExam(o *office) {
	home := o.newClass("Examined")
	ann := o.student("Ann Able", home, "+15559200001")
	ben := o.student("Ben Bright", home, "+15559200002")
	o.make("subject/create", m{"name": "Latin", "classIds": list{home.id}})
	o.at("/app/exams", "Exams")
	o.Clicks("button", "New exam")
	o.Fills("Name", "Latin test")
	o.Clicks("checkbox", "Examined")
	o.Clicks("button", "Create the exam")
	o.Finds("heading", "Latin test")
	o.settles()
	o.Clicks("button", "Add a paper")
	o.Chooses("Subject", "Latin")
	o.Fills("Day", o.day(-1))
	o.Fills("Out of", "20")
	o.Fills("Marks to pass optional", "8")
	o.Clicks("button", "Add the paper")
	o.Sees("The paper is added.")
	o.Clicks("link", "Marks")
	o.Finds("textbox", "Ann Able, Latin, out of 20")
	o.Fills("Ann Able, Latin, out of 20", "25")
	o.Sees("25 is more than the 20 that Latin has.")
	o.Fills("Ann Able, Latin, out of 20", "17")
	o.Clicks("gridcell", "Ben Bright, Latin, out of 20: empty")
	o.Fills("Ben Bright, Latin, out of 20", "AB")
	o.Clicks("button", "Save 2 marks")
	o.SeesNo("unsaved")
	exam := o.find("exam/list", "Latin test")[0].Text("id")
	results := map[string]string{}
	for _, r := range o.get("exam/result/list?examId=" + exam).Items() {
		results[r.Text("studentId")] = fmt.Sprint(r["marks"], " ", r["outcome"])
	}
	o.eq("results", fmt.Sprint(results[ann], ", ", results[ben], ", ", len(results)), "17 SCORED, <nil> ABSENT, 2")
	o.publishAndTakeBack(exam)
}

func (o *office) publishAndTakeBack(exam string) {
	o.T.Helper()
	state := func() string { return o.get("exam/" + exam).Text("status") }
	if state() != "COMPLETED" {
		o.Clicks("button", "More")
		o.Clicks("button", "End the exam now")
		o.Sees("Latin test has ended.")
	}
	o.Clicks("button", "Publish…")
	o.Clicks("button", "Publish to 2 families")
	o.Sees("The results of 2 children are published.")
	o.eq("state", state(), "PUBLISHED")
	o.Clicks("button", "More")
	o.Clicks("button", "Take the results back")
	o.Fills("Reason", "A mark was wrong")
	o.In("dialog", "Take the results back").Clicks("button", "Take the results back")
	o.Sees("The results are taken back.")
	o.eq("state after taking back", state(), "COMPLETED")
}
