package people_test

import (
	"testing"

	"homeroom/internal/apptest"
)

// TestTypeOfRoleInUse: a role that an employee without an account holds keeps its type. As a role of parents, the employee's new
// phone would take over the account of the parent who has it.
func TestTypeOfRoleInUse(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		o.enrol("Ada", m{"name": "Jon", "phone": "+15550830001"})
		role := o.Make("role/create", m{"name": "Aide", "type": "TEACHER"})
		tea := o.Make("employee/create", m{"firstName": "Tea", "roleId": role})
		o.admin("PUT", "role/"+role, m{"type": "PARENT"}).Want(409, "Conflict")
		o.admin("PUT", "employee/"+tea, m{"phone": "+15550830001"}).OK()
		name := o.One(`SELECT name FROM users WHERE school_id = :school AND role = 'PARENT' AND phone = '+15550830001'`, nil)
		apptest.Eq(t, "the parent's name", name, "Jon")
	})
}

// TestRoleOfArchived: an archived employee holds no role any more, so that it can be deleted.
func TestRoleOfArchived(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		role := o.Make("role/create", m{"name": "Aide", "type": "TEACHER"})
		tea := o.Make("employee/create", m{"firstName": "Tea", "roleId": role, "phone": "+15550840001"})
		o.admin("DELETE", "role/"+role, nil).Want(409, "Conflict")
		o.admin("DELETE", "employee/"+tea, nil).OK()
		o.admin("DELETE", "role/"+role, nil).OK()
	})
}

// TestImportOfUnborn: a date of birth that can't be right is an error of its row.
func TestImportOfUnborn(t *testing.T) {
	eachFamily(t, func(t *testing.T, o families) {
		for _, dryRun := range []string{"true", "false"} {
			got := o.Admin("POST", "/school-admin/employee/import?dryRun="+dryRun, "firstName,dateOfBirth\nTea,2190-01-01\n",
				"Content-Type", "text/csv")
			got.OK()
			got.Has(`"failed":1`, `"field":"dateOfBirth"`, "must be in the past")
		}
	})
}
