package timetable_test

import (
	"fmt"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

// planner is North with a class of two divisions, a subject and two teachers, through the
// whole service. A has a lesson by hand.
type planner struct {
	*apptest.World
	class, a, b, maths string
}

func eachPlanner(t *testing.T, test func(t *testing.T, o *planner)) {
	t.Helper()
	apptest.Worlds(t, func(w *apptest.World) *planner {
		o := &planner{World: w, class: w.Make("class/create", m{"name": "Grade 1"})}
		o.a = w.Make("division/create", m{"classId": o.class, "name": "A"})
		o.b = w.Make("division/create", m{"classId": o.class, "name": "B"})
		o.maths = w.Make("subject/create", m{"name": "Maths", "classIds": []any{o.class}})
		w.Make("employee/create", m{"firstName": "Ann", "employeeCode": "T1", "phone": w.North.Teacher.Phone})
		o.put(o.a, m{"dayOfWeek": 1, "periodNo": 1, "startTime": "08:00", "endTime": "08:45", "subjectId": o.maths, "room": "7"})
		return o
	}, test)
}

// put replaces a week by one lesson.
func (o *planner) put(division string, lesson m) {
	o.Helper()
	o.Admin("PUT", path, m{"classId": o.class, "divisionId": division, "periods": []m{lesson}}).OK()
}

func (o *planner) imports(file string) string {
	o.Helper()
	const header = "class,division,day,period,start,end,subject,teacher\n"
	return o.Admin("POST", path+"/import", header+file, "Content-Type", "text/csv").OK().Text("id")
}

func (o *planner) undo(made string) apptest.Reply {
	o.Helper()
	return o.Admin("POST", path+"/import/"+made+"/undo", m{})
}

// refused wants the undo to be refused in these words.
func (o *planner) refused(made, says string) {
	o.Helper()
	r := o.undo(made)
	r.Want(409, "Conflict")
	r.Has(says)
}

// week lists the lessons of a division with their ids.
func (o *planner) week(division string) (out string) {
	o.Helper()
	for _, p := range o.Admin("GET", path+"?classId="+o.class+"&divisionId="+division, nil).OK().Objects("periods") {
		out += fmt.Sprint(p["id"], p["dayOfWeek"], p["periodNo"], p["startTime"], p["endTime"],
			p["subjectName"], p["teacherName"], p["room"], "\n")
	}
	return out
}

const weeks = "Grade 1,A,Monday,2,09:00,09:45,Maths,T1\nGrade 1,A,Tuesday,1,08:00,08:45,Maths,\nGrade 1,B,Monday,1,08:00,08:45,Maths,T1\n"

// TestUndoImportOfWeeks: the weeks are as they were, with the same lessons.
func TestUndoImportOfWeeks(t *testing.T) {
	eachPlanner(t, func(t *testing.T, o *planner) {
		before := o.week(o.a)
		made := o.imports(weeks)
		done := o.undo(made).OK()
		apptest.Eq(t, "undone", fmt.Sprint(done["status"], " ", done["created"]), "UNDONE 3")
		apptest.Eq(t, "week of A", o.week(o.a), before)
		apptest.Eq(t, "week of B", o.week(o.b), "")
		o.undo(made).Want(409, "Conflict")
		o.Audited("timetable.import-undo", 1)
		list := o.Admin("GET", path+"/import/list", nil).OK().Items()
		apptest.Eq(t, "listed", fmt.Sprint(len(list), list[0]["id"], list[0]["status"]), fmt.Sprint(1, made, "UNDONE"))

		made = o.imports(weeks)
		at := path + "/import/" + made + "/undo"
		for _, who := range []*apptest.Account{o.North.Teacher, o.North.Parent, o.North.Driver} {
			o.As(who, "POST", at, m{}).Want(403, "PERMISSION_DENIED")
		}
		o.As(o.South.Admin, "POST", at, m{}).Want(404, "Not Found")
		o.Admin("PUT", "/school-admin/division/"+o.b, m{"name": "B2"}).OK() // the timetable has not changed
		got := apptest.AtOnce(4, func(int) apptest.Reply { return o.Call(t, o.North.Admin, "POST", at, m{}) })
		apptest.Eq(t, "at once", fmt.Sprint(got), "map[200:1 409:3]")
		apptest.Eq(t, "week of A", o.week(o.a), before)
	})
}

// TestImportOfWeeksIsHeld: a changed lesson, an override, and what no longer fits the earlier week prevent the undo.
func TestImportOfWeeksIsHeld(t *testing.T) {
	eachPlanner(t, func(t *testing.T, o *planner) {
		made := o.imports(weeks)
		o.put(o.b, m{"dayOfWeek": 1, "periodNo": 1, "startTime": "08:00", "endTime": "08:50", "subjectId": o.maths})
		o.refused(made, "This import can't be undone because of 1 changed record.")

		made = o.imports(weeks)
		o.Admin("POST", path+"/override", m{"date": o.nextMonday(), "classId": o.class, "divisionId": o.b, "periodNo": 1, "cancelled": true}).OK()
		o.refused(made, "because of 1 timetable override.")
		o.Pass(time.Second)
		made = o.imports(weeks) // the override is older than this import
		o.undo(made).OK()

		o.put(o.a, m{"dayOfWeek": 3, "periodNo": 1, "startTime": "08:00", "endTime": "08:45", "subjectId": o.maths, "room": "7"})
		made = o.imports(weeks)
		o.Make("division/create", m{"classId": o.class, "name": "C"})
		clash := o.imports("Grade 1,C,Wednesday,1,08:00,08:45,Maths,\n")
		c := o.One(`SELECT id FROM divisions WHERE school_id = :school AND name = 'C'`, db.Args{})
		o.put(c, m{"dayOfWeek": 3, "periodNo": 1, "startTime": "08:00", "endTime": "08:45", "subjectId": o.maths, "room": "7"})
		o.refused(made, "Room 7 would be booked twice")
		o.undo(clash).Want(409, "Conflict")
		art := o.Make("subject/create", m{"name": "Art", "classIds": []any{o.class}})
		o.put(o.a, m{"dayOfWeek": 4, "periodNo": 1, "startTime": "08:00", "endTime": "08:45", "subjectId": art})
		before := o.week(o.a)
		made = o.imports("Grade 1,A,Monday,2,09:00,09:45,Maths,\n")
		o.Admin("PUT", "/school-admin/subject/"+art, m{"classIds": []any{}}).OK()
		o.refused(made, "because of 1 earlier lesson whose subject or teacher is gone.")
		o.Admin("PUT", "/school-admin/subject/"+art, m{"classIds": []any{o.class}}).OK()
		o.undo(made).OK()
		apptest.Eq(t, "week of A", o.week(o.a), before)
	})
}

func (o *planner) nextMonday() string {
	for day := 1; ; day++ {
		if d := o.Now().AddDate(0, 0, day); d.Weekday() == 1 {
			return d.Format("2006-01-02")
		}
	}
}

// TestUndoImportRacesAChange: the change is never lost.
func TestUndoImportRacesAChange(t *testing.T) {
	eachPlanner(t, func(t *testing.T, o *planner) {
		for round := range 4 {
			made := o.imports(weeks)
			lesson := m{"dayOfWeek": 5, "periodNo": 1, "startTime": "08:00", "endTime": "08:45", "subjectId": o.maths, "room": fmt.Sprint(round)}
			got := apptest.AtOnce(2, func(i int) apptest.Reply {
				if i == 0 {
					return o.Call(t, o.North.Admin, "POST", path+"/import/"+made+"/undo", m{})
				}
				return o.Call(t, o.North.Admin, "PUT", path, m{"classId": o.class, "divisionId": o.b, "periods": []m{lesson}})
			})
			rooms := o.One(`SELECT room FROM timetable_periods WHERE school_id = :school AND division_id = :b`, db.Args{"b": o.b})
			if got[200] < 1 || got[200]+got[409] != 2 || rooms != fmt.Sprint(round) {
				t.Errorf("undo and change at once: %v, room %s in round %d", got, rooms, round)
			}
		}
	})
}
