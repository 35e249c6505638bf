package library_test

import (
	"fmt"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

// shelf is North with a student, through the whole service.
type shelf struct {
	*apptest.World
	mia string
}

func eachShelf(t *testing.T, test func(t *testing.T, o *shelf)) {
	t.Helper()
	apptest.Worlds(t, func(w *apptest.World) *shelf {
		return &shelf{World: w, mia: w.Make("student/create", m{"firstName": "Mia"})}
	}, test)
}

func (o *shelf) imports(file string) string {
	o.Helper()
	return o.Admin("POST", bookImport, "title,isbn,accessionNo\n"+file, "Content-Type", "text/csv").OK().Text("id")
}

func (o *shelf) undo(made string) apptest.Reply {
	return o.Admin("POST", bookImport+"/"+made+"/undo", m{})
}

// refused wants the undo to be refused in these words.
func (o *shelf) refused(made, says string) {
	o.Helper()
	r := o.undo(made)
	r.Want(409, "Conflict")
	r.Has(says)
}

// rows counts books and copies.
func (o *shelf) rows() string {
	o.Helper()
	return fmt.Sprint(o.Count(`library_books WHERE school_id = :school`, db.Args{}), " books, ",
		o.Count(`library_copies WHERE school_id = :school`, db.Args{}), " copies")
}

func TestUndoImportOfBooks(t *testing.T) {
	eachShelf(t, func(t *testing.T, o *shelf) {
		o.Make("library/book/create", m{"title": "Kept", "copies": []m{{}}})
		const file = "Emma,9780141439587,E-1|E-2\nAtlas,,A-1\n"
		made := o.imports(file)
		apptest.Eq(t, "rows", o.rows(), "3 books, 4 copies")
		done := o.undo(made).OK()
		apptest.Eq(t, "undone", fmt.Sprint(done["status"], " ", done["created"], " ", done["undoneByName"]), "UNDONE 2 Test SCHOOL_ADMIN")
		apptest.Eq(t, "rows", o.rows(), "1 books, 1 copies")
		o.undo(made).Want(409, "Conflict")
		o.Audited("library-book.import-undo", 1)
		list := o.Admin("GET", bookImport+"/list", nil).OK().Items()
		apptest.Eq(t, "listed", fmt.Sprint(len(list), list[0]["id"], list[0]["status"]), fmt.Sprint(1, made, "UNDONE"))

		made = o.imports(file) // ISBNs and accession numbers are free again
		for _, who := range []*apptest.Account{o.North.Teacher, o.North.Parent, o.North.Driver} {
			o.As(who, "POST", bookImport+"/"+made+"/undo", m{}).Want(403, "PERMISSION_DENIED")
			o.As(who, "GET", bookImport+"/list", nil).Want(403, "PERMISSION_DENIED")
		}
		o.As(o.South.Admin, "POST", bookImport+"/"+made+"/undo", m{}).Want(404, "Not Found")
		apptest.Eq(t, "imports of South", o.As(o.South.Admin, "GET", bookImport+"/list", nil).OK()["total"], any(0.0))
		o.Admin("POST", "/school-admin/student/import/"+made+"/undo", m{}).Want(404, "Not Found") // of another kind
		got := apptest.AtOnce(4, func(int) apptest.Reply { return o.Call(t, o.North.Admin, "POST", bookImport+"/"+made+"/undo", m{}) })
		apptest.Eq(t, "at once", fmt.Sprint(got), "map[200:1 409:3]")
	})
}

// TestImportOfBooksIsHeld: a loan, also a past one, a reservation and a change each prevent the undo, and are named.
func TestImportOfBooksIsHeld(t *testing.T) {
	eachShelf(t, func(t *testing.T, o *shelf) {
		held := func(says string, hold func(book string)) {
			t.Helper()
			made := o.imports("Emma,,E-1\n")
			hold(o.One(`SELECT b.id FROM library_books b JOIN library_copies c ON c.school_id = b.school_id AND c.book_id = b.id
				WHERE b.school_id = :school AND c.accession_no = 'E-1'`, db.Args{}))
			before := o.rows()
			o.refused(made, "This import can't be undone because of "+says+".")
			apptest.Eq(t, "rows", o.rows(), before)
			o.Exec(`UPDATE library_copies SET accession_no = id WHERE school_id = :school AND accession_no = 'E-1'`, db.Args{})
		}
		put := func(method, path string, body any) { o.Admin(method, "/school-admin/library/"+path, body).OK() }
		held("1 loan", func(string) { put("POST", "loan/issue", m{"accessionNo": "E-1", "studentId": o.mia}) })
		held("1 loan", func(string) {
			put("POST", "loan/issue", m{"accessionNo": "E-1", "studentId": o.mia})
			put("POST", "loan/return", m{"accessionNo": "E-1"})
		})
		held("1 reservation", func(book string) { put("POST", "reservation/create", m{"bookId": book, "studentId": o.mia}) })
		held("1 changed record", func(book string) { put("PUT", "book/"+book, m{"shelf": "B2"}) })
		held("1 changed record", func(book string) { put("POST", "book/"+book+"/copies", m{"copies": []m{{}}}) })
		held("1 changed record", func(book string) {
			put("DELETE", "book/"+book, nil)
			o.Make("library/book/create", m{"title": "Other", "copies": []m{{"accessionNo": "E-1"}}})
		})
	})
}

// TestUndoImportRacesALoan: either the book is lent, or it is gone.
func TestUndoImportRacesALoan(t *testing.T) {
	eachShelf(t, func(t *testing.T, o *shelf) {
		for round := range 4 {
			no := fmt.Sprint("R-", round)
			made := o.imports("Emma,," + no + "\n")
			got := apptest.AtOnce(2, func(i int) apptest.Reply {
				if i == 0 {
					return o.Call(t, o.North.Admin, "POST", bookImport+"/"+made+"/undo", m{})
				}
				return o.Call(t, o.North.Admin, "POST", "/school-admin/library/loan/issue", m{"accessionNo": no, "studentId": o.mia})
			})
			loans := o.Count(`library_loans l JOIN library_copies c ON c.school_id = l.school_id AND c.id = l.copy_id
				WHERE l.school_id = :school AND c.accession_no = :no`, db.Args{"no": no})
			switch outcome := fmt.Sprint(got, loans); outcome {
			case "map[201:1 409:1] 1":
				o.Admin("POST", "/school-admin/library/loan/return", m{"accessionNo": no}).OK()
			case "map[200:1 404:1] 0":
			default:
				t.Errorf("undo and loan at once: %s", outcome)
			}
		}
	})
}
