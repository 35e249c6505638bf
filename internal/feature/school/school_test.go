package school_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/feature/access/accesstest"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/web/webtest"
)

func TestCreate(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		a := w.Call(super, "POST", "/super-admin/school/create", m{"name": " Grünfeld ", "code": "green-1",
			"admin":        m{"name": "Ada", "email": "Ada@Green.test", "phone": "+1 555 010-0001"},
			"academicYear": m{"name": "2026/27", "startDate": "2026-09-01", "endDate": "2027-07-31"}}).Is(201)
		want := m{"name": "Grünfeld", "code": "GREEN-1", "timezone": "UTC", "currency": "USD", "locale": "en", "status": "ACTIVE",
			"evaluationMode": false, "attendanceLockDays": 7.0, "classTeacherMarks": false, "weekendDays": []any{6.0, 7.0}, "version": 1.0,
			"strongPins": false, "requireSecondFactor": false, "pushDetails": false, "digestMinutes": 10.0,
			"dateFormat": "YYYY-MM-DD", "brandColor": nil, "emailFooter": nil, "smsPerDay": 0.0, "emailPerDay": 0.0,
			"smsTypes": []any{}, "smsCost": 0.0, "emergencyContacts": []any{},
			"phone": nil, "email": nil, "address": nil, "lat": nil, "lng": nil, "logoFileId": nil, "logoUrl": nil,
			"id": a.Data["id"], "createdAt": a.Data["createdAt"], "updatedAt": a.Data["updatedAt"]}
		if d := cmp.Diff(want, a.Data); d != "" {
			t.Errorf("created school (-want +got):\n%s", d)
		}
		if d := cmp.Diff(want, w.Call(super, "GET", "/super-admin/school/"+a.ID(), nil).Is(200).Data); d != "" {
			t.Errorf("school (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]string{a.ID() + " Ada ada@green.test +15550100001"}, w.admins.invited); d != "" {
			t.Errorf("invited administrators (-want +got):\n%s", d)
		}
		admin := "SCHOOL_ADMIN " + a.ID() // the school has its roles
		years := w.Call(admin, "GET", "/school-admin/academic-year/list?isCurrent=true", nil)
		if d := cmp.Diff([]string{"2026/27"}, years.All("items", "name")); d != "" {
			t.Errorf("current years (-want +got):\n%s", d)
		}
		actions := w.Call(super, "GET", "/super-admin/audit/list?schoolId="+a.ID(), nil).All("items", "action")
		slices.Sort(actions)
		if d := cmp.Diff([]string{"academic-year.create", "school.create"}, actions); d != "" {
			t.Errorf("audit actions (-want +got):\n%s", d)
		}
	})
}

func TestCreateRefuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.newSchool("TAKEN")
		before := w.Call(super, "GET", "/super-admin/school/list", nil).All("items", "code")
		for _, tt := range []struct {
			name   string
			data   m
			status int
			error  string
			field  string
		}{
			{"nothing", m{}, 422, "Unprocessable Entity", "name"},
			{"no code", m{"name": "A"}, 422, "Unprocessable Entity", "code"},
			{"short code", m{"name": "A", "code": "A"}, 422, "Unprocessable Entity", "code"},
			{"code of other letters", m{"name": "A", "code": "A_B"}, 422, "Unprocessable Entity", "code"},
			{"blank name", m{"name": " ", "code": "OK"}, 422, "Unprocessable Entity", "name"},
			{"time zone", m{"name": "A", "code": "OK", "timezone": "Mars/North"}, 422, "Unprocessable Entity", "timezone"},
			{"currency", m{"name": "A", "code": "OK", "currency": "euro"}, 422, "Unprocessable Entity", "currency"},
			{"locale", m{"name": "A", "code": "OK", "locale": "english!"}, 422, "Unprocessable Entity", "locale"},
			{"phone", m{"name": "A", "code": "OK", "phone": "12"}, 422, "Unprocessable Entity", "phone"},
			{"administrator", m{"name": "A", "code": "OK", "admin": m{"name": "Ada"}}, 422, "Unprocessable Entity", "admin.email"},
			{"year", m{"name": "A", "code": "OK", "academicYear": m{"name": "Y", "startDate": "2026-09-01", "endDate": "2026-09-01"}},
				422, "Unprocessable Entity", "academicYear.endDate"},
			{"code in use, in small letters", m{"name": "A", "code": "taken"}, 409, "DUPLICATE_ENTRY", ""},
			{"the platform's code", m{"name": "A", "code": "PLATFORM"}, 409, "DUPLICATE_ENTRY", ""},
		} {
			a := w.Call(super, "POST", "/super-admin/school/create", tt.data)
			if a.Status != tt.status || a.Error != tt.error || tt.field != "" && !a.About(tt.field) {
				t.Errorf("%s: %s", tt.name, a.Text)
			}
		}
		w.admins.fail = errors.New("no account for you")
		w.Call(super, "POST", "/super-admin/school/create", m{"name": "A", "code": "OK", "admin": m{"name": "Ada", "email": "a@b.test"}}).Is(500)
		if d := cmp.Diff(before, w.Call(super, "GET", "/super-admin/school/list", nil).All("items", "code")); d != "" {
			t.Error("something was written:", d)
		}
	})
}

func TestUpdate(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		w.newSchool("TWO")
		path := "/super-admin/school/" + string(at)
		a := w.Call(super, "PUT", path, m{"name": "Öffentliche Schule", "code": "uno", "phone": "+15550100001", "timezone": "Europe/Berlin",
			"logoFileId": accesstest.Nobody, "version": 1}).Is(200)
		want := m{"name": "Öffentliche Schule", "code": "UNO", "phone": "+15550100001", "timezone": "Europe/Berlin",
			"logoFileId": accesstest.Nobody,
			"version":    2.0}
		for k, v := range want {
			if a.Data[k] != v {
				t.Errorf("%s is %v, want %v", k, a.Data[k], v)
			}
		}
		w.Announced("school:" + string(at))
		entry := w.LastAudit(super, at)
		before := m{"name": "School ONE", "code": "ONE", "phone": nil, "timezone": "UTC", "logoFileId": nil, "version": 1.0}
		if d := cmp.Diff(before, without(entry["before"], "updatedAt")); d != "" {
			t.Errorf("before in the audit entry (-want +got):\n%s", d)
		}
		if d := cmp.Diff(want, without(entry["after"], "updatedAt")); d != "" {
			t.Errorf("after in the audit entry (-want +got):\n%s", d)
		}
		found := w.Call(super, "GET", "/super-admin/school/list?search=%C3%96FFENT", nil).All("items", "code")
		if d := cmp.Diff([]string{"UNO"}, found); d != "" {
			t.Error("the new name is not found:", d)
		}
		for _, tt := range []struct {
			name   string
			data   m
			status int
			error  string
		}{
			{"an older version", m{"name": "X", "version": 1}, 409, "Conflict"},
			{"a version to come", m{"name": "X", "version": 3}, 409, "Conflict"},
			{"another school's code", m{"code": "two"}, 409, "DUPLICATE_ENTRY"},
			{"a blank name", m{"name": " "}, 422, "Unprocessable Entity"},
			{"no time zone", m{"timezone": ""}, 422, "Unprocessable Entity"},
			{"no currency", m{"currency": ""}, 422, "Unprocessable Entity"},
			{"a colour by name", m{"brandColor": "red"}, 422, "Unprocessable Entity"},
			{"a colour and more", m{"brandColor": "#ff0000;x"}, 422, "Unprocessable Entity"},
			{"a place beyond the pole", m{"lat": 90.1, "lng": 0}, 422, "Unprocessable Entity"},
			{"a place beyond the date line", m{"lat": 0, "lng": -180.5}, 422, "Unprocessable Entity"},
			{"half a place", m{"lat": 52.5}, 422, "Unprocessable Entity"},
			{"the other half", m{"lng": 13.4, "lat": nil}, 422, "Unprocessable Entity"},
			{"half of no place", m{"lng": nil}, 422, "Unprocessable Entity"},
			{"a digest of a day", m{"digestMinutes": 1440}, 422, "Unprocessable Entity"},
		} {
			if a := w.Call(super, "PUT", path, tt.data); a.Status != tt.status || a.Error != tt.error {
				t.Errorf("%s: %s", tt.name, a.Text)
			}
		}
		a = w.Call(super, "PUT", path, m{"phone": "", "logoFileId": nil}).Is(200)
		if a.Data["phone"] != nil || a.Data["logoFileId"] != nil || a.Data["name"] != "Öffentliche Schule" {
			t.Error("phone and logo should be gone, and nothing else:", a.Text)
		}
		for _, place := range []m{{"lat": 52.52, "lng": -13.405}, {"lat": 0.0, "lng": 0.0}, {"lat": nil, "lng": nil}} {
			w.Call(admin, "PUT", "/school-admin/setting", place).Is(200)
			a = w.Call(admin, "PUT", "/school-admin/setting", m{"address": "1 High St"}).Is(200) // the place stays
			if a.Data["lat"] != place["lat"] || a.Data["lng"] != place["lng"] {
				t.Errorf("place: got %v %v, want %v", a.Data["lat"], a.Data["lng"], place)
			}
		}
		a = w.Call(super, "PUT", path+"/settings", m{"evaluationMode": true, "attendanceLockDays": 0, "name": "ignored"}).Is(200)
		if a.Data["evaluationMode"] != true || a.Data["attendanceLockDays"] != 0.0 || a.Data["name"] != "Öffentliche Schule" {
			t.Errorf("changed settings: got %s", a.Text)
		}
		w.Call(super, "PUT", path+"/settings", m{"evaluationMode": false, "version": 1}).Is(409, "Conflict")
		if a := w.Call(admin, "GET", "/school-admin/setting", nil).Is(200); a.Data["evaluationMode"] != true {
			t.Errorf("settings of the school: got %s, want evaluation mode", a.Text)
		}
	})
}

func TestSuspend(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, _ := w.newSchool("ONE")
		path := "/super-admin/school/" + string(at)
		w.Call(super, "POST", path+"/resume", nil).Is(409, "Conflict")
		if a := w.Call(super, "POST", path+"/suspend", nil).Is(200); a.Data["status"] != "SUSPENDED" {
			t.Errorf("suspended school: got %s", a.Text)
		}
		w.Announced("school:" + string(at))
		e := w.LastAudit(super, at)
		if e["action"] != "school.suspend" || e["userId"] != string(accesstest.User) || e["role"] != "SUPER_ADMIN" || e["requestId"] == "" {
			t.Errorf("audit entry of the suspension: got %v", e)
		}
		w.Call(super, "POST", path+"/suspend", nil).Is(409, "Conflict")
		if a := w.Call(super, "POST", path+"/resume", nil).Is(200); a.Data["status"] != "ACTIVE" {
			t.Errorf("resumed school: got %s", a.Text)
		}
	})
}

// TestKeyed repeats calls of the platform with an Idempotency-Key.
func TestKeyed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		twice := func(method, path string, data m, status int) webtest.Answer {
			first := w.Call(super, method, path, data, "Idempotency-Key", method+path).Is(status)
			if again := w.Call(super, method, path, data, "Idempotency-Key", method+path).Is(status); again.Text != first.Text {
				t.Errorf("%s: %s, and again %s", first.Request, first.Text, again.Text)
			}
			return first
		}
		at := twice("POST", "/super-admin/school/create", m{"name": "Once", "code": "ONCE"}, 201).ID()
		twice("PUT", "/super-admin/school/"+at, m{"name": "Twice"}, 200)
		twice("POST", "/super-admin/school/"+at+"/suspend", nil, 200)
		w.Announced("school:" + at)
		a := w.Call(super, "GET", "/super-admin/school/"+at, nil).Is(200)
		if a.Data["version"] != 3.0 || a.Data["name"] != "Twice" || a.Data["status"] != "SUSPENDED" {
			t.Errorf("school after repeated calls: got %s", a.Text)
		}
		w.Call(super, "POST", "/super-admin/school/create", m{"name": "Other", "code": "ONCE"}, "Idempotency-Key", "dup").
			Is(409, "DUPLICATE_ENTRY")
	})
}

// TestPlatformIsNoSchool requests the platform's own school by every route.
func TestPlatformIsNoSchool(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if codes := w.Call(super, "GET", "/super-admin/school/list", nil).All("items", "code"); len(codes) != 0 {
			t.Error("the platform is listed:", codes)
		}
		for _, tt := range []struct {
			method, path string
			data         m
		}{
			{"GET", "", nil}, {"PUT", "", m{"name": "X"}}, {"DELETE", "?confirm=PLATFORM", nil},
			{"POST", "/suspend", nil}, {"POST", "/resume", nil}, {"PUT", "/settings", m{"evaluationMode": true}},
		} {
			own := w.Call(super, tt.method, "/super-admin/school/"+string(school.PlatformID)+tt.path, tt.data).Is(404, "Not Found")
			none := w.Call(super, tt.method, "/super-admin/school/"+accesstest.Nobody+tt.path, tt.data).Is(404, "Not Found")
			if own.Text != none.Text {
				t.Errorf("the platform's school: got %s, want the same as an unknown school: %s", own.Text, none.Text)
			}
		}
	})
}

// TestPlatformAtOnce creates the platform's school from several nodes at once.
func TestPlatformAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		errs := make(chan error)
		for range 8 {
			go func() { errs <- w.schools.Platform(t.Context()) }()
		}
		for range 8 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		n, err := db.One[int](t.Context(), w.DB.School(school.PlatformID), `SELECT count(*) FROM roles WHERE school_id = :school`, nil)
		if err != nil || n != 1 {
			t.Error("roles of the platform:", n, err)
		}
	})
}

func TestListSchools(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, code := range []string{"A-1", "B-1", "B-2", "C-1"} {
			w.newSchool(code)
		}
		second := w.Call(super, "GET", "/super-admin/school/list?search=b-2", nil).Data["items"].([]any)[0].(m)["id"].(string)
		w.Call(super, "POST", "/super-admin/school/"+second+"/suspend", nil).Is(200)
		for _, tt := range []struct {
			query string
			want  []string
		}{
			{"", []string{"A-1", "B-1", "B-2", "C-1"}},
			{"?search=b-", []string{"B-1", "B-2"}},
			{"?search=school%20c", []string{"C-1"}},
			{"?search=%25", []string{}},
			{"?search=_-1", []string{}},
			{"?status=SUSPENDED", []string{"B-2"}},
			{"?status=ACTIVE&search=B", []string{"B-1"}},
			{"?sort=code&order=desc", []string{"C-1", "B-2", "B-1", "A-1"}},
			{"?sort=createdAt&order=desc&limit=1", []string{"C-1"}},
			{"?limit=3&page=2", []string{"C-1"}},
			{"?limit=3&page=3", []string{}},
		} {
			if d := cmp.Diff(tt.want, w.Call(super, "GET", "/super-admin/school/list"+tt.query, nil).All("items", "code")); d != "" {
				t.Errorf("%s: %s", tt.query, d)
			}
		}
		a := w.Call(super, "POST", "/super-admin/school/list", m{"limit": 3, "filters": m{"search": "-1"},
			"sort": m{"field": "name", "order": "desc"}}).Is(200)
		if a.Data["total"] != 3.0 || a.Data["totalPages"] != 1.0 {
			t.Errorf("list by POST: got %s, want 3 schools on 1 page", a.Text)
		}
		w.Call(super, "GET", "/super-admin/school/list?color=red", nil).Is(422, "Unprocessable Entity", "color")
		w.Call(super, "GET", "/super-admin/school/list?sort=phone", nil).Is(422, "Unprocessable Entity", "sort.field")
		w.Call(super, "GET", "/super-admin/school/list?status=DELETING", nil).Is(422, "Unprocessable Entity", "status")
	})
}

func TestSetting(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		_, other := w.newSchool("TWO")
		a := w.Call(admin, "PUT", "/school-admin/setting", m{"name": "One", "currency": "EUR", "weekendDays": []int{5, 6},
			"attendanceLockDays": 3,
			"evaluationMode":     true, "code": "STOLEN", "status": "SUSPENDED", "version": 1}).Is(200)
		got := w.Call(admin, "GET", "/school-admin/setting", nil).Is(200)
		if d := cmp.Diff(a.Data, got.Data); d != "" {
			t.Errorf("settings (-PUT +GET):\n%s", d)
		}
		for k, v := range (m{"id": string(at), "name": "One", "currency": "EUR", "attendanceLockDays": 3.0, "evaluationMode": true,
			"code": "ONE", "status": "ACTIVE", "version": 2.0}) {
			if got.Data[k] != v {
				t.Errorf("%s is %v, want %v", k, got.Data[k], v)
			}
		}
		w.Announced("school:" + string(at))
		if a := w.Call(other, "GET", "/school-admin/setting", nil).Is(200); a.Data["name"] != "School TWO" || a.Data["evaluationMode"] != false {
			t.Error("another school changed:", a.Text)
		}
		for _, tt := range []struct {
			data   m
			status int
			field  string
		}{
			{m{"weekendDays": []int{0}}, 422, "weekendDays[0]"},
			{m{"weekendDays": []int{6, 8}}, 422, "weekendDays[1]"},
			{m{"weekendDays": []int{6, 6}}, 422, "weekendDays[1]"},
			{m{"weekendDays": []int{1, 2, 3, 4, 5, 6, 7}}, 422, "weekendDays"},
			{m{"attendanceLockDays": -1}, 422, "attendanceLockDays"},
			{m{"email": "nobody"}, 422, "email"},
			{m{"name": "X", "version": 1}, 409, ""},
		} {
			if a := w.Call(admin, "PUT", "/school-admin/setting", tt.data); a.Status != tt.status || tt.field != "" && !a.About(tt.field) {
				t.Errorf("%v: %s", tt.data, a.Text)
			}
		}
		if a := w.Call(admin, "PUT", "/school-admin/setting", m{"weekendDays": []int{}}).Is(200); len(a.Data["weekendDays"].([]any)) != 0 {
			t.Error("a school without weekend:", a.Text)
		}
		w.Call("TEACHER "+string(at), "GET", "/school-admin/setting", nil).Is(403, "PERMISSION_DENIED")
		w.Call(admin, "GET", "/super-admin/school/list", nil).Is(403, "PERMISSION_DENIED")
	})
}

// TestYoungSetting reads a row that lacks newer settings.
func TestYoungSetting(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		_, err := db.Exec(t.Context(), w.DB.School(at), `UPDATE schools SET settings = '{"attendanceLockDays": 2}' WHERE id = :school`, nil)
		if err != nil {
			t.Fatal(err)
		}
		a := w.Call(admin, "GET", "/school-admin/setting", nil).Is(200)
		if a.Data["attendanceLockDays"] != 2.0 || !cmp.Equal(a.Data["weekendDays"], []any{6.0, 7.0}) {
			t.Errorf("settings of an old row: got %s", a.Text)
		}
	})
}
