package transport

import (
	"context"
	"slices"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// TellRides tells the drivers of today's trips that a student does not ride today, or
// rides after all. It tells those who have not passed the student yet.
func (s *Service) TellRides(ctx context.Context, tx *db.Tx, who actor.Actor, student id.ID, rides bool) error {
	type wait struct {
		TripID, UserID id.ID
		Name, Stop     string
	}
	waits, err := db.All[wait](ctx, tx, `
		SELECT t.id AS trip_id, e.user_id, TRIM(s.first_name || ' ' || s.last_name) AS name, p.name AS stop FROM trips t
		JOIN employees e ON e.school_id = t.school_id AND e.id = t.driver_id AND e.archived_at IS NULL AND e.user_id IS NOT NULL
		JOIN students s ON s.school_id = t.school_id AND s.id = :student AND s.archived_at IS NULL
		LEFT JOIN boardings x ON x.school_id = t.school_id AND x.trip_id = t.id AND x.student_id = s.id
		LEFT JOIN student_stops w ON w.school_id = s.school_id AND w.student_id = s.id AND t.status = 'scheduled'
			AND (t.type = 'pickup' AND w.pickup OR t.type = 'dropoff' AND w.dropoff)
		JOIN route_stops p ON p.school_id = t.school_id AND p.id = COALESCE(x.stop_id, w.stop_id) AND p.route_id = t.route_id
		WHERE t.school_id = :school AND t.date = :day AND t.status IN ('scheduled', 'in_progress', 'paused')
			AND COALESCE(x.status, 'waiting') = 'waiting'
		ORDER BY t.start_time, t.id`, db.Args{"student": student, "day": clock.DateIn(s.Now(), who.Zone)})
	if err != nil {
		return fault.Wrap("read who waits for a student", err)
	}
	var told []id.ID // a driver with two trips hears it once
	for _, w := range waits {
		if slices.Contains(told, w.UserID) {
			continue
		}
		told = append(told, w.UserID)
		title, body := text.T("transport.away.title"), text.T("transport.away.body", "student", w.Name, "stop", w.Stop)
		if rides {
			title, body = text.T("transport.back.title"), text.T("transport.back.body", "student", w.Name, "stop", w.Stop)
		}
		err := s.tellDrivers(ctx, tx, who.School, notification.Notice{Record: w.TripID, Urgent: true, Title: title, Body: body}, w.UserID)
		if err != nil {
			return err
		}
	}
	return nil
}
