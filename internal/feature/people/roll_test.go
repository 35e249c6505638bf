package people_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/feature/people/peopletest"
)

func TestRollNumbers(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		class, a := seat(w, w.North, "Grade 1")
		b := addDivision(w, w.North, class, "B")
		sit := func(name string, roll any, division any) peopletest.Answer {
			return w.Call(w.North.Admin, "POST", students+"create", m{"firstName": name, "lastName": name, "classId": class,
				"divisionId": division, "rollNo": roll})
		}
		zoe := sit("Zoe", 1, a).Is(201).Data["id"].(string)
		ben := sit("Ben", 2, a).Is(201).Data["id"].(string)
		ana := sit("Ana", nil, a).Is(201).Data["id"].(string)
		sit("Other", 1, b).Is(201)
		sit("Twin", 1, a).Is(409, "DUPLICATE_ENTRY")
		w.Call(w.North.Admin, "PUT", students+ana, m{"rollNo": 2}).Is(409, "DUPLICATE_ENTRY")
		w.Call(w.North.Admin, "PUT", students+ben, m{"status": "LEFT"}).Is(200)
		w.Call(w.North.Admin, "PUT", students+ana, m{"rollNo": 2}).Is(200) // free by now
		w.Call(w.North.Admin, "PUT", students+ben, m{"status": "ACTIVE"}).Is(409, "DUPLICATE_ENTRY")

		renumber := func(in m) []string {
			t.Helper()
			return w.Call(w.North.Admin, "POST", students+"renumber", in).Is(200).All("students", "firstName")
		}
		if got := renumber(m{"divisionId": a}); !slices.Equal(got, []string{"Ana", "Zoe"}) {
			t.Errorf("by last name: %v", got)
		}
		if got := renumber(m{"divisionId": a, "studentIds": []string{zoe}}); !slices.Equal(got, []string{"Zoe", "Ana"}) {
			t.Errorf("with the first one given: %v", got)
		}
		if got := w.Call(w.North.Admin, "GET", students+ana, nil).Is(200).Data["rollNo"]; got != 2.0 {
			t.Errorf("Ana's roll number: %v", got)
		}
		w.Call(w.North.Admin, "POST", students+"renumber", m{"divisionId": a, "studentIds": []string{ben}}).Is(422)
		w.Call(w.North.Admin, "POST", students+"renumber", m{"divisionId": peopletest.Nobody}).Is(404)
		w.Call(w.South.Admin, "POST", students+"renumber", m{"divisionId": a}).Is(404)

		text := fmt.Sprint(importCSV(w, studentImport, "admissionNo,firstName,class,division,rollNo,dateOfBirth,gender\n"+
			"R1,Cem,Grade 1,A,1,2015-01-01,boy\nR2,Dot,Grade 1,A,9,2099-01-01,F\nR3,Eve,Grade 1,A,9,2015-01-01,x\n").Errors)
		for _, want := range []string{"belongs to another student of the division", "must be in the past", "must be one of MALE, FEMALE, OTHER"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in %s", want, text)
			}
		}
	})
}

func TestGenderBloodGroupAndBirth(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		for sent, want := range (m{"f": "FEMALE", "Girl": "FEMALE", "boy": "MALE", "male": "MALE", "Other": "OTHER", "": nil}) {
			d := w.Call(w.North.Admin, "POST", students+"create", m{"firstName": "X", "gender": sent, "bloodGroup": "ab-"}).Is(201).Data
			if d["gender"] != want || d["bloodGroup"] != "AB-" {
				t.Errorf("gender %q: got %v and %v, want %v", sent, d["gender"], d["bloodGroup"], want)
			}
		}
		for field, bad := range map[string]string{"gender": "x", "bloodGroup": "C", "dateOfBirth": "2099-01-01"} {
			w.Call(w.North.Admin, "POST", students+"create", m{"firstName": "X", field: bad}).Is(422)
		}
		st := create(w, w.North, m{"firstName": "X", "dateOfBirth": "2015-01-01"})
		w.Call(w.North.Admin, "PUT", students+st, m{"dateOfBirth": "1815-01-01"}).Is(422)
		w.Call(w.North.Admin, "POST", "/school-admin/employee/create", m{"firstName": "X", "dateOfBirth": "2099-01-01"}).Is(422)
	})
}
