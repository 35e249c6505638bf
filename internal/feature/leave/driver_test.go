package leave_test

import (
	"testing"

	"homeroom/internal/apptest"
)

// TestDriver is a driver's own leave: the office decides, and the driver is told.
func TestDriver(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		driver := w.North.Driver
		w.As(driver, "POST", "/driver/leave/apply", w.days(1, 1)).Want(403, "PERMISSION_DENIED") // an account without an employee
		role := apptest.Value[string](w.World, `SELECT id FROM roles WHERE school_id = :school AND type = 'DRIVER'`, nil)
		w.Make("employee/create", m{"firstName": "Dan", "phone": driver.Phone, "roleId": role})
		leave := w.As(driver, "POST", "/driver/leave/apply", w.days(1, 2)).OK().Text("id")
		w.As(driver, "POST", "/driver/leave/apply", w.days(2, 3)).Want(409, "Conflict")
		apptest.Eq(t, "leaves of the driver", len(w.As(driver, "GET", "/driver/leave/list", nil).OK().Items()), 1)
		apptest.Eq(t, "leaves of a teacher", len(w.As(w.North.Teacher, "GET", "/teacher/leave/list", nil).OK().Items()), 0)
		w.As(w.North.Teacher, "POST", "/teacher/leave/"+leave+"/cancel", nil).Want(403, "PERMISSION_DENIED")
		w.As(w.South.Driver, "POST", "/driver/leave/"+leave+"/cancel", nil).Want(404, "Not Found")
		w.As(w.North.Teacher, "POST", "/teacher/leave/"+leave+"/approve", nil).Want(403, "PERMISSION_DENIED")
		w.Admin("POST", "/school-admin/leave/"+leave+"/approve", nil).OK()
		if logged, pushed := w.told(driver, "driver_"+driver.ID.String()); logged != 1 || pushed != 1 {
			t.Errorf("the driver has %d entries and %d pushes, want one each", logged, pushed)
		}
		w.As(driver, "POST", "/driver/leave/"+leave+"/cancel", nil).OK()
		apptest.Eq(t, "status", w.As(driver, "GET", "/driver/leave/list", nil).OK().Items()[0].Text("status"), "CANCELLED")
		w.As(driver, "GET", "/driver/leave/balance", nil).OK()
	})
}
