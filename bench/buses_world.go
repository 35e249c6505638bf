package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"homeroom/internal/apptest/process"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/token"
)

// busWorld is a school with a running trip for every bus, with five children each.
type busWorld struct {
	school           string
	buses            []string
	drivers, parents []string // tokens; the parents of bus n's children are n, n + buses, ...
}

type object = map[string]any

func newBusWorld(ctx context.Context, t target, s *process.Server) (*busWorld, error) {
	admin, err := openSchool(ctx, s, "BUSES")
	if err != nil {
		return nil, err
	}
	w := &busWorld{buses: make([]string, nodeBuses)}
	role, err := w.learn(ctx, t)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	file.WriteString("admissionNo,firstName,guardianName,guardianPhone\n")
	for i := range nodeBuses * nodeParents {
		fmt.Fprintf(&file, "B%05d,Child %d,Parent,+1555%07d\n", i, i, i)
	}
	if _, err := sendFile(ctx, s, admin, importPath, file.Bytes()); err != nil {
		return nil, err
	}
	students := make([]string, 0, nodeBuses*nodeParents)
	err = t.each(ctx, `SELECT s.admission_no, CAST(s.id AS TEXT) FROM students s JOIN schools c ON c.id = s.school_id
		WHERE c.code = 'BUSES' ORDER BY 1`,
		func(_, student string) { students = append(students, student) })
	if err != nil || len(students) != nodeBuses*nodeParents {
		return nil, fmt.Errorf("%d students: %w", len(students), err)
	}
	err = many(nodeBuses, func(bus int) (err error) {
		riders := make([]string, nodeParents)
		for i := range riders {
			riders[i] = students[i*nodeBuses+bus]
		}
		w.buses[bus], err = newBus(ctx, s, admin, role, bus, fmt.Sprintf("+1666%07d", bus), riders)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := w.signIn(ctx, t); err != nil {
		return nil, err
	}
	return w, w.depart(ctx, s, admin)
}

// learn reads the ids of the school and of its driver role.
func (w *busWorld) learn(ctx context.Context, t target) (role string, err error) {
	err = t.each(ctx, `SELECT CAST(c.id AS TEXT), CAST(r.id AS TEXT) FROM schools c JOIN roles r ON r.school_id = c.id
		WHERE c.code = 'BUSES' AND r.type = 'DRIVER'`, func(school, r string) { w.school, role = school, r })
	return role, err
}

// newBus creates a bus with a driver, a route and riders.
func newBus(ctx context.Context, s *process.Server, admin, role string, n int, phone string, riders []string) (string, error) {
	driver, err := create(ctx, s, admin, "/school-admin/employee/create",
		object{"employeeCode": fmt.Sprintf("D%04d", n), "firstName": "Driver", "roleId": role, "phone": phone})
	if err != nil {
		return "", err
	}
	stops := []object{{"name": "Mill", "lat": 41.31, "lng": 69.24}, {"name": "Gate", "lat": 41.36, "lng": 69.24}}
	status, out, err := s.Call(ctx, admin, "POST", "/school-admin/transport/route/create",
		object{"data": object{"name": fmt.Sprint("Route ", n), "stops": stops}})
	route, ok := out["data"].(object)
	if err != nil || !ok {
		return "", fmt.Errorf("create a route: %d %v %w", status, out, err)
	}
	bus, err := create(ctx, s, admin, "/school-admin/transport/bus/create",
		object{"registrationNo": fmt.Sprintf("BUS-%04d", n), "capacity": 40, "driverId": driver, "routeId": route["id"]})
	if err != nil {
		return "", err
	}
	made, _ := route["stops"].([]any)
	stop, _ := made[0].(object)
	seats := make([]object, len(riders))
	for i, student := range riders {
		seats[i] = object{"studentId": student, "stopId": stop["id"]}
	}
	status, out, err = s.Call(ctx, admin, "PUT", fmt.Sprint("/school-admin/transport/route/", route["id"], "/students"),
		object{"data": object{"students": seats}})
	if err != nil || status != http.StatusOK {
		return "", fmt.Errorf("assign children to a stop: %d %v %w", status, out, err)
	}
	return bus, nil
}

// signIn inserts a session for every driver and parent, and signs their tokens.
func (w *busWorld) signIn(ctx context.Context, t target) error {
	ring, err := token.ParseRing(nodeKeys)
	if err != nil {
		return err
	}
	signer := &token.Signer{Ring: ring, Now: clock.System, Rand: rand.Reader}
	d, err := t.open()
	if err != nil {
		return err
	}
	_, err = d.ExecContext(ctx, `
		INSERT INTO sessions (school_id, id, user_id, refresh_hash, device, ip, opened_by, created_at, last_used_at, expires_at, ends_at)
		SELECT school_id, gen_random_uuid(), id, CAST(id AS TEXT), 'bench', '127.0.0.1', 'otp', now(), now(),
			now() + interval '1 day', now() + interval '1 day'
		FROM users WHERE school_id = $1 AND role IN ('DRIVER', 'PARENT')`, w.school)
	if err := errors.Join(err, d.Close()); err != nil {
		return err
	}
	return t.each(ctx, fmt.Sprintf(`SELECT u.role || CAST(u.id AS TEXT), CAST(s.id AS TEXT) FROM users u
		JOIN sessions s ON s.school_id = u.school_id AND s.user_id = u.id AND s.device = 'bench'
		WHERE u.school_id = '%s' ORDER BY u.phone`, w.school), func(who, session string) {
		a := token.Access{School: id.ID(w.school), Session: id.ID(session), Role: actor.Parent}
		list := &w.parents
		if a.User = id.ID(who[len("PARENT"):]); who[0] == 'D' {
			a.Role, list = actor.Driver, &w.drivers
		}
		signed, failed := signer.SignAccess(a)
		err = errors.Join(err, failed)
		*list = append(*list, signed)
	})
}

// depart starts a trip for every bus.
func (w *busWorld) depart(ctx context.Context, s *process.Server, admin string) error {
	return many(nodeBuses, func(bus int) error { return departs(ctx, s, admin, w.drivers[bus], w.buses[bus]) })
}

// departs starts a trip of a bus.
func departs(ctx context.Context, s *process.Server, admin, driver, bus string) error {
	now := time.Now().UTC()
	trip, err := create(ctx, s, admin, "/school-admin/transport/trip/schedule",
		object{"busId": bus, "type": "pickup", "date": now.Format(time.DateOnly), "startTime": now.Format("15:04")})
	if err != nil {
		return err
	}
	status, out, err := s.Call(ctx, driver, "POST", "/driver/bus-tracking/trips/"+trip+"/start", object{"data": object{}})
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("start a trip: %d %v", status, out)
	}
	return err
}

// many calls do for 0 to n-1, eight at a time, and returns the first error.
func many(n int, do func(int) error) error {
	work, errs := make(chan int), make(chan error, n)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range work {
				if err := do(i); err != nil {
					errs <- err
				}
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	wg.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}
