package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/token"
)

// forgotPassword sends a link to the e-mail if it is an administrator's. As with codes,
// only the job looks for the account. Past the hourly limit it silently sends nothing.
func (s *Service) forgotPassword(ctx context.Context, email string) error {
	now := s.Now()
	return s.commitRefused(ctx, func(ctx context.Context, tx *db.Tx) (refused, err error) {
		sent, err := s.lock(ctx, tx, resetMails.by(email))
		if err != nil {
			return nil, fmt.Errorf("read links sent: %w", err)
		}
		if sent.closed() != nil {
			return nil, nil
		}
		if err := sent.add(ctx, tx); err != nil {
			return nil, fmt.Errorf("count links sent: %w", err)
		}
		return nil, jobs.Enqueue(ctx, tx.School(school.PlatformID), now, mailReset{email}, jobs.Urgent())
	})
}

// mail sends the link if the e-mail has an account.
func (s *Service) mail(ctx context.Context, _ id.ID, j mailReset) error {
	a, err := getByEmail(ctx, s.across(), j.Email)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil
	case err != nil:
		return fmt.Errorf("read account: %w", err)
	}
	return s.DB.InSchool(ctx, a.SchoolID, func(ctx context.Context, tx *db.Tx) error {
		switch same, err := lockLogin(ctx, tx, a.ID, j.Email); {
		case err != nil:
			return fmt.Errorf("lock login: %w", err)
		case !same: // changed a moment ago
			return nil
		}
		link, err := s.newLink(ctx, tx, a.ID, resetLife)
		if err != nil {
			return err
		}
		at, err := school.Get(ctx, tx)
		if err != nil {
			return fmt.Errorf("read school: %w", err)
		}
		return s.post(ctx, tx, at.ID, a.ID, j.Email, text.Letter{Brand: at.Brand(s.PublicURL), Locale: a.Locale, Name: a.Name, URL: link,
			Title: text.T("identity.reset.subject"), Before: []text.Text{text.T("identity.reset.body")},
			Button: text.T("identity.reset.button"), After: []text.Text{text.T("identity.reset.ignore")}})
	})
}

// invite sends a new administrator of tx's school a link to set the first password.
func (s *Service) invite(ctx context.Context, tx *db.Tx, u User) error {
	at, err := school.Get(ctx, tx)
	if err != nil {
		return fmt.Errorf("read school: %w", err)
	}
	locale, err := localeOf(ctx, tx, u.ID, at)
	if err != nil {
		return err
	}
	link, err := s.newLink(ctx, tx, u.ID, inviteLife)
	if err != nil {
		return err
	}
	return s.post(ctx, tx, at.ID, u.ID, *u.Email, text.Letter{Brand: at.Brand(s.PublicURL), Locale: locale, Name: u.Name, URL: link,
		Title: text.T("identity.invite.subject"), Before: []text.Text{text.T("identity.invite.body", "school", at.Name)},
		Button: text.T("identity.invite.button"), After: []text.Text{text.T("identity.invite.then")}})
}

// post sends an e-mail with a secret link.
func (s *Service) post(ctx context.Context, tx *db.Tx, school, user id.ID, to string, l text.Letter) error {
	body, html := text.Standard().Write(l)
	return s.Notify.Send(ctx, tx, school, notify.Message{Channel: notify.Email, To: to, User: user, Secret: true, Lang: l.Locale,
		Subject: text.Standard().Say(l.Locale, l.Title), Body: body, HTML: html})
}

// resetPath is the address of the web app's page for a new password.
const resetPath = "/reset"

func (s *Service) newLink(ctx context.Context, tx *db.Tx, user id.ID, life time.Duration) (string, error) {
	secret, err := token.Opaque(s.Rand)
	if err != nil {
		return "", err
	}
	now := s.Now()
	if err := putReset(ctx, tx, s.NewID(), user, token.Digest(secret), now, now.Add(life)); err != nil {
		return "", fmt.Errorf("write link: %w", err)
	}
	return s.PublicURL + resetPath + "?token=" + secret, nil
}

// resetPassword sets a password with a link, consumes the link and ends all sessions of
// its user.
func (s *Service) resetPassword(ctx context.Context, who actor.Actor, in resetPasswordIn) error {
	digest := token.Digest(in.Token)
	link, err := getReset(ctx, s.across(), digest, s.Now())
	if err != nil {
		return db.Found("find link", err, errLink)
	}
	hash, err := s.Hasher.Hash(ctx, in.Password)
	if err != nil {
		return err
	}
	return s.commitRefused(ctx, func(ctx context.Context, all *db.Tx) (refused, err error) {
		return nil, s.useLink(ctx, all, all.School(link.SchoolID), who, link.UserID, digest, in.Password, hash)
	})
}

// useLink locks the account's row before the link's: every change of an account locks
// its row first, which prevents deadlocks.
func (s *Service) useLink(ctx context.Context, all, tx *db.Tx, who actor.Actor, user id.ID, digest, password, hash string) error {
	a, err := getAccount(ctx, tx, user)
	if err != nil {
		return db.Found("read account", err, errLink) // disabled
	}
	switch same, err := claim(ctx, tx, a, byReset, s.Now()); {
	case err != nil:
		return fmt.Errorf("claim account: %w", err)
	case !same:
		return errLink
	}
	if err := takeReset(ctx, tx, digest, s.Now()); err != nil {
		return db.Found("use link", err, errLink)
	}
	if err := checkPassword("password", password, a.Name, a.SchoolName, opt.Value(a.Email), opt.Value(a.Phone)); err != nil {
		return err // the link stays valid
	}
	at := attempt{way: byReset, name: opt.Value(a.Email), who: who, at: a, issued: true, place: "network " + network(who.IP)}
	if err := s.forget(ctx, all, wrongPasswords.by(at.name, at.place)); err != nil {
		return fmt.Errorf("forget wrong passwords: %w", err)
	}
	by := actor.Actor{User: user, Role: a.Role, RequestID: who.RequestID, IP: who.IP}
	switch err := s.setPassword(ctx, tx, by, user, hash, ""); {
	case errors.Is(err, ErrNoUser): // disabled a moment ago
		return errLink
	case err != nil:
		return err
	}
	if err := s.remember(ctx, all, at); err != nil { // the new password works from here too
		return err
	}
	return s.note(ctx, all, at, nil)
}
