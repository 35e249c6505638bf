package library

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

// The columns of a file of books, one row per title.
const (
	bkTitle = iota
	bkAuthor
	bkISBN
	bkPublisher
	bkCategory
	bkShelf
	bkPrice
	bkCopies
	bkAccessionNo
)

var bookColumnsCSV = []csv.Column{
	bkTitle:       {Name: "title", Also: []string{"Book", "Book Title", "Name"}},
	bkAuthor:      {Name: "author", Also: []string{"Authors"}},
	bkISBN:        {Name: "isbn", Also: []string{"ISBN 13", "ISBN 10"}},
	bkPublisher:   {Name: "publisher"},
	bkCategory:    {Name: "category", Also: []string{"Genre", "Subject"}},
	bkShelf:       {Name: "shelf", Also: []string{"Location", "Rack"}},
	bkPrice:       {Name: "price", Also: []string{"Cost"}},
	bkCopies:      {Name: "copies", Also: []string{"Number of Copies", "Quantity"}},
	bkAccessionNo: {Name: "accessionNo", Also: []string{"Accession Number", "Accession Numbers", "Barcode"}},
}

const (
	importMost = 500    // copies of one row
	importAll  = 20_000 // copies of a file
)

// importBooks adds the books of a CSV file with their copies.
func (s *Service) importBooks(ctx context.Context, who actor.Actor, in people.FormIn) (people.Imported, error) {
	return people.ImportRows(ctx, who, in, people.Form[NewBook]{
		Columns: bookColumnsCSV, Needs: []int{bkTitle}, Keep: s.imports(), Read: readBook, Check: checkBooks,
		Write: func(ctx context.Context, tx *db.Tx, rows []*people.Row[NewBook]) (people.Added, error) {
			return s.writeBooks(ctx, desk{Service: s, tx: tx, who: who, today: clock.DateIn(s.Now(), who.Zone)}, rows)
		},
	})
}

func readBook(c people.Cells) NewBook {
	in := NewBook{Title: clean(c.Text(bkTitle, 255)), Author: c.Text(bkAuthor, 255), ISBN: c.Text(bkISBN, 32),
		Publisher: c.Text(bkPublisher, 255), Category: c.Text(bkCategory, 100), Shelf: c.Text(bkShelf, 100), Price: opt.Value(c.Money(bkPrice))}
	if in.Title == "" {
		c.Wrong(bkTitle, "is required")
	}
	for _, f := range checkISBN(in.ISBN) {
		c.Wrong(bkISBN, "%s", f.Message)
	}
	number, count := c.Text(bkAccessionNo, importMost*64), c.Number(bkCopies, importMost)
	if number == "" {
		in.Copies = make([]NewCopy, 1)
		if count != nil {
			in.Copies = make([]NewCopy, *count)
		}
		return in
	}
	for no := range strings.SplitSeq(number, "|") {
		if no = strings.TrimSpace(no); no == "" || len([]rune(no)) > 64 {
			c.Wrong(bkAccessionNo, "must be numbers of at most 64 characters, with | between them")
			break
		}
		in.Copies = append(in.Copies, NewCopy{no})
	}
	if count != nil && *count != len(in.Copies) {
		c.Wrong(bkCopies, "is %d, but there are %d accession numbers", *count, len(in.Copies))
	}
	return in
}

// checkBooks refuses ISBNs and accession numbers that another row or book has.
func checkBooks(ctx context.Context, tx *db.Tx, rows []*people.Row[NewBook]) error {
	if err := lock(ctx, tx); err != nil {
		return err
	}
	isbns, numbers, copies := map[string]int{}, map[string]int{}, 0
	for _, r := range rows {
		if isbn, ok := parseISBN(r.Line.ISBN); ok {
			if row := isbns[isbn]; row > 0 {
				r.Wrong(bkISBN, "is already used in row %d: write the number of copies into that row", row)
			} else {
				isbns[isbn] = r.No
			}
		}
		for _, c := range r.Line.Copies {
			if row := numbers[c.AccessionNo]; row > 0 {
				r.Wrong(bkAccessionNo, "%s is already used in row %d: each copy needs a different number", c.AccessionNo, row)
			} else if c.AccessionNo != "" {
				numbers[c.AccessionNo] = r.No
			}
		}
		if copies += len(r.Line.Copies); copies > importAll {
			r.Wrong(bkCopies, "is too much: a file can have %d copies in all", importAll)
		}
	}
	return checkTaken(ctx, tx, rows, isbns, numbers)
}

// checkTaken looks the values up among the school's books; each has the row that names it.
func checkTaken(ctx context.Context, tx *db.Tx, rows []*people.Row[NewBook], isbns, numbers map[string]int) error {
	at := map[int]*people.Row[NewBook]{}
	for _, r := range rows {
		at[r.No] = r
	}
	type known struct{ ISBN, Title string }
	err := db.Each(ctx, tx, `SELECT isbn, title FROM library_books WHERE school_id = :school AND isbn IN (:isbns) AND archived_at IS NULL`,
		db.Args{"isbns": slices.Collect(maps.Keys(isbns))}, func(b known) error {
			at[isbns[b.ISBN]].Wrong(bkISBN, "belongs to “%s” already: add copies to that book", b.Title)
			return nil
		})
	if err != nil {
		return fmt.Errorf("look up books: %w", err)
	}
	taken, err := takenNumbers(ctx, tx, slices.Collect(maps.Keys(numbers)))
	for _, no := range taken {
		at[numbers[no]].Wrong(bkAccessionNo, "%s belongs to another copy already: choose another number, or leave it out", no)
	}
	return err
}

// writeBooks writes the books and all their copies, numbered in the order of the file.
func (s *Service) writeBooks(ctx context.Context, d desk, rows []*people.Row[NewBook]) (added people.Added, err error) {
	var all []NewCopy
	for _, r := range rows {
		all = append(all, r.Line.Copies...)
	}
	copies, err := d.newCopies(ctx, "", all)
	if err != nil {
		return nil, err
	}
	books, ids, at, now := make([]bookRow, len(rows)), make([]id.ID, len(rows)), 0, s.Now()
	for i, r := range rows {
		b := r.Line.book(s.NewID(), now)
		b.Copies = copies[at : at+len(r.Line.Copies)]
		for j := range b.Copies {
			b.Copies[j].BookID = b.ID
		}
		at += len(b.Copies)
		books[i], ids[i] = rowOf(b)[0], b.ID
	}
	if err := putBooks(ctx, d.tx, books); err != nil {
		return nil, err
	}
	added.Add("book", 1, ids...)
	return added, putCopies(ctx, d.tx, copies)
}

// imports are the imports of books. Undoing one deletes the books with their copies.
func (s *Service) imports() people.Imports {
	return people.Imports{DB: s.DB, Audit: s.Audit, Now: s.Now, NewID: s.NewID, Entity: "library-book",
		Tables: map[string]people.Table{"book": {Name: "library_books", Key: "id", Version: "version"}},
		Holds: []people.Hold{
			{Of: "book", Table: "library_loans", Column: "book_id", One: "loan", Many: "loans"},
			{Of: "book", Table: "library_reservations", Column: "book_id", One: "reservation", Many: "reservations"},
		},
		Lock:   lock,
		Remove: func(ctx context.Context, _ *db.Tx, u *people.Undoing) error { return u.Delete(ctx, "book") }}
}

func (s *Service) bookTemplate(context.Context, actor.Actor, web.None) (web.File, error) {
	return people.Template("books-template.csv", bookColumnsCSV,
		"Pride and Prejudice", "Jane Austen", "9780141439518", "Penguin", "Fiction", "A3", "12.50", "2", ""), nil
}
