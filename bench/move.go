package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"time"

	"homeroom/internal/apptest/process"
)

const (
	moveStudents = 20_000
	moveCode     = "MOVE-1"
)

// move exports a school of 20,000 students from SQLite and imports it into a PostgreSQL
// that serves 100 others, and compares the answers before and after.
func move(ctx context.Context, l *lab) error {
	from, err := l.emptyDatabase(ctx, l.targets[0], "move")
	if err != nil {
		return err
	}
	source, err := l.serve(ctx, from)
	if err != nil {
		return err
	}
	defer source.Kill()
	token, err := moveSchool(ctx, source)
	if err != nil {
		return err
	}
	paths, err := movePaths(ctx, from)
	if err != nil {
		return err
	}
	before, err := answersOf(ctx, source, token, paths)
	if err != nil {
		return err
	}
	file := l.dir + "/school.zip"
	exported, err := timed(ctx, l, "export", moveCode, file, "--close", "--wait", "30s", "--data", l.dir, "--database-url", from.url)
	if err != nil {
		return err
	}
	p := dayPlan{engine: "postgresql", schools: 100, divisions: 5, buses: 1, watchers: 2, long: time.Minute, opened: 0.3, write: 0.2}
	w, err := p.open(ctx, l, l.targets[1])
	if err != nil {
		return err
	}
	defer w.close()
	quiet, busy, imported, err := w.during(ctx, func() (time.Duration, error) {
		return timed(ctx, l, "import", file, "--data", l.dir, "--database-url", w.t.url)
	})
	if err != nil {
		return err
	}
	different, err := w.compareMoved(ctx, paths, before)
	if err != nil {
		return err
	}
	fmt.Println("| Students | Export from SQLite | Import into PostgreSQL | Answers compared | Different | " +
		"p99 of 100 other schools | during the import |")
	fmt.Println("|---:|---:|---:|---:|---:|---:|---:|")
	fmt.Printf("| %d | %s | %s | %d | %d | %s | %s |\n", moveStudents, short(exported), short(imported), len(paths), different,
		short(quiet.p99), short(busy.p99))
	return nil
}

// timed runs a command of "homeroom school".
func timed(ctx context.Context, l *lab, args ...string) (time.Duration, error) {
	start := time.Now()
	out, err := exec.CommandContext(ctx, l.bin, append([]string{"school"}, args...)...).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("school %s: %w\n%s", args[0], err, out)
	}
	return time.Since(start), nil
}

// moveSchool creates the school: students, and fees and marks of some.
func moveSchool(ctx context.Context, s *process.Server) (token string, err error) {
	if token, err = openSchool(ctx, s, moveCode); err != nil {
		return "", err
	}
	if err := makeClasses(ctx, s, token); err != nil {
		return "", err
	}
	if _, err := sendFile(ctx, s, token, importPath, studentFile(moveStudents)); err != nil {
		return "", err
	}
	_, out, err := s.Call(ctx, token, "GET", "/school-admin/student/list?limit=100&sort=admissionNo", nil)
	data, _ := out["data"].(object)
	students, _ := data["items"].([]any)
	if err != nil || len(students) != 100 {
		return "", fmt.Errorf("list students: %v %w", out, err)
	}
	for _, one := range students {
		student, _ := one.(object)
		charge := object{"studentId": student["id"], "name": "Tuition", "amount": 150}
		mark := object{"classId": student["classId"], "divisionId": student["divisionId"], "date": time.Now().UTC().Format(time.DateOnly),
			"records": []object{{"studentId": student["id"], "status": "PRESENT"}}}
		for path, body := range map[string]object{feePath + "charge/create": charge, markPath: mark,
			feePath + "collection/record": {"studentId": student["id"], "amount": 50, "method": "CASH"}} {
			status, out, err := s.Call(ctx, token, "POST", path, object{"data": body})
			if err != nil || status >= http.StatusBadRequest {
				return "", fmt.Errorf("%s: %d %v %w", path, status, out, err)
			}
		}
	}
	return token, nil
}

// movePaths are the requests whose answers are compared: all students page by page, the
// other lists, and statements.
func movePaths(ctx context.Context, t target) (paths []string, err error) {
	for page := range moveStudents / 100 {
		paths = append(paths, fmt.Sprintf("/school-admin/student/list?limit=100&sort=admissionNo&page=%d", page+1))
	}
	for _, list := range []string{"guardian/list", "employee/list", "class/list", "division/list", "fee/charge/list", "fee/collection/list",
		"fee/report/dues", "fee/report/trial-balance", "role/list", "academic-year/list"} {
		paths = append(paths, "/school-admin/"+list+"?limit=100")
	}
	err = t.each(ctx, `SELECT CAST(student_id AS TEXT), '' FROM fee_accounts a JOIN schools s ON s.id = a.school_id
		WHERE s.code = '`+moveCode+`'`, func(student, _ string) {
		paths = append(paths, feePath+"report/"+student, "/school-admin/student/"+student)
	})
	return paths, err
}

// answersOf asks for every path.
func answersOf(ctx context.Context, s *process.Server, token string, paths []string) ([][]byte, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	all := make([][]byte, len(paths))
	for i, path := range paths {
		if all[i], err = once(ctx, u.Host, get(path, token)); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return all, nil
}

// during plays a morning of the other schools without the import, and one with it. A
// morning before both is not counted: in it connections plan their statements.
func (w *dayWorld) during(ctx context.Context, run func() (time.Duration, error)) (quiet, busy answers, took time.Duration, err error) {
	if _, err := w.play(ctx, 1); err != nil {
		return quiet, busy, 0, err
	}
	alone, err := w.play(ctx, 1)
	if err != nil {
		return quiet, busy, 0, err
	}
	done := make(chan error, 1)
	go func() {
		time.Sleep(10 * time.Second) // people are there
		var err error
		took, err = run()
		done <- err
	}()
	beside, err := w.play(ctx, 1)
	err = errors.Join(err, <-done)
	if alone.failed+beside.failed > 0 {
		err = errors.Join(err, fmt.Errorf("%d and %d requests of the other schools failed", alone.failed, beside.failed))
	}
	return alone.all(), beside.all(), took, err
}

// compareMoved resumes the school and counts the answers that differ.
func (w *dayWorld) compareMoved(ctx context.Context, paths []string, before [][]byte) (different int, err error) {
	super, err := w.server.Login(ctx, "super@homeroom.test", "homeroom-demo")
	if err != nil {
		return 0, err
	}
	var school string
	err = w.t.each(ctx, `SELECT CAST(id AS TEXT), '' FROM schools WHERE code = '`+moveCode+`'`, func(id, _ string) { school = id })
	if err != nil {
		return 0, err
	}
	status, out, err := w.server.Call(ctx, super, "POST", "/super-admin/school/"+school+"/resume", object{"data": object{}})
	if err != nil || status != http.StatusOK {
		return 0, fmt.Errorf("resume the school: %d %v %w", status, out, err)
	}
	token, err := w.server.Login(ctx, moveCode+"@bench.test", schoolPassword)
	if err != nil {
		return 0, err
	}
	after, err := answersOf(ctx, w.server, token, paths)
	if err != nil {
		return 0, err
	}
	for i := range paths {
		if !bytes.Equal(before[i], after[i]) {
			if different++; different <= 3 {
				fmt.Printf("%s\n before: %.500s\n after: %.500s\n", paths[i], before[i], after[i])
			}
		}
	}
	return different, nil
}
