package people_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

type m = map[string]any

const students = "/school-admin/student/"

// create makes a student through the API and returns its id.
func create(w *peopletest.World, s peopletest.School, in m) string {
	w.Helper()
	return w.Call(s.Admin, "POST", students+"create", in).Is(201).Data["id"].(string)
}

func TestCreateStudent(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		class, division := seat(w, w.North, "Grade 1")
		other, _ := seat(w, w.North, "Grade 2")
		far, farDivision := seat(w, w.South, "Grade 1")
		w.Exec(w.North, `UPDATE divisions SET capacity = 3 WHERE school_id = :school AND id = :id`, db.Args{"id": division})

		least := w.Call(w.North.Admin, "POST", students+"create", m{"firstName": " Ana "}).Is(201).Data
		if least["firstName"] != "Ana" || least["admissionNo"] != "NORTH-0001" || least["status"] != "ACTIVE" || least["classId"] != nil ||
			least["version"] != 1.0 {
			t.Errorf("the least: %v", least)
		}
		all := m{
			"admissionNo": "X-7", "firstName": "Ben", "lastName": "Öz", "dateOfBirth": "2015-02-03", "gender": "MALE", "bloodGroup": "A+",
			"classId": class, "divisionId": division, "rollNo": 4, "admissionDate": "2026-06-01", "address": "1 Way", "phone": "+1 (555) 000-0009",
			"email": "Ben@Example.org", "medicalNotes": "Nuts",
			"emergencyContacts": []m{{"name": "Aunt", "phone": "+15550000010", "relation": "AUNT"}},
			"customFields":      m{"house": "Red", "level": 3},
			"guardians": []m{{"name": "Mia", "phone": "+1 555 000 0001"}, {"name": "Tom", "relation": "FATHER", "isPrimary": true,
				"canViewData": false}},
		}
		alone := maps.Clone(all) // is not read back
		alone["admissionNo"], alone["rollNo"] = "X-8", 5
		delete(alone, "guardians")
		delete(alone, "customFields")
		var back peopletest.Answer
		for _, in := range []m{{"firstName": "Cy"}, alone, all} {
			whole := w.Call(w.North.Admin, "POST", students+"create", in).Is(201)
			back = w.Call(w.North.Admin, "GET", students+whole.Data["id"].(string), nil).Is(200)
			if !strings.Contains(whole.Text, back.Text[len(`{"data":`):strings.Index(back.Text, `,"message"`)]) {
				t.Errorf("created %s\nread %s", whole.Text, back.Text)
			}
		}
		for key, want := range (m{"phone": "+15550000009", "email": "ben@example.org", "rollNo": 4.0, "medicalNotes": "Nuts",
			"leavingReason": nil}) {
			if back.Data[key] != want {
				t.Errorf("%s: %v, want %v", key, back.Data[key], want)
			}
		}
		if back.Data["customFields"].(m)["level"] != 3.0 || !strings.Contains(back.Text, "Aunt") {
			t.Errorf("own fields: %s", back.Text)
		}
		for field, want := range map[string][]string{"name": {"Tom", "Mia"}, "relation": {"FATHER", "GUARDIAN"},
			"phone": {"<nil>", "+15550000001"}, "isPrimary": {"true", "false"}, "canViewData": {"false", "true"}, "canPickUp": {"true", "true"}} {
			if got := back.All("guardians", field); !slices.Equal(got, want) {
				t.Errorf("guardians' %s %v, want %v", field, got, want)
			}
		}
		for _, tt := range []struct {
			name   string
			in     m
			status int
			want   string
		}{
			{"no first name", m{"lastName": "X"}, 422, "Unprocessable Entity"},
			{"blank first name", m{"firstName": " "}, 422, "Unprocessable Entity"},
			{"number taken", m{"firstName": "X", "admissionNo": "X-7"}, 409, "DUPLICATE_ENTRY"},
			{"class of another school", m{"firstName": "X", "classId": far}, 404, "Not Found"},
			{"division of another school", m{"firstName": "X", "classId": class, "divisionId": farDivision}, 404, "Not Found"},
			{"division of another class", m{"firstName": "X", "classId": other, "divisionId": division}, 404, "Not Found"},
			{"division without class", m{"firstName": "X", "divisionId": division}, 404, "Not Found"},
			{"two primary guardians", m{"firstName": "X", "guardians": []m{{"name": "A", "isPrimary": true}, {"name": "B", "isPrimary": true}}},
				422, "Unprocessable Entity"},
			{"bad phone", m{"firstName": "X", "guardians": []m{{"name": "A", "phone": "12"}}}, 422, "Unprocessable Entity"},
			{"nameless guardian", m{"firstName": "X", "guardians": []m{{"phone": "+15550000001"}}}, 422, "Unprocessable Entity"},
			{"the third place", m{"firstName": "X", "classId": class, "divisionId": division}, 201, ""},
			{"no place", m{"firstName": "X", "classId": class, "divisionId": division}, 409, "Conflict"},
		} {
			a := w.Call(w.North.Admin, "POST", students+"create", tt.in)
			if a.Status != tt.status || a.Error != tt.want {
				t.Errorf("%s: %d %s, want %d %s: %s", tt.name, a.Status, a.Error, tt.status, tt.want, a.Text)
			}
		}
		if n := w.Count(`students WHERE school_id = :school`, nil); n != 5 {
			t.Errorf("%d students, want 5: what is refused leaves nothing", n)
		}
		w.Audited("student.create", 5)
	})
}

func TestNumbers(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		next := func(s peopletest.School) string {
			st := w.Call(s.Admin, "POST", students+"create", m{"firstName": "X"}).Is(201)
			return st.Data["admissionNo"].(string)
		}
		w.Enrol(w.North, student("GF/0099", "A"), student("GF/x", "B"), student("GF/0041", "C"))
		for _, want := range []string{"GF/0100", "GF/0101"} {
			if got := next(w.North); got != want {
				t.Errorf("next number %s, want %s: after the highest, as the school has begun", got, want)
			}
		}
		w.Enrol(w.North, student("GF/0102", "D"), student("GF/0150", "E")) // typed in by hand, colliding
		if got := next(w.North); got != "GF/0151" {
			t.Errorf("next number %s, want GF/0151", got)
		}
		archived := create(w, w.North, m{"firstName": "Gone"})
		w.Call(w.North.Admin, "DELETE", students+archived, nil).Is(204)
		if got := next(w.North); got != "GF/0153" {
			t.Errorf("next number %s, want GF/0153: a number stays taken", got)
		}
		if got := next(w.South); got != "SOUTH-0001" {
			t.Errorf("first number of a school %s, want SOUTH-0001", got)
		}
		mixed := w.Enrol(w.South, student("", "A"), student("SOUTH-0002", "B"), student("", "C"))
		for i, want := range []string{"SOUTH-0003", "SOUTH-0002", "SOUTH-0004"} {
			if got := w.Call(w.South.Admin, "GET", students+string(mixed[i]), nil).Is(200).Data["admissionNo"]; got != want {
				t.Errorf("student %d of a batch has %s, want %s", i, got, want)
			}
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		const n = 50
		at := func(in func(i int) m) map[string]int {
			var wg sync.WaitGroup
			got := make([]string, n)
			for i := range n {
				wg.Go(func() {
					a := w.Call(w.North.Admin, "POST", students+"create", in(i))
					got[i] = fmt.Sprint(a.Status, a.Error)
				})
			}
			wg.Wait()
			count := map[string]int{}
			for _, g := range got {
				count[g]++
			}
			return count
		}
		one := at(func(int) m { return m{"firstName": "X", "admissionNo": "ONE"} })
		if one["201"] != 1 || one["409DUPLICATE_ENTRY"] != n-1 {
			t.Errorf("one number, many students: %v", one)
		}
		all := at(func(i int) m {
			return m{"firstName": "Y", "guardians": []m{{"name": fmt.Sprint("G", i), "phone": "+15550000001"}}}
		})
		if all["201"] != n {
			t.Errorf("many students without a number: %v", all)
		}
		if got := w.Count(`(SELECT DISTINCT admission_no FROM students WHERE school_id = :school) n`, nil); got != n+1 {
			t.Errorf("%d numbers, want %d", got, n+1)
		}
		if got := w.Count(`guardians WHERE school_id = :school`, nil); got != 1 {
			t.Errorf("%d guardians of one phone", got)
		}
	})
}

func TestOneSeatForMany(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		class, division := seat(w, w.North, "Grade 1")
		w.Exec(w.North, `UPDATE divisions SET capacity = 3 WHERE school_id = :school AND id = :id`, db.Args{"id": division})
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				w.Call(w.North.Admin, "POST", students+"create", m{"firstName": "X", "classId": class, "divisionId": division})
			})
		}
		wg.Wait()
		if got := w.Count(`students WHERE school_id = :school
			AND division_id = :d`, db.Args{"d": division}); got != 3 {
			t.Errorf("%d students on 3 places", got)
		}
	})
}

func TestChangeStudent(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		class, division := seat(w, w.North, "Grade 1")
		second, _ := seat(w, w.North, "Grade 2")
		far, _ := seat(w, w.South, "Grade 1")
		create(w, w.North, m{"firstName": "Other", "admissionNo": "TAKEN"})
		at := students + create(w, w.North, m{"admissionNo": "1", "firstName": "Ana", "lastName": "Öz", "phone": "+15550000001",
			"dateOfBirth": "2015-02-03",
			"classId":     class, "divisionId": division, "rollNo": 4, "medicalNotes": "Nuts", "customFields": m{"house": "Red"}})
		put := func(in m) peopletest.Answer { return w.Call(w.North.Admin, "PUT", at, in) }

		same := put(m{}).Is(200)
		if same.Data["version"] != 1.0 {
			t.Errorf("nothing sent made version %v", same.Data["version"])
		}
		some := put(m{"lastName": "Yılmaz", "version": 1}).Is(200).Data
		if some["lastName"] != "Yılmaz" || some["firstName"] != "Ana" || some["phone"] != "+15550000001" || some["version"] != 2.0 ||
			some["rollNo"] != 4.0 {
			t.Errorf("what was not sent changed: %v", some)
		}
		put(m{"firstName": "Late", "version": 1}).Is(409, "Conflict")
		bare := put(m{"lastName": nil, "phone": nil, "dateOfBirth": nil, "rollNo": nil, "medicalNotes": nil, "customFields": nil,
			"emergencyContacts": nil}).Is(200).Data
		for key, want := range (m{"lastName": nil, "phone": nil, "dateOfBirth": nil, "rollNo": nil, "medicalNotes": nil, "firstName": "Ana"}) {
			if bare[key] != want {
				t.Errorf("%s is %v, want %v", key, bare[key], want)
			}
		}
		if got := w.Call(w.North.Admin, "GET", students+"list?search=yilmaz", nil).Is(200).Data["total"]; got != 0.0 {
			t.Errorf("found by a name it no longer has: %v", got)
		}
		for _, tt := range []struct {
			name   string
			in     m
			status int
			want   string
		}{
			{"number taken", m{"admissionNo": "TAKEN"}, 409, "DUPLICATE_ENTRY"},
			{"no first name", m{"firstName": " "}, 422, "Unprocessable Entity"},
			{"class of another school", m{"classId": far}, 404, "Not Found"},
			{"class unknown", m{"classId": peopletest.Nobody}, 404, "Not Found"},
			{"division of another class", m{"classId": second, "divisionId": division}, 404, "Not Found"},
			{"no class but a division", m{"classId": nil, "divisionId": division}, 404, "Not Found"},
			{"bad status", m{"status": "GONE"}, 422, "Unprocessable Entity"},
		} {
			put(tt.in).Is(tt.status, tt.want)
		}
		moved := put(m{"classId": second, "rollNo": 9}).Is(200).Data
		if moved["classId"] != string(second) || moved["divisionId"] != nil {
			t.Errorf("moved to %v %v", moved["classId"], moved["divisionId"])
		}
		history := w.Call(w.North.Admin, "GET", at+"/profile", nil)
		if got := history.All("enrolments", "className"); !slices.Equal(got, []string{"Grade 2"}) {
			t.Errorf("years %v: a move within a year moves its enrolment", got)
		}
		if got := history.All("enrolments", "rollNo"); !slices.Equal(got, []string{"9"}) {
			t.Errorf("roll number %v", got)
		}
		w.Call(w.North.Admin, "PUT", students+string(peopletest.Nobody), m{"firstName": "X"}).Is(404, "STUDENT_NOT_FOUND")
		w.Call(w.South.Admin, "PUT", at, m{"firstName": "X"}).Is(404, "STUDENT_NOT_FOUND")
	})
}

func TestStatus(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		class, division := seat(w, w.North, "Grade 1")
		w.Exec(w.North, `UPDATE divisions SET capacity = 1 WHERE school_id = :school AND id = :id`, db.Args{"id": division})
		at := students + create(w, w.North, m{"firstName": "Ana", "classId": class, "divisionId": division})
		put := func(in m) peopletest.Answer { return w.Call(w.North.Admin, "PUT", at, in) }
		outcome := func() string { return w.Call(w.North.Admin, "GET", at+"/profile", nil).All("enrolments", "outcome")[0] }

		gone := put(m{"status": "LEFT", "leavingDate": "2026-10-01", "leavingReason": "Moved"}).Is(200).Data
		if gone["leavingDate"] != "2026-10-01" || gone["leavingReason"] != "Moved" || outcome() != "LEFT" {
			t.Errorf("left: %v, year %s", gone, outcome())
		}
		put(m{"status": "TRANSFERRED"}).Is(409, "Conflict")
		sitter := create(w, w.North, m{"firstName": "Ben", "classId": class, "divisionId": division}) // the place is free
		put(m{"status": "ACTIVE"}).Is(409, "Conflict")
		w.Call(w.North.Admin, "PUT", students+sitter, m{"status": "GRADUATED"}).Is(200)
		back := put(m{"status": "ACTIVE"}).Is(200).Data
		if back["status"] != "ACTIVE" || back["leavingDate"] != "2026-10-01" || back["leavingReason"] != "Moved" || outcome() != "ENROLLED" {
			t.Errorf("back: %v, year %s", back, outcome())
		}
		again := put(m{"status": "TRANSFERRED"}).Is(200).Data
		if again["leavingDate"] == "2026-10-01" || again["leavingDate"] == nil || again["leavingReason"] != nil {
			t.Errorf("left again without a date: %v", again)
		}
		for status, want := range map[string]float64{"ACTIVE": 0, "TRANSFERRED": 1, "GRADUATED": 1, "LEFT": 0} {
			list := w.Call(w.North.Admin, "GET", students+"list?status="+status, nil).Is(200)
			if list.Data["total"] != want || len(list.All("items", "id")) != int(want) {
				t.Errorf("%s: %v, want %v", status, list.Text, want)
			}
		}
	})
}

func TestArchiveStudent(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		const phone = "+15550000001"
		class, division := seat(w, w.North, "Grade 1")
		w.People.HasHistory = append(w.People.HasHistory, func(_ context.Context, _ db.Q, _ id.ID) (bool, error) { return true, nil })
		first := create(w, w.North, m{"admissionNo": "1", "firstName": "Ana", "classId": class, "divisionId": division,
			"guardians": []m{{"name": "Mia", "phone": phone}}})
		second := create(w, w.North, m{"admissionNo": "2", "firstName": "Ben", "guardians": []m{{"name": "Mia", "phone": phone}}})
		mia := w.UserOf(w.North, "guardians", "phone", phone)
		status := func() string {
			u, err := w.People.Accounts.Get(t.Context(), w.DB.School(w.North.ID), mia)
			if err != nil {
				t.Fatal(err)
			}
			return string(u.Status)
		}
		w.Call(w.South.Admin, "DELETE", students+first, nil).Is(404, "STUDENT_NOT_FOUND")
		w.Call(w.North.Admin, "DELETE", students+first, nil).Is(204)
		if status() != "ACTIVE" {
			t.Error("a parent with another child is shut out")
		}
		for _, path := range []string{"", "/profile", "/data-export"} {
			w.Call(w.North.Admin, "GET", students+first+path, nil).Is(404, "STUDENT_NOT_FOUND")
		}
		w.Call(w.North.Admin, "DELETE", students+first, nil).Is(404, "STUDENT_NOT_FOUND")
		w.Call(w.North.Admin, "PUT", students+first, m{"firstName": "X"}).Is(404, "STUDENT_NOT_FOUND")
		w.Call(w.North.Admin, "POST", students+first+"/guardians", m{"name": "X"}).Is(404, "STUDENT_NOT_FOUND")
		for _, query := range []string{"", "?search=Ana", "?classId=" + string(class), "?status=ACTIVE",
			"?academicYearId=" + string(w.North.Year)} {
			list := w.Call(w.North.Admin, "GET", students+"list"+query, nil)
			if got := list.All("items", "firstName"); slices.Contains(got, "Ana") || list.Data["total"] != float64(len(got)) {
				t.Errorf("archived, but in %q: %s", query, list.Text)
			}
		}
		w.Call(w.North.Admin, "POST", students+"create", m{"firstName": "X", "admissionNo": "1"}).Is(409, "DUPLICATE_ENTRY")
		if got := w.Count(`enrolments WHERE school_id = :school AND outcome = 'LEFT'`, nil); got != 1 {
			t.Errorf("%d enrolments closed, want 1", got)
		}
		w.Call(w.North.Admin, "DELETE", students+second, nil).Is(204)
		if status() != "DISABLED" {
			t.Error("a parent without a child can sign in")
		}
		create(w, w.North, m{"firstName": "Cem", "guardians": []m{{"name": "M.", "phone": phone}}})
		if status() != "ACTIVE" {
			t.Error("a parent with a new child is still shut out")
		}
		if got := w.Count(`audit_log WHERE school_id = :school AND action = 'student.archive'
			AND CAST(after AS TEXT) LIKE '%hasHistory%true%'`, nil); got != 2 {
			t.Errorf("%d entries of archiving, want 2", got)
		}
	})
}

func TestGuardians(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		ana := create(w, w.North, m{"firstName": "Ana"})
		ben := create(w, w.North, m{"firstName": "Ben", "guardians": []m{{"name": "Mia", "phone": "+15550000001"}}})
		add := func(st string, in m) peopletest.Answer {
			return w.Call(w.North.Admin, "POST", students+st+"/guardians", in)
		}
		one := add(ana, m{"name": "Someone else", "phone": "+1 (555) 000-0001", "relation": "MOTHER"}).Is(201)
		g := one.Data["guardians"].([]any)[0].(m)
		if g["name"] != "Mia" || g["isPrimary"] != true || g["relation"] != "MOTHER" {
			t.Errorf("a known phone is another guardian: %v", g)
		}
		mia := w.North.Token(w.UserOf(w.North, "guardians", "phone", "+15550000001"))
		if got := w.Call(mia, "POST", "/parent/student/list", nil).All("students", "firstName"); !slices.Equal(got, []string{"Ana", "Ben"}) {
			t.Errorf("the parent sees %v, want both children", got)
		}
		add(ana, m{"name": "Tom", "phone": "+15550000002", "isPrimary": true}).Is(201)
		blind := add(ana, m{"name": "Mia", "phone": "+15550000001", "canViewData": false}).Is(201)
		if blind.Data["guardians"].([]any)[0].(m)["name"] != "Tom" {
			t.Errorf("not primary: %s", blind.Text)
		}
		if got := w.Call(mia, "POST", "/parent/student/list", nil).All("students", "firstName"); !slices.Equal(got, []string{"Ben"}) {
			t.Errorf("the parent sees %v, want the child that is not withheld", got)
		}
		w.Call(mia, "GET", "/parent/student/"+ana, nil).Is(403, "PERMISSION_DENIED")
		w.Call(mia, "POST", students+ana+"/guardians", m{"name": "X"}).Is(403, "PERMISSION_DENIED")

		ids := blind.All("guardians", "id")
		remove := func(st, guardian string) peopletest.Answer {
			return w.Call(w.North.Admin, "DELETE", students+st+"/guardians/"+guardian, nil)
		}
		remove(ana, string(peopletest.Nobody)).Is(404, "Not Found")
		remove(ben, ids[0]).Is(404, "Not Found")
		w.Call(w.South.Admin, "DELETE", students+ana+"/guardians/"+ids[0], nil).Is(404, "STUDENT_NOT_FOUND")
		remove(ana, ids[0]).Is(204)
		rest := w.Call(w.North.Admin, "GET", students+ana, nil)
		if got := rest.All("guardians", "isPrimary"); !slices.Equal(got, []string{"true"}) {
			t.Errorf("of those who remain none is primary: %s", rest.Text)
		}
		remove(ana, ids[1]).Is(204) // the last may go
		accounts := map[string]string{}
		for _, phone := range []string{"+15550000001", "+15550000002"} {
			u, err := w.People.Accounts.Get(t.Context(), w.DB.School(w.North.ID), w.UserOf(w.North, "guardians", "phone", phone))
			if err != nil {
				t.Fatal(err)
			}
			accounts[u.Name] = string(u.Status)
		}
		if accounts["Mia"] != "ACTIVE" || accounts["Tom"] != "DISABLED" {
			t.Errorf("accounts %v: who has no child left is disabled", accounts)
		}
	})
}

// TestOnlyTheOffice: other roles can't use these routes.
func TestOnlyTheOffice(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		st := create(w, w.North, m{"firstName": "Ana", "guardians": []m{{"name": "Mia", "phone": "+15550000001"}}})
		parent := w.North.Token(w.UserOf(w.North, "guardians", "phone", "+15550000001"))
		_, teacher := w.Employ(w.North, actor.Teacher, people.NewEmployee{EmployeeCode: "T1", FirstName: "T", Phone: "+15550000011"})
		for _, call := range []string{"POST create", "PUT " + st, "DELETE " + st, "POST promote", "POST " + st + "/guardians",
			"GET " + st + "/profile", "GET " + st + "/data-export", "POST " + st + "/erase", "GET list", "GET " + st} {
			method, path, _ := strings.Cut(call, " ")
			for _, who := range []string{parent, teacher} {
				w.Call(who, method, students+path, nil).Is(403, "PERMISSION_DENIED")
			}
		}
	})
}

func TestProfile(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		class, division := seat(w, w.North, "Grade 1")
		st := create(w, w.North, m{"firstName": "Ana", "classId": class, "divisionId": division, "guardians": []m{{"name": "Mia"}}})
		route, stop := id.New(), id.New()
		w.Exec(w.North, `INSERT INTO routes (school_id, id, name, created_at, updated_at) VALUES (:school, :id, 'East', :now, :now)`,
			db.Args{"id": route, "now": w.People.Now()})
		w.Exec(w.North, `INSERT INTO route_stops (school_id, id, route_id, name, lat, lng, position, geofence_meters)
			VALUES (:school, :id, :route, 'Mill', 1, 1, 1, 50)`,
			db.Args{"id": stop, "route": route})
		w.Exec(w.North, `INSERT INTO student_stops (school_id, student_id, stop_id, pickup, dropoff, created_at)
			VALUES (:school, :st, :stop, TRUE, FALSE, :now)`,
			db.Args{"st": st, "stop": stop, "now": w.People.Now()})
		w.People.Sections = append(w.People.Sections, people.Section{Name: "loans", Module: "library",
			Read: func(_ context.Context, _ db.Q, of id.ID) (any, error) { return m{"of": of}, nil }})
		p := w.Call(w.North.Admin, "GET", students+st+"/profile", nil)
		if got := p.All("transport", "stopName"); !slices.Equal(got, []string{"Mill"}) {
			t.Errorf("stops %v", got)
		}
		if got := p.All("enrolments", "divisionName"); !slices.Equal(got, []string{"A"}) {
			t.Errorf("divisions %v", got)
		}
		if p.Data["sections"].(m)["loans"].(m)["of"] != st || p.Data["student"].(m)["guardians"].([]any)[0].(m)["name"] != "Mia" {
			t.Errorf("profile: %s", p.Text)
		}
		w.Call(w.South.Admin, "GET", students+st+"/profile", nil).Is(404, "STUDENT_NOT_FOUND")
		w.Call(w.South.Admin, "GET", students+st+"/data-export", nil).Is(404, "STUDENT_NOT_FOUND")
	})
}
