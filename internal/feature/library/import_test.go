package library_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const bookImport = path + "book/import"

func TestImportBooks(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		send := func(query, file string) (data m, faults []string) {
			t.Helper()
			data = w.Send(w.North.Admin, bookImport+query, "text/csv", file).Is(200).Data
			for _, e := range data["errors"].([]any) {
				faults = append(faults, fmt.Sprintf("%v %v", e.(m)["row"], e.(m)["field"]))
			}
			return data, faults
		}
		books := func() int { return w.Count(`library_books WHERE school_id = :school`, nil) }
		good := "Title;Author;ISBN;Price;Copies;Accession Number\n" +
			"Emma;Jane Austen;0-306-40615-2;12.50;2;\nAtlas;;;;;A-1|A-2\nNotes;;;;0;\nPlain;;;;;\n"
		data, faults := send("?dryRun=true", good)
		if data["created"] != 4.0 || data["dryRun"] != true || faults != nil || books() != 0 {
			t.Errorf("dry run: %v, %d books", data, books())
		}
		if data, _ = send("", good); data["created"] != 4.0 || books() != 4 {
			t.Errorf("%v, %d books", data, books())
		}
		for from, want := range map[string]int{
			`library_copies WHERE accession_no IN ('A-1', 'A-2', '000001', '000002', '000003')`: 5,
			`library_copies WHERE TRUE`: 5,
			`library_books WHERE isbn = '9780306406157' AND available = 2 AND price = 1250 AND author <> ''`: 1,
			`audit_log WHERE action = 'library-book.import'`:                                                 1,
		} {
			if n := w.Count(from+` AND school_id = :school`, nil); n != want {
				t.Errorf("%d %s, want %d", n, from, want)
			}
		}

		bad := "title,isbn,price,copies,accessionNo\n" +
			",123,-1,many,\n" + // all at once
			"Again,9780306406157,,,A-1\n" + // the library has both
			"New,9780141439518,,3,B-1|B-2\n" +
			"Twin,9780141439518,,,B-1\n" +
			"Good,,,,\n"
		data, faults = send("", bad)
		slices.Sort(faults)
		want := []string{"2 copies", "2 isbn", "2 price", "2 title", "3 accessionNo", "3 isbn", "4 copies", "5 accessionNo", "5 isbn"}
		if !slices.Equal(faults, want) || data["failed"] != 4.0 || data["created"] != 0.0 || books() != 4 {
			t.Errorf("%v, want %v; %d books", faults, want, books())
		}
		if data, _ = send("?partial=true", bad); data["created"] != 1.0 || books() != 5 {
			t.Errorf("partial: %v, %d books", data, books())
		}
		a := w.Send(w.North.Admin, bookImport, "text/csv", "Titel,author\nEmma,Austen\n")
		if a.Status != 422 || !strings.Contains(a.Text, "Did you mean “title”?") {
			t.Errorf("a misspelt column: %d %s", a.Status, a.Text)
		}
		file := w.Fetch(w.North.Admin, bookImport+"/template").Is(200).Text
		if data, faults = send("?dryRun=true", file); data["created"] != 1.0 || faults != nil {
			t.Errorf("the template can't be imported: %v", data)
		}
	})
}
