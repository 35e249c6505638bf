package people_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func each(t *testing.T, test func(t *testing.T, w *peopletest.World)) {
	t.Helper()
	peopletest.Each(t, func(w *peopletest.World) []web.Route { return w.People.Routes() }, test)
}

// seat makes a class with one division.
func seat(w *peopletest.World, s peopletest.School, name string) (class, division id.ID) {
	w.Helper()
	class, division = id.New(), id.New()
	w.Exec(s, `INSERT INTO classes (school_id, id, academic_year_id, name, display_order, search, created_at, updated_at)
		VALUES (:school, :id, :year, :name, 1, :name, '2026-06-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z')`,
		db.Args{"id": class, "year": s.Year, "name": name})
	w.Exec(s, `INSERT INTO divisions (school_id, id, class_id, name, created_at, updated_at)
		VALUES (:school, :id, :class, 'A', '2026-06-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z')`,
		db.Args{"id": division, "class": class})
	return class, division
}

func parent(name, phone string) people.NewGuardian {
	return people.NewGuardian{Name: name, Relation: "MOTHER", Phone: phone, IsPrimary: true, CanViewData: true, CanPickUp: true}
}

func student(no, first string, guardians ...people.NewGuardian) people.NewStudent {
	return people.NewStudent{AdmissionNo: no, FirstName: first, LastName: "Test", Guardians: guardians}
}

func archive(w *peopletest.World, s peopletest.School, st id.ID) {
	w.Helper()
	w.Exec(s, `UPDATE students SET archived_at = :at WHERE school_id = :school AND id = :id`,
		db.Args{"id": st, "at": w.People.Now()})
}

func TestLinks(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		const phone = "+15550000001"
		blind := parent("Blind", phone)
		blind.CanViewData = false
		own := w.Enrol(w.North, student("1", "Older", parent("Mia", phone)), student("2", "Younger", parent("Mia", phone)),
			student("3", "Gone", parent("Mia", phone)), student("4", "Withheld", blind), student("5", "Other", parent("Eva", "+15550000002")))
		archive(w, w.North, own[2])
		foreign := w.Enrol(w.South, student("1", "Foreign", parent("Mia", phone)))
		mia := w.UserOf(w.North, "guardians", "phone", phone)
		q := w.DB.School(w.North.ID)

		children, err := people.ChildrenOf(t.Context(), q, mia)
		if err != nil || !slices.Equal(children, own[:2]) {
			t.Errorf("children %v %v, want %v", children, err, own[:2])
		}
		for _, tt := range []struct {
			name    string
			student id.ID
			want    error
		}{
			{"linked", own[0], nil},
			{"sibling", own[1], nil},
			{"archived", own[2], people.ErrNoStudent},
			{"not to be viewed", own[3], people.ErrNotLinked},
			{"of another family", own[4], people.ErrNotLinked},
			{"of another school", foreign[0], people.ErrNoStudent},
			{"unknown", peopletest.Nobody, people.ErrNoStudent},
		} {
			if err := people.MustBeLinked(t.Context(), q, mia, tt.student); !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
			}
		}
	})
}

func TestGuardiansAreSharedByPhone(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		const phone = "+15550000001"
		silent := people.NewGuardian{Name: "Silent", Relation: "FATHER", CanViewData: true}
		first := w.Enrol(w.North, student("1", "One", parent("Mia", phone), silent),
			student("2", "Two", parent("Mia", phone), parent("Mia again", phone)))
		second := w.Enrol(w.North, student("3", "Three", parent("M. Miller", phone)))

		count := func(sql string) int {
			n, err := db.One[int](t.Context(), w.DB.School(w.North.ID), sql, nil)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := count(`SELECT COUNT(*) FROM guardians WHERE school_id = :school`); n != 2 {
			t.Errorf("%d guardians, want one with and one without a phone", n)
		}
		if n := count(`SELECT COUNT(*) FROM users WHERE school_id = :school AND role = 'PARENT'`); n != 1 {
			t.Errorf("%d parent accounts, want 1", n)
		}
		if n := count(`SELECT COUNT(*) FROM student_guardians WHERE school_id = :school`); n != 4 {
			t.Errorf("%d links, want 4: a guardian named twice is one", n)
		}
		children, err := people.ChildrenOf(t.Context(), w.DB.School(w.North.ID), w.UserOf(w.North, "guardians", "phone", phone))
		if want := append(first, second...); err != nil || !slices.Equal(children, want) {
			t.Errorf("children %v %v, want %v", children, err, want)
		}
		rec := w.Call(w.North.Admin, "GET", "/school-admin/student/"+string(second[0]), nil).Is(200)
		if g := rec.All("guardians", "name"); !slices.Equal(g, []string{"Mia"}) {
			t.Errorf("guardians %v, want the one who has the phone", g)
		}
	})
}

func TestGuardianTakesTheAccountThatIsThere(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		const phone = "+15550000001"
		var user id.ID
		w.In(w.North, func(ctx context.Context, tx *db.Tx) (err error) {
			user, err = w.People.Accounts.CreateAccount(ctx, tx, actor.Actor{}, identity.NewAccount{Role: actor.Parent, Name: "Mia", Phone: phone})
			return err
		})
		w.Enrol(w.North, student("1", "One", parent("Mia", phone)))
		if got := w.UserOf(w.North, "guardians", "phone", phone); got != user {
			t.Errorf("the guardian's account is %s, want the phone's %s", got, user)
		}
	})
}

func TestSiblingsAtOnceShareAGuardian(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		const phone = "+15550000001"
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				err := w.DB.InSchool(t.Context(), w.North.ID, func(ctx context.Context, tx *db.Tx) error {
					_, err := w.People.AddStudents(ctx, tx, actor.Actor{}, []people.NewStudent{student(fmt.Sprint(i), "Child", parent("Mia", phone))})
					return err
				})
				if err != nil {
					t.Errorf("add student %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		children, err := people.ChildrenOf(t.Context(), w.DB.School(w.North.ID), w.UserOf(w.North, "guardians", "phone", phone))
		if err != nil || len(children) != 8 {
			t.Errorf("%d children %v, want 8", len(children), err)
		}
	})
}

func TestStudentListFilters(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		one, oneA := seat(w, w.North, "Grade 1")
		two, _ := seat(w, w.North, "Grade 2")
		far, farA := seat(w, w.South, "Grade 1")
		sit := func(no, first string, class, division *id.ID, roll int) people.NewStudent {
			return people.NewStudent{AdmissionNo: no, FirstName: first, ClassID: class, DivisionID: division, RollNo: &roll, Phone: "+4915550" + no}
		}
		ids := w.Enrol(w.North, sit("100", "Ana", &one, &oneA, 2), sit("200", "Ben", &one, nil, 1), sit("300", "Cem", &two, nil, 1),
			student("400", "Dora"), student("500", "Eli"))
		w.Enrol(w.South, sit("100", "Foreign", &far, &farA, 1))
		archive(w, w.North, ids[4])
		w.Exec(w.North, `UPDATE students SET status = 'LEFT' WHERE school_id = :school AND id = :id`, db.Args{"id": ids[3]})

		for _, tt := range []struct {
			name, query string
			want        []string
		}{
			{"all but the archived", "", []string{"Ana", "Ben", "Cem", "Dora"}},
			{"class", "?classId=" + string(one), []string{"Ana", "Ben"}},
			{"division", "?divisionId=" + string(oneA), []string{"Ana"}},
			{"class and division", "?filters[classId]=" + string(one) + "&filters[divisionId]=" + string(oneA), []string{"Ana"}},
			{"division of another class", "?classId=" + string(two) + "&divisionId=" + string(oneA), []string{}},
			{"status", "?status=LEFT", []string{"Dora"}},
			{"year", "?academicYearId=" + string(w.North.Year), []string{"Ana", "Ben", "Cem"}},
			{"year and class", "?academicYearId=" + string(w.North.Year) + "&classId=" + string(two), []string{"Cem"}},
			{"admission number", "?search=30", []string{"Cem"}},
			{"phone", "?search=15550100", []string{"Ana"}},
			{"no match", "?search=zzz", []string{}},
			{"a wildcard is text", "?search=%25", []string{}},
			{"by roll number, none last", "?sort=rollNo", []string{"Ben", "Cem", "Ana", "Dora"}},
			{"newest first", "?sort=createdAt&order=desc", []string{"Dora", "Cem", "Ben", "Ana"}},
			{"second page", "?limit=3&page=2", []string{"Dora"}},
		} {
			a := w.Call(w.North.Admin, "GET", "/school-admin/student/list"+tt.query, nil)
			if got := a.All("items", "firstName"); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
		}
		list := w.Call(w.North.Admin, "POST", "/school-admin/student/list", map[string]any{"filters": map[string]any{"classId": one}}).Is(200)
		if list.Data["total"] != 2.0 || strings.Contains(list.Text, "medicalNotes") {
			t.Errorf("a list has totals, and no medical notes: %s", list.Text)
		}
	})
}

func TestSearchKnowsNoCase(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		names := []string{"José Núñez", "Øyvind Åsen", "Ζωή Παπαδοπούλου", "Ёлка Щукина", "Müller Weiß",
			"मीरा शर्मा", "李 小龙", "Đặng Thị"}
		var in []people.NewStudent
		for i, n := range names {
			first, last, _ := strings.Cut(n, " ")
			in = append(in, people.NewStudent{AdmissionNo: fmt.Sprint(i), FirstName: first, LastName: last})
		}
		w.Enrol(w.North, in...)
		for _, tt := range []struct{ search, want string }{
			{"JOSÉ NÚÑEZ", "José"},
			{"nunez", "José"},
			{"nu\u0301n\u0303ez", "José"}, // decomposed accents (NFD)
			{"øYVIND", "Øyvind"},
			{"åSEN", "Øyvind"},
			{"ΖΩΉ", "Ζωή"},
			{"παπαδοπουλου", "Ζωή"},
			{"ЩУК", "Ёлка"},
			{"ёЛКА", "Ёлка"},
			{"WEISS", "Müller"},
			{"शर्मा", "मीरा"},
			{"小龙", "李"},
			{" đặng   THỊ ", "Đặng"},
		} {
			a := w.Call(w.North.Admin, "POST", "/school-admin/student/list", map[string]any{"filters": map[string]any{"search": tt.search}})
			if got := a.All("items", "firstName"); !slices.Equal(got, []string{tt.want}) {
				t.Errorf("%q finds %v, want %s", tt.search, got, tt.want)
			}
		}
	})
}

func TestForeignIDsAreUnknown(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		class, division := seat(w, w.South, "Grade 1")
		st := w.Enrol(w.South, student("1", "Foreign"))
		role, err := db.One[id.ID](t.Context(), w.DB.School(w.South.ID), `SELECT id FROM roles WHERE school_id = :school
			AND type = 'TEACHER'`, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			path    string
			foreign id.ID
			code    string
		}{
			{"/school-admin/student/", st[0], "STUDENT_NOT_FOUND"},
			{"/school-admin/student/list?classId=", class, "Not Found"},
			{"/school-admin/student/list?divisionId=", division, "Not Found"},
			{"/school-admin/student/list?academicYearId=", w.South.Year, "Not Found"},
			{"/school-admin/employee/list?roleId=", role, "Not Found"},
		} {
			theirs := w.Call(w.North.Admin, "GET", tt.path+string(tt.foreign), nil).Is(404, tt.code)
			unknown := w.Call(w.North.Admin, "GET", tt.path+string(peopletest.Nobody), nil).Is(404, tt.code)
			if theirs.Text != unknown.Text {
				t.Errorf("%s tells another school's id from an unknown one: %s %s", tt.path, theirs.Text, unknown.Text)
			}
		}
	})
}

func TestParentSeesItsChildren(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		class, division := seat(w, w.North, "Grade 1")
		seated := student("1", "Ana", parent("Mia", "+15550000001"))
		seated.ClassID, seated.DivisionID, seated.MedicalNotes = &class, &division, "Peanuts"
		ids := w.Enrol(w.North, seated, student("2", "Ben", parent("Mia", "+15550000001")), student("3", "Cem", parent("Eva", "+15550000002")))
		archive(w, w.North, w.Enrol(w.North, student("4", "Gone", parent("Mia", "+15550000001")))[0])
		mia := w.North.Token(w.UserOf(w.North, "guardians", "phone", "+15550000001"))

		for _, path := range []string{"/parent/student/list", "/parent/student/get-students"} {
			all := w.Call(mia, "POST", path, nil)
			if got := all.All("students", "firstName"); !slices.Equal(got, []string{"Ana", "Ben"}) || all.Data["total"] != 2.0 {
				t.Errorf("%s: %s", path, all.Text)
			}
			if got := all.All("students", "className"); !slices.Equal(got, []string{"Grade 1", "<nil>"}) {
				t.Errorf("%s: classes %q", path, got)
			}
			year := w.Call(mia, "POST", path, map[string]any{"academicYearId": w.North.Year})
			if got := year.All("students", "divisionName"); !slices.Equal(got, []string{"A"}) {
				t.Errorf("%s: divisions of the year %q, want those of the enrolled", path, got)
			}
			w.Call(mia, "POST", path, map[string]any{"academicYearId": w.South.Year}).Is(404, "Not Found")
		}
		own := w.Call(mia, "GET", "/parent/student/"+string(ids[0]), nil).Is(200)
		if own.Data["medicalNotes"] != "Peanuts" || strings.Contains(own.Text, "guardians") {
			t.Errorf("a parent sees its child's record without the other adults: %s", own.Text)
		}
		w.Call(mia, "GET", "/parent/student/"+string(ids[2]), nil).Is(403, "PERMISSION_DENIED")
		w.Call(mia, "GET", "/parent/student/"+string(peopletest.Nobody), nil).Is(404, "STUDENT_NOT_FOUND")
		w.Call(w.North.Admin, "POST", "/parent/student/list", nil).Is(403, "PERMISSION_DENIED")
	})
}

func TestEmployees(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		w.Employ(w.North, actor.Teacher, people.NewEmployee{EmployeeCode: "T1", FirstName: "Zoë", LastName: "Ålund", Department: "Science",
			Phone: "+15550000011"})
		w.Employ(w.North, actor.Driver, people.NewEmployee{EmployeeCode: "D1", FirstName: "Bo", Department: "Transport", Phone: "+15550000012"})
		w.Employ(w.South, actor.Driver, people.NewEmployee{EmployeeCode: "D1", FirstName: "Foreign", Phone: "+15550000012"})
		w.In(w.North, func(ctx context.Context, tx *db.Tx) error {
			_, err := w.People.AddEmployees(ctx, tx, actor.Actor{}, []people.NewEmployee{{EmployeeCode: "T2", FirstName: "Cy"}})
			return err
		})
		for _, tt := range []struct {
			query string
			want  []string
		}{
			{"", []string{"Bo", "Cy", "Zoë"}},
			{"?type=TEACHER", []string{"Cy", "Zoë"}},
			{"?type=DRIVER", []string{"Bo"}},
			{"?department=Science", []string{"Zoë"}},
			{"?status=RESIGNED", []string{}},
			{"?search=%C3%85LUND", []string{"Zoë"}},
			{"?search=d1", []string{"Bo"}},
			{"?sort=employeeCode&order=desc", []string{"Cy", "Zoë", "Bo"}},
		} {
			a := w.Call(w.North.Admin, "GET", "/school-admin/employee/list"+tt.query, nil)
			if got := a.All("items", "firstName"); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %v, want %v", tt.query, got, tt.want)
			}
		}
		if user := w.UserOf(w.North, "employees", "employee_code", "T2"); user != "" {
			t.Errorf("an employee without a phone has the account %s", user)
		}
	})
}

func TestWhatCannotBeAdded(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		class, division := seat(w, w.North, "Grade 1")
		other, _ := seat(w, w.North, "Grade 2")
		far, _ := seat(w, w.South, "Grade 1")
		w.Enrol(w.North, student("1", "First"))
		w.Employ(w.North, actor.Teacher, people.NewEmployee{EmployeeCode: "T1", FirstName: "First"})
		sit := func(class, division *id.ID) people.NewStudent {
			return people.NewStudent{AdmissionNo: "2", FirstName: "Second", ClassID: class, DivisionID: division}
		}
		for _, tt := range []struct {
			name string
			in   people.NewStudent
			want string
		}{
			{"admission number taken", student("1", "Second"), "admission number"},
			{"class of another school", sit(&far, nil), "no such class"},
			{"division of another class", sit(&other, &division), "no such division"},
			{"division without class", sit(nil, &division), "no such division"},
			{"good", sit(&class, &division), ""},
		} {
			err := w.DB.InSchool(t.Context(), w.North.ID, func(ctx context.Context, tx *db.Tx) error {
				_, err := w.People.AddStudents(ctx, tx, actor.Actor{}, []people.NewStudent{tt.in})
				return err
			})
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
			}
		}
		parents, err := db.One[id.ID](t.Context(), w.DB.School(w.North.ID), `SELECT id FROM roles WHERE school_id = :school
			AND type = 'PARENT'`, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name string
			in   people.NewEmployee
			want string
		}{
			{"employee code taken", people.NewEmployee{EmployeeCode: "T1", FirstName: "Second"}, "employee code"},
			{"role unknown", people.NewEmployee{EmployeeCode: "T2", FirstName: "Second", RoleID: peopletest.Nobody}, "no such role"},
			{"parents are not employed", people.NewEmployee{EmployeeCode: "T2", FirstName: "Second", RoleID: parents}, "roleId"},
		} {
			err := w.DB.InSchool(t.Context(), w.North.ID, func(ctx context.Context, tx *db.Tx) error {
				_, err := w.People.AddEmployees(ctx, tx, actor.Actor{}, []people.NewEmployee{tt.in})
				return err
			})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
			}
		}
	})
}
