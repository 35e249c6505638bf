package exam

import (
	"context"
	"fmt"
	"io"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/web"
)

const (
	csvLimit = 4 << 20
	pdfType  = "application/pdf"

	cardsTime = time.Minute
)

// fileRoutes accept or return files as well as JSON.
func (s *Service) fileRoutes() []web.Route {
	marks, orPDF := web.TakesFile(csv.Type, csvLimit, "application/csv"), web.OrFile(pdfType, "pdf")
	return []web.Route{
		web.Handle("POST /school-admin/exam/result/upload", s.SaveResults, web.Write("result"), marks, web.OrJSON(), web.Created(),
			web.Says("Saved."), web.Doc("Save the marks of students in a paper"+uploadDoc)),
		web.Handle("POST /teacher/result/upload", s.SaveResults, web.Write("result"), marks, web.OrJSON(), web.Created(), web.Says("Saved."),
			web.InEvaluation(), web.Doc("Save the marks of students in a subject that the caller is assigned to"+uploadDoc)),
		web.Handle("GET /school-admin/exam/report-card/{studentId}", s.card, web.Read("result"), orPDF,
			web.Doc("Get a student's report card for an exam, or for the latest exam. As JSON, or as PDF with ?format=pdf or Accept.")),
		web.Handle("GET /school-admin/exam/report-cards", s.cards, web.Read("result"), web.GivesFile(pdfType), web.Within(cardsTime),
			web.Doc("Get the report cards of a class or division for an exam in one PDF file, at most 200.")),
		web.Handle("GET /parent/exam/report-card", s.childCard, web.Read("result"), orPDF,
			web.Doc("Get a child's report card for a published exam, or for the latest one. As JSON, or as PDF with ?format=pdf or Accept.")),
	}
}

const uploadDoc = ", as JSON or as a CSV file (columns: admissionNo or studentId, marks, outcome, remark, one per component). " +
	"If one row is invalid, none is saved. Idempotent."

// NewResults are the marks of a paper, in Results or in a CSV file.
type NewResults struct {
	File      web.Upload  `json:"-"`
	ExamID    id.ID       `json:"examId" required:"true"`
	ClassID   id.ID       `json:"classId" required:"true"`
	SubjectID id.ID       `json:"subjectId" required:"true"`
	Results   []NewResult `json:"results" maxItems:"10000"`
}

// Check validates the fields together.
func (in *NewResults) Check() error {
	if in.File.File == nil && len(in.Results) == 0 {
		return fault.OnField("results", "is required")
	}
	return checkResults(in.Results)
}

// SaveResults writes the marks of students in a paper: all of them or none.
func (s *Service) SaveResults(ctx context.Context, who actor.Actor, in NewResults) (Uploaded, error) {
	return s.upload(ctx, who, target{in.ExamID, in.ClassID, in.SubjectID}, func(sh sheet) ([]entry, error) {
		if in.File.File != nil {
			return readCSV(in.File, sh)
		}
		return entriesOf(in.Results), nil
	})
}

type cardIn struct {
	StudentID id.ID  `path:"studentId"`
	ExamID    *id.ID `json:"examId" doc:"Default: the student's latest exam with results."`
	Format    string `json:"format" enum:"json,pdf" default:"json"`
}

func (s *Service) card(ctx context.Context, who actor.Actor, in cardIn) (web.Either[Card], error) {
	return s.cardAs(ctx, who, in.StudentID, in.ExamID, in.Format)
}

type childCardIn struct {
	StudentID id.ID  `json:"studentId" required:"true"`
	ExamID    *id.ID `json:"examId" doc:"Default: the student's latest published exam with results."`
	Format    string `json:"format" enum:"json,pdf" default:"json"`
}

func (s *Service) childCard(ctx context.Context, who actor.Actor, in childCardIn) (web.Either[Card], error) {
	if err := people.MustBeLinked(ctx, s.DB.School(who.School), who.User, in.StudentID); err != nil {
		return web.Either[Card]{}, err
	}
	return s.cardAs(ctx, who, in.StudentID, in.ExamID, in.Format)
}

// cardAs returns a report card as JSON or PDF.
func (s *Service) cardAs(ctx context.Context, who actor.Actor, student id.ID, exam *id.ID, format string) (web.Either[Card], error) {
	c, err := s.makeCard(ctx, who, student, exam)
	if err != nil || format != "pdf" {
		return web.Either[Card]{JSON: c}, err
	}
	file := s.file(who.School, c)
	return web.Either[Card]{File: &file}, nil
}

// file returns the report card as PDF.
func (s *Service) file(school id.ID, c Card) web.File {
	name, title := "report-card-"+c.Student.AdmissionNo, text.T("print.card.title")
	if c.Exam != nil {
		title = text.T("print.card.named", "exam", c.Exam.Name)
		name = fmt.Sprintf("%s-%s", name, c.Exam.Name)
	}
	return web.File{Name: name + ".pdf", Type: pdfType, Inline: true, Write: func(ctx context.Context, w io.Writer) error {
		return s.print(ctx, w, school, title, c)
	}}
}
