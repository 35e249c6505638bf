package attendance

import "homeroom/internal/platform/web"

// Routes is everything this feature answers.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/attendance/mark", s.Mark, web.Write("attendance"), web.Says("Marked."),
			web.Doc("Marks students of a class for a day, or for a period of it: all records or none. The same call again changes nothing.")),
		web.Handle("GET /school-admin/attendance/list", s.register, web.Read("attendance"), web.List("rollNo", "firstName", "lastName", "admissionNo"),
			web.Doc("The students of a class with their marks of one day.")),
		web.Handle("GET /school-admin/attendance/report", s.report, web.Read("attendance"),
			web.Doc("A month of a class or division: each student's days, totals and percentage.")),
		web.Handle("GET /school-admin/attendance/summary", s.summary, web.Read("attendance"),
			web.Doc("How many were there, by class and division, and who has not marked yet.")),
		web.Handle("GET /school-admin/attendance/absentees", s.absentees, web.Read("attendance"), web.List("consecutiveDays", "firstName", "lastName", "admissionNo"),
			web.Doc("Who is absent, for at least so many school days in a row, and whom to call.")),
		web.Handle("GET /school-admin/attendance/history", s.history, web.Read("attendance"),
			web.Doc("Every change of one student's mark: who, when, from what, to what.")),
		web.Handle("GET /school-admin/attendance/export", s.export, web.Read("attendance"), web.GivesFile(csvType), web.Within(csvTime),
			web.Doc("Marks as a CSV file: of a month, a day, or a span of days.")),

		web.Handle("POST /teacher/attendance/mark", s.Mark, web.Write("attendance"), web.Says("Marked."),
			web.Doc("Marks students of a division that the caller is assigned to: all records or none. The same call again changes nothing.")),
		web.Handle("GET /teacher/attendance/list", s.register, web.Read("attendance"), web.List("rollNo", "firstName", "lastName", "admissionNo"),
			web.Doc("The students of a division that the caller is assigned to, with their marks of one day.")),
		web.Handle("GET /teacher/attendance/report", s.report, web.Read("attendance"),
			web.Doc("A month of a division that the caller is assigned to.")),
		web.Handle("GET /teacher/attendance/summary", s.summary, web.Read("attendance"),
			web.Doc("How many were there in the caller's divisions, and which are not marked yet.")),

		web.Handle("GET /parent/attendance/list", s.child, web.Read("attendance"), web.List("date"),
			web.Doc("A month of the caller's child, day by day.")),
		web.Handle("GET /parent/attendance/summary", s.childSummary, web.Read("attendance"),
			web.Doc("How often the caller's child was there: in the academic year until today, or in the days named.")),
	}
}
