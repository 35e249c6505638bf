package people

import (
	"context"
	"io"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

const (
	csvLimit = 64 << 20
	csvTime  = 10 * time.Minute
)

func (s *Service) csvRoutes() []web.Route {
	takes := web.TakesFile(csv.Type, csvLimit, "application/csv")
	gives := web.GivesFile(csv.Type)
	return []web.Route{
		web.Handle("POST /school-admin/student/import", s.postStudents, web.Write("student"), takes, web.Within(csvTime),
			web.Doc("Import students and guardians from a CSV file. Nothing is written unless every row is valid.")),
		web.Handle("GET /school-admin/student/import/template", s.studentTemplate, web.Read("student"), gives,
			web.Doc("A CSV file with the columns of an import and one example row.")),
		web.Handle("GET /school-admin/student/import/list", s.imports("student").List, web.Read("student"), web.List("createdAt"),
			web.Doc("List the imports of students.")),
		web.Handle("POST /school-admin/student/import/{id}/undo", s.imports("student").Undo, web.Write("student"), web.Within(csvTime),
			web.Says("Undone."), web.Doc("Delete the students and guardians that an import added, while nothing else refers to them.")),
		web.Handle("GET /school-admin/student/export", s.getStudents, web.Read("student"), gives, web.Within(csvTime),
			web.Doc("Students as a CSV file, which can be imported again.")),
		web.Handle("POST /school-admin/employee/import", s.postEmployees, web.Write("employee"), takes, web.Within(csvTime),
			web.Doc("Import employees from a CSV file and create their accounts. Nothing is written unless every row is valid.")),
		web.Handle("GET /school-admin/employee/import/template", s.employeeTemplate, web.Read("employee"), gives,
			web.Doc("A CSV file with the columns of an import and one example row.")),
		web.Handle("GET /school-admin/employee/import/list", s.imports("employee").List, web.Read("employee"), web.List("createdAt"),
			web.Doc("List the imports of employees.")),
		web.Handle("POST /school-admin/employee/import/{id}/undo", s.imports("employee").Undo, web.Write("employee"), web.Within(csvTime),
			web.Says("Undone."), web.Doc("Delete the employees and accounts that an import added, while nothing else refers to them.")),
		web.Handle("GET /school-admin/employee/export", s.getEmployees, web.Read("employee"), gives, web.Within(csvTime),
			web.Doc("Employees as a CSV file, which can be imported again.")),
	}
}

type importIn struct {
	DryRun  bool   `json:"dryRun" doc:"Check only: nothing is written."`
	Mode    string `json:"mode" enum:"create,upsert" default:"create" doc:"upsert updates existing records, found by admissionNo or employeeCode. Empty cells change nothing."`
	Partial bool   `json:"partial" doc:"Write the valid rows even if others are invalid."`
}

func (in importIn) ask(file web.Upload) Import {
	return Import{File: file.Name, DryRun: in.DryRun, Upsert: in.Mode == "upsert", Partial: in.Partial}
}

type importEmployeesIn struct {
	File web.Upload `json:"-"`
	importIn
}

type importStudentsIn struct {
	File web.Upload `json:"-"`
	importIn
	AcademicYearID *id.ID `json:"academicYearId" doc:"The academic year of the classes in the file. Default: the current one."`
}

func (s *Service) postStudents(ctx context.Context, who actor.Actor, in importStudentsIn) (Imported, error) {
	ask := in.ask(in.File)
	ask.Year = in.AcademicYearID
	return s.ImportStudents(ctx, who, in.File, ask)
}

func (s *Service) postEmployees(ctx context.Context, who actor.Actor, in importEmployeesIn) (Imported, error) {
	return s.ImportEmployees(ctx, who, in.File, in.ask(in.File))
}

// csvFile streams the rows that each writes.
func csvFile(name string, columns []csv.Column, each func(ctx context.Context, write func([]string) error) error) web.File {
	return web.File{Name: name, Type: csv.Type, Write: func(ctx context.Context, to io.Writer) error {
		w, err := csv.NewWriter(to, columns)
		if err == nil {
			err = each(ctx, w.Write)
		}
		if err != nil {
			return err
		}
		return w.Flush()
	}}
}

func (s *Service) studentTemplate(context.Context, actor.Actor, web.None) (web.File, error) {
	return Template("students-template.csv", studentColumnsCSV[:stGuardian+2*gdColumns],
		"2026-001", "Ada", "Lovelace", "2015-12-10", "FEMALE", "O+", "Grade 5", "A", "12", "2026-06-01",
		"12 Long Street, Springfield", "", "", "Allergic to nuts", "Sits in front", active, "", "",
		"Anne Lovelace", "MOTHER", "+15550100001", "anne@example.org", "George Byron", "FATHER", "+15550100002", ""), nil
}

func (s *Service) employeeTemplate(context.Context, actor.Actor, web.None) (web.File, error) {
	return Template("employees-template.csv", employeeColumnsCSV, "E0001", "Grace", "Hopper", "Head of science", "Science", "TEACHER",
		"+15550100003", "grace@example.org", "1985-12-09", "FEMALE", "2026-06-01", "MSc", "4200.50", "", Working), nil
}
