package people_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

var (
	firstNames = strings.Fields(`Aarav Abigail Adam Ágnes Aisha Alejandro Amélie Ana Anika Arjun Ava Ayşe Benjamin
		Björn Camila Chen Chloë Clara
		Daniel Diego Elif Emma Ethan Fatima Finn Freya Gabriel Hana Hugo Ibrahim Ingrid Isabella Ivan Jack James João Julia Kai Kofi Lars Layla
		Leo Lucía Maria Mark Mateo Mia Mohammed Nadia Noah Olga Oliver Omar Priya Rosa Samuel Sofia Søren Thomas Valentina William Yara Zoë Zuri`)
	beginnings = strings.Fields(`Ander Berg Carl Dahl Eriks Fern Gonz Hof Ivan Jens Kov Lind Mar Niel Ols Peters
		Quin Rodr Sand Thomp Ulv Vas Wil Yilm
		Zim Abra Bauer Castel Dubo Esco Fisch Gupt Hern Ibarr Jovan Kaur Laur Mend Nov Ortiz Pavl Rich Sant Tor Usman Vent Wright Åker`)
	endings = strings.Fields(`son mann stad ov ez ström berg ini ska dottir sen ić oğlu escu ley ton ard ette ian aki ova ev as feld`)
)

// fill adds n students to North, in 40 classes of one division, and returns the classes.
func fill(w *peopletest.World, n int) []id.ID {
	w.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(words []string) string { return words[r.IntN(len(words))] }
	classes, divisions := make([]id.ID, 40), make([]id.ID, 40)
	for i := range classes {
		classes[i], divisions[i] = seat(w, w.North, fmt.Sprint("Grade ", i))
	}
	for batch := range slices.Chunk(make([]people.NewStudent, n), 10_000) {
		for i := range batch {
			c, roll := r.IntN(len(classes)), i
			batch[i] = people.NewStudent{FirstName: pick(firstNames), LastName: pick(beginnings) + pick(endings),
				Phone: fmt.Sprintf("+49%09d", r.IntN(1e9)), Address: "12 Long Street, Some Town",
				ClassID: &classes[c], DivisionID: &divisions[c], RollNo: &roll}
		}
		w.Enrol(w.North, batch...)
	}
	return classes
}

// TestLists holds pages against what a plain look at all students finds.
func TestLists(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		classes := fill(w, 1_300)
		w.Enrol(w.South, student("S-1", "Maria"))
		w.Exec(w.North, `UPDATE students SET status = 'LEFT' WHERE school_id = :school AND admission_no LIKE '%7'`, nil)
		w.Exec(w.North, `UPDATE students SET archived_at = updated_at WHERE school_id = :school AND admission_no LIKE '%42'`, nil)
		w.Exec(w.North, `UPDATE students SET class_id = :c, division_id = NULL WHERE school_id = :school AND admission_no LIKE '%9'`,
			db.Args{"c": classes[0]})
		dbtest.Settle(w, w.DB, w.URL)
		w.Exec(w.North, `DELETE FROM enrolments WHERE school_id = :school AND student_id IN (
			SELECT id FROM students WHERE school_id = :school AND admission_no LIKE '%5')`, nil)
		type row struct {
			people.Summary
			Search string
			Then   *id.ID // the class of the year
		}
		all, err := db.All[row](t.Context(), w.DB.School(w.North.ID), `
			SELECT `+people.SummaryColumns+`, search,
			(SELECT e.class_id FROM enrolments e WHERE e.school_id = students.school_id AND e.student_id = students.id) AS "then"
			FROM students WHERE school_id = :school AND archived_at IS NULL`, nil)
		if err != nil {
			t.Fatal(err)
		}
		roll := func(r row) int { return *r.RollNo }
		sorts := map[string]func(a, b row) int{
			"firstName":   func(a, b row) int { return cmp.Or(cmp.Compare(a.FirstName, b.FirstName), cmp.Compare(a.ID, b.ID)) },
			"lastName":    func(a, b row) int { return cmp.Or(cmp.Compare(a.LastName, b.LastName), cmp.Compare(a.ID, b.ID)) },
			"admissionNo": func(a, b row) int { return cmp.Compare(a.AdmissionNo, b.AdmissionNo) },
			"rollNo":      func(a, b row) int { return cmp.Or(cmp.Compare(roll(a), roll(b)), cmp.Compare(a.ID, b.ID)) },
			"createdAt":   func(a, b row) int { return cmp.Compare(a.ID, b.ID) },
		}
		fields := slices.Sorted(maps.Keys(sorts))
		filters := []url.Values{
			{}, {"status": {"ACTIVE"}}, {"status": {"LEFT"}}, {"status": {"GRADUATED"}},
			{"classId": {string(classes[0])}}, {"classId": {string(classes[3])}, "status": {"LEFT"}}, {"divisionId": {divisionOf(w, classes[3])}},
			{"search": {"mar"}}, {"search": {"MÁR"}}, {"search": {"oglu"}}, {"search": {"zoe zim"}},
			{"search": {"or"}}, {"search": {"7"}}, {"search": {"north-01"}},
			{"search": {"+4912"}}, {"search": {"no such"}}, {"search": {"%"}}, {"search": {`"mar`}}, {"search": {" "}},
			{"search": {"son"}, "status": {"ACTIVE"}}, {"search": {"son"}, "classId": {string(classes[3])}},
			{"search": {"an"}, "academicYearId": {string(w.North.Year)}},
			{"academicYearId": {string(w.North.Year)}}, {"academicYearId": {string(w.North.Year)}, "status": {"LEFT"}, "search": {"n"}},
			{"academicYearId": {string(w.North.Year)}, "status": {"ACTIVE"}}, {"academicYearId": {string(w.North.Year)}, "status": {"LEFT"}},
			{"academicYearId": {string(w.North.Year)}, "classId": {string(classes[0])}},
			{"academicYearId": {string(w.North.Year)}, "classId": {string(classes[3])}, "status": {"ACTIVE"}},
		}
		for i, filter := range filters {
			var want []row
			for _, r := range all {
				part, class := people.Fold(strings.TrimSpace(filter.Get("search"))), r.ClassID
				if filter.Has("academicYearId") {
					class = r.Then
				}
				if class != nil && (filter.Get("status") == "" || r.Status == filter.Get("status")) && strings.Contains(r.Search, part) &&
					(filter.Get("classId") == "" || string(*class) == filter.Get("classId")) &&
					(filter.Get("divisionId") == "" || r.DivisionID != nil && string(*r.DivisionID) == filter.Get("divisionId")) {
					want = append(want, r)
				}
			}
			up, down := fields[i%len(fields)], fields[(i+2)%len(fields)]
			slices.SortFunc(want, sorts[up])
			checkPages(w, filter, up, "asc", want, func(r row) string { return string(r.ID) })
			slices.SortFunc(want, func(a, b row) int { return sorts[down](b, a) })
			checkPages(w, filter, down, "desc", want, func(r row) string { return string(r.ID) })
		}
		w.Exec(w.North, `INSERT INTO enrolments (school_id, student_id, academic_year_id, class_id, outcome, created_at, updated_at)
			SELECT school_id, id, :year, class_id, 'ENROLLED', created_at, updated_at FROM students
			WHERE school_id = :school AND admission_no LIKE '%5'`, db.Args{"year": w.North.Year})
		slices.SortFunc(all, sorts["lastName"])
		checkPages(w, url.Values{"academicYearId": {string(w.North.Year)}}, "lastName", "asc", all, func(r row) string { return string(r.ID) })
	})
}

func divisionOf(w *peopletest.World, class id.ID) string {
	d, err := db.One[string](w.Context(), w.DB.School(w.North.ID),
		`SELECT id FROM divisions WHERE school_id = :school AND class_id = :c`, db.Args{"c": class})
	if err != nil {
		w.Fatal(err)
	}
	return d
}

func checkPages[T any](w *peopletest.World, filter url.Values, field, order string, want []T, idOf func(T) string) {
	w.Helper()
	const limit = 20
	last := max(1, (len(want)+limit-1)/limit)
	for _, page := range []int{1, last/2 + 1, last, last + 1} {
		query := url.Values{"sort": {field}, "order": {order}, "page": {fmt.Sprint(page)}}
		for k, v := range filter {
			query[k] = v
		}
		a := w.Call(w.North.Admin, "GET", students+"list?"+query.Encode(), nil)
		var ids []string
		for _, r := range want[min((page-1)*limit, len(want)):min(page*limit, len(want))] {
			ids = append(ids, idOf(r))
		}
		if got := a.All("items", "id"); !slices.Equal(got, ids) && len(got)+len(ids) > 0 {
			w.Errorf("%v: %d students, want %d, or others, or another order", query, len(got), len(ids))
		}
		if a.Data["total"] != float64(len(want)) {
			w.Errorf("%v: total %v, want %d", query, a.Data["total"], len(want))
		}
	}
}

// TestFindAnyPart looks for every part of a few letters that any student's text
// has, and finds those who have it, whatever they have been called before, be the
// school alone or not.
func TestFindAnyPart(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		all := w.Enrol(w.North, people.NewStudent{AdmissionNo: `N"1`, FirstName: "Zoë", LastName: "O'Hara-Łoś", Phone: "+15550100001"},
			people.NewStudent{AdmissionNo: "N-2", FirstName: "李明", LastName: "王"},
			people.NewStudent{AdmissionNo: "50%", FirstName: "A_B", LastName: "\\x"},
			people.NewStudent{AdmissionNo: "N-4", FirstName: "Ali"}, people.NewStudent{AdmissionNo: "N-5", FirstName: "Removed"},
			people.NewStudent{AdmissionNo: "N-6", FirstName: "Jo"},
			people.NewStudent{AdmissionNo: "N-8", FirstName: "Xu李", LastName: "Иванюк"},
			people.NewStudent{AdmissionNo: "N-9", FirstName: "Ολγα", Phone: "+15550199987"})
		archive(w, w.North, all[4])
		w.Exec(w.North, `UPDATE students SET search = :text WHERE school_id = :school AND id = :id`, db.Args{"id": all[5], "text": "joan\nn-6\n"})
		findAnyPart(w, 7)
		w.Enrol(w.South, people.NewStudent{AdmissionNo: "N-7", FirstName: "Alina", LastName: "Zoë"})
		findAnyPart(w, 7)
	})
}

func findAnyPart(w *peopletest.World, n int) {
	w.Helper()
	type row struct {
		ID     id.ID
		Search string
	}
	q := w.DB.School(w.North.ID)
	rows, err := db.All[row](w.Context(), q,
		`SELECT id, search FROM students WHERE school_id = :school AND archived_at IS NULL ORDER BY id`, nil)
	if err != nil || len(rows) != n {
		w.Fatal(rows, err)
	}
	parts := map[string]bool{"zz": true, "qqq": true, "re": true, "io": true}
	for _, r := range rows {
		letters := []rune(r.Search)
		for i := range letters {
			for n := 1; n <= 4 && i+n <= len(letters); n++ {
				parts[string(letters[i:i+n])] = true
			}
		}
	}
	for part := range parts {
		if people.Pattern(part) != db.Contains(part) { // blanks around it are left out
			continue
		}
		var want []string
		for _, r := range rows {
			if strings.Contains(r.Search, part) {
				want = append(want, string(r.ID))
			}
		}
		got := w.Call(w.North.Admin, "GET", students+"list?sort=createdAt&search="+url.QueryEscape(part), nil).Is(200)
		if ids := got.All("items", "id"); !slices.Equal(ids, want) || got.Data["total"] != float64(len(want)) {
			w.Errorf("%q is found in %v, %v in all, want %v", part, ids, got.Data["total"], want)
		}
	}
}

// TestSchoolGoes deletes a school with its students.
func TestSchoolGoes(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		class, division := seat(w, w.North, "Grade 1")
		for range 3 {
			create(w, w.North, m{"firstName": "Ana", "classId": class, "divisionId": division,
				"guardians": []m{{"name": "Mia", "phone": "+15550000001"}}})
		}
		create(w, w.South, m{"firstName": "Ana"})
		if _, err := w.Schools.Suspend(t.Context(), actor.Actor{}, w.North.ID); err != nil {
			t.Fatal(err)
		}
		if err := w.Schools.Delete(t.Context(), actor.Actor{}, w.North.ID, "NORTH"); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"students", "admission_numbers", "enrolments"} {
			if n := w.Count(table+` WHERE school_id = :school`, nil); n != 0 {
				t.Errorf("%d rows of %s are left", n, table)
			}
		}
		if got := w.Call(w.South.Admin, "GET", students+"list", nil).Is(200).Data["total"]; got != 1.0 {
			t.Errorf("the other school has %v students", got)
		}
	})
}
