package exam

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// maxRows is the maximum number of rows in a CSV file.
const maxRows = 10_000

// maxRemark is the maximum length of a remark, the same as in NewResult.
const maxRemark = 500

// NewPart has the marks of one component.
type NewPart struct {
	Name  string `json:"name" required:"true" maxLength:"50"`
	Marks Marks  `json:"marks" required:"true" minimum:"0" maximum:"100000"`
}

// NewResult is the input for one student's result in a paper.
type NewResult struct {
	StudentID  id.ID          `json:"studentId" required:"true"`
	Marks      web.Opt[Marks] `json:"marks" minimum:"0" maximum:"100000" doc:"0 to the paper's maxMarks, at most two decimals. Null without an outcome deletes the result."`
	Outcome    *Outcome       `json:"outcome" enum:"SCORED,ABSENT,EXEMPT" doc:"Default: SCORED if there are marks. ABSENT and EXEMPT have no marks and don't count as 0."`
	Components []NewPart      `json:"components" maxItems:"10" doc:"Marks of every component of the paper; marks may then be left out."`
	Remark     *string        `json:"remark" maxLength:"500" multiline:"true" doc:"Default: unchanged."`
}

func checkResults(results []NewResult) error {
	var bad []fault.Field
	for i, r := range results {
		if !r.Marks.Set && r.Outcome == nil && len(r.Components) == 0 {
			bad = append(bad, fault.Field{Field: fmt.Sprintf("results[%d].marks", i),
				Message: "is required: a number, or null with the outcome ABSENT or EXEMPT"})
		}
	}
	if bad != nil {
		return fault.Fields(bad...)
	}
	return nil
}

func entriesOf(results []NewResult) []entry {
	out := make([]entry, len(results))
	for i, r := range results {
		e := entry{at: fmt.Sprintf("results[%d]", i), student: r.StudentID}
		if r.Marks.Set && !r.Marks.Null {
			e.marks = &r.Marks.V
		}
		if r.Outcome != nil {
			e.outcome = *r.Outcome
		}
		for _, p := range r.Components {
			e.parts = append(e.parts, Part(p))
		}
		if r.Remark != nil {
			e.remark = new(strings.TrimSpace(*r.Remark))
		}
		out[i] = e
	}
	return out
}

// The columns of a CSV file of marks, followed by one per component.
const (
	colAdmissionNo = iota
	colStudentID
	colMarks
	colOutcome
	colRemark
	colParts
)

func columnsOf(p Paper) []csv.Column {
	out := []csv.Column{
		{Name: "admissionNo", Also: []string{"Admission Number", "Admission No"}},
		{Name: "studentId", Also: []string{"Student Id"}},
		{Name: "marks", Also: []string{"Mark", "Score"}},
		{Name: "outcome", Also: []string{"Result"}},
		{Name: "remark", Also: []string{"Remarks", "Comment"}},
	}
	for _, c := range p.Components.V {
		out = append(out, csv.Column{Name: c.Name})
	}
	return out
}

// words are the texts allowed in place of marks.
var words = map[string]Outcome{"ab": Absent, "abs": Absent, "absent": Absent, "ex": Exempt, "exempt": Exempt, "exempted": Exempt,
	"scored": Scored}

// readCSV parses a CSV file of marks. It seeks to the start, because a transaction
// may be retried. A row without marks and outcome is skipped. An entry has the errors of
// its row.
func readCSV(file io.ReadSeeker, sh sheet) ([]entry, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read a file of marks: %w", err)
	}
	r, err := csv.NewReader(file, columnsOf(sh.paper))
	if err != nil {
		return nil, csvFault(err)
	}
	byNo := map[string]id.ID{}
	for _, p := range sh.pupils {
		byNo[p.AdmissionNo] = p.StudentID
	}
	var out []entry
	for {
		row, cells, err := r.Next()
		e := entry{at: fmt.Sprintf("row %d", row)}
		problem, unreadable := errors.AsType[*csv.Problem](err)
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case unreadable:
			e.bad = []fault.Field{rowFault(problem)}
		case err != nil:
			return nil, csvFault(err)
		default:
			e.read(cells, sh.paper, byNo)
		}
		if e.bad != nil || e.outcome != "" || e.marks != nil || len(e.parts) > 0 {
			out = append(out, e)
		}
		if len(out) > maxRows {
			return nil, fault.OnField("file", "has more than %d rows: split it into smaller files", maxRows)
		}
		if unreadable && problem.Last {
			return out, nil
		}
	}
}

// read parses one row.
func (e *entry) read(cells []string, p Paper, byNo map[string]id.ID) {
	say := func(field, message string) {
		e.bad = append(e.bad, fault.Field{Field: e.at + "." + field, Message: message})
	}
	number := func(field, cell string) *Marks {
		m, err := parseMarks(cell)
		if err != nil {
			say(field, err.Error())
			return nil
		}
		return &m
	}
	no, student := cells[colAdmissionNo], cells[colStudentID]
	switch known, err := id.Parse(student); {
	case student != "" && err != nil:
		say("studentId", "must be an id")
	case student != "":
		e.student = known
	case byNo[no] == "":
		say("admissionNo", "is not the number of a student in this class")
	default:
		e.student = byNo[no]
	}
	if word, ok := words[people.Fold(cells[colMarks])]; ok {
		e.outcome = word
	} else if cells[colMarks] != "" {
		e.marks = number("marks", cells[colMarks])
	}
	if cell := cells[colOutcome]; cell != "" {
		word, ok := words[people.Fold(cell)]
		if !ok {
			say("outcome", "must be one of SCORED, ABSENT, EXEMPT")
		}
		e.outcome = word
	}
	for i, c := range p.Components.V {
		if cell := cells[colParts+i]; cell != "" {
			if m := number(c.Name, cell); m != nil {
				e.parts = append(e.parts, Part{c.Name, *m})
			}
		}
	}
	if cell := cells[colRemark]; cell != "" {
		remark, err := web.Lines(cell)
		switch {
		case err != nil:
			say("remark", err.Error())
		case utf8.RuneCountInString(remark) > maxRemark:
			say("remark", fmt.Sprintf("must have at most %d characters", maxRemark))
		}
		e.remark = &remark
	}
}

// csvFault is the error response for a file whose header can't be read.
func csvFault(err error) error {
	if p, ok := errors.AsType[*csv.Problem](err); ok {
		fields := []fault.Field{rowFault(p)}
		for _, hint := range p.Hints {
			fields = append(fields, fault.Field{Field: fields[0].Field, Message: hint})
		}
		return fault.Fields(fields...)
	}
	return fmt.Errorf("read a file of marks: %w", err)
}

func rowFault(p *csv.Problem) fault.Field {
	field := fmt.Sprintf("row %d", p.Row)
	if p.Column != "" {
		field += "." + p.Column
	}
	return fault.Field{Field: field, Message: p.Message}
}
