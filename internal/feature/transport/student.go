package transport

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// HasHistory reports whether a student is on any trip.
func (s *Service) HasHistory(ctx context.Context, q db.Q, student id.ID) (bool, error) {
	has, err := db.One[bool](ctx, q, `
		SELECT EXISTS (SELECT 1 FROM boardings WHERE school_id = :school AND student_id = :student) AS has`, db.Args{"student": student})
	if err != nil {
		return false, fmt.Errorf("look for trips: %w", err)
	}
	return has, nil
}

// Ride is one trip of a student, as shown in the profile.
type Ride struct {
	TripID     id.ID          `json:"tripId"`
	Date       clock.Date     `json:"date"`
	Type       Type           `json:"type"`
	RouteName  string         `json:"routeName"`
	StopName   string         `json:"stopName"`
	Status     BoardingStatus `json:"status"`
	BoardedAt  *time.Time     `json:"boardedAt"`
	AlightedAt *time.Time     `json:"alightedAt"`
	Lat        *float64       `json:"lat"`
	Lng        *float64       `json:"lng"`
}

// Section lists a student's trips in the profile, latest first.
func (s *Service) Section() people.Section {
	return people.Section{Name: "trips", Module: "transport", Read: func(ctx context.Context, q db.Q, student id.ID) (any, error) {
		list, err := db.All[Ride](ctx, q, `
			SELECT x.trip_id, t.date, t.type, r.name AS route_name, p.name AS stop_name, x.status, x.boarded_at, x.alighted_at, x.lat, x.lng
			FROM boardings x
			JOIN trips t ON t.school_id = x.school_id AND t.id = x.trip_id
			JOIN routes r ON r.school_id = t.school_id AND r.id = t.route_id
			JOIN route_stops p ON p.school_id = x.school_id AND p.id = x.stop_id
			WHERE x.school_id = :school AND x.student_id = :student
			ORDER BY t.date DESC, t.start_time DESC, t.id DESC`, db.Args{"student": student})
		if err != nil {
			return nil, fmt.Errorf("list trips: %w", err)
		}
		return list, nil
	}}
}

// Erase deletes where a student was. The rows of the trips stay, without a name.
func (s *Service) Erase(ctx context.Context, tx *db.Tx, e people.Erased) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE boardings SET lat = NULL, lng = NULL WHERE school_id = :school AND student_id = :student`, db.Args{"student": e.Student})
	if err != nil {
		return fmt.Errorf("clear boardings: %w", err)
	}
	_, err = db.Exec(ctx, tx, `DELETE FROM trip_alerts WHERE school_id = :school AND student_id = :student`, db.Args{"student": e.Student})
	if err != nil {
		return fmt.Errorf("delete alerts: %w", err)
	}
	return nil
}
