package notification

import (
	"cmp"
	"context"
	"fmt"

	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/web"
)

// Preferences are a user's notification preferences.
type Preferences struct {
	Language   *string           `json:"language" doc:"Null: the school's language." example:"es"`
	Languages  []string          `json:"languages" doc:"Languages with translations; others fall back to one of them."`
	QuietHours *QuietHours       `json:"quietHours" doc:"In the school's time zone; null for none. Absences and urgent messages are sent anyway."`
	Channels   map[Type]Channels `json:"channels" doc:"By type of notification. Urgent messages are sent by every channel."`
}

// QuietHours is a daily period without notifications; it may span midnight.
type QuietHours struct {
	From clock.TimeOfDay `json:"from" required:"true" example:"21:00"`
	To   clock.TimeOfDay `json:"to" required:"true" example:"07:00"`
}

// Channels are the channels of one type. The log in the app has every type.
type Channels struct {
	Push  bool `json:"push"`
	SMS   bool `json:"sms" doc:"While true, an SMS is sent if the school sends this type by SMS, or to a parent without the app."`
	Email bool `json:"email"`
}

// switches are the channels that someone switched on or off, by type.
type switches map[Type]channelsChange

// frequent reports whether a type may come many times a day. Such a type goes by SMS
// only if the school's policy says so, and by e-mail only if the reader switched it on.
func frequent(of Type) bool { return of == Transport || of == Message }

// wants returns the reader's channels of a type.
func (r reader) wants(of Type) Channels {
	c, chosen := Channels{Push: true, SMS: true, Email: !frequent(of)}, r.Channels.V[of]
	opt.Set(&c.Push, chosen.Push)
	opt.Set(&c.SMS, chosen.SMS)
	opt.Set(&c.Email, chosen.Email)
	return c
}

type preferencesIn struct {
	Language   web.Opt[string]           `json:"language" pattern:"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$" patternHint:"must be a language, such as en or pt-BR" example:"pt-BR" doc:"Null for the school's language."`
	QuietHours web.Opt[QuietHours]       `json:"quietHours" doc:"Null for none."`
	Channels   map[string]channelsChange `json:"channels" keys:"ANNOUNCEMENT,ATTENDANCE,RESULT,FEE,LEAVE_REQUEST,MESSAGE,TRANSPORT,LIBRARY,TIMETABLE,CONTACT" doc:"By type; types left out stay as they are."`
}

type channelsChange struct {
	Push  *bool `json:"push,omitempty"`
	SMS   *bool `json:"sms,omitempty"`
	Email *bool `json:"email,omitempty"`
}

// Check validates quiet hours.
func (in *preferencesIn) Check() error {
	if q := in.QuietHours; q.Set && !q.Null && q.V.From == q.V.To {
		return fault.OnField("quietHours.to", "must differ from from; send null for no quiet hours")
	}
	return nil
}

// apply returns the reader with the change applied.
func (in preferencesIn) apply(r reader) reader {
	switch {
	case in.Language.Null:
		r.Locale = ""
	case in.Language.Set:
		r.Locale = in.Language.V
	}
	switch {
	case in.QuietHours.Null:
		r.QuietFrom, r.QuietTo = nil, nil
	case in.QuietHours.Set:
		r.QuietFrom, r.QuietTo = &in.QuietHours.V.From, &in.QuietHours.V.To
	}
	kept := switches{}
	for _, of := range Types {
		now, sent := r.Channels.V[of], in.Channels[string(of)]
		now = channelsChange{cmp.Or(sent.Push, now.Push), cmp.Or(sent.SMS, now.SMS), cmp.Or(sent.Email, now.Email)}
		if now != (channelsChange{}) {
			kept[of] = now
		}
	}
	r.Channels.V = kept
	return r
}

// preferences converts to the API form.
func (r reader) preferences() Preferences {
	p := Preferences{Languages: text.Standard().Languages(), Channels: map[Type]Channels{}}
	if r.Locale != "" {
		p.Language = &r.Locale
	}
	if r.QuietFrom != nil && r.QuietTo != nil {
		p.QuietHours = &QuietHours{*r.QuietFrom, *r.QuietTo}
	}
	for _, of := range Types {
		p.Channels[of] = r.wants(of)
	}
	return p
}

func (s *Service) getPreferences(ctx context.Context, who actor.Actor, _ web.None) (Preferences, error) {
	r, err := getReader(ctx, s.DB.School(who.School), who.User)
	return r.preferences(), err
}

// putPreferences updates only the fields sent.
func (s *Service) putPreferences(ctx context.Context, who actor.Actor, in preferencesIn) (out Preferences, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "preferences of "+who.User.String()); err != nil {
			return fmt.Errorf("lock preferences: %w", err)
		}
		before, err := getReader(ctx, tx, who.User)
		if err != nil {
			return err
		}
		after := in.apply(before)
		out = after.preferences()
		if in.Language.Set { // else it stays: the office may be changing it
			if err := identity.SetLanguage(ctx, tx, who.User, opt.Ptr(after.Locale)); err != nil {
				return err
			}
		}
		if err := s.putReader(ctx, tx, after); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "notification-preferences.update", "user", who.User, before.preferences(), out)
	})
	return out, err
}

func getReader(ctx context.Context, q db.Q, user id.ID) (reader, error) {
	r, err := db.One[reader](ctx, q, `
		SELECT u.id, COALESCE(u.locale, '') AS locale, p.quiet_from, p.quiet_to, COALESCE(p.channels, '{}') AS channels
		FROM users u LEFT JOIN notification_preferences p ON p.school_id = u.school_id AND p.user_id = u.id
		WHERE u.school_id = :school AND u.id = :user`, db.Args{"user": user})
	return r, db.Found("read preferences", err, fault.Missing("account"))
}

func (s *Service) putReader(ctx context.Context, tx *db.Tx, r reader) error {
	_, err := db.Exec(ctx, tx, `
		INSERT INTO notification_preferences (school_id, user_id, quiet_from, quiet_to, channels, updated_at)
		VALUES (:school, :user, :from, :to, :channels, :now)
		ON CONFLICT (school_id, user_id) DO UPDATE SET quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to,
			channels = excluded.channels, updated_at = excluded.updated_at`,
		db.Args{"user": r.ID, "from": r.QuietFrom, "to": r.QuietTo, "channels": r.Channels, "now": s.Now()})
	if err != nil {
		return fmt.Errorf("write preferences: %w", err)
	}
	return nil
}
