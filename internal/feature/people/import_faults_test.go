package people_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
)

// faults lists the errors as "row field".
func faults(i people.Imported) (out []string) {
	for _, e := range i.Errors {
		out = append(out, fmt.Sprintf("%d %s", e.Row, e.Field))
	}
	return out
}

// All faults of a row are told at once: those of its cells and those that need the
// school's records.
func TestImportTellsAllFaults(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		seat(w, w.North, "Grade 5")
		w.Enrol(w.North, student("1", "There"))
		got := importCSV(w, studentImport, "admissionNo,firstName,dateOfBirth,class,division,email,status\n"+
			"1,,soon,Grade 9,,nobody,SLEEPING\n"+
			"2,Ada,2010-02-30,Grade 5,Z,,\n"+
			"2,,2015-01-01,Grade 5,A,,\n"+
			"3,Good,2015-01-01,Grade 5,A,,\n")
		want := []string{"2 status", "2 dateOfBirth", "2 email", "2 admissionNo", "2 class", "3 dateOfBirth", "3 division",
			"4 admissionNo", "4 firstName"}
		have := faults(got)
		slices.Sort(want)
		if !slices.IsSortedFunc(got.Errors, func(a, b people.RowError) int { return a.Row - b.Row }) {
			t.Errorf("not in row order: %v", have)
		}
		if slices.Sort(have); !slices.Equal(have, want) || got.Failed != 3 || got.NotShown != 0 {
			t.Errorf("%v, %d failed, %d not shown, want %v", have, got.Failed, got.NotShown, want)
		}
		got = importCSV(w, studentImport+"?partial=true", "admissionNo,firstName,dateOfBirth,class\n5,Ada,soon,Grade 9\n6,Ben,,\n")
		if counts(got) != [5]int{2, 1, 0, 0, 1} || len(got.Errors) != 2 {
			t.Errorf("partial: %v %v", counts(got), faults(got))
		}
		got = importCSV(w, employeeImport, "firstName,role,employeeCode,email,joinDate\n,Wizard,E1,nobody,soon\nBea,TEACHER,E1,,\n")
		have, want = faults(got), []string{"2 email", "2 firstName", "2 joinDate", "2 role", "3 employeeCode"}
		if slices.Sort(have); !slices.Equal(have, want) {
			t.Errorf("employees: %v, want %v", have, want)
		}
	})
}

// The first thousand faults are those of the first rows; the others are counted.
func TestImportCountsWhatIsNotShown(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		file := "firstName,dateOfBirth,class\n" + strings.Repeat("Ada,soon,Nowhere\n", 600)
		got := importCSV(w, studentImport, file)
		if got.Failed != 600 || len(got.Errors) != 1000 || got.NotShown != 200 {
			t.Errorf("%d failed, %d errors, %d not shown", got.Failed, len(got.Errors), got.NotShown)
		}
		if last := got.Errors[len(got.Errors)-1]; last.Row != 501 {
			t.Errorf("the last error is of row %d, want 501", last.Row)
		}
	})
}

func TestImportNamesMisspeltColumns(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		hint := "“Frist name” is not a column. Did you mean “firstName”?"
		a := w.Send(w.North.Admin, studentImport, "text/csv", "admissionNo,Frist name\n1,Ada\n")
		if a.Status != 422 || !strings.Contains(a.Text, hint) {
			t.Errorf("%d %s, want 422 with %s", a.Status, a.Text, hint)
		}
		got := importCSV(w, studentImport, "firstName,Gurdian fone,Shoe size\nAda,,38\n")
		want := []string{"“Gurdian fone” is not a column. Did you mean “guardianPhone”? It was ignored.",
			"“Shoe size” is not a column. It was ignored."}
		if !slices.Equal(got.Warnings, want) || got.Created != 1 {
			t.Errorf("%q, want %q", got.Warnings, want)
		}
	})
}

// Ambiguous dates are read as the school writes them; YYYY-MM-DD always works.
func TestImportReadsTheSchoolsDates(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		file := "admissionNo,firstName,dateOfBirth\n1,Ada,03/04/2015\n2,Ben,2015-04-03\n3,Cal,3/4/2015\n"
		if got := importCSV(w, studentImport, file); got.Failed != 2 || !strings.Contains(got.Errors[0].Message, "YYYY-MM-DD") {
			t.Errorf("%d failed, want 2: %+v", got.Failed, got.Errors)
		}
		for format, want := range map[string]string{"DD/MM/YYYY": "2015-04-03", "MM/DD/YYYY": "2015-03-04"} {
			change := school.Change{Rules: school.Rules{DateFormat: new(clock.DateFormat(format))}}
			if _, err := w.Schools.Update(t.Context(), actor.Actor{School: w.North.ID}, w.North.ID, change); err != nil {
				t.Fatal(err)
			}
			if got := importCSV(w, studentImport+"?mode=upsert", file); got.Failed != 0 {
				t.Errorf("%s: %+v", format, got.Errors)
			}
			out := w.Fetch(w.North.Admin, studentExport).Is(200).Text
			for _, line := range []string{"1,Ada,," + want, "2,Ben,,2015-04-03", "3,Cal,," + want} {
				if !strings.Contains(out, line) {
					t.Errorf("%s: %q is not in the export:\n%s", format, line, out)
				}
			}
			got := importCSV(w, studentImport, "firstName,dateOfBirth\nDan,31/31/2015\n")
			if len(got.Errors) != 1 || !strings.Contains(got.Errors[0].Message, format) {
				t.Errorf("%s: %+v", format, got.Errors)
			}
		}
	})
}
