package fee

import (
	"context"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Debt is the amount that a student owes.
type Debt struct {
	StudentID   id.ID       `json:"studentId"`
	AdmissionNo string      `json:"admissionNo"`
	FirstName   opt.Text    `json:"firstName"`
	LastName    opt.Text    `json:"lastName"`
	ClassID     *id.ID      `json:"classId"`
	ClassName   opt.Text    `json:"className"`
	Division    opt.Text    `json:"divisionName"`
	Due         money.Money `json:"due"`
	Overdue     money.Money `json:"overdue" doc:"The part past its due date."`
	OldestDue   *clock.Date `json:"oldestDueDate"`
	RemindedOn  *clock.Date `json:"remindedOn" doc:"Date of the last reminder."`
	Guardian    *string     `json:"guardianName" doc:"The guardian to call, the primary one if there are several; null without one, and without read on student."`
	Phone       *string     `json:"guardianPhone" doc:"Null without one, and without read on student."`

	Oldest id.ID `json:"-"` // the unpaid charge with the oldest due date
}

type dueFilters struct {
	ClassID    *id.ID       `json:"classId,omitempty"`
	DivisionID *id.ID       `json:"divisionId,omitempty"`
	MinDue     *money.Money `json:"minDue,omitempty" minimum:"0" maximum:"9999999999.99"`
	Overdue    bool         `json:"overdue,omitempty" doc:"Only students with overdue charges."`
	Search     string       `json:"search,omitempty" doc:"Words in any order, each any part of the student's name, admission number or phone, or of a guardian's name, phone or e-mail. Without read on student: of the name or admission number."`
}

// db refuses arguments that a statement does not name, and the count query has no
// columns: so the condition names :today too.
const (
	dueColumns = `a.student_id, s.admission_no, s.first_name, s.last_name, s.class_id, COALESCE(k.name, '') AS class_name,
		COALESCE(d.name, '') AS division, a.due, a.reminded_on,
		(SELECT CAST(COALESCE(SUM(c.amount - c.paid - c.conceded), 0) AS BIGINT) FROM fee_charges c
			WHERE c.school_id = a.school_id AND c.student_id = a.student_id AND ` + isUnpaid + ` AND c.due_date < :today) AS overdue,
		(SELECT MIN(c.due_date) FROM fee_charges c WHERE c.school_id = a.school_id AND c.student_id = a.student_id AND ` + isUnpaid +
		`) AS oldest_due,
		(SELECT c.id FROM fee_charges c WHERE c.school_id = a.school_id AND c.student_id = a.student_id AND ` + isUnpaid +
		` ORDER BY c.due_date, c.id LIMIT 1) AS oldest,
		(SELECT NULLIF(g.name, '') ` + guardianFrom + `) AS guardian, (SELECT NULLIF(g.phone, '') ` + guardianFrom + `) AS phone`
	guardianFrom = `FROM student_guardians l JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
		WHERE l.school_id = a.school_id AND l.student_id = a.student_id ORDER BY l.is_primary DESC, g.id LIMIT 1`
	dueFrom = `fee_accounts a JOIN students s ON s.school_id = a.school_id AND s.id = a.student_id ` + seatJoins + `
		WHERE a.school_id = :school AND a.due > 0 AND s.archived_at IS NULL AND :today > ''`
)

// redact removes the guardian unless the caller may read students.
func (d *Debt) redact(who actor.Actor) {
	if !who.Can("student", actor.Read) {
		d.Guardian, d.Phone = nil, nil
	}
}

// matches is the condition of the search. Whoever may not read students finds nobody by
// a phone or a guardian.
func (f dueFilters) matches(who actor.Actor, args db.Args) string {
	if !who.Can("student", actor.Read) {
		return people.Matches(args, `REPLACE(s.search, s.phone, '')`, f.Search)
	}
	return people.StudentMatches(args, "s", f.Search)
}

// where is the condition on the accounts of dueFrom, with the arguments of the statement.
func (f dueFilters) where(who actor.Actor, today clock.Date) (string, db.Args) {
	args := db.Args{"class": f.ClassID, "division": f.DivisionID, "least": f.MinDue, "today": today}
	return db.When(f.ClassID != nil, ` AND s.class_id = :class`) +
		db.When(f.DivisionID != nil, ` AND s.division_id = :division`) +
		db.When(f.MinDue != nil, ` AND a.due >= :least`) +
		db.When(f.Overdue, ` AND EXISTS (SELECT 1 FROM fee_charges c WHERE c.school_id = a.school_id AND c.student_id = a.student_id AND `+
			isUnpaid+` AND c.due_date < :today)`) +
		f.matches(who, args), args
}

func (f dueFilters) exist(ctx context.Context, q db.Q) error {
	return people.MustExist(ctx, q, people.Ref{Table: "classes", ID: f.ClassID, Missing: errNoClass},
		people.Ref{Table: "divisions", ID: f.DivisionID, Missing: errNoDivision})
}

func (s *Service) dues(ctx context.Context, who actor.Actor, in page.Ask[dueFilters]) (page.Of[Debt], error) {
	q, f := s.DB.School(who.School), in.Filters
	where, args := f.where(who, s.today(who))
	out, err := db.Page[Debt](ctx, q, db.List{Columns: dueColumns, From: dueFrom + where,
		Sorts: map[string]string{"due": "a.due", "firstName": "s.first_name", "lastName": "s.last_name", "admissionNo": "s.admission_no",
			"id": "a.student_id"},
		Default: "-due"}, in.Request, args)
	for i := range out.Items {
		out.Items[i].redact(who)
	}
	if err != nil || out.Total > 0 {
		return out, fault.Wrap("list dues", err)
	}
	return out, f.exist(ctx, q)
}

// withoutSearch is for the audit log: a search may hold personal data, which erasure can't remove from there.
func (f dueFilters) withoutSearch() dueFilters {
	f.Search = ""
	return f
}

// exportDues exports all debts, the largest first.
func (s *Service) exportDues(ctx context.Context, who actor.Actor, f dueFilters) (web.File, error) {
	q, today := s.DB.School(who.School), s.today(who)
	if err := f.exist(ctx, q); err != nil {
		return web.File{}, err
	}
	if err := s.exported(ctx, who, "fee-dues", f.withoutSearch()); err != nil {
		return web.File{}, err
	}
	columns := []string{"admissionNo", "firstName", "lastName", "class", "division", "due", "overdue", "oldestDueDate", "remindedOn",
		"guardianName", "guardianPhone"}
	where, args := f.where(who, today)
	return csvFile("fees-due-"+string(today)+".csv", columns, func(ctx context.Context, write func(...string) error) error {
		return db.Each(ctx, q, `SELECT `+dueColumns+` FROM `+dueFrom+where+` ORDER BY a.due DESC, a.student_id`, args,
			func(d Debt) error {
				d.redact(who)
				return write(d.AdmissionNo, string(d.FirstName), string(d.LastName), string(d.ClassName), string(d.Division), d.Due.String(),
					d.Overdue.String(), dateText(d.OldestDue), dateText(d.RemindedOn), opt.Value(d.Guardian), opt.Value(d.Phone))
			})
	}), nil
}

func dateText(d *clock.Date) string {
	if d == nil {
		return ""
	}
	return string(*d)
}
