package web_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
	"homeroom/internal/schema"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const northID = id.ID("0199f3a2-0000-7000-8000-000000000001")

// inNorth is gate with a school that exists.
type inNorth struct{ gate }

func (g inNorth) Authenticate(ctx context.Context, token string) (actor.Actor, error) {
	a, err := g.gate.Authenticate(ctx, token)
	a.School = northID
	return a, err
}

func makeNorth(t *testing.T, d *db.DB) {
	t.Helper()
	_, err := db.Exec(t.Context(), d.Across(unscoped.Permit{}), `INSERT INTO schools
		(id, name, code, timezone, currency, locale, status, created_at, updated_at)
		VALUES (:id, 'North', 'NORTH', 'UTC', 'EUR', 'en', 'ACTIVE', :now, :now)`,
		db.Args{"id": northID, "now": clock.System()})
	if err != nil {
		t.Fatal(err)
	}
}

// rename is a handler that increments the school's version.
func rename(d *db.DB) web.Route {
	type in struct {
		Fail bool `json:"fail"`
	}
	return web.Handle("POST /teacher/thing/rename", func(ctx context.Context, _ actor.Actor, in in) (thing, error) {
		var v int
		err := d.InSchool(ctx, northID, func(ctx context.Context, tx *db.Tx) (err error) {
			v, err = db.One[int](ctx, tx, `UPDATE schools SET version = version + 1 WHERE id = :school RETURNING version`, nil)
			return err
		})
		if err == nil && in.Fail {
			err = errors.New("after the work")
		}
		return thing{Name: fmt.Sprint("version ", v)}, err
	}, web.Write("thing"), web.Created(), web.Doc("Rename."))
}

func version(t *testing.T, d *db.DB) int {
	t.Helper()
	v, err := db.One[int](t.Context(), d.School(northID), `SELECT version FROM schools WHERE id = :school`, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) {
		makeNorth(t, d)
		now := clock.System()
		srv := serve(t, func(c *web.Config) {
			c.DB, c.Gate, c.Now = d, inNorth{}, func() time.Time { return now }
			c.Routes = append(c.Routes, rename(d))
		})
		send := func(key, body string) reply {
			return call(t, srv, "TEACHER", "POST", "/teacher/thing/rename", body, "Idempotency-Key", key)
		}
		first := send("k1", `{"data":{}}`)
		again := send("k1", `{"data":{}}`)
		if first.StatusCode != 201 || again.StatusCode != 201 || first.text != again.text {
			t.Fatalf("first: %s, again: %s, want the same 201 twice", first.text, again.text)
		}
		if first.Header.Get("Idempotency-Replayed") != "" || again.Header.Get("Idempotency-Replayed") != "true" {
			t.Error("Idempotency-Replayed: want it on the second response only")
		}
		if v := version(t, d); v != 2 {
			t.Errorf("the handler ran %d times", v-1)
		}
		wantError(t, send("k1", `{"data":{"fail":false}}`), 422, "Unprocessable Entity")
		wantError(t, send("é", `{}`), 422, "Unprocessable Entity")
		wantError(t, send("k2", `{"data":{"fail":true}}`), 500, "Internal Server Error")
		if v := version(t, d); v != 2 {
			t.Error("the writes of a failed request were not rolled back")
		}
		if r := send("k2", `{"data":{}}`); r.StatusCode != 201 {
			t.Error("the key of a failed request can't be used again:", r.text)
		}
		now = now.Add(25 * time.Hour)
		if r := send("k1", `{"data":{"fail":false}}`); r.StatusCode != 201 || r.Header.Get("Idempotency-Replayed") != "" {
			t.Error("the key can't be used again after a day:", r.text)
		}
		if err := web.SweepAnswers(t.Context(), d, now.Add(25*time.Hour)); err != nil {
			t.Fatal(err)
		}
		if n, _ := db.One[int](t.Context(), d.School(northID), `SELECT count(*) FROM idempotency_keys WHERE school_id = :school`, nil); n != 0 {
			t.Errorf("%d answers left after the sweep", n)
		}
	})
}

func TestIdempotencyKeyUnderABurst(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) {
		makeNorth(t, d)
		var wg sync.WaitGroup
		for range 2 { // two nodes on one database
			srv := serve(t, func(c *web.Config) {
				c.DB, c.Gate = d, inNorth{}
				c.Routes = append(c.Routes, rename(d))
			})
			for range 32 {
				wg.Go(func() {
					r := call(t, srv, "TEACHER", "POST", "/teacher/thing/rename", "", "Idempotency-Key", "one")
					if r.StatusCode != 201 && r.StatusCode != 409 {
						t.Errorf("got %d, want 201 or 409: %s", r.StatusCode, r.text)
					}
				})
			}
		}
		wg.Wait()
		if v := version(t, d); v != 2 {
			t.Errorf("the handler ran %d times", v-1)
		}
	})
}
