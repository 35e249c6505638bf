package app

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/library"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
)

// demoTitle is a book of the library; the price is in US cents.
type demoTitle struct {
	title, author, isbn string
	category            string
	copies              int
	price               money.Money
}

func demoTitles() []demoTitle {
	return []demoTitle{
		{"Treasure Island", "Robert Louis Stevenson", "9780141321004", "Adventure", 1, 799},
		{"The Secret Garden", "Frances Hodgson Burnett", "", "Stories", 2, 799},
		{"Alice's Adventures in Wonderland", "Lewis Carroll", "9780141439761", "Stories", 3, 899},
		{"The Jungle Book", "Rudyard Kipling", "", "Stories", 3, 799},
		{"The Wind in the Willows", "Kenneth Grahame", "", "Stories", 2, 849},
		{"A Christmas Carol", "Charles Dickens", "", "Classics", 2, 699},
		{"Great Expectations", "Charles Dickens", "9780141439563", "Classics", 1, 1099},
		{"Oliver Twist", "Charles Dickens", "9780141439747", "Classics", 2, 1099},
		{"Pride and Prejudice", "Jane Austen", "9780141439518", "Classics", 2, 999},
		{"Jane Eyre", "Charlotte Brontë", "9780141441146", "Classics", 1, 1099},
		{"Little Women", "Louisa May Alcott", "", "Classics", 2, 999},
		{"Heidi", "Johanna Spyri", "", "Stories", 1, 849},
		{"Black Beauty", "Anna Sewell", "", "Stories", 2, 799},
		{"Peter and Wendy", "J. M. Barrie", "", "Stories", 1, 799},
		{"The Wonderful Wizard of Oz", "L. Frank Baum", "", "Stories", 2, 849},
		{"The Adventures of Tom Sawyer", "Mark Twain", "9780143039563", "Adventure", 2, 999},
		{"Robinson Crusoe", "Daniel Defoe", "9780141439822", "Adventure", 1, 999},
		{"Gulliver's Travels", "Jonathan Swift", "9780141439495", "Adventure", 1, 999},
		{"Around the World in Eighty Days", "Jules Verne", "9780140449068", "Adventure", 2, 899},
		{"Twenty Thousand Leagues Under the Sea", "Jules Verne", "", "Science fiction", 2, 999},
		{"The Time Machine", "H. G. Wells", "9780141439976", "Science fiction", 1, 899},
		{"The War of the Worlds", "H. G. Wells", "9780141441030", "Science fiction", 1, 899},
		{"Frankenstein", "Mary Shelley", "9780141439471", "Science fiction", 1, 899},
		{"Fairy Tales", "Hans Christian Andersen", "", "Fairy tales", 4, 1199},
		{"Fables", "Aesop", "", "Fairy tales", 4, 699},
	}
}

// convert converts US cents to the school's currency, roughly.
func (p demoPlan) convert(n money.Money) money.Money {
	if p.currency == "INR" {
		return n / 100 * 25_00
	}
	return n
}

// addLibrary adds books, and loans of the last weeks.
func (m *demoMaker) addLibrary(ctx context.Context, tx *db.Tx, admin id.ID) error {
	who := m.who
	who.User, who.Role = admin, actor.SchoolAdmin
	fine, most, price := m.convert(100)/5, m.convert(500), m.convert(1000)
	before := m.libraryOn(-60)
	if _, err := before.UpdateRules(ctx, who, library.RulesChange{FinePerDay: &fine, MaxFine: &most, DefaultPrice: &price}); err != nil {
		return fmt.Errorf("add the library's rules: %w", err)
	}
	books := map[string]library.Book{}
	for i, b := range demoTitles() {
		book, err := before.CreateBook(ctx, who, library.NewBook{Title: b.title, Author: b.author, ISBN: b.isbn, Category: b.category,
			Shelf: fmt.Sprintf("%c%d", 'A'+i/5, i%5+1), Price: m.convert(b.price), Copies: make([]library.NewCopy, b.copies)})
		if err != nil {
			return fmt.Errorf("add books: %w", err)
		}
		books[b.title] = book
	}
	return m.lend(ctx, tx, who, books)
}

// lend adds loans: the demo child has two books, one of them overdue and reserved
// by a classmate; classmates and the teacher have others.
func (m *demoMaker) lend(ctx context.Context, tx *db.Tx, who actor.Actor, books map[string]library.Book) error {
	class, err := m.readHome(ctx, tx)
	if err != nil {
		return err
	}
	late := books["Treasure Island"]
	for _, loan := range []struct {
		day  int // from today
		book library.Book
		by   library.Borrower
	}{ // the loan period of students is 14 days
		{-18, late, library.Borrower{StudentID: &class.child}},
		{-12, books["Great Expectations"], library.Borrower{EmployeeID: &m.teachers[demoHome]}},
		{-10, books["The Secret Garden"], library.Borrower{StudentID: &class.child}},
		{-6, books["Alice's Adventures in Wonderland"], library.Borrower{StudentID: &class.friends[0]}},
		{-5, books["Around the World in Eighty Days"], library.Borrower{StudentID: &class.friends[1]}},
		{-2, books["The Jungle Book"], library.Borrower{StudentID: &class.friends[2]}},
	} {
		in := library.NewLoan{AccessionNo: loan.book.Copies[0].AccessionNo, Borrower: loan.by}
		if _, err := m.libraryOn(loan.day).Issue(ctx, who, in); err != nil {
			return fmt.Errorf("lend %s: %w", loan.book.Title, err)
		}
	}
	in := library.NewReservation{BookID: late.ID, Borrower: library.Borrower{StudentID: &class.friends[3]}}
	if _, err := m.libraryOn(-1).Reserve(ctx, who, in); err != nil {
		return fmt.Errorf("reserve %s: %w", late.Title, err)
	}
	return nil
}

// libraryOn returns the library service with its clock moved by some days: an
// overdue loan must have been issued in the past.
func (m *demoMaker) libraryOn(day int) *library.Service {
	then := *m.Library
	then.Now = func() time.Time { return m.Now().In(clock.Zone(m.zone)).AddDate(0, 0, day).UTC() }
	return &then
}
