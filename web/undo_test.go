package webapp_test

import (
	"strings"
	"testing"
)

// TestUndo takes back what an office does by mistake, and tells only whom it wants to.
func TestUndo(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		remindTeachers(d)
		correctMark(d)
		reopenLeave(d)
		d.clean()
	})
}

func remindTeachers(d *demo) {
	d.T.Helper()
	d.Clicks("button", "Remind the teachers")
	d.Until("hear who is reminded", func() bool {
		return strings.Contains(d.Text(), "reminded") || strings.Contains(d.Text(), "could not be reached")
	})
	if d.js(`document.querySelector("dialog[open]") !== null`) == "true" {
		d.Clicks("button", "Close")
	}
	d.goes("/app/attendance")
	d.Finds("button", "Remind the teachers")
}

// correctMark marks a child absent quietly, takes it back, and marks again so that the
// parents are told.
func correctMark(d *demo) {
	d.T.Helper()
	ids, admin := d.ids(), d.login("admin@greenfield.test")
	at := "?classId=" + ids["{classId}"] + "&divisionId=" + ids["{divisionId}"]
	list := "/school-admin/attendance/list" + at
	name := d.first(admin, list, "firstName") + " " + d.first(admin, list, "lastName")
	before := d.first(admin, list, "status")
	to, status := "absent", "ABSENT"
	if before == "ABSENT" {
		to, status = "late", "LATE"
	}
	d.goes("/app/attendance/" + ids["{classId}"] + "/" + ids["{divisionId}"])
	d.Clicks("button", "History of "+name)
	d.Chooses("Mark", to)
	d.Clicks("radio", "Save quietly Nobody gets a message. The history shows the change.")
	d.Clicks("button", "Save the mark")
	d.Sees(name + " is now " + to + ".")
	d.SeesNo("The family is told.")
	d.Until("find the mark", func() bool { return d.first(admin, list, "status") == status })
	d.Clicks("button", "Undo: "+name+" is now "+to+".")
	d.Sees("Undone.")
	d.Until("find the mark before", func() bool { return d.first(admin, list, "status") == before })

	d.Clicks("button", "History of "+name)
	d.Chooses("Mark", to)
	d.Clicks("button", "Save the mark")
	d.Sees("The family is told.")
	d.Clicks("button", "Undo quietly")
	d.Until("find the mark before", func() bool { return d.first(admin, list, "status") == before })
}

// reopenLeave approves leave by mistake, takes it back, and does so again from the leave itself.
func reopenLeave(d *demo) {
	d.T.Helper()
	admin := d.login("admin@greenfield.test")
	leave := d.first(admin, "/school-admin/leave/list?status=PENDING", "id")
	status := func() string {
		var reply struct{ Data struct{ Status string } }
		d.read(d.Call(d.T, admin, "GET", "/school-admin/leave/"+leave, nil), &reply)
		return reply.Data.Status
	}
	name := d.first(admin, "/school-admin/leave/list?status=PENDING", "name")
	d.goes("/app/leave?status=PENDING")
	d.settles()
	d.Clicks("button", "Open the leave of "+name)
	d.Clicks("button", "Reject")
	d.Sees("The leave of " + name + " is rejected.")
	d.Clicks("button", "Undo: The leave of "+name+" is rejected.")
	d.Until("see it waiting again", func() bool { return status() == "PENDING" })

	d.Call(d.T, admin, "POST", "/school-admin/leave/"+leave+"/approve", map[string]any{}).OK()
	d.goes("/app/leave?status=APPROVED")
	d.settles()
	d.Clicks("button", "Open the leave of "+name)
	d.Clicks("button", "Take the decision back")
	d.Sees("The leave of " + name + " waits for a decision again.")
	d.Until("see it waiting again", func() bool { return status() == "PENDING" })
	d.Finds("button", "Approve")
}
