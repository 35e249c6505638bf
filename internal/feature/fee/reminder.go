package fee

import (
	"context"
	"slices"
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
	StudentIDs  []id.ID         `json:"studentIds" maxItems:"5000" doc:"Without studentIds and classId: everyone who owes fees."`
	ClassID     *id.ID          `json:"classId"`
	MinDue      *money.Positive `json:"minDue" minimum:"0.01" maximum:"9999999999.99" doc:"Only students who owe at least this amount."`
	OverdueOnly bool            `json:"overdueOnly" doc:"Only students with overdue charges."`
	Message     string          `json:"message" maxLength:"500" multiline:"true" doc:"Replaces the standard text of the text message and e-mail. The amount is added."`
}

// Check validates the fields together.
func (in *reminderIn) Check() error {
	if in.ClassID != nil && len(in.StudentIDs) > 0 {
		return fault.OnField("studentIds", "can't be combined with classId")
	}
	return nil
}

type reminderOut struct {
	Students int `json:"students" doc:"Students whose families were reminded."`
	Already  int `json:"alreadyReminded" doc:"Students whose families were already reminded today."`
	SMS      int `json:"sms"`
	Email    int `json:"email"`
}

// guardian is the recipient of a reminder.
type guardian struct {
	StudentID    id.ID
	UserID       id.ID
	Phone, Email string
}

// remind reminds families of unpaid fees, at most once a day per student. The text
// message and e-mail name the amount; the push notification does not.
func (s *Service) remind(ctx context.Context, who actor.Actor, in reminderIn) (out reminderOut, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		out = reminderOut{}
		if err := tx.Lock(ctx, "fee-reminders"); err != nil {
			return fault.Wrap("lock reminders", err)
		}
		debts, err := s.debtors(ctx, tx, who, in)
		if err != nil {
			return err
		}
		today := s.today(who)
		fresh := slices.DeleteFunc(slices.Clone(debts), func(d Debt) bool { return d.RemindedOn != nil && *d.RemindedOn >= today })
		out.Students, out.Already = len(fresh), len(debts)-len(fresh)
		if len(fresh) == 0 {
			return nil
		}
		if err := s.sendReminders(ctx, tx, who, fresh, in.Message, &out); err != nil {
			return err
		}
		ids := make([]id.ID, len(fresh))
		for i, d := range fresh {
			ids[i] = d.StudentID
		}
		if _, err := db.Exec(ctx, tx, `UPDATE fee_accounts SET reminded_on = :today WHERE school_id = :school AND student_id IN (:ids)`,
			db.Args{"today": today, "ids": ids}); err != nil {
			return fault.Wrap("write reminder date", err)
		}
		return s.record(ctx, tx, who, "fee-reminder.send", "fee-reminder", "", nil, map[string]any{"students": ids, "classId": in.ClassID})
	})
	return out, err
}

// debtors lists the students to remind.
func (s *Service) debtors(ctx context.Context, tx *db.Tx, who actor.Actor, in reminderIn) ([]Debt, error) {
	if len(in.StudentIDs) > 0 {
		if _, err := getStudents(ctx, tx, in.StudentIDs); err != nil {
			return nil, err
		}
	}
	f := dueFilters{ClassID: in.ClassID, MinDue: (*money.Money)(in.MinDue), Overdue: in.OverdueOnly}
	if err := f.exist(ctx, tx); err != nil {
		return nil, err
	}
	a := f.args(s.today(who))
	a["students"] = in.StudentIDs
	debts, err := db.All[Debt](ctx, tx, `SELECT `+dueColumns+` FROM `+dueFrom+f.where()+
		db.When(len(in.StudentIDs) > 0, ` AND a.student_id IN (:students)`)+` ORDER BY a.student_id`, a)
	return debts, fault.Wrap("read debtors", err)
}

func (s *Service) sendReminders(ctx context.Context, tx *db.Tx, who actor.Actor, debts []Debt, words string, out *reminderOut) error {
	sch, err := school.Get(ctx, tx)
	if err != nil {
		return err
	}
	notices, ids := make([]notification.Notice, len(debts)), make([]id.ID, len(debts))
	at := map[id.ID]Debt{}
	for i, d := range debts {
		ids[i], at[d.StudentID] = d.StudentID, d
		notices[i] = notice(d.StudentID, d.Oldest, text.T("fee.due.title"), text.T("fee.due.body"))
	}
	if err := s.notifyParents(ctx, tx, who.School, notices); err != nil {
		return err
	}
	guardians, err := db.All[guardian](ctx, tx, `
		SELECT l.student_id, g.user_id, g.phone, g.email FROM student_guardians l
		JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
		WHERE l.school_id = :school AND l.student_id IN (:students) AND l.can_view_data ORDER BY l.student_id, g.id`, db.Args{"students": ids})
	if err != nil {
		return fault.Wrap("read guardians", err)
	}
	letters := make([]notification.Letter, len(guardians))
	for i, g := range guardians {
		letters[i] = notification.Letter{User: g.UserID, Phone: g.Phone, Email: g.Email, Type: notification.Fee, Student: g.StudentID,
			Subject: text.T("fee.reminder.subject", "school", sch.Name), Body: reminder(sch, at[g.StudentID], words)}
	}
	sent, err := s.Notify.Write(ctx, tx, who.School, letters)
	out.SMS, out.Email = sent.SMS, sent.Email
	return fault.Wrap("send reminders", err)
}

// reminder is the text for one student's family.
func reminder(sch school.School, d Debt, own string) text.Text {
	name := strings.TrimSpace(d.FirstName + " " + d.LastName)
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
