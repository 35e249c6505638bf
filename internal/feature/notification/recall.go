package notification

import (
	"context"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
)

// Told is news of a record for an account; or for the topic of a student or the student's guardians without an
// account; or, with neither, for the topic of the school.
type Told struct{ Record, User, Student id.ID }

// Recalled returns which news of a type was taken back, or is not for its recipients any more: what still waits to tell
// them (quiet hours, digests, daily limits, retries) is not sent.
type Recalled func(ctx context.Context, q db.Q, some []Told) (map[Told]bool, error)

// toldBy is the news in a message.
func toldBy(m notify.Message) Told {
	t := Told{Record: id.ID(m.Data["id"]), User: addressee(m)}
	if t.User == "" {
		t.Student = studentOf(m)
	}
	return t
}

// recalled returns which messages tell of what was recalled.
func (s *Service) recalled(ctx context.Context, q db.Q, some []notify.Message) (map[id.ID]bool, error) {
	of, out := map[Type][]notify.Message{}, map[id.ID]bool{}
	for _, m := range some {
		if t := Type(m.Data["type"]); s.Recalled[t] != nil && m.Data["id"] != "" {
			of[t] = append(of[t], m)
		}
	}
	for t, some := range of {
		told := make([]Told, len(some))
		for i, m := range some {
			told[i] = toldBy(m)
		}
		gone, err := s.Recalled[t](ctx, q, told)
		if err != nil {
			return nil, fault.Wrap("read recalled news", err)
		}
		for i, m := range some {
			out[m.ID] = gone[told[i]]
		}
	}
	return out, nil
}

// Keep leaves the entries about an announcement or exam in the logs of these users only: it was taken back, or is not
// for the others any more.
func Keep(ctx context.Context, tx *db.Tx, record id.ID, users []id.ID) error {
	_, err := db.Exec(ctx, tx, `UPDATE notifications SET withdrawn = (user_id NOT IN (:users))
		WHERE school_id = :school AND record_id = :record AND type IN ('ANNOUNCEMENT', 'RESULT')`,
		db.Args{"record": record, "users": users})
	return fault.Wrap("withdraw notifications", err)
}
