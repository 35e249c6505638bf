package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "modernc.org/sqlite" // registers the driver

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/page"
)

// The statements of the list, as the service sends them.
const (
	amongSQL = ` FROM students WHERE school_id = $1 AND archived_at IS NULL`
	listSQL  = `SELECT ` + people.SummaryColumns + amongSQL + ` ORDER BY first_name, id LIMIT $2 OFFSET $3`
	totalSQL = `SELECT count(*)` + amongSQL
)

// reader runs the statements.
type reader func(ctx context.Context) ([]people.Summary, int, error)

// serveBare answers every request with the list: no token, no limits, no log.
func serveBare(engine, url string) error {
	read, err := bareSQLite(url)
	if engine == "PostgreSQL" {
		read, err = barePostgres(url)
	}
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		items, total, err := read(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		body, err := json.Marshal(struct {
			Data    page.Of[people.Summary] `json:"data"`
			Message string                  `json:"message"`
		}{page.New(page.Request{}.Clamp(), items, total), "OK."})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		body = append(body, '\n')
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		_, _ = w.Write(body) // fails only if the client is gone
	}))
}

func bareSQLite(url string) (reader, error) {
	d, err := sql.Open("sqlite", "file:"+url[len("sqlite:"):]+"?_pragma=busy_timeout(5000)&_pragma=query_only(1)")
	if err != nil {
		return nil, err
	}
	d.SetMaxIdleConns(4)
	d.SetMaxOpenConns(4)
	var school string
	if err := d.QueryRow(schoolSQL).Scan(&school); err != nil {
		return nil, err
	}
	listed, err := d.Prepare(listSQL)
	if err != nil {
		return nil, err
	}
	counted, err := d.Prepare(totalSQL)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (items []people.Summary, total int, err error) {
		rows, err := listed.QueryContext(ctx, school, 20, 0)
		if err != nil {
			return nil, 0, err
		}
		defer rows.Close()
		for rows.Next() {
			var s people.Summary
			var created, updated string
			if err := rows.Scan(fields(&s, &created, &updated)...); err != nil {
				return nil, 0, err
			}
			if s.CreatedAt, err = time.Parse(time.RFC3339Nano, created); err != nil {
				return nil, 0, err
			}
			if s.UpdatedAt, err = time.Parse(time.RFC3339Nano, updated); err != nil {
				return nil, 0, err
			}
			items = append(items, s)
		}
		if err := rows.Err(); err != nil {
			return nil, 0, err
		}
		err = counted.QueryRowContext(ctx, school).Scan(&total)
		return items, total, err
	}, nil
}

func barePostgres(url string) (reader, error) {
	p, err := barePool(url)
	if err != nil {
		return nil, err
	}
	var school string
	if err := p.QueryRow(context.Background(), schoolSQL).Scan(&school); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (items []people.Summary, total int, err error) {
		rows, err := p.Query(ctx, listSQL, school, 20, 0)
		if err != nil {
			return nil, 0, err
		}
		items, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (s people.Summary, err error) {
			err = row.Scan(fields(&s, &s.CreatedAt, &s.UpdatedAt)...)
			s.CreatedAt, s.UpdatedAt = s.CreatedAt.UTC(), s.UpdatedAt.UTC()
			return s, err
		})
		if err != nil {
			return nil, 0, err
		}
		err = p.QueryRow(ctx, totalSQL, school).Scan(&total)
		return items, total, err
	}, nil
}

// fields lists pointers to the fields of people.SummaryColumns.
func fields(s *people.Summary, created, updated any) []any {
	return []any{&s.ID, &s.AdmissionNo, &s.FirstName, &s.LastName, &s.DateOfBirth, &s.Gender, &s.ClassID, &s.DivisionID, &s.RollNo,
		&s.AdmissionDate, &s.Phone, &s.Email, &s.PhotoFileID, &s.Status, &s.Version, created, updated, &s.ClassName, &s.DivisionName}
}

// barePool opens the connection pool of a bare handler on PostgreSQL.
func barePool(url string) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	c.MaxConns = 16
	return pgxpool.NewWithConfig(context.Background(), c)
}
