package db_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
)

var schema = os.DirFS("testdata/schema")

func TestMain(m *testing.M) {
	if url, what, ok := strings.Cut(os.Getenv("HOMEROOM_TEST_CHILD"), " "); ok {
		if err := migrateAsChild(url, what); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	dbtest.Main(m)
}

type pupil struct {
	ID        id.ID
	ClassID   id.ID
	Name      string
	Email     *string
	Marks     int
	Height    *float64
	Active    bool
	Born      *clock.Date
	Tags      db.JSON[[]string]
	CreatedAt time.Time
	LeftAt    *time.Time
}

const (
	insertPupil = `INSERT INTO pupils (school_id, id, class_id, name, email, marks, height, active, born, tags, created_at, left_at)
		VALUES (:school, :id, :class_id, :name, :email, :marks, :height, :active, :born, :tags, :created_at, :left_at)`
	pupilColumns = `id, class_id, name, email, marks, height, active, born, tags, created_at, left_at`
)

var noon = time.Date(2026, 11, 5, 12, 0, 0, 123_000_000, time.UTC)

// newSchool inserts a school and returns its id.
func newSchool(t testing.TB, d *db.DB) id.ID {
	t.Helper()
	school := id.New()
	must(t, d.InAll(t.Context(), unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
		_, err := db.Exec(ctx, tx, `INSERT INTO schools (id, name) VALUES (:id, :name)`, db.Args{"id": school, "name": "Greenfield"})
		return err
	}))
	return school
}

func newPupils(n int) []pupil {
	out := make([]pupil, n)
	for i := range out {
		out[i] = pupil{ID: id.New(), Name: fmt.Sprintf("Pupil %03d", i), Marks: i, Active: i%2 == 0,
			CreatedAt: noon.Add(time.Duration(i) * time.Second)}
	}
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func count(t testing.TB, q db.Q, table string) int {
	t.Helper()
	n, err := db.One[int](t.Context(), q, `SELECT count(*) FROM `+table+` WHERE school_id = :school`, nil)
	must(t, err)
	return n
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		school := newSchool(t, d)
		mail, height, born, left := "a@b.test", 1.5, clock.Date("2015-02-03"), noon.Add(time.Hour)
		full := pupil{ID: id.New(), Name: "Ann \"'\\ ü", Email: &mail, Marks: -7, Height: &height, Active: true, Born: &born,
			Tags: db.JSON[[]string]{V: []string{"a", `"b"`}}, CreatedAt: noon, LeftAt: &left}
		bare := pupil{ID: id.New(), Name: "", CreatedAt: noon.Add(-time.Hour)}
		if n, err := db.Insert(t.Context(), d.School(school), insertPupil, []pupil{full, bare}); err != nil || n != 2 {
			t.Fatalf("inserted %d rows, %v, want 2", n, err)
		}
		got, err := db.All[pupil](t.Context(), d.School(school),
			`SELECT `+pupilColumns+` FROM pupils WHERE school_id = :school ORDER BY created_at DESC`, nil)
		must(t, err)
		want, _ := json.Marshal([]pupil{full, bare})
		if have, _ := json.Marshal(got); string(have) != string(want) {
			t.Errorf("have %s\nwant %s", have, want)
		}
		if got[0].CreatedAt.Location() != time.UTC {
			t.Error("a time that is not UTC")
		}
	})
}
