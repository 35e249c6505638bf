package library

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// sequenceDigits is the maximum length of numbers that move the sequence forward.
const sequenceDigits = 9

// newCopies creates copies of a book with unique accession numbers.
func (d desk) newCopies(ctx context.Context, book id.ID, in []NewCopy) ([]Copy, error) {
	numbers := make([]string, len(in))
	for i, c := range in {
		numbers[i] = strings.TrimSpace(c.AccessionNo)
	}
	if err := d.number(ctx, numbers); err != nil {
		return nil, err
	}
	copies, now := make([]Copy, len(in)), d.Now()
	for i, no := range numbers {
		copies[i] = Copy{ID: d.NewID(), BookID: book, AccessionNo: no, Status: Available, CreatedAt: now, UpdatedAt: now}
	}
	return copies, nil
}

// number sets missing accession numbers and refuses duplicates. A manual number moves
// the sequence forward, so that it never produces a duplicate.
func (d desk) number(ctx context.Context, numbers []string) error {
	if len(numbers) == 0 {
		return nil
	}
	before, err := lastNumber(ctx, d.tx)
	if err != nil {
		return err
	}
	last := before
	for _, no := range numbers {
		if n, err := strconv.Atoi(no); err == nil && isDigits(no) && len(no) <= sequenceDigits {
			last = max(last, n)
		}
	}
	for i := range numbers {
		if numbers[i] == "" {
			last++
			numbers[i] = fmt.Sprintf("%06d", last)
		}
	}
	if last != before {
		if err := putLastNumber(ctx, d.tx, last); err != nil {
			return err
		}
	}
	taken, err := takenNumbers(ctx, d.tx, numbers)
	if err != nil {
		return err
	}
	if len(taken) > 0 {
		return errAccession.Saying("Another copy has the accession number %s. Choose another one, or leave it out.", strings.Join(taken, ", "))
	}
	return nil
}

type addCopiesIn struct {
	ID     id.ID     `path:"id"`
	Copies []NewCopy `json:"copies" required:"true" minItems:"1" maxItems:"500" doc:"One entry per copy; an empty entry gets the next accession number."`
}

// Check validates the fields together.
func (in *addCopiesIn) Check() error { return fieldsFault(checkCopies(in.Copies)) }

// maxCopies is the maximum number of copies of a book.
const maxCopies = 2000

func (s *Service) addCopies(ctx context.Context, who actor.Actor, in addCopiesIn) (after Book, err error) {
	err = s.atDesk(ctx, who, func(ctx context.Context, d desk) error {
		before, err := getBook(ctx, d.tx, in.ID)
		if err != nil {
			return err
		}
		if len(before.Copies)+len(in.Copies) > maxCopies {
			return errRefused.Saying("A book can have at most %d copies. Add another edition for more.", maxCopies)
		}
		added, err := d.newCopies(ctx, in.ID, in.Copies)
		if err != nil {
			return err
		}
		if err := putCopies(ctx, d.tx, added); err != nil {
			return err
		}
		if err := d.assignCopies(ctx, in.ID); err != nil {
			return err
		}
		if after, err = d.touch(ctx, in.ID); err != nil {
			return err
		}
		return d.record(ctx, "library-book.update", "library-book", in.ID, before, after)
	})
	return after, err
}

// touch updates and returns a book whose copies have changed.
func (d desk) touch(ctx context.Context, book id.ID) (Book, error) {
	b, err := getBook(ctx, d.tx, book)
	if err != nil {
		return b, err
	}
	b.Version, b.UpdatedAt = b.Version+1, d.Now()
	return b, updateBook(ctx, d.tx, b)
}

type updateCopyIn struct {
	ID          id.ID   `path:"id"`
	AccessionNo *string `json:"accessionNo" maxLength:"64" pattern:"\\S" patternHint:"must not be blank"`
	Status      *Status `json:"status" enum:"AVAILABLE,LOST,WITHDRAWN" doc:"AVAILABLE puts a lost or withdrawn copy back on the shelf. For a lent copy use loan/lost."`
}

// Check validates the fields together.
func (in *updateCopyIn) Check() error {
	if in.AccessionNo == nil && in.Status == nil {
		return fault.OnField("status", "is required, unless accessionNo is given")
	}
	return nil
}

func (s *Service) updateCopy(ctx context.Context, who actor.Actor, in updateCopyIn) (after Copy, err error) {
	err = s.atDesk(ctx, who, func(ctx context.Context, d desk) error {
		before, err := getCopy(ctx, d.tx, in.ID)
		if err != nil {
			return err
		}
		if err := d.relabel(ctx, before, in.AccessionNo); err != nil {
			return err
		}
		hold, err := heldBy(ctx, d.tx, in.ID)
		if err != nil && !errors.Is(err, errNoReservation) {
			return err
		}
		if in.Status != nil && *in.Status != before.Status {
			if err := d.move(ctx, before, setting[*in.Status]); err != nil {
				return err
			}
			if err := unhold(ctx, d.tx, in.ID, s.Now()); err != nil {
				return err
			}
		}
		if err := d.assignCopies(ctx, before.BookID); err != nil {
			return err
		}
		if err := d.tellWaiting(ctx, hold); err != nil {
			return err
		}
		if _, err := d.touch(ctx, before.BookID); err != nil {
			return err
		}
		if after, err = getCopy(ctx, d.tx, in.ID); err != nil {
			return err
		}
		return d.record(ctx, "library-copy.update", "library-copy", in.ID, before, after)
	})
	return after, err
}

// relabel changes the accession number of a copy, if one was sent.
func (d desk) relabel(ctx context.Context, c Copy, no *string) error {
	if no == nil || strings.TrimSpace(*no) == c.AccessionNo {
		return nil
	}
	numbers := []string{strings.TrimSpace(*no)}
	if err := d.number(ctx, numbers); err != nil {
		return err
	}
	return setNumber(ctx, d.tx, c.ID, numbers[0], d.Now())
}

// move applies an action to a copy, if its status allows it.
func (d desk) move(ctx context.Context, c Copy, a action) error {
	next, err := c.after(a)
	if err != nil {
		return err
	}
	return setStatus(ctx, d.tx, c.ID, next, d.Now())
}
