package webapp_test

import (
	"fmt"
	"strings"

	"homeroom/internal/apptest"
)

var peopleStories = []story{
	{"import with faults", importStudents},
	{"admission", admitWithGuardian},
	{"move", moveStudent},
	{"guardian corrected by two", correctGuardian},
	{"guardians merged", mergeGuardians},
	{"proposed change", acceptChange},
	{"export and erasure", eraseStudent},
	{"promotion", promoteClass},
}

// importStudents corrects two rows of a file in the browser.
func importStudents(o *office) {
	o.at("/app/import/students", "Import students")
	o.Attaches("Drop a CSV file here, or choose one", o.file("new.csv",
		"Number,First name,Surname,Class,Division,Born,Guardian,Guardian's phone",
		"IM-1,Uma,Import,Grade 2,A,2018-03-01,Ina Import,+15559010001",
		"IM-2,Udo,Import,Grade 2,A,2098-03-02,Ina Import,+15559010001",
		"IM-3,Una,Import,Grade 22,A,2018-03-03,Ina Import,+15559010001"))
	o.Chooses("Meaning of Number", "Admission no.")
	o.Chooses("Meaning of Surname", "Last name")
	o.Clicks("button", "Check 3 rows")
	o.Finds("button", "Import the 1 that is ready")
	o.eq("students before the import", len(o.find("student/list", "IM-")), "0")
	o.Fills("Born, row 3", "2018-03-02")
	o.Fills("Class, row 4", "Grade 2")
	o.Clicks("button", "Import 3 rows")
	o.Finds("heading", "3 rows are imported")
	o.Clicks("link", "Show the students")
	o.Finds("heading", "Students")
	for _, s := range o.find("student/list", "Import") {
		o.eq("class of "+s.Text("firstName"), s.Text("className")+" "+s.Text("divisionName"), "Grade 2 A")
		o.eq("born", strings.HasPrefix(s.Text("dateOfBirth"), "2018-03-0"), "true")
	}
	o.eq("their guardians", len(o.find("guardian/list", "Ina Import")), "1")
}

func admitWithGuardian(o *office) {
	o.at("/app/students", "Students")
	o.Clicks("link", "Admit a student")
	o.Finds("heading", "Admit a student")
	o.settles()
	o.Fills("First name", "Nora")
	o.Fills("Last name optional", "Newcomer")
	o.Chooses("Class optional", "Grade 3")
	o.Chooses("Division optional", "A, 15 of 24 seats")
	o.Fills("Name optional", "Nils Newcomer")
	o.Chooses("Relation", "Father")
	o.Fills("Phone optional", "not a phone")
	o.refused = []string{"/student/create"}
	o.Clicks("button", "Admit")
	o.Finds("alert", "")
	o.Fills("Phone optional", "+15559020001")
	o.Clicks("button", "Admit")
	o.Finds("heading", "Nora Newcomer")
	found := o.find("student/list", "Newcomer")
	o.eq("admitted", len(found), "1")
	o.eq("seat", found[0].Text("className")+" "+found[0].Text("divisionName"), "Grade 3 A")
	guardian := found[0].Objects("guardians")[0]
	o.eq("guardian", fmt.Sprint(guardian["name"], guardian["relation"], guardian["phone"]), "Nils NewcomerFATHER+15559020001")
}

func moveStudent(o *office) {
	id := o.student("Mona Mover", o.grade("Grade 3"), "")
	o.at("/app/students/"+id, "Mona Mover")
	o.Clicks("button", "More about Mona Mover")
	o.Clicks("button", "Move to another class")
	o.Chooses("Class", "Grade 4")
	o.Chooses("Division optional", "B, 15 of 24 seats")
	o.Clicks("button", "Move")
	o.Sees("Mona Mover is moved.")
	seat := func() string { s := o.get("student/" + id); return s.Text("className") + " " + s.Text("divisionName") }
	o.eq("seat", seat(), "Grade 4 B")
	o.undo("Mona Mover is moved.")
	o.eq("seat after undo", seat(), "Grade 3 A")
}

// correctGuardian saves while somebody else has: both versions are shown, and one is chosen.
func correctGuardian(o *office) {
	o.student("Kim Clash", o.grade("Grade 3"), "+15559050001")
	id := o.find("guardian/list", "Parent Clash")[0].Text("id")
	o.at("/app/guardians/"+id, "Parent Clash")
	o.Clicks("button", "Edit")
	o.Fills("Address optional", "1 My Street")
	o.Call(o.T, o.admin, "PUT", "/school-admin/guardian/"+id, m{"address": "2 Their Street"}).OK()
	o.refused = []string{"/school-admin/guardian/"}
	o.Clicks("button", "Save")
	o.Finds("dialog", "Someone else changed this")
	o.Sees("1 My Street", "2 Their Street")
	o.eq("address", o.get("guardian/" + id)["address"], "2 Their Street")
	o.Clicks("button", "Go on with mine")
	o.Clicks("button", "Save")
	o.Sees("Parent Clash is saved.")
	o.eq("address", o.get("guardian/" + id)["address"], "1 My Street")
}

func mergeGuardians(o *office) {
	home := o.newClass("Twins")
	a, b := o.student("Ann Twin", home, "+15559030001"), o.student("Ben Twin", home, "+15559030002")
	o.at("/app/guardians?search=Parent+Twin", "Guardians")
	o.Clicks("checkbox", "Select all on this page")
	o.Clicks("button", "Merge these two")
	o.Fills("To confirm, type Parent Twin", "Parent")
	o.Clicks("button", "Merge into Parent Twin")
	o.Sees("That is not the name of the record that goes.")
	o.eq("guardians before", len(o.find("guardian/list", "Parent Twin")), "2")
	o.Fills("To confirm, type Parent Twin", "Parent Twin")
	o.Clicks("button", "Merge into Parent Twin")
	o.Sees("The two records of Parent Twin are one.")
	left := o.find("guardian/list", "Parent Twin")
	o.eq("guardians", len(left), "1")
	children := apptest.Pick(left[0]["children"], "studentId")
	o.eq("children", len(children) == 2 && strings.Contains(fmt.Sprint(children), a) && strings.Contains(fmt.Sprint(children), b), "true")
}

// acceptChange decides about the address that the demo's parent proposes.
func acceptChange(o *office) {
	change := o.get("guardian/change/list?status=PENDING").Items()[0]
	o.at("/app/guardians/changes", "Proposed changes")
	o.Beside("link", change.Text("guardianName")).Clicks("button", "Decide")
	o.Sees("8 Orchard Lane")
	o.Clicks("button", "Accept the change")
	o.Sees("The change of " + change.Text("guardianName") + " counts now.")
	o.eq("address", o.get("guardian/"+change.Text("guardianId")).Text("address"), "8 Orchard Lane")
	o.eq("waiting", len(o.get("guardian/change/list?status=PENDING").Items()), "0")
}

func eraseStudent(o *office) {
	id := o.student("Gale Gone", o.grade("Grade 3"), "+15559040001")
	o.at("/app/students/"+id, "Gale Gone")
	o.Clicks("button", "More about Gale Gone")
	o.js(`(() => {
		const make = URL.createObjectURL
		URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text }); return make.call(URL, blob) }
	})()`)
	o.Clicks("button", "All data as a file")
	o.Until("the file to be saved", func() bool { return strings.Contains(o.js(`window.saved`), "Gale") })
	o.Clicks("button", "More about Gale Gone")
	o.Clicks("button", "Erase personal data")
	o.Fills("To confirm, type Gale Gone", "Gale Gone")
	o.Clicks("button", "Erase for good")
	o.Sees("The personal data of the student is erased.")
	o.eq("students", len(o.find("student/list", "Gale")), "0")
	o.eq("guardians without another child", len(o.find("guardian/list", "+15559040001")), "0")
}

// promoteClass moves a class up into the next year, lets one repeat, and takes it back.
func promoteClass(o *office) {
	low := o.newClass("Promoted")
	o.newClass("Promoted next")
	stays := o.student("Rita Repeat", low, "")
	up := o.student("Ugo Up", low, "")
	next := o.make("academic-year/create", m{"name": "Next year", "startDate": "2090-01-01", "endDate": "2090-12-31"})
	o.make("class/copy", m{"toAcademicYearId": next})
	o.Opens("/app/students/promote")
	o.Finds("heading", "Promote a class")
	o.Clicks("button", "Promoted 2 students")
	o.Beside("link", "Rita Repeat").Clicks("button", "Let repeat")
	o.Clicks("button", "Move 1 up, 1 repeats")
	o.Sees("Promoted: 1 move up, 1 repeat, 0 graduate.")
	outcome := func(id string) string {
		return fmt.Sprint(apptest.Pick(o.get("student/" + id + "/profile")["enrolments"], "className"))
	}
	o.eq("moves up", strings.Contains(outcome(up), "Promoted next"), "true")
	o.eq("repeats", strings.Contains(outcome(stays), "Promoted next"), "false")
	o.undo("Promoted: 1 move up, 1 repeat, 0 graduate.")
	o.eq("after undo", outcome(up), "[Promoted]")
}
