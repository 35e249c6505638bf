package oneroster_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
)

// more adds a class without divisions, a student without one, and teachers who share classes.
func (w *world) more() {
	w.Helper()
	two := w.Make("class/create", m{"name": "Grade 2"})
	w.Make("student/create", m{"firstName": "Zed", "lastName": "Two", "classId": two, "guardians": list{
		m{"name": "Uncle", "relation": "GUARDIAN", "phone": "+15550109002"}}})
	w.Make("student/create", m{"firstName": "Kim", "lastName": "One", "classId": w.class})
	una := w.Make("employee/create", m{"firstName": "Una", "lastName": "Elm"})
	w.Admin("POST", "/school-admin/employee/"+una+"/assignments", m{"assignments": list{
		m{"classId": w.class}, m{"classId": w.class, "subjectId": w.maths}, m{"classId": two, "isClassTeacher": true}}}).OK()
}

// records returns all records of a list, page by page as its Link headers say.
func (w *world) records(authorization, list, query string) []m {
	w.Helper()
	out, next := []m{}, list+"?"+query
	for next != "" {
		r := w.get(authorization, next)
		var body map[string][]m
		if err := json.Unmarshal(r.Body, &body); err != nil || r.Status != 200 {
			w.Fatalf("%s: %d %s", next, r.Status, r.Body)
		}
		for _, some := range body {
			out = append(out, some...)
		}
		next = linkOf(r, "next")
	}
	return out
}

var linked = regexp.MustCompile(`<[^>]*/ims/oneroster/rostering/v1p2/([^>]*)>; rel="(\w+)"`)

// linkOf returns a URL of the Link header, below that of the service.
func linkOf(r apptest.Reply, rel string) string {
	for _, l := range linked.FindAllStringSubmatch(r.Header.Get("Link"), -1) {
		if l[2] == rel {
			return l[1]
		}
	}
	return ""
}

// cells returns a record as the row of a CSV file.
func cells(record m) row {
	refs := map[string]string{"org": "orgSourcedId", "school": "schoolSourcedId", "course": "courseSourcedId", "terms": "termSourcedIds",
		"user": "userSourcedId", "class": "classSourcedId", "primaryOrg": "primaryOrgSourcedId", "agents": "agentSourcedIds"}
	out := row{}
	for name, v := range record {
		if n, ok := refs[name]; ok {
			name = n
		}
		switch v := v.(type) {
		case string:
			out[name] = v
		case m: // also of a course
			if name == "schoolYear" {
				name = "schoolYearSourcedId"
			}
			out[name] = v["sourcedId"].(string)
		case []any:
			var all []string
			for _, x := range v {
				if ref, ok := x.(m); ok && ref["sourcedId"] != nil {
					x = ref["sourcedId"]
				}
				all = append(all, fmt.Sprint(x))
			}
			out[name] = strings.Join(all, ",")
		}
	}
	return out
}

// TestSameAsFiles: REST has the records of the CSV files, with the same ids and values.
func TestSameAsFiles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.more()
		files, bearer := w.export(w.North.Admin, ""), w.token(w.key(w.North.Admin))
		for _, list := range []string{"orgs", "academicSessions", "courses", "classes", "users", "enrollments"} {
			rows, records := files[list+".csv"], w.records(bearer, list, "limit=3")
			if len(rows) == 0 || len(rows) != len(records) {
				t.Errorf("%s: %d rows, %d records", list, len(rows), len(records))
			}
			for _, record := range records {
				got := cells(record)
				want := find(rows, "sourcedId", got["sourcedId"])
				for name, value := range want {
					if name == "status" || name == "dateLastModified" || name == "primary" && value == "" {
						continue // files with all records have none; students have no primary
					}
					if got[name] != value {
						t.Errorf("%s %s: %s is %q, want %q", list, got["sourcedId"], name, got[name], value)
					}
					delete(got, name)
				}
				if _, err := time.Parse(clock.Stamp, got["dateLastModified"]); err != nil || got["status"] != "active" {
					t.Errorf("%s: got %v", list, record)
				}
				delete(got, "status")
				delete(got, "dateLastModified")
				delete(got, "roles")
				delete(got, "primary")
				if len(got) > 0 || want == nil {
					t.Errorf("%s: the file has no %v", list, got)
				}
				path := list + "/" + record["sourcedId"].(string)
				one := w.get(bearer, path)
				raw, _ := json.Marshal(record)
				_, body, _ := strings.Cut(strings.TrimSuffix(string(one.Body), "}\n"), ":")
				if canonical(t, []byte(body)) != canonical(t, raw) {
					t.Errorf("%s: %s, want %s", path, one.Body, raw)
				}
			}
		}
		for _, u := range w.records(bearer, "users", "") {
			role := u["roles"].([]any)[0].(m)
			if role["role"] != find(files["roles.csv"], "userSourcedId", u["sourcedId"].(string))["role"] || role["roleType"] != "primary" ||
				role["org"].(m)["sourcedId"] != string(w.North.ID) {
				t.Errorf("got %v", u)
			}
		}
	})
}

func canonical(t *testing.T, raw []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	out, _ := json.Marshal(v)
	return string(out)
}

// TestSharedClasses: a teacher is in a class once, and a class has one primary teacher: the
// class teacher before others.
func TestSharedClasses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.more()
		primary := map[string]string{}
		for _, e := range w.export(w.North.Admin, "")["enrollments.csv"] {
			if e["role"] != "teacher" {
				continue
			}
			if e["primary"] == "true" {
				if primary[e["classSourcedId"]] != "" {
					t.Errorf("%s has two primary teachers", e["classSourcedId"])
				}
				primary[e["classSourcedId"]] = e["userSourcedId"]
			}
		}
		una := find(w.export(w.North.Admin, "")["users.csv"], "givenName", "Una")["sourcedId"]
		for class, want := range map[string]string{w.a: w.tom, w.b: "", w.a + "." + w.maths: w.tom, w.b + "." + w.maths: w.tom,
			w.a + "." + w.art: w.tom, w.b + "." + w.art: una, w.class + "." + w.art: una} {
			apptest.Eq(t, class, primary[class], want)
		}
	})
}

// TestLists: pages, filters, sorting and selection.
func TestLists(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		bearer := w.token(w.key(w.North.Admin))
		count := func(list, filter string) int {
			return len(w.records(bearer, list, url.Values{"filter": {filter}, "limit": {"2"}}.Encode()))
		}
		all := len(w.records(bearer, "enrollments", ""))
		r := w.get(bearer, "enrollments?limit=4&offset=4")
		apptest.Eq(t, "total", r.Header.Get("X-Total-Count"), fmt.Sprint(all))
		apptest.Eq(t, "first", linkOf(r, "first"), "enrollments?limit=4&offset=0")
		apptest.Eq(t, "prev", linkOf(r, "prev"), "enrollments?limit=4&offset=0")
		apptest.Eq(t, "next", linkOf(r, "next"), "enrollments?limit=4&offset=8")
		apptest.Eq(t, "last", linkOf(r, "last"), fmt.Sprintf("enrollments?limit=4&offset=%d", (all-1)/4*4))
		apptest.Eq(t, "no next", linkOf(w.get(bearer, "enrollments?limit=5000"), "next"), "")
		apptest.Eq(t, "reduced", linkOf(w.get(bearer, "enrollments?limit=5000"), "first"), "enrollments?limit=1000&offset=0")
		apptest.Eq(t, "past the end", string(w.get(bearer, "users?offset=1000").Body), `{"users":[]}`+"\n")

		apptest.Eq(t, "students and teachers", count("enrollments", "role='student'")+count("enrollments", "role='teacher'"), all)
		far := "2000-01-01"
		for _, role := range []string{"role='student'", "role='teacher'"} {
			apptest.Eq(t, role+" since a day", count("enrollments", role+" AND dateLastModified>='"+far+"'"), count("enrollments", role))
		}
		apptest.Eq(t, "none before", count("enrollments", "dateLastModified<'"+far+"'"), 0)
		apptest.Eq(t, "all but one", count("enrollments", "sourcedId!='"+w.mia+"."+w.a+"'"), all-1)
		apptest.Eq(t, "not students", count("users", "role!='student'"), len(w.records(bearer, "users", ""))-2)
		apptest.Eq(t, "students", len(w.records(bearer, "students", "")), 2)
		apptest.Eq(t, "one teacher by id", count("teachers", "sourcedId='"+w.tom+"'"), 1)
		apptest.Eq(t, "all but one class", count("classes", "sourcedId!='"+w.a+"'"), 5)
		apptest.Eq(t, "a lesson", count("classes", "sourcedId='"+w.a+"."+w.maths+"'"), 1)
		apptest.Eq(t, "no such id", count("classes", "sourcedId='x'"), 0)
		apptest.Eq(t, "active", count("courses", "status='active'"), 3)
		apptest.Eq(t, "to be deleted", count("courses", "status='tobedeleted'"), 0)
		apptest.Eq(t, "by role and status", count("users", "role='student' AND status='active'"), 2)
		w.Clock.Add(10 * time.Minute)
		since := w.Now().UTC().Format(clock.Stamp)
		apptest.Eq(t, "changed since", count("users", "dateLastModified>='"+since+"'"), 0)
		w.Pass(0)
		w.Admin("PUT", "/school-admin/student/"+w.noa, m{"lastName": "Ray"}).OK()
		apptest.Eq(t, "changed since, again", count("users", "dateLastModified>='"+since+"'"), 1)
		apptest.Eq(t, "changed before", count("users", "dateLastModified<'"+since+"'"), len(w.records(bearer, "users", ""))-1)
		newest := w.records(bearer, "users", "sort=dateLastModified&orderBy=desc")
		apptest.Eq(t, "newest", newest[0]["sourcedId"].(string), w.noa)
		up, down := ids(w.records(bearer, "enrollments", "sort=sourcedId&limit=2")), ids(w.records(bearer, "enrollments", "orderBy=desc&limit=3"))
		slices.Reverse(down)
		apptest.Eq(t, "the other way", strings.Join(down, " "), strings.Join(up, " "))
		apptest.Eq(t, "fields", string(w.get(bearer, "students/"+w.mia+"?fields=sourcedId,givenName").Body),
			`{"user":{"sourcedId":"`+w.mia+`","givenName":"Mia"}}`+"\n")

		apptest.Eq(t, "students of a lesson", len(w.records(bearer, "classes/"+w.a+"."+w.art+"/students", "")), 1)
		apptest.Eq(t, "teachers of a homeroom", w.records(bearer, "classes/"+w.a+"/teachers", "")[0]["sourcedId"].(string), w.tom)
		apptest.Eq(t, "a filter within", len(w.records(bearer, "classes/"+w.a+"/students", "filter=role%3D'teacher'")), 0)
	})
}

func ids(records []m) (out []string) {
	for _, r := range records {
		out = append(out, r["sourcedId"].(string))
	}
	return out
}

// TestBadQueries: what can't be understood is refused, never ignored.
func TestBadQueries(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		bearer := w.token(w.key(w.North.Admin))
		for query, minor := range map[string]string{
			"users?filter=x":                                               "invalid_filter_field",
			"users?filter=email%3D'a'":                                     "invalid_filter_field",
			"users?filter=role%3Dstudent":                                  "invalid_filter_field",
			"users?filter=role~'s'":                                        "invalid_filter_field",
			"users?filter=role>'s'":                                        "invalid_filter_field",
			"users?filter=sourcedId<'s'":                                   "invalid_filter_field",
			"users?filter=role%3D's'%20OR%20role%3D't'":                    "invalid_filter_field",
			"users?filter=role%3D's'%20AND%20":                             "invalid_filter_field",
			"users?filter=dateLastModified>'yesterday'":                    "invalid_filter_field",
			"users?filter=status%3D''%20OR%201%3D1--'":                     "invalid_filter_field",
			"classes?filter=role%3D'student'":                              "invalid_filter_field",
			"users?filter=" + strings.Repeat("status%3D'a'%20AND%20", 5):   "invalid_filter_field",
			"enrollments?sort=dateLastModified":                            "invalid_sort_field",
			"users?sort=familyName":                                        "invalid_sort_field",
			"users?fields=sourcedId,password":                              "invalid_selection_field",
			"users/" + w.mia + "?fields=birthDate":                         "invalid_selection_field",
			"users?limit=0":                                                "invaliddata",
			"users?limit=x":                                                "invaliddata",
			"users?offset=-1":                                              "invaliddata",
			"users?orderBy=up":                                             "invaliddata",
			"users/x":                                                      "unknownobject",
			"users/" + w.class:                                             "unknownobject",
			"students/" + w.tom:                                            "unknownobject",
			"teachers/" + w.mia:                                            "unknownobject",
			"classes/" + w.a + "." + w.a:                                   "unknownobject",
			"classes/" + w.mia + "/students":                               "unknownobject",
			"enrollments/" + w.mia + "." + w.b:                             "unknownobject",
			"enrollments/" + w.noa + "." + w.b + "." + w.art:               "unknownobject",
			"enrollments/" + w.mia + "." + w.a + "." + w.a:                 "unknownobject",
			"enrollments/" + w.mia + "." + w.a + "." + w.maths + "." + w.a: "unknownobject",
		} {
			r := w.get(bearer, query)
			want := map[string]int{"unknownobject": 404, "invaliddata": 422}[minor]
			if want == 0 {
				want = 400
			}
			if r.Status != want || !strings.Contains(string(r.Body), `"imsx_codeMinorFieldValue":"`+minor+`"`) {
				t.Errorf("%s: %d %s, want %d %s", query, r.Status, r.Body, want, minor)
			}
		}
	})
}

// TestReaches: a key reads its own school and year, and no more of a person than the files have.
func TestReaches(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		north, south := w.token(w.key(w.North.Admin)), w.token(w.key(w.South.Admin))
		for _, path := range []string{"orgs/" + string(w.North.ID), "schools/" + string(w.North.ID), "academicSessions/" + w.year,
			"courses/" + w.class, "classes/" + w.a, "classes/" + w.a + "." + w.maths, "users/" + w.mia, "students/" + w.mia, "teachers/" + w.tom,
			"enrollments/" + w.mia + "." + w.a, "classes/" + w.a + "/students", "classes/" + w.a + "/teachers"} {
			apptest.Eq(t, path, w.get(north, path).Status, 200)
			mine := w.get(south, path)
			list, _, _ := strings.Cut(path, "/")
			unknown := w.get(south, list+"/"+string(w.NewID()))
			apptest.Eq(t, path+" of another school", mine.Status, 404)
			apptest.Eq(t, path+" of another school looks unknown", string(mine.Body), string(unknown.Body))
		}
		for _, list := range strings.Fields("orgs schools academicSessions courses classes users students teachers enrollments") {
			for _, id := range ids(w.records(south, list, "")) {
				for _, other := range []string{w.class, w.a, w.mia, w.tom, w.maths, string(w.North.ID), w.year} {
					if strings.Contains(id, other) {
						t.Errorf("%s of South has %s", list, id)
					}
				}
			}
			for _, hidden := range []string{"asthma", "4321", "password"} {
				if body := string(w.get(north, list).Body); strings.Contains(body, hidden) {
					t.Errorf("%s has %s: %s", list, hidden, body)
				}
			}
		}
		w.Admin("DELETE", "/school-admin/student/"+w.noa, nil)
		apptest.Eq(t, "a student who was deleted", w.get(north, "users/"+w.noa).Status, 404)
		apptest.Eq(t, "enrolments of a student who was deleted", w.get(north, "enrollments/"+w.noa+"."+w.b).Status, 404)
		w.Exec(`UPDATE academic_years SET is_current = FALSE WHERE school_id = :school`, nil)
		for list, want := range map[string]int{"orgs": 1, "academicSessions": 0, "courses": 0, "classes": 0, "students": 0, "enrollments": 0} {
			apptest.Eq(t, list+" without a year", len(w.records(north, list, "")), want)
		}
	})
}
