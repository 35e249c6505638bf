package webapp_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/browsertest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

const classTeacher = "Class teacher of Grade 5 A +15550100001"

// TestEveryTeacherPage opens every page of teachers on a phone.
func TestEveryTeacherPage(t *testing.T) {
	t.Parallel()
	eachDemo(t, func(d *demo) {
		d.looks, d.finger = []look{{390, "light"}, {320, "dark"}}, 44
		f := d.forty()
		admin := d.login("admin@greenfield.test")
		exam := d.first(admin, "/school-admin/exam/list?status=PUBLISHED", "id")
		papers := "/school-admin/exam/schedule/list?examId=" + exam + "&classId=" + d.named(admin, "/school-admin/class/list?", "Grade 5")
		ids := map[string]string{"{classId}": f.class, "{divisionId}": f.division, "{examId}": exam, "children {id}": f.children[0],
			"/app/exams/{examId}/{classId}/{subjectId} {classId}": d.first(admin, papers, "classId"),
			"{subjectId}": d.first(admin, papers, "subjectId"),
			"news {id}":   d.first(admin, "/school-admin/announcement/list?audience=ALL&status=PUBLISHED", "id")}
		d.teaches()
		d.speaks(d.language)
		for _, path := range pagesOf(d.T, "src/teacher") {
			d.visit(path, fill(d.T, ids, path))
		}
		d.clean()
	})
}

// TestMarkForty marks 40 children without a network: each mark arrives once, and a family is told once.
func TestMarkForty(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		f := d.forty()
		wire := d.wired()
		d.teaches()
		d.readsAhead(f)
		d.keeps()
		wire.Cut()
		start := time.Now()
		d.goes(f.page())
		d.Clicks("button", "Kid 00 Forty Present")
		d.Clicks("button", "Kid 07 Forty Present")
		d.Clicks("button", "Kid 07 Forty Absent")
		d.Clicks("button", "10")
		d.Clicks("button", "Kid 39 Forty Present")
		d.Clicks("button", "Morning")
		d.FitsWidth()
		d.PassesAxe(axe)
		d.Clicks("button", "Done: 37 here, 2 absent, 1 late")
		d.T.Logf("marked in %s", time.Since(start).Round(time.Second))
		d.Sees("is kept on this phone and not sent yet")
		for range 3 { // a network that comes and goes
			wire.Mend(50 * time.Millisecond)
			time.Sleep(200 * time.Millisecond)
			wire.Cut()
		}
		wire.Mend(0)
		d.Until("send all marks", func() bool { return len(d.marks(f)) == 40 })
		d.SeesNo("is kept on this phone and not sent yet")
		marks := d.marks(f)
		for child, want := range map[int]string{0: "ABSENT", 1: "PRESENT", 7: "LATE 10", 38: "PRESENT", 39: "ABSENT FIRST"} {
			apptest.Eq(d.T, fmt.Sprintf("mark of child %d", child), marks[f.children[child]], want)
		}
		apptest.Eq(d.T, "corrections", d.counted(f, `attendance_revisions WHERE school_id = :school AND student_id IN (:children)`), 0)
		apptest.Eq(d.T, "messages to the family of an absent child",
			d.counted(f, `notifications WHERE school_id = :school AND student_id = :first`), 1)
		apptest.Eq(d.T, "calls", d.counted(f, `audit_log WHERE school_id = :school AND action = 'attendance.mark' AND entity_id = :division`), 1)
	})
}

// TestMarksClash marks a class without a network while the office marks one child of it: both marks are shown, and the teacher decides.
func TestMarksClash(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		f := d.forty()
		wire := d.wired()
		d.teaches()
		d.readsAhead(f)
		d.keeps()
		wire.Cut()
		d.goes(f.page())
		d.Clicks("button", "Kid 01 Forty Present")
		d.Clicks("button", "Kid 02 Forty Present")
		d.Clicks("button", "Done: 38 here, 2 absent")
		d.Sees("is kept on this phone and not sent yet")
		d.Clock.Add(20 * time.Minute)
		admin := d.login("admin@greenfield.test")
		d.Call(d.T, admin, "POST", "/school-admin/attendance/mark", f.sheet(
			m{"studentId": f.children[1], "status": "LATE", "minutesLate": 15}, m{"studentId": f.children[2], "status": "LATE"},
			m{"studentId": f.children[3], "status": "LATE"})).OK()
		wire.Mend(0)
		d.Sees("Kid 01 Forty", "Kid 02 Forty", "Kid 03 Forty", "Late, 15 min")
		d.PassesAxe(axe)
		for _, decision := range []string{"Use mine for Kid 01 Forty", "Keep theirs for Kid 02 Forty", "Keep theirs for Kid 03 Forty"} {
			d.Clicks("button", decision)
			d.Until("the others move up", func() bool { return !d.Has("button", decision) })
		}
		d.SeesNo("Someone else marked later")
		d.Until("send the decision", func() bool { return d.marks(f)[f.children[1]] == "ABSENT" })
		apptest.Eq(d.T, "theirs", d.marks(f)[f.children[2]], "LATE")
		apptest.Eq(d.T, "of a child about whom the teacher said nothing", d.marks(f)[f.children[3]], "LATE")
		apptest.Eq(d.T, "marks", len(d.marks(f)), 40)
	})
}

var losses = flag.Int("losses", 5, "tabs that are lost while a class is marked; bench loses 100")

// lossesPerClass is the number of rounds in a class of 40: each round taps two children, and somebody is left.
const lossesPerClass = 19

// TestLosesNoTap closes the tab at random moments while a class is marked: what was shown as kept is there again.
func TestLosesNoTap(t *testing.T) {
	t.Parallel()
	for left := *losses; left > 0; left -= lossesPerClass {
		eachDemo(t, func(d *demo) { d.losesTabs(min(left, lossesPerClass)) })
	}
}

func (d *demo) losesTabs(rounds int) {
	f := d.forty()
	d.teaches()
	d.keeps()
	absent := map[int]bool{}
	for round := range rounds {
		tab, lose := d.SecondTab()
		tab.Opens(f.page())
		tab.Finds("button", "Kid 39 Forty "+map[bool]string{true: "Absent", false: "Present"}[absent[39]])
		for child := range absent {
			if !tab.Has("button", fmt.Sprintf("Kid %02d Forty Absent", child)) {
				d.T.Fatalf("round %d: the tap on child %d is lost: %s", round, child, tab.Text())
			}
		}
		for _, child := range []int{round, 20 + round} {
			tab.Clicks("button", fmt.Sprintf("Kid %02d Forty Present", child))
			tab.Finds("button", fmt.Sprintf("Kid %02d Forty Absent", child))
			if rand.IntN(2) == 0 || round == 0 { // else it may or may not be there
				tab.Until("see that it is kept", func() bool { return kept(tab) })
			}
		}
		if kept(tab) {
			absent[round], absent[20+round] = true, true
		} else {
			time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond)
		}
		lose()
	}
	tab, _ := d.SecondTab()
	tab.Opens(f.page())
	tab.Finds("button", "Kid 00 Forty Absent")
	for child := range absent {
		tab.Finds("button", fmt.Sprintf("Kid %02d Forty Absent", child))
	}
	gone := strings.Count(tab.Text(), "Absent")
	tab.Clicks("button", fmt.Sprintf("Done: %d here, %d absent", 40-gone, gone))
	d.Until("send all marks", func() bool { return len(d.marks(f)) == 40 })
	for child := range absent {
		apptest.Eq(d.T, fmt.Sprintf("mark of child %d", child), d.marks(f)[f.children[child]], "ABSENT")
	}
	apptest.Eq(d.T, "messages to the family of an absent child",
		d.counted(f, `notifications WHERE school_id = :school AND student_id = :first`), 1)
	d.T.Logf("%d tabs lost, %d taps of %d were shown as kept, none of them is lost", rounds, len(absent), 2*rounds)
}

// kept reports whether the page says that every tap is on disk.
func kept(p *browsertest.Person) bool { return strings.Contains(p.Text(), "Kept on this phone.") }

// forty is a division of 40 children whose class teacher is the demo's.
type forty struct {
	school, class, division, date string
	children                      []string
}

func (f forty) page() string { return "/app/mark/" + f.class + "/" + f.division + "?date=" + f.date }

func (f forty) sheet(records ...m) m {
	return m{"classId": f.class, "divisionId": f.division, "date": f.date, "records": records}
}

func (d *demo) forty() forty {
	d.T.Helper()
	admin := d.login("admin@greenfield.test")
	create := func(path string, body m) string {
		d.T.Helper()
		return d.Call(d.T, admin, "POST", path, body).OK().Text("id")
	}
	teacher := d.first(admin, "/school-admin/employee/list?search=15550100001", "id")
	f := forty{school: d.field(admin, "/school-admin/school", "id"),
		class: create("/school-admin/class/create", m{"name": "Forty", "displayOrder": 1000})}
	for n := len(d.rows(admin, "/school-admin/division/list?")); n*7%20 < 10; n++ { // those the demo marks by itself
		other := create("/school-admin/division/create", m{"classId": f.class, "name": fmt.Sprint(n)})
		create("/school-admin/student/create", m{"firstName": "Other", "classId": f.class, "divisionId": other})
	}
	f.division = create("/school-admin/division/create", m{"classId": f.class, "name": "A", "classTeacherId": teacher})
	for n := range 40 {
		child := m{"firstName": fmt.Sprintf("Kid %02d", n), "lastName": "Forty", "classId": f.class, "divisionId": f.division, "rollNo": n + 1}
		if n == 0 {
			child["guardians"] = []m{{"name": "A Parent", "relation": "MOTHER", "phone": "+15550100002", "isPrimary": true, "canViewData": true}}
		}
		f.children = append(f.children, create("/school-admin/student/create", child))
	}
	f.date = d.field(admin, "/school-admin/attendance/list?classId="+f.class, "date")
	return f
}

// named returns the id of the row with this name.
func (d *demo) named(who *apptest.Account, list, name string) string {
	d.T.Helper()
	return d.with(who, list, "name", name, "id")
}

// rows returns the first 100 rows of a list; its address has a "?".
func (d *demo) rows(who *apptest.Account, list string) []map[string]any {
	d.T.Helper()
	var reply struct {
		Data struct{ Items []map[string]any }
	}
	d.read(d.Call(d.T, who, "GET", list+"&limit=100", nil), &reply)
	return reply.Data.Items
}

func text(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

func (d *demo) field(who *apptest.Account, path, field string) string {
	d.T.Helper()
	var reply struct{ Data map[string]any }
	d.read(d.Call(d.T, who, "GET", path, nil), &reply)
	return text(reply.Data[field])
}

// marks are the marks of a division by child: "LATE 10".
func (d *demo) marks(f forty) map[string]string {
	d.T.Helper()
	out := map[string]string{}
	register := "/school-admin/attendance/list?divisionId=" + f.division + "&classId=" + f.class + "&date=" + f.date
	for _, r := range d.rows(d.login("admin@greenfield.test"), register) {
		if r["status"] != nil {
			words := []string{text(r["status"]), text(r["minutesLate"]), text(r["halfDay"])}
			out[text(r["studentId"])] = strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
		}
	}
	return out
}

func (d *demo) counted(f forty, from string) int {
	d.T.Helper()
	args := db.Args{"children": f.children, "first": f.children[0], "division": f.division}
	for name := range args {
		if !strings.Contains(from, ":"+name) {
			delete(args, name)
		}
	}
	n, err := db.One[int](d.T.Context(), d.DB.School(id.ID(f.school)), `SELECT COUNT(*) FROM `+from, args)
	if err != nil {
		d.T.Fatal(err)
	}
	return n
}

// teaches signs the demo's class teacher in, on a phone.
func (d *demo) teaches() {
	d.T.Helper()
	d.Work(d.T)
	d.Looks(390, "light")
	d.Opens("/")
	d.Clicks("button", classTeacher)
	d.Finds("link", "Me")
	d.listens()
}

// readsAhead waits until the home page has read the register of a division.
func (d *demo) readsAhead(f forty) {
	d.T.Helper()
	d.Until("read the register ahead", func() bool {
		asked := `performance.getEntriesByType("resource").some((e) => e.name.includes("/attendance/list?classId=` + f.class + `"))`
		return d.js(asked) == "true"
	})
}
