package people_test

import (
	"slices"
	"testing"

	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// nextYear adds an academic year after the current one.
func nextYear(w *peopletest.World, s peopletest.School) id.ID {
	w.Helper()
	y, err := w.Schools.CreateYear(w.Context(), actor.Actor{School: s.ID}, school.NewYear{Name: "2027/28",
		StartDate: clock.Date("2027-06-01"), EndDate: clock.Date("2028-05-31")})
	if err != nil {
		w.Fatal(err)
	}
	return y.ID
}

// addDivision gives a class another division.
func addDivision(w *peopletest.World, s peopletest.School, class id.ID, name string) id.ID {
	w.Helper()
	division := id.New()
	w.Exec(s, `INSERT INTO divisions (school_id, id, class_id, name, created_at, updated_at)
		VALUES (:school, :id, :class, :name, '2026-06-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z')`,
		db.Args{"id": division, "class": class, "name": name})
	return division
}

func TestPromote(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		from, a := seat(w, w.North, "Grade 1")
		b := addDivision(w, w.North, from, "B")
		other, _ := seat(w, w.North, "Grade 9")
		later := w.North
		later.Year = nextYear(w, w.North)
		to, toA := seat(w, later, "Grade 2")
		again, againA := seat(w, later, "Grade 1")
		far, _ := seat(w, w.South, "Grade 1")

		sit := func(name string, class, division id.ID) string {
			return create(w, w.North, m{"firstName": name, "classId": class, "divisionId": division, "rollNo": 5})
		}
		ana, ben, cem, dot := sit("Ana", from, a), sit("Ben", from, b), sit("Cem", from, a), sit("Dot", from, a)
		w.Call(w.North.Admin, "PUT", students+dot, m{"status": "LEFT"}).Is(200)
		stranger := create(w, w.North, m{"firstName": "Eve", "classId": other})
		foreign := create(w, w.South, m{"firstName": "Foreign", "classId": far})
		promote := func(in m) peopletest.Answer { return w.Call(w.North.Admin, "POST", students+"promote", in) }
		result := func(in m) [3]any {
			d := promote(in).Is(200).Data
			return [3]any{d["promoted"], d["detained"], d["unchanged"]}
		}
		whole := func(except ...string) m { return m{"fromClassId": from, "toClassId": to, "except": except} }

		for _, tt := range []struct {
			name   string
			in     m
			status int
			want   string
		}{
			{"nothing", m{}, 422, "Unprocessable Entity"},
			{"class unknown", m{"fromClassId": peopletest.Nobody, "toClassId": to}, 404, "Not Found"},
			{"class of another school", m{"fromClassId": from, "toClassId": far}, 404, "Not Found"},
			{"detained to another school", m{"fromClassId": from, "toClassId": to, "detainedClassId": far}, 404, "Not Found"},
			{"year of another school", m{"fromClassId": from, "toClassId": to, "academicYearId": w.South.Year}, 404, "Not Found"},
			{"another year", m{"fromClassId": from, "toClassId": to, "academicYearId": w.North.Year}, 422, "Unprocessable Entity"},
			{"the same year", m{"fromClassId": from, "toClassId": other}, 422, "Unprocessable Entity"},
			{"back", m{"fromClassId": to, "toClassId": from}, 422, "Unprocessable Entity"},
			{"detained this year", m{"fromClassId": from, "toClassId": to, "detainedClassId": from}, 422, "Unprocessable Entity"},
			{"student unknown", m{"fromClassId": from, "toClassId": to, "studentIds": []id.ID{peopletest.Nobody}}, 404, "STUDENT_NOT_FOUND"},
			{"student of another school", whole(foreign), 404, "STUDENT_NOT_FOUND"},
			{"student of another class", whole(stranger), 422, "Unprocessable Entity"},
			{"student who has left", m{"fromClassId": from, "toClassId": to, "studentIds": []string{dot}}, 422, "Unprocessable Entity"},
		} {
			a := promote(tt.in)
			if a.Status != tt.status || a.Error != tt.want {
				t.Errorf("%s: %d %s, want %d %s: %s", tt.name, a.Status, a.Error, tt.status, tt.want, a.Text)
			}
		}
		w.Exec(w.North, `UPDATE divisions SET capacity = 0 WHERE school_id = :school AND id = :id`, db.Args{"id": toA})
		promote(whole()).Is(409, "Conflict")
		w.Exec(w.North, `UPDATE divisions SET capacity = 2 WHERE school_id = :school AND id = :id`, db.Args{"id": toA})
		if n := number(w, w.North, `SELECT count(*) FROM enrolments WHERE school_id = :school
			AND academic_year_id = :y`, db.Args{"y": later.Year}); n != 0 {
			t.Errorf("%d enrolled by what was refused", n)
		}

		if got := result(whole(cem)); got != [3]any{2.0, 1.0, 0.0} {
			t.Errorf("promoted, detained, unchanged: %v", got)
		}
		seatOf := func(st string) [3]any {
			d := w.Call(w.North.Admin, "GET", students+st, nil).Is(200).Data
			return [3]any{d["classId"], d["divisionId"], d["rollNo"]}
		}
		for st, want := range map[string][3]any{
			ana: {string(to), string(toA), nil}, ben: {string(to), nil, nil}, // Grade 2 has no B
			cem: {string(from), string(a), 5.0}, dot: {string(from), string(a), 5.0}, stranger: {string(other), nil, nil},
		} {
			if got := seatOf(st); got != want {
				t.Errorf("%s sits in %v, want %v", st, got, want)
			}
		}
		history := func(st string, want ...string) {
			t.Helper()
			p := w.Call(w.North.Admin, "GET", students+st+"/profile", nil)
			var got []string
			for i, class := range p.All("enrolments", "className") {
				got = append(got, class+" "+p.All("enrolments", "outcome")[i])
			}
			if !slices.Equal(got, want) {
				t.Errorf("years %v, want %v", got, want)
			}
		}
		history(ana, "Grade 2 ENROLLED", "Grade 1 PROMOTED")
		history(cem, "Grade 1 DETAINED")
		history(dot, "Grade 1 LEFT")

		if got := result(whole(cem)); got != [3]any{0.0, 1.0, 2.0} {
			t.Errorf("again: %v", got)
		}
		history(ana, "Grade 2 ENROLLED", "Grade 1 PROMOTED")
		stay := whole(cem)
		stay["detainedClassId"] = again
		if got := result(stay); got != [3]any{0.0, 1.0, 2.0} {
			t.Errorf("detained with a class: %v", got)
		}
		history(cem, "Grade 1 ENROLLED", "Grade 1 DETAINED")
		if got := seatOf(cem); got != [3]any{string(again), string(againA), nil} {
			t.Errorf("detained in %v", got)
		}
		if got := result(m{"fromClassId": from, "toClassId": to, "studentIds": []string{ana, cem}}); got != [3]any{0.0, 0.0, 2.0} {
			t.Errorf("those who are done: %v", got)
		}
		list := w.Call(w.North.Admin, "GET", students+"list?academicYearId="+string(w.North.Year)+"&classId="+string(from), nil)
		if got := list.All("items", "firstName"); !slices.Equal(got, []string{"Ana", "Ben", "Cem", "Dot"}) {
			t.Errorf("the class as it was: %v", got)
		}
		list = w.Call(w.North.Admin, "GET", students+"list?classId="+string(to), nil)
		if got := list.All("items", "firstName"); !slices.Equal(got, []string{"Ana", "Ben"}) || list.Data["total"] != 2.0 {
			t.Errorf("the class now: %s", list.Text)
		}
	})
}
