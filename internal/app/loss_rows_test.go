package app_test

import (
	"slices"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
)

// loss is a way to lose a right: a row of the matrix. Each role loses what depends
// on the things in takes, and keeps everything else.
type loss struct {
	name  string
	takes map[actor.Role][]thing
	stays map[string]string // kinds of ways that are kept nevertheless, with the reason
	route bool              // the student must be on the route only, not on the running trip
	do    func(w *lossWorld)
}

var (
	everything = []thing{child, trip, bus, class, pupil, past, own}
	ofChild    = []thing{child, trip, bus}
	reachers   = []actor.Role{actor.Parent, actor.Teacher, actor.Driver, actor.SchoolAdmin}
	staff      = []actor.Role{actor.Teacher, actor.Driver, actor.SchoolAdmin}
)

func all(roles []actor.Role) map[actor.Role][]thing {
	out := map[actor.Role][]thing{}
	for _, r := range roles {
		out[r] = everything
	}
	return out
}

// ownFeed is why a calendar feed and a key outlive a session.
var ownFeed = map[string]string{
	"calendar feed": "its link has no session; it ends when the link is revoked, or with the role, the account or the school",
	"OneRoster key": "it has no session; it ends when it is deleted, or with the role, the account or the school"}

// newRole is why a calendar feed outlives a change of the role record.
var newRole = map[string]string{"calendar feed": ownFeed["calendar feed"]}

// losses are the rows, except permissions (TestLossOfPermission).
var losses = []loss{
	{name: "guardian link removed", takes: map[actor.Role][]thing{actor.Parent: ofChild}, do: func(w *lossWorld) {
		w.admin("DELETE", "student/"+w.f["student"].String()+"/guardians/"+w.f["guardian"].String(), nil)
	}},
	{name: "canViewData false", takes: map[actor.Role][]thing{actor.Parent: ofChild}, do: func(w *lossWorld) {
		w.admin("POST", "student/"+w.f["student"].String()+"/guardians", m{"name": "Parent", "phone": w.at.Parent.Phone, "canViewData": false})
	}},
	{name: "student off the route", route: true, takes: map[actor.Role][]thing{actor.Parent: {bus}}, do: func(w *lossWorld) {
		w.admin("PUT", "transport/route/"+w.f["route"].String()+"/students", m{"students": list{}})
	}},
	{name: "bus off the route", route: true, takes: map[actor.Role][]thing{actor.Parent: {bus}}, do: func(w *lossWorld) {
		w.admin("PUT", "transport/bus/"+w.f["bus"].String(), m{"routeId": nil})
	}},
	{name: "student archived", takes: map[actor.Role][]thing{actor.Parent: ofChild, actor.Teacher: {pupil, past}}, do: func(w *lossWorld) {
		w.admin("DELETE", "student/"+w.f["student"].String(), nil)
	}},
	{name: "student erased", takes: map[actor.Role][]thing{actor.Parent: ofChild, actor.Teacher: {pupil, past}}, do: func(w *lossWorld) {
		w.erase("student")
	}},
	{name: "account without a child: disabled", takes: all([]actor.Role{actor.Parent}), do: func(w *lossWorld) {
		for _, of := range []string{"student", "otherChild"} {
			w.admin("DELETE", "student/"+w.f[of].String()+"/guardians/"+w.f["guardian"].String(), nil)
		}
	}},
	{name: "account erased with its children", takes: all([]actor.Role{actor.Parent}), do: func(w *lossWorld) {
		for _, of := range []string{"student", "otherChild"} {
			w.erase(of)
		}
	}},
	{name: "resigned: account disabled", takes: all(staff), do: func(w *lossWorld) {
		w.changeStaff(m{"status": "RESIGNED"})
	}},
	{name: "employee deleted", takes: all(staff), do: func(w *lossWorld) {
		for _, of := range []string{"employee", "driver", "ida"} {
			w.admin("DELETE", "employee/"+w.f[of].String(), nil)
		}
	}},
	{name: "role record changed", takes: all(staff), stays: newRole, do: func(w *lossWorld) {
		w.admin("PUT", "employee/"+w.f["ida"].String(), m{"roleId": w.role(actor.SchoolAdmin, "setting")})
		w.admin("PUT", "employee/"+w.f["employee"].String(), m{"roleId": w.role(actor.Teacher, "timetable")})
		w.admin("PUT", "employee/"+w.f["driver"].String(), m{"roleId": w.role(actor.Driver)})
	}},
	{name: "sign-in phone changed", takes: all(staff), stays: ownFeed, do: func(w *lossWorld) {
		w.admin("PUT", "employee/"+w.f["employee"].String(), m{"phone": w.phones + "0011"})
		w.admin("PUT", "employee/"+w.f["driver"].String(), m{"phone": w.phones + "0012"})
		w.admin("PUT", "employee/"+w.f["ida"].String(), m{"phone": w.phones + "0013"})
	}},
	{name: "assignment removed", takes: map[actor.Role][]thing{actor.Teacher: {class, pupil, past}}, do: func(w *lossWorld) {
		w.admin("POST", "employee/"+w.f["employee"].String()+"/assignments", m{"assignments": list{}})
	}},
	{name: "student in another class", takes: map[actor.Role][]thing{actor.Teacher: {pupil}}, do: func(w *lossWorld) {
		w.admin("PUT", "student/"+w.f["student"].String(), m{"classId": w.f["spareClass"], "divisionId": w.f["spareDivision"]})
	}},
	{name: "student in no class", takes: map[actor.Role][]thing{actor.Teacher: {pupil}}, do: func(w *lossWorld) {
		w.admin("PUT", "student/"+w.f["student"].String(), m{"classId": nil})
	}},
	{name: "driver off the bus", takes: map[actor.Role][]thing{actor.Driver: {bus}}, do: func(w *lossWorld) {
		w.admin("PUT", "transport/bus/"+w.f["bus"].String(), m{"driverId": w.f["eve"]})
		w.admin("POST", "transport/trip/cancel", m{"busId": w.f["bus"], "fromDate": schoolDay})
	}},
	{name: "trips handed to another driver", takes: map[actor.Role][]thing{actor.Driver: {bus}}, do: func(w *lossWorld) {
		w.admin("PUT", "transport/bus/"+w.f["bus"].String(), m{"driverId": w.f["eve"]})
	}},
	{name: "school suspended", takes: all(reachers), do: func(w *lossWorld) {
		w.s.Call(w.T, w.s.Super, "POST", "/super-admin/school/"+w.at.ID.String()+"/suspend", m{}).OK()
		w.mute = true
	}},
	{name: "logout", takes: all(reachers), stays: ownFeed, do: func(w *lossWorld) {
		for _, role := range reachers {
			w.s.Call(w.T, w.losing(role), "POST", "/auth/logout", m{})
		}
	}},
	{name: "session ended", takes: all(reachers), stays: ownFeed, do: func(w *lossWorld) {
		w.fromElsewhere(func(lost string, other *apptest.Account) {
			w.s.Call(w.T, other, "DELETE", "/auth/sessions/"+lost, nil).OK()
		})
	}},
	{name: "all sessions ended", takes: all(reachers), stays: ownFeed, do: func(w *lossWorld) {
		w.fromElsewhere(func(_ string, other *apptest.Account) {
			if r := w.s.Call(w.T, other, "DELETE", "/auth/sessions", nil); r.Status >= 300 {
				w.Errorf("DELETE /auth/sessions: %d %s", r.Status, r.Body)
			}
		})
	}},
}

func (w *lossWorld) erase(student string) {
	w.Helper()
	number := w.admin("GET", "student/"+w.f[student].String(), nil).Text("admissionNo")
	w.admin("POST", "student/"+w.f[student].String()+"/erase", m{"confirm": number})
}

func (w *lossWorld) changeStaff(to m) {
	w.Helper()
	for _, of := range []string{"employee", "driver", "ida"} {
		w.admin("PUT", "employee/"+w.f[of].String(), to)
	}
}

// fromElsewhere ends the session that the test uses, from another session of the
// same account, for each role.
func (w *lossWorld) fromElsewhere(end func(lost string, other *apptest.Account)) {
	w.Helper()
	for _, role := range reachers {
		other := *w.losing(role)
		w.s.SignIn(w.T, &other)
		end(w.s.Call(w.T, w.losing(role), "GET", "/auth/me", nil).OK().Text("sessionId"), &other)
	}
}

// split separates the ways that a loss ends from those that it keeps. Ways of
// roles that lose nothing are in neither.
func (l loss) split(all []way) (gone, kept []way) {
	for _, c := range all {
		things, loses := l.takes[c.role]
		switch {
		case !loses, l.route && c.on == trip:
		case slices.Contains(things, c.on) && l.stays[c.kind] == "":
			gone = append(gone, c)
		default:
			kept = append(kept, c)
		}
	}
	return gone, kept
}
