package report

// family selects the students that the account :user may see, as people.ChildrenOf does.
const family = `SELECT l.student_id FROM guardians g
	JOIN student_guardians l ON l.school_id = g.school_id AND l.guardian_id = g.id AND l.can_view_data
	JOIN students f ON f.school_id = l.school_id AND f.id = l.student_id AND f.archived_at IS NULL
	WHERE g.school_id = :school AND g.user_id = :user`

// classTeacher selects the class teacher of the student s: of the division, else of the class.
const classTeacher = `FROM teacher_assignments a
	JOIN employees e ON e.school_id = a.school_id AND e.id = a.employee_id AND e.archived_at IS NULL AND e.status <> 'RESIGNED'
	WHERE a.school_id = s.school_id AND a.class_id = s.class_id AND a.is_class_teacher
		AND (a.division_id IS NULL OR a.division_id = s.division_id)
	ORDER BY CASE WHEN a.division_id IS NULL THEN 1 ELSE 0 END, e.id LIMIT 1`

const listFamily = `
	SELECT s.id, s.first_name, s.last_name, s.gender, s.status, s.photo_file_id, COALESCE(c.name, '') AS class_name,
		COALESCE(d.name, '') AS division_name,
		COALESCE((SELECT TRIM(e.first_name || ' ' || e.last_name) ` + classTeacher + `), '') AS teacher_name,
		(SELECT e.user_id ` + classTeacher + `) AS teacher_user_id
	FROM students s
	LEFT JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id
	LEFT JOIN divisions d ON d.school_id = s.school_id AND d.id = s.division_id
	WHERE s.school_id = :school AND s.id IN (` + family + `)
	ORDER BY CASE WHEN s.status = 'ACTIVE' THEN 0 ELSE 1 END, c.display_order DESC, s.first_name, s.id`

const listWeek = `
	SELECT student_id, date, status, half_day, minutes_late, marked_at FROM attendance
	WHERE school_id = :school AND student_id IN (` + family + `) AND period_no = 0 AND date BETWEEN :from AND :to
	ORDER BY student_id, date`

const listLeaveToday = `
	SELECT v.student_id, v.id, v.status, v.half, v.to_date, v.applied_by = :user AS mine FROM leaves v
	WHERE v.school_id = :school AND v.student_id IN (` + family + `) AND v.status IN ('PENDING', 'APPROVED')
		AND v.from_date <= :day AND v.to_date >= :day
	ORDER BY v.student_id, v.id`

// A started trip has its students in boardings; before that they are those of the stops.
const listRides = `
	SELECT s.id AS student_id, t.id AS trip_id, t.type, t.status, t.start_time, t.bus_id, b.name AS bus_name, b.registration_no AS reg_no,
		p.id AS stop_id, p.name AS stop_name, CASE WHEN t.type = 'pickup' THEN p.pickup_time ELSE p.dropoff_time END AS stop_time,
		CASE WHEN t.status IN ('in_progress', 'paused') THEN o.delay_seconds END AS delay_seconds,
		COALESCE(x.status, 'waiting') AS boarding, x.boarded_at, x.alighted_at
	FROM trips t
	JOIN buses b ON b.school_id = t.school_id AND b.id = t.bus_id
	JOIN students s ON s.school_id = t.school_id AND s.status = 'ACTIVE' AND s.id IN (` + family + `)
	LEFT JOIN boardings x ON x.school_id = t.school_id AND x.trip_id = t.id AND x.student_id = s.id
	LEFT JOIN student_stops w ON w.school_id = s.school_id AND w.student_id = s.id AND t.started_at IS NULL
		AND (t.type = 'pickup' AND w.pickup OR t.type = 'dropoff' AND w.dropoff)
	JOIN route_stops p ON p.school_id = t.school_id AND p.id = COALESCE(x.stop_id, w.stop_id) AND p.route_id = t.route_id
	LEFT JOIN bus_positions o ON o.school_id = t.school_id AND o.bus_id = t.bus_id AND o.trip_id = t.id
	WHERE t.school_id = :school AND t.date = :day
	ORDER BY s.id, t.start_time, t.id`

const countUnread = `
	SELECT COUNT(*) AS n FROM notifications WHERE school_id = :school AND user_id = :user AND read_at IS NULL AND NOT withdrawn
		AND (student_id IS NULL OR student_id IN (` + family + `))`

const listDue = `
	SELECT student_id, charge_id, title, due, due_date FROM (
		SELECT c.student_id, c.id AS charge_id, c.title, c.amount - c.paid - c.conceded AS due, c.due_date,
			ROW_NUMBER() OVER (PARTITION BY c.student_id ORDER BY c.due_date, c.id) AS place
		FROM fee_charges c
		WHERE c.school_id = :school AND c.student_id IN (` + family + `) AND c.status IN ('OPEN', 'PARTIAL') AND c.due_date <= :due) d
	WHERE place <= :most ORDER BY due_date, charge_id`

const listBooksDue = `
	SELECT l.student_id, b.title, l.due_date FROM library_loans l
	JOIN library_books b ON b.school_id = l.school_id AND b.id = l.book_id
	WHERE l.school_id = :school AND l.student_id IN (` + family + `) AND l.status = 'ISSUED' AND l.due_date < :day
	ORDER BY l.due_date, l.id`

// Conversations about a child whom the caller may no longer see are left out.
const listUnreadThreads = `
	SELECT t.thread_id, t.unread, SUBSTR(x.body, 1, 200) AS body, x.created_at AS at,
		COALESCE((SELECT u.name FROM users u WHERE u.school_id = t.school_id AND u.id = t.peer_id),
			(SELECT c.name FROM schools c WHERE c.id = t.school_id)) AS sender
	FROM message_sides t
	JOIN messages x ON x.school_id = t.school_id AND x.id = (SELECT y.id FROM messages y
		WHERE y.school_id = t.school_id AND y.thread_id = t.thread_id AND y.side_id <> t.side_id ORDER BY y.id DESC LIMIT 1)
	WHERE t.school_id = :school AND t.side_id = :user AND t.unread > 0 AND (t.student_id IS NULL OR t.student_id IN (` + family + `))
	ORDER BY t.last_message_id DESC LIMIT :most`

// seats joins the classes and divisions of the caller's children at the school.
const seats = `students s ON s.school_id = t.school_id AND s.class_id = t.class_id AND s.status = 'ACTIVE' AND s.id IN (` + family + `)`

const listUnreadNews = `
	SELECT n.id, n.title, n.urgent, n.publish_at AS at FROM announcements n
	WHERE n.school_id = :school AND n.publish_at <= :now AND n.published_at IS NOT NULL AND (n.expires_at IS NULL OR n.expires_at > :now)
		AND (n.audience IN ('ALL', 'PARENTS') OR n.id IN (SELECT t.announcement_id FROM announcement_targets t
			JOIN ` + seats + ` AND (t.division_id IS NULL OR t.division_id = s.division_id) WHERE t.school_id = :school))
		AND NOT EXISTS (SELECT 1 FROM announcement_reads r
			WHERE r.school_id = n.school_id AND r.announcement_id = n.id AND r.user_id = :user)
	ORDER BY n.publish_at DESC, n.id DESC LIMIT :most`

const listNewResults = `
	SELECT DISTINCT e.id AS exam_id, r.student_id, e.name, e.published_at FROM exams e
	JOIN exam_results r ON r.school_id = e.school_id AND r.exam_id = e.id AND r.student_id IN (` + family + `)
	WHERE e.school_id = :school AND e.state = 'PUBLISHED' AND e.published_at >= :since
	ORDER BY e.published_at DESC, e.id, r.student_id`

const listNextEvents = `
	SELECT v.id, v.title, v.event_date AS date, v.start_time, v.venue FROM events v
	WHERE v.school_id = :school AND v.cancelled_at IS NULL AND v.event_date BETWEEN :day AND :soon
		AND (v.target_audience IN ('ALL', 'PARENTS', 'STUDENTS') OR v.id IN (SELECT t.event_id FROM event_classes t
			JOIN ` + seats + ` WHERE t.school_id = :school))
	ORDER BY v.event_date, v.start_time, v.id LIMIT :most`

const listNextHolidays = `
	SELECT h.name, h.date, h.end_date FROM holidays h
	WHERE h.school_id = :school AND h.end_date >= :day AND h.date <= :soon ORDER BY h.date, h.id`
