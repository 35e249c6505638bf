package webapp_test

import (
	"fmt"
	"testing"
)

// TestDivisionOfClass: another class takes the division of the old one away, also in a form.
func TestDivisionOfClass(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		admin := d.login("admin@greenfield.test")
		classes := d.rows(admin, "/school-admin/class/list?sort=name")
		d.goes("/app/students/new")
		d.Fills("First name", "Bartholomea")
		d.Chooses("Class optional", fmt.Sprint(classes[0]["name"]))
		const division = `[...document.querySelectorAll("main select")].find((s) => s.labels[0].textContent.startsWith("Division"))`
		d.Until("have divisions", func() bool { return d.js(`(`+division+`)?.options.length > 1`) == "true" })
		d.js(`((s) => { s.value = s.options[1].value; s.dispatchEvent(new Event("change", {bubbles: true})) })(` + division + `)`)
		d.Until("have a division", func() bool { return d.js(`(`+division+`).value`) != "" })
		d.Chooses("Class optional", fmt.Sprint(classes[1]["name"]))
		d.Clicks("button", "Admit")
		d.Sees("Bartholomea is admitted as")
		student := d.rows(admin, "/school-admin/student/list?search=Bartholomea")[0]
		if student["classId"] != classes[1]["id"] || student["divisionId"] != nil {
			d.T.Errorf("admitted to class %v and division %v", student["className"], student["divisionName"])
		}
	})
}
