package people_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

const employeePath = "/school-admin/employee/"

// staff is a world in which North's administrator manages employees.
type staff struct{ *peopletest.World }

func eachStaff(t *testing.T, test func(t *testing.T, w staff)) {
	t.Helper()
	each(t, func(t *testing.T, w *peopletest.World) { test(t, staff{w}) })
}

func (w staff) call(method, path string, data any) peopletest.Answer {
	w.Helper()
	return w.Call(w.North.Admin, method, employeePath+path, data)
}

// hire creates an employee and returns its id.
func (w staff) hire(data map[string]any) string {
	w.Helper()
	return w.call("POST", "create", data).Is(201).Data["id"].(string)
}

func (w staff) role(typ actor.Role) id.ID {
	w.Helper()
	r, err := access.System(w.Context(), w.DB.School(w.North.ID), typ)
	if err != nil {
		w.Fatal(err)
	}
	return r.ID
}

// account reads the account of an employee.
func (w staff) account(employee string) identity.User {
	w.Helper()
	u, err := w.People.Accounts.Get(w.Context(), w.DB.School(w.North.ID), w.UserOf(w.North, "employees", "id", employee))
	if err != nil {
		w.Fatal(err)
	}
	return u
}

// signIn opens a session of an account; sessions counts the active ones.
func (w staff) signIn(user id.ID) {
	w.Helper()
	w.Exec(w.North, `
		INSERT INTO sessions (school_id, id, user_id, refresh_hash, device, ip, opened_by,
			created_at, last_used_at, expires_at, ends_at)
		VALUES (:school, :id, :user, 'x', 'test', '::1', 'otp',
			'2026-06-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z', '2030-06-01T00:00:00.000Z', '2030-06-01T00:00:00.000Z')`,
		db.Args{"id": id.New(), "user": user})
}

func (w staff) sessions(user id.ID) int {
	w.Helper()
	return w.Count(`sessions WHERE school_id = :school AND user_id = :user AND revoked_at IS NULL`, db.Args{"user": user})
}

func TestHireByFirstNameAlone(t *testing.T) {
	eachStaff(t, func(t *testing.T, w staff) {
		a := w.call("POST", "create", map[string]any{"firstName": " Zoë "}).Is(201)
		if a.Data["firstName"] != "Zoë" || a.Data["employeeCode"] != "E0001" || a.Data["type"] != "TEACHER" || a.Data["status"] != "ACTIVE" ||
			a.Data["userId"] != nil || a.Data["roleId"] != string(w.role(actor.Teacher)) || a.Data["salary"] != nil {
			t.Errorf("hired by a first name: %s", a.Text)
		}
		w.call("POST", "create", map[string]any{"lastName": "Nobody"}).Is(422)
		w.call("POST", "create", map[string]any{"firstName": "X", "roleId": peopletest.Nobody}).Is(404, "Not Found")
		w.call("POST", "create", map[string]any{"firstName": "X", "roleId": w.role(actor.Parent)}).Is(422)
		w.call("POST", "create", map[string]any{"firstName": "X", "salary": 10.005}).Is(422)
		w.call("POST", "create", map[string]any{"firstName": "X", "phone": "12"}).Is(422)
		w.call("POST", "create", map[string]any{"firstName": "X", "employeeCode": "E0001"}).Is(409, "DUPLICATE_ENTRY")
		w.Audited("employee.create", 1)
	})
}

func TestEmployeeRecord(t *testing.T) {
	eachStaff(t, func(t *testing.T, w staff) {
		full := map[string]any{"employeeCode": "T-7", "firstName": "Zoë", "lastName": "Ålund", "designation": "Head", "department": "Science",
			"phone": "+1 555 000-0001", "email": "Zoe@Example.org", "dateOfBirth": "1990-02-28", "gender": "FEMALE", "joinDate": "2020-06-01",
			"qualification": "MSc", "salary": 1500.5, "licenseNo": "L1", "status": "ON_LEAVE"}
		at := w.hire(full)
		full["phone"], full["email"] = "+15550000001", "zoe@example.org"
		got := w.call("GET", at, nil).Is(200)
		for k, v := range full {
			if got.Data[k] != v {
				t.Errorf("%s is %v, want %v", k, got.Data[k], v)
			}
		}
		if !strings.Contains(got.Text, `"salary":1500.50`) {
			t.Errorf("money has two decimals: %s", got.Text)
		}
		// Only the keys sent change; null clears.
		got = w.call("PUT", at, map[string]any{"lastName": "Berg", "dateOfBirth": nil, "salary": nil, "version": 1}).Is(200)
		if got.Data["lastName"] != "Berg" || got.Data["dateOfBirth"] != nil || got.Data["salary"] != nil ||
			got.Data["department"] != "Science" || got.Data["version"] != 2.0 {
			t.Errorf("changed: %s", got.Text)
		}
		if u := w.account(at); u.Name != "Zoë Berg" {
			t.Errorf("the account is named %q", u.Name)
		}
		w.call("PUT", at, map[string]any{"lastName": "Late", "version": 1}).Is(409, "Conflict")
		if got := w.call("PUT", at, map[string]any{"lastName": "Berg"}).Is(200); got.Data["version"] != 2.0 {
			t.Errorf("no change is no version: %s", got.Text)
		}
		w.call("PUT", at, map[string]any{"firstName": " "}).Is(422)
		w.hire(map[string]any{"firstName": "B", "employeeCode": "T-8"})
		w.call("PUT", at, map[string]any{"employeeCode": "T-8"}).Is(409, "DUPLICATE_ENTRY")
		if list := w.Call(w.North.Admin, "GET", employeePath+"list?search=berg", nil).All("items", "id"); !slices.Equal(list, []string{at}) {
			t.Errorf("search follows the name: %v", list)
		}
		foreign, _ := w.Employ(w.South, actor.Teacher, people.NewEmployee{EmployeeCode: "F", FirstName: "Far"})
		for _, unknown := range []string{string(foreign), string(peopletest.Nobody)} {
			w.call("GET", unknown, nil).Is(404, "Not Found")
			w.call("PUT", unknown, map[string]any{"firstName": "X"}).Is(404, "Not Found")
			w.call("DELETE", unknown, nil).Is(404, "Not Found")
		}
	})
}

func TestEmployeeCodes(t *testing.T) {
	eachStaff(t, func(t *testing.T, w staff) {
		for _, code := range []string{"E00012", "E7", "EX99", "E99999999999", "e5"} {
			w.hire(map[string]any{"firstName": "X", "employeeCode": code})
		}
		for _, want := range []string{"E0013", "E0014"} {
			if got := w.call("POST", "create", map[string]any{"firstName": "Y"}).Is(201).Data["employeeCode"]; got != want {
				t.Errorf("code %v, want %s", got, want)
			}
		}
		last := w.hire(map[string]any{"firstName": "Gone"})
		w.call("DELETE", last, nil).Is(204)
		if got := w.call("POST", "create", map[string]any{"firstName": "Y"}).Is(201).Data["employeeCode"]; got != "E0016" {
			t.Errorf("code %v is another's who left", got)
		}
		var ids []id.ID
		w.In(w.North, func(ctx context.Context, tx *db.Tx) (err error) {
			ids, err = w.People.AddEmployees(ctx, tx, actor.Actor{},
				[]people.NewEmployee{{FirstName: "A"}, {FirstName: "B", EmployeeCode: "E0020"}, {FirstName: "C"}})
			return err
		})
		for i, want := range []string{"E0021", "E0020", "E0022"} {
			if got := w.call("GET", string(ids[i]), nil).Is(200).Data["employeeCode"]; got != want {
				t.Errorf("code %v of a batch, want %s", got, want)
			}
		}
	})
}

func TestEmployeesAtOnceHaveCodesOfTheirOwn(t *testing.T) {
	eachStaff(t, func(t *testing.T, w staff) {
		var wg sync.WaitGroup
		statuses := make([]int, 16)
		for i := range statuses {
			wg.Go(func() { statuses[i] = w.call("POST", "create", map[string]any{"firstName": fmt.Sprint("N", i)}).Status })
		}
		wg.Wait()
		for _, s := range statuses {
			if s != 201 {
				t.Fatalf("answers %v", statuses)
			}
		}
	})
}

func TestEmployeeAccount(t *testing.T) {
	eachStaff(t, func(t *testing.T, w staff) {
		const phone = "+15550000001"
		at := w.hire(map[string]any{"firstName": "Zoë", "email": "zoe@example.org"}) // teachers don't sign in by e-mail
		if w.UserOf(w.North, "employees", "id", at) != "" {
			t.Error("an account without a phone")
		}
		w.call("PUT", at, map[string]any{"phone": phone}).Is(200)
		u := w.account(at)
		if u.Role != actor.Teacher || u.Phone == nil || *u.Phone != phone || u.Status != identity.Active {
			t.Errorf("the account that came with the phone: %+v", u)
		}
		w.call("POST", "create", map[string]any{"firstName": "Other", "phone": phone}).Is(409, "DUPLICATE_ENTRY")
		w.hire(map[string]any{"firstName": "Driver too", "phone": phone, "roleId": w.role(actor.Driver)}) // another role, another account

		w.signIn(u.ID)
		w.call("PUT", at, map[string]any{"phone": "+15550000002"}).Is(200)
		if u = w.account(at); *u.Phone != "+15550000002" || w.sessions(u.ID) != 0 {
			t.Errorf("another phone ends the sign-ins: %+v, %d sessions", u, w.sessions(u.ID))
		}
		w.call("PUT", at, map[string]any{"phone": ""}).Is(422)

		w.signIn(u.ID)
		w.call("PUT", at, map[string]any{"status": "ON_LEAVE"}).Is(200)
		if w.account(at).Status != identity.Active || w.sessions(u.ID) != 1 {
			t.Error("who is on leave still signs in")
		}
		w.call("PUT", at, map[string]any{"status": "RESIGNED"}).Is(200)
		if w.account(at).Status != identity.Disabled || w.sessions(u.ID) != 0 {
			t.Error("who has resigned must not sign in")
		}
		w.call("PUT", at, map[string]any{"status": "ACTIVE"}).Is(200)
		if w.account(at).Status != identity.Active {
			t.Error("who is back signs in again")
		}
		if n := w.Count(`audit_log WHERE school_id = :school AND action = 'employee.update'
			AND entity_id = :id`, db.Args{"id": at}); n != 5 {
			t.Errorf("%d entries in the log, want 5", n)
		}
	})
}

func TestResignedHasNoNewAccount(t *testing.T) {
	eachStaff(t, func(t *testing.T, w staff) {
		at := w.hire(map[string]any{"firstName": "Zoë", "status": "RESIGNED", "phone": "+15550000001"})
		if w.UserOf(w.North, "employees", "id", at) != "" {
			t.Error("an account for one who has resigned")
		}
		w.call("PUT", at, map[string]any{"status": "ACTIVE"}).Is(200)
		if w.account(at).Status != identity.Active {
			t.Error("no account for one who is back")
		}
	})
}

// assigned gives an employee a class, and returns how many it has now.
func (w staff) assigned(employee string) func() int {
	w.Helper()
	class, _ := seat(w.World, w.North, "Class of "+employee)
	w.Exec(w.North, `INSERT INTO teacher_assignments (school_id, id, employee_id, academic_year_id, class_id, is_class_teacher, created_at)
		VALUES (:school, :id, :employee, :year, :class, TRUE, '2026-06-01T00:00:00.000Z')`,
		db.Args{"id": id.New(), "employee": employee, "year": w.North.Year, "class": class})
	return func() int {
		return w.Count(`teacher_assignments WHERE school_id = :school AND employee_id = :id`, db.Args{"id": employee})
	}
}

func TestEmployeeChangesRole(t *testing.T) {
	eachStaff(t, func(t *testing.T, w staff) {
		at := w.hire(map[string]any{"firstName": "Zoë", "phone": "+15550000001"})
		classes := w.assigned(at)
		w.call("PUT", at, map[string]any{"roleId": peopletest.Nobody}).Is(404, "Not Found")
		w.call("PUT", at, map[string]any{"roleId": w.role(actor.Parent)}).Is(422)
		w.call("PUT", at, map[string]any{"roleId": w.role(actor.SchoolAdmin)}).Is(422) // without an e-mail
		if classes() != 1 || w.account(at).Role != actor.Teacher {
			t.Error("a change that was refused changed something")
		}
		got := w.call("PUT", at, map[string]any{"roleId": w.role(actor.Driver)}).Is(200)
		if u := w.account(at); got.Data["type"] != "DRIVER" || u.Role != actor.Driver || u.RoleID != w.role(actor.Driver) || classes() != 0 {
			t.Errorf("a driver now: %s, account %+v, %d classes", got.Text, u, classes())
		}
		w.hire(map[string]any{"firstName": "Ben", "phone": "+15550000001"}) // the teacher's phone is free again
		w.call("PUT", at, map[string]any{"roleId": w.role(actor.Teacher)}).Is(409, "DUPLICATE_ENTRY")
	})
}

func TestEmployeeIsDeleted(t *testing.T) {
	eachStaff(t, func(t *testing.T, w staff) {
		at := w.hire(map[string]any{"firstName": "Zoë", "phone": "+15550000001", "employeeCode": "T1"})
		user, classes := w.account(at).ID, w.assigned(at)
		w.signIn(user)
		w.call("DELETE", at, nil).Is(204)
		w.call("GET", at, nil).Is(404, "Not Found")
		w.call("DELETE", at, nil).Is(404, "Not Found")
		if list := w.call("GET", "list", nil).All("items", "id"); len(list) != 0 {
			t.Errorf("in the list: %v", list)
		}
		if w.sessions(user) != 0 || classes() != 0 {
			t.Errorf("%d sessions and %d classes left", w.sessions(user), classes())
		}
		if n := w.Count(`users WHERE school_id = :school AND id = :id AND status = 'ACTIVE'`, db.Args{"id": user}); n != 0 {
			t.Error("the account can still sign in")
		}
		w.call("POST", "create", map[string]any{"firstName": "New", "employeeCode": "T1"}).Is(409, "DUPLICATE_ENTRY")
		again := w.hire(map[string]any{"firstName": "Zoë", "phone": "+15550000001"})
		if u := w.account(again); u.ID == user || u.Status != identity.Active {
			t.Errorf("hired again: %+v", u)
		}
		w.Audited("employee.delete", 1)
	})
}

// administrator hires one, who is signed in by the returned token.
func (w staff) administrator(email string) (employee, token string) {
	w.Helper()
	employee = w.hire(map[string]any{"firstName": "Ad", "roleId": w.role(actor.SchoolAdmin)})
	w.In(w.North, func(ctx context.Context, tx *db.Tx) error { // with a password no reset link is sent
		user, err := w.People.Accounts.CreateAccount(ctx, tx, actor.Actor{School: w.North.ID}, identity.NewAccount{
			Role: actor.SchoolAdmin, Name: "Ad", Email: email, PasswordHash: "of no password"})
		token = w.North.Token(user)
		return err
	})
	w.call("PUT", employee, map[string]any{"email": email}).Is(200)
	return employee, token
}

func TestAccountThatIsThere(t *testing.T) {
	eachStaff(t, func(t *testing.T, w staff) {
		employee, token := w.administrator("ad@example.org")
		if got := w.North.Token(w.account(employee).ID); got != token {
			t.Errorf("the account of the same e-mail became another: %s, want %s", got, token)
		}
		// The school's first administrator, who is no employee yet.
		own := w.hire(map[string]any{"firstName": "First", "email": "north@example.org", "roleId": w.role(actor.SchoolAdmin)})
		if u := w.account(own); w.North.Token(u.ID) != w.North.Admin || u.Name != "First" {
			t.Errorf("the first administrator's account: %+v", u)
		}
		w.call("POST", "create", map[string]any{"firstName": "Twice", "email": "north@example.org",
			"roleId": w.role(actor.SchoolAdmin)}).Is(409, "DUPLICATE_ENTRY")
	})
}

func TestAdministratorsKeepOneAnother(t *testing.T) {
	eachStaff(t, func(t *testing.T, w staff) {
		own := w.hire(map[string]any{"firstName": "First", "email": "north@example.org", "roleId": w.role(actor.SchoolAdmin)})
		w.call("DELETE", own, nil).Is(409, "Conflict")
		w.call("PUT", own, map[string]any{"roleId": w.role(actor.Teacher), "phone": "+15550000001"}).Is(409, "Conflict")
		w.call("PUT", own, map[string]any{"status": "RESIGNED"}).Is(409, "Conflict")
		w.call("PUT", own, map[string]any{"status": "ON_LEAVE", "designation": "Head"}).Is(200)

		other, token := w.administrator("ad@example.org")
		demote := map[string]any{"roleId": w.role(actor.Teacher), "phone": "+15550000001"}
		w.Call(token, "PUT", employeePath+own, demote).Is(200) // the other stays
		w.Call(token, "DELETE", employeePath+other, nil).Is(409, "Conflict")
		if n := w.Count(`users WHERE school_id = :school AND role = 'SCHOOL_ADMIN' AND status = 'ACTIVE'`, nil); n != 1 {
			t.Errorf("%d administrators, want 1", n)
		}
	})
}
