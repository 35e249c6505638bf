package identity

import (
	"context"
	"fmt"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
)

// reach is an account's login.
type reach struct{ phone, email string }

// reachedBy returns an account's login. Only administrators sign in by e-mail.
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

// newLogin reports whether a change gives an account a new login e-mail.
func newLogin(before, after User) bool {
	is := reachedBy(after).email
	return is != "" && is != reachedBy(before).email
}

// setLogin updates an administrator's login e-mail, and sends an invitation if there is
// no password.
func (s *Service) setLogin(ctx context.Context, tx *db.Tx, who actor.Actor, before, after User) error {
	if reachedBy(before).email == reachedBy(after).email {
		return nil
	}
	if err := deleteLogin(ctx, tx, after.ID); err != nil {
		return fmt.Errorf("delete login: %w", err)
	}
	if err := deleteResets(ctx, tx, after.ID); err != nil { // they were sent to the old address
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

// takenElsewhere reports whether another school's administrator signs in with the
// account's e-mail. A school must not learn that: the account gets no login, and the
// owner of the e-mail gets a notice, which looks like the invitation in the log of
// deliveries. Super-administrators get a 409 instead.
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
	locale, err := localeOf(ctx, tx, u.ID, at)
	if err != nil {
		return true, err
	}
	return true, s.post(ctx, tx, at.ID, u.ID, *u.Email, text.Letter{Brand: at.Brand(s.PublicURL), Locale: locale, Name: u.Name,
		Title: text.T("identity.invite.subject"), Before: []text.Text{text.T("identity.taken.body", "school", at.Name)}})
}

// tellMoved notifies the owner of an account, at the old address, of a changed login.
func (s *Service) tellMoved(ctx context.Context, tx *db.Tx, before, after User) error {
	if !moved(before, after) || reachedBy(before) == reachedBy(after) {
		return nil
	}
	at, err := school.Get(ctx, tx)
	if err != nil {
		return fmt.Errorf("read school: %w", err)
	}
	locale, err := localeOf(ctx, tx, after.ID, at)
	if err != nil {
		return err
	}
	l := text.Letter{Brand: at.Brand(s.PublicURL), Locale: locale, Name: before.Name,
		Title: text.T("identity.moved.subject"), Before: []text.Text{text.T("identity.moved.body", "school", at.Name)}}
	m := notify.Message{User: after.ID, Lang: l.Locale, Urgent: true, Subject: text.Standard().Say(l.Locale, l.Title)}
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

// localeOf returns the language of an account: its own, else its school's.
func localeOf(ctx context.Context, tx *db.Tx, user id.ID, at school.School) (string, error) {
	locale, err := db.One[string](ctx, tx, `SELECT COALESCE(locale, :school_locale) AS locale FROM users
		WHERE school_id = :school AND id = :user`, db.Args{"user": user, "school_locale": at.Locale})
	return locale, fault.Wrap("read the language of an account", err)
}

// countAdminsByEmail counts the administrators of tx's school with the e-mail, except one.
func countAdminsByEmail(ctx context.Context, tx *db.Tx, email string, but id.ID) (int, error) {
	return db.One[int](ctx, tx, `SELECT COUNT(*) FROM users WHERE school_id = :school AND role = 'SCHOOL_ADMIN' AND email = :email
		AND status <> 'DELETED' AND id <> :but`, db.Args{"email": email, "but": but})
}

func deletePassword(ctx context.Context, tx *db.Tx, user id.ID) error {
	_, err := db.Exec(ctx, tx, `UPDATE users SET password_hash = '' WHERE school_id = :school AND id = :id`, db.Args{"id": user})
	return err
}
