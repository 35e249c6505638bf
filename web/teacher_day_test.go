package webapp_test

import (
	"os"
	"path/filepath"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/file/filetest"
)

// TestTeacherWithoutNetwork enters marks, decides on leave, asks for leave and writes an announcement with a photo while the network is
// gone: each is kept, and arrives once when it is back.
func TestTeacherWithoutNetwork(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		admin := d.login("admin@greenfield.test")
		class := d.named(admin, "/school-admin/class/list?", "Grade 5")
		exam := d.first(admin, "/school-admin/exam/list?status=SCHEDULED", "id")
		papers := "/school-admin/exam/schedule/list?examId=" + exam + "&classId=" + class
		paper := "/app/exams/" + exam + "/" + class + "/" + d.with(admin, papers, "subjectName", "Mathematics", "subjectId")
		leave := d.first(admin, "/school-admin/leave/list?status=PENDING&applicantType=STUDENT&classId="+class, "id")
		name := d.first(admin, "/school-admin/leave/list?status=PENDING&applicantType=STUDENT&classId="+class, "name")
		photo := filepath.Join(d.T.TempDir(), "garden.jpg")
		if err := os.WriteFile(photo, filetest.JPEG(2400, 1200), 0o600); err != nil {
			d.T.Fatal(err)
		}
		wire := d.wired()
		d.teaches()
		d.keeps()
		for _, page := range []string{paper, "/app/leaves", "/app/leave", "/app/news/new"} { // what was seen is kept
			d.goes(page)
			d.Finds("main", "")
			d.settles()
			d.opens(page == paper)
		}
		wire.Cut()

		d.goes(paper)
		d.opens(true)
		d.Fills("Marks of Aarav Taylor", "88.5")
		d.Fills("Marks of Beatriz Brown", "101")
		d.Sees("At most 100.")
		d.Fills("Marks of Beatriz Brown", "50")
		d.Clicks("button", "Beatriz Brown was absent")
		d.Clicks("button", "Save 2 marks")
		d.Sees("Kept on this phone, not sent yet.")

		d.goes("/app/leaves")
		d.Clicks("button", "Approve leave of "+name)
		d.Finds("dialog", "Approve leave")
		d.Clicks("button", "Approve leave of "+name)
		d.Sees("Decided, not sent yet")

		d.goes("/app/leave")
		d.Clicks("button", "Apply for leave")
		d.Fills("First day", "2027-01-12")
		d.Fills("Reason optional", "Wedding")
		d.Clicks("button", "Apply")
		d.Sees("kept on this phone and not sent yet")

		d.goes("/app/news/new")
		d.Clicks("checkbox", "Grade 5 A")
		d.Fills("Title", "Bring seeds")
		d.Attaches("Add photos", photo)
		d.Sees("garden.jpg")
		d.Clicks("button", "Send to Grade 5 A")
		d.Finds("heading", "News")

		wire.Mend(0)
		results := "/school-admin/exam/result/list?examId=" + exam + "&classId=" + class
		d.Until("send everything", func() bool {
			return d.total(admin, results) == 2 && d.field(admin, "/school-admin/leave/"+leave, "status") == "APPROVED" &&
				d.total(admin, "/school-admin/leave/list?applicantType=EMPLOYEE&from=2027-01-12&to=2027-01-12") == 1 &&
				d.total(admin, "/school-admin/announcement/list?search=Bring+seeds") == 1
		})
		apptest.Eq(d.T, "marks of Aarav", d.with(admin, results, "firstName", "Aarav", "marks"), "88.5")
		apptest.Eq(d.T, "outcome of Beatriz", d.with(admin, results, "firstName", "Beatriz", "outcome"), "ABSENT")
		d.goes("/app/news")
		d.Sees("Bring seeds")
	})
}

// opens waits until marks can be entered, on the page on which they are.
func (d *demo) opens(here bool) {
	d.T.Helper()
	if here {
		d.Until("enter marks", func() bool { return d.js(`document.querySelector(".scores input:enabled") !== null`) == "true" })
	}
}

// with returns a field of the row of a list in which another field has a value.
func (d *demo) with(who *apptest.Account, list, field, value, wanted string) string {
	d.T.Helper()
	for _, row := range d.rows(who, list) {
		if row[field] == value {
			return text(row[wanted])
		}
	}
	d.T.Fatalf("%s has no row with %s %s", list, field, value)
	return ""
}

func (d *demo) total(who *apptest.Account, list string) int { return len(d.rows(who, list)) }
