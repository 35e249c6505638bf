package report

// A division counts as marked if anyone was marked in it, except by leave. A student who has moved since brings the mark,
// but has not marked the new division.
const sumMarks = `
	SELECT COUNT(*) AS divisions, COUNT(CASE WHEN d.by_hand > 0 THEN 1 END) AS divisions_marked,
		CAST(COALESCE(SUM(d.students), 0) AS BIGINT) AS students, CAST(COALESCE(SUM(d.marked), 0) AS BIGINT) AS marked,
		CAST(COALESCE(SUM(d.present), 0) AS BIGINT) AS present, CAST(COALESCE(SUM(d.late), 0) AS BIGINT) AS late,
		CAST(COALESCE(SUM(d.absent), 0) AS BIGINT) AS absent, CAST(COALESCE(SUM(d.on_leave), 0) AS BIGINT) AS on_leave,
		CAST(COALESCE(SUM(d.holiday), 0) AS BIGINT) AS holiday
	FROM (SELECT s.class_id, s.division_id, COUNT(*) AS students, COUNT(a.status) AS marked,
			COUNT(CASE WHEN a.leave_id IS NULL AND a.class_id = s.class_id AND a.division_id IS NOT DISTINCT FROM s.division_id
				THEN a.status END) AS by_hand,
			COUNT(CASE WHEN a.status = 'PRESENT' THEN 1 END) AS present, COUNT(CASE WHEN a.status = 'LATE' THEN 1 END) AS late,
			COUNT(CASE WHEN a.status = 'ABSENT' THEN 1 END) AS absent, COUNT(CASE WHEN a.status = 'LEAVE' THEN 1 END) AS on_leave,
			COUNT(CASE WHEN a.status = 'HOLIDAY' THEN 1 END) AS holiday
		FROM students s
		JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id
		JOIN academic_years y ON y.school_id = c.school_id AND y.id = c.academic_year_id AND y.is_current
		LEFT JOIN attendance a ON a.school_id = s.school_id AND a.student_id = s.id AND a.date = :day AND a.period_no = 0
		WHERE s.school_id = :school AND s.archived_at IS NULL AND s.status = 'ACTIVE' GROUP BY s.class_id, s.division_id) d`

const listAbsent = `
	SELECT s.id AS student_id, s.first_name, s.last_name, COALESCE(c.name, '') AS class_name, COALESCE(d.name, '') AS division_name,
		COALESCE(g.name, '') AS guardian_name, COALESCE(g.phone, '') AS guardian_phone, g.user_id AS guardian_user_id,
		COUNT(*) OVER () AS total
	FROM attendance a
	JOIN students s ON s.school_id = a.school_id AND s.id = a.student_id AND s.archived_at IS NULL AND s.status = 'ACTIVE'
	LEFT JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id
	LEFT JOIN divisions d ON d.school_id = s.school_id AND d.id = s.division_id
	LEFT JOIN guardians g ON g.school_id = s.school_id AND g.id = (
		SELECT l.guardian_id FROM student_guardians l WHERE l.school_id = :school AND l.student_id = s.id
		ORDER BY l.is_primary DESC, l.guardian_id LIMIT 1)
	WHERE a.school_id = :school AND a.date = :day AND a.period_no = 0 AND a.status = 'ABSENT' AND a.half_day = ''
	ORDER BY c.display_order, c.name, d.name, s.first_name, s.last_name, s.id LIMIT :most`

const sumFees = `
	SELECT f.due, f.collected_today, f.collected_month,
		(SELECT CAST(COALESCE(SUM(x.amount - x.paid - x.conceded), 0) AS BIGINT) FROM fee_charges x
			JOIN students s ON s.school_id = x.school_id AND s.id = x.student_id AND s.archived_at IS NULL
			WHERE x.school_id = :school AND x.status IN ('OPEN', 'PARTIAL') AND x.due_date < :day) AS overdue,
		(SELECT COUNT(*) FROM fee_receipts WHERE school_id = :school AND date = :day AND status = 'ISSUED') AS receipts
	FROM (` + collected + `) f`

const bornStudents = `
	SELECT s.id AS student_id, NULL AS employee_id, TRIM(s.first_name || ' ' || s.last_name) AS name, COALESCE(c.name, '') AS class_name,
		COALESCE(d.name, '') AS division_name, :year - CAST(SUBSTR(s.date_of_birth, 1, 4) AS INTEGER) AS age
	FROM students s
	LEFT JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id
	LEFT JOIN divisions d ON d.school_id = s.school_id AND d.id = s.division_id
	WHERE s.school_id = :school AND s.archived_at IS NULL AND s.status = 'ACTIVE' AND SUBSTR(s.date_of_birth, 6) IN (:born)
	ORDER BY c.display_order, c.name, d.name, s.first_name, s.id LIMIT :most`

const bornEmployees = `
	SELECT NULL AS student_id, e.id AS employee_id, TRIM(e.first_name || ' ' || e.last_name) AS name, '' AS class_name, '' AS division_name,
		:year - CAST(SUBSTR(e.date_of_birth, 1, 4) AS INTEGER) AS age
	FROM employees e
	WHERE e.school_id = :school AND e.archived_at IS NULL AND e.status <> 'RESIGNED' AND SUBSTR(e.date_of_birth, 6) IN (:born)
	ORDER BY e.first_name, e.id LIMIT :most`

const listRunning = `
	SELECT t.id, t.bus_id, b.registration_no, b.name AS bus_name, r.name AS route_name,
		TRIM(e.first_name || ' ' || e.last_name) AS driver_name, t.type, t.status, t.started_at,
		p.lat, p.lng, p.at, p.delay_seconds, COALESCE(n.name, '') AS next_stop_name, p.next_stop_at, COUNT(*) OVER () AS total
	FROM trips t
	JOIN buses b ON b.school_id = t.school_id AND b.id = t.bus_id
	JOIN routes r ON r.school_id = t.school_id AND r.id = t.route_id
	JOIN employees e ON e.school_id = t.school_id AND e.id = t.driver_id
	LEFT JOIN bus_positions p ON p.school_id = t.school_id AND p.bus_id = t.bus_id AND p.trip_id = t.id
	LEFT JOIN route_stops n ON n.school_id = p.school_id AND n.id = p.next_stop_id
	WHERE t.school_id = :school AND t.status IN ('in_progress', 'paused') ORDER BY b.registration_no, t.id LIMIT :most`
