package people

import (
	"context"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// Enrolment is a student's class in one academic year.
type Enrolment struct {
	AcademicYearID   id.ID     `json:"academicYearId"`
	AcademicYearName string    `json:"academicYearName"`
	ClassID          id.ID     `json:"classId"`
	ClassName        string    `json:"className"`
	DivisionID       *id.ID    `json:"divisionId"`
	DivisionName     opt.Text  `json:"divisionName"`
	RollNo           *int      `json:"rollNo"`
	Outcome          string    `json:"outcome" enum:"ENROLLED,PROMOTED,DETAINED,GRADUATED,LEFT"`
	CreatedAt        time.Time `json:"createdAt"`
	UpdatedAt        time.Time `json:"updatedAt"`
}

// Ride is a bus stop where a student is picked up or dropped off.
type Ride struct {
	RouteID     id.ID            `json:"routeId"`
	RouteName   string           `json:"routeName"`
	StopID      id.ID            `json:"stopId"`
	StopName    string           `json:"stopName"`
	Pickup      bool             `json:"pickup"`
	Dropoff     bool             `json:"dropoff"`
	PickupTime  *clock.TimeOfDay `json:"pickupTime"`
	DropoffTime *clock.TimeOfDay `json:"dropoffTime"`
}

// Profile is a student with the data the office needs on one page.
type Profile struct {
	Student    Record         `json:"student"`
	Enrolments []Enrolment    `json:"enrolments" doc:"The latest year first."`
	Transport  []Ride         `json:"transport"`
	Sections   map[string]any `json:"sections" doc:"Data of other modules, by module name."`
}

// GetProfile reads what the caller may see of a profile, with one query per part.
func (s *Service) GetProfile(ctx context.Context, q db.Q, who actor.Actor, student id.ID) (Profile, error) {
	return s.getProfile(ctx, q, who, student, false)
}

func (s *Service) getProfile(ctx context.Context, q db.Q, who actor.Actor, student id.ID, private bool) (Profile, error) {
	out := Profile{Transport: []Ride{}, Sections: map[string]any{}}
	var err error
	if out.Student, err = GetRecord(ctx, q, student); err != nil {
		return out, err
	}
	if out.Enrolments, err = listEnrolments(ctx, q, student); err != nil {
		return out, err
	}
	if who.Can("transport", actor.Read) {
		if out.Transport, err = listRides(ctx, q, student); err != nil {
			return out, err
		}
	}
	for _, section := range s.Sections {
		if section.Private && !private || !who.Can(section.Module, actor.Read) {
			continue
		}
		if out.Sections[section.Name], err = section.Read(ctx, q, student); err != nil {
			return out, fmt.Errorf("read %s of a student: %w", section.Name, err)
		}
	}
	return out, nil
}

func listEnrolments(ctx context.Context, q db.Q, student id.ID) ([]Enrolment, error) {
	enrolments, err := db.All[Enrolment](ctx, q, `
		SELECT e.academic_year_id, y.name AS academic_year_name, e.class_id, c.name AS class_name,
			e.division_id, COALESCE(d.name, '') AS division_name, e.roll_no, e.outcome, e.created_at, e.updated_at
		FROM enrolments e
		JOIN academic_years y ON y.school_id = e.school_id AND y.id = e.academic_year_id
		JOIN classes c ON c.school_id = e.school_id AND c.id = e.class_id
		LEFT JOIN divisions d ON d.school_id = e.school_id AND d.id = e.division_id
		WHERE e.school_id = :school AND e.student_id = :student
		ORDER BY y.start_date DESC`, db.Args{"student": student})
	return enrolments, fault.Wrap("list enrolments", err)
}

func listRides(ctx context.Context, q db.Q, student id.ID) ([]Ride, error) {
	rides, err := db.All[Ride](ctx, q, `
		SELECT r.id AS route_id, r.name AS route_name, p.id AS stop_id, p.name AS stop_name, s.pickup, s.dropoff,
			p.pickup_time, p.dropoff_time
		FROM student_stops s
		JOIN route_stops p ON p.school_id = s.school_id AND p.id = s.stop_id
		JOIN routes r ON r.school_id = p.school_id AND r.id = p.route_id
		WHERE s.school_id = :school AND s.student_id = :student
		ORDER BY r.name, p.position`, db.Args{"student": student})
	return rides, fault.Wrap("list stops", err)
}

// Export is all data held on a student.
type Export struct {
	Profile
	ExportedAt    time.Time     `json:"exportedAt"`
	AuditLog      []audit.Entry `json:"auditLog" doc:"Who changed the record, and how."`
	SeenBy        []Sight       `json:"seenBy" doc:"Who has read the record."`
	Notifications []Message     `json:"notifications" doc:"Notifications sent about the student."`
}

// Sight is one read access to the record.
type Sight struct {
	At     time.Time  `json:"at"`
	UserID id.ID      `json:"userId"`
	Role   actor.Role `json:"role"`
}

// Message is a notification that was sent.
type Message struct {
	At      time.Time `json:"at"`
	Channel string    `json:"channel"`
	ToAddr  string    `json:"to"`
	Subject opt.Text  `json:"subject"`
	Body    opt.Text  `json:"body"`
	Status  string    `json:"status"`
}

// errExport refuses an export that would have to leave something out.
var errExport = fault.Denied("This file has everything about the student. Ask an administrator who may read all modules.")

// mayExport requires the permission to read all that an export has.
func (s *Service) mayExport(who actor.Actor) error {
	modules := []string{"transport", "notification", "report"} // rides, notifications, logs
	for _, section := range s.Sections {
		modules = append(modules, section.Module)
	}
	if slices.ContainsFunc(modules, func(module string) bool { return !who.Can(module, actor.Read) }) {
		return errExport
	}
	return nil
}

// GetExport reads all data held on a student.
func (s *Service) GetExport(ctx context.Context, q db.Q, who actor.Actor, student id.ID) (Export, error) {
	out := Export{ExportedAt: s.Now()}
	if err := s.mayExport(who); err != nil {
		return out, err
	}
	var err error
	if out.Profile, err = s.getProfile(ctx, q, who, student, true); err != nil {
		return out, err
	}
	a := db.Args{"student": student}
	out.AuditLog, err = db.All[audit.Entry](ctx, q, `
		SELECT id, school_id, at, user_id, role, action, entity, entity_id, before, after, request_id, ip
		FROM audit_log WHERE school_id = :school AND entity_id = :student ORDER BY at, id`, a)
	if err != nil {
		return out, fmt.Errorf("read a student's audit log: %w", err)
	}
	out.SeenBy, err = db.All[Sight](ctx, q, `
		SELECT at, user_id, role FROM reads WHERE school_id = :school AND record_id = :student ORDER BY at, id`, a)
	if err != nil {
		return out, fmt.Errorf("read who viewed a student: %w", err)
	}
	out.Notifications, err = db.All[Message](ctx, q, `
		SELECT created_at AS at, channel, to_addr, subject, body, status FROM deliveries
		WHERE school_id = :school AND NOT sealed AND CAST(data AS TEXT) LIKE :about ORDER BY created_at, id`,
		db.Args{"about": db.Contains(string(student))})
	return out, fault.Wrap("read notifications about a student", err)
}
