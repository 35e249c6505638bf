package attendance

import (
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/web"
)

// Routes returns the routes of this feature.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/attendance/mark", s.markAll, web.Write("attendance"), web.Says("Marked."),
			web.Doc("Mark the attendance of a class for a day or a period. If one record is invalid, none is saved. Idempotent.")),
		web.Handle("GET /school-admin/attendance/list", s.register, web.Read("attendance"),
			web.List("rollNo", "firstName", "lastName", "admissionNo"),
			web.Doc("List the students of a class with their marks of one day.")),
		web.Handle("GET /school-admin/attendance/report", s.report, web.Read("attendance"),
			web.Doc("Get the monthly report of a class or division: days, totals and percentage of each student.")),
		web.Handle("GET /school-admin/attendance/summary", s.summary, web.Read("attendance"),
			web.Doc("Get attendance totals by class and division, and the divisions not marked yet.")),
		web.Handle("POST /school-admin/attendance/remind", s.remind, web.Write("attendance"), web.Says("Reminded."),
			web.Doc("Remind the teachers who have not marked today. A teacher is told of a division once in 15 minutes.")),
		web.Handle("GET /school-admin/attendance/absentees", s.absentees, web.Read("attendance"),
			web.List("consecutiveDays", "firstName", "lastName", "admissionNo"),
			web.Doc("List absent students with their consecutive days of absence and a guardian to call.")),
		web.Handle("GET /school-admin/attendance/history", s.history, web.Read("attendance"),
			web.Doc("List the changes of a student's mark: who, when, from, to.")),
		web.Handle("GET /school-admin/attendance/export", s.export, web.Read("attendance"), web.GivesFile(csv.Type), web.Within(csvTime),
			web.Doc("Export marks of a month, a day or a date range as a CSV file.")),

		web.Handle("POST /teacher/attendance/mark", s.Mark, web.Write("attendance"), web.Says("Marked."),
			web.Doc("Mark the attendance of an assigned division. If one record is invalid, none is saved. Idempotent.")),
		web.Handle("GET /teacher/attendance/list", s.register, web.Read("attendance"), web.List("rollNo", "firstName", "lastName", "admissionNo"),
			web.Doc("List the students of an assigned division with their marks of one day.")),
		web.Handle("GET /teacher/attendance/report", s.report, web.Read("attendance"),
			web.Doc("Get the monthly report of an assigned division.")),
		web.Handle("GET /teacher/attendance/summary", s.summary, web.Read("attendance"),
			web.Doc("Get attendance totals of the caller's divisions, and the divisions not marked yet.")),

		web.Handle("GET /parent/attendance/list", s.child, web.Read("attendance"), web.List("date"),
			web.Doc("List a child's marks of a month.")),
		web.Handle("GET /parent/attendance/summary", s.childSummary, web.Read("attendance"),
			web.Doc("Get a child's attendance totals: of the academic year until today, or of a date range.")),
	}
}
