package exam

import (
	"slices"

	"homeroom/internal/platform/web"
)

// Routes is everything this feature answers.
func (s *Service) Routes() []web.Route {
	return slices.Concat(s.examRoutes(), s.resultRoutes(), s.fileRoutes(), s.scaleRoutes(), s.teacherRoutes(), s.parentRoutes())
}

func (s *Service) examRoutes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/exam/create", s.Create, web.Write("exam"), web.Created(), web.Doc("Create an exam, as a draft.")),
		web.Handle("GET /school-admin/exam/list", s.exams, web.Read("exam"), web.List("name", "startDate", "createdAt"), web.Doc("Exams of this school.")),
		web.Handle("GET /school-admin/exam/{id}", s.exam, web.Read("exam"), web.Doc("One exam.")),
		web.Handle("PUT /school-admin/exam/{id}", s.updateExam, web.Write("exam"), web.Doc("Change an exam that is not published.")),
		web.Handle("DELETE /school-admin/exam/{id}", s.deleteExam, web.Delete("exam"), web.Doc("Delete an exam that has no results.")),
		web.Handle("POST /school-admin/exam/schedule", s.Schedule, web.Write("exam"), web.Says("Scheduled."),
			web.Doc("Put papers on the schedule of an exam, in place of those of the same class and subject. A class or room that is needed twice: 409, with both.")),
		web.Handle("GET /school-admin/exam/schedule/list", s.papers, web.Read("exam"), web.List("date", "className", "subjectName"), web.Doc("Papers of all exams.")),
		web.Handle("POST /school-admin/exam/{id}/complete", s.complete, web.Write("exam"), web.Says("Completed."), web.Doc("End an exam before the day of its last paper.")),
		web.Handle("POST /school-admin/exam/{id}/publish", s.publish, web.Write("exam"), web.Says("Published."),
			web.Doc("Show the results to parents and tell them; with preview, tell what they would see and what is missing.")),
		web.Handle("POST /school-admin/exam/{id}/unpublish", s.unpublish, web.Write("exam"), web.Says("Unpublished."),
			web.Doc("Take published results back, to correct them.")),
	}
}

func (s *Service) resultRoutes() []web.Route {
	return []web.Route{
		web.Handle("GET /school-admin/exam/result/list", s.results, web.Read("result"),
			web.List("createdAt", "rollNo", "firstName", "lastName", "subjectName", "marks"), web.Doc("Results of all exams.")),
		web.Handle("GET /school-admin/exam/{id}/analysis", s.analysis, web.Read("result"), web.Doc("Average, spread, pass rate and toppers of an exam and of each of its papers.")),
	}
}

func (s *Service) scaleRoutes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/grade-scale/create", s.CreateScale, web.Write("exam"), web.Created(), web.Doc("Create a grade scale. The first one is the school's default.")),
		web.Handle("GET /school-admin/grade-scale/list", s.scales, web.Read("exam"), web.List("name", "createdAt"), web.Doc("Grade scales of this school.")),
		web.Handle("GET /school-admin/grade-scale/{id}", s.scale, web.Read("exam"), web.Doc("One grade scale.")),
		web.Handle("PUT /school-admin/grade-scale/{id}", s.updateScale, web.Write("exam"), web.Doc("Change a grade scale. Published results keep their grades.")),
		web.Handle("DELETE /school-admin/grade-scale/{id}", s.deleteScale, web.Delete("exam"), web.Doc("Delete a grade scale that no exam uses.")),
	}
}

func (s *Service) teacherRoutes() []web.Route {
	return []web.Route{
		web.Handle("GET /teacher/exam/list", s.taughtExams, web.Read("exam"), web.List("name", "startDate", "createdAt"), web.Doc("Exams of the classes that the caller is assigned to.")),
		web.Handle("GET /teacher/exam/schedule", s.taughtPapers, web.Read("exam"), web.List("date", "className", "subjectName"), web.Doc("Papers of the classes that the caller is assigned to.")),
		web.Handle("GET /teacher/result/list", s.results, web.Read("result"),
			web.List("createdAt", "rollNo", "firstName", "lastName", "subjectName", "marks"), web.Doc("Results of the divisions that the caller is assigned to.")),
	}
}

func (s *Service) parentRoutes() []web.Route {
	return []web.Route{
		web.Handle("GET /parent/exam/list", s.childExams, web.Read("exam"), web.List("name", "startDate", "createdAt"), web.Doc("Exams of the caller's child.")),
		web.Handle("GET /parent/exam/schedule", s.childPapers, web.Read("exam"), web.List("date", "className", "subjectName"), web.Doc("Papers of the caller's child.")),
		web.Handle("GET /parent/exam/result", s.childResults, web.Read("result"), web.List("name", "startDate", "createdAt"), web.Doc("How the caller's child did in exams whose results are published.")),
	}
}
