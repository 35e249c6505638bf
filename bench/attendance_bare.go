package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"homeroom/internal/platform/id"
)

// sheetIn is the request body of the bare handler.
type sheetIn struct {
	Data struct {
		ClassID, DivisionID, Date string
		Records                   []struct{ StudentID, Status string }
	}
}

// marker writes the marks in one transaction.
type marker func(ctx context.Context, in sheetIn) error

const markColumns = `INSERT INTO attendance (school_id, id, student_id, date, period_no, class_id, division_id, status, half_day,
	minutes_late, remark, leave_id, marked_by, marked_at) `

const markConflict = ` ON CONFLICT (school_id, student_id, date, period_no) DO UPDATE SET class_id = excluded.class_id,
	division_id = excluded.division_id, status = excluded.status, half_day = excluded.half_day, minutes_late = excluded.minutes_late,
	remark = excluded.remark, leave_id = excluded.leave_id, marked_by = excluded.marked_by, marked_at = excluded.marked_at`

// serveBareMark writes the marks of every request, without authentication, rules,
// audit log or notifications.
func serveBareMark(engine, url string) error {
	open := markSQLite
	if engine == "PostgreSQL" {
		open = markPostgres
	}
	write, err := open(target{engine, url})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in sheetIn
		err := json.NewDecoder(r.Body).Decode(&in)
		if err == nil {
			err = write(r.Context(), in)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		n := len(in.Data.Records)
		body := fmt.Appendf(nil, `{"data":{"marked":%d,"created":%d,"updated":0,"unchanged":0},"message":"Marked."}`+"\n", n, n)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		_, _ = w.Write(body) // fails only if the client is gone
	}))
}

func markPostgres(t target) (marker, error) {
	p, err := barePool(t.url)
	if err != nil {
		return nil, err
	}
	var school string
	if err := p.QueryRow(context.Background(), schoolSQL).Scan(&school); err != nil {
		return nil, err
	}
	const upsert = markColumns + `SELECT $1, r.id, r.student, $2, 0, $3, $4, r.status, '', 0, '', NULL, NULL, $5
		FROM unnest($6::uuid[], $7::uuid[], $8::text[]) AS r (id, student, status)` + markConflict
	return func(ctx context.Context, in sheetIn) error {
		n := len(in.Data.Records)
		ids, students, statuses := make([]string, n), make([]string, n), make([]string, n)
		for i, r := range in.Data.Records {
			ids[i], students[i], statuses[i] = string(id.New()), r.StudentID, r.Status
		}
		tx, err := p.Begin(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback(ctx) }() // nothing after a commit
		d := in.Data
		if _, err := tx.Exec(ctx, upsert, school, d.Date, d.ClassID, d.DivisionID, time.Now(), ids, students, statuses); err != nil {
			return err
		}
		return tx.Commit(ctx)
	}, nil
}

func markSQLite(t target) (marker, error) {
	d, err := t.open()
	if err != nil {
		return nil, err
	}
	d.SetMaxOpenConns(1)
	var school string
	if err := d.QueryRow(schoolSQL).Scan(&school); err != nil {
		return nil, err
	}
	row := `(?, ?, ?, ?, 0, ?, ?, ?, '', 0, '', NULL, NULL, ?)`
	upsert, err := d.Prepare(markColumns + "VALUES " + strings.TrimSuffix(strings.Repeat(row+", ", markStudents), ", ") + markConflict)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, in sheetIn) error {
		now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
		args := make([]any, 0, 8*len(in.Data.Records))
		for _, r := range in.Data.Records {
			args = append(args, school, string(id.New()), r.StudentID, in.Data.Date, in.Data.ClassID, in.Data.DivisionID, r.Status, now)
		}
		tx, err := d.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // nothing after a commit
		if _, err := tx.StmtContext(ctx, upsert).ExecContext(ctx, args...); err != nil {
			return err
		}
		return tx.Commit()
	}, nil
}

// startChild runs this program as a child process with a bare server, and returns
// its address.
func startChild(ctx context.Context, kind string, t target) (*exec.Cmd, string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	cmd := exec.CommandContext(ctx, self, kind, t.engine, t.url)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	line := make([]byte, 64) // the child prints only its address
	n, err := out.Read(line)
	return cmd, strings.TrimSpace(string(line[:n])), err
}
