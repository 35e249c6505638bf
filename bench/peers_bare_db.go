package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"
)

// barePG is pgx, which prepares and caches statements itself.
type barePG struct{ pool *pgxpool.Pool }

func openBarePostgres(url string) (bareStore, error) {
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	c.MaxConns = 8
	pool, err := pgxpool.NewWithConfig(context.Background(), c)
	return barePG{pool}, err
}

func (p barePG) query(sql string, args []any, row func(func(...any) error) error) error {
	rows, err := p.pool.Query(context.Background(), sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	scan := rows.Scan
	for rows.Next() {
		if err := row(scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (p barePG) create(school int64, in newcomer) (id int64, no string, err error) {
	err = p.pool.QueryRow(context.Background(), `
		WITH n AS (UPDATE schools SET last_no = last_no + 1 WHERE id = $1 RETURNING last_no),
			d AS (SELECT id, class_id FROM divisions WHERE id = $3 AND class_id = $2 AND school_id = $1)
		INSERT INTO students (school_id, class_id, division_id, roll_no, admission_no, first_name, last_name, name_key, date_of_birth,
			gender, phone, guardian_name, guardian_phone)
		SELECT $1, d.class_id, d.id, 0, 'PR-' || lpad(n.last_no::text, 4, '0'), $4, $5, $6, $7, $8, '', '', '' FROM n, d
		RETURNING id, admission_no`, in.args(school)...).Scan(&id, &no)
	return id, no, err
}

// args are the values of a new row.
func (in newcomer) args(school int64) []any {
	return []any{school, in.ClassID, in.DivisionID, in.FirstName, in.LastName, strings.ToLower(in.FirstName + " " + in.LastName),
		in.DateOfBirth, in.Gender}
}

// mark writes what differs, if all students are of the division.
func (p barePG) mark(school int64, in sheetIn) (out sheetOut, err error) {
	day, students, statuses, err := in.columns()
	if err != nil {
		return out, err
	}
	err = p.pool.QueryRow(context.Background(), `
		WITH sheet AS MATERIALIZED (
			SELECT s.id, r.status, m.status AS was FROM unnest($4::int[], $5::smallint[]) AS r (student, status)
			JOIN students s ON s.id = r.student AND s.division_id = $2 AND s.school_id = $1
			LEFT JOIN marks m ON m.division_id = $2 AND m.day = $3 AND m.student_id = s.id),
		put AS (INSERT INTO marks (division_id, day, student_id, status)
			SELECT $2, $3, id, status FROM sheet WHERE was IS DISTINCT FROM status AND (SELECT count(*) FROM sheet) = cardinality($4)
			ON CONFLICT (division_id, day, student_id) DO UPDATE SET status = excluded.status)
		SELECT count(*), count(*) FILTER (WHERE was IS NULL), count(*) FILTER (WHERE was = status) FROM sheet`,
		school, in.DivisionID, day, students, statuses).Scan(&out.Marked, &out.Created, &out.Unchanged)
	return out, err
}

// bareLite is database/sql with four readers and one writer. Statements get no
// cancellable context, because the driver starts a goroutine for one.
type bareLite struct {
	readers, writer litePool
	one             *sync.Mutex // of the writer
}

type litePool struct {
	db    *sql.DB
	known *sync.Map // text to *sql.Stmt
}

func openBareSQLite(url string) (bareStore, error) {
	open := func(conns int) (litePool, error) {
		d, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(url, "sqlite:")+"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)"+
			"&_pragma=synchronous(FULL)&_pragma=cache_size(-16000)&_pragma=temp_store(MEMORY)")
		if err == nil {
			d.SetMaxOpenConns(conns)
			d.SetMaxIdleConns(conns)
		}
		return litePool{d, &sync.Map{}}, err
	}
	readers, err := open(4)
	if err != nil {
		return nil, err
	}
	writer, err := open(1)
	return bareLite{readers, writer, &sync.Mutex{}}, err
}

func (p litePool) query(text string, args []any, row func(func(...any) error) error) error {
	known, ok := p.known.Load(text)
	if !ok {
		st, err := p.db.Prepare(strings.ReplaceAll(text, "strpos(", "instr(")) // PostgreSQL's name for it
		if err != nil {
			return err
		}
		known, _ = p.known.LoadOrStore(text, st)
	}
	rows, err := known.(*sql.Stmt).Query(args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	scan := rows.Scan
	for rows.Next() {
		if err := row(scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (p bareLite) query(text string, args []any, row func(func(...any) error) error) error {
	return p.readers.query(text, args, row)
}

func (p bareLite) create(school int64, in newcomer) (id int64, no string, err error) {
	p.one.Lock()
	defer p.one.Unlock()
	nothing := func(func(...any) error) error { return nil }
	if err := p.writer.query("BEGIN IMMEDIATE", nil, nothing); err != nil {
		return 0, "", err
	}
	var last int
	err = p.writer.query(`UPDATE schools SET last_no = last_no + 1 WHERE id = $1 RETURNING last_no`, []any{school},
		func(scan func(...any) error) error { return scan(&last) })
	if err == nil {
		err = p.writer.query(`
			INSERT INTO students (school_id, class_id, division_id, roll_no, admission_no, first_name, last_name, name_key, date_of_birth,
				gender, phone, guardian_name, guardian_phone)
			SELECT $1, class_id, id, 0, printf('PR-%04d', $9), $4, $5, $6, $7, $8, '', '', '' FROM divisions
			WHERE id = $3 AND class_id = $2 AND school_id = $1
			RETURNING id, admission_no`, append(in.args(school), last), func(scan func(...any) error) error { return scan(&id, &no) })
	}
	if err == nil && id == 0 {
		err = errNoRow
	}
	if err != nil {
		return 0, "", errors.Join(err, p.writer.query("ROLLBACK", nil, nothing))
	}
	return id, no, p.writer.query("COMMIT", nil, nothing)
}

// mark reads the sheet's marks, and writes what differs.
func (p bareLite) mark(school int64, in sheetIn) (out sheetOut, err error) {
	day, students, statuses, err := in.columns()
	if err != nil {
		return out, err
	}
	was := make(map[int64]int64, len(students))
	err = p.query(`SELECT s.id, COALESCE(m.status, 0) FROM students s
		LEFT JOIN marks m ON m.division_id = s.division_id AND m.day = $3 AND m.student_id = s.id
		WHERE s.division_id = $2 AND s.school_id = $1`, []any{school, in.DivisionID, day}, func(scan func(...any) error) error {
		var student, status int64
		err := scan(&student, &status)
		was[student] = status
		return err
	})
	if err != nil {
		return out, err
	}
	var rows [][2]int64
	for i, student := range students {
		before, ok := was[student]
		if !ok {
			return out, errNoRow
		}
		out.Marked++
		switch before {
		case statuses[i]:
			out.Unchanged++
			continue
		case 0:
			out.Created++
		}
		rows = append(rows, [2]int64{student, statuses[i]})
	}
	if rows == nil {
		return out, nil
	}
	packed, err := json.Marshal(rows)
	if err != nil {
		return out, err
	}
	p.one.Lock()
	defer p.one.Unlock()
	return out, p.writer.query(`INSERT INTO marks (division_id, day, student_id, status)
		SELECT $1, $2, value ->> 0, value ->> 1 FROM json_each($3) WHERE TRUE
		ON CONFLICT (division_id, day, student_id) DO UPDATE SET status = excluded.status`,
		[]any{in.DivisionID, day, string(packed)}, func(func(...any) error) error { return nil })
}
