package webapp_test

import (
	"fmt"
	"strings"
	"testing"
)

// clerk signs in as an administrator whose role may only read and write in one module.
func (d *demo) clerk(module string) {
	d.T.Helper()
	admin := d.login("admin@greenfield.test")
	add := func(path string, body m) string {
		d.T.Helper()
		var reply struct{ Data struct{ ID string } }
		r := d.Call(d.T, admin, "POST", "/school-admin/"+path, body)
		if r.Status == 201 {
			r.Status = 200
		}
		d.read(r, &reply)
		return reply.Data.ID
	}
	role := add("role/create", m{"name": "Only " + module, "type": "SCHOOL_ADMIN"})
	var table struct {
		Data struct {
			Permissions []struct{ Module, ModuleID string }
		}
	}
	d.read(d.Call(d.T, admin, "GET", "/school-admin/role/"+role+"/permissions", nil), &table)
	for _, p := range table.Data.Permissions {
		if p.Module == module {
			d.Call(d.T, admin, "PUT", "/school-admin/role/"+role+"/permissions",
				m{"permissions": []m{{"moduleId": p.ModuleID, "canRead": true, "canWrite": true, "canDelete": false}}}).OK()
		}
	}
	email, password := module+"@greenfield.test", "a long enough one"
	add("employee/create", m{"firstName": "Only", "lastName": module, "roleId": role, "email": email})
	_, token, _ := strings.Cut(d.linkTo(email), "token=")
	d.Call(d.T, nil, "POST", "/auth/reset-password", m{"token": token, "password": password}).OK()
	d.Opens("/")
	d.Fills("E-mail", email)
	d.Fills("Password", password)
	d.Clicks("button", "Sign in")
	d.Finds("button", "Your account, Only "+module)
}

// TestLimitedRole: whoever may do nothing but leave is not offered a choice among what the role may not read.
func TestLimitedRole(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.Work(d.T) // sends the e-mails
		d.clerk("leave")
		for _, page := range []string{"/app/leave", "/app/leave/balances"} {
			d.goes(page)
			d.settles()
			for _, filter := range []string{"Class", "Division", "Employee"} {
				offered := fmt.Sprintf(`[...document.querySelectorAll(".addfilter option")].some((o) => o.text === %q)`, filter)
				if d.js(offered) == "true" {
					d.T.Errorf("%s offers the filter %s, with nothing to choose", page, filter)
				}
			}
		}
		d.goes("/app/leave")
		d.settles()
		if d.Has("button", "Enter leave") {
			d.T.Error("leave can be entered, for nobody who can be found")
		}
	})
}
