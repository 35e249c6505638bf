package people_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/feature/people"
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
	return addYear(w, s, "2027/28", "2027-06-01", "2028-05-31")
}

func addYear(w *peopletest.World, s peopletest.School, name, start, end string) id.ID {
	w.Helper()
	y, err := w.Schools.CreateYear(w.Context(), actor.Actor{School: s.ID}, school.NewYear{Name: name,
		StartDate: clock.Date(start), EndDate: clock.Date(end)})
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

		sit := func(name string, class, division id.ID, roll int) string {
			return create(w, w.North, m{"firstName": name, "classId": class, "divisionId": division, "rollNo": roll})
		}
		ana, ben, cem, dot := sit("Ana", from, a, 5), sit("Ben", from, b, 5), sit("Cem", from, a, 6), sit("Dot", from, a, 7)
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
		if n := w.Count(`enrolments WHERE school_id = :school
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
		sits := func(when string, seats map[string][3]any) {
			t.Helper()
			for st, want := range seats {
				if got := seatOf(st); got != want {
					t.Errorf("%s: %s sits in %v, want %v", when, st, got, want)
				}
			}
		}
		now := map[string][3]any{ana: {string(from), string(a), 5.0}, ben: {string(from), string(b), 5.0},
			cem: {string(from), string(a), 6.0}, dot: {string(from), string(a), 7.0}, stranger: {string(other), nil, nil}}
		sits("before the year ends", now)
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

		if got := result(whole(cem)); got != [3]any{0.0, 0.0, 3.0} {
			t.Errorf("again: %v", got)
		}
		if got := result(whole()); got != [3]any{0.0, 0.0, 3.0} {
			t.Errorf("again, without an exception: %v", got)
		}
		history(cem, "Grade 1 DETAINED")
		history(ana, "Grade 2 ENROLLED", "Grade 1 PROMOTED")
		stay := whole(cem)
		stay["detainedClassId"] = again
		if got := result(stay); got != [3]any{0.0, 1.0, 2.0} {
			t.Errorf("detained with a class: %v", got)
		}
		history(cem, "Grade 1 ENROLLED", "Grade 1 DETAINED")
		sits("after a class was given to the detained", now)
		if got := result(m{"fromClassId": from, "toClassId": to, "studentIds": []string{ana, cem}}); got != [3]any{0.0, 0.0, 2.0} {
			t.Errorf("those who are done: %v", got)
		}
		list := w.Call(w.North.Admin, "GET", students+"list?academicYearId="+string(w.North.Year)+"&classId="+string(from), nil)
		if got := list.All("items", "firstName"); !slices.Equal(got, []string{"Ana", "Ben", "Cem", "Dot"}) {
			t.Errorf("the class as it was: %v", got)
		}
		list = w.Call(w.North.Admin, "GET", students+"list?classId="+string(from), nil)
		if got := list.All("items", "firstName"); !slices.Equal(got, []string{"Ana", "Ben", "Cem", "Dot"}) {
			t.Errorf("the class before the year ends: %v", got)
		}
		next := w.Call(w.North.Admin, "GET", students+"list?academicYearId="+string(later.Year), nil)
		if got := next.All("items", "classId"); !slices.Equal(got, []string{string(to), string(to), string(again)}) {
			t.Errorf("classes of next year: %v", got)
		}

		activate(w, w.North, later.Year)
		sits("in the new year", map[string][3]any{ana: {string(to), string(toA), nil}, ben: {string(to), nil, nil}, // Grade 2 has no B
			cem: {string(again), string(againA), nil}, dot: {nil, nil, nil}, stranger: {nil, nil, nil}})
		list = w.Call(w.North.Admin, "GET", students+"list?classId="+string(to), nil)
		if got := list.All("items", "firstName"); !slices.Equal(got, []string{"Ana", "Ben"}) || list.Data["total"] != 2.0 {
			t.Errorf("the class now: %s", list.Text)
		}
	})
}

// activate makes a year the current one.
func activate(w *peopletest.World, s peopletest.School, year id.ID) {
	w.Helper()
	if _, err := w.Schools.ActivateYear(w.Context(), actor.Actor{School: s.ID}, year); err != nil {
		w.Fatal(err)
	}
}

func TestPromotionPreviewAndUndo(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		from, a := seat(w, w.North, "Grade 1")
		later := w.North
		later.Year = nextYear(w, w.North)
		to, toA := seat(w, later, "Grade 2")
		ana := create(w, w.North, m{"firstName": "Ana", "classId": from, "divisionId": a, "rollNo": 1})
		ben := create(w, w.North, m{"firstName": "Ben", "classId": from, "divisionId": a, "rollNo": 2})
		in := m{"fromClassId": from, "toClassId": to, "except": []string{ben}, "keepRollNumbers": true}
		enrolments := func() int {
			return w.Count(`enrolments WHERE school_id = :school AND academic_year_id = :y`,
				db.Args{"y": later.Year})
		}
		p := w.Call(w.North.Admin, "POST", students+"promote/preview", in).Is(200)
		want := []any{
			m{"studentId": ana, "firstName": "Ana", "lastName": nil, "outcome": "PROMOTED", "classId": string(to), "divisionId": string(toA),
				"rollNo": 1.0},
			m{"studentId": ben, "firstName": "Ben", "lastName": nil, "outcome": "DETAINED", "classId": nil, "divisionId": nil, "rollNo": nil}}
		if d := cmp.Diff(want, p.Data["students"]); d != "" || p.Data["promoted"] != 1.0 || p.Data["detained"] != 1.0 {
			t.Errorf("preview: %s (-want +got):\n%s", p.Text, d)
		}
		if n := enrolments(); n != 0 {
			t.Errorf("the preview enrolled %d", n)
		}
		undo := func() peopletest.Answer {
			return w.Call(w.North.Admin, "POST", students+"promote/undo", m{"fromClassId": from})
		}
		if got := undo().Is(200).Data["undone"]; got != 0.0 {
			t.Errorf("undone before a promotion: %v", got)
		}
		w.Call(w.North.Admin, "POST", students+"promote", in).Is(200)
		if n := enrolments(); n != 1 {
			t.Errorf("%d enrolled in the later year, want 1", n)
		}
		charges := 3
		w.People.YearRecords = []people.YearRecords{{One: "charge", Many: "charges",
			Count: func(_ context.Context, _ db.Q, y school.Year, of []id.ID) (int, error) {
				if y.ID != later.Year || len(of) != 2 {
					t.Errorf("records of %d students in %s were counted", len(of), y.Name)
				}
				return charges, nil
			}}}
		if a := undo().Is(409, "Conflict"); !strings.Contains(a.Text, "in 2027/28 these students have 3 charges") {
			t.Errorf("undo with charges: %s", a.Text)
		}
		charges = 0
		if got := undo().Is(200).Data["undone"]; got != 2.0 {
			t.Errorf("undone: %v, want 2", got)
		}
		open := w.Count(`enrolments WHERE school_id = :school AND outcome = 'ENROLLED'`, nil)
		if n := enrolments(); n != 0 || open != 2 {
			t.Errorf("after the undo: %d enrolled in the later year, %d open in this one", n, open)
		}
	})
}

func TestGraduate(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		last, a := seat(w, w.North, "Grade 12")
		year := nextYear(w, w.North)
		ana := create(w, w.North, m{"firstName": "Ana", "classId": last, "divisionId": a})
		ben := create(w, w.North, m{"firstName": "Ben", "classId": last, "divisionId": a})
		w.Call(w.North.Admin, "POST", students+"promote", m{"fromClassId": last}).Is(422, "Unprocessable Entity")
		d := w.Call(w.North.Admin, "POST", students+"promote",
			m{"fromClassId": last, "outcome": "GRADUATED", "except": []string{ben}}).Is(200).Data
		if d["graduated"] != 1.0 || d["detained"] != 1.0 || d["promoted"] != 0.0 {
			t.Errorf("graduation: %v", d)
		}
		is := func(when, student, status string, class, left any) {
			t.Helper()
			d := w.Call(w.North.Admin, "GET", students+student, nil).Is(200).Data
			if d["status"] != status || d["classId"] != class || d["leavingDate"] != left {
				t.Errorf("%s: %v, class %v, left on %v; want %s, %v, %v", when, d["status"], d["classId"], d["leavingDate"], status, class, left)
			}
		}
		is("before the year ends", ana, "ACTIVE", string(last), nil)
		activate(w, w.North, year)
		is("in the new year", ana, "GRADUATED", nil, "2027-05-31")
		is("detained", ben, "ACTIVE", nil, nil)
		activate(w, w.North, w.North.Year)
		is("back in the old year", ana, "ACTIVE", string(last), nil)
		is("detained, back", ben, "ACTIVE", string(last), nil)
	})
}

// TestGraduateStays gives graduates a class of the later year: one before it begins, one who came back in it. They stay.
func TestGraduateStays(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		last, _ := seat(w, w.North, "Grade 12")
		later, far := w.North, w.North
		later.Year = nextYear(w, w.North)
		far.Year = addYear(w, w.North, "2028/29", "2028-06-01", "2029-05-31")
		eleven, _ := seat(w, later, "Grade 11")
		twelve, _ := seat(w, far, "Grade 12")
		ana := create(w, w.North, m{"firstName": "Ana", "classId": last})
		ben := create(w, w.North, m{"firstName": "Ben", "classId": last})
		w.Call(w.North.Admin, "POST", students+"promote", m{"fromClassId": last, "outcome": "GRADUATED"}).Is(200)
		is := func(when, student, status string, class id.ID) {
			t.Helper()
			d := w.Call(w.North.Admin, "GET", students+student, nil).Is(200).Data
			if d["status"] != status || d["classId"] != string(class) || d["leavingDate"] != nil {
				t.Errorf("%s: %v in %v, left on %v; want %s in %s", when, d["status"], d["classId"], d["leavingDate"], status, class)
			}
		}
		w.Call(w.North.Admin, "PUT", students+ben, m{"classId": eleven}).Is(200)
		activate(w, w.North, later.Year)
		is("given a class after all", ben, "ACTIVE", eleven)
		w.Call(w.North.Admin, "PUT", students+ana, m{"status": "ACTIVE", "classId": eleven, "leavingDate": nil}).Is(200)
		w.Call(w.North.Admin, "POST", students+"promote", m{"fromClassId": eleven, "toClassId": twelve}).Is(200)
		activate(w, w.North, far.Year)
		is("came back", ana, "ACTIVE", twelve)
		is("given a class after all, a year later", ben, "ACTIVE", twelve)
	})
}

// A student who is admitted for next year has no class until that year begins.
func TestAdmittedForNextYear(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		later := w.North
		later.Year = nextYear(w, w.North)
		class, a := seat(w, later, "Grade 1")
		now, _ := seat(w, w.North, "Nursery")
		ana := create(w, w.North, m{"firstName": "Ana", "classId": class, "divisionId": a, "rollNo": 4})
		ben := create(w, w.North, m{"firstName": "Ben", "classId": now})
		w.Exec(w.North, `UPDATE divisions SET capacity = 1 WHERE school_id = :school AND id = :id`, db.Args{"id": a})
		w.Call(w.North.Admin, "PUT", students+ben, m{"classId": class, "divisionId": a}).Is(409, "Conflict")
		w.Call(w.North.Admin, "PUT", students+ben, m{"classId": class, "firstName": "Benno"}).Is(200)
		classOf := func(student string) any {
			return w.Call(w.North.Admin, "GET", students+student, nil).Is(200).Data["classId"]
		}
		if classOf(ana) != nil || classOf(ben) != string(now) {
			t.Errorf("classes before the year begins: %v, %v", classOf(ana), classOf(ben))
		}
		activate(w, w.North, later.Year)
		if classOf(ana) != string(class) || classOf(ben) != string(class) {
			t.Errorf("classes in the new year: %v, %v", classOf(ana), classOf(ben))
		}
		w.Call(w.North.Admin, "PUT", students+ana, m{"status": "LEFT"}).Is(200)
		activate(w, w.North, w.North.Year)
		if classOf(ana) != nil || classOf(ben) != string(now) {
			t.Errorf("classes back in the old year: %v, %v", classOf(ana), classOf(ben))
		}
	})
}

// TestPlaceOfPromoted takes a student who is already promoted out of the class: the place is free, as the list of divisions says.
func TestPlaceOfPromoted(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		from, a := seat(w, w.North, "Grade 1")
		later := w.North
		later.Year = nextYear(w, w.North)
		to, _ := seat(w, later, "Grade 2")
		w.Exec(w.North, `UPDATE divisions SET capacity = 1 WHERE school_id = :school AND id = :id`, db.Args{"id": a})
		ana := create(w, w.North, m{"firstName": "Ana", "classId": from, "divisionId": a})
		w.Call(w.North.Admin, "POST", students+"promote", m{"fromClassId": from, "toClassId": to}).Is(200)
		ben := m{"firstName": "Ben", "classId": from, "divisionId": a}
		w.Call(w.North.Admin, "POST", students+"create", ben).Is(409)
		w.Call(w.North.Admin, "PUT", students+ana, m{"classId": nil}).Is(200)
		create(w, w.North, ben)
	})
}

// TestPromotedComesBack: a student who comes back has the place of next year again, but not what others have taken meanwhile.
func TestPromotedComesBack(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		from, a := seat(w, w.North, "Grade 1")
		later := w.North
		later.Year = nextYear(w, w.North)
		to, toA := seat(w, later, "Grade 2")
		again, _ := seat(w, later, "Grade 1")
		enrol := func(name string, roll int) string {
			return create(w, w.North, m{"firstName": name, "classId": from, "divisionId": a, "rollNo": roll})
		}
		ana, ben, cem := enrol("Ana", 1), enrol("Ben", 2), enrol("Cem", 3)
		w.Call(w.North.Admin, "POST", students+"promote", m{"fromClassId": from, "toClassId": to, "keepRollNumbers": true,
			"studentIds": []string{ana}, "except": []string{ben}, "detainedClassId": again}).Is(200)
		put := func(student string, in m) { w.Helper(); w.Call(w.North.Admin, "PUT", students+student, in).Is(200) }
		back := func(student string, meanwhile func()) string {
			w.Helper()
			put(student, m{"status": "LEFT"})
			meanwhile()
			put(student, m{"status": "ACTIVE"})
			p, out := w.Call(w.North.Admin, "GET", students+student+"/profile", nil), ""
			for i, outcome := range p.All("enrolments", "outcome") {
				out += fmt.Sprint(p.All("enrolments", "className")[i], " ", p.All("enrolments", "divisionName")[i], " ",
					p.All("enrolments", "rollNo")[i], " ", outcome, ", ")
			}
			return out
		}
		is := func(when, got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %s, want %s", when, got, want)
			}
		}
		is("at once", back(ana, func() {}), "Grade 2 A 1 ENROLLED, Grade 1 A 1 PROMOTED, ")
		is("detained", back(ben, func() {}), "Grade 1 A <nil> ENROLLED, Grade 1 A 2 DETAINED, ")
		is("roll number taken", back(ana, func() { put(cem, m{"classId": to, "divisionId": toA, "rollNo": 1}) }),
			"Grade 2 A <nil> ENROLLED, Grade 1 A 1 PROMOTED, ")
		is("division full", back(ana, func() {
			w.Exec(w.North, `UPDATE divisions SET capacity = 1 WHERE school_id = :school AND id = :id`, db.Args{"id": toA})
		}), "Grade 2 <nil> <nil> ENROLLED, Grade 1 A 1 PROMOTED, ")

		put(ana, m{"status": "LEFT"})
		activate(w, w.North, later.Year)
		if got := w.Call(w.North.Admin, "GET", students+ana, nil).Data["classId"]; got != nil {
			t.Errorf("who left before the year began is in class %v", got)
		}
		activate(w, w.North, w.North.Year)
		if got := w.Call(w.North.Admin, "GET", students+ana, nil).Data["classId"]; got != string(from) {
			t.Errorf("who left is in class %v in the old year, want %s", got, from)
		}
	})
}

// TestPlaceOfNextYear changes a part of the place in another year: the rest stays.
func TestPlaceOfNextYear(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		later := w.North
		later.Year = nextYear(w, w.North)
		one, a := seat(w, later, "Grade 1")
		two, b := seat(w, later, "Grade 2")
		oneB := addDivision(w, w.North, one, "B")
		ana := create(w, w.North, m{"firstName": "Ana", "admissionNo": "1", "classId": one, "divisionId": a, "rollNo": 4})
		is := func(when string, class id.ID, division any, roll string) {
			t.Helper()
			p := w.Call(w.North.Admin, "GET", students+ana+"/profile", nil)
			got := slices.Concat(p.All("enrolments", "classId"), p.All("enrolments", "divisionId"), p.All("enrolments", "rollNo"))
			if d := cmp.Diff([]string{string(class), fmt.Sprint(division), roll}, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", when, d)
			}
		}
		put := func(in m) { w.Helper(); w.Call(w.North.Admin, "PUT", students+ana, in).Is(200) }
		put(m{"classId": one, "rollNo": 7})
		is("a new roll number", one, a, "7")
		put(m{"classId": one})
		is("nothing new", one, a, "7")
		put(m{"classId": one, "divisionId": nil})
		is("no division", one, nil, "7")
		importCSV(w, studentImport+"?mode=upsert&academicYearId="+string(later.Year), "admissionNo,class,division,rollNo\n1,Grade 1,B,7\n")
		is("a division by import", one, oneB, "7")
		put(m{"classId": two, "divisionId": b})
		is("another class", two, b, "7")
		put(m{"classId": one})
		is("another class alone", one, nil, "7")
		put(m{"classId": one, "rollNo": nil})
		is("no roll number", one, nil, "<nil>")
	})
}
