package db_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

func addClass(ctx context.Context, q db.Q, name string) error {
	_, err := db.Exec(ctx, q, insertClass, db.Args{"id": id.New(), "name": name})
	return err
}

// With the ctx of a transaction, statements outside it are rejected.
func TestNested(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school, other := newSchool(t, d), newSchool(t, d)
		q := d.School(school)
		fn := func(context.Context, *db.Tx) error { t.Error("a second transaction"); return nil }
		must(t, d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
			must(t, addClass(ctx, tx, "x"))
			must(t, addClass(ctx, tx.School(other), "y"))
			_, read := db.All[string](ctx, q, `SELECT name FROM classes WHERE school_id = :school`, nil)
			_, page := db.Page[string](ctx, q, db.List{Columns: "id", From: "classes WHERE school_id = :school",
				Sorts: map[string]string{"id": "id"}, Default: "id"}, page.Request{}, nil)
			_, insert := db.Insert(ctx, q, insertPupil, newPupils(500))
			for i, err := range []error{addClass(ctx, q, "z"), read, page, insert, d.InSchool(ctx, school, fn),
				d.InAll(ctx, unscoped.Permit{}, fn)} {
				if !errors.Is(err, db.ErrNested) {
					t.Errorf("call %d: got %v, want ErrNested", i, err)
				}
			}
			if n := count(t, q, "classes"); n != 0 { // with the test's own ctx
				t.Errorf("from outside: %d", n)
			}
			n, err := db.One[int](ctx, tx.Across(unscoped.Permit{}), `SELECT count(*) FROM classes`, nil)
			if n != 2 || err != nil {
				t.Errorf("within: %d, %v", n, err)
			}
			return err
		}))
		if n := count(t, q, "classes") + count(t, d.School(other), "classes"); n != 2 {
			t.Errorf("after the commit: %d", n)
		}
	})
}

// Transactions and statements with a shared ctx join the transaction.
func TestLater(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school, other := newSchool(t, d), newSchool(t, d)
		must(t, d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
			for _, name := range []string{"a", "b"} {
				must(t, addClass(ctx, tx.Later(), name))
			}
			if n := count(t, d.School(school), "classes"); n != 0 { // with the test's own ctx
				t.Errorf("from outside: %d", n)
			}
			n, err := db.One[int](ctx, tx, `SELECT count(*) FROM classes WHERE school_id = :school`, nil)
			if n != 2 || err != nil {
				t.Errorf("the next statement: %d, %v", n, err)
			}
			if _, err := db.All[string](ctx, tx.Later(), `SELECT name FROM classes WHERE school_id = :school`, nil); err == nil {
				t.Error("a SELECT is not refused")
			}
			must(t, addClass(ctx, tx.Later(), "c"))
			must(t, addClass(ctx, tx.School(other), "d")) // in another school
			must(t, addClass(ctx, tx.Later(), "e"))
			_, err = db.Insert(ctx, tx.Later(), insertPupil, newPupils(100))
			return err
		}))
		q := d.School(school)
		got := []int{count(t, q, "classes"), count(t, d.School(other), "classes"), count(t, q, "pupils")}
		if !slices.Equal(got, []int{4, 1, 100}) {
			t.Errorf("after the commit: %v", got)
		}
		twice := id.New()
		err := d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) (err error) {
			for range 2 {
				if _, err = db.Exec(ctx, tx.Later(), insertClass, db.Args{"id": twice, "name": "f"}); err != nil {
					return err // SQLite says so at once
				}
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "INSERT INTO classes") {
			t.Errorf("a duplicate: %v", err)
		}
		if n := count(t, d.School(school), "classes"); n != 4 {
			t.Errorf("after the failed commit: %d", n)
		}
	})
}

func TestShare(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school := newSchool(t, d)
		q := d.School(school)
		err := d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
			ctx = tx.Share(ctx)
			must(t, addClass(ctx, q, "by the school"))
			must(t, d.InSchool(ctx, school, func(ctx context.Context, inner *db.Tx) error {
				if err := addClass(ctx, q, "nested twice"); !errors.Is(err, db.ErrNested) {
					t.Errorf("outside the inner transaction: got %v, want ErrNested", err)
				}
				return addClass(ctx, inner, "nested")
			}))
			if n, err := db.One[int](ctx, q, `SELECT count(*) FROM classes WHERE school_id = :school`, nil); n != 2 || err != nil {
				t.Errorf("within: %d, %v", n, err)
			}
			return stop
		})
		if !errors.Is(err, stop) {
			t.Errorf("InSchool: got %v, want the error of the callback", err)
		}
		if n := count(t, q, "classes"); n != 0 {
			t.Errorf("after the rollback: %d", n)
		}
	})
}

func TestAfterCommit(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school := newSchool(t, d)
		var order []string
		note := func(s string) func() { return func() { order = append(order, s) } }
		must(t, d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
			tx.AfterCommit(note("1"))
			tx.School(school).AfterCommit(note("2"))
			must(t, addClass(ctx, tx, "x"))
			tx.AfterCommit(func() {
				// After the end of the transaction its ctx can be used for other statements.
				n, err := db.One[int](ctx, d.School(school), `SELECT count(*) FROM classes WHERE school_id = :school`, nil)
				order = append(order, fmt.Sprint(n, err))
				if err := addClass(ctx, tx, "late"); err == nil || !strings.Contains(err.Error(), "has ended") {
					t.Errorf("a statement after the end of its transaction: got %v", err)
				}
			})
			if len(order) != 0 {
				t.Error("ran before the commit")
			}
			return nil
		}))
		if have := strings.Join(order, ", "); have != "1, 2, 1 <nil>" {
			t.Errorf("order: got %q", have)
		}
		_ = d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
			tx.AfterCommit(func() { t.Error("ran after a rollback") })
			must(t, addClass(ctx, tx, "y"))
			return errors.New("no")
		})
	})
}

func TestPanicRollsBack(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school := newSchool(t, d)
		func() {
			defer func() {
				if r := recover(); r != "oh" {
					t.Error("recovered", r)
				}
			}()
			_ = d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
				must(t, addClass(ctx, tx, "x"))
				panic("oh")
			})
		}()
		must(t, addClass(t.Context(), d.School(school), "y")) // the writer is free again
		if n := count(t, d.School(school), "classes"); n != 1 {
			t.Errorf("classes: got %d, want 1", n)
		}
	})
}

// A failed statement aborts the transaction on both engines, even if its error is
// ignored. So does a joined transaction that failed.
func TestFailedStep(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school := newSchool(t, d)
		err := d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
			must(t, addClass(ctx, tx, "x"))
			if err := addClass(ctx, tx, "x"); !db.IsDuplicate(err, "classes_name") {
				t.Errorf("second class x: got %v, want a duplicate of classes_name", err)
			}
			if err := addClass(ctx, tx, "y"); err == nil || !strings.Contains(err.Error(), "can't continue") {
				t.Errorf("statement after a failed one: got %v", err)
			}
			return nil
		})
		if !db.IsDuplicate(err, "classes_name") {
			t.Errorf("commit: %v", err)
		}
		err = d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
			_ = d.InSchool(tx.Share(ctx), school, func(ctx context.Context, tx *db.Tx) error {
				must(t, addClass(ctx, tx, "z"))
				return broken
			})
			return nil
		})
		if !errors.Is(err, broken) {
			t.Errorf("commit: %v", err)
		}
		// ErrNotFound does not abort the transaction.
		must(t, d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
			if _, err := db.One[string](ctx, tx, `SELECT name FROM classes WHERE school_id = :school`, nil); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("no class: got %v, want ErrNotFound", err)
			}
			return addClass(ctx, tx, "w")
		}))
		if n := count(t, d.School(school), "classes"); n != 1 {
			t.Errorf("classes: got %d, want 1", n)
		}
	})
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school := newSchool(t, d)
		ctx, cancel := context.WithCancel(t.Context())
		err := d.InSchool(ctx, school, func(ctx context.Context, tx *db.Tx) error {
			must(t, addClass(ctx, tx, "x"))
			cancel()
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled before the commit: got %v", err)
		}
		if err := addClass(ctx, d.School(school), "y"); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled before the statement: got %v", err)
		}
		if n := count(t, d.School(school), "classes"); n != 0 {
			t.Errorf("%d rows of a cancelled caller", n)
		}
	})
}

// Cancellation at any time leaves whole transactions and a working database.
func TestCancelledAtAnyTime(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school := newSchool(t, d)
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i*i)*20*time.Microsecond)
				defer cancel()
				err := d.InSchool(ctx, school, func(ctx context.Context, tx *db.Tx) error {
					if _, err := db.Insert(ctx, tx, insertPupil, newPupils(100)); err != nil {
						return err
					}
					_, err := db.All[pupil](ctx, tx, `SELECT id FROM pupils WHERE school_id = :school`, nil)
					return err
				})
				if err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v, want nil or context.DeadlineExceeded", err)
				}
			})
		}
		wg.Wait()
		if n := count(t, d.School(school), "pupils"); n%100 != 0 {
			t.Errorf("%d rows: a transaction was committed in part", n)
		}
		must(t, addClass(t.Context(), d.School(school), "x"))
	})
}

func TestWriterWaitObeysContext(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, "sqlite", schema)
	school := newSchool(t, d)
	must(t, d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
		must(t, addClass(ctx, tx, "x"))
		short, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		start := time.Now()
		if err := addClass(short, d.School(school), "y"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting for the writer: got %v, want context.DeadlineExceeded", err)
		}
		if took := time.Since(start); took > await.Limit/2 {
			t.Errorf("waited %s", took)
		}
		count(t, d.School(school), "classes") // readers don't wait
		return nil
	}))
}

// A write waits for a writing process until ctx ends.
func TestOtherProcessWrites(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t, "sqlite", schema)
	one, two := dbtest.Dial(t, url, schema), dbtest.Dial(t, url, schema)
	school := newSchool(t, one)
	held, free := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := one.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
			err := addClass(ctx, tx, "x")
			close(held)
			<-free
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-held
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := addClass(short, two.School(school), "y"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for the other process: got %v, want context.DeadlineExceeded", err)
	}
	time.AfterFunc(200*time.Millisecond, func() { close(free) })
	must(t, addClass(t.Context(), two.School(school), "z"))
	wg.Wait()
	if n := count(t, one.School(school), "classes"); n != 2 {
		t.Errorf("classes: got %d, want 2", n)
	}
}

// Two transactions update the same two rows in opposite order: PostgreSQL detects
// the deadlock and aborts one, which is retried.
func TestRetry(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school := newSchool(t, d)
		rows := newPupils(2)
		_, err := db.Insert(t.Context(), d.School(school), insertPupil, rows)
		must(t, err)
		var runs atomic.Int32
		var both sync.WaitGroup // until each holds one row
		both.Add(2)
		add := func(first, second id.ID) error {
			met := d.Engine() == "sqlite" // which serializes writers
			return d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
				runs.Add(1)
				for _, p := range []id.ID{first, second} {
					_, err := db.Exec(ctx, tx, `UPDATE pupils SET marks = marks + 10 WHERE school_id = :school AND id = :id`, db.Args{"id": p})
					if err != nil {
						return fmt.Errorf("not wrapped: %v", err) // a retry does not depend on the returned error
					}
					if !met {
						met = true
						both.Done()
						both.Wait()
					}
				}
				return nil
			})
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := add(rows[0].ID, rows[1].ID); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if err := add(rows[1].ID, rows[0].ID); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		marks, err := db.All[int](t.Context(), d.School(school), `SELECT marks FROM pupils WHERE school_id = :school ORDER BY marks`, nil)
		if err != nil || !slices.Equal(marks, []int{20, 21}) {
			t.Errorf("marks: got %v, %v, want both changed twice", marks, err)
		}
		// There may be more than one deadlock.
		if least := map[string]int32{"sqlite": 2, "postgres": 3}[d.Engine()]; runs.Load() < least {
			t.Errorf("%d runs, want %d or more", runs.Load(), least)
		}
	})
}

// Lock serializes transactions of a school.
func TestLock(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school, other := newSchool(t, d), newSchool(t, d)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				err := d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
					if err := tx.Lock(ctx, "number"); err != nil {
						return err
					}
					n, err := db.One[int](ctx, tx, `SELECT count(*) FROM classes WHERE school_id = :school`, nil)
					if err != nil {
						return err
					}
					return addClass(ctx, tx, fmt.Sprint(n))
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		names, err := db.All[string](t.Context(), d.School(school), `SELECT name FROM classes WHERE school_id = :school ORDER BY name`, nil)
		if have := strings.Join(names, ""); err != nil || have != "01234567" {
			t.Errorf("class names: got %q, %v, want each number once", have, err)
		}
		if d.Engine() == "sqlite" {
			return
		}
		// Locks of other schools and of other names don't conflict.
		must(t, d.InSchool(t.Context(), school, func(ctx context.Context, tx *db.Tx) error {
			must(t, tx.Lock(ctx, "number"))
			short, cancel := context.WithTimeout(t.Context(), await.Limit)
			defer cancel()
			must(t, d.InSchool(short, other, func(ctx context.Context, tx *db.Tx) error { return tx.Lock(ctx, "number") }))
			return d.InSchool(short, school, func(ctx context.Context, tx *db.Tx) error { return tx.Lock(ctx, "name") })
		}))
	})
}
