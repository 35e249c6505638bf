package app_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/apptest"
)

// deletions make a record for a DELETE route and return the path that deletes it.
var deletions = map[string]func(w *apptest.World, n int) string{
	"academic-year/{id}": func(w *apptest.World, n int) string {
		return w.Make("academic-year/create", m{"name": fmt.Sprint("Y", n), "startDate": fmt.Sprint(2100+n, "-01-01"),
			"endDate": fmt.Sprint(2100+n, "-12-31")})
	},
	"announcement/{id}": made("announcement/create", m{"title": "News"}),
	"class/{id}":        uniquelyNamed("class/create", m{}),
	"division/{id}": func(w *apptest.World, n int) string {
		return w.Make("division/create", m{"name": "A", "classId": w.Make("class/create", m{"name": fmt.Sprint("Of ", n)})})
	},
	"elective/{classId}/{subjectId}": func(w *apptest.World, n int) string {
		class := w.Make("class/create", m{"name": fmt.Sprint("E", n)})
		subject := w.Make("subject/create", m{"name": fmt.Sprint("Art ", n), "classIds": list{class}})
		w.Admin("PUT", "/school-admin/elective/"+class+"/"+subject, m{"studentIds": list{}}).OK()
		return class + "/" + subject
	},
	"employee/{id}":       made("employee/create", m{"firstName": "Ann"}),
	"event/{id}":          made("event/create", m{"title": "Fair", "eventDate": schoolDay}),
	"exam/{id}":           uniquelyNamed("exam/create", m{}),
	"fee/head/{id}":       uniquelyNamed("fee/head/create", m{}),
	"grade-scale/{id}":    uniquelyNamed("grade-scale/create", m{"bands": list{m{"grade": "A", "minPercent": 0}}}),
	"holiday/{id}":        uniquelyNamed("holiday/create", m{"date": "2031-05-04"}),
	"library/book/{id}":   made("library/book/create", m{"title": "Atlas"}),
	"oneroster/keys/{id}": uniquelyNamed("oneroster/keys", m{}),
	"role/{id}":           uniquelyNamed("role/create", m{"type": "TEACHER"}),
	"student/{id}":        made("student/create", m{"firstName": "Mia"}),
	"student/{id}/guardians/{guardianId}": func(w *apptest.World, _ int) string {
		st := w.Admin("POST", "/school-admin/student/create", m{"firstName": "Mia", "guardians": list{m{"name": "Jon"}}}).OK()
		return st.Text("id") + "/guardians/" + st.Objects("guardians")[0].Text("id")
	},
	"subject/{id}": uniquelyNamed("subject/create", m{}),
	"transport/bus/{id}": func(w *apptest.World, n int) string {
		return w.Make("transport/bus/create", m{"registrationNo": fmt.Sprint("B-", n)})
	},
	"transport/route/{id}": uniquelyNamed("transport/route/create", m{}),
}

// deletedElsewhere are the other DELETE routes, and why they are not in deletions.
var deletedElsewhere = map[string]string{
	"fee/structure/{id}":      "under the lock of the ledger",
	"timetable/override/{id}": "under the lock of the timetable",
	"webhook/{id}":            "FOR UPDATE",
	"user/{id}/sessions":      "ends what there is",
}

func made(path string, body m) func(*apptest.World, int) string {
	return func(w *apptest.World, _ int) string { return w.Make(path, body) }
}

// uniquelyNamed is made for records whose names are unique.
func uniquelyNamed(path string, body m) func(*apptest.World, int) string {
	return func(w *apptest.World, n int) string {
		return w.Make(path, apptest.With(body, "name", fmt.Sprint(path, " ", n)))
	}
}

// TestDeletedTwice: of two calls at once that delete the same record, one succeeds and the
// other is refused, for every kind of record of a school.
func TestDeletedTwice(t *testing.T) {
	apptest.Worlds(t, func(w *apptest.World) *apptest.World { return w }, func(t *testing.T, w *apptest.World) {
		for _, r := range w.Routes() {
			route, ok := strings.CutPrefix(r.Path, "/school-admin/")
			if !ok || r.Method != "DELETE" || deletedElsewhere[route] != "" {
				continue
			}
			add := deletions[route]
			if add == nil {
				t.Errorf("DELETE %s is in neither table", r.Path)
				continue
			}
			at, _, _ := strings.Cut(route, "{")
			for n := range 5 {
				path := "/school-admin/" + at + add(w, n)
				if got := apptest.AtOnce(2, func(int) apptest.Reply { return w.Admin("DELETE", path, nil) }); got[204] != 1 || got[404]+got[409] != 1 {
					t.Errorf("DELETE %s, round %d: %v", route, n, got)
				}
			}
		}
	})
}
