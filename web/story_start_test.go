package webapp_test

import (
	"strconv"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/browsertest"
	"homeroom/internal/platform/db/dbtest"
)

const (
	founder      = "ada@example.test"
	headTeacher  = "office@example.test"
	goodPassword = "marble owls drink tea"
)

// TestFirstStart sets a service without accounts up by the link that it prints, and then
// the school by its checklist.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := apptest.Empty(t, engine)
			secret, err := s.OpenSetup(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			d := &demo{Service: s, Person: browsertest.NewPerson(t, browsertest.New(t), s.URL)}
			d.Looks(1280, "light")
			d.setUpService(secret)
			o := &office{demo: d}
			o.moveIn()
			o.setUpSchool()
			d.clean()
		})
	}
}

// setUpService makes the super-administrator and the first school.
func (d *demo) setUpService(secret string) {
	d.Opens("/app/setup#" + secret)
	d.Fills("Your name", "Ada Byron")
	d.Fills("Your e-mail", founder)
	d.Fills("Your password", goodPassword)
	d.Fills("The school's name", "Hillside School")
	d.Chooses("Time zone optional", "Europe/Madrid")
	d.Chooses("Currency optional", "EUR · Euro")
	d.Fills("Who runs the office", "Eva Roe")
	d.Fills("The office's e-mail", headTeacher)
	d.Fills("The office's password optional", goodPassword+"!")
	d.Clicks("button", "Set up Homeroom")
	d.Finds("heading", "Platform")
	d.Sees("Hillside School")
	if d.js(`location.hash`) != "" {
		d.T.Error("the address still has the secret of the link")
	}
	d.Call(d.T, nil, "POST", "/auth/setup", m{"token": secret, "name": "Eve", "email": "eve@example.test", "password": goodPassword}).
		Want(409, "Conflict")
}

// moveIn signs the operator out and the office in.
func (o *office) moveIn() {
	o.Clicks("button", "Your account, Ada Byron")
	o.Clicks("button", "Sign out")
	o.Finds("heading", "Sign in")
	o.Opens("/app/setup#used")
	o.Finds("heading", "Homeroom is set up already")
	o.Clicks("link", "Sign in")
	o.Fills("E-mail", headTeacher)
	o.Fills("Password", goodPassword+"!")
	o.Clicks("button", "Sign in")
	o.Finds("heading", "Needs you")
	var reply struct{ AccessToken string }
	o.read(o.Call(o.T, nil, "POST", "/auth/login", m{"email": headTeacher, "password": goodPassword + "!"}), &reply)
	o.admin = &apptest.Account{Access: reply.AccessToken}
}

// setUpSchool follows the checklist: year, classes, divisions, subjects, holidays, fee heads.
func (o *office) setUpSchool() {
	o.Clicks("link", "Set up school")
	o.step("Academic year")
	year := strconv.Itoa(o.Now().Year())
	o.Clicks("button", "New academic year")
	o.Fills("Name", "The year")
	o.Fills("First day", year+"-01-01")
	o.Fills("Last day", year+"-12-31")
	o.Clicks("button", "Save the year")
	o.Sees("The year is saved.", "current")

	o.step("Classes")
	for _, name := range []string{"Grade 1", "Grade 2"} {
		o.Clicks("button", "New class")
		o.Fills("Name", name)
		o.Clicks("button", "Make the class")
		o.Finds("link", name)
	}
	o.step("Divisions")
	for _, name := range []string{"Grade 1", "Grade 2"} {
		o.Beside("link", name).Clicks("button", "Add a division")
		o.Fills("Name", "A")
		o.Fills("Seats optional", "20")
		o.Clicks("button", "Make the division")
		o.Finds("link", "Students of "+name+" A")
	}
	o.step("Subjects")
	o.Clicks("button", "New subject")
	o.Fills("Name", "Maths")
	o.Clicks("button", "Make the subject")
	o.Sees("Maths is made.", "all classes")

	o.step("Holidays")
	o.Clicks("button", "New holiday")
	o.Fills("Name", "Founders' Day")
	o.Fills("First day", year+"-05-14")
	o.Clicks("button", "Save the holiday")
	o.Sees("The holiday is saved.")

	o.step("Fees")
	o.Clicks("link", "Fee heads")
	o.Clicks("button", "Add a fee head")
	o.Fills("Name", "Tuition")
	o.Clicks("button", "Save")
	o.Sees("Tuition is saved.")
	o.schoolIsSetUp()
}

// step opens what the checklist links to.
func (o *office) step(name string) {
	o.T.Helper()
	o.Clicks("link", "Set up school")
	o.settles()
	o.In("main", "").Near(name).Clicks("link", "Do it")
}

// schoolIsSetUp checks what the office has made, on the checklist and through the API.
func (o *office) schoolIsSetUp() {
	o.Clicks("link", "Set up school")
	for _, name := range []string{"Academic year", "Classes", "Divisions", "Subjects", "Holidays"} {
		o.In("main", "").Near(name).Finds("link", "Look")
	}
	o.In("main", "").Near("Students and guardians").Finds("link", "Do it")
	year := o.get("academic-year/list").Items()
	o.eq("years", len(year), "1")
	o.eq("the year is current", year[0]["isCurrent"], "true")
	o.eq("classes", o.get("class/list").Texts("name"), "[Grade 1 Grade 2]")
	o.eq("divisions", o.get("division/list").Texts("capacity"), "[20 20]")
	o.eq("subjects", o.get("subject/list").Texts("name"), "[Maths]")
	o.eq("holidays", o.get("holiday/list").Texts("name"), "[Founders' Day]")
	o.eq("fee heads of the school", o.find("fee/head/list", "Tuition")[0]["system"], "<nil>")
	o.eq("students", o.get("student/list")["total"], "0")
}
