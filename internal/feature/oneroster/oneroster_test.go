package oneroster_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type (
	m    = apptest.M
	list = apptest.List
)

const at = "/school-admin/oneroster/export"

// spec are the columns of the CSV binding of OneRoster 1.2.
var spec = map[string]string{
	"manifest.csv":         "propertyName,value",
	"academicSessions.csv": "sourcedId,status,dateLastModified,title,type,startDate,endDate,parentSourcedId,schoolYear",
	"orgs.csv":             "sourcedId,status,dateLastModified,name,type,identifier,parentSourcedId",
	"courses.csv":          "sourcedId,status,dateLastModified,schoolYearSourcedId,title,courseCode,grades,orgSourcedId,subjects,subjectCodes",
	"classes.csv": "sourcedId,status,dateLastModified,title,grades,courseSourcedId,classCode,classType,location,schoolSourcedId," +
		"termSourcedIds,subjects,subjectCodes,periods",
	"users.csv": "sourcedId,status,dateLastModified,enabledUser,username,userIds,givenName,familyName,middleName,identifier,email,sms," +
		"phone,agentSourcedIds,grades,password,userMasterIdentifier,resourceSourcedIds,preferredGivenName,preferredMiddleName," +
		"preferredFamilyName,primaryOrgSourcedId,pronouns",
	"roles.csv":       "sourcedId,status,dateLastModified,userSourcedId,roleType,role,beginDate,endDate,orgSourcedId,userProfileSourcedId",
	"enrollments.csv": "sourcedId,status,dateLastModified,classSourcedId,schoolSourcedId,userSourcedId,role,primary,beginDate,endDate",
}

type row = map[string]string

// world has Grade 1 with the divisions A and B, the subjects Maths and Art, an elective
// that Mia takes, and Mia in A, Noa in B. Mia's mother is Ann Lee. Tom Fox teaches Maths
// and is class teacher of A.
type world struct {
	*apptest.World
	year, class, a, b, maths, art, mia, noa, tom string
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	apptest.Worlds(t, func(base *apptest.World) *world {
		w := &world{World: base}
		w.year = w.One(`SELECT id FROM academic_years WHERE school_id = :school AND is_current`, nil)
		w.class = w.Make("class/create", m{"name": "Grade 1"})
		w.maths = w.Make("subject/create", m{"name": "Maths", "code": "MA", "classIds": list{w.class}})
		w.art = w.Make("subject/create", m{"name": "Art", "classIds": list{w.class}})
		w.a, w.b = w.Make("division/create", m{"classId": w.class, "name": "A"}), w.Make("division/create", m{"classId": w.class, "name": "B"})
		w.mia = w.Make("student/create", m{"firstName": "Mia", "lastName": "Lee", "classId": w.class, "divisionId": w.a, "medicalNotes": "asthma",
			"guardians": list{m{"name": "Ann Lee", "relation": "MOTHER", "phone": "+15550109001"}}})
		w.noa = w.Make("student/create", m{"firstName": "Noa", "classId": w.class, "divisionId": w.b})
		w.tom = w.Make("employee/create", m{"firstName": "Tom", "lastName": "Fox", "salary": 4321})
		w.Admin("POST", "/school-admin/employee/"+w.tom+"/assignments", m{"assignments": list{
			m{"classId": w.class, "divisionId": w.a, "isClassTeacher": true}, m{"classId": w.class, "subjectId": w.maths}}}).OK()
		w.Admin("PUT", "/school-admin/elective/"+w.class+"/"+w.art, m{"studentIds": list{w.mia}}).OK()
		return w
	}, test)
}

// export returns the rows of every file.
func (w *world) export(who *apptest.Account, query string) map[string][]row {
	w.Helper()
	r := w.As(who, "GET", at+query, nil)
	if r.Status != 200 {
		w.Fatalf("export: %d %s", r.Status, r.Body)
	}
	z, err := zip.NewReader(bytes.NewReader(r.Body), int64(len(r.Body)))
	if err != nil {
		w.Fatal(err)
	}
	out := map[string][]row{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			w.Fatal(err)
		}
		cells, err := csv.NewReader(in).ReadAll()
		if err != nil {
			w.Fatal(err)
		}
		apptest.Eq(w, f.Name, strings.Join(cells[0], ","), spec[f.Name])
		out[f.Name] = nil
		for _, c := range cells[1:] {
			r := row{}
			for i, name := range cells[0] {
				r[name] = c[i]
			}
			out[f.Name] = append(out[f.Name], r)
		}
	}
	return out
}

// column returns a column of a file, sorted.
func column(rows []row, name string) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r[name])
	}
	slices.Sort(out)
	return out
}

func find(rows []row, name, value string) row {
	for _, r := range rows {
		if r[name] == value {
			return r
		}
	}
	return nil
}

func TestExport(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		all := w.export(w.North.Admin, "")
		apptest.Eq(t, "files", len(all), len(spec))
		for name := range spec {
			file := "file." + strings.TrimSuffix(name, ".csv")
			if name != "manifest.csv" && find(all["manifest.csv"], "propertyName", file)["value"] != "bulk" {
				t.Errorf("the manifest does not name %s", name)
			}
		}
		apptest.Eq(t, "demographics", find(all["manifest.csv"], "propertyName", "file.demographics")["value"], "absent")
		apptest.Eq(t, "properties", len(all["manifest.csv"]), 25)

		classes := all["classes.csv"]
		apptest.Eq(t, "classes", strings.Join(column(classes, "title"), ", "),
			"Grade 1 A, Grade 1 A Art, Grade 1 A Maths, Grade 1 B, Grade 1 B Art, Grade 1 B Maths")
		home := find(classes, "sourcedId", w.a)
		if home["classType"] != "homeroom" || home["courseSourcedId"] != w.class || home["termSourcedIds"] != w.year {
			t.Errorf("got %v", home)
		}
		mia := find(all["users.csv"], "sourcedId", w.mia)
		ann := find(all["users.csv"], "givenName", "Ann")
		if mia["familyName"] != "Lee" || mia["agentSourcedIds"] != ann["sourcedId"] || ann["agentSourcedIds"] != w.mia ||
			ann["phone"] != "+15550109001" {
			t.Errorf("got %v and %v", mia, ann)
		}
		apptest.Eq(t, "a missing last name", find(all["users.csv"], "sourcedId", w.noa)["familyName"], "-")
		for user, role := range map[string]string{w.mia: "student", w.tom: "teacher", ann["sourcedId"]: "parent"} {
			apptest.Eq(t, "role", find(all["roles.csv"], "userSourcedId", user)["role"], role)
		}
		taken := func(user string) string {
			var out []string
			for _, e := range all["enrollments.csv"] {
				if e["userSourcedId"] == user {
					out = append(out, find(classes, "sourcedId", e["classSourcedId"])["title"]+" "+e["primary"])
				}
			}
			slices.Sort(out)
			return strings.Join(out, ", ")
		}
		apptest.Eq(t, "Mia", taken(w.mia), "Grade 1 A , Grade 1 A Art , Grade 1 A Maths ")
		apptest.Eq(t, "Noa", taken(w.noa), "Grade 1 B , Grade 1 B Maths ")
		apptest.Eq(t, "Tom", taken(w.tom), "Grade 1 A Art true, Grade 1 A Maths true, Grade 1 A true, Grade 1 B Maths true")
		w.Audited("oneroster.export", 1)
	})
}

// TestReferences: every reference leads to a record of its file, and every id is unique.
func TestReferences(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		all := w.export(w.North.Admin, "?academicYearId="+w.year)
		files := map[string]string{"schoolYearSourcedId": "academicSessions", "orgSourcedId": "orgs", "courseSourcedId": "courses",
			"schoolSourcedId": "orgs", "termSourcedIds": "academicSessions", "userSourcedId": "users", "classSourcedId": "classes",
			"primaryOrgSourcedId": "orgs", "agentSourcedIds": "users"}
		for name, rows := range all {
			if ids := column(rows, "sourcedId"); name != "manifest.csv" && len(slices.Compact(ids)) != len(rows) {
				t.Errorf("%s has an id twice", name)
			}
			for _, r := range rows {
				for col, file := range files {
					for _, to := range strings.FieldsFunc(r[col], func(c rune) bool { return c == ',' }) {
						if find(all[file+".csv"], "sourcedId", to) == nil {
							t.Errorf("%s: %s %s leads nowhere", name, col, to)
						}
					}
				}
			}
		}
	})
}

// TestReach: only one's own school, only what is needed, only with all permissions.
func TestReach(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		mine := w.As(w.North.Admin, "GET", at, nil)
		for name, rows := range w.export(w.South.Admin, "") {
			for _, r := range rows {
				for _, cell := range r {
					if cell == w.mia || cell == w.class || cell == string(w.North.ID) {
						t.Errorf("%s of South has %v", name, r)
					}
				}
			}
		}
		for _, rows := range w.export(w.North.Admin, "") {
			for _, r := range rows {
				for _, cell := range r {
					if strings.Contains(cell, "asthma") || cell == "4321" {
						t.Errorf("the export has %v", r)
					}
				}
			}
		}
		if mine.Status != 200 {
			t.Errorf("got %d", mine.Status)
		}
		w.As(w.South.Admin, "GET", at+"?academicYearId="+w.year, nil).Want(404, "Not Found")
		for _, who := range []*apptest.Account{w.North.Teacher, w.North.Parent, w.North.Driver, w.Super} {
			w.As(who, "GET", at, nil).Want(403, "PERMISSION_DENIED")
		}
		w.Admin("DELETE", "/school-admin/student/"+w.noa, nil)
		if find(w.export(w.North.Admin, "")["users.csv"], "sourcedId", w.noa) != nil {
			t.Error("a deleted student is exported")
		}
		role := w.Make("role/create", m{"name": "Only students", "type": "SCHOOL_ADMIN"})
		module := w.One(`SELECT id FROM modules WHERE name = 'student' AND :school <> ''`, nil)
		w.Admin("PUT", "/school-admin/role/"+role+"/permissions", m{"permissions": list{m{"moduleId": module, "canRead": true}}}).OK()
		w.Make("employee/create", m{"firstName": "Ida", "roleId": role, "email": "ida@example.org"})
		w.As(w.Account(actor.SchoolAdmin, "ida@example.org"), "GET", at, nil).Want(403, "PERMISSION_DENIED")
	})
}
