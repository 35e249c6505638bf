package app_test

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
	"homeroom/internal/schema"
)

// oneStudent matches paths with the id of one student.
var oneStudent = regexp.MustCompile(`/student/\{|\{studentId\}`)

// showsAStudent reports whether an administrator or a teacher reads one student there.
func showsAStudent(rt web.Route) bool {
	staff := strings.HasPrefix(rt.Path, "/school-admin/") || strings.HasPrefix(rt.Path, "/teacher/")
	return staff && rt.Verb == actor.Read && !rt.List && (oneStudent.MatchString(rt.Path) || rt.TakesID("studentId"))
}

// TestEveryReadOfAStudentIsRecorded calls each route that shows one student, and
// checks that the administrator's list has every read with its reader.
func TestEveryReadOfAStudentIsRecorded(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		pupil := enrol(t, s)
		seen := map[string]*apptest.Account{} // by request
		for _, rt := range s.Routes() {
			if showsAStudent(rt) && rt.Shows.Entity != "student" {
				t.Errorf("%s shows one student but records no reads: declare web.Shows", rt.Pattern())
			}
			if rt.Shows.Entity == "" {
				continue
			}
			who, request := s.OfRole(rt.Roles[0]), string(id.New())
			path := param.ReplaceAllString(rt.Path, string(pupil))
			if !strings.Contains(rt.Path, "{") {
				path += "?" + rt.Shows.Param + "=" + string(pupil)
			}
			switch r := s.Call(t, who, rt.Method, path, nil, "X-Request-Id", request); r.Status {
			case 200:
				seen[request] = who
			case 422: // it has other required fields
			default:
				t.Errorf("%s: %d %s", rt.Pattern(), r.Status, r.Body)
			}
		}
		if len(seen) < 2 {
			t.Fatalf("only %d routes show a student", len(seen))
		}
		s.Call(t, s.North.Parent, "GET", "/parent/student/"+string(pupil), nil).Want(403, "PERMISSION_DENIED")
		s.Call(t, s.South.Admin, "GET", "/school-admin/student/"+string(pupil), nil).Want(404, "STUDENT_NOT_FOUND")
		list := s.Call(t, s.North.Admin, "GET", "/school-admin/audit/reads?limit=100&entity=student&recordId="+string(pupil), nil).OK()
		for _, read := range list.Items() {
			who := seen[read.Text("requestId")]
			if who == nil || read.Text("userId") != string(who.ID) || read.Text("userName") == "" || read.Text("recordId") != string(pupil) {
				t.Errorf("recorded read that was not made: %v", read)
			}
			delete(seen, read.Text("requestId"))
		}
		if len(seen) > 0 {
			t.Errorf("reads that were not recorded: %v", slices.Collect(maps.Keys(seen)))
		}
		s.Call(t, s.South.Admin, "GET", "/school-admin/audit/reads?recordId="+string(pupil), nil).Want(404, "STUDENT_NOT_FOUND")
	})
}

// TestReadsOutliveTheService stops a service right after a read, before and after
// its background work has stopped. Both reads must be recorded.
func TestReadsOutliveTheService(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			url := dbtest.URL(t, engine, schema.FS)
			t.Run("served", func(t *testing.T) { // its service ends with it
				s := apptest.Open(t, url)
				path := "/school-admin/student/" + string(enrol(t, s))
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error)
				go func() { ended <- s.Run(ctx) }()
				s.Call(t, s.North.Admin, "GET", path, nil).OK()
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
				if n := readings(t, s.DB); n != 1 {
					t.Errorf("%d reads recorded after the background work stopped, want 1", n)
				}
				s.Call(t, s.North.Admin, "GET", path, nil).OK() // like a request that ends last
			})
			if n := readings(t, dbtest.Dial(t, url, schema.FS)); n != 2 {
				t.Errorf("%d reads recorded after the service stopped, want 2", n)
			}
		})
	}
}

func readings(t *testing.T, d *db.DB) int {
	t.Helper()
	n, err := db.One[int](t.Context(), d.Across(unscoped.Permit{}), `SELECT COUNT(*) FROM reads`, nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// enrol creates a student of North in a class that North's teacher teaches.
func enrol(t *testing.T, s *apptest.Service) id.ID {
	t.Helper()
	class, employee, pupil := id.New(), id.New(), id.New()
	q := s.DB.School(s.North.ID)
	for _, step := range []struct {
		sql string
		a   db.Args
	}{
		{`INSERT INTO classes (school_id, id, academic_year_id, name, display_order, search, created_at, updated_at)
			SELECT :school, :class, id, 'Grade 1', 1, 'grade 1', :now, :now FROM academic_years WHERE school_id = :school AND is_current`,
			db.Args{"class": class}},
		{`INSERT INTO employees (school_id, id, employee_code, first_name, role_id, user_id, status, search, created_at, updated_at)
			SELECT :school, :employee, 'E1', 'Ann', role_id, id, 'ACTIVE', 'ann', :now, :now FROM users WHERE school_id = :school AND id = :user`,
			db.Args{"employee": employee, "user": s.North.Teacher.ID}},
		{`INSERT INTO teacher_assignments (school_id, id, employee_id, academic_year_id, class_id, is_class_teacher, created_at)
			SELECT :school, :employee, :employee, academic_year_id, id, FALSE, :now FROM classes WHERE school_id = :school AND id = :class`,
			db.Args{"employee": employee, "class": class}},
		{`INSERT INTO students (school_id, id, admission_no, first_name, class_id, status, search, created_at, updated_at)
			VALUES (:school, :pupil, 'A1', 'Mia', :class, 'ACTIVE', 'mia', :now, :now)`,
			db.Args{"pupil": pupil, "class": class}},
	} {
		step.a["now"] = s.Now().Add(-time.Hour)
		if _, err := db.Exec(t.Context(), q, step.sql, step.a); err != nil {
			t.Fatal(err)
		}
	}
	return pupil
}
