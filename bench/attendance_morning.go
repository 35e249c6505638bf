package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"sync"
	"time"

	"homeroom/internal/apptest/process"
)

const (
	morningSchools   = 40
	morningClasses   = 5 // of five divisions each
	morningDivisions = 5
	morningAbsent    = 2 // of each division
	morningCrowd     = 64
)

// sheetOf is a division with the token of its administrator.
type sheetOf struct {
	division
	token string
}

// morning marks every division of 40 schools, 64 calls at a time, and then checks
// every row and every alert.
func morning(ctx context.Context, l *lab) error {
	fmt.Println("| Engine | Calls | All done after | p50 | p99 | Rows | Wrong | Absent | Alerts queued | More or less than once |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, t := range l.targets {
		t, err := l.emptyDatabase(ctx, t, "morning")
		if err != nil {
			return err
		}
		if err := morningOn(ctx, l, t); err != nil {
			return err
		}
	}
	return nil
}

func morningOn(ctx context.Context, l *lab, t target) error {
	s, err := l.serve(ctx, t)
	if err != nil {
		return err
	}
	defer s.Kill()
	var sheets []sheetOf
	for i := range morningSchools {
		token, err := openSchool(ctx, s, fmt.Sprintf("MORNING-%d", i))
		if err != nil {
			return err
		}
		rooms, err := furnish(ctx, s, token, morningClasses, morningDivisions, markStudents, morningAbsent)
		if err != nil {
			return err
		}
		for _, r := range rooms {
			sheets = append(sheets, sheetOf{r, token})
		}
	}
	now := time.Now().UTC()
	if _, _, err := crowd(ctx, s, sheets, now.AddDate(0, 0, -7), 0); err != nil { // last week, for the planner statistics
		return err
	}
	if err := l.analyze(ctx, t); err != nil {
		return err
	}
	took, times, err := crowd(ctx, s, sheets, now, morningAbsent)
	if err != nil {
		return err
	}
	rows, wrong, err := wrongMarks(ctx, t, sheets, now)
	if err != nil {
		return err
	}
	alerts, odd, err := oddAlerts(ctx, t, sheets)
	if err != nil {
		return err
	}
	fmt.Printf("| %s | %d | %s | %s | %s | %d | %d | %d | %d | %d |\n", t.engine, len(sheets), short(took), short(times[len(times)/2]),
		short(times[len(times)*99/100]),
		rows, wrong, len(sheets)*morningAbsent, alerts, odd)
	return nil
}

// crowd marks every sheet on a day.
func crowd(ctx context.Context, s *process.Server, sheets []sheetOf, day time.Time, absent int) (
	took time.Duration, times []time.Duration, err error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return 0, nil, err
	}
	work := make(chan []byte, len(sheets))
	for _, sh := range sheets {
		work <- post(markPath, sh.token, sh.sheet(day.Format(time.DateOnly), absent))
	}
	close(work)
	var mu sync.Mutex
	var wg sync.WaitGroup
	start := time.Now()
	for range morningCrowd {
		wg.Go(func() {
			for request := range work {
				sent := time.Now()
				_, failed := once(ctx, u.Host, request)
				mu.Lock()
				times, err = append(times, time.Since(sent)), errors.Join(err, failed)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	took = time.Since(start)
	slices.Sort(times)
	return took, times, err
}

// wrongMarks counts the rows of a day, and those that are wrong or missing.
func wrongMarks(ctx context.Context, t target, sheets []sheetOf, day time.Time) (rows, wrong int, err error) {
	want := map[string]string{}
	for _, sh := range sheets {
		for i, student := range sh.Students {
			want[student] = sh.DivisionID + " PRESENT"
			if i < morningAbsent {
				want[student] = sh.DivisionID + " ABSENT"
			}
		}
	}
	err = t.each(ctx, `SELECT CAST(student_id AS TEXT), CAST(division_id AS TEXT) || ' ' || status
		FROM attendance WHERE date = '`+day.Format(time.DateOnly)+`'`,
		func(student, got string) {
			rows++
			if want[student] != got {
				wrong++
			}
			delete(want, student)
		})
	return rows, wrong + len(want), err
}

// oddAlerts counts the queued pushes, and the absent children without exactly one
// push and one notification.
func oddAlerts(ctx context.Context, t target, sheets []sheetOf) (alerts, odd int, err error) {
	pushed, logged := map[string]int{}, map[string]int{}
	err = errors.Join(
		t.each(ctx, `SELECT to_addr, CAST(id AS TEXT) FROM deliveries WHERE channel = 'push' AND to_addr LIKE '%_attendance'`,
			func(topic, _ string) { pushed[topic]++; alerts++ }),
		t.each(ctx, `SELECT CAST(student_id AS TEXT), CAST(id AS TEXT) FROM notifications WHERE type = 'ATTENDANCE'`,
			func(student, _ string) { logged[student]++ }))
	for _, sh := range sheets {
		for i, student := range sh.Students {
			want := 0
			if i < morningAbsent {
				want = 1
			}
			if pushed["student_"+student+"_attendance"] != want || logged[student] != want {
				odd++
			}
		}
	}
	return alerts, odd, err
}

// each reads rows of two strings.
func (t target) each(ctx context.Context, query string, f func(a, b string)) error {
	d, err := t.open()
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }() // nothing was written
	rows, err := d.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var a, b string
		if err := rows.Scan(&a, &b); err != nil {
			return err
		}
		f(a, b)
	}
	return rows.Err()
}

var linkToken = regexp.MustCompile(`token=([\w-]+)`)

// schoolPassword is that of the administrators of openSchool.
const schoolPassword = "a long password"

// openSchool creates a school with an administrator, sets the password with the
// link in the e-mail, and returns an access token.
func openSchool(ctx context.Context, s *process.Server, code string) (token string, err error) {
	super, err := s.Login(ctx, "super@homeroom.test", "homeroom-demo")
	if err != nil {
		return "", err
	}
	email, password := code+"@bench.test", schoolPassword
	now := time.Now().UTC()
	_, err = create(ctx, s, super, "/super-admin/school/create", map[string]any{"name": code, "code": code,
		"admin": map[string]any{"name": "Admin", "email": email},
		"academicYear": map[string]any{"name": "Y", "startDate": now.AddDate(0, -6, 0).Format(time.DateOnly),
			"endDate": now.AddDate(0, 6, 0).Format(time.DateOnly)}})
	if err != nil {
		return "", err
	}
	_, out, err := s.Call(ctx, "", "GET", "/dev/outbox?channel=email&to="+url.QueryEscape(email), nil)
	data, _ := out["data"].(map[string]any)
	items, _ := data["items"].([]any)
	if err != nil || len(items) == 0 {
		return "", fmt.Errorf("no mail to %s: %w", email, err)
	}
	mail, _ := items[0].(map[string]any)
	link := linkToken.FindStringSubmatch(fmt.Sprint(mail["body"]))
	if link == nil {
		return "", fmt.Errorf("no link in %v", mail)
	}
	status, out, err := s.Call(ctx, "", "POST", "/auth/reset-password", map[string]any{"token": link[1], "password": password})
	if err != nil || status != http.StatusOK {
		return "", fmt.Errorf("set a password: %d %v %w", status, out, err)
	}
	return s.Login(ctx, email, password)
}
