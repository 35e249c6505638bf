package transport

import (
	"context"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/feature/file"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

var (
	errNotOnTrip = fault.New(fault.NotFound, people.ErrNoStudent.Code, "There is no such student on this trip.")
	errBoarding  = fault.New(fault.Conflict, "", "This can't be done with the student now.")
)

// BoardingStatus is the status of a student on a trip.
type BoardingStatus string

// The boarding statuses.
const (
	Waiting  BoardingStatus = "waiting"
	Boarded  BoardingStatus = "boarded"
	Alighted BoardingStatus = "alighted"
	Absent   BoardingStatus = "absent"
	NoShow   BoardingStatus = "no_show"
)

// boardings are the allowed changes of status. Besides these, only the latest
// change can be undone.
var boardings = map[BoardingStatus][]BoardingStatus{
	Waiting: {Boarded, Absent, NoShow},
	NoShow:  {Boarded},
	Boarded: {Alighted},
}

// Boarding is one student on one trip.
type Boarding struct {
	StudentID    id.ID    `json:"studentId"`
	FirstName    opt.Text `json:"firstName"`
	LastName     opt.Text `json:"lastName"`
	ClassName    opt.Text `json:"className"`
	DivisionName opt.Text `json:"divisionName"`
	PhotoFileID  *id.ID   `json:"photoFileId"`
	file.Photo
	StopID         id.ID          `json:"stopId" doc:"The student's stop for this trip."`
	StopName       string         `json:"stopName"`
	StopOrder      int            `json:"stopOrder"`
	OnLeave        bool           `json:"onLeave" doc:"Has leave for the whole day of the trip, approved or not decided yet: the bus does not wait."`
	Status         BoardingStatus `json:"status" enum:"waiting,boarded,alighted,absent,no_show"`
	BoardedAt      *time.Time     `json:"boardedAt"`
	BoardedStopID  *id.ID         `json:"boardedStopId" doc:"Null at the school."`
	BoardedStop    opt.Text       `json:"boardedStopName"`
	AlightedAt     *time.Time     `json:"alightedAt"`
	AlightedStopID *id.ID         `json:"alightedStopId" doc:"Null at the school or if not recorded."`
	AlightedStop   opt.Text       `json:"alightedStopName"`
	AbsentAt       *time.Time     `json:"absentAt"`
	NoShowAt       *time.Time     `json:"noShowAt"`
	Lat            *float64       `json:"lat" doc:"Position of the latest change."`
	Lng            *float64       `json:"lng"`
}

// Where returns the stop at which the student last got on or off, and its name; nil
// and "" at the school, if it was not recorded, and for a student who did neither.
func (b Boarding) Where() (stop *id.ID, name string) {
	switch b.Status {
	case Boarded:
		return b.BoardedStopID, string(b.BoardedStop)
	case Alighted:
		return b.AlightedStopID, string(b.AlightedStop)
	}
	return nil, ""
}

// Expected reports whether the bus waits for the student.
func (b Boarding) Expected() bool { return b.Status == Waiting && !b.OnLeave }

// Name is what people call the student.
func (b Boarding) Name() string { return strings.TrimSpace(string(b.FirstName + " " + b.LastName)) }

// back returns the status before the latest change, the only one that can be restored.
func (b Boarding) back() BoardingStatus {
	switch {
	case b.Status == Alighted:
		return Boarded
	case b.Status == Boarded && b.NoShowAt != nil:
		return NoShow
	case b.Status == Waiting:
		return ""
	}
	return Waiting
}

// undo restores the status before the latest change.
func (b *Boarding) undo() {
	from := b.Status
	switch b.Status = b.back(); from {
	case Alighted:
		b.AlightedAt, b.AlightedStopID = nil, nil
	case Boarded:
		b.BoardedAt, b.BoardedStopID = nil, nil
	case Absent:
		b.AbsentAt = nil
	case NoShow:
		b.NoShowAt = nil
	}
}

// do changes the status at a stop; nil is the school or unknown.
func (b *Boarding) do(next BoardingStatus, now time.Time, stop *id.ID) {
	switch b.Status = next; next {
	case Boarded:
		b.BoardedAt, b.BoardedStopID = &now, stop
	case Alighted:
		b.AlightedAt, b.AlightedStopID = &now, stop
	case Absent:
		b.AbsentAt = &now
	case NoShow:
		b.NoShowAt = &now
	}
}

type boardIn struct {
	TripID    id.ID    `path:"tripId"`
	StudentID id.ID    `path:"studentId"`
	Status    string   `json:"status" required:"true" enum:"boarded,boaded,alighted,absent,no_show,waiting" doc:"boaded is an alias of boarded."`
	StopID    *id.ID   `json:"stopId" doc:"Default: the student's stop, or the school."`
	Lat       *float64 `json:"lat" minimum:"-90" maximum:"90"`
	Lng       *float64 `json:"lng" minimum:"-180" maximum:"180"`
}

// Check validates the position.
func (in *boardIn) Check() error {
	if in.Status == "boaded" {
		in.Status = string(Boarded)
	}
	return checkPoint(in.Lat, in.Lng)
}

// checkPoint wants both lat and lng, or neither.
func checkPoint(lat, lng *float64) error {
	switch {
	case lat == nil && lng != nil:
		return fault.OnField("lat", "is required with lng")
	case lng == nil && lat != nil:
		return fault.OnField("lng", "is required with lat")
	}
	return nil
}

// boardOut is the student after the call.
type boardOut struct {
	Boarding
	Unchanged bool `json:"unchanged" doc:"The student had this status already. Nothing was changed or sent."`
}

// Board records the status of a student on a running trip as its driver.
func (s *Service) Board(ctx context.Context, who actor.Actor, trip, student id.ID, status BoardingStatus) error {
	_, err := s.board(ctx, who, boardIn{TripID: trip, StudentID: student, Status: string(status)})
	return err
}

// board records the status of a student on a running trip, or undoes the latest change.
func (s *Service) board(ctx context.Context, who actor.Actor, in boardIn) (out boardOut, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		t, err := MayDrive(ctx, tx, who.User, in.TripID, s.Now())
		if err != nil {
			return err
		}
		if err := lockTrip(ctx, tx, &t); err != nil {
			return err
		}
		if err := t.drivenBy(who.User); err != nil { // the driver may have changed meanwhile
			return err
		}
		before, err := boardingOf(ctx, tx, t, in.StudentID)
		if err != nil {
			return err
		}
		if in.StopID != nil {
			if err := mustBeStop(ctx, tx, t.RouteID, *in.StopID); err != nil {
				return err
			}
		}
		switch {
		case before.Status == BoardingStatus(in.Status) && (t.Running() || t.Date >= comingSince(s.Now())):
			out = boardOut{before, true}
			return nil
		case !t.Running():
			return errState.Saying("This trip is %s. You can record students only while it is running.", words(t.Status))
		}
		after, err := before.step(BoardingStatus(in.Status), s.Now(), in.stop(t, before))
		if err != nil {
			return err
		}
		after.Lat, after.Lng = in.Lat, in.Lng
		out.Boarding, err = s.boarded(ctx, tx, who, t, before, after)
		return err
	})
	return out, err
}

// stop is the stop of the change; nil if it is the school or unknown.
func (in boardIn) stop(t Trip, b Boarding) *id.ID {
	switch next := BoardingStatus(in.Status); {
	case in.StopID != nil:
		return in.StopID
	case next == Boarded && t.Type == Pickup, next == Alighted && t.Type == Dropoff:
		return &b.StopID
	}
	return nil
}

// step returns the student after an allowed change or an undo.
func (b Boarding) step(next BoardingStatus, now time.Time, stop *id.ID) (Boarding, error) {
	if next == b.back() {
		b.undo()
		return b, nil
	}
	for _, legal := range boardings[b.Status] {
		if next == legal {
			b.do(next, now, stop)
			return b, nil
		}
	}
	return b, errBoarding.Saying("%s is %s and can't become %s.", b.Name(), words(b.Status), words(next))
}

// boarded writes a change, notifies the parents and publishes the event. It returns
// the student as written, with the names of stops.
func (s *Service) boarded(ctx context.Context, tx *db.Tx, who actor.Actor, t Trip, before, after Boarding) (Boarding, error) {
	ok, err := putBoarding(ctx, tx, t, before.Status, after, s.Now())
	switch {
	case err != nil:
		return after, err
	case !ok: // changed between read and write
		return after, errBoarding
	}
	if after, err = boardingOf(ctx, tx, t, after.StudentID); err != nil {
		return after, err
	}
	if after.Status == before.back() {
		err = s.tellUndone(ctx, tx, who.School, t, before)
	} else {
		err = s.tellBoarded(ctx, tx, who.School, t, []Boarding{after})
	}
	if err != nil {
		return after, err
	}
	type trace struct {
		StudentID id.ID          `json:"studentId"`
		Status    BoardingStatus `json:"status"`
	}
	err = s.Audit.Record(ctx, tx, who, "trip.board", "trip", t.ID, trace{after.StudentID, before.Status}, trace{after.StudentID, after.Status})
	if err != nil {
		return after, err
	}
	return after, s.events().Boarded(ctx, tx, t, []Boarding{after})
}

const boardingColumns = `s.id AS student_id, s.first_name, s.last_name, COALESCE(c.name, '') AS class_name,
	COALESCE(d.name, '') AS division_name,
	s.photo_file_id, p.id AS stop_id, p.name AS stop_name, p.position AS stop_order, COALESCE(x.status, 'waiting') AS status,
	EXISTS (SELECT 1 FROM leaves v WHERE v.school_id = s.school_id AND v.student_id = s.id AND v.half IS NULL
		AND v.status IN ('PENDING', 'APPROVED')
		AND v.from_date <= t.date AND v.to_date >= t.date) AS on_leave,
	x.boarded_at, x.boarded_stop_id, COALESCE(o.name, '') AS boarded_stop,
	x.alighted_at, x.alighted_stop_id, COALESCE(f.name, '') AS alighted_stop, x.absent_at, x.no_show_at, x.lat, x.lng`

// boardingTable is the FROM clause of these columns: the students listed at the
// start of the trip or, before that, the expected ones.
func boardingTable(t Trip) string {
	const seat = `
		JOIN trips t ON t.school_id = s.school_id AND t.id = :trip
		LEFT JOIN route_stops o ON o.school_id = x.school_id AND o.id = x.boarded_stop_id
		LEFT JOIN route_stops f ON f.school_id = x.school_id AND f.id = x.alighted_stop_id
		LEFT JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id
		LEFT JOIN divisions d ON d.school_id = s.school_id AND d.id = s.division_id
		WHERE s.school_id = :school`
	if t.Status == Scheduled {
		return expected(t.Type) + ` LEFT JOIN boardings x ON x.school_id = s.school_id AND x.trip_id = :trip AND x.student_id = s.id` + seat
	}
	return `boardings x
		JOIN route_stops p ON p.school_id = x.school_id AND p.id = x.stop_id
		JOIN students s ON s.school_id = x.school_id AND s.id = x.student_id AND x.trip_id = :trip` + seat
}

// expected joins students s who use stops p of the route :route for a type of trip.
func expected(t Type) string {
	return `student_stops w
		JOIN route_stops p ON p.school_id = w.school_id AND p.id = w.stop_id AND p.route_id = :route AND w.` + string(t) + `
		JOIN students s ON s.school_id = w.school_id AND s.id = w.student_id AND s.archived_at IS NULL AND s.status = 'ACTIVE'`
}

func boardingArgs(t Trip) db.Args {
	a := db.Args{"trip": t.ID}
	if t.Status == Scheduled {
		a["route"] = t.RouteID
	}
	return a
}

func boardingOf(ctx context.Context, q db.Q, t Trip, student id.ID) (Boarding, error) {
	a := boardingArgs(t)
	a["student"] = student
	b, err := db.One[Boarding](ctx, q, `SELECT `+boardingColumns+` FROM `+boardingTable(t)+` AND s.id = :student`, a)
	return b, db.Found("read boarding", err, errNotOnTrip)
}

// addBoardings inserts the students of a trip that starts.
func addBoardings(ctx context.Context, tx *db.Tx, t Trip, now time.Time) error {
	_, err := db.Exec(ctx, tx, `
		INSERT INTO boardings (school_id, trip_id, student_id, stop_id, status, updated_at)
		SELECT s.school_id, :trip, s.id, p.id, 'waiting', :now FROM `+expected(t.Type)+` WHERE s.school_id = :school`,
		db.Args{"trip": t.ID, "route": t.RouteID, "now": now})
	if err != nil {
		return fmt.Errorf("insert the students of a trip: %w", err)
	}
	return nil
}

// putBoarding updates a student if the status still is was, and reports whether it did.
func putBoarding(ctx context.Context, tx *db.Tx, t Trip, was BoardingStatus, b Boarding, now time.Time) (bool, error) {
	n, err := db.Exec(ctx, tx, `
		UPDATE boardings SET status = :status, boarded_at = :boarded, boarded_stop_id = :boarded_stop, alighted_at = :alighted,
			alighted_stop_id = :alighted_stop, absent_at = :absent, no_show_at = :no_show, lat = :lat, lng = :lng, updated_at = :now
		WHERE school_id = :school AND trip_id = :trip AND student_id = :student AND status = :was`,
		db.Args{"trip": t.ID, "student": b.StudentID, "was": was, "status": b.Status, "boarded": b.BoardedAt, "boarded_stop": b.BoardedStopID,
			"alighted": b.AlightedAt, "alighted_stop": b.AlightedStopID, "absent": b.AbsentAt, "no_show": b.NoShowAt,
			"lat": b.Lat, "lng": b.Lng, "now": now})
	if err != nil {
		return false, fmt.Errorf("write boarding: %w", err)
	}
	return n == 1, nil
}
