package db_test

import (
	stdsql "database/sql"
	"strconv"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"

	"github.com/jackc/pgx/v5"
)

const listSQL = `SELECT id, class_id, name, email, marks, active, created_at, left_at FROM pupils
	WHERE school_id = :school ORDER BY id LIMIT :limit`

type row struct {
	ID        id.ID
	ClassID   *id.ID
	Name      string
	Email     *string
	Marks     int
	Active    bool
	CreatedAt time.Time
	LeftAt    *time.Time
}

func benchmark(b *testing.B, run func(b *testing.B, d *db.DB, url string, school id.ID)) {
	for _, engine := range dbtest.Engines {
		b.Run(engine, func(b *testing.B) {
			url := dbtest.URL(b, engine, schema)
			d := dbtest.Dial(b, url, schema)
			school := newSchool(b, d)
			_, err := db.Insert(b.Context(), d.School(school), insertPupil, newPupils(1000))
			must(b, err)
			dbtest.Settle(b, d, url)
			b.ReportAllocs()
			b.ResetTimer()
			run(b, d, url, school)
		})
	}
}

func BenchmarkAll20(b *testing.B) {
	benchmark(b, func(b *testing.B, d *db.DB, _ string, school id.ID) {
		for b.Loop() {
			rows, err := db.All[row](b.Context(), d.School(school), listSQL, db.Args{"limit": 20})
			if err != nil || len(rows) != 20 {
				b.Fatal(len(rows), err)
			}
		}
	})
}

// BenchmarkByHand20 is the baseline of All20: hand-written for one engine, without
// a school, a role or a transaction.
func BenchmarkByHand20(b *testing.B) {
	query := strings.NewReplacer(":school", "$1", ":limit", "$2").Replace(listSQL)
	benchmark(b, func(b *testing.B, d *db.DB, url string, school id.ID) {
		if d.Engine() == "postgres" {
			byHandPostgres(b, url, query, school)
			return
		}
		pool, err := stdsql.Open("sqlite", strings.TrimPrefix(url, "sqlite:"))
		must(b, err)
		defer pool.Close()
		stmt, err := pool.Prepare(query)
		must(b, err)
		for b.Loop() {
			rows, err := stmt.QueryContext(b.Context(), string(school), 20)
			must(b, err)
			var out []row
			for rows.Next() {
				var r row
				var created string
				var left *string
				must(b, rows.Scan(&r.ID, &r.ClassID, &r.Name, &r.Email, &r.Marks, &r.Active, &created, &left))
				r.CreatedAt, err = time.Parse(time.RFC3339, created)
				must(b, err)
				out = append(out, r)
			}
			rows.Close()
			if len(out) != 20 {
				b.Fatal(len(out))
			}
		}
	})
}

func byHandPostgres(b *testing.B, url, query string, school id.ID) {
	url = strings.Replace(url, "homeroom_test:homeroom_test@", "postgres@", 1) // the superuser bypasses row-level security
	c, err := pgx.Connect(b.Context(), url)
	must(b, err)
	defer c.Close(b.Context())
	for b.Loop() {
		rows, err := c.Query(b.Context(), query, string(school), 20)
		must(b, err)
		var out []row
		for rows.Next() {
			var r row
			must(b, rows.Scan(&r.ID, &r.ClassID, &r.Name, &r.Email, &r.Marks, &r.Active, &r.CreatedAt, &r.LeftAt))
			out = append(out, r)
		}
		if rows.Close(); len(out) != 20 {
			b.Fatal(len(out), rows.Err())
		}
	}
}

func BenchmarkPage20(b *testing.B) {
	list := db.List{Columns: "id, name, marks, active, created_at", From: "pupils WHERE school_id = :school",
		Sorts: map[string]string{"id": "id"}, Default: "id"}
	benchmark(b, func(b *testing.B, d *db.DB, _ string, school id.ID) {
		for b.Loop() {
			p, err := db.Page[row](b.Context(), d.School(school), list, page.Request{}, nil)
			if err != nil || len(p.Items) != 20 || p.Total != 1000 {
				b.Fatal(p.Total, err)
			}
		}
	})
}

func BenchmarkOne(b *testing.B) {
	benchmark(b, func(b *testing.B, d *db.DB, _ string, school id.ID) {
		for b.Loop() {
			if _, err := db.One[int](b.Context(), d.School(school), `SELECT 1 FROM schools WHERE id = :school`, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkInsert1000(b *testing.B) {
	benchmark(b, func(b *testing.B, d *db.DB, _ string, school id.ID) {
		for b.Loop() {
			if _, err := db.Insert(b.Context(), d.School(school), insertPupil, newPupils(1000)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	benchmark(b, func(b *testing.B, d *db.DB, _ string, school id.ID) {
		for n := 0; b.Loop(); n++ { // a new value each time, since SQLite skips writes that change nothing
			_, err := db.Exec(b.Context(), d.School(school), `UPDATE schools SET name = :name WHERE id = :school`, db.Args{"name": strconv.Itoa(n)})
			must(b, err)
		}
	})
}
