package identity

import (
	"context"
	"fmt"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
)

// event is a security event that the owner of an account is notified of.
type event string

const (
	newPlace    event = "place"    // a sign-in from an unknown network and device
	newPassword event = "password" // the password was changed
	pinGone     event = "pin"      // ten wrong PINs removed the PIN
	closed      event = "closed"   // locked out: too many wrong tries over all networks
	guessed     event = "second"   // the same at the second factor: the first one is known to somebody else
)

// alert notifies the owner of an account by the channel not used to sign in, which a
// thief of the phone or mailbox doesn't have. With one channel it uses that.
func (s *Service) alert(ctx context.Context, tx *db.Tx, a account, by way, e event, args ...any) error {
	if a.ID == "" {
		return nil
	}
	phone, email := opt.Value(a.Phone), opt.Value(a.Email)
	bySMS := phone != "" && (email == "" || by == byPassword || by == byReset)
	switch {
	case bySMS && e == newPlace && by != byPassword: // the code itself was the message
		return nil
	case bySMS:
		return s.alertBySMS(ctx, tx, a, phone, e, args)
	case email != "":
		return s.alertByMail(ctx, tx, a, email, e, args)
	}
	return nil
}

func (s *Service) alertBySMS(ctx context.Context, tx *db.Tx, a account, phone string, e event, args []any) error {
	texts := text.Standard()
	return s.Notify.Send(ctx, tx, a.SchoolID, notify.Message{Channel: notify.SMS, To: phone, User: a.ID, Secret: true, Lang: a.Locale,
		Subject: texts.Say(a.Locale, text.T("identity.alert.subject")),
		Body:    texts.Say(a.Locale, text.T("identity.alert."+string(e), args...))})
}

func (s *Service) alertByMail(ctx context.Context, tx *db.Tx, a account, email string, e event, args []any) error {
	at, err := school.Get(ctx, tx.School(a.SchoolID))
	if err != nil {
		return fmt.Errorf("read school: %w", err)
	}
	return s.post(ctx, tx, at.ID, a.ID, email, text.Letter{Brand: at.Brand(s.PublicURL), Locale: a.Locale, Name: a.Name,
		Title: text.T("identity.alert.subject"), Before: []text.Text{text.T("identity.alert."+string(e), args...)},
		After: []text.Text{text.T("identity.alert.then")}})
}

// alertLockout notifies the owner once, when the last wrong try locks the account for
// unknown networks and devices.
func (s *Service) alertLockout(ctx context.Context, tx *db.Tx, a attempt, wrong tries) error {
	e := closed
	if a.second {
		e = guessed
	}
	for _, r := range wrong {
		if r.name == wrongFromAnywhere.name && len(r.times) == r.limit {
			return s.alert(ctx, tx, a.at, a.way, e)
		}
	}
	return nil
}
