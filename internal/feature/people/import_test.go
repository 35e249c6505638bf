package people_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/db"
)

const (
	studentImport  = "/school-admin/student/import"
	studentExport  = "/school-admin/student/export"
	employeeImport = "/school-admin/employee/import"
	employeeExport = "/school-admin/employee/export"
)

// importCSV imports a file as North's administrator and returns the result.
func importCSV(w *peopletest.World, path, body string) people.Imported {
	w.Helper()
	a := w.Send(w.North.Admin, path, "text/csv", body).Is(200)
	var out struct{ Data people.Imported }
	if err := json.Unmarshal([]byte(a.Text), &out); err != nil {
		w.Fatal(err)
	}
	return out.Data
}

func counts(i people.Imported) [5]int {
	return [5]int{i.Total, i.Created, i.Updated, i.Unchanged, i.Failed}
}

func TestImportStudents(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		seat(w, w.North, "Grade 5")
		seat(w, w.North, "Grade 6")
		w.Enrol(w.South, student("S-1", "Foreign")) // another school's number does not matter
		got := importCSV(w, studentImport,
			"\ufeffLast Name;first_name;ADMISSION NUMBER;Class;section;Roll Number;Date of Birth;Address;"+
				"Guardian Name;guardianPhone;Guardian Relation;Parent 2 Name;House\r\n"+
				"Lovelace;Zoë;S-1;grade 5;a;7;10.12.2015;\"12 Long Street\nSpringfield; 2nd floor\";Anne;'+1 555 010-0001;mother;Silent George;Red\r\n"+
				"\r\n"+
				"Lovelace;Ralph;S-2;Grade 6;;;;;Anne again;+15550100001;;;\r\n"+
				"Solo;Sam;;;;;;;;;;;\r\n")
		if counts(got) != [5]int{3, 3, 0, 0, 0} || len(got.Errors) != 0 {
			t.Fatalf("%+v", got)
		}
		if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "House") {
			t.Errorf("warnings %q, want one about House", got.Warnings)
		}
		out := w.Fetch(w.North.Admin, studentExport).Is(200).Text
		for _, want := range []string{
			"S-1,Zoë,Lovelace,2015-12-10,,,Grade 5,A,7,,\"12 Long Street\nSpringfield; 2nd floor\",,,,,ACTIVE,,," +
				"Anne,MOTHER,'+15550100001,,Silent George,GUARDIAN,",
			"S-2,Ralph,Lovelace,,,,Grade 6,,,,,,,,,ACTIVE,,,Anne,GUARDIAN,'+15550100001,",
			"NORTH-0001,Sam,Solo,", // the school's own first number
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in the export:\n%s", want, out)
			}
		}
		if strings.Contains(out, "Foreign") {
			t.Error("another school's student is in the export")
		}
		for from, want := range map[string]int{
			"guardians WHERE TRUE":                                      2,
			"users WHERE role = 'PARENT'":                               1,
			"student_guardians WHERE TRUE":                              3,
			"enrolments WHERE outcome = 'ENROLLED'":                     2,
			"audit_log WHERE action = 'student.import'":                 1,
			"student_guardians WHERE is_primary AND can_view_data":      2,
			"students WHERE search LIKE '%zoe lovelace%' AND version=1": 1,
		} {
			if n := w.Count(from+` AND school_id = :school`, nil); n != want {
				t.Errorf("%d %s, want %d", n, from, want)
			}
		}
	})
}

// Importing an exported file changes nothing.
func TestImportOfExport(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		seat(w, w.North, "Grade 5")
		importCSV(w, studentImport, "admissionNo,firstName,lastName,class,division,address,phone,email,gender,bloodGroup,"+
			"guardianName,guardianPhone,guardian2Name,guardian2Phone,status,leavingDate,leavingReason\n"+
			"=1+1,@import,-minus,Grade 5,A,\"''=quoted\r\nline\",+15550109999,A@Example.org,FEMALE,O+,"+
			"+plus,+15550100001,=cmd|' /C calc'!A0,+15550100002,,,\n"+
			"2,\"Comma, and \"\"quote\"\"\",'apostrophe,,,\"semi;colon\",,,,,,,,,left,2026-05-01,moved away\n")
		file := w.Fetch(w.North.Admin, studentExport).Is(200).Text
		for _, want := range []string{"'=1+1,'@import,'-minus,", "'+15550109999,a@example.org", "'+plus,", "'=cmd|' /C calc'!A0",
			"LEFT,2026-05-01,moved away", "\"''=quoted\nline\""} {
			if !strings.Contains(file, want) {
				t.Errorf("%q is not in the export:\n%s", want, file)
			}
		}
		before := everything(w)
		if got := importCSV(w, studentImport+"?mode=upsert", file); counts(got) != [5]int{2, 0, 0, 2, 0} {
			t.Errorf("%+v", got)
		}
		if after := everything(w); after != before {
			t.Errorf("changed from\n%s\nto\n%s", before, after)
		}
		if again := w.Fetch(w.North.Admin, studentExport).Is(200).Text; again != file {
			t.Errorf("exported\n%s\nthen\n%s", file, again)
		}
	})
}

// everything is all that an import of students could change.
func everything(w *peopletest.World) string {
	w.Helper()
	var all []string
	for _, sql := range []string{
		`SELECT id || ' ' || admission_no || ' ' || first_name || ' ' || last_name || ' ' || version || ' ' || status FROM students
			WHERE school_id = :school`,
		`SELECT academic_year_id || ' ' || student_id || ' ' || class_id || ' ' || outcome FROM enrolments WHERE school_id = :school`,
		`SELECT id || ' ' || name || ' ' || phone || ' ' || version FROM guardians WHERE school_id = :school`,
		`SELECT student_id || ' ' || guardian_id || ' ' || relation FROM student_guardians WHERE school_id = :school`,
		`SELECT id || ' ' || name || ' ' || status || ' ' || version FROM users WHERE school_id = :school`,
		`SELECT employee_code || ' ' || first_name || ' ' || version || ' ' || status FROM employees WHERE school_id = :school`,
	} {
		rows, err := db.All[string](w.Context(), w.DB.School(w.North.ID), sql, nil)
		if err != nil {
			w.Fatal(err)
		}
		slices.Sort(rows)
		all = append(all, rows...)
	}
	return strings.Join(all, "\n")
}

func TestImportRefuses(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		seat(w, w.North, "Grade 5")
		seat(w, w.South, "Foreign")
		w.Exec(w.North, `UPDATE divisions SET capacity = 1 WHERE school_id = :school`, nil)
		gone := w.Enrol(w.North, student("1", "There"), student("2", "Gone"))
		archive(w, w.North, gone[1])
		before := everything(w)
		const header = "admissionNo,firstName,dateOfBirth,class,division,rollNo,phone,email,status,guardianName,guardianPhone,guardianRelation\n"
		rows := []struct{ line, field, message string }{
			{"10,,,,,,,,,,,", "firstName", "required"},
			{"11,A,05/06/2015,,,,,,,,,", "dateOfBirth", "YYYY-MM-DD"},
			{"12,A,2015-02-30,,,,,,,,,", "dateOfBirth", "YYYY-MM-DD"},
			{"13,A,,Foreign,,,,,,,,", "class", "is not a class of 2026/27: there are Grade 5"},
			{"14,A,,Grade 5,Z,,,,,,,", "division", "is not a division of Grade 5: there are A"},
			{"15,A,,,A,,,,,,,", "division", "class"},
			{"16,A,,,,many,,,,,,", "rollNo", "whole number"},
			{"17,A,,,,,0555-1234,,,,,", "phone", "country code"},
			{"18,A,,,,,,nobody,,,,", "email", "e-mail"},
			{"19,A,,,,,,,SLEEPING,,,", "status", "ACTIVE, TRANSFERRED, GRADUATED, LEFT"},
			{"20,A,,,,,,,,,+15550100001,", "guardianName", "required"},
			{"21,A,,,,,,,,Mia,+15550100001,AUNT", "guardianRelation", "FATHER, MOTHER, GUARDIAN"},
			{"1,A,,,,,,,,,,", "admissionNo", "belongs to There Test already"},
			{"2,A,,,,,,,,,,", "admissionNo", "removed"},
			{"30,A,,Grade 5,A,,,,,,,", "", ""}, // valid, and takes the last place
			{"30,A,,,,,,,,,,", "admissionNo", "row 16"},
			{"31,A,,Grade 5,A,,,,,,,", "division", "full"},
			{"32," + strings.Repeat("x", 101) + ",,,,,,,,,,", "firstName", "100"},
			{"33,A\x00,,,,,,,,,,", "", "U+0000"},
			{"34,A\xff,,,,,,,,,,", "", "UTF-8"},
			{"35,A,,,,,,,,,,,,too many", "", "cells"},
			{"36,A\u202e,,,,,,,,,,", "firstName", "control"},
			{"37\x1b,A,,,,,,,,,,", "admissionNo", "control"},
			{"38,A,,,,,,,,Mia\x85,+15550100001,", "", "UTF-8"},
			{"39,A,,,,,,,,Mia\u0085x,+15550100001,", "guardianName", "control"},
		}
		file := header
		for _, r := range rows {
			file += r.line + "\n"
		}
		got := importCSV(w, studentImport, file)
		if counts(got) != [5]int{len(rows), 0, 0, 0, len(rows) - 1} {
			t.Errorf("%v", counts(got))
		}
		errs := got.Errors
		slices.SortStableFunc(errs, func(a, b people.RowError) int { return a.Row - b.Row })
		for i, r := range rows {
			if r.message == "" {
				continue
			}
			if len(errs) == 0 || errs[0].Row != i+2 || string(errs[0].Field) != r.field || !strings.Contains(errs[0].Message, r.message) {
				t.Fatalf("row %d %q: %+v, want %s %q", i+2, r.line, errs[:min(1, len(errs))], r.field, r.message)
			}
			errs = errs[1:]
		}
		if len(errs) > 0 {
			t.Errorf("too much is wrong: %+v", errs)
		}
		if after := everything(w); after != before {
			t.Errorf("written all the same:\n%s", after)
		}
		if got := importCSV(w, studentImport+"?partial=true&dryRun=true", file); counts(got) != [5]int{len(rows), 1, 0, 0, len(rows) - 1} ||
			!got.DryRun || everything(w) != before {
			t.Errorf("dry run: %v", counts(got))
		}
		if got := importCSV(w, studentImport+"?partial=true", file); counts(got) != [5]int{len(rows), 1, 0, 0, len(rows) - 1} {
			t.Errorf("partial: %v", counts(got))
		}
		if n := w.Count(`students WHERE admission_no = '30' AND school_id = :school`, nil); n != 1 {
			t.Errorf("%d of the good row, want 1", n)
		}
	})
}

func TestImportFileIsWrong(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		for _, tt := range []struct {
			name, path, contentType, body string
			status                        int
			want                          string
		}{
			{"empty", studentImport, "text/csv", "", 422, "empty"},
			{"UTF-16", studentImport, "text/csv", "\xff\xfef\x00i\x00", 422, "UTF-16"},
			{"a spreadsheet", studentImport, "text/csv", "PK\x03\x04....", 422, "CSV UTF-8"},
			{"no column that is known", studentImport, "text/csv", "a,b\n1,2\n", 422, "names no column"},
			{"no first name", studentImport, "text/csv", "lastName\nX\n", 422, "firstName"},
			{"no number to find by", studentImport + "?mode=upsert", "text/csv", "firstName\nX\n", 422, "admissionNo"},
			{"a column twice", studentImport, "text/csv", "firstName,First Name\nX,Y\n", 422, "firstName stands twice"},
			{"a mode that is none", studentImport + "?mode=merge", "text/csv", "firstName\nX\n", 422, "mode"},
			{"JSON", studentImport, "application/json", "{}", 415, "text/csv"},
			{"too large", studentImport, "text/csv", strings.Repeat("x", 64<<20+1), 413, "64 MiB"},
			{"a year of another school", studentImport + "?academicYearId=" + string(w.South.Year), "text/csv", "firstName\nX\n", 404,
				"academic year"},
			{"a year of none", studentImport + "?academicYearId=" + string(peopletest.Nobody), "text/csv", "firstName\nX\n", 404, "academic year"},
			{"employees without a name", employeeImport, "text/csv", "lastName\nX\n", 422, "firstName"},
			{"employees without a code", employeeImport + "?mode=upsert", "text/csv", "firstName\nX\n", 422, "employeeCode"},
		} {
			a := w.Send(w.North.Admin, tt.path, tt.contentType, tt.body)
			if a.Status != tt.status || !strings.Contains(a.Text, tt.want) {
				t.Errorf("%s: %d %s, want %d with %q", tt.name, a.Status, a.Text, tt.status, tt.want)
			}
		}
		if n := w.Count(`students WHERE TRUE AND school_id = :school`, nil); n != 0 {
			t.Errorf("%d students came of it", n)
		}
	})
}

func TestImportTellsOfAThousand(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		var b strings.Builder
		b.WriteString("firstName,dateOfBirth\n")
		for i := range 4500 { // over more than one chunk
			date := ""
			if i%3 == 0 {
				date = "tomorrow"
			}
			fmt.Fprintf(&b, "Student %d,%s\n", i, date)
		}
		got := importCSV(w, studentImport, b.String())
		if counts(got) != [5]int{4500, 0, 0, 0, 1500} || len(got.Errors) != 1000 || got.Errors[999].Row != 999*3+2 {
			t.Errorf("%v, %d errors, the last %+v", counts(got), len(got.Errors), got.Errors[len(got.Errors)-1])
		}
		got = importCSV(w, studentImport+"?partial=true", b.String())
		if counts(got) != [5]int{4500, 3000, 0, 0, 1500} || len(got.Errors) != 1000 {
			t.Errorf("partial: %v, %d errors", counts(got), len(got.Errors))
		}
		if n := w.Count(`students WHERE TRUE AND school_id = :school`, nil); n != 3000 {
			t.Errorf("%d students, want 3000", n)
		}
	})
}

func TestImportUpsert(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		seat(w, w.North, "Grade 5")
		seat(w, w.North, "Grade 6")
		w.Enrol(w.North, student("1", "One", parent("Mia", "+15550100001")), student("2", "Two"))
		file := "admissionNo,firstName,class,division,phone,guardianName,guardianPhone\n" +
			"1,One,Grade 5,A,,Mia M.,+15550100001\n" + // sits now; the guardian keeps its name
			"2,Zwei,,,+15550100009,Mia,+15550100001\n" + // renamed, with a guardian
			"3,Three,Grade 6,,,,\n"
		if got := importCSV(w, studentImport, file); counts(got) != [5]int{3, 0, 0, 0, 2} {
			t.Errorf("without upsert: %v %+v", counts(got), got.Errors)
		}
		if got := importCSV(w, studentImport+"?mode=upsert&dryRun=true", file); counts(got) != [5]int{3, 1, 2, 0, 0} {
			t.Errorf("dry run: %v %+v", counts(got), got.Errors)
		}
		if got := importCSV(w, studentImport+"?mode=upsert", file); counts(got) != [5]int{3, 1, 2, 0, 0} {
			t.Errorf("first: %v %+v", counts(got), got.Errors)
		}
		before := everything(w)
		if got := importCSV(w, studentImport+"?mode=upsert", file); counts(got) != [5]int{3, 0, 0, 3, 0} || everything(w) != before {
			t.Errorf("again: %v %+v", counts(got), got.Errors)
		}
		out := w.Fetch(w.North.Admin, studentExport).Is(200).Text
		for _, want := range []string{"1,One,Test,,,,Grade 5,A,", "2,Zwei,Test,", "'+15550100009", "3,Three,,,,,Grade 6,"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in the export:\n%s", want, out)
			}
		}
		for from, want := range map[string]int{
			"guardians WHERE name = 'Mia'":              1,
			"guardians WHERE TRUE":                      1,
			"student_guardians WHERE TRUE":              2,
			"audit_log WHERE action = 'student.update'": 2,
			"audit_log WHERE action = 'student.import'": 1, // the second import changed nothing
		} {
			if n := w.Count(from+` AND school_id = :school`, nil); n != want {
				t.Errorf("%d %s, want %d", n, from, want)
			}
		}
	})
}

// Students without a number get those after the file's own.
func TestImportNumbers(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		var b strings.Builder
		b.WriteString("admissionNo,firstName\n,First\n")
		for i := range 2500 {
			fmt.Fprintf(&b, "NORTH-%04d,Student\n", i+1)
		}
		b.WriteString(",Last\n")
		if got := importCSV(w, studentImport, b.String()); counts(got) != [5]int{2502, 2502, 0, 0, 0} {
			t.Fatalf("%v %+v", counts(got), got.Errors)
		}
		numbers, err := db.All[string](t.Context(), w.DB.School(w.North.ID),
			`SELECT admission_no FROM students WHERE school_id = :school AND first_name IN (:names) ORDER BY admission_no`,
			db.Args{"names": []string{"First", "Last"}})
		if err != nil || !slices.Equal(numbers, []string{"NORTH-2501", "NORTH-2502"}) {
			t.Errorf("%v %v", numbers, err)
		}
	})
}

func TestExportFilters(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		five, _ := seat(w, w.North, "Grade 5")
		foreign, _ := seat(w, w.South, "Grade 5")
		importCSV(w, studentImport, "admissionNo,firstName,class\n1,Anna,Grade 5\n2,Bob,\n3,Banu,Grade 5\n")
		for query, want := range map[string]string{
			"":                                       "1 2 3",
			"?classId=" + string(five):               "1 3",
			"?search=b":                              "2 3",
			"?search=ANU":                            "3",
			"?classId=" + string(five) + "&search=b": "3",
			"?status=LEFT":                           "",
			"?academicYearId=" + string(w.North.Year): "1 3",
		} {
			var got []string
			for _, line := range strings.Split(strings.TrimSpace(w.Fetch(w.North.Admin, studentExport+query).Is(200).Text), "\r\n")[1:] {
				no, _, _ := strings.Cut(line, ",")
				got = append(got, no)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%q: %v, want %s", query, got, want)
			}
		}
		for _, query := range []string{"?classId=" + string(foreign), "?divisionId=" + string(peopletest.Nobody),
			"?academicYearId=" + string(w.South.Year)} {
			w.Fetch(w.North.Admin, studentExport+query).Is(404, "Not Found")
		}
		if n := w.Count(`audit_log WHERE action = 'student.export' AND school_id = :school`, nil); n != 7 {
			t.Errorf("%d exports were kept, want 7", n)
		}
	})
}

func TestTemplates(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		seat(w, w.North, "Grade 5")
		for _, path := range []string{studentImport, employeeImport} {
			file := w.Fetch(w.North.Admin, path+"/template").Is(200).Text
			if got := importCSV(w, path, file); counts(got) != [5]int{1, 1, 0, 0, 0} || len(got.Warnings) > 0 {
				t.Errorf("%s: %+v", path, got)
			}
		}
	})
}

func TestImportEmployees(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		file := "Employee Code,First Name,Surname,Role,Phone,Email,Salary,Department,Status\n" +
			"T1,Grace,Hopper,Teacher,+15550200001,grace@example.org,4200.5,Science,\n" +
			"D1,Max,,driver,+15550200002,,,,on leave\n" +
			"A1,Ada,,SCHOOL_ADMIN,,north@example.org,,,\n" +
			",Nameless,,,,,,,\n"
		if got := importCSV(w, employeeImport, file); counts(got) != [5]int{4, 4, 0, 0, 0} {
			t.Fatalf("%+v", got)
		}
		out := w.Fetch(w.North.Admin, employeeExport).Is(200).Text
		for _, want := range []string{"T1,Grace,Hopper,,Science,", "'+15550200001,grace@example.org,,,,,4200.50,,ACTIVE", "ON_LEAVE",
			"north@example.org"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in the export:\n%s", want, out)
			}
		}
		before := everything(w)
		if got := importCSV(w, employeeImport+"?mode=upsert", out); counts(got) != [5]int{4, 0, 0, 4, 0} || everything(w) != before {
			t.Errorf("again: %+v", got)
		}
		bad := "employeeCode,firstName,role,phone,email,salary,status\n" +
			"T1,G,,,,,\n" + "X2,,,,,,\n" + "X3,A,Cook,,,,\n" + "X4,A,,+15550200001,,,\n" + "X5,A,,+15550200009,,,\n" + "X6,A,,+15550200009,,,\n" +
			"X7,A,SCHOOL_ADMIN,,south@example.org,,\n" /* another school's e-mail: must not show */ +
			"X10,A,SCHOOL_ADMIN,,north@example.org,,\n" + "X8,A,,,,1.234,\n" + "X9,A,,,,,asleep\n"
		got := importCSV(w, employeeImport, bad)
		var fields []string
		for _, e := range got.Errors {
			fields = append(fields, fmt.Sprint(e.Row, " ", e.Field))
		}
		slices.Sort(fields)
		if want := []string{"10 salary", "11 status", "2 employeeCode", "3 firstName", "4 role", "5 phone", "7 phone",
			"9 email"}; !slices.Equal(fields, want) || everything(w) != before {
			t.Errorf("%v, want %v: %+v", fields, want, got.Errors)
		}
		changed := "employeeCode,department,status\nT1,Maths,\nD1,,RESIGNED\n"
		if got := importCSV(w, employeeImport+"?mode=upsert", changed); counts(got) != [5]int{2, 0, 2, 0, 0} {
			t.Errorf("change: %+v", got)
		}
		for from, want := range map[string]int{
			"employees WHERE department = 'Maths' AND first_name = 'Grace'": 1,
			"users WHERE status = 'DISABLED' AND phone = '+15550200002'":    1,
			"audit_log WHERE action = 'employee.import'":                    2,
		} {
			if n := w.Count(from+` AND school_id = :school`, nil); n != want {
				t.Errorf("%d %s, want %d", n, from, want)
			}
		}
	})
}

// A file sent again with the same idempotency key is imported once.
func TestImportOnce(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		const file = "firstName\nAda\nBob\n"
		first := w.Send(w.North.Admin, studentImport, "text/csv", file, "Idempotency-Key", "import-1").Is(200).Text
		if again := w.Send(w.North.Admin, studentImport, "text/csv", file, "Idempotency-Key", "import-1").Is(200).Text; again != first {
			t.Errorf("%s, then %s", first, again)
		}
		w.Send(w.North.Admin, studentImport, "text/csv", file+"Cy\n", "Idempotency-Key", "import-1").Is(422)
		bad := "firstName,dateOfBirth\nAda,tomorrow\n"
		refused := w.Send(w.North.Admin, studentImport, "text/csv", bad, "Idempotency-Key", "import-2").Is(200).Text
		if again := w.Send(w.North.Admin, studentImport, "text/csv", bad, "Idempotency-Key", "import-2").Is(200).Text; again != refused ||
			!strings.Contains(again, "Nothing was written") {
			t.Errorf("%s, then %s", refused, again)
		}
		if n := w.Count(`students WHERE TRUE AND school_id = :school`, nil); n != 2 {
			t.Errorf("%d students, want 2", n)
		}
	})
}

// TestImportMany imports more rows than one chunk has.
func TestImportMany(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		seat(w, w.North, "Grade 5")
		w.Enrol(w.North, student("A-1", "Before", parent("Mia", "+15550100001")))
		w.Enrol(w.South, student("A-1", "Foreign"))
		var b strings.Builder
		b.WriteString("admissionNo,firstName,lastName,class,division,guardianName,guardianPhone\n")
		const n = 5200
		for i := range n {
			fmt.Fprintf(&b, "M-%05d,Näme%d,Many,Grade 5,A,Guardian,+1777%07d\n", i, i, i/2)
		}
		b.WriteString("M-last,Sibling,Many,,,Mia,+15550100001\n")
		if got := importCSV(w, studentImport, b.String()); counts(got) != [5]int{n + 1, n + 1, 0, 0, 0} {
			t.Fatalf("%v %+v", counts(got), got.Errors)
		}
		for from, want := range map[string]int{
			"students WHERE TRUE":                     n + 2,
			"enrolments WHERE TRUE":                   n,
			"guardians WHERE TRUE":                    n/2 + 1,
			"users WHERE role = 'PARENT'":             n/2 + 1,
			"student_guardians WHERE TRUE":            n + 2,
			"guardians WHERE name = 'Mia'":            1,
			"guardians WHERE user_id IS NULL":         0,
			"audit_log WHERE action = 'user.create'":  2, // the school's administrator and Mia
			"students WHERE search LIKE '%name5199%'": 1,
		} {
			if got := w.Count(from+` AND school_id = :school`, nil); got != want {
				t.Errorf("%d %s, want %d", got, from, want)
			}
		}
		for search, want := range map[string]int{"näme5199": 1, "sibling many": 1, "before": 1, "foreign": 0, "many": n + 1} {
			got := w.Call(w.North.Admin, "POST", "/school-admin/student/list", map[string]any{"filters": map[string]any{"search": search}}).Is(200)
			if total := int(got.Data["total"].(float64)); total != want {
				t.Errorf("%d are found by %q, want %d", total, search, want)
			}
		}
		if lines := strings.Split(strings.TrimSpace(w.Fetch(w.North.Admin, studentExport+"?search=N%C3%84ME519").Is(200).Text),
			"\r\n"); len(lines) != 12 {
			t.Errorf("%d lines, want a header and eleven: %q", len(lines), lines)
		}
		if lines := strings.Split(strings.TrimSpace(w.Fetch(w.North.Admin, studentExport).Is(200).Text), "\r\n"); len(lines) != n+3 {
			t.Errorf("%d lines, want a header and everyone", len(lines))
		}
		if got := importCSV(w, studentImport+"?mode=upsert", b.String()); counts(got) != [5]int{n + 1, 0, 0, n + 1, 0} {
			t.Errorf("again: %v %+v", counts(got), got.Errors)
		}
	})
}
