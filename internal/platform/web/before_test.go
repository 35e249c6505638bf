package web_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/web"
	"homeroom/internal/schema"
)

// Before runs once, outside the transaction, and is undone if the call fails.
func TestBefore(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) {
		makeNorth(t, d)
		type in struct {
			Fail     string `json:"fail"`
			prepared int
		}
		prepared, undone := 0, 0
		route := web.Handle("POST /teacher/thing/send", func(ctx context.Context, _ actor.Actor, in in) (thing, error) {
			if in.Fail == "late" {
				return thing{}, errors.New("after it was prepared")
			}
			return thing{Name: fmt.Sprint("prepared ", in.prepared)}, nil
		}, web.Write("thing"), web.Before(func(_ context.Context, _ actor.Actor, in *in) (func(), error) {
			if in.Fail == "early" {
				return nil, errors.New("before it was")
			}
			ctx, cancel := context.WithTimeout(context.Background(), await.Limit/4)
			defer cancel()
			// Would block if the call were in a transaction.
			_, err := db.Exec(ctx, d.School(northID), `UPDATE schools SET version = version + 1 WHERE id = :school`, nil)
			prepared++
			in.prepared = prepared
			return func() { undone++ }, err
		}))
		srv := serve(t, func(c *web.Config) {
			c.DB, c.Gate = d, inNorth{}
			c.Routes = append(c.Routes, route)
		})
		for _, tt := range []struct {
			key, fail        string
			status           int
			prepared, undone int
		}{
			{"", "", 200, 1, 0},
			{"", "late", 500, 2, 1},
			{"", "early", 500, 2, 1},
			{"a", "", 200, 3, 1},
			{"a", "", 200, 3, 1}, // the stored response
			{"b", "late", 500, 4, 2},
			{"b", "early", 500, 4, 2},
		} {
			r := call(t, srv, "TEACHER", "POST", "/teacher/thing/send", fmt.Sprintf(`{"data":{"fail":%q}}`, tt.fail), "Idempotency-Key", tt.key)
			if r.StatusCode != tt.status || prepared != tt.prepared || undone != tt.undone {
				t.Errorf("%+v: %d, prepared %d, undone %d\n%s", tt, r.StatusCode, prepared, undone, r.text)
			}
		}
	})
}
