package timetable_test

import (
	"fmt"
	"testing"

	"homeroom/internal/apptest"
)

// TestImport replaces the weeks of two divisions by a file.
func TestImport(t *testing.T) {
	apptest.Worlds(t, func(w *apptest.World) *apptest.World { return w }, func(t *testing.T, w *apptest.World) {
		class := w.Make("class/create", m{"name": "Grade 1"})
		for _, name := range []string{"A", "B", "C"} {
			w.Make("division/create", m{"classId": class, "name": name})
		}
		w.Make("subject/create", m{"name": "Maths", "code": "MA", "classIds": []any{class}})
		w.Make("employee/create", m{"firstName": "Ann", "employeeCode": "T1", "phone": w.North.Teacher.Phone})
		send := func(query, file string) apptest.Reply {
			t.Helper()
			return w.Admin("POST", path+"/import"+query, "class,division,day,period,start,end,subject,teacher,room\n"+file,
				"Content-Type", "text/csv")
		}
		lessons := func() int { return w.Count(`timetable_periods WHERE school_id = :school`, nil) }
		faults := func(r apptest.Reply) (out []string) {
			for _, e := range r.OK().Objects("errors") {
				out = append(out, fmt.Sprint(e["row"], " ", e["field"]))
			}
			return out
		}
		bad := "Grade 1,A,Someday,1,08:30,09:15,Maths,T1,\n" +
			"Grade 1,Z,Monday,0,09:00,8:30,Maths,T9,\n" +
			"Grade 1,A,Monday,1,08:30,09:15,Art,,\n" +
			"Grade 1,A,Monday,1,08:30,09:15,MA,T1,\n" +
			"Grade 1,B,lunes,2,9:00,10:00,maths,T1,\n"
		apptest.Eq(t, "faults", faults(send("", bad)), []string{"2 day", "3 period", "3 end", "3 division", "3 teacher", "4 subject",
			"5 period", "6 teacher"})
		apptest.Eq(t, "lessons after a bad file", lessons(), 0)

		good := "grade 1,a,Mon,1,8:30,09:15,Maths,T1,101\ngrade 1,a,2,1,08:30,09:15,MA,t1,\ngrade 1,B,Monday,2,09:15,10:00,Maths,T1,\n"
		apptest.Eq(t, "dry run", send("?dryRun=true", good).OK()["created"], any(3.0))
		apptest.Eq(t, "lessons after a dry run", lessons(), 0)
		apptest.Eq(t, "created", send("", good).OK()["created"], any(3.0))
		apptest.Eq(t, "lessons", lessons(), 3)
		apptest.Eq(t, "created again", send("", good).OK()["created"], any(3.0)) // replaced
		apptest.Eq(t, "lessons after the same file", lessons(), 3)
		send("", "Grade 1,C,Monday,1,09:00,09:30,Maths,T1,\n").Want(409, "Conflict") // Ann teaches in A
		apptest.Eq(t, "lessons after a clash", lessons(), 3)
		w.Audited("timetable.import", 2)
		w.As(w.North.Teacher, "POST", path+"/import", good, "Content-Type", "text/csv").Want(403, "PERMISSION_DENIED")
		theirs := w.As(w.South.Admin, "POST", path+"/import", "class,division,day,period,start,end,subject\nGrade 1,A,1,1,8:30,9:15,Maths\n",
			"Content-Type", "text/csv")
		apptest.Eq(t, "faults for another school", faults(theirs), []string{"2 division"})
		w.Admin("GET", path+"/import/template", nil).Has("class,division,day")
	})
}
