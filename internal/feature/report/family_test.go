package report_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/apptest"
)

// TestHome fills a parent's day and reads it, as the parent, with fewer permissions, and
// without the link to the child.
func TestHome(t *testing.T) {
	apptest.Worlds(t, func(w *apptest.World) *apptest.World { return w }, func(t *testing.T, w *apptest.World) {
		day, parent := w.Monday(8), w.North.Parent
		empty := w.As(parent, "GET", "/parent/home", nil).OK()
		apptest.Eq(t, "children of a parent without any", len(empty.Objects("children")), 0)
		class := w.Make("class/create", m{"name": "One"})
		division := w.Make("division/create", m{"classId": class, "name": "A"})
		teacher := w.Make("employee/create", m{"firstName": "Ann", "lastName": "Lee", "phone": w.North.Teacher.Phone})
		w.Admin("POST", "/school-admin/employee/"+teacher+"/assignments", m{"assignments": list{
			m{"classId": class, "divisionId": division, "isClassTeacher": true}}}).OK()
		pupil := func(name string, guardians ...any) string {
			return w.Make("student/create", m{"firstName": name, "classId": class, "divisionId": division, "guardians": guardians})
		}
		mia := pupil("Mia", m{"name": "Pat", "phone": parent.Phone})
		noa := pupil("Noa", m{"name": "Quinn", "phone": "+15550177002"})
		w.Admin("POST", "/school-admin/attendance/mark", m{"classId": class, "divisionId": division, "date": day, "records": list{
			m{"studentId": mia, "status": "LATE", "minutesLate": 11}, m{"studentId": noa, "status": "ABSENT"}}}).OK()
		head := w.Make("fee/head/create", m{"name": "Books"})
		for _, s := range []string{mia, noa} {
			w.Make("fee/charge/create", m{"studentId": s, "feeHeadId": head, "amount": 30, "dueDate": day.AddDays(3)})
			w.Make("fee/charge/create", m{"studentId": s, "feeHeadId": head, "amount": 40, "dueDate": day.AddDays(300)})
		}
		w.Make("announcement/create", m{"title": "Sports day", "body": "Bring shoes.", "audience": "DIVISION", "divisionIds": list{division}})
		w.Make("announcement/create", m{"title": "Staff only", "body": "Tea.", "audience": "TEACHERS"})
		w.Make("event/create", m{"title": "Concert", "eventDate": day.AddDays(2), "startTime": "10:00", "endTime": "11:00", "venue": "Hall",
			"targetAudience": "CLASS", "classIds": list{class}})
		w.Make("holiday/create", m{"name": "Spring", "date": day.AddDays(4)})
		w.Admin("POST", "/school-admin/message/send", m{"recipientId": parent.ID, "body": "Hello Pat", "studentId": mia}).OK()
		w.As(parent, "POST", "/parent/leave/apply", m{"studentId": mia, "type": "SICK", "fromDate": day, "half": "SECOND"}).OK()
		driver := w.Make("employee/create", m{"firstName": "Dan", "roleId": w.Role("DRIVER"), "phone": w.North.Driver.Phone})
		route := w.Make("transport/route/create", m{"name": "Hills", "stops": list{m{"name": "Mill", "lat": 40.71, "lng": -74.0,
			"pickupTime": "07:14", "dropoffTime": "15:43"}}})
		stop := w.Admin("GET", "/school-admin/transport/route/"+route, nil).OK().Objects("stops")[0].Text("id")
		bus := w.Make("transport/bus/create", m{"registrationNo": "B-1", "driverId": driver, "routeId": route})
		w.Admin("PUT", "/school-admin/transport/route/"+route+"/students", m{"students": list{m{"studentId": mia, "stopId": stop}}}).OK()
		w.Make("transport/trip/schedule", m{"busId": bus, "type": "dropoff", "date": day, "startTime": "15:10"})

		home := w.As(parent, "GET", "/parent/home", nil).OK()
		children := home.Objects("children")
		apptest.Eq(t, "children", len(children), 1)
		c := children[0]
		apptest.Eq(t, "child", fmt.Sprint(c.Text("firstName"), c.Text("className"), c.Text("divisionName"), c.Text("teacherName"),
			c.Text("teacherUserId")), "MiaOneAAnn Lee"+w.North.Teacher.ID.String())
		mark := c.Objects("marks")[0]
		apptest.Eq(t, "mark", fmt.Sprint(mark.Text("date"), mark.Text("status"), mark["minutesLate"]), fmt.Sprint(day, "LATE", 11))
		apptest.Eq(t, "leave", fmt.Sprint(c.Object("leaveToday").Text("half"), c.Object("leaveToday")["mine"]), "SECONDtrue")
		ride := c.Objects("rides")[0]
		apptest.Eq(t, "ride", fmt.Sprint(ride.Text("stopName"), ride.Text("stopTime"), ride.Text("status"), ride.Text("boarding")),
			"Mill15:43scheduledwaiting")
		said := fmt.Sprint(home)
		for _, want := range []string{"Hello Pat", "Sports day", "Concert", "Spring"} {
			if !strings.Contains(said, want) {
				t.Errorf("the day has no %q", want)
			}
		}
		apptest.Eq(t, "fees", len(home.Objects("fees")), 1)
		apptest.Eq(t, "days of the week", len(home.Objects("week")), 7)
		for _, other := range []string{"Staff only", "Noa", noa, "Quinn"} {
			if strings.Contains(said, other) {
				t.Errorf("the day has %q, which is not for this parent", other)
			}
		}

		w.Make("student/create", m{"firstName": "Kim", "classId": w.Make("class/create", m{"name": "Two"}),
			"guardians": list{m{"name": "Pat", "phone": parent.Phone}}}) // keeps the account
		link := "/school-admin/student/" + mia + "/guardians/"
		guardian := w.Admin("GET", "/school-admin/student/"+mia, nil).OK().Objects("guardians")[0]
		w.Admin("DELETE", link+guardian.Text("id"), nil).OK()
		said = fmt.Sprint(w.As(parent, "GET", "/parent/home", nil).OK())
		for _, gone := range []string{"Mia", mia, "Hello Pat", "Sports day", "Concert", "Books"} {
			if strings.Contains(said, gone) {
				t.Errorf("without the link to the child, the day still has %q", gone)
			}
		}
	})
}
