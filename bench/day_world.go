package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"sync"
	"time"

	"homeroom/internal/apptest/process"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/token"
)

// dayWorld is the running service with its schools.
type dayWorld struct {
	dayPlan
	t       target
	server  *process.Server
	addr    string
	signer  *token.Signer
	schools []*daySchool
	idle    chan *dayConn // connections that nobody uses at the moment
}

// daySchool is a school with its people.
type daySchool struct {
	id       string
	admin    *dayPerson
	rooms    []division
	teachers []*dayPerson          // of the rooms
	parents  map[string]*dayPerson // by student
	buses    []string              // ids
	drivers  []*dayPerson          // of the buses
	riders   [][]string            // students of the buses
}

// dayPerson is an account with a session.
type dayPerson struct {
	token.Access
	mu     sync.Mutex
	signed string
	at     time.Time
}

// phone numbers of a school's people. Numbers are unique on the platform.
func dayPhone(school, kind, n int) string { return fmt.Sprintf("+1%03d%d%06d", 200+school, kind, n) }

const (
	dayParent = iota + 1
	dayTeacher
	dayDriver
)

// open starts the service and creates the schools.
func (p dayPlan) open(ctx context.Context, l *lab, t target) (w *dayWorld, err error) {
	if t, err = l.emptyDatabase(ctx, t, "day"); err != nil {
		return nil, err
	}
	if t.engine == "PostgreSQL" { // as an operator runs it: the temporary server's defaults are for tests
		err = t.exec(ctx, "ALTER SYSTEM SET fsync = on", "ALTER SYSTEM SET synchronous_commit = on", "ALTER SYSTEM SET autovacuum = on",
			"ALTER SYSTEM SET max_wal_size = '4GB'", "SELECT pg_reload_conf()")
		if err != nil {
			return nil, err
		}
	}
	w = &dayWorld{dayPlan: p, t: t, idle: make(chan *dayConn, 10_000)}
	ring, err := token.ParseRing(nodeKeys)
	if err != nil {
		return nil, err
	}
	w.signer = &token.Signer{Ring: ring, Now: clock.System, Rand: rand.Reader}
	if w.server, err = l.serve(ctx, t, "--keys", nodeKeys, "--metrics-token", dayToken); err != nil {
		return nil, err
	}
	if err := w.furnish(ctx, l); err != nil {
		w.server.Kill()
		return nil, err
	}
	return w, nil
}

func (w *dayWorld) furnish(ctx context.Context, l *lab) error {
	u, err := url.Parse(w.server.URL)
	if err != nil {
		return err
	}
	w.addr = u.Host
	w.schools = make([]*daySchool, w.dayPlan.schools)
	err = many(len(w.schools), func(i int) (err error) {
		w.schools[i], err = w.school(ctx, i)
		return err
	})
	if err != nil {
		return err
	}
	if err := w.signIn(ctx); err != nil {
		return err
	}
	if err := w.depart(ctx); err != nil {
		return err
	}
	if err := w.remember(ctx); err != nil {
		return err
	}
	return l.analyze(ctx, w.t)
}

// school creates one school through the API.
func (w *dayWorld) school(ctx context.Context, n int) (*daySchool, error) {
	admin, err := openSchool(ctx, w.server, fmt.Sprintf("DAY-%d", n))
	if err != nil {
		return nil, err
	}
	s := &daySchool{parents: map[string]*dayPerson{}}
	phone := func(room, student int) string { return dayPhone(n, dayParent, room*markStudents+student) }
	if s.rooms, err = furnishFor(ctx, w.server, admin, 5, w.divisions/5, markStudents, phone); err != nil {
		return nil, err
	}
	roles := map[string]string{}
	err = w.t.each(ctx, fmt.Sprintf(`SELECT r.type, CAST(r.id AS TEXT) || ' ' || CAST(c.id AS TEXT) FROM roles r
		JOIN schools c ON c.id = r.school_id WHERE c.code = 'DAY-%d'`, n), func(kind, ids string) {
		roles[kind], s.id = ids[:36], ids[37:]
	})
	if err != nil {
		return nil, err
	}
	for i, room := range s.rooms {
		who, err := create(ctx, w.server, admin, "/school-admin/employee/create",
			object{"firstName": "Teacher", "lastName": fmt.Sprint(i), "roleId": roles["TEACHER"], "phone": dayPhone(n, dayTeacher, i)})
		if err != nil {
			return nil, err
		}
		lessons := []object{{"classId": room.ClassID, "divisionId": room.DivisionID, "isClassTeacher": true}}
		status, out, err := w.server.Call(ctx, admin, "POST", "/school-admin/employee/"+who+"/assignments",
			object{"data": object{"assignments": lessons}})
		if err != nil || status >= 300 {
			return nil, fmt.Errorf("assign a class: %d %v %w", status, out, err)
		}
	}
	for b := range w.buses {
		riders := s.rooms[b].Students[:w.watchers]
		bus, err := newBus(ctx, w.server, admin, roles["DRIVER"], b, dayPhone(n, dayDriver, b), riders)
		if err != nil {
			return nil, err
		}
		s.buses, s.riders = append(s.buses, bus), append(s.riders, riders)
	}
	return s, nil
}

// signIn gives every account a session and finds out whose it is.
func (w *dayWorld) signIn(ctx context.Context) error {
	now, end := time.Now().UTC().Format(time.RFC3339), time.Now().UTC().AddDate(0, 0, 1).Format(time.RFC3339)
	err := w.t.exec(ctx, fmt.Sprintf(`
		INSERT INTO sessions (school_id, id, user_id, refresh_hash, device, ip, opened_by, created_at, last_used_at, expires_at, ends_at)
		SELECT u.school_id, u.id, u.id, CAST(u.id AS TEXT), 'bench', '127.0.0.1', 'otp', '%[1]s', '%[1]s', '%[2]s', '%[2]s'
		FROM users u JOIN schools c ON c.id = u.school_id WHERE c.code LIKE 'DAY-%%'`, now, end))
	if err != nil {
		return err
	}
	people := map[string]*dayPerson{} // by school and phone; administrators by school
	err = w.t.each(ctx, `SELECT CAST(u.school_id AS TEXT) || COALESCE(u.phone, ''), CAST(u.id AS TEXT) || u.role FROM users u
		JOIN schools c ON c.id = u.school_id WHERE c.code LIKE 'DAY-%'`, func(key, who string) {
		people[key] = &dayPerson{Access: token.Access{School: id.ID(key[:36]), User: id.ID(who[:36]), Session: id.ID(who[:36]),
			Role: actor.Role(who[36:])}}
	})
	for n, s := range w.schools {
		s.admin = people[s.id]
		for r, room := range s.rooms {
			s.teachers = append(s.teachers, people[s.id+dayPhone(n, dayTeacher, r)])
			for i, student := range room.Students {
				s.parents[student] = people[s.id+dayPhone(n, dayParent, r*markStudents+i)]
			}
		}
		for b := range s.buses {
			s.drivers = append(s.drivers, people[s.id+dayPhone(n, dayDriver, b)])
		}
	}
	return err
}

// token returns an access token that is valid for some minutes.
func (w *dayWorld) token(p *dayPerson) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.at) < 5*time.Minute {
		return p.signed, nil
	}
	signed, err := w.signer.SignAccess(p.Access)
	p.signed, p.at = signed, time.Now()
	return signed, err
}

// depart starts a trip of every bus.
func (w *dayWorld) depart(ctx context.Context) error {
	return many(len(w.schools), func(n int) error {
		s := w.schools[n]
		admin, err := w.token(s.admin)
		for b := 0; err == nil && b < len(s.buses); b++ {
			var driver string
			if driver, err = w.token(s.drivers[b]); err == nil {
				err = departs(ctx, w.server, admin, driver, s.buses[b])
			}
		}
		return err
	})
}

// remember writes the attendance of the years before.
func (w *dayWorld) remember(ctx context.Context) error {
	if w.years == 0 {
		return nil
	}
	fresh := func(n int) string { return fmt.Sprintf(`'%08x' || substr(s.id, 9)`, n) } // an id of the day and the student
	steps := append([]string{"PRAGMA foreign_keys = OFF"}, fastSQLite[1:]...)
	if w.t.engine == "PostgreSQL" {
		fresh = func(n int) string { return fmt.Sprintf(`CAST('%08x' || substr(CAST(s.id AS TEXT), 9) AS uuid)`, n) }
		steps = []string{"SET session_replication_role = replica", "SET synchronous_commit = off"}
	}
	day := time.Now().UTC()
	for n := 0; n < w.years*peerDays; {
		if day = day.AddDate(0, 0, -1); day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
			continue
		}
		steps = append(steps, fmt.Sprintf(`INSERT INTO attendance (school_id, id, student_id, date, period_no, class_id, division_id, status,
				half_day, minutes_late, remark, marked_at)
			SELECT s.school_id, %s, s.id, '%s', 0, s.class_id, s.division_id, CASE s.roll_no %% 19 WHEN %d THEN 'ABSENT' ELSE 'PRESENT' END,
				'', 0, '', %s
			FROM students s JOIN schools c ON c.id = s.school_id WHERE c.code LIKE 'DAY-%%' ORDER BY s.school_id, s.id`,
			fresh(n), day.Format(time.DateOnly), n%19, peerAt))
		n++
	}
	return w.t.exec(ctx, steps...)
}

func (w *dayWorld) close() {
	w.server.Kill()
	for {
		select {
		case c := <-w.idle:
			c.close()
		default:
			return
		}
	}
}

// dialect is the protocol of the service, for the drivers and for the parents who watch.
func (w *dayWorld) dialect() dialect {
	d := (&busWorld{}).dialect([2]*process.Server{})
	rooms := len(w.schools) * w.buses
	d.dial = func(ctx context.Context, i, bus int, drives bool) (*member, error) {
		s, b := w.schools[bus/w.buses], bus%w.buses
		who := s.drivers[b]
		if !drives {
			who = s.parents[s.riders[b][i/rooms-1]]
		}
		token, err := w.token(who)
		if err != nil {
			return nil, err
		}
		return newMember(ctx, w.server.URL+"/socket.io/", token, s.id, s.buses[b])
	}
	return d
}
