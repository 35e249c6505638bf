package fee

import (
	"context"

	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/text"
)

// The log entry, SMS and e-mail name the student and the amount. The push does so only
// if the school wants details on lock screens.

// part is one student's part of a charge or receipt.
type part struct {
	student id.ID
	record  id.ID // the charge or receipt
	amount  money.Money
	rest    money.Money // of a charge: what its family still has to pay, and until when
	due     clock.Date
}

// wording is the text about a part.
type wording func(p part, student string, amount text.Amount) (title, body text.Text)

func charged(p part, student string, amount text.Amount) (title, body text.Text) {
	body = text.T("fee.charged.body", "student", student, "amount", amount, "date", p.due)
	switch {
	case p.rest == 0:
		body = text.T("fee.charged.paid", "student", student, "amount", amount)
	case p.rest < p.amount:
		body = text.T("fee.charged.rest", "student", student, "amount", amount, "date", p.due,
			"rest", text.Amount{Money: p.rest, Currency: amount.Currency})
	}
	return text.T("fee.charged.title"), body
}

// newCharges adds up the new charges of each student, without those that concessions
// waive, with the first due date.
func (b *book) newCharges() (out []part) {
	at := map[id.ID]int{} // index in out
	for _, c := range b.changed {
		if !c.CreatedAt.Equal(b.now) || c.Status == statusWaived {
			continue
		}
		i, seen := at[c.StudentID]
		if !seen {
			i = len(out)
			at[c.StudentID], out = i, append(out, part{student: c.StudentID, record: c.ID})
		}
		p := &out[i]
		p.amount += c.Amount - c.Conceded
		p.rest += c.outstanding()
		if c.outstanding() > 0 && (p.due == "" || c.DueDate < p.due) {
			p.due = c.DueDate
		}
	}
	return out
}

func received(_ part, student string, amount text.Amount) (title, body text.Text) {
	return text.T("fee.received.title"), text.T("fee.received.body", "student", student, "amount", amount)
}

func reversed(_ part, student string, amount text.Amount) (title, body text.Text) {
	return text.T("fee.reversed.title"), text.T("fee.reversed.body", "student", student, "amount", amount)
}

func voided(_ part, student string, amount text.Amount) (title, body text.Text) {
	return text.T("fee.voided.title"), text.T("fee.voided.body", "student", student, "amount", amount)
}

func revoked(_ part, student string, amount text.Amount) (title, body text.Text) {
	return text.T("fee.revoked.title"), text.T("fee.revoked.body", "student", student, "amount", amount)
}

// notifyParents notifies the parents of each student.
func (s *Service) notifyParents(ctx context.Context, tx *db.Tx, at id.ID, say wording, parts []part) error {
	if len(parts) == 0 {
		return nil
	}
	sch, err := school.Get(ctx, tx)
	if err != nil {
		return err
	}
	names, err := namesOf(ctx, tx, parts)
	if err != nil {
		return err
	}
	notices := make([]notification.Notice, len(parts))
	for i, p := range parts {
		title, body := say(p, names[p.student], text.Amount{Money: p.amount, Currency: sch.Currency})
		notices[i] = notice(p.student, p.record, title, body)
	}
	return fault.Wrap("notify parents", s.Notify.SendToParents(ctx, tx, at, notices))
}

func notice(student, record id.ID, title, body text.Text) notification.Notice {
	return notification.Notice{Topic: notification.StudentFeeTopic(student), Type: notification.Fee, Record: record, Student: student,
		Title: title, Body: body}
}

func namesOf(ctx context.Context, q db.Q, parts []part) (map[id.ID]string, error) {
	students, names := make([]id.ID, len(parts)), map[id.ID]string{}
	for i, p := range parts {
		students[i] = p.student
	}
	type named struct {
		ID   id.ID
		Name string
	}
	err := db.Each(ctx, q, `
		SELECT id, TRIM(first_name || ' ' || last_name) AS name FROM students WHERE school_id = :school AND id IN (:students)`,
		db.Args{"students": students}, func(n named) error {
			names[n.ID] = n.Name
			return nil
		})
	return names, fault.Wrap("read names of students", err)
}
