package report

import (
	"context"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

func countStudents(ctx context.Context, q db.Q) (students, error) {
	type row struct {
		Status string
		Count  int
	}
	out := students{ByStatus: map[string]int{"ACTIVE": 0, "TRANSFERRED": 0, "GRADUATED": 0, "LEFT": 0}}
	err := db.Each(ctx, q, `
		SELECT status, COUNT(*) AS count FROM students
		WHERE school_id = :school AND archived_at IS NULL GROUP BY status`, nil, func(r row) error {
		out.ByStatus[r.Status] = r.Count
		out.Total += r.Count
		return nil
	})
	if err != nil {
		return out, err
	}
	out.ByClass, err = db.All[classCount](ctx, q, `
		SELECT c.id AS class_id, c.name, COUNT(*) AS count
		FROM students s JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id
		WHERE s.school_id = :school AND s.archived_at IS NULL AND s.status = 'ACTIVE'
		GROUP BY c.id, c.name, c.display_order ORDER BY c.display_order, c.id`, nil)
	return out, err
}

func countEmployees(ctx context.Context, q db.Q) (out employees, err error) {
	out.ByRole, err = db.All[roleCount](ctx, q, `
		SELECT r.id AS role_id, r.name, r.type, COUNT(*) AS count
		FROM employees e JOIN roles r ON r.school_id = e.school_id AND r.id = e.role_id
		WHERE e.school_id = :school AND e.archived_at IS NULL AND e.status <> 'RESIGNED'
		GROUP BY r.id, r.name, r.type ORDER BY r.name, r.id`, nil)
	for _, r := range out.ByRole {
		out.Total += r.Count
	}
	return out, err
}

type thingCounts struct{ Classes, Divisions, Buses int }

func countThings(ctx context.Context, q db.Q, year id.ID) (thingCounts, error) {
	return db.One[thingCounts](ctx, q, `
		SELECT
			(SELECT COUNT(*) FROM classes WHERE school_id = :school AND academic_year_id = :year) AS classes,
			(SELECT COUNT(*) FROM divisions d JOIN classes c ON c.school_id = d.school_id AND c.id = d.class_id
				WHERE d.school_id = :school AND c.academic_year_id = :year) AS divisions,
			(SELECT COUNT(*) FROM buses WHERE school_id = :school AND status <> 'RETIRED') AS buses`, db.Args{"year": year})
}

type platformCounts struct{ Active, Suspended, Students, Users int }

func countPlatform(ctx context.Context, all db.Q, since time.Time) (platformCounts, error) {
	return db.One[platformCounts](ctx, all, `
		SELECT
			(SELECT COUNT(*) FROM schools WHERE status = 'ACTIVE' AND NOT is_platform) AS active,
			(SELECT COUNT(*) FROM schools WHERE status = 'SUSPENDED' AND NOT is_platform) AS suspended,
			(SELECT COUNT(*) FROM students WHERE status = 'ACTIVE' AND archived_at IS NULL) AS students,
			(SELECT COUNT(*) FROM users WHERE status = 'ACTIVE' AND last_seen_at >= :since) AS users`, db.Args{"since": since})
}
