package exam

import (
	"slices"

	"homeroom/internal/platform/web"
)

// Routes returns the routes of this feature.
func (s *Service) Routes() []web.Route {
	return slices.Concat(s.examRoutes(), s.resultRoutes(), s.fileRoutes(), s.scaleRoutes(), s.teacherRoutes(), s.parentRoutes())
}

func (s *Service) examRoutes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/exam/create", s.Create, web.Write("exam"), web.Created(), web.Doc("Create an exam, as a draft.")),
		web.Handle("GET /school-admin/exam/list", s.exams, web.Read("exam"), web.List("name", "startDate", "createdAt"), web.Doc("List exams.")),
		web.Handle("GET /school-admin/exam/{id}", s.exam, web.Read("exam"), web.Doc("Get an exam.")),
		web.Handle("PUT /school-admin/exam/{id}", s.updateExam, web.Write("exam"), web.Doc("Change an exam that is not published.")),
		web.Handle("DELETE /school-admin/exam/{id}", s.deleteExam, web.Delete("exam"), web.Doc("Delete an exam that has no results.")),
		web.Handle("POST /school-admin/exam/schedule", s.Schedule, web.Write("exam"), web.Created(), web.Says("Scheduled."),
			web.Doc("Schedule papers of an exam; replaces those of the same class and subject. 409 if a class or room is needed twice at a time.")),
		web.Handle("GET /school-admin/exam/schedule/list", s.papers, web.Read("exam"), web.List("date", "className", "subjectName"),
			web.Doc("List papers of all exams.")),
		web.Handle("POST /school-admin/exam/{id}/complete", s.complete, web.Write("exam"), web.Says("Completed."),
			web.Doc("End an exam before the day of its last paper.")),
		web.Handle("POST /school-admin/exam/{id}/publish", s.publish, web.Write("exam"), web.Says("Published."),
			web.Doc("Publish the results and notify parents. With preview, only returns what parents would see and what is missing.")),
		web.Handle("POST /school-admin/exam/{id}/unpublish", s.unpublish, web.Write("exam"), web.Says("Unpublished."),
			web.Doc("Unpublish results, to correct them.")),
	}
}

func (s *Service) resultRoutes() []web.Route {
	return []web.Route{
		web.Handle("GET /school-admin/exam/result/list", s.results, web.Read("result"),
			web.List("createdAt", "rollNo", "firstName", "lastName", "subjectName", "marks"), web.Doc("List results of all exams.")),
		web.Handle("GET /school-admin/exam/{id}/analysis", s.analysis, web.Read("result"),
			web.Doc("Get averages, deviation, pass rate and toppers of an exam and of each paper.")),
	}
}

func (s *Service) scaleRoutes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/grade-scale/create", s.CreateScale, web.Write("exam"), web.Created(),
			web.Doc("Create a grade scale. The first one is the school's default.")),
		web.Handle("GET /school-admin/grade-scale/list", s.scales, web.Read("exam"), web.List("name", "createdAt"),
			web.Doc("List grade scales.")),
		web.Handle("GET /school-admin/grade-scale/{id}", s.scale, web.Read("exam"), web.Doc("Get a grade scale.")),
		web.Handle("PUT /school-admin/grade-scale/{id}", s.updateScale, web.Write("exam"),
			web.Doc("Change a grade scale. Published results keep their grades.")),
		web.Handle("DELETE /school-admin/grade-scale/{id}", s.deleteScale, web.Delete("exam"),
			web.Doc("Delete a grade scale that no exam uses.")),
	}
}

func (s *Service) teacherRoutes() []web.Route {
	return []web.Route{
		web.Handle("GET /teacher/exam/list", s.taughtExams, web.Read("exam"), web.List("name", "startDate", "createdAt"),
			web.Doc("List exams of the caller's assigned classes.")),
		web.Handle("GET /teacher/exam/schedule", s.taughtPapers, web.Read("exam"), web.List("date", "className", "subjectName"),
			web.Doc("List papers of the caller's assigned classes.")),
		web.Handle("GET /teacher/result/list", s.results, web.Read("result"),
			web.List("createdAt", "rollNo", "firstName", "lastName", "subjectName", "marks"),
			web.Doc("List results of the caller's assigned divisions.")),
	}
}

func (s *Service) parentRoutes() []web.Route {
	return []web.Route{
		web.Handle("GET /parent/exam/list", s.childExams, web.Read("exam"), web.List("name", "startDate", "createdAt"),
			web.Doc("List a child's exams.")),
		web.Handle("GET /parent/exam/schedule", s.childPapers, web.Read("exam"), web.List("date", "className", "subjectName"),
			web.Doc("List a child's exam papers.")),
		web.Handle("GET /parent/exam/result", s.childResults, web.Read("result"), web.List("name", "startDate", "createdAt"),
			web.Doc("List a child's results in published exams.")),
	}
}
