package library_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/db"
)

func TestBook(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		b := w.call("POST", "book/create", m{"title": " Pride  and Prejudice ", "author": "Jane Austen", "isbn": "0-14-143951-3",
			"publisher": "Penguin",
			"category":  "Novel", "shelf": "A 3", "price": 12.50, "copies": []m{{}, {"accessionNo": " PP-1 "}}}).Is(201).Data
		if b["title"] != "Pride and Prejudice" || b["isbn"] != "9780141439518" || b["price"] != 12.5 || b["availableCopies"] != 2.0 ||
			b["waiting"] != 0.0 || b["version"] != 1.0 {
			t.Errorf("POST book/create: got %v", b)
		}
		at := "book/" + b["id"].(string)
		got := w.call("GET", at, nil).Is(200)
		if no := got.All("copies", "accessionNo"); !slices.Equal(no, []string{"000001", "PP-1"}) {
			t.Errorf("accession numbers: got %v", no)
		}
		if st := got.All("copies", "status"); !slices.Equal(st, []string{"AVAILABLE", "AVAILABLE"}) {
			t.Errorf("statuses of the copies: got %v", st)
		}
		w.call("PUT", at, m{"author": "J. Austen", "version": 1}).Is(200)
		w.call("PUT", at, m{"author": "x", "version": 1}).Is(409, "Conflict")
		changed := w.call("PUT", at, m{"isbn": "", "price": 0}).Is(200).Data
		if changed["author"] != "J. Austen" || changed["isbn"] != nil || changed["price"] != 0.0 || changed["title"] != "Pride and Prejudice" ||
			changed["version"] != 3.0 {
			t.Errorf("changed book: got %v", changed)
		}
		w.Audited("library-book.create", 1)
		w.Audited("library-book.update", 2)
		nobody := "book/" + string(peopletest.Nobody)
		w.call("GET", nobody, nil).Is(404, "Not Found")
		w.call("PUT", nobody, m{"title": "x"}).Is(404, "Not Found")
		w.call("DELETE", nobody, nil).Is(404, "Not Found")
		w.call("POST", nobody+"/copies", m{"copies": []m{{}}}).Is(404, "Not Found")
		w.Call(w.South.Admin, "GET", path+at, nil).Is(404, "Not Found")
	})
}

func TestBookIsChecked(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			body   m
			fields []string
		}{
			{m{}, []string{"title"}},
			{m{"title": " "}, []string{"title"}},
			{m{"title": "T", "isbn": "9780141439517"}, []string{"isbn"}},
			{m{"title": "T", "isbn": "12345"}, []string{"isbn"}},
			{m{"title": "T", "price": 1.005}, []string{"price"}},
			{m{"title": "T", "price": -1}, []string{"price"}},
			{m{"title": "T", "price": 1e12}, []string{"price"}},
			{m{"title": "T", "isbn": "1", "copies": copies("A", "B", "A")}, []string{"isbn", "copies[2].accessionNo"}},
			{m{"title": strings.Repeat("x", 256)}, []string{"title"}},
		} {
			a := w.call("POST", "book/create", c.body).Is(422, "Unprocessable Entity")
			for _, f := range c.fields {
				if !strings.Contains(a.Text, `"field":"`+f+`"`) {
					t.Errorf("%v: %s does not name %s", c.body, a.Text, f)
				}
			}
		}
		if n := w.Count(`library_books WHERE school_id = :school`, nil); n != 0 {
			t.Errorf("rows: got %v", n)
		}
	})
}

func TestAccessionNumbers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		numbers := func(b m) string {
			var out []string
			for _, c := range b["copies"].([]any) {
				out = append(out, c.(m)["accessionNo"].(string))
			}
			return strings.Join(out, " ")
		}
		// Manual numbers move the sequence forward, in the same call too.
		first := w.add("One", "", "000002", "", "X-9")
		if got := numbers(first); got != "000003 000002 000004 X-9" {
			t.Errorf("accession numbers: got %v", got)
		}
		if got := numbers(w.add("Two", "", "41", "")); got != "000042 41 000043" {
			t.Errorf("accession numbers: got %v", got)
		}
		a := w.call("POST", "book/create", m{"title": "Three", "copies": copies("", "X-9")}).Is(409, "DUPLICATE_ENTRY")
		if !strings.Contains(a.Text, "X-9") {
			t.Errorf("POST book/create: got %v", a.Text)
		}
		at := "book/" + first["id"].(string) + "/copies"
		w.call("POST", at, m{"copies": copies("41")}).Is(409, "DUPLICATE_ENTRY")
		w.call("POST", at, m{"copies": []m{}}).Is(422)
		if b := w.call("POST", at, m{"copies": copies("", "x-9")}).Is(201).Data; b["availableCopies"] != 6.0 ||
			!strings.Contains(numbers(b), "000044") {
			t.Errorf("book with more copies: got %v", b)
		}
		// The number of a copy can change, and search finds the new one.
		x := w.copy(first["id"], "X-9")["id"].(string)
		w.call("PUT", "copy/"+x, m{"accessionNo": "000044"}).Is(409, "DUPLICATE_ENTRY")
		w.call("PUT", "copy/"+x, m{"accessionNo": " "}).Is(422)
		w.call("PUT", "copy/"+x, m{}).Is(422)
		w.call("PUT", "copy/"+x, m{"accessionNo": "X-10"}).Is(200)
		w.call("PUT", "copy/"+x, m{"accessionNo": "X-10"}).Is(200)
		if got := w.call("GET", "book/list?search=x-10", nil).All("items", "title"); len(got) != 1 {
			t.Errorf("GET book/list: got %v", got)
		}
		w.issue("X-9", w.mia).Is(404, "Not Found")
		// Another school has its own numbers.
		far := w.Call(w.South.Admin, "POST", path+"book/create", m{"title": "Far", "copies": copies("", "X-10")}).Is(201).Data
		if got := numbers(far); got != "000001 X-10" {
			t.Errorf("accession numbers: got %v", got)
		}
		w.Call(w.South.Admin, "POST", path+"loan/return", m{"accessionNo": "000042"}).Is(404, "Not Found")
		w.Call(w.South.Admin, "PUT", path+"copy/"+x, m{"status": "LOST"}).Is(404, "Not Found")
	})
}

func TestNumbersUnderConcurrency(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		got := same(20, func(i int) peopletest.Answer {
			return w.call("POST", "book/create", m{"title": fmt.Sprint("Book ", i), "copies": []m{{}, {}}})
		})
		if got[201] != 20 {
			t.Fatalf("statuses of concurrent calls: got %v", got)
		}
		numbers, err := db.All[string](t.Context(), w.DB.School(w.North.ID),
			`SELECT accession_no FROM library_copies WHERE school_id = :school ORDER BY accession_no`, nil)
		var want []string
		for i := range 40 {
			want = append(want, fmt.Sprintf("%06d", i+1))
		}
		if err != nil || cmp.Diff(want, numbers) != "" {
			t.Errorf("accession numbers: got %v, %v", err, cmp.Diff(want, numbers))
		}
	})
}

func TestSearch(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, b := range []m{
			{"title": "Über die Grenze", "author": "Maja Lunde", "category": "Novel", "isbn": "9780804429573", "copies": copies("UB-77")},
			{"title": "the 50% solution_x", "author": "Zoë Ngũgĩ", "category": "Maths", "copies": copies("TS-1")},
			{"title": "Atlas", "author": "", "category": "Maths"},
		} {
			w.call("POST", "book/create", b).Is(201)
		}
		w.issue("TS-1", w.mia).Is(201)
		w.Call(w.South.Admin, "POST", path+"book/create", m{"title": "Atlas of the South"}).Is(201)
		for query, want := range map[string]string{
			"":                              "Atlas|the 50% solution_x|Über die Grenze",
			"search=UBER":                   "Über die Grenze",
			"search=grenze":                 "Über die Grenze",
			"search=die++grenze":            "Über die Grenze",
			"search=lunde":                  "Über die Grenze",
			"search=NGUGI":                  "the 50% solution_x",
			"search=9780804429573":          "Über die Grenze",
			"search=978-0-8044-2957-3":      "Über die Grenze",
			"search=0-8044-2957-X":          "Über die Grenze",
			"search=8044295":                "Über die Grenze",
			"search=ub-7":                   "Über die Grenze",
			"search=7":                      "Über die Grenze",
			"search=0%25":                   "the 50% solution_x",
			"search=n_x":                    "the 50% solution_x",
			"search=%25":                    "the 50% solution_x",
			"search=atlas":                  "Atlas",
			"search=nothing":                "",
			"search=grenzelunde":            "",
			"category=Maths":                "Atlas|the 50% solution_x",
			"category=maths":                "",
			"available=true":                "Über die Grenze",
			"available=false":               "Atlas|the 50% solution_x",
			"category=Maths&available=true": "",
			"search=a&sort=title&order=desc&category=Maths": "Atlas",
			"sort=author&order=desc":                        "the 50% solution_x|Über die Grenze|Atlas",
			"sort=createdAt":                                "Über die Grenze|the 50% solution_x|Atlas",
		} {
			a := w.call("GET", "book/list?"+query, nil).Is(200)
			if got := strings.Join(a.All("items", "title"), "|"); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
		w.call("GET", "book/list?sort=price", nil).Is(422)
		w.call("GET", "book/list?colour=red", nil).Is(422)
	})
}

func TestDeleteBook(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		isbn := "9780141439518"
		b := w.call("POST", "book/create", m{"title": "Gone", "isbn": isbn, "copies": copies("G-1")}).Is(201).Data
		w.call("POST", "book/create", m{"title": "Twin", "isbn": "0141439513"}).Is(409, "DUPLICATE_ENTRY")
		other := w.add("Other")
		w.call("PUT", "book/"+other["id"].(string), m{"isbn": isbn}).Is(409, "DUPLICATE_ENTRY")
		// A book that was never lent is deleted, and its numbers are free.
		w.call("DELETE", "book/"+b["id"].(string), nil).Is(204)
		w.call("DELETE", "book/"+b["id"].(string), nil).Is(404, "Not Found")
		b = w.call("POST", "book/create", m{"title": "Gone", "isbn": isbn, "copies": copies("G-1")}).Is(201).Data
		at := "book/" + b["id"].(string)
		w.issue("G-1", w.mia).Is(201)
		w.call("DELETE", at, nil).Is(409, "Conflict")
		r := w.reserve(b["id"], w.noa).Is(201).Data
		w.giveBack("G-1").Is(200)
		w.call("DELETE", at, nil).Is(409, "Conflict") // held
		w.call("POST", "reservation/"+r["id"].(string)+"/cancel", nil).Is(200)
		// A book that was lent is archived: its history stays.
		w.call("DELETE", at, nil).Is(204)
		for _, call := range []peopletest.Answer{w.call("GET", at, nil), w.call("PUT", at, m{"title": "x"}), w.call("DELETE", at, nil),
			w.issue("G-1", w.mia), w.reserve(b["id"], w.mia)} {
			call.Is(404, "Not Found")
		}
		if got := w.call("GET", "book/list?search=gone", nil).All("items", "title"); len(got) != 0 {
			t.Errorf("GET book/list: got %v", got)
		}
		if got := w.call("GET", "loan/list", nil).All("items", "title"); !slices.Equal(got, []string{"Gone"}) {
			t.Errorf("GET loan/list: got %v", got)
		}
		w.call("PUT", "book/"+other["id"].(string), m{"isbn": isbn}).Is(200)
		w.call("POST", "book/create", m{"title": "New", "copies": copies("G-1")}).Is(409, "DUPLICATE_ENTRY")
		w.Audited("library-book.delete", 2)
	})
}
