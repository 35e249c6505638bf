package timetable

import (
	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/timetable/ical"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/web"
)

// Routes are the endpoints of this feature.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		web.Handle("PUT /school-admin/timetable", s.Replace, web.Write("timetable"),
			web.Doc("Replaces the week of a division. 409 if a teacher or room would be booked twice; details list the clashes.")),
		web.Handle("GET /school-admin/timetable", s.week, web.Read("timetable"),
			web.Doc("The week of a division, or its lessons on one day.")),
		web.Handle("GET /school-admin/timetable/teacher", s.ofTeacher, web.Read("timetable"),
			web.Doc("The lessons of a teacher in all divisions: the regular week, or one day with overrides.")),
		web.Handle("POST /school-admin/timetable/import", s.importWeeks, web.Write("timetable"),
			people.TakesCSV(),
			web.Doc("Import weeks from a CSV file of lessons: it replaces the week of every division that it names. Nothing is written "+
				"unless every row is valid. 409 if a teacher or room would be booked twice.")),
		web.Handle("GET /school-admin/timetable/import/template", s.lessonTemplate, web.Read("timetable"), web.GivesFile(csv.Type),
			web.Doc("A CSV file with the columns of an import and one example row.")),
		web.Handle("GET /school-admin/timetable/import/list", s.imports().List, web.Read("timetable"), web.List("createdAt"),
			web.Doc("List the imports of timetables.")),
		web.Handle("POST /school-admin/timetable/import/{id}/undo", s.imports().Undo, web.Write("timetable"), web.Says("Undone."),
			web.Doc("Restore the weeks that an import replaced, while none of them was changed or overridden.")),
		web.Handle("POST /school-admin/timetable/override", s.SetOverride, web.Write("timetable"), web.Created(),
			web.Doc("Overrides one period of one day: another teacher, room or subject, or cancelled. A substitute is notified and, "+
				"on that day, has the rights of an assignment to the division and subject.")),
		web.Handle("DELETE /school-admin/timetable/override/{id}", s.restore, web.Delete("timetable"),
			web.Doc("Deletes an override, which restores the regular lesson.")),
		web.Handle("GET /school-admin/timetable/overrides", s.overrides, web.Read("timetable"), web.List("date", "createdAt"),
			web.Doc("Overrides by date.")),
		web.Handle("GET /school-admin/timetable/free-teachers", s.free, web.Read("timetable"),
			web.Doc("Teachers without a lesson at a given time and not on leave that day, as possible substitutes.")),
		web.Handle("GET /school-admin/timetable/cover", s.cover, web.Read("timetable"),
			web.Doc("The lessons of a day that need a substitute, because their teacher is on approved leave or has left the school.")),

		web.Handle("GET /teacher/timetable/get", s.own, web.Read("timetable"),
			web.Doc("The caller's lessons: the regular week, or one day with overrides.")),
		web.Handle("GET /teacher/timetable/calendar", s.ownCalendar, web.Read("timetable"), web.GivesFile(ical.Type),
			web.Doc("The caller's lessons of the current academic year as an iCalendar file.")),
		web.Handle("POST /teacher/timetable/calendar-link", s.ownLink, web.Read("timetable"), web.GivesSecret(),
			web.Doc("Creates a URL for calendar apps to subscribe to. The previous one stops working.")),
		web.Handle("POST /teacher/timetable/calendar-link/revoke", s.revokeOwn, web.Read("timetable"), web.Says("Revoked."),
			web.Doc("Revokes the calendar URL.")),

		web.Handle("GET /parent/timetable/get", s.child, web.Read("timetable"),
			web.Doc("The lessons of the caller's child: the regular week, or one day with overrides.")),
		web.Handle("GET /parent/timetable/calendar", s.childCalendar, web.Read("timetable"), web.GivesFile(ical.Type),
			web.Doc("The lessons of the caller's child in the current academic year as an iCalendar file.")),
		web.Handle("POST /parent/timetable/calendar-link", s.childLink, web.Read("timetable"), web.GivesSecret(),
			web.Doc("Creates a URL for calendar apps to subscribe to. The previous one stops working.")),
		web.Handle("POST /parent/timetable/calendar-link/revoke", s.revokeChild, web.Read("timetable"), web.Says("Revoked."),
			web.Doc("Revokes the calendar URL.")),

		web.Handle("GET /calendar/{token}.ics", s.subscribed, web.GivesFile(ical.Type),
			web.Public("calendar apps can't sign in; the URL contains a secret token"),
			web.Doc("The calendar of a link. 404 if it was revoked or its owner may no longer read it.")),
	}
}

// Uses lists the references that block deleting a class, a division or a subject.
func Uses() []academics.Use {
	lessons := func(column string) academics.Use {
		return academics.Use{Column: column, Table: "timetable_periods", One: "timetable period", Many: "timetable periods"}
	}
	return []academics.Use{lessons("class_id"), lessons("division_id"), lessons("subject_id"),
		{Column: "subject_id", Table: "timetable_overrides", One: "timetable override", Many: "timetable overrides"}}
}
