package library

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

const bookColumns = `id, title, author, isbn, publisher, category, shelf, price, available, version, created_at, updated_at,
	(SELECT count(*) FROM library_reservations r WHERE r.school_id = library_books.school_id
		AND r.book_id = library_books.id AND r.status = 'WAITING') AS waiting`

func getBook(ctx context.Context, q db.Q, book id.ID) (Book, error) {
	b, err := db.One[Book](ctx, q, `SELECT `+bookColumns+` FROM library_books
		WHERE school_id = :school AND id = :id AND archived_at IS NULL`, db.Args{"id": book})
	if err != nil {
		return b, db.Found("read book", err, errNoBook)
	}
	one := []Book{b}
	err = withCopies(ctx, q, one)
	return one[0], err
}

func listBooks(ctx context.Context, q db.Q, in page.Ask[bookFilters]) (page.Of[Book], error) {
	f, search := in.Filters, db.Contains(searchTerm(in.Filters.Search))
	found, err := db.Page[id.ID](ctx, q, db.List{
		Columns: `id`,
		From: `library_books WHERE school_id = :school AND archived_at IS NULL` +
			db.When(search != "", ` AND search LIKE :search ESCAPE '\'`) +
			db.When(f.Category != "", ` AND category = :category`) +
			db.When(f.Available != nil && *f.Available, ` AND available > 0`) +
			db.When(f.Available != nil && !*f.Available, ` AND available = 0`),
		Sorts:   map[string]string{"title": "title_key", "author": "author_key, title_key", "createdAt": "id"},
		Default: "title",
	}, in.Request, db.Args{"category": clean(f.Category), "search": search})
	if err != nil {
		return page.Of[Book]{}, fmt.Errorf("list books: %w", err)
	}
	books, err := db.All[Book](ctx, q, `SELECT `+bookColumns+` FROM library_books WHERE school_id = :school AND id IN (:ids)`,
		db.Args{"ids": found.Items})
	if err != nil {
		return page.Of[Book]{}, fmt.Errorf("read books: %w", err)
	}
	return inOrder(found, books, func(b Book) id.ID { return b.ID }), withCopies(ctx, q, books)
}

const copyColumns = `c.id, c.book_id, c.accession_no, c.status, l.due_date, c.created_at, c.updated_at`

const copyFrom = `library_copies c
	LEFT JOIN library_loans l ON l.school_id = c.school_id AND l.copy_id = c.id AND l.status = 'ISSUED'`

// withCopies sets the copies of books, with one query.
func withCopies(ctx context.Context, q db.Q, books []Book) error {
	if len(books) == 0 {
		return nil
	}
	at, ids := map[id.ID]*Book{}, make([]id.ID, len(books))
	for i := range books {
		books[i].Copies = []Copy{}
		at[books[i].ID], ids[i] = &books[i], books[i].ID
	}
	err := db.Each(ctx, q, `SELECT `+copyColumns+` FROM `+copyFrom+`
		WHERE c.school_id = :school AND c.book_id IN (:ids) ORDER BY c.book_id, c.accession_no`, db.Args{"ids": ids}, func(c Copy) error {
		at[c.BookID].Copies = append(at[c.BookID].Copies, c)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read copies: %w", err)
	}
	return nil
}

// bookRow is a row of library_books.
type bookRow struct {
	Book
	TitleKey, AuthorKey, Search string
}

func rowOf(b Book) []bookRow {
	return []bookRow{{b, key(b.Title), key(string(b.Author)), b.searchText()}}
}

func putBooks(ctx context.Context, tx *db.Tx, books []bookRow) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO library_books (school_id, id, title, author, isbn, publisher, category, shelf, price, available,
			title_key, author_key, search, version, created_at, updated_at)
		VALUES (:school, :id, :title, :author, :isbn, :publisher, :category, :shelf, :price, :available,
			:title_key, :author_key, :search, :version, :created_at, :updated_at)`, books)
	return bookFault("write books", err)
}

func updateBook(ctx context.Context, tx *db.Tx, b Book) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE library_books SET title = :title, author = :author, isbn = :isbn, publisher = :publisher, category = :category,
			shelf = :shelf, price = :price, title_key = :title_key, author_key = :author_key, search = :search,
			version = :version, updated_at = :now
		WHERE school_id = :school AND id = :id`,
		db.Args{"id": b.ID, "title": b.Title, "author": b.Author, "isbn": b.ISBN, "publisher": b.Publisher, "category": b.Category,
			"shelf": b.Shelf, "price": b.Price, "title_key": key(b.Title), "author_key": key(string(b.Author)), "search": b.searchText(),
			"version": b.Version, "now": b.UpdatedAt})
	return bookFault("update book", err)
}

func bookFault(what string, err error) error {
	switch {
	case db.IsDuplicate(err, "library_books_isbn"):
		return errISBN.Because(err)
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// removeBook deletes a book without history, or archives it.
func removeBook(ctx context.Context, tx *db.Tx, book id.ID, now time.Time) error {
	a := db.Args{"id": book}
	n, err := db.Exec(ctx, tx, `
		DELETE FROM library_books WHERE school_id = :school AND id = :id
			AND NOT EXISTS (SELECT 1 FROM library_loans l WHERE l.school_id = :school AND l.book_id = :id)
			AND NOT EXISTS (SELECT 1 FROM library_reservations r WHERE r.school_id = :school AND r.book_id = :id)`, a)
	if err != nil {
		return fmt.Errorf("delete book: %w", err)
	}
	if n > 0 {
		return nil
	}
	a["now"] = now
	if _, err := db.Exec(ctx, tx, `UPDATE library_books SET archived_at = :now, updated_at = :now, version = version + 1
		WHERE school_id = :school AND id = :id`, a); err != nil {
		return fmt.Errorf("archive book: %w", err)
	}
	return nil
}

func lastNumber(ctx context.Context, q db.Q) (int, error) {
	last, err := db.One[int](ctx, q, `SELECT last FROM library_numbers WHERE school_id = :school`, nil)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return 0, fmt.Errorf("read last accession number: %w", err)
	}
	return last, nil
}

func putLastNumber(ctx context.Context, tx *db.Tx, last int) error {
	_, err := db.Exec(ctx, tx, `INSERT INTO library_numbers (school_id, last) VALUES (:school, :last)
		ON CONFLICT (school_id) DO UPDATE SET last = excluded.last`, db.Args{"last": last})
	if err != nil {
		return fmt.Errorf("write last accession number: %w", err)
	}
	return nil
}

func takenNumbers(ctx context.Context, q db.Q, numbers []string) ([]string, error) {
	taken, err := db.All[string](ctx, q, `SELECT accession_no FROM library_copies
		WHERE school_id = :school AND accession_no IN (:numbers) ORDER BY accession_no`, db.Args{"numbers": numbers})
	if err != nil {
		return nil, fmt.Errorf("read accession numbers: %w", err)
	}
	return taken, nil
}

func putCopies(ctx context.Context, tx *db.Tx, copies []Copy) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO library_copies (school_id, id, book_id, accession_no, status, created_at, updated_at)
		VALUES (:school, :id, :book_id, :accession_no, :status, :created_at, :updated_at)`, copies)
	return copyFault("write copies", err)
}

func copyFault(what string, err error) error {
	switch {
	case db.IsDuplicate(err, "library_copies_accession_no"):
		return errAccession.Because(err)
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func getCopy(ctx context.Context, q db.Q, copyID id.ID) (Copy, error) {
	return oneCopy(ctx, q, `c.id = :id`, db.Args{"id": copyID})
}

// copyOf gets a copy by its accession number.
func copyOf(ctx context.Context, q db.Q, accessionNo string) (Copy, error) {
	return oneCopy(ctx, q, `c.accession_no = :no`, db.Args{"no": strings.TrimSpace(accessionNo)})
}

func oneCopy(ctx context.Context, q db.Q, which string, a db.Args) (Copy, error) {
	c, err := db.One[Copy](ctx, q, `SELECT `+copyColumns+` FROM `+copyFrom+`
		JOIN library_books b ON b.school_id = c.school_id AND b.id = c.book_id AND b.archived_at IS NULL
		WHERE c.school_id = :school AND `+which, a)
	return c, db.Found("read copy", err, errNoCopy)
}

func setStatus(ctx context.Context, tx *db.Tx, copyID id.ID, to Status, now time.Time) error {
	_, err := db.Exec(ctx, tx, `UPDATE library_copies SET status = :to, updated_at = :now
		WHERE school_id = :school AND id = :id`, db.Args{"id": copyID, "to": to, "now": now})
	return copyFault("move copy", err)
}

func setNumber(ctx context.Context, tx *db.Tx, copyID id.ID, no string, now time.Time) error {
	_, err := db.Exec(ctx, tx, `UPDATE library_copies SET accession_no = :no, updated_at = :now
		WHERE school_id = :school AND id = :id`, db.Args{"id": copyID, "no": no, "now": now})
	return copyFault("number copy", err)
}
