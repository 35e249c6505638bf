package notification

import (
	"context"
	"slices"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/opt"
)

// Told is news of a record for an account; or for the topic of a student or the student's guardians without an
// account; or, with neither, for the topic of the school.
type Told struct{ Record, User, Student id.ID }

// Recalled returns which news of some announcements was taken back, or is not for its recipients any more: what still
// waits to tell them (quiet hours, digests, daily limits, retries) is not sent.
type Recalled func(ctx context.Context, q db.Q, some []Told) (map[Told]bool, error)

// toldBy is the news of an announcement in a message; zero if it is of another kind.
func toldBy(m notify.Message) (t Told) {
	if m.Data["type"] != string(Announcement) || m.Data["id"] == "" {
		return t
	}
	t = Told{Record: id.ID(m.Data["id"]), User: addressee(m)}
	if t.User == "" {
		t.Student = studentOf(m)
	}
	return t
}

// recalled returns which messages tell of what was recalled.
func (s *Service) recalled(ctx context.Context, q db.Q, some []notify.Message) (map[id.ID]bool, error) {
	all, out := make([]Told, 0, len(some)), map[id.ID]bool{}
	for _, m := range some {
		if t := toldBy(m); t.Record != "" {
			all = append(all, t)
		}
	}
	if s.Recalled == nil || len(all) == 0 {
		return out, nil
	}
	gone, err := s.Recalled(ctx, q, all)
	for _, m := range some {
		out[m.ID] = gone[toldBy(m)]
	}
	return out, fault.Wrap("read recalled announcements", err)
}

// withoutRecalled leaves out the waiting pushes of announcements that were recalled.
func (s *Service) withoutRecalled(ctx context.Context, q db.Q, slips []slip) ([]slip, error) {
	some := make([]notify.Message, len(slips))
	for i, w := range slips {
		some[i] = w.message()
	}
	gone, err := s.recalled(ctx, q, some)
	return slices.DeleteFunc(slips, func(w slip) bool { return gone[w.ID] }), err
}

// message returns the slip as the message that it would be alone.
func (w slip) message() notify.Message {
	return notify.Message{ID: w.ID, Channel: notify.Push, To: w.Topic, Data: map[string]string{"type": string(w.Type),
		"id": opt.Value(w.RecordID).String(), "studentId": opt.Value(w.StudentID).String()}}
}
