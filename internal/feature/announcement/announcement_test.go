package announcement_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// TestAudience publishes to each audience: only its members see it in their lists, can
// open it and get a notification, and the push goes to their topics only.
func TestAudience(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		school := []string{"school_" + string(w.North.ID)}
		teacher := func(who ...*apptest.Account) (out []string) {
			for _, a := range who {
				out = append(out, "teacher_"+string(a.ID))
			}
			return out
		}
		for _, tt := range []struct {
			body   m
			who    string
			topics []string
		}{
			{m{"audience": "ALL"}, "ann bob driver mia mia2 noa oli parent teacher", school},
			{m{}, "ann bob driver mia mia2 noa oli parent teacher", school},
			// Max has the same parents as Mia: one topic is enough.
			{m{"audience": "PARENTS"}, "mia mia2 noa oli parent", []string{"student_" + w.mia, "student_" + w.noa, "student_" + w.oli}},
			{m{"audience": "TEACHERS"}, "ann bob teacher", teacher(w.ann, w.bob, w.North.Teacher)},
			{m{"audience": "DRIVERS"}, "driver", []string{"driver_" + string(w.North.Driver.ID)}},
			{m{"audience": "CLASS", "classIds": []string{w.one}}, "ann mia mia2 noa", append(teacher(w.ann), "student_"+w.mia, "student_"+w.noa)},
			{m{"audience": "CLASS", "classIds": []string{w.one, w.two, w.two}}, "ann bob mia mia2 noa oli",
				append(teacher(w.ann, w.bob), "student_"+w.mia, "student_"+w.noa, "student_"+w.oli)},
			{m{"audience": "DIVISION", "divisionIds": []string{w.oneB}}, "noa", []string{"student_" + w.noa}},
			{m{"audience": "DIVISION", "divisionIds": []string{w.oneA, w.twoA}}, "ann bob mia mia2 oli",
				append(teacher(w.ann, w.bob), "student_"+w.mia, "student_"+w.oli)},
		} {
			text := string(w.NewID())
			tt.body["title"], tt.body["body"] = text, text
			made := w.write(tt.body)
			at, want := made.Text("id"), strings.Split(tt.who, " ")
			if made["audienceCount"] != float64(len(want)) || made["readCount"] != 0.0 || made["status"] != "PUBLISHED" {
				t.Errorf("%v: %v", tt.body, made)
			}
			for name, who := range w.readers() {
				in := slices.Contains(want, name)
				apptest.Eq(t, fmt.Sprint(tt.body, ": in the list of ", name), strings.Contains(w.list(who, ""), text), in)
				if got := strings.Count(w.log(who), text); got == 1 != in || got > 1 {
					t.Errorf("%v: %d times in the log of %s", tt.body, got, name)
				}
				if r := w.open(who, at); in {
					r.OK()
				} else {
					r.Want(404, "Not Found")
				}
			}
			slices.Sort(tt.topics)
			apptest.Eq(t, fmt.Sprint(tt.body, ": pushed to"), w.pushes(text), tt.topics)
			if o := w.read(at); o["readCount"] != float64(len(want)) || o["audienceCount"] != o["readCount"] {
				t.Errorf("%v: %v", tt.body, o)
			}
		}
	})
}

// TestPush checks the push to a parent's device, for a school that sends details.
func TestPush(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/setting", m{"pushDetails": true}).OK()
		w.As(w.ofNoa, "POST", "/parent/notification/token", m{"fcmToken": "phone"}).OK()
		long := strings.Repeat("é", 400)
		at := w.write(m{"title": "Long", "body": long, "audience": "DIVISION", "divisionIds": []string{w.oneB}}).Text("id")
		type sent struct {
			Subject, Body string
			Data          db.JSON[map[string]string]
		}
		push, err := db.One[sent](t.Context(), w.DB.School(w.North.ID), `
			SELECT subject, body, data FROM deliveries WHERE school_id = :school AND channel = 'push'`, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[string]string{"type": "ANNOUNCEMENT", "id": at, "studentId": w.noa}; push.Subject != "Long" ||
			!maps.Equal(push.Data.V, want) {
			t.Errorf("%v, want %v", push, want)
		}
		if want := strings.Repeat("é", 299) + "…"; push.Body != want || w.log(w.ofNoa) != want {
			t.Errorf("pushed %q, logged %q", push.Body, w.log(w.ofNoa))
		}
		apptest.Eq[any](t, "the body of the announcement was shortened", w.open(w.ofNoa, at).OK()["body"], long)
	})
}

func TestRead(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.write(m{"title": "T", "attachments": []string{w.Upload(w.North.Admin)}}).Text("id")
		counts := func() string {
			one, list := w.read(at), w.Admin("GET", admin+"list", nil).OK().Items()[0]
			if one["readCount"] != list["readCount"] || one["audienceCount"] != list["audienceCount"] {
				t.Errorf("one %v, in the list %v", one, list)
			}
			return fmt.Sprint(one["readCount"], " of ", one["audienceCount"])
		}
		isRead := func() any {
			return w.As(w.ofMia, "GET", "/parent/announcement/list", nil).OK().Items()[0]["isRead"]
		}
		if counts() != "0 of 9" || isRead() != false {
			t.Errorf("read counts: got %v, %v", counts(), isRead())
		}
		for range 3 {
			if o := w.open(w.ofMia, at).OK(); o["isRead"] != true || o["readCount"] != nil || o["audienceCount"] != nil ||
				len(o["attachments"].([]any)) != 1 {
				t.Errorf("opened announcement: got %v", o)
			}
		}
		if counts() != "1 of 9" || isRead() != true {
			t.Errorf("read counts: got %v, %v", counts(), isRead())
		}
		w.open(w.North.Driver, at).OK()
		w.open(w.ann, at).OK()
		w.read(at) // an administrator does not count as a reader
		apptest.Eq(t, "read counts", counts(), "3 of 9")
		own := w.As(w.ann, "POST", "/teacher/announcement/create",
			m{"title": "Own", "audience": "DIVISION", "divisionIds": []string{w.oneA}}).OK()
		w.open(w.ann, own.Text("id")).OK()
		if o := w.read(own.Text("id")); o["readCount"] != 0.0 || o["audienceCount"] != 2.0 || o["createdBy"] != string(w.ann.ID) ||
			o["authorName"] != "Ann" {
			t.Errorf("announcement: got %v", o)
		}
	})
}

func TestTeacherWrites(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		far := w.As(w.South.Admin, "POST", "/school-admin/class/create", m{"name": "Far"}).OK().Text("id")
		const create = "/teacher/announcement/create"
		class := func(ids ...string) m { return m{"title": "T", "audience": "CLASS", "classIds": ids} }
		division := func(ids ...string) m { return m{"title": "T", "audience": "DIVISION", "divisionIds": ids} }
		for _, tt := range []struct {
			who    *apptest.Account
			body   m
			status int
			error  string
		}{
			{w.ann, division(w.oneA), 201, ""},
			{w.ann, division(w.oneB), 403, "PERMISSION_DENIED"},
			{w.ann, division(w.oneA, w.oneB), 403, "PERMISSION_DENIED"},
			{w.ann, class(w.one), 403, "PERMISSION_DENIED"}, // she teaches a part of it
			{w.ann, division(w.oneA, string(w.NewID())), 404, "Not Found"},
			{w.ann, class(far), 404, "Not Found"},
			{w.bob, class(w.two), 201, ""},
			{w.bob, division(w.twoA), 201, ""},
			{w.bob, class(w.two, w.one), 403, "PERMISSION_DENIED"},
			{w.North.Teacher, class(w.one), 403, "PERMISSION_DENIED"},
			{w.ann, m{"title": "T", "audience": "ALL"}, 422, "Unprocessable Entity"},
			{w.ann, m{"title": "T", "audience": "PARENTS"}, 422, "Unprocessable Entity"},
			{w.ann, m{"title": "T"}, 422, "Unprocessable Entity"},
			{w.ann, division(), 422, "Unprocessable Entity"},
		} {
			if r := w.As(tt.who, "POST", create, tt.body); tt.error != "" {
				r.Want(tt.status, tt.error)
			} else if r.OK(); r.Status != tt.status {
				t.Errorf("%v: %d", tt.body, r.Status)
			}
		}
		apptest.Eq(t, "announcements", w.Count(`announcements WHERE school_id = :school`, nil), 3)
		// With both divisions, she teaches the class.
		e, err := db.One[id.ID](t.Context(), w.DB.School(w.North.ID), `SELECT id FROM employees WHERE school_id = :school AND first_name = 'Ann'`,
			nil)
		if err != nil {
			t.Fatal(err)
		}
		w.Admin("POST", "/school-admin/employee/"+string(e)+"/assignments", m{"assignments": []m{
			{"classId": w.one, "divisionId": w.oneA}, {"classId": w.one, "divisionId": w.oneB}}}).OK()
		w.As(w.ann, "POST", create, class(w.one)).OK()
		w.As(w.ofMia, "POST", create, class(w.one)).Want(403, "PERMISSION_DENIED")
	})
}

func TestRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		soon := w.Now().Add(time.Hour).Format(time.RFC3339)
		for field, body := range map[string]m{
			"title":       {"body": "no title"},
			"audience":    {"title": "T", "audience": "EVERYONE"},
			"classIds":    {"title": "T", "audience": "CLASS"},
			"divisionIds": {"title": "T", "audience": "DIVISION", "divisionIds": []string{}},
			"attachments": {"title": "T", "attachments": slices.Repeat([]id.ID{w.NewID()}, 11)},
			"expiresAt":   {"title": "T", "publishAt": soon, "expiresAt": soon},
			"publishAt":   {"title": "T", "publishAt": "tomorrow"},
		} {
			e := w.Admin("POST", admin+"create", body).Want(422, "Unprocessable Entity")
			if len(e.Details) != 1 || e.Details[0].Field != field {
				t.Errorf("%v: %v", body, e)
			}
		}
		for _, body := range []m{{"title": "T", "classIds": []string{w.one}},
			{"title": "T", "audience": "CLASS", "classIds": []string{w.one}, "divisionIds": []string{w.oneA}},
			{"title": "T", "expiresAt": "2001-01-01T00:00:00Z"}, {"title": " "}, {"title": strings.Repeat("x", 201)},
			{"title": "T", "attachments": []string{"a.pdf"}}} {
			w.Admin("POST", admin+"create", body).Want(422, "Unprocessable Entity")
		}
		apptest.Eq(t, "announcements", w.Count(`announcements WHERE school_id = :school`, nil), 0)
	})
}
