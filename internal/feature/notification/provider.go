package notification

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/web"
)

// Administrators may send testsAnHour test messages, each to themselves only.
const (
	testsAnHour = 5
	testAction  = "notification.test"
)

var (
	errManyTests = fault.New(fault.TooMany, "", "You have sent five test messages within an hour. Wait a little, then try again.")
	errNoPhone   = fault.New(fault.Conflict, "", "Your account has no phone number, so there is nowhere to send an SMS.")
	errNoEmail   = fault.New(fault.Conflict, "", "Your account has no e-mail address.")
	errNoDevice  = fault.New(fault.Conflict, "", "No device of yours is registered for push. Sign in to the app first.")
)

func (s *Service) providersRoute(pattern string) web.Route {
	return web.Handle(pattern, s.providers, web.Read("notification"),
		web.Doc("How SMS, e-mail and push work: the provider, what was sent and what failed. The platform sees all schools."))
}

func (s *Service) testRoute(pattern string) web.Route {
	return web.Handle(pattern, s.test, web.Write("notification"), web.Created(), web.Says("The test message is on its way."),
		web.Doc("Sends a test message to the caller's own phone, e-mail address or newest device. It is not retried. Five an hour."))
}

func (s *Service) testedRoute(pattern string) web.Route {
	return web.Handle(pattern, s.tested, web.Read("notification"), web.Doc("What became of a message to the caller, such as a test."))
}

type providersOut struct {
	Providers []notify.Health `json:"providers"`
}

func (s *Service) providers(ctx context.Context, who actor.Actor, _ web.None) (providersOut, error) {
	of := who.School
	if who.Role == actor.SuperAdmin {
		of = "" // all schools
	}
	list, err := s.Out.Health(ctx, of)
	return providersOut{list}, err
}

type testIn struct {
	Channel notify.Channel `json:"channel" required:"true" enum:"sms,email,push"`
}

// test sends a message to the caller.
func (s *Service) test(ctx context.Context, who actor.Actor, in testIn) (d notify.Delivery, err error) {
	sent := s.NewID()
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := s.limitTests(ctx, tx, who); err != nil {
			return err
		}
		m, err := s.testMessage(ctx, tx, who, in.Channel)
		if err != nil {
			return err
		}
		m.ID = sent
		if err := s.Out.Send(ctx, tx, who.School, m); err != nil {
			return err
		}
		err = s.Audit.Record(ctx, tx, who, testAction, "delivery", sent, nil, map[string]any{"channel": in.Channel})
		if err != nil {
			return err
		}
		d, err = s.Out.Own(ctx, tx, who.User, sent)
		return err
	})
	return d, err
}

// limitTests returns a fault if the caller has sent too many. The lock makes concurrent
// calls count one after the other.
func (s *Service) limitTests(ctx context.Context, tx *db.Tx, who actor.Actor) error {
	if err := tx.Lock(ctx, testAction+"/"+who.User.String()); err != nil {
		return err
	}
	n, err := s.Audit.Count(ctx, tx, who.User, testAction, s.Now().Add(-time.Hour))
	if err == nil && n >= testsAnHour {
		err = errManyTests.After(time.Hour / testsAnHour)
	}
	return err
}

// testMessage returns the message to the caller's own address.
func (s *Service) testMessage(ctx context.Context, tx *db.Tx, who actor.Actor, c notify.Channel) (m notify.Message, err error) {
	at, err := school.Get(ctx, tx)
	if err != nil {
		return m, err
	}
	me, err := db.One[struct{ Name, Phone, Email, Locale string }](ctx, tx, `
		SELECT name, COALESCE(phone, '') AS phone, COALESCE(email, '') AS email, COALESCE(locale, '') AS locale
		FROM users WHERE school_id = :school AND id = :user`, db.Args{"user": who.User})
	if err != nil {
		return m, fmt.Errorf("read the caller: %w", err)
	}
	if me.Locale == "" {
		me.Locale = at.Locale
	}
	words, title, body := text.Standard(), text.T("test.title"), text.T("test.body", "name", me.Name)
	m = notify.Message{Channel: c, User: who.User, Lang: me.Locale, Urgent: true, Once: true, Subject: words.Say(me.Locale, title),
		Body: words.Say(me.Locale, body)}
	switch c {
	case notify.SMS:
		m.To, err = me.Phone, missing(me.Phone, errNoPhone)
		m.Body = words.Say(me.Locale, text.T("sms.from", "school", at.Name, "words", body))
	case notify.Email:
		m.To, err = me.Email, missing(me.Email, errNoEmail)
		m.Body, m.HTML = words.Write(text.Letter{Brand: at.Brand(s.PublicURL), Locale: me.Locale, Title: title, Before: []text.Text{body}})
	case notify.Push:
		if m.To, err = s.newestDevice(ctx, tx, who.User); err == nil {
			err = missing(m.To, errNoDevice)
		}
		m.Device, m.Data = true, map[string]string{"type": "TEST"}
	}
	return m, err
}

func missing(address string, f *fault.Fault) error {
	if address == "" {
		return f
	}
	return nil
}

// newestDevice returns the address of the user's device that was registered last, or "".
func (s *Service) newestDevice(ctx context.Context, q db.Q, user id.ID) (string, error) {
	devices, err := db.All[device](ctx, q, `
		SELECT d.user_id, d.token, d.p256dh, d.auth FROM `+liveDevices+` WHERE d.school_id = :school AND d.user_id = :user
		ORDER BY d.updated_at DESC, d.id DESC LIMIT 1`, db.Args{"user": user, "now": s.Now()})
	if err != nil || len(devices) == 0 {
		return "", err
	}
	return devices[0].address(), nil
}

type testedIn struct {
	ID id.ID `path:"id"`
}

func (s *Service) tested(ctx context.Context, who actor.Actor, in testedIn) (notify.Delivery, error) {
	return s.Out.Own(ctx, s.DB.School(who.School), who.User, in.ID)
}
