package fee

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/text"
)

type reminderIn struct {
	StudentIDs  []id.ID         `json:"studentIds" maxItems:"5000" example:"-" doc:"These students."`
	ClassID     *id.ID          `json:"classId" doc:"The students of this class."`
	All         bool            `json:"all" doc:"Everyone who owes fees. Required without studentIds and classId."`
	MinDue      *money.Positive `json:"minDue" minimum:"0.01" maximum:"9999999999.99" doc:"Only students who owe at least this amount."`
	OverdueOnly bool            `json:"overdueOnly" doc:"Only students with overdue charges."`
	Message     string          `json:"message" maxLength:"500" multiline:"true" doc:"Replaces the standard text. The amount is added."`
}

// Check validates the fields together.
func (in *reminderIn) Check() error {
	switch {
	case in.ClassID != nil && len(in.StudentIDs) > 0:
		return fault.OnField("studentIds", "can't be combined with classId")
	case in.All && (in.ClassID != nil || len(in.StudentIDs) > 0):
		return fault.OnField("all", "can't be combined with studentIds or classId")
	case !in.All && in.ClassID == nil && len(in.StudentIDs) == 0:
		return fault.OnField("all", "must be true to remind everyone; else send studentIds or classId")
	}
	return nil
}

type reminderOut struct {
	Students int `json:"students" doc:"Students whose families are reminded."`
	Families int `json:"families" doc:"Their families. Siblings with the same guardians are one family."`
	Already  int `json:"alreadyReminded" doc:"Students whose families were already reminded today."`
	notification.Reach
	SMSCost *money.Money `json:"smsCost" doc:"Estimated price of the SMS; null if the school has not set smsCost."`
}

// remind reminds families of unpaid fees, at most once a day per student.
func (s *Service) remind(ctx context.Context, who actor.Actor, in reminderIn) (out reminderOut, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "fee-reminders"); err != nil {
			return fault.Wrap("lock reminders", err)
		}
		var notices []notification.Notice
		if notices, out, err = s.reminders(ctx, tx, who, in); err != nil || len(notices) == 0 {
			return err
		}
		if err := s.Notify.Send(ctx, tx, who.School, notices); err != nil {
			return fault.Wrap("send reminders", err)
		}
		ids := make([]id.ID, len(notices))
		for i, n := range notices {
			ids[i] = n.Student
		}
		if _, err := db.Exec(ctx, tx, `UPDATE fee_accounts SET reminded_on = :today WHERE school_id = :school AND student_id IN (:ids)`,
			db.Args{"today": s.today(who), "ids": ids}); err != nil {
			return fault.Wrap("write reminder date", err)
		}
		return s.record(ctx, tx, who, "fee-reminder.send", "fee-reminder", "", nil, map[string]any{"students": ids, "classId": in.ClassID})
	})
	return out, err
}

// previewReminders counts what remind would send now.
func (s *Service) previewReminders(ctx context.Context, who actor.Actor, in reminderIn) (reminderOut, error) {
	_, out, err := s.reminders(ctx, s.DB.School(who.School), who, in)
	return out, err
}

// reminders returns the reminders to send, and counts them.
func (s *Service) reminders(ctx context.Context, q db.Q, who actor.Actor, in reminderIn) ([]notification.Notice, reminderOut, error) {
	var out reminderOut
	debts, err := s.debtors(ctx, q, who, in)
	if err != nil {
		return nil, out, err
	}
	sch, err := school.Get(ctx, q)
	if err != nil {
		return nil, out, err
	}
	today := s.today(who)
	var notices []notification.Notice
	for _, d := range debts {
		if d.RemindedOn != nil && *d.RemindedOn >= today {
			out.Already++
			continue
		}
		notices = append(notices, notice(d.StudentID, d.Oldest, text.T("fee.due.title"), reminder(sch, d, in.Message)))
	}
	if err := notification.ToParents(ctx, q, notices); err != nil {
		return nil, out, err
	}
	out.Students, out.Families = len(notices), families(notices)
	if out.Reach, err = s.Notify.Reach(ctx, q, notices); err != nil {
		return nil, out, fault.Wrap("count reminders", err)
	}
	if sch.SMSCost > 0 {
		out.SMSCost = new(sch.SMSCost * money.Money(out.SMSParts))
	}
	return notices, out, nil
}

// families counts the distinct groups of recipients.
func families(notices []notification.Notice) int {
	seen := map[string]bool{}
	for _, n := range notices {
		if len(n.Users)+len(n.Guardians) > 0 {
			seen[fmt.Sprint(n.Users, n.Guardians)] = true
		}
	}
	return len(seen)
}

// debtors lists the students to remind.
func (s *Service) debtors(ctx context.Context, q db.Q, who actor.Actor, in reminderIn) ([]Debt, error) {
	if len(in.StudentIDs) > 0 {
		if _, err := getStudents(ctx, q, in.StudentIDs); err != nil {
			return nil, err
		}
	}
	f := dueFilters{ClassID: in.ClassID, MinDue: (*money.Money)(in.MinDue), Overdue: in.OverdueOnly}
	if err := f.exist(ctx, q); err != nil {
		return nil, err
	}
	where, args := f.where(who, s.today(who))
	args["students"] = in.StudentIDs
	debts, err := db.All[Debt](ctx, q, `SELECT `+dueColumns+` FROM `+dueFrom+where+
		db.When(len(in.StudentIDs) > 0, ` AND a.student_id IN (:students)`)+` ORDER BY a.student_id`, args)
	return debts, fault.Wrap("read debtors", err)
}

// reminder is the text for one student's family.
func reminder(sch school.School, d Debt, own string) text.Text {
	name := strings.TrimSpace(string(d.FirstName + " " + d.LastName))
	words := text.Plain(strings.TrimSpace(own))
	if strings.TrimSpace(own) == "" {
		words = text.T("fee.reminder.words")
	}
	due := text.Amount{Money: d.Due, Currency: sch.Currency}
	if d.Overdue > 0 {
		return text.T("fee.reminder.overdue", "words", words, "student", name, "admissionNo", d.AdmissionNo, "due", due,
			"overdue", text.Amount{Money: d.Overdue, Currency: sch.Currency})
	}
	return text.T("fee.reminder.owes", "words", words, "student", name, "admissionNo", d.AdmissionNo, "due", due)
}
