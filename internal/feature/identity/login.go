package identity

import (
	"context"
	"fmt"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
)

// reach is what someone signs in by.
type reach struct{ phone, email string }

// reachedBy is what an account signs in by. An e-mail counts for administrators only.
func reachedBy(u User) reach {
	r := reach{phone: opt.Value(u.Phone)}
	if byEmail(u.Role) {
		r.email = opt.Value(u.Email)
	}
	return r
}

// moved reports whether an account has another e-mail or phone.
func moved(before, after User) bool {
	return opt.Value(before.Email) != opt.Value(after.Email) || opt.Value(before.Phone) != opt.Value(after.Phone)
}

// newLogin reports whether an account signs in with an e-mail that it did not before.
func newLogin(before, after User) bool {
	is := reachedBy(after).email
	return is != "" && is != reachedBy(before).email
}

// setLogin keeps the e-mail that an administrator signs in with in step with the
// account, and invites one who can't sign in yet.
func (s *Service) setLogin(ctx context.Context, tx *db.Tx, who actor.Actor, before, after User) error {
	if reachedBy(before).email == reachedBy(after).email {
		return nil
	}
	if err := deleteLogin(ctx, tx, after.ID); err != nil {
		return fmt.Errorf("delete login: %w", err)
	}
	if err := deleteResets(ctx, tx, after.ID); err != nil { // they went to the old address
		return fmt.Errorf("delete links: %w", err)
	}
	if before.HasPassword && !after.HasPassword {
		if err := deletePassword(ctx, tx, after.ID); err != nil {
			return fmt.Errorf("delete password: %w", err)
		}
	}
	if !newLogin(before, after) {
		return nil
	}
	if taken, err := s.takenElsewhere(ctx, tx, who, after); err != nil || taken {
		return err
	}
	if err := putLogin(ctx, tx, after.ID, *after.Email); err != nil {
		return userFault("write login", err)
	}
	if after.HasPassword {
		return nil
	}
	return s.invite(ctx, tx, after)
}

// takenElsewhere reports whether an administrator of another school signs in with
// the account's e-mail. A school must not learn that: the account is left without
// a login, and in the place of the invitation the owner of the e-mail is told. The
// log of deliveries shows the one as the other. The platform gets a 409 instead.
func (s *Service) takenElsewhere(ctx context.Context, tx *db.Tx, who actor.Actor, u User) (bool, error) {
	if n, err := countAdminsByEmail(ctx, tx, *u.Email, u.ID); err != nil {
		return false, fmt.Errorf("look for the e-mail: %w", err)
	} else if n > 0 {
		return false, errEmail
	}
	if !ofSchool(who) {
		return false, nil
	}
	n, err := db.One[int](ctx, tx.Across(unscoped.Permit{}), `SELECT COUNT(*) FROM email_logins
		WHERE email = :email AND school_id <> :own`, db.Args{"email": *u.Email, "own": who.School})
	if err != nil {
		return false, fmt.Errorf("look for the e-mail: %w", err)
	}
	if n == 0 {
		return false, nil
	}
	at, err := school.Get(ctx, tx)
	if err != nil {
		return true, fmt.Errorf("read school: %w", err)
	}
	return true, s.post(ctx, tx, at.ID, u.ID, *u.Email, text.Letter{Brand: at.Brand(s.PublicURL), Locale: at.Locale, Name: u.Name,
		Title: text.T("identity.invite.subject"), Before: []text.Text{text.T("identity.taken.body", "school", at.Name)}})
}

// tellMoved tells the owner of an account, at the address before, that what the
// account signs in by was changed.
func (s *Service) tellMoved(ctx context.Context, tx *db.Tx, before, after User) error {
	if !moved(before, after) || reachedBy(before) == reachedBy(after) {
		return nil
	}
	at, err := school.Get(ctx, tx)
	if err != nil {
		return fmt.Errorf("read school: %w", err)
	}
	l := text.Letter{Brand: at.Brand(s.PublicURL), Locale: at.Locale, Name: before.Name,
		Title: text.T("identity.moved.subject"), Before: []text.Text{text.T("identity.moved.body", "school", at.Name)}}
	m := notify.Message{User: after.ID, Lang: l.Locale, Uncapped: true, Subject: text.Standard().Say(l.Locale, l.Title)}
	switch {
	case before.Email != nil:
		m.Channel, m.To = notify.Email, *before.Email
		m.Body, m.HTML = text.Standard().Write(l)
	case before.Phone != nil:
		m.Channel, m.To = notify.SMS, *before.Phone
		m.Body = text.Standard().Say(l.Locale, l.Before[0])
	default:
		return nil
	}
	return s.Notify.Send(ctx, tx, at.ID, m)
}

// countAdminsByEmail counts the administrators of tx's school who have the e-mail, but one.
func countAdminsByEmail(ctx context.Context, tx *db.Tx, email string, but id.ID) (int, error) {
	return db.One[int](ctx, tx, `SELECT COUNT(*) FROM users WHERE school_id = :school AND role = 'SCHOOL_ADMIN' AND email = :email
		AND status <> 'DELETED' AND id <> :but`, db.Args{"email": email, "but": but})
}

func deletePassword(ctx context.Context, tx *db.Tx, user id.ID) error {
	_, err := db.Exec(ctx, tx, `UPDATE users SET password_hash = '' WHERE school_id = :school AND id = :id`, db.Args{"id": user})
	return err
}
