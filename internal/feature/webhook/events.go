package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

// Event is a type of event.
type Event struct {
	Type     string `json:"type" example:"student.created"`
	Module   string `json:"module" doc:"Subscribing needs canRead on it."`
	platform bool   // for the platform's webhooks only
}

// events are the types that other systems can subscribe to.
var events = []Event{
	{"student.created", "student", false}, {"student.updated", "student", false}, {"student.left", "student", false},
	{"student.erased", "student", false}, {"student.promoted", "student", false}, {"student.unpromoted", "student", false},
	{"student.imported", "student", false},
	{"guardian.updated", "student", false},
	{"employee.created", "employee", false}, {"employee.updated", "employee", false}, {"employee.assigned", "employee", false},
	{"employee.deleted", "employee", false}, {"employee.imported", "employee", false},
	{"class.created", "class", false}, {"class.updated", "class", false}, {"class.deleted", "class", false},
	{"division.created", "division", false}, {"division.updated", "division", false}, {"division.deleted", "division", false},
	{"subject.created", "subject", false}, {"subject.updated", "subject", false}, {"subject.deleted", "subject", false},
	{"year.created", "setting", false}, {"year.updated", "setting", false}, {"year.activated", "setting", false},
	{"year.deleted", "setting", false},
	{"timetable.updated", "timetable", false},
	{"attendance.marked", "attendance", false}, {"attendance.corrected", "attendance", false},
	{"leave.requested", "leave", false}, {"leave.decided", "leave", false}, {"leave.shortened", "leave", false},
	{"leave.cancelled", "leave", false},
	{"exam.published", "result", false}, {"exam.unpublished", "result", false},
	{"payment.recorded", "fee", false}, {"payment.reversed", "fee", false},
	{"refund.recorded", "fee", false}, {"refund.reversed", "fee", false},
	{"announcement.published", "announcement", false}, {"announcement.deleted", "announcement", false},
	{"event.created", "event", false}, {"event.updated", "event", false}, {"event.cancelled", "event", false},
	{"event.deleted", "event", false},
	{"trip.started", "transport", false}, {"trip.ended", "transport", false}, {"trip.cancelled", "transport", false},
	{"incident.reported", "transport", false}, {"incident.withdrawn", "transport", false},
	{"school.created", "setting", true}, {"school.updated", "setting", true}, {"school.suspended", "setting", true},
	{"school.resumed", "setting", true}, {"school.deleted", "setting", true},
}

func find(typ string) (Event, bool) {
	i := slices.IndexFunc(events, func(e Event) bool { return e.Type == typ })
	if i < 0 {
		return Event{}, false
	}
	return events[i], true
}

// ping is the type of a test. It needs no subscription.
const ping = "ping"

// rules map the actions of the audit log to events.
var rules = map[string]string{
	"student.create": "student.created", "student.update": "student.updated", "student.enrol": "student.updated",
	"student.guardian.add": "student.updated", "student.guardian.update": "student.updated", "student.guardian.remove": "student.updated",
	"student.renumber": "student.updated",
	"student.archive":  "student.left", "student.erase": "student.erased", "student.promote": "student.promoted",
	"student.promote-undo": "student.unpromoted", "student.import": "student.imported", "student.import-undo": "student.imported",
	"guardian.update": "guardian.updated", "guardian.merge": "guardian.updated",
	"employee.create": "employee.created", "employee.update": "employee.updated", "employee.assign": "employee.assigned",
	"employee.delete": "employee.deleted", "employee.import": "employee.imported",
	"employee.import-undo": "employee.imported",
	"class.create":         "class.created", "class.update": "class.updated", "class.delete": "class.deleted", "class.copy": "class.created",
	"division.create": "division.created", "division.update": "division.updated", "division.delete": "division.deleted",
	"subject.create": "subject.created", "subject.update": "subject.updated", "subject.delete": "subject.deleted",
	"academic-year.create": "year.created", "academic-year.update": "year.updated", "academic-year.activate": "year.activated",
	"academic-year.delete": "year.deleted",
	"timetable.update":     "timetable.updated", "timetable.import": "timetable.updated", "timetable.import-undo": "timetable.updated",
	"attendance.mark": "attendance.marked", "attendance.leave": "attendance.marked", "attendance.leave-back": "attendance.corrected",
	"leave.apply": "leave.requested", "leave.approve": "leave.decided", "leave.reject": "leave.decided", "leave.cancel": "leave.cancelled",
	"leave.reopen": "leave.requested", "leave.shorten": "leave.shortened",
	"exam.publish": "exam.published", "exam.unpublish": "exam.unpublished",
	"fee-receipt.issue": "payment.recorded", "fee-receipt.reverse": "payment.reversed",
	"fee-refund.create": "refund.recorded", "fee-refund.reverse": "refund.reversed",
	"announcement.create": "announcement.published", "announcement.update": "announcement.published",
	"announcement.publish": "announcement.published", "announcement.delete": "announcement.deleted",
	"event.create": "event.created", "event.update": "event.updated", "event.cancel": "event.cancelled",
	"event.delete": "event.deleted",
	"trip.start":   "trip.started", "trip.end": "trip.ended", "trip.cancel": "trip.cancelled", "incident.report": "incident.reported",
	"incident.withdraw": "incident.withdrawn",
	"school.create":     "school.created", "school.import": "school.created", "school.update": "school.updated",
	"school.suspend": "school.suspended", "school.resume": "school.resumed", "school.delete": "school.deleted",
}

// actions are those of the rules.
func actions() []string { return slices.Sorted(maps.Keys(rules)) }

// told are the fields of the logged state that an event may have: ids, dates, states and
// amounts. Names, contact data, health, reasons and texts never leave this way.
var told = []string{"classId", "divisionId", "academicYearId", "studentId", "employeeId", "students", "toClassId", "detainedClassId",
	"classIds", "divisionIds", "date", "periodNo", "from", "to", "fromDate", "toDate", "eventDate", "status", "created", "updated", "removed",
	"amount", "method", "audience", "busId", "tripId", "trips", "severity"}

// ids names the id of records that are not those of the event's type.
var ids = map[string]string{"student.promoted": "classId", "student.unpromoted": "classId", "timetable.updated": "divisionId",
	"attendance.marked": "", "attendance.corrected": ""}

// message is the body of a request.
type message struct {
	ID        id.ID          `json:"id"`
	Type      string         `json:"type"`
	Timestamp time.Time      `json:"timestamp"`
	SchoolID  id.ID          `json:"schoolId"`
	Data      map[string]any `json:"data"`
}

// eventOf returns the event of an entry of the audit log, if there is one.
func eventOf(e audit.Entry, after audit.State) (message, bool) {
	typ, ok := rules[e.Action]
	switch typ {
	case "attendance.marked":
		if number(after["updated"])+number(after["removed"]) > 0 {
			typ = "attendance.corrected"
		}
	case "student.updated":
		if s, ok := after["status"].(string); ok && s != active {
			typ = "student.left"
		}
	case "announcement.published":
		ok = after["publishedAt"] != nil
	}
	m := message{ID: e.ID, Type: typ, Timestamp: e.At, SchoolID: e.SchoolID, Data: map[string]any{}}
	for _, k := range told {
		if v, ok := after[k]; ok && v != nil {
			m.Data[k] = v
		}
	}
	key, other := ids[typ]
	switch {
	case e.Entity == "bus":
		key = "busId"
	case e.Action == "class.copy":
		key = "academicYearId"
	case e.Action == "student.renumber":
		key = "divisionId"
	case !other:
		key = "id"
	}
	if key != "" && e.EntityID != nil {
		m.Data[key] = *e.EntityID
	}
	return m, ok
}

// number reads a count of a state, as it is before it is stored or after.
func number(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case json.Number:
		f, _ := v.Float64() // counts are numbers
		return f
	}
	return 0
}

// subscription is a webhook and its events.
type subscription struct {
	SchoolID, ID id.ID
	Events       db.JSON[[]string]
}

// Hear writes the deliveries of an event in the transaction that caused it.
func (s *Service) Hear(ctx context.Context, tx *db.Tx, e audit.Entry, _, after audit.State) error {
	m, ok := eventOf(e, after)
	if !ok {
		return nil
	}
	all, err := s.subscriptions(ctx, tx)
	if err != nil || len(all) == 0 {
		return err
	}
	for _, at := range unique([]string{string(e.SchoolID), string(school.PlatformID)}) {
		var to []id.ID
		for _, w := range all[id.ID(at)] {
			if slices.Contains(w.Events.V, m.Type) {
				to = append(to, w.ID)
			}
		}
		if err := s.deliver(ctx, tx.School(id.ID(at)), m, to); err != nil {
			return err
		}
	}
	return nil
}

// deliver writes the deliveries of an event to webhooks of tx's school.
func (s *Service) deliver(ctx context.Context, tx *db.Tx, m message, to []id.ID) error {
	if len(to) == 0 {
		return nil
	}
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	sends := make([]send, len(to))
	for i, w := range to {
		sends[i] = send{w}
	}
	if err := putDeliveries(ctx, tx, m, string(body), to, s.Now()); err != nil {
		return err
	}
	return jobs.EnqueueAll(ctx, tx, s.Now(), sends)
}

// subscriptions returns the active webhooks of all schools. They are few and rarely
// change, so that an event nobody has subscribed to costs no statement.
func (s *Service) subscriptions(ctx context.Context, tx *db.Tx) (map[id.ID][]subscription, error) {
	s.mu.Lock()
	known, generation := s.subscribed, s.generation
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	rows, err := db.All[subscription](ctx, tx.Across(unscoped.Permit{}),
		`SELECT school_id, id, events FROM webhooks WHERE status = 'ACTIVE'`, nil)
	if err != nil {
		return nil, fault.Wrap("read subscriptions", err)
	}
	known = map[id.ID][]subscription{}
	for _, r := range rows {
		known[r.SchoolID] = append(known[r.SchoolID], r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.generation == generation { // else they have changed since
		s.subscribed = known
	}
	return known, nil
}
