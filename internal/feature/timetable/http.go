package timetable

import (
	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/timetable/ical"
	"homeroom/internal/platform/web"
)

// Routes is everything this feature answers.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		web.Handle("PUT /school-admin/timetable", s.Replace, web.Write("timetable"),
			web.Doc("Replaces the week of a division. A teacher or room that is booked twice: 409, with both.")),
		web.Handle("GET /school-admin/timetable", s.week, web.Read("timetable"),
			web.Doc("The week of a division, or its lessons on one day.")),
		web.Handle("POST /school-admin/timetable/override", s.override, web.Write("timetable"), web.Created(),
			web.Doc("Makes one period of one day different: another teacher, room or subject, or none.")),
		web.Handle("DELETE /school-admin/timetable/override/{id}", s.restore, web.Delete("timetable"),
			web.Doc("Makes a period of a day as the week has it.")),
		web.Handle("GET /school-admin/timetable/overrides", s.overrides, web.Read("timetable"), web.List("date", "createdAt"),
			web.Doc("What is different from the week, by date.")),
		web.Handle("GET /school-admin/timetable/free-teachers", s.free, web.Read("timetable"),
			web.Doc("Who has no lesson at a time of a day, and could take one over.")),

		web.Handle("GET /teacher/timetable/get", s.own, web.Read("timetable"),
			web.Doc("The caller's own lessons, of the week or of one day with what is different on it.")),
		web.Handle("GET /teacher/timetable/calendar", s.ownCalendar, web.Read("timetable"), web.GivesFile(ical.Type),
			web.Doc("The caller's own lessons of the current academic year as an iCalendar file.")),
		web.Handle("POST /teacher/timetable/calendar-link", s.ownLink, web.Read("timetable"),
			web.Doc("Makes the address that a calendar program subscribes to. The one before it stops working.")),
		web.Handle("POST /teacher/timetable/calendar-link/revoke", s.revokeOwn, web.Read("timetable"), web.Says("Revoked."),
			web.Doc("Ends the address that a calendar program subscribes to.")),

		web.Handle("GET /parent/timetable/get", s.child, web.Read("timetable"),
			web.Doc("The lessons of the caller's child, of the week or of one day with what is different on it.")),
		web.Handle("GET /parent/timetable/calendar", s.childCalendar, web.Read("timetable"), web.GivesFile(ical.Type),
			web.Doc("The lessons of the caller's child in the current academic year as an iCalendar file.")),
		web.Handle("POST /parent/timetable/calendar-link", s.childLink, web.Read("timetable"),
			web.Doc("Makes the address that a calendar program subscribes to. The one before it stops working.")),
		web.Handle("POST /parent/timetable/calendar-link/revoke", s.revokeChild, web.Read("timetable"), web.Says("Revoked."),
			web.Doc("Ends the address that a calendar program subscribes to.")),

		web.Handle("GET /calendar/{token}.ics", s.subscribed, web.GivesFile(ical.Type), web.Public("calendar programs can't sign in; the address is the secret"),
			web.Doc("The calendar of a link. 404 once it was revoked or its owner may no longer read it.")),
	}
}

// Uses tells academics what keeps a class, a division or a subject from being deleted.
func Uses() []academics.Use {
	lessons := func(column string) academics.Use {
		return academics.Use{Column: column, Table: "timetable_periods", One: "timetable period", Many: "timetable periods"}
	}
	return []academics.Use{lessons("class_id"), lessons("division_id"), lessons("subject_id"),
		{Column: "subject_id", Table: "timetable_overrides", One: "timetable override", Many: "timetable overrides"}}
}
