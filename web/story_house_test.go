package webapp_test

import (
	"fmt"
	"slices"
	"strings"

	"homeroom/internal/platform/db"
)

var houseStories = []story{
	{"role with its matrix", makeRole},
	{"employee invited", inviteEmployee},
	{"settings", changeSettings},
	{"audit as sentences", readAudit},
	{"new year", beginYear},
}

var platformStories = []story{
	{"school created and suspended", createSchool},
	{"jobs", lookAtJobs},
}

func makeRole(o *office) {
	o.at("/app/staff/roles", "Roles")
	o.Clicks("button", "New role")
	o.Fills("Name", "Sports teacher")
	o.Chooses("Kind", "teacher")
	o.Chooses("Begin with the permissions of optional", "Teacher")
	o.In("dialog", "New role").Clicks("button", "Make the role")
	o.Finds("heading", "Sports teacher")
	o.settles()
	o.Clicks("checkbox", "Library: Change")
	o.Sees("2 added")
	o.Clicks("button", "Save")
	o.Sees("The role Sports teacher is saved.")
	role := ""
	for _, r := range o.get("role/list?limit=100").Items() {
		if r.Text("name") == "Sports teacher" {
			role = r.Text("id")
		}
	}
	rights := map[string]string{}
	for _, p := range o.get("role/" + role + "/permissions").Objects("permissions") {
		rights[p.Text("module")] = fmt.Sprint(p["canRead"], p["canWrite"], p["canDelete"])
	}
	o.eq("library", rights["library"], "true true false")
	o.eq("fees", rights["fee"], "false false false")
}

func inviteEmployee(o *office) {
	o.at("/app/staff", "Staff")
	o.Clicks("button", "Add to the staff")
	form := o.In("dialog", "New member of staff")
	form.Fills("First name", "Ivo")
	form.Fills("Last name optional", "Invited")
	form.Chooses("Role", "School administrator")
	form.Fills("E-mail optional", "ivo@greenfield.test")
	form.Clicks("button", "Add to the staff")
	o.Finds("heading", "Ivo Invited")
	found := o.find("employee/list", "Ivo Invited")
	o.eq("employees", len(found), "1")
	o.eq("has an account", found[0]["userId"] != nil, "true")
	o.World(o.T).Drain()
	mail := o.Call(o.T, nil, "GET", "/dev/outbox?channel=email&to=ivo@greenfield.test", nil, "Accept", "application/json")
	mail.Has("ivo@greenfield.test", "/reset")
	o.refusesToSignIn("ivo@greenfield.test")
}

// refusesToSignIn checks that an account without a password can't be used.
func (o *office) refusesToSignIn(email string) {
	o.T.Helper()
	o.Call(o.T, nil, "POST", "/auth/login", m{"email": email, "password": "homeroom-demo"}).Want(401, "Unauthorized")
}

func changeSettings(o *office) {
	before := o.get("setting")
	o.at("/app/settings", "Settings")
	o.Fills("Phone optional", "+15559500001")
	o.Fills("Longitude optional", "-72.61")
	o.js(`document.querySelector(".minimap .ground").dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: 500, clientY: 700 }))`)
	o.Clicks("button", "Save")
	o.Sees("The settings are saved.")
	o.eq("phone", o.get("setting")["phone"], "+15559500001")
	o.eq("name", o.get("setting")["name"], before.Text("name"))
	o.eq("a place by a click", o.get("setting")["lat"] != before["lat"] && o.get("setting")["lng"] != -72.61, "true")
	o.undo("The settings are saved.")
	o.eq("phone after undo", o.get("setting")["phone"], fmt.Sprint(before["phone"]))
	o.eq("place after undo", o.get("setting")["lng"], fmt.Sprint(before["lng"]))
	o.Clicks("link", "Rules")
	o.settles()
	o.Fills("Days after which only administrators change attendance optional", "9")
	o.Clicks("button", "Save")
	o.Sees("The settings are saved.")
	o.eq("days", o.get("setting")["attendanceLockDays"], "9")
}

// readAudit looks for a change as a sentence, with before and after.
func readAudit(o *office) {
	id := o.make("holiday/create", m{"name": "Kite Day", "date": o.day(40), "endDate": o.day(40)})
	o.Call(o.T, o.admin, "PUT", "/school-admin/holiday/"+id, m{"name": "Kite Festival"}).OK()
	o.at("/app/audit", "Audit log")
	o.Sees("Grace Whitfield changed the holiday Kite Festival")
	o.Sees("name: Kite Day Kite Festival")
	text := o.Text()
	for _, word := range []string{id, "holiday.update"} {
		if strings.Contains(text, word) {
			o.T.Errorf("the log shows %q, which says nothing to people", word)
		}
	}
}

// beginYear makes the next year the current one, and takes it back.
func beginYear(o *office) {
	current := func() (name string) {
		for _, y := range o.get("academic-year/list").Items() {
			if y["isCurrent"] == true {
				name += y.Text("name")
			}
		}
		return name
	}
	before := current()
	o.make("academic-year/create", m{"name": "Year of kites", "startDate": "2091-01-01", "endDate": "2091-12-31"})
	o.at("/app/calendar/years", "Calendar")
	o.Near("Year of kites").Clicks("button", "Make it the current year")
	o.Sees("Year of kites is now the current year.")
	o.eq("current year", current(), "Year of kites")
	o.undo("Year of kites is now the current year.")
	o.eq("current year after undo", current(), before)
}

// createSchool adds a school, suspends it, and lets it go on.
func createSchool(o *office) {
	o.becomesOperator()
	o.at("/app/platform/schools", "Schools")
	o.Clicks("button", "Add a school")
	o.Fills("Name", "Lakeside School")
	o.Fills("Code", "LAKESIDE")
	o.Fills("Administrator's name", "Lara Lake")
	o.Fills("Administrator's e-mail", "lara@lakeside.test")
	o.Clicks("button", "Add and invite")
	o.Sees("The school is there, and its administrator is invited.")
	o.Finds("heading", "Lakeside School")
	super := o.login("super@homeroom.test")
	school := func() string {
		return fmt.Sprint(o.Call(o.T, super, "GET", "/super-admin/school/list?search=LAKESIDE", nil).OK().Texts("status"))
	}
	o.eq("school", school(), "[ACTIVE]")
	o.World(o.T).Drain()
	o.Call(o.T, nil, "GET", "/dev/outbox?channel=email&to=lara@lakeside.test", nil, "Accept", "application/json").Has("/reset")
	o.Clicks("button", "Suspend")
	o.Sees("Lakeside School is suspended. Nobody of it can sign in.")
	o.eq("school", school(), "[SUSPENDED]")
	o.eq("the others", o.Call(o.T, super, "GET", "/super-admin/school/list?status=SUSPENDED", nil).OK()["total"], "1")
	o.Clicks("button", "Resume")
	o.Sees("Lakeside School is active again.")
	o.eq("school", school(), "[ACTIVE]")
}

// becomesOperator signs the office out and the super-administrator in.
func (o *office) becomesOperator() {
	o.T.Helper()
	if o.Has("link", "Jobs") {
		return
	}
	o.Opens("/app/today")
	o.Clicks("button", "Your account, Grace Whitfield")
	o.Clicks("button", "Sign out")
	o.Clicks("button", "Super-administrator super@homeroom.test")
	o.Finds("heading", "Platform")
}

// lookAtJobs runs a job again that has given up.
func lookAtJobs(o *office) {
	o.becomesOperator()
	id := o.NewID()
	o.World(o.T).Exec(`INSERT INTO jobs (school_id, id, kind, payload, state, run_at, attempts, last_error, created_at)
		VALUES (:school, :id, 'notify.send', '{}', 'dead', :now, 5, 'The provider is away', :now)`, db.Args{"id": id, "now": o.Now()})
	super := o.login("super@homeroom.test")
	state := func(want string) string {
		jobs := o.Call(o.T, super, "GET", "/super-admin/job/list?limit=100&state="+want, nil).OK().Texts("id")
		return fmt.Sprint(slices.Contains(jobs, string(id)))
	}
	o.at("/app/platform/jobs", "Jobs")
	o.Near("The provider is away").Clicks("button", "Run again")
	o.Sees("1 job runs again.")
	o.SeesNo("The provider is away")
	o.eq("gave up", state("dead"), "false")
	o.eq("waits", state("waiting"), "true")
}
