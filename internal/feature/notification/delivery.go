package notification

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// Every administrator has the permission for notifications, for uploads and the own log. So it is not enough to read
// what was written for another module, or where guardians are reached.

// moduleOf is the module whose texts the deliveries of a type have. Others name nobody.
var moduleOf = map[Type]string{Announcement: "announcement", Attendance: "attendance", Result: "result", Fee: "fee", Leave: "leave",
	Message: "message", Transport: "transport", Library: "library", Timetable: "timetable", Contact: "student"}

type deliveryFilters struct {
	Channel notify.Channel `json:"channel,omitempty" enum:"sms,email,push"`
	Status  notify.Status  `json:"status,omitempty" enum:"QUEUED,SENT,FAILED"`
}

func (s *Service) deliveries(ctx context.Context, who actor.Actor, in page.Ask[deliveryFilters]) (page.Of[notify.Delivery], error) {
	out, err := s.Out.Deliveries(ctx, who.School, notify.Filter{Channel: in.Filters.Channel, Status: in.Filters.Status}, in.Request)
	for i, d := range out.Items {
		out.Items[i] = redacted(who, d)
	}
	return out, err
}

// redacted returns a delivery without what the caller may not read.
func redacted(who actor.Actor, d notify.Delivery) notify.Delivery {
	if module := moduleOf[Type(d.Data.V["type"])]; module != "" && !who.Can(module, actor.Read) {
		d.Subject, d.Body = "", ""
	}
	if d.Channel != notify.Push && opt.Value(d.UserID) != who.User && !who.Can("student", actor.Read) {
		d.To, d.Answer = "", nil
	}
	return d
}
