package school_test

import (
	"fmt"
	"testing"

	"homeroom/internal/apptest"
)

// TestSchoolForItsPeople shows the school to parents, teachers and drivers, without the
// settings that are the office's own.
func TestSchoolForItsPeople(t *testing.T) {
	apptest.Worlds(t, func(w *apptest.World) *apptest.World { return w }, func(t *testing.T, w *apptest.World) {
		w.Admin("PUT", "/school-admin/setting", apptest.M{"name": "North Hill", "phone": "+15551110000", "email": "office@north.test",
			"address": "1 High St", "lat": 52.52, "lng": 13.405,
			"currency": "EUR", "timezone": "Europe/Berlin", "locale": "es", "brandColor": "#1f5f8b",
			"weekendDays": []int{5, 6}, "attendanceLockDays": 3, "smsPerDay": 77, "smsCost": 0.33, "strongPins": true,
			"emergencyContacts": []apptest.M{{"name": "Head", "phone": "+15553330001"}}}).OK()
		year := w.Admin("GET", "/school-admin/academic-year/list", nil).OK().Items()[0]
		next := w.Make("academic-year/create", apptest.M{"name": "Next", "startDate": "2040-01-01", "endDate": "2040-12-31"})
		w.Make("holiday/create", apptest.M{"name": "Fair", "date": year["startDate"], "endDate": year["startDate"]})
		w.Make("holiday/create", apptest.M{"name": "Far off", "date": "2040-05-01"})
		far := w.As(w.South.Admin, "GET", "/school-admin/academic-year/list", nil).OK().Items()[0].Text("id")
		w.As(w.South.Admin, "POST", "/school-admin/holiday/create", apptest.M{"name": "Southern", "date": year["startDate"]}).OK()
		for _, who := range []*apptest.Account{w.North.Parent, w.North.Teacher, w.North.Driver} {
			path := "/" + who.Role.Prefix() + "/school"
			r := w.As(who, "GET", path, nil)
			r.Has("North Hill", "+15551110000", "office@north.test", "1 High St", "52.52", "13.405",
				"EUR", "Europe/Berlin", `"es"`, "#1f5f8b", "[5,6]",
				year.Text("id"), next, "Fair")
			r.HasNot("sms", "emailPerDay", "strongPins", "requireSecondFactor", "emergency", "Head", "Far off", "Southern", "version")
			if got := fmt.Sprint(r.OK()["attendanceLockDays"]); got == "3" != (who == w.North.Teacher) {
				t.Errorf("%s: days to mark attendance: %s", path, got)
			}
			r = w.As(who, "GET", path+"?academicYearId="+next, nil)
			r.Has("Far off")
			r.HasNot("Fair")
			w.As(who, "GET", path+"?academicYearId="+far, nil).Want(404, "Not Found")
		}
		w.As(w.North.Parent, "GET", "/teacher/school", nil).Want(403, "PERMISSION_DENIED")
	})
}

// TestSchoolWithoutYear shows a school that has no academic year yet.
func TestSchoolWithoutYear(t *testing.T) {
	apptest.Worlds(t, func(w *apptest.World) *apptest.World { return w }, func(t *testing.T, w *apptest.World) {
		w.Exec(`DELETE FROM academic_years WHERE school_id = :school`, nil)
		o := w.As(w.North.Parent, "GET", "/parent/school", nil).OK()
		if got := fmt.Sprint(o["academicYears"], o["holidays"]); got != "[] []" {
			t.Errorf("years and holidays: %s", got)
		}
	})
}
