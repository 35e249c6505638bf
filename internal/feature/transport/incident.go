package transport

import (
	"context"
	"errors"
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
	"homeroom/internal/platform/page"
)

var (
	errNoIncident   = fault.Missing("incident")
	errAcknowledged = fault.New(fault.Conflict, "", "This incident has been acknowledged already.")
)

// Incident is a problem on the road, reported by a driver.
type Incident struct {
	ID                id.ID    `json:"id"`
	BusID             id.ID    `json:"busId"`
	BusRegistrationNo string   `json:"busRegistrationNo"`
	BusName           opt.Text `json:"busName"`
	TripID            *id.ID   `json:"tripId"`
	Type              string   `json:"type" enum:"vehicle_breakdown,traffic_jam,accident,other"`
	Severity          string   `json:"severity" enum:"LOW,MEDIUM,HIGH"`
	Description       opt.Text `json:"description"`
	Lat               *float64 `json:"lat"`
	Lng               *float64 `json:"lng"`
	PhotoFileID       *id.ID   `json:"photoFileId"`
	file.Photo
	ReportedBy         id.ID      `json:"reportedBy" doc:"The account of the driver."`
	ReportedByName     opt.Text   `json:"reportedByName"`
	AcknowledgedBy     *id.ID     `json:"acknowledgedBy" doc:"The account of the administrator who acknowledged it; null if nobody has."`
	AcknowledgedByName opt.Text   `json:"acknowledgedByName"`
	AcknowledgedAt     *time.Time `json:"acknowledgedAt"`
	AcknowledgeNote    opt.Text   `json:"acknowledgeNote" doc:"Not shown to parents."`
	WithdrawnBy        *id.ID     `json:"withdrawnBy" doc:"The account that took the report back as a mistake; null if it stands."`
	WithdrawnByName    opt.Text   `json:"withdrawnByName"`
	WithdrawnAt        *time.Time `json:"withdrawnAt"`
	WithdrawReason     opt.Text   `json:"withdrawReason" doc:"Not shown to parents."`
	CreatedAt          time.Time  `json:"createdAt"`
}

// NewIncident is an incident that a driver reports.
type NewIncident struct {
	BusID       *id.ID   `json:"busId" doc:"Default: the bus of the trip, or else the caller's bus."`
	TripID      *id.ID   `json:"tripId" doc:"Default: the running trip of the bus."`
	Type        string   `json:"type" required:"true" enum:"vehicle_breakdown,traffic_jam,accident,other"`
	Description string   `json:"description" maxLength:"2000" multiline:"true"`
	Lat         *float64 `json:"lat" minimum:"-90" maximum:"90"`
	Lng         *float64 `json:"lng" minimum:"-180" maximum:"180"`
	Severity    string   `json:"severity" enum:"LOW,MEDIUM,HIGH" default:"MEDIUM"`
	PhotoFileID *id.ID   `json:"photoFileId"`
}

// Check validates the position.
func (in *NewIncident) Check() error { return checkPoint(in.Lat, in.Lng) }

// Report inserts an incident, and notifies the office and the parents of students who
// wait for the bus or are on it.
func (s *Service) Report(ctx context.Context, who actor.Actor, in NewIncident) (out Incident, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		bus, trip, err := in.place(ctx, tx, who.User, s.Now())
		if err != nil {
			return err
		}
		i := Incident{ID: s.NewID(), BusID: bus, Type: in.Type, Severity: in.Severity, Description: opt.Text(strings.TrimSpace(in.Description)),
			Lat: in.Lat, Lng: in.Lng, PhotoFileID: in.PhotoFileID, ReportedBy: who.User, CreatedAt: s.Now()}
		if trip.ID != "" {
			i.TripID = &trip.ID
		}
		if err := putIncident(ctx, tx, i); err != nil {
			return err
		}
		if in.PhotoFileID != nil {
			if err := s.Files.AttachOne(ctx, tx, who, file.Incident, i.ID, in.PhotoFileID); err != nil {
				return err
			}
		}
		if out, err = getIncident(ctx, tx, i.ID); err != nil {
			return err
		}
		if err := s.Audit.Record(ctx, tx, who, "incident.report", "incident", i.ID, nil, out); err != nil {
			return err
		}
		if err := s.tellIncident(ctx, tx, who, trip, out); err != nil {
			return err
		}
		return s.events().Reported(ctx, tx, out)
	})
	return out, err
}

// place returns the bus and the trip of the incident. Defaults are the caller's
// running trip and bus; Trip is empty if none is running.
func (in NewIncident) place(ctx context.Context, q db.Q, user id.ID, now time.Time) (bus id.ID, trip Trip, err error) {
	if in.BusID != nil {
		if _, err := MayDriveBus(ctx, q, user, *in.BusID, now); err != nil {
			return "", trip, err
		}
		bus = *in.BusID
	}
	if in.TripID != nil {
		trip, err = MayDrive(ctx, q, user, *in.TripID, now)
		switch {
		case err == nil && bus != "" && bus != trip.BusID:
			err = fault.OnField("tripId", "is not a trip of this bus")
		case err == nil && trip.Date < comingSince(now): // a past trip gives no right to its bus
			_, err = MayDriveBus(ctx, q, user, trip.BusID, now)
		}
		return trip.BusID, trip, err
	}
	trip, err = runningOf(ctx, q, user, now)
	switch {
	case err == nil && (bus == "" || bus == trip.BusID):
		return trip.BusID, trip, nil
	case err != nil && !errors.Is(err, ErrNoTrip):
		return "", trip, err
	case bus != "":
		return bus, Trip{}, nil
	}
	own, err := BusOf(ctx, q, user)
	return own.ID, Trip{}, err
}

// runningOf returns the account's running trip, or ErrNoTrip.
func runningOf(ctx context.Context, q db.Q, user id.ID, now time.Time) (Trip, error) {
	t, err := db.One[Trip](ctx, q, `SELECT `+tripColumns+` FROM `+tripTable+`
		AND `+StillRuns+` AND t.driver_id IN (`+driverIDs+`)`, db.Args{"user": user, "begun": BegunSince(now)})
	return t, db.Found("read the driver's trip", err, ErrNoTrip)
}

type acknowledgeIn struct {
	ID   id.ID  `path:"id"`
	Note string `json:"note" maxLength:"1000" multiline:"true"`
}

// acknowledge marks an incident as seen by an administrator and tells its reporter.
func (s *Service) acknowledge(ctx context.Context, who actor.Actor, in acknowledgeIn) (after Incident, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := getIncident(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		n, err := db.Exec(ctx, tx, `
			UPDATE incidents SET acknowledged_by = :user, acknowledged_at = :now, acknowledge_note = :note
			WHERE school_id = :school AND id = :id AND acknowledged_at IS NULL AND withdrawn_at IS NULL`,
			db.Args{"id": in.ID, "user": who.User, "now": s.Now(), "note": strings.TrimSpace(in.Note)})
		if err != nil {
			return fmt.Errorf("acknowledge incident: %w", err)
		}
		if after, err = getIncident(ctx, tx, in.ID); err != nil {
			return err
		}
		switch {
		case after.WithdrawnAt != nil:
			return after.alreadyWithdrawn()
		case n == 0:
			return errAcknowledged.Saying("%s has acknowledged this incident already.", after.AcknowledgedByName)
		}
		if err := s.tellAcknowledged(ctx, tx, who.School, after); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "incident.acknowledge", "incident", in.ID, before, after)
	})
	return after, err
}

const (
	incidentColumns = `i.id, i.bus_id, b.registration_no AS bus_registration_no, b.name AS bus_name, i.trip_id, i.type, i.severity,
		i.description, i.lat, i.lng, i.photo_file_id, i.reported_by, COALESCE(u.name, '') AS reported_by_name, i.acknowledged_by,
		COALESCE(a.name, '') AS acknowledged_by_name, i.acknowledged_at, i.acknowledge_note,
		i.withdrawn_by, COALESCE(w.name, '') AS withdrawn_by_name, i.withdrawn_at, i.withdraw_reason, i.created_at`
	incidentTable = `incidents i
		JOIN buses b ON b.school_id = i.school_id AND b.id = i.bus_id
		LEFT JOIN users u ON u.school_id = i.school_id AND u.id = i.reported_by
		LEFT JOIN users a ON a.school_id = i.school_id AND a.id = i.acknowledged_by
		LEFT JOIN users w ON w.school_id = i.school_id AND w.id = i.withdrawn_by
		WHERE i.school_id = :school`
)

func getIncident(ctx context.Context, q db.Q, incident id.ID) (Incident, error) {
	i, err := db.One[Incident](ctx, q, `SELECT `+incidentColumns+` FROM `+incidentTable+` AND i.id = :id`, db.Args{"id": incident})
	return i, db.Found("read incident", err, errNoIncident)
}

func putIncident(ctx context.Context, tx *db.Tx, i Incident) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO incidents (school_id, id, bus_id, trip_id, type, severity, description, lat, lng, photo_file_id, reported_by, created_at)
		VALUES (:school, :id, :bus_id, :trip_id, :type, :severity, :description, :lat, :lng,
			:photo_file_id, :reported_by, :created_at)`, []Incident{i})
	if err != nil {
		return fmt.Errorf("write incident: %w", err)
	}
	return nil
}

type incidentFilters struct {
	Type         string `json:"type,omitempty" enum:"vehicle_breakdown,traffic_jam,accident,other"`
	Severity     string `json:"severity,omitempty" enum:"LOW,MEDIUM,HIGH"`
	Acknowledged *bool  `json:"acknowledged,omitempty" doc:"False leaves out those that were withdrawn."`
}

// pageIncidents lists incidents, latest first; more is an extra SQL condition.
func pageIncidents(ctx context.Context, q db.Q, f incidentFilters, r page.Request, more string, a db.Args) (page.Of[Incident], error) {
	a["type"], a["severity"] = f.Type, f.Severity
	out, err := db.Page[Incident](ctx, q, db.List{
		Columns: incidentColumns,
		From: incidentTable + more +
			db.When(f.Type != "", ` AND i.type = :type`) +
			db.When(f.Severity != "", ` AND i.severity = :severity`) +
			db.When(f.Acknowledged != nil && *f.Acknowledged, ` AND i.acknowledged_at IS NOT NULL`) +
			db.When(f.Acknowledged != nil && !*f.Acknowledged, ` AND i.acknowledged_at IS NULL AND i.withdrawn_at IS NULL`),
		Sorts:   map[string]string{"createdAt": "i.id", "id": "i.id"}, // ids sort by creation time
		Default: "-createdAt",
	}, r, a)
	if err != nil {
		return out, fmt.Errorf("list incidents: %w", err)
	}
	return out, nil
}

type busIncidentFilters struct {
	BusID *id.ID `json:"busId,omitempty"`
	incidentFilters
}

func (s *Service) incidents(ctx context.Context, who actor.Actor, in page.Ask[busIncidentFilters]) (page.Of[Incident], error) {
	q, bus := s.DB.School(who.School), in.Filters.BusID
	out, err := pageIncidents(ctx, q, in.Filters.incidentFilters, in.Request, db.When(bus != nil, ` AND i.bus_id = :bus`), db.Args{"bus": bus})
	if err != nil || out.Total > 0 { // a match proves that the ids in the filter exist
		return out, err
	}
	return out, people.MustExist(ctx, q, people.Ref{Table: "buses", ID: bus, Missing: ErrNoBus})
}

func (s *Service) ownIncidents(ctx context.Context, who actor.Actor, in page.Ask[incidentFilters]) (page.Of[Incident], error) {
	return pageIncidents(ctx, s.DB.School(who.School), in.Filters, in.Request, ` AND i.reported_by = :user`, db.Args{"user": who.User})
}

type busIncidentsIn struct {
	BusID id.ID `path:"busId"`
	page.Ask[incidentFilters]
}

func (s *Service) busIncidents(ctx context.Context, who actor.Actor, in busIncidentsIn) (page.Of[Incident], error) {
	q := s.DB.School(who.School)
	if _, err := MaySeeBus(ctx, q, who, in.BusID, s.Now()); err != nil {
		return page.Of[Incident]{}, err
	}
	out, err := pageIncidents(ctx, q, in.Filters, in.Request, ` AND i.bus_id = :bus`, db.Args{"bus": in.BusID})
	if who.Role == actor.Parent {
		for i := range out.Items {
			out.Items[i].AcknowledgeNote, out.Items[i].WithdrawReason = "", ""
		}
	}
	return out, err
}
