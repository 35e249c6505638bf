package library

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// NewCopy is the input for a copy.
type NewCopy struct {
	AccessionNo string `json:"accessionNo" maxLength:"64" doc:"Default: the next number of the library, such as 000042."`
}

// NewBook is the input of CreateBook.
type NewBook struct {
	Title     string      `json:"title" required:"true" example:"Pride and Prejudice"`
	Author    string      `json:"author" example:"Jane Austen"`
	ISBN      string      `json:"isbn" maxLength:"32" example:"9780141439518" doc:"10 or 13 digits; stored as 13."`
	Publisher string      `json:"publisher"`
	Category  string      `json:"category" maxLength:"100"`
	Shelf     string      `json:"shelf" maxLength:"100"`
	Price     money.Money `json:"price" doc:"Replacement price of a lost copy."`
	Copies    []NewCopy   `json:"copies" maxItems:"500" doc:"One entry per copy; an empty entry gets the next accession number."`
}

// Check validates the fields together.
func (in *NewBook) Check() error {
	return fieldsFault(checkISBN(in.ISBN), checkCopies(in.Copies))
}

// fieldsFault returns an error for all invalid fields, or nil.
func fieldsFault(parts ...[]fault.Field) error {
	if all := slices.Concat(parts...); len(all) > 0 {
		return fault.Fields(all...)
	}
	return nil
}

func checkISBN(isbn string) []fault.Field {
	if _, ok := parseISBN(isbn); ok || strings.TrimSpace(isbn) == "" {
		return nil
	}
	return []fault.Field{{Field: "isbn", Message: "must be an ISBN of 10 or 13 digits with a valid check digit"}}
}

func checkCopies(copies []NewCopy) (wrong []fault.Field) {
	seen := map[string]bool{}
	for i, c := range copies {
		no := strings.TrimSpace(c.AccessionNo)
		if no != "" && seen[no] {
			wrong = append(wrong, fault.Field{Field: fmt.Sprintf("copies[%d].accessionNo", i), Message: "is a duplicate"})
		}
		seen[no] = true
	}
	return wrong
}

// clean trims a text and collapses spaces.
func clean(s string) string { return strings.Join(strings.Fields(s), " ") }

// searchTerm normalizes s for comparison with search columns.
func searchTerm(s string) string {
	if isbn, ok := parseISBN(s); ok {
		return isbn
	}
	return clean(people.Fold(s))
}

// keySize is the length of the sort key of a title or an author.
const keySize = 100

func key(s string) string {
	r := []rune(people.Fold(s))
	return string(r[:min(len(r), keySize)])
}

// searchText is the text of the search column, one line per field.
func (b Book) searchText() string {
	lines := []string{b.Title, string(b.Author), string(b.ISBN), isbn10(string(b.ISBN))}
	for _, c := range b.Copies {
		lines = append(lines, c.AccessionNo)
	}
	return people.SearchText(lines...)
}

// CreateBook creates a book with its copies.
func (s *Service) CreateBook(ctx context.Context, who actor.Actor, in NewBook) (b Book, err error) {
	err = s.atDesk(ctx, who, func(ctx context.Context, d desk) error {
		b = in.book(s.NewID(), s.Now())
		if b.Copies, err = d.newCopies(ctx, b.ID, in.Copies); err != nil {
			return err
		}
		if err := putBooks(ctx, d.tx, rowOf(b)); err != nil {
			return err
		}
		if err := putCopies(ctx, d.tx, b.Copies); err != nil {
			return err
		}
		return d.record(ctx, "library-book.create", "library-book", b.ID, nil, b)
	})
	return b, err
}

// book is the new book, without its copies.
func (in NewBook) book(at id.ID, now time.Time) Book {
	isbn, _ := parseISBN(in.ISBN)
	return Book{ID: at, Title: clean(in.Title), Author: opt.Text(clean(in.Author)), ISBN: opt.Text(isbn),
		Publisher: opt.Text(clean(in.Publisher)), Category: opt.Text(clean(in.Category)), Shelf: opt.Text(clean(in.Shelf)),
		Price: in.Price, Available: len(in.Copies), Version: 1, CreatedAt: now, UpdatedAt: now}
}

type idIn struct {
	ID id.ID `path:"id"`
}

func (s *Service) book(ctx context.Context, who actor.Actor, in idIn) (Book, error) {
	return getBook(ctx, s.DB.School(who.School), in.ID)
}

type bookFilters struct {
	Category  string `json:"category,omitempty"`
	Available *bool  `json:"available,omitempty" doc:"True: only books with a copy that can be borrowed now."`
	Search    string `json:"search,omitempty" doc:"Any part of the title, author, ISBN or an accession number."`
}

func (s *Service) books(ctx context.Context, who actor.Actor, in page.Ask[bookFilters]) (page.Of[Book], error) {
	return listBooks(ctx, s.DB.School(who.School), in)
}

type updateIn struct {
	ID        id.ID        `path:"id"`
	Title     *string      `json:"title" pattern:"\\S" patternHint:"must not be blank"`
	Author    *string      `json:"author"`
	ISBN      *string      `json:"isbn" maxLength:"32" example:"9780141439518" doc:"Empty removes it."`
	Publisher *string      `json:"publisher"`
	Category  *string      `json:"category" maxLength:"100"`
	Shelf     *string      `json:"shelf" maxLength:"100"`
	Price     *money.Money `json:"price"`
	Version   *int         `json:"version" doc:"The version you read; 409 if it has changed since."`
}

// Check validates the fields together.
func (in *updateIn) Check() error {
	if in.ISBN == nil {
		return nil
	}
	return fieldsFault(checkISBN(*in.ISBN))
}

func (in updateIn) apply(b Book) Book {
	for at, sent := range map[*string]*string{&b.Title: in.Title, (*string)(&b.Author): in.Author, (*string)(&b.Publisher): in.Publisher,
		(*string)(&b.Category): in.Category, (*string)(&b.Shelf): in.Shelf} {
		if sent != nil {
			*at = clean(*sent)
		}
	}
	if in.ISBN != nil {
		isbn, _ := parseISBN(*in.ISBN)
		b.ISBN = opt.Text(isbn)
	}
	opt.Set(&b.Price, in.Price)
	return b
}

func (s *Service) updateBook(ctx context.Context, who actor.Actor, in updateIn) (after Book, err error) {
	err = s.atDesk(ctx, who, func(ctx context.Context, d desk) error {
		before, err := getBook(ctx, d.tx, in.ID)
		if err != nil {
			return err
		}
		if err := fault.SameVersion(in.Version, before.Version); err != nil {
			return err
		}
		after = in.apply(before)
		after.Version, after.UpdatedAt = before.Version+1, s.Now()
		if err := updateBook(ctx, d.tx, after); err != nil {
			return err
		}
		return d.record(ctx, "library-book.update", "library-book", in.ID, before, after)
	})
	return after, err
}

// deleteBook deletes a book, or archives it if it was ever lent or reserved.
func (s *Service) deleteBook(ctx context.Context, who actor.Actor, in idIn) (web.None, error) {
	return web.None{}, s.atDesk(ctx, who, func(ctx context.Context, d desk) error {
		b, err := getBook(ctx, d.tx, in.ID)
		if err != nil {
			return err
		}
		busy := b.Waiting
		for _, c := range b.Copies {
			if c.Status == Issued || c.Status == Held {
				busy++
			}
		}
		if busy > 0 {
			return errRefused.Saying("This book is lent out or reserved. Return its copies and cancel its reservations first.")
		}
		if err := removeBook(ctx, d.tx, in.ID, s.Now()); err != nil {
			return err
		}
		return d.record(ctx, "library-book.delete", "library-book", in.ID, b, nil)
	})
}
