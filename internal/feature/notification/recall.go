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

// Recalled returns those of some announcements that were deleted or withdrawn: what still waits to tell of them
// (quiet hours, digests, daily limits, retries) is not sent.
type Recalled func(ctx context.Context, q db.Q, announcements []id.ID) (map[id.ID]bool, error)

// announcementOf is the announcement that a message tells of; "" if none.
func announcementOf(m notify.Message) id.ID {
	if m.Data["type"] != string(Announcement) {
		return ""
	}
	return id.ID(m.Data["id"])
}

func (s *Service) recalled(ctx context.Context, q db.Q, some []id.ID) (map[id.ID]bool, error) {
	some = slices.DeleteFunc(id.Unique(some), func(a id.ID) bool { return a == "" })
	if s.Recalled == nil || len(some) == 0 {
		return map[id.ID]bool{}, nil
	}
	gone, err := s.Recalled(ctx, q, some)
	return gone, fault.Wrap("read recalled announcements", err)
}

// withoutRecalled leaves out the waiting pushes of announcements that were recalled.
func (s *Service) withoutRecalled(ctx context.Context, q db.Q, slips []slip) ([]slip, error) {
	var told []id.ID
	for _, w := range slips {
		if w.Gathered && w.Type == Announcement {
			told = append(told, opt.Value(w.RecordID))
		}
	}
	gone, err := s.recalled(ctx, q, told)
	return slices.DeleteFunc(slips, func(w slip) bool { return w.Type == Announcement && gone[opt.Value(w.RecordID)] }), err
}
