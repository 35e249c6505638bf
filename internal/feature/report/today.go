package report

import (
	"context"
	"fmt"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
)

// today is the school's day. Parts that the caller may not read are left out.
type today struct {
	Date       clock.Date `json:"date"`
	Attendance []classDay `json:"attendance" doc:"By class of the current academic year."`
	Fees       *fees      `json:"fees"`
	OpenLeaves *int       `json:"openLeaves" doc:"Leave applications without a decision."`
	Trips      *int       `json:"runningTrips"`
	Unread     *int       `json:"unreadMessages" doc:"Messages that the office hasn't read."`
}

type classDay struct {
	ClassID  id.ID  `json:"classId"`
	Name     string `json:"name"`
	Students int    `json:"students" doc:"Active ones."`
	Marked   int    `json:"marked" doc:"Sum of the counts below."`
	Present  int    `json:"present" doc:"On time."`
	Late     int    `json:"late"`
	Absent   int    `json:"absent"`
	Leave    int    `json:"leave"`
	Holiday  int    `json:"holiday"`
}

type fees struct {
	Due            money.Money `json:"due" doc:"Total of all students, today."`
	CollectedToday money.Money `json:"collectedToday" doc:"Payments less refunds and reversals of today. May be negative."`
	CollectedMonth money.Money `json:"collectedThisMonth" doc:"The same for the month until today."`
}

func (s *Service) today(ctx context.Context, q db.Q, who actor.Actor, day clock.Date) (out today, err error) {
	out = today{Date: day, Attendance: []classDay{}}
	if who.Can("attendance", actor.Read) {
		if out.Attendance, err = attendanceOn(ctx, q, day); err != nil {
			return out, fmt.Errorf("count attendance: %w", err)
		}
	}
	if who.Can("fee", actor.Read) {
		f, err := feesOn(ctx, q, day)
		if err != nil {
			return out, fmt.Errorf("sum fees: %w", err)
		}
		out.Fees = &f
	}
	n, err := db.One[struct{ Leaves, Trips, Unread int }](ctx, q, `
		SELECT (SELECT COUNT(*) FROM `+openLeaves+`) AS leaves,
			(SELECT COUNT(*) FROM trips WHERE school_id = :school AND status IN ('in_progress', 'paused')) AS trips,
			(SELECT CAST(COALESCE(SUM(unread), 0) AS BIGINT) FROM message_sides WHERE school_id = :school AND side_id = :school) AS unread`, nil)
	if err != nil {
		return out, fmt.Errorf("count leaves, trips and messages: %w", err)
	}
	if who.Can("leave", actor.Read) {
		out.OpenLeaves = &n.Leaves
	}
	if who.Can("transport", actor.Read) {
		out.Trips = &n.Trips
	}
	if who.Can("message", actor.Read) {
		out.Unread = &n.Unread
	}
	return out, nil
}

// attendanceOn counts the students and their marks of the day, without those of single periods. A student who has moved
// counts where the student is now, mark and all.
func attendanceOn(ctx context.Context, q db.Q, day clock.Date) ([]classDay, error) {
	return db.All[classDay](ctx, q, `
		SELECT c.id AS class_id, c.name, COALESCE(m.students, 0) AS students, COALESCE(m.marked, 0) AS marked, COALESCE(m.present, 0) AS present,
			COALESCE(m.late, 0) AS late, COALESCE(m.absent, 0) AS absent, COALESCE(m.on_leave, 0) AS "leave",
			COALESCE(m.holiday, 0) AS holiday
		FROM classes c
		JOIN academic_years y ON y.school_id = c.school_id AND y.id = c.academic_year_id AND y.is_current
		LEFT JOIN (SELECT s.class_id, COUNT(*) AS students, COUNT(a.status) AS marked,
				COUNT(CASE WHEN a.status = 'PRESENT' THEN 1 END) AS present, COUNT(CASE WHEN a.status = 'LATE' THEN 1 END) AS late,
				COUNT(CASE WHEN a.status = 'ABSENT' THEN 1 END) AS absent, COUNT(CASE WHEN a.status = 'LEAVE' THEN 1 END) AS on_leave,
				COUNT(CASE WHEN a.status = 'HOLIDAY' THEN 1 END) AS holiday
			FROM students s
			LEFT JOIN attendance a ON a.school_id = s.school_id AND a.student_id = s.id AND a.date = :day AND a.period_no = 0
			WHERE s.school_id = :school AND s.archived_at IS NULL AND s.status = 'ACTIVE' GROUP BY s.class_id) m ON m.class_id = c.id
		WHERE c.school_id = :school ORDER BY c.display_order, c.id`, db.Args{"day": day})
}

// feesOn sums the cash and bank accounts of the ledger, where refunds and reversals are
// entries of their own day.
func feesOn(ctx context.Context, q db.Q, day clock.Date) (fees, error) {
	return db.One[fees](ctx, q, collected, db.Args{"day": day, "first": clock.Date(string(day)[:8] + "01")})
}

// collected, as the list of dues, leaves out students who were removed: nobody can pay for them.
const collected = `
		SELECT (SELECT CAST(COALESCE(SUM(a.due), 0) AS BIGINT) FROM fee_accounts a
				JOIN students s ON s.school_id = a.school_id AND s.id = a.student_id AND s.archived_at IS NULL
				WHERE a.school_id = :school AND a.due > 0) AS due,
			CAST(COALESCE(SUM(CASE WHEN date = :day THEN CASE type WHEN 'DR' THEN amount ELSE -amount END END), 0) AS BIGINT) AS collected_today,
			CAST(COALESCE(SUM(CASE type WHEN 'DR' THEN amount ELSE -amount END), 0) AS BIGINT) AS collected_month
		FROM ledger_entries WHERE school_id = :school AND account IN ('CASH', 'BANK') AND date >= :first AND date <= :day`
