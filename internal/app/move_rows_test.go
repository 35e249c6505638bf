package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/token"
)

// movedRows are rows of tables that are empty in the demo school.
var movedRows = []string{
	`INSERT INTO delivery_days (school_id, id, channel, day, taken, created_at) VALUES (:school, :id, 'sms', '2026-01-02', 7, :now)`,
	`INSERT INTO imports (school_id, id, entity, file, total, created, updated, unchanged, failed, status, created_at)
		VALUES (:school, :import, 'student', 'a.csv', 1, 1, 0, 0, 0, 'DONE', :now)`,
	`INSERT INTO import_parts (school_id, import_id, part, entity, version, records, replaced)
		VALUES (:school, :import, 1, 'student', 1, '["b","a"]', '[{"b": 1, "a": null}]'), (:school, :import, 2, 'student', 1, '[]', 'null')`,
	`INSERT INTO files (school_id, id, name, content_type, size, sha256, thumb_type, thumb_size, uploaded_by, loose_since, created_at)
		VALUES (:school, :file, 'a "b".txt', 'text/plain', 5, 'x', '', 0, :user, :now, :now)`,
	`INSERT INTO file_usage (school_id, bytes) VALUES (:school, 5)`,
	`INSERT INTO fee_refunds (school_id, id, student_id, academic_year_id, no, number, date, method, amount, status, created_at, updated_at)
		VALUES (:school, :id, :student, :year, 999, 'R-999', '2026-01-02', 'CASH', 1234567890123, 'PAID', :now, :now)`,
	`INSERT INTO fee_openings (school_id, id, student_id, owed, advance, status, created_at, updated_at)
		VALUES (:school, :id, :student, 0, 100, 'CANCELLED', :now, :now)`,
	`INSERT INTO reads (school_id, id, at, user_id, role, entity, record_id, request_id, ip)
		VALUES (:school, :id, :now, :user, 'PARENT', 'student', :student, 'r', '127.0.0.1')`,
	`INSERT INTO sign_ins (school_id, id, at, user_id, way, outcome, ip, device)
		VALUES (:school, :id, :now, :user, 'otp', 'SUCCESS', '::1', 'é')`,
	`INSERT INTO deliveries (school_id, id, channel, to_addr, subject, body, html, data, sealed, status, created_at)
		VALUES (:school, :delivery, 'sms', '+15550100', '', :sealedBody, '', '{"b":"1","a":"2"}', TRUE, 'QUEUED', :now)`,
	`INSERT INTO jobs (school_id, id, kind, payload, state, run_at, created_at)
		VALUES (:school, :id, 'notify.deliver', '{"delivery": "x"}', 'held', :now, :now)`,
	`INSERT INTO jobs (school_id, id, kind, payload, state, run_at, created_at)
		VALUES (:school, :waiting, 'notify.deliver', '{}', 'waiting', '2999-01-01T00:00:00.000Z', :now)`,
	`INSERT INTO trip_positions (school_id, trip_id, at, lat, lng, speed, heading)
		VALUES (:school, :trip, :now, 0.1, -179.99999999999997, 0, 1)`,
	`INSERT INTO bus_positions (school_id, bus_id, at, lat, lng, speed, heading) VALUES (:school, :bus, :now, 1, 2.5, 3, 1e-7)`,
	`INSERT INTO leg_times (school_id, trip_id, from_stop_id, to_stop_id, route_id, weekday, hour, dwell_seconds, drive_seconds, at)
		VALUES (:school, :trip, :stop, :stop, :route, 1, 8, 20, 200, :now)`,
	`INSERT INTO attendance_revisions (school_id, student_id, date, period_no, status, half_day, minutes_late, remark, marked_at, ended_at, id,
		is_removed, is_void) VALUES (:school, :student, '2026-01-01', 0, 'ABSENT', '', 0, '', :now, :now, :id, FALSE, TRUE)`,
	`INSERT INTO event_classes (school_id, event_id, class_id) VALUES (:school, :event, :class)`,
	`INSERT INTO notification_preferences (school_id, user_id, channels, updated_at) VALUES (:school, :user, '{}', :now)`,
	`INSERT INTO calendar_links (school_id, id, user_id, student_id, hash, created_at) VALUES (:school, :id, :user, :student, 'x', :now)`,
	`INSERT INTO oneroster_keys (school_id, id, user_id, name, hash, last_used_on, created_at)
		VALUES (:school, :id, :user, 'Moodle', 'x', '2026-01-01', :now)`,
	`INSERT INTO announcement_reads (school_id, announcement_id, user_id, read_at) VALUES (:school, :announcement, :user, :now)`,
	`INSERT INTO closed_topics (school_id, student_id) VALUES (:school, :student)`,
	`INSERT INTO leave_entitlements (school_id, id, employee_id, type, half_days, created_at)
		VALUES (:school, :id, :employee, 'SICK', 2, :now)`,
	`INSERT INTO stop_walks (school_id, user_id, stop_id, minutes, updated_at) VALUES (:school, :user, :stop, 7, :now)`,
	`INSERT INTO second_factors (school_id, user_id, secret) VALUES (:school, :user, :sealedSecret)`,
	`INSERT INTO webhooks (school_id, id, name, url, events, secret, old_secret, status, problem, created_at, updated_at)
		VALUES (:school, :webhook, 'n', 'https://example.org', '["event.created"]', :sealedHook, '', 'ACTIVE', '', :now, :now)`,
	`INSERT INTO webhook_deliveries (school_id, webhook_id, event_id, type, body, status, due_at, response, created_at)
		VALUES (:school, :webhook, :id, 'ping', '{}', 'DELIVERED', :now, '', :now)`,
	`INSERT INTO admission_numbers (school_id, prefix, width, last, next) VALUES (:school, 'A-', 4, 41, 'A-0042')`,
}

// fillMoved adds movedRows to the demo school, and the content of a file.
func (i installation) fillMoved(t *testing.T, code string) {
	t.Helper()
	school := id.ID(i.one(t, `SELECT CAST(id AS TEXT) FROM schools WHERE code = :code`, db.Args{"code": code}))
	q := i.DB.School(school)
	args := db.Args{"now": i.Clock.Now()}
	for name, sql := range map[string]string{
		"student": "students", "class": "classes", "event": "events", "announcement": "announcements", "trip": "trips", "bus": "buses",
		"route": "routes", "stop": "route_stops", "employee": "employees", "year": "academic_years", "user": "users",
	} {
		found, err := db.One[id.ID](t.Context(), q, `SELECT id FROM `+sql+` WHERE school_id = :school ORDER BY id LIMIT 1`, nil)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		args[name] = found
	}
	keys, err := token.ParseRing(apptest.TestKeys)
	if err != nil {
		t.Fatal(err)
	}
	delivery, file := id.New(), id.New()
	args["delivery"], args["file"], args["import"], args["waiting"] = delivery, file, id.New(), id.New()
	args["webhook"] = id.New()
	if args["sealedBody"], err = keys.Seal("notify.delivery/"+string(delivery), []byte(`{"body":"secret text"}`)); err != nil {
		t.Fatal(err)
	}
	if args["sealedSecret"], err = keys.Seal("second-factor", []byte("ABCDEFGH")); err != nil {
		t.Fatal(err)
	}
	if args["sealedHook"], err = keys.Seal("webhook", []byte("whsec_hook")); err != nil {
		t.Fatal(err)
	}
	for _, sql := range movedRows {
		args["id"] = id.New()
		if _, err := db.Exec(t.Context(), q, sql, named(sql, args)); err != nil {
			t.Fatalf("%v in %s", err, sql)
		}
	}
	path := filepath.Join(i.Data, "files", string(school), string(file)[34:], string(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
}
