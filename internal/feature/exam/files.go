package exam

import (
	"context"
	"fmt"
	"io"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

const (
	csvType  = "text/csv"
	csvLimit = 4 << 20
	pdfType  = "application/pdf"
)

// fileRoutes are those that take or give files, and their JSON.
func (s *Service) fileRoutes() []web.Route {
	csv, pdf := web.TakesFile(csvType, csvLimit, "application/csv"), web.GivesFile(pdfType)
	return []web.Route{
		web.Handle("POST /school-admin/exam/result/upload", s.postResults, web.Write("result"), web.Says("Saved."),
			web.Doc("Save the marks of students in a paper"+uploadDoc)),
		web.Handle("POST /teacher/result/upload", s.postResults, web.Write("result"), web.Says("Saved."),
			web.Doc("Save the marks of students in a subject that the caller is assigned to"+uploadDoc)),
		web.Handle("POST /school-admin/exam/result/import", s.importResults, web.Write("result"), csv, web.Says("Saved."),
			web.Doc("Save the marks of students in a paper"+importDoc)),
		web.Handle("POST /teacher/result/import", s.importResults, web.Write("result"), csv, web.Says("Saved."),
			web.Doc("Save the marks of students in a subject that the caller is assigned to"+importDoc)),
		web.Handle("GET /school-admin/exam/report-card/{studentId}", s.card, web.Read("result"),
			web.Doc("The report card of a student, of an exam or of the latest.")),
		web.Handle("GET /school-admin/exam/report-card/{studentId}/pdf", s.cardPDF, web.Read("result"), pdf,
			web.Doc("The report card of a student, of an exam or of the latest, to print.")),
		web.Handle("GET /parent/exam/report-card", s.childCard, web.Read("result"),
			web.Doc("The report card of the caller's child, of a published exam or of the latest.")),
		web.Handle("GET /parent/exam/report-card/pdf", s.childCardPDF, web.Read("result"), pdf,
			web.Doc("The report card of the caller's child, of a published exam or of the latest, to print.")),
	}
}

const (
	uploadDoc = ": all of them or none. The same again changes nothing."
	importDoc = ", from a CSV file (admissionNo or studentId, marks, outcome, remark, one column per component): all of them or none. The same again changes nothing."
)

type uploadIn struct {
	ExamID    id.ID      `json:"examId" required:"true"`
	ClassID   id.ID      `json:"classId" required:"true"`
	SubjectID id.ID      `json:"subjectId" required:"true"`
	Results   []resultIn `json:"results" required:"true" minItems:"1" maxItems:"10000"`
}

// Check implements web's check of the whole.
func (in *uploadIn) Check() error { return checkResults(in.Results) }

func (s *Service) postResults(ctx context.Context, who actor.Actor, in uploadIn) (Uploaded, error) {
	return s.upload(ctx, who, target{in.ExamID, in.ClassID, in.SubjectID}, func(sheet) ([]entry, error) { return entriesOf(in.Results), nil })
}

type importIn struct {
	File      web.Upload `json:"-"`
	ExamID    id.ID      `json:"examId" required:"true"`
	ClassID   id.ID      `json:"classId" required:"true"`
	SubjectID id.ID      `json:"subjectId" required:"true"`
}

func (s *Service) importResults(ctx context.Context, who actor.Actor, in importIn) (Uploaded, error) {
	return s.upload(ctx, who, target{in.ExamID, in.ClassID, in.SubjectID}, func(sh sheet) ([]entry, error) { return readCSV(in.File, sh) })
}

type cardIn struct {
	StudentID id.ID  `path:"studentId"`
	ExamID    *id.ID `json:"examId" doc:"Left out: the latest exam in which the student has results."`
}

func (s *Service) card(ctx context.Context, who actor.Actor, in cardIn) (Card, error) {
	return s.makeCard(ctx, who, in.StudentID, in.ExamID)
}

func (s *Service) cardPDF(ctx context.Context, who actor.Actor, in cardIn) (web.File, error) {
	c, err := s.card(ctx, who, in)
	return s.file(who.School, c), err
}

type childCardIn struct {
	StudentID id.ID  `json:"studentId" required:"true"`
	ExamID    *id.ID `json:"examId" doc:"Left out: the latest published exam in which the student has results."`
}

func (s *Service) childCard(ctx context.Context, who actor.Actor, in childCardIn) (Card, error) {
	if err := people.MustBeLinked(ctx, s.DB.School(who.School), who.User, in.StudentID); err != nil {
		return Card{}, err
	}
	return s.makeCard(ctx, who, in.StudentID, in.ExamID)
}

func (s *Service) childCardPDF(ctx context.Context, who actor.Actor, in childCardIn) (web.File, error) {
	c, err := s.childCard(ctx, who, in)
	return s.file(who.School, c), err
}

// file is the report card to print.
func (s *Service) file(school id.ID, c Card) web.File {
	name := "report-card-" + c.Student.AdmissionNo
	if c.Exam != nil {
		name = fmt.Sprintf("%s-%s", name, c.Exam.Name)
	}
	return web.File{Name: name + ".pdf", Type: pdfType, Inline: true, Write: func(ctx context.Context, w io.Writer) error {
		return s.print(ctx, w, school, c)
	}}
}
