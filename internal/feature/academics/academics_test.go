package academics_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// world has two classes with two divisions each and two subjects in the school North,
// and one of each in South.
type world struct {
	*peopletest.World
	service          *academics.Service
	one, two, far    academics.Class
	oneA, oneB, twoA academics.Division
	farA             academics.Division
	maths, art       academics.Subject
	farMaths         academics.Subject
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	eachUsed(t, nil, test)
}

// eachUsed is each, with uses of classes by other features.
func eachUsed(t *testing.T, uses []academics.Use, test func(t *testing.T, w *world)) {
	t.Helper()
	routes := func(w *peopletest.World) []web.Route {
		s := service(w)
		s.Uses = uses
		return s.Routes()
	}
	peopletest.Each(t, routes,
		func(t *testing.T, p *peopletest.World) {
			w := &world{World: p, service: service(p)}
			w.one, w.oneA = w.class(w.North, "Grade 1", 1)
			w.two, w.twoA = w.class(w.North, "Grade 2", 2)
			w.far, w.farA = w.class(w.South, "Grade 1", 1)
			w.oneB = w.division(w.North, w.one.ID, "B")
			w.maths, w.art = w.subject(w.North, "Mathematics", w.one.ID), w.subject(w.North, "Art", w.one.ID, w.two.ID)
			w.farMaths = w.subject(w.South, "Mathematics", w.far.ID)
			test(t, w)
		})
}

func service(w *peopletest.World) *academics.Service {
	return &academics.Service{DB: w.DB, Audit: w.Schools.Audit, Now: clock.System, NewID: id.New}
}

func (w *world) class(s peopletest.School, name string, order int) (c academics.Class, d academics.Division) {
	w.Helper()
	w.In(s, func(ctx context.Context, tx *db.Tx) error {
		made, err := w.service.AddClasses(ctx, tx, []academics.Class{{Name: name, DisplayOrder: order, AcademicYearID: s.Year}})
		c = made[0]
		return err
	})
	return c, w.division(s, c.ID, "A")
}

func (w *world) division(s peopletest.School, class id.ID, name string) (d academics.Division) {
	w.Helper()
	w.In(s, func(ctx context.Context, tx *db.Tx) error {
		made, err := w.service.AddDivisions(ctx, tx, []academics.Division{{ClassID: class, Name: name}})
		d = made[0]
		return err
	})
	return d
}

func (w *world) subject(s peopletest.School, name string, classes ...id.ID) (sub academics.Subject) {
	w.Helper()
	w.In(s, func(ctx context.Context, tx *db.Tx) error {
		made, err := w.service.AddSubjects(ctx, tx, []academics.Subject{{Name: name, Code: opt.Text(strings.ToUpper(name)), Type: "CORE",
			ClassIDs: classes}})
		sub = made[0]
		return err
	})
	return sub
}

// teacher creates a teacher with assignments and returns the account and token.
func (w *world) teacher(s peopletest.School, code, phone string, in ...academics.Assignment) (employee, user id.ID, token string) {
	w.Helper()
	employee, token = w.Employ(s, actor.Teacher, people.NewEmployee{EmployeeCode: code, FirstName: code, Phone: phone})
	for i := range in {
		in[i].EmployeeID = employee
	}
	w.In(s, func(ctx context.Context, tx *db.Tx) error { return w.service.Assign(ctx, tx, in) })
	return employee, w.UserOf(s, "employees", "id", string(employee)), token
}

func TestTeaches(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, part, _ := w.teacher(w.North, "part", "+15550000001", academics.Assignment{ClassID: w.one.ID, DivisionID: &w.oneA.ID,
			SubjectID: &w.maths.ID})
		_, whole, _ := w.teacher(w.North, "whole", "+15550000002", academics.Assignment{ClassID: w.one.ID})
		gone, left, _ := w.teacher(w.North, "left", "+15550000003", academics.Assignment{ClassID: w.one.ID})
		w.Exec(w.North, `UPDATE employees SET status = 'RESIGNED' WHERE school_id = :school AND id = :id`, db.Args{"id": gone})
		_, foreign, _ := w.teacher(w.South, "far", "+15550000001", academics.Assignment{ClassID: w.far.ID})
		none := id.ID("")
		for _, tt := range []struct {
			name                     string
			user                     id.ID
			class, division, subject id.ID
			want                     error
		}{
			{"assigned", part, w.one.ID, w.oneA.ID, none, nil},
			{"assigned, its subject", part, w.one.ID, w.oneA.ID, w.maths.ID, nil},
			{"assigned, another subject", part, w.one.ID, w.oneA.ID, w.art.ID, academics.ErrNotSubject},
			{"another division", part, w.one.ID, w.oneB.ID, none, academics.ErrNotAssigned},
			{"another division, its subject", part, w.one.ID, w.oneB.ID, w.maths.ID, academics.ErrNotAssigned},
			{"the whole class of a part", part, w.one.ID, none, none, academics.ErrNotAssigned},
			{"another class", part, w.two.ID, w.twoA.ID, none, academics.ErrNotAssigned},
			{"whole class, one division", whole, w.one.ID, w.oneB.ID, none, nil},
			{"whole class", whole, w.one.ID, none, none, nil},
			{"whole class, any subject", whole, w.one.ID, w.oneB.ID, w.art.ID, nil},
			{"whole class, another", whole, w.two.ID, none, none, academics.ErrNotAssigned},
			{"division of another class", whole, w.one.ID, w.twoA.ID, none, academics.ErrNoDivision},
			{"unknown division", whole, w.one.ID, peopletest.Nobody, none, academics.ErrNoDivision},
			{"unknown class", whole, peopletest.Nobody, none, none, academics.ErrNoClass},
			{"unknown subject", whole, w.one.ID, w.oneA.ID, peopletest.Nobody, academics.ErrNoSubject},
			{"class of another school", whole, w.far.ID, w.farA.ID, none, academics.ErrNoClass},
			{"subject of another school", whole, w.one.ID, w.oneA.ID, w.farMaths.ID, academics.ErrNoSubject},
			{"resigned", left, w.one.ID, w.oneA.ID, none, academics.ErrNotAssigned},
			{"teacher of another school", foreign, w.one.ID, w.oneA.ID, none, academics.ErrNotAssigned},
		} {
			q := w.DB.School(w.North.ID)
			err := academics.TeachesSubject(t.Context(), q, academics.Caller{User: tt.user}, tt.class, tt.division, tt.subject)
			if tt.subject == none {
				err = academics.TeachesDivision(t.Context(), q, academics.Caller{User: tt.user}, tt.class, tt.division)
			}
			if !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
			}
		}
	})
}

func TestClassTeacher(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		a, _, _ := w.teacher(w.North, "a", "+15550000001", academics.Assignment{ClassID: w.one.ID, DivisionID: &w.oneA.ID, IsClassTeacher: true},
			academics.Assignment{ClassID: w.one.ID, DivisionID: &w.oneB.ID, SubjectID: &w.maths.ID})
		whole, _, _ := w.teacher(w.North, "whole", "", academics.Assignment{ClassID: w.one.ID, IsClassTeacher: true})
		for _, tt := range []struct {
			name            string
			class, division id.ID
			employee        id.ID
			want            error
		}{
			{"of the division", w.one.ID, w.oneA.ID, a, nil},
			{"of the class", w.one.ID, w.oneB.ID, whole, nil},
			{"without division", w.one.ID, "", whole, nil},
			{"none", w.two.ID, w.twoA.ID, "", academics.ErrNoClassTeacher},
			{"of another school", w.far.ID, w.farA.ID, "", academics.ErrNoClassTeacher},
		} {
			got, err := academics.ClassTeacher(t.Context(), w.DB.School(w.North.ID), tt.class, tt.division)
			if got.EmployeeID != tt.employee || !errors.Is(err, tt.want) {
				t.Errorf("%s: %v %v, want %s %v", tt.name, got, err, tt.employee, tt.want)
			}
		}
		err := w.DB.InSchool(t.Context(), w.North.ID, func(ctx context.Context, tx *db.Tx) error {
			return w.service.Assign(ctx, tx, []academics.Assignment{{EmployeeID: whole, ClassID: w.one.ID, DivisionID: &w.oneA.ID,
				IsClassTeacher: true}})
		})
		if err == nil || !strings.Contains(err.Error(), "already a class teacher") {
			t.Errorf("a second class teacher: %v", err)
		}
		list := w.Call(w.North.Admin, "GET", "/school-admin/division/list?classId="+string(w.one.ID), nil)
		if got := list.All("items", "classTeacherId"); !slices.Equal(got, []string{string(a), "<nil>"}) {
			t.Errorf("class teachers in the list: %v", got)
		}
	})
}

func TestTeacherSeesItsClasses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, _, part := w.teacher(w.North, "part", "+15550000001", academics.Assignment{ClassID: w.one.ID, DivisionID: &w.oneA.ID,
			SubjectID: &w.maths.ID},
			academics.Assignment{ClassID: w.one.ID, DivisionID: &w.oneA.ID, IsClassTeacher: true})
		_, _, whole := w.teacher(w.North, "whole", "+15550000002", academics.Assignment{ClassID: w.two.ID},
			academics.Assignment{ClassID: w.one.ID})

		mine := w.Call(part, "GET", "/teacher/class/list", nil)
		if got := mine.All("items", "name"); !slices.Equal(got, []string{"Grade 1"}) || !strings.Contains(mine.Text, `"isClassTeacher":true`) ||
			strings.Contains(mine.Text, string(w.oneB.ID)) {
			t.Errorf("classes of the part: %s", mine.Text)
		}
		all := w.Call(whole, "GET", "/teacher/class/list?limit=1&page=2", nil)
		if got := all.All("items", "name"); !slices.Equal(got, []string{"Grade 2"}) || all.Data["total"] != 2.0 {
			t.Errorf("second page of the classes: %s", all.Text)
		}
	})
}

func TestTeacherSeesItsStudents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		sit := func(no string, class, division *id.ID) people.NewStudent {
			return people.NewStudent{AdmissionNo: no, FirstName: no, ClassID: class, DivisionID: division,
				Guardians: []people.NewGuardian{{Name: "Parent of " + no, Relation: "FATHER"}}}
		}
		ids := w.Enrol(w.North, sit("oneA", &w.one.ID, &w.oneA.ID), sit("oneB", &w.one.ID, &w.oneB.ID), sit("one", &w.one.ID, nil),
			sit("twoA", &w.two.ID, &w.twoA.ID), sit("nowhere", nil, nil))
		foreign := w.Enrol(w.South, sit("farA", &w.far.ID, &w.farA.ID))
		_, _, part := w.teacher(w.North, "part", "+15550000001", academics.Assignment{ClassID: w.one.ID, DivisionID: &w.oneA.ID,
			SubjectID: &w.maths.ID})
		_, _, whole := w.teacher(w.North, "whole", "+15550000002", academics.Assignment{ClassID: w.one.ID})
		if got := w.Call(part, "GET", "/teacher/student/"+string(ids[0]), nil).All("guardians", "name"); !slices.Equal(got,
			[]string{"Parent of oneA"}) {
			t.Errorf("guardians: %v", got)
		}
		w.Call(part, "GET", "/teacher/student/"+string(ids[1]), nil).Is(403, "PERMISSION_DENIED")
		w.Call(whole, "GET", "/teacher/student/"+string(ids[2]), nil).Is(200)
		w.Call(whole, "GET", "/teacher/student/"+string(ids[4]), nil).Is(403, "PERMISSION_DENIED")
		w.Call(part, "GET", "/teacher/student/"+string(foreign[0]), nil).Is(404, "STUDENT_NOT_FOUND")

		type m = map[string]any
		const path = "/teacher/class/students"
		for _, tt := range []struct {
			name, token string
			data        m
			want        []string
		}{
			{"own division", part, m{"classId": w.one.ID, "divisionId": w.oneA.ID}, []string{"oneA"}},
			{"what is mine of a class", part, m{"classId": w.one.ID}, []string{"oneA"}},
			{"as filters", part, m{"filters": m{"classId": w.one.ID}}, []string{"oneA"}},
			{"whole class", whole, m{"classId": w.one.ID, "sort": m{"field": "firstName"}}, []string{"one", "oneA", "oneB"}},
			{"search", whole, m{"classId": w.one.ID, "filters": m{"search": "ONEB"}}, []string{"oneB"}},
			{"second page", whole, m{"classId": w.one.ID, "limit": 2, "page": 2, "sort": m{"field": "firstName"}}, []string{"oneB"}},
		} {
			if got := w.Call(tt.token, "POST", path, tt.data).All("items", "firstName"); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
		}
		if got := w.Call(part, "GET", path+"?classId="+string(w.one.ID), nil).All("items", "firstName"); !slices.Equal(got, []string{"oneA"}) {
			t.Errorf("by GET: %v", got)
		}
		w.Call(part, "POST", path, m{}).Is(422)
		w.Call(part, "POST", path, m{"classId": w.two.ID}).Is(403, "PERMISSION_DENIED")
		w.Call(part, "POST", path, m{"classId": w.one.ID, "divisionId": w.oneB.ID}).Is(403, "PERMISSION_DENIED")
		w.Call(part, "POST", path, m{"classId": w.far.ID}).Is(404, "Not Found")
		w.Call(part, "POST", path, m{"classId": w.one.ID, "divisionId": w.farA.ID}).Is(404, "Not Found")
	})
}

func TestLists(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.class(w.North, "Kindergarten Öst", 0)
		for _, tt := range []struct {
			path string
			want []string
		}{
			{"class/list", []string{"Kindergarten Öst", "Grade 1", "Grade 2"}},
			{"class/list?sort=name&order=desc", []string{"Kindergarten Öst", "Grade 2", "Grade 1"}},
			{"class/list?search=grade", []string{"Grade 1", "Grade 2"}},
			{"class/list?search=%C3%96ST", []string{"Kindergarten Öst"}},
			{"class/list?academicYearId=" + string(w.North.Year), []string{"Kindergarten Öst", "Grade 1", "Grade 2"}},
			{"division/list?classId=" + string(w.one.ID), []string{"A", "B"}},
			{"division/list?limit=2", []string{"A", "A"}},
			{"subject/list", []string{"Art", "Mathematics"}},
			{"subject/list?classId=" + string(w.two.ID), []string{"Art"}},
		} {
			if got := w.Call(w.North.Admin, "GET", "/school-admin/"+tt.path, nil).All("items", "name"); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %v, want %v", tt.path, got, tt.want)
			}
		}
		subjects := w.Call(w.North.Admin, "GET", "/school-admin/subject/list", nil).All("items", "classIds")
		if want := "[" + string(w.one.ID) + " " + string(w.two.ID) + "]"; subjects[0] != want {
			t.Errorf("classes of a subject: %s, want %s", subjects[0], want)
		}
		for path, foreign := range map[string]id.ID{
			"class/list?academicYearId=": w.South.Year, "division/list?classId=": w.far.ID, "subject/list?classId=": w.far.ID,
		} {
			theirs := w.Call(w.North.Admin, "GET", "/school-admin/"+path+string(foreign), nil).Is(404, "Not Found")
			unknown := w.Call(w.North.Admin, "GET", "/school-admin/"+path+string(peopletest.Nobody), nil).Is(404, "Not Found")
			if theirs.Text != unknown.Text {
				t.Errorf("%s tells another school's id from an unknown one", path)
			}
		}
	})
}

func TestWhatCannotBeAdded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		employee, _, _ := w.teacher(w.North, "T1", "")
		for _, tt := range []struct {
			name string
			add  func(ctx context.Context, tx *db.Tx) error
			want string
		}{
			{"class name taken", func(ctx context.Context, tx *db.Tx) error {
				_, err := w.service.AddClasses(ctx, tx, []academics.Class{{Name: "Grade 1", AcademicYearID: w.North.Year}})
				return err
			}, "Another class"},
			{"year of another school", func(ctx context.Context, tx *db.Tx) error {
				_, err := w.service.AddClasses(ctx, tx, []academics.Class{{Name: "Grade 9", AcademicYearID: w.South.Year}})
				return err
			}, "no such academic year"},
			{"division name taken", func(ctx context.Context, tx *db.Tx) error {
				_, err := w.service.AddDivisions(ctx, tx, []academics.Division{{ClassID: w.one.ID, Name: "A"}})
				return err
			}, "Another division"},
			{"division of another school's class", func(ctx context.Context, tx *db.Tx) error {
				_, err := w.service.AddDivisions(ctx, tx, []academics.Division{{ClassID: w.far.ID, Name: "C"}})
				return err
			}, "no such class"},
			{"subject code taken", func(ctx context.Context, tx *db.Tx) error {
				_, err := w.service.AddSubjects(ctx, tx, []academics.Subject{{Name: "More", Code: "ART", Type: "CORE"}})
				return err
			}, "Another subject"},
			{"assigned to another school's class", func(ctx context.Context, tx *db.Tx) error {
				return w.service.Assign(ctx, tx, []academics.Assignment{{EmployeeID: employee, ClassID: w.far.ID}})
			}, "no such class"},
			{"assigned to another class's division", func(ctx context.Context, tx *db.Tx) error {
				return w.service.Assign(ctx, tx, []academics.Assignment{{EmployeeID: employee, ClassID: w.one.ID, DivisionID: &w.twoA.ID}})
			}, "no such employee, division or subject"},
		} {
			err := w.DB.InSchool(t.Context(), w.North.ID, tt.add)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
			}
		}
	})
}
