package people_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"slices"
	"sync"
	"testing"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

func rosters(w *peopletest.World, schools ...peopletest.School) *people.Rosters {
	w.Helper()
	r := people.NewRosters(w.DB, clock.System, slog.New(slog.DiscardHandler))
	for _, s := range schools {
		if err := r.Read(w.Context(), s.ID); err != nil {
			w.Fatal(err)
		}
	}
	return r
}

func found(w *peopletest.World, s peopletest.School, search string) float64 {
	w.Helper()
	return w.Call(s.Admin, "GET", students+"list?search="+url.QueryEscape(search), nil).Is(200).Data["total"].(float64)
}

func stampOf(w *peopletest.World, s peopletest.School) string {
	w.Helper()
	stamp, err := db.One[string](w.Context(), w.DB.School(s.ID), `SELECT stamp FROM student_stamps WHERE school_id = :school`, nil)
	if err != nil {
		w.Fatal(err)
	}
	return stamp
}

// inMemory tells whether searches of a school are answered from memory: it gives
// a student another text behind the stamp's back, and looks for it.
func inMemory(w *peopletest.World, s peopletest.School) bool {
	w.Helper()
	type first struct{ ID, Search, Stamp, Recent string }
	was, err := db.One[first](w.Context(), w.DB.School(s.ID), `SELECT id, search, stamp, recent FROM students
		JOIN student_stamps ON student_stamps.school_id = students.school_id WHERE students.school_id = :school ORDER BY id LIMIT 1`, nil)
	if err != nil {
		w.Fatal(err)
	}
	call := func(text string) {
		w.Helper()
		err := w.DB.InSchool(w.Context(), s.ID, func(ctx context.Context, tx *db.Tx) error {
			_, err := db.Exec(ctx, tx, `UPDATE students SET search = :text WHERE school_id = :school AND id = :id`, db.Args{"id": was.ID, "text": text})
			if err == nil {
				_, err = db.Exec(ctx, tx, `UPDATE student_stamps SET stamp = :stamp, recent = :recent WHERE school_id = :school`, db.Args{"stamp": was.Stamp, "recent": was.Recent})
			}
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
	}
	text := string(id.New())
	call(text)
	defer call(was.Search)
	return found(w, s, text) == 0
}

// TestRosterNeverShowsWhatWas lists right after each thing that changes students.
// Few changes are followed in memory; after many the school is read anew.
func TestRosterNeverShowsWhatWas(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		classes := fill(w, 3_100)
		later := w.North
		later.Year = nextYear(w, w.North)
		to, toA := seat(w, later, "Grade 100")
		w.People.Rosters = rosters(w, w.North)
		var st string
		for _, step := range []struct {
			name     string
			change   func()
			search   string
			want     float64
			followed bool
		}{
			{"nothing", func() {}, "xanthippe", 0, true},
			{"create", func() {
				st = create(w, w.North, m{"admissionNo": "ERASE-1", "firstName": "Xanthippe", "lastName": "First", "classId": classes[0], "divisionId": divisionOf(w, classes[0])})
			}, "xanthippe", 1, true},
			{"change", func() { w.Call(w.North.Admin, "PUT", students+st, m{"lastName": "Qquist"}).Is(200) }, "qq", 1, true},
			{"leave", func() { w.Call(w.North.Admin, "PUT", students+st, m{"status": "LEFT"}).Is(200) }, "xanthippe qquist", 1, true},
			{"erase", func() { w.Call(w.North.Admin, "POST", students+st+"/erase", m{"confirm": "ERASE-1"}).Is(200) }, "xanthippe", 0, true},
			{"archive", func() {
				st = create(w, w.North, m{"firstName": "Xerxes"})
				w.Call(w.North.Admin, "DELETE", students+st, nil).Is(204)
			}, "xerxes", 0, true},
			{"import", func() { importCSV(w, studentImport, "firstName,lastName\nXiomara,Imported\n") }, "xiomara", 1, true},
			{"SQL", func() {
				w.Exec(w.North, `UPDATE students SET search = 'xyz' WHERE school_id = :school AND first_name = 'Xiomara'`, nil)
			}, "xyz", 1, true},
			{"promote", func() {
				w.Call(w.North.Admin, "POST", students+"promote", m{"fromClassId": classes[1], "toClassId": to, "fromAcademicYearId": w.North.Year,
					"toAcademicYearId": later.Year, "divisionMap": m{divisionOf(w, classes[1]): toA}}).Is(200)
			}, "xyz", 1, false},
			{"SQL of a year", func() {
				w.Exec(w.North, `DELETE FROM enrolments WHERE school_id = :school AND class_id = :c`, db.Args{"c": classes[2]})
			}, "xyz", 1, false},
			{"many, one after the other", func() {
				for i := range 30 {
					create(w, w.North, m{"firstName": fmt.Sprint("Xavier", i)})
				}
			}, "xavier", 30, false},
		} {
			stamp := stampOf(w, w.North)
			step.change()
			if got := found(w, w.North, step.search); got != step.want {
				t.Errorf("after %s %q is found %v times, want %v", step.name, step.search, got, step.want)
			}
			if (stampOf(w, w.North) == stamp) != (step.name == "nothing") {
				t.Errorf("%s leaves the stamp as it was, or not", step.name)
			}
			if got := inMemory(w, w.North); got != step.followed {
				t.Errorf("after %s memory answers: %v", step.name, got)
			}
			if err := w.People.Rosters.Read(t.Context(), w.North.ID); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestRosterFollows changes students at random, and holds what memory says of
// them against what the database says.
func TestRosterFollows(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		classes := fill(w, 3_100)
		known := rosters(w)
		if err := known.Read(t.Context(), w.North.ID, w.North.Year); err != nil {
			t.Fatal(err)
		}
		ids, err := db.All[string](t.Context(), w.DB.School(w.North.ID), `SELECT id FROM students WHERE school_id = :school ORDER BY id`, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(3, 4))
		any := func() string { return ids[r.IntN(20)] } // the same ones again and again
		year := "&academicYearId=" + string(w.North.Year)
		for range 40 {
			class := classes[r.IntN(3)]
			seat := m{"classId": class, "divisionId": divisionOf(w, class)}
			switch r.IntN(6) {
			case 0:
				seat["firstName"], seat["lastName"] = "Anan", fmt.Sprint("Zz", r.IntN(9))
				ids = append([]string{create(w, w.North, seat)}, ids...)
			case 1:
				w.Call(w.North.Admin, "PUT", students+any(), m{"firstName": firstNames[r.IntN(len(firstNames))], "lastName": "Marson"})
			case 2:
				w.Call(w.North.Admin, "PUT", students+any(), seat)
			case 3:
				w.Call(w.North.Admin, "PUT", students+any(), m{"status": "LEFT"})
			case 4:
				w.Call(w.North.Admin, "PUT", students+any(), m{"status": "ACTIVE", "rollNo": r.IntN(70)})
			case 5:
				w.Call(w.North.Admin, "DELETE", students+any(), nil)
			}
			w.People.Rosters = known
			if !inMemory(w, w.North) {
				t.Fatal("a change is not followed")
			}
			for _, query := range []string{"search=an&sort=lastName", "search=mar&status=ACTIVE&order=desc&sort=createdAt", "search=a&sort=rollNo&page=2", "search=zz", "search=n&status=LEFT",
				"sort=admissionNo&order=desc" + year, "status=ACTIVE&page=3" + year, "search=mar&classId=" + string(class) + year, "search=o&classId=" + string(class)} {
				w.People.Rosters = known
				memory := w.Call(w.North.Admin, "GET", students+"list?"+query, nil).Is(200)
				w.People.Rosters = nil
				truth := w.Call(w.North.Admin, "GET", students+"list?"+query, nil).Is(200)
				if got, want := memory.All("items", "id"), truth.All("items", "id"); !slices.Equal(got, want) || memory.Data["total"] != truth.Data["total"] {
					t.Fatalf("%s: memory has %v in all and %v, the database %v and %v", query, memory.Data["total"], got, truth.Data["total"], want)
				}
			}
		}
	})
}

// TestRosterInACrowd lists while students change: a roster that some read is not
// the one that is made to fit.
func TestRosterInACrowd(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		fill(w, 3_100)
		st := create(w, w.North, m{"firstName": "Xanthippe"})
		w.People.Rosters = rosters(w, w.North)
		var crowd sync.WaitGroup
		for n := range 4 {
			crowd.Go(func() {
				for i := range 10 {
					if n == 0 {
						w.Call(w.North.Admin, "PUT", students+st, m{"lastName": fmt.Sprint("Qquist", i)})
					}
					if got := w.Call(w.North.Admin, "GET", students+"list?search=xanthippe", nil).Data["total"]; got != 1.0 {
						t.Errorf("one student is found %v times", got)
					}
				}
			})
		}
		crowd.Wait()
	})
}

// TestRostersAreRead has the school read that a list asks for.
func TestRostersAreRead(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		fill(w, 3_100)
		create(w, w.South, m{"firstName": "Ana"})
		w.People.Rosters = rosters(w)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- w.People.Rosters.Run(ctx) }()
		defer func() {
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}()
		if inMemory(w, w.North) {
			t.Error("a school is in memory that nobody has asked for")
		}
		await.Until(t, "the school to be read", func() bool { return inMemory(w, w.North) })
		w.Exec(w.North, `UPDATE students SET last_name = 'Quux', search = 'quux' WHERE school_id = :school AND admission_no LIKE '%1'`, nil)
		if got := found(w, w.North, "quux"); got != 310 {
			t.Errorf("%v are found by their new name", got)
		}
		await.Until(t, "the school to be read again", func() bool { return inMemory(w, w.North) })
		if inMemory(w, w.South) {
			t.Error("a small school is in memory")
		}
		for _, year := range []id.ID{w.South.Year, peopletest.Nobody} {
			w.Call(w.North.Admin, "GET", students+"list?academicYearId="+string(year), nil).Is(404)
		}
		if !inMemory(w, w.North) {
			t.Error("a year that is not there has the school read again")
		}
	})
}

// TestRostersMakeRoom drops the school that was searched longest ago.
func TestRostersMakeRoom(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		fill(w, 3_100)
		many := make([]people.NewStudent, 3_100)
		for i := range many {
			many[i] = student(fmt.Sprint("S-", i), "Southerner")
		}
		w.Enrol(w.South, many...)
		w.People.Rosters = rosters(w, w.North, w.South)
		if !inMemory(w, w.North) || !inMemory(w, w.South) {
			t.Fatal("both schools have room")
		}
		w.People.Rosters.Keep = 5_000
		if err := w.People.Rosters.Read(t.Context(), w.South.ID); err != nil {
			t.Fatal(err)
		}
		if inMemory(w, w.North) || !inMemory(w, w.South) {
			t.Error("the school that was searched last should have stayed, and no other")
		}
		if got := found(w, w.South, "southerner"); got != 3_100 {
			t.Errorf("%v of the other school are found", got)
		}
	})
}
