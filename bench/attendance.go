package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver
	_ "modernc.org/sqlite"             // registers the driver

	"homeroom/internal/apptest/process"
)

const (
	markPath     = "/school-admin/attendance/mark"
	markClasses  = 16 // of one division each, so that 16 clients mark 16 classes
	markStudents = 40
)

// division is a division of the benchmark, with its students.
type division struct {
	ClassID    string
	DivisionID string
	Students   []string
}

// marks measures marking divisions of 40, each call on a new day.
func marks(ctx context.Context, l *lab) error {
	fmt.Println("| Engine | Calls/s | p50 | p99 |")
	fmt.Println("|---|---:|---:|---:|")
	for _, t := range l.targets {
		t, err := l.emptyDatabase(ctx, t, "mark")
		if err != nil {
			return err
		}
		one, err := marksOn(ctx, l, t)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %.0f | %s | %s |\n", t.engine, one.perSecond, short(one.p50), short(one.p99))
	}
	return nil
}

func marksOn(ctx context.Context, l *lab, t target) (load, error) {
	s, err := l.serve(ctx, t)
	if err != nil {
		return load{}, err
	}
	defer s.Kill()
	token, err := s.Login(ctx, "admin@greenfield.test", "homeroom-demo")
	if err != nil {
		return load{}, err
	}
	rooms, err := furnish(ctx, s, token, markClasses, 1, markStudents, 0)
	if err != nil {
		return load{}, err
	}
	if err := t.exec(ctx, "UPDATE academic_years SET start_date = '1900-01-01' WHERE is_current"); err != nil { // room for many days
		return load{}, err
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return load{}, err
	}
	var n atomic.Int64
	next := func() []byte { // another division and day each time
		i := int(n.Add(1))
		day := time.Date(1900, 1, 1+i/len(rooms), 0, 0, 0, 0, time.UTC)
		return post(markPath, token, rooms[i%len(rooms)].sheet(day.Format(time.DateOnly), 0))
	}
	if _, err := hammerEach(ctx, u.Host, next, connections, perRound); err != nil { // warm-up, and rows for the statistics
		return load{}, err
	}
	if err := l.analyze(ctx, t); err != nil {
		return load{}, err
	}
	out, err := inRounds(ctx, u.Host, next)
	if err != nil {
		return load{}, err
	}
	got, err := count(ctx, t, "SELECT COUNT(*) FROM attendance WHERE date < '2000'") // the demo's marks are later
	if want := n.Load() * markStudents; err != nil || got != want {
		return load{}, fmt.Errorf("%d rows, want %d: %w", got, want, err)
	}
	return out, nil
}

// inRounds measures several rounds and returns the median.
func inRounds(ctx context.Context, addr string, next func() []byte) (load, error) {
	var all []load
	for range rounds {
		one, err := hammerEach(ctx, addr, next, connections, perRound)
		if err != nil {
			return load{}, err
		}
		all = append(all, one)
	}
	return median(all), nil
}

// sheet returns the body of a call that marks the division, the first students absent.
func (d division) sheet(date string, absent int) []byte {
	type record struct {
		StudentID string `json:"studentId"`
		Status    string `json:"status"`
	}
	records := make([]record, len(d.Students))
	for i, student := range d.Students {
		records[i] = record{student, "PRESENT"}
		if i < absent {
			records[i].Status = "ABSENT"
		}
	}
	body, err := json.Marshal(map[string]any{"data": map[string]any{
		"classId": d.ClassID, "divisionId": d.DivisionID, "date": date, "records": records}})
	if err != nil {
		panic(err) // strings always marshal
	}
	return body
}

// furnish creates classes with divisions and students. The first students of each
// division have a guardian with an account, who is notified of absences.
func furnish(ctx context.Context, s *process.Server, token string, classes, divisions, students, guarded int) ([]division, error) {
	return furnishFor(ctx, s, token, classes, divisions, students, func(room, student int) string {
		if student >= guarded {
			return ""
		}
		return fmt.Sprintf("+1556%07d", (room+1)*100+student)
	})
}

// furnishFor is furnish with phone numbers of guardians, by division and student. A student
// without a number has no guardian.
func furnishFor(ctx context.Context, s *process.Server, token string, classes, divisions, students int,
	phone func(room, student int) string) ([]division, error) {
	var rooms []division
	var file bytes.Buffer
	file.WriteString("firstName,class,division,guardianName,guardianRelation,guardianPhone\n")
	for c := range classes {
		class := fmt.Sprintf("Bench %d", c+1)
		classID, err := create(ctx, s, token, "/school-admin/class/create", map[string]any{"name": class})
		if err != nil {
			return nil, err
		}
		for d := range divisions {
			name := string(rune('A' + d))
			divisionID, err := create(ctx, s, token, "/school-admin/division/create", map[string]any{"classId": classID, "name": name})
			if err != nil {
				return nil, err
			}
			rooms = append(rooms, division{ClassID: classID, DivisionID: divisionID})
			for i := range students {
				fmt.Fprintf(&file, "S%02d,%s,%s,", i, class, name)
				if number := phone(len(rooms)-1, i); number != "" {
					fmt.Fprintf(&file, "P%d,MOTHER,%s\n", i, number)
				} else {
					file.WriteString(",,\n")
				}
			}
		}
	}
	if _, err := sendFile(ctx, s, token, importPath, file.Bytes()); err != nil {
		return nil, fmt.Errorf("import students: %w", err)
	}
	for i := range rooms {
		status, out, err := s.Call(ctx, token, "GET", "/school-admin/student/list?limit=100&sort=firstName&divisionId="+rooms[i].DivisionID, nil)
		data, _ := out["data"].(map[string]any)
		items, _ := data["items"].([]any)
		for _, item := range items {
			one, _ := item.(map[string]any)
			rooms[i].Students = append(rooms[i].Students, fmt.Sprint(one["id"]))
		}
		if err != nil || len(rooms[i].Students) != students {
			return nil, fmt.Errorf("list students: %d, %d of them, %w", status, len(rooms[i].Students), err)
		}
	}
	return rooms, nil
}

// create creates a record and returns its id.
func create(ctx context.Context, s *process.Server, token, path string, data map[string]any) (string, error) {
	status, out, err := s.Call(ctx, token, "POST", path, map[string]any{"data": data})
	made, ok := out["data"].(map[string]any)
	if err != nil || !ok {
		return "", fmt.Errorf("%s: %d %v %w", path, status, out, err)
	}
	return fmt.Sprint(made["id"]), nil
}

// schoolSQL selects the id of the demo school.
const schoolSQL = `SELECT id FROM schools WHERE code = 'GREENFIELD'`

// open opens the database of a target directly.
func (t target) open() (*sql.DB, error) {
	if t.engine == "SQLite" {
		return sql.Open("sqlite", "file:"+strings.TrimPrefix(t.url, "sqlite:")+"?_pragma=busy_timeout(60000)&_txlock=immediate"+
			"&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)")
	}
	return sql.Open("pgx", t.url)
}

// count runs a query that returns one number.
func count(ctx context.Context, t target, query string) (n int64, err error) {
	d, err := t.open()
	if err != nil {
		return 0, err
	}
	err = d.QueryRowContext(ctx, query).Scan(&n)
	return n, errors.Join(err, d.Close())
}

// exec runs statements one after another on one connection.
func (t target) exec(ctx context.Context, statements ...string) error {
	d, err := t.open()
	if err != nil {
		return err
	}
	d.SetMaxOpenConns(1) // settings and temporary tables are the connection's
	for _, s := range statements {
		if _, err := d.ExecContext(ctx, s); err != nil {
			return errors.Join(fmt.Errorf("%w in: %.300s", err, s), d.Close())
		}
	}
	return d.Close()
}

// hammerEach is hammer with a different request for every call.
func hammerEach(ctx context.Context, addr string, next func() []byte, connections int, long time.Duration) (load, error) {
	end := time.Now().Add(long)
	times, failed := make([][]time.Duration, connections), make([]error, connections)
	var wg sync.WaitGroup
	start := time.Now()
	for i := range connections {
		wg.Go(func() {
			var d net.Dialer
			c, err := d.DialContext(ctx, "tcp", addr)
			if err != nil {
				failed[i] = err
				return
			}
			defer c.Close()
			for r := bufio.NewReaderSize(c, 64<<10); time.Now().Before(end) && failed[i] == nil; {
				request := next()
				sent := time.Now()
				if _, failed[i] = c.Write(request); failed[i] == nil {
					_, failed[i] = answer(r)
				}
				times[i] = append(times[i], time.Since(sent))
			}
		})
	}
	wg.Wait()
	took := time.Since(start)
	all := slices.Concat(times...)
	if err := errors.Join(failed...); err != nil || len(all) == 0 {
		return load{}, fmt.Errorf("%d calls: %w", len(all), err)
	}
	slices.Sort(all)
	return load{perSecond: float64(len(all)) / took.Seconds(), p50: all[len(all)/2], p99: all[len(all)*99/100]}, nil
}

// post returns the bytes of a POST request with a token.
func post(path, token string, body []byte) []byte {
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, token, len(body))
	return append([]byte(head), body...)
}
