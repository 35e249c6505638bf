package db_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
)

// Any number of rows round-trips: PostgreSQL inserts 32 or more rows by arrays.
func TestInsertRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		for _, n := range []int{1, 31, 32, 200, 1500} {
			school := newSchool(t, d)
			rows := newPupils(n)
			for i := range rows {
				mail, height, born, left := fmt.Sprintf("p%d@b.test", i), float64(i)/4, clock.Date("2015-02-03"), noon.Add(time.Duration(i)*time.Hour)
				rows[i].Tags.V = []string{"a,b", `"{}\`, "NULL", "ü\n"}
				switch i % 3 {
				case 0:
					rows[i].Name, rows[i].Email, rows[i].Height = `"quoted" \ {braces}, NULL`, &mail, &height
				case 1:
					rows[i].Name, rows[i].Born, rows[i].LeftAt = "", &born, &left
				default:
					rows[i].Name, rows[i].Marks = "NULL", -i
				}
			}
			if got, err := db.Insert(t.Context(), d.School(school), insertPupil, rows); err != nil || got != int64(n) {
				t.Fatalf("inserted %d rows, %v, want %d", got, err, n)
			}
			got, err := db.All[pupil](t.Context(), d.School(school),
				`SELECT `+pupilColumns+` FROM pupils WHERE school_id = :school ORDER BY created_at`, nil)
			must(t, err)
			want, _ := json.Marshal(rows)
			if have, _ := json.Marshal(got); string(have) != string(want) {
				t.Errorf("%d rows: have %.300s\nwant %.300s", n, have, want)
			}
		}
	})
}
