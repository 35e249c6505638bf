package identity

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/token"
)

// from is where a client signs in from.
type from struct {
	Device       string `json:"device,omitempty" maxLength:"100" doc:"The name of the device in the list of sessions." example:"Pixel 9"`
	DeviceID     string `json:"deviceId,omitempty" maxLength:"100" doc:"A random id that the app stores. Others can't lock out a device that has signed in before."`
	RefreshToken string `json:"refreshToken,omitempty" maxLength:"2048" doc:"The app's last refresh token, even if expired. Identifies a known device, like deviceId."`
}

// attempt is one try to sign in.
type attempt struct {
	way    way
	name   string      // the phone or e-mail sent
	who    actor.Actor // has the client's IP
	from   from
	at     account // the account tried; zero = unknown name
	place  string  // key of wrong tries: the device if known, else the network
	known  bool    // the network or device is known, see subject
	issued bool    // a session was opened
	second bool    // the first factor was right, the second is tried
}

// knownFor is how long a network or device stays known after its last sign-in.
const knownFor = 90 * day

// network is the IP prefix that one customer of a provider has.
func network(ip string) string {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return ip
	}
	bits := 24
	if addr.Is6() {
		bits = 56
	}
	if p, err := addr.Prefix(bits); err == nil {
		return p.String()
	}
	return ip
}

// subject is whose networks and devices are known: the account's if the secret is its own, else
// those of the phone that codes are sent to. A phone or e-mail alone proves nothing: any school
// can give an account those of somebody else.
func (a attempt) subject() string {
	if a.at.ID != "" && (a.second || a.way == byPIN || a.way == byPassword) {
		return string(a.at.ID)
	}
	return a.name
}

// recognise sets whether the network or device is known. The accounts are those of the phone that
// codes are sent to.
func (s *Service) recognise(ctx context.Context, q db.Q, a *attempt, accounts ...account) error {
	a.place = "network " + network(a.who.IP)
	session, ok, err := s.held(ctx, q, *a, accounts)
	if err != nil {
		return fmt.Errorf("look for a known session: %w", err)
	}
	if ok {
		a.known, a.place = true, "session "+string(session)
		return nil
	}
	keys := s.placeKeys(a.subject(), *a)
	seen, err := listKnown(ctx, q, keys, s.Now().Add(-knownFor))
	if err != nil {
		return fmt.Errorf("look for known networks and devices: %w", err)
	}
	for _, key := range seen {
		a.known = true
		if len(keys) > 1 && key == keys[1] {
			a.place = "device " + a.from.DeviceID
		}
	}
	return nil
}

// held returns the session of the attempt's refresh token, if it is the subject's. It may have
// ended: it only shows that the device has signed in before.
func (s *Service) held(ctx context.Context, q db.Q, a attempt, accounts []account) (session id.ID, ok bool, err error) {
	t, ok := s.kept(a.from)
	if !ok || a.subject() == string(t.User) {
		return t.Session, ok, nil
	}
	if !slices.ContainsFunc(accounts, func(of account) bool { return of.ID == t.User }) {
		return "", false, nil
	}
	ok, err = provesPhone(ctx, q, t.Session, t.User, a.name)
	return t.Session, ok, err
}

// kept returns the refresh token that the device has kept, if it is genuine and not too old.
func (s *Service) kept(f from) (t token.Refresh, ok bool) {
	if f.RefreshToken == "" {
		return t, false
	}
	t, err := s.tokens.VerifyRefresh(f.RefreshToken)
	return t, err == nil || errors.Is(err, token.ErrExpired) && s.Now().Sub(t.IssuedAt) <= knownFor
}

// knownFirst puts those accounts first that the network or device has signed in to: a school can
// give an account of its own the phone of somebody else.
func (s *Service) knownFirst(ctx context.Context, q db.Q, a attempt, accounts []account) error {
	keys := s.placeKeys(a.name, a) // unknown phones take as long
	for _, of := range accounts {
		keys = append(keys, s.placeKeys(string(of.ID), a)...)
	}
	seen, err := listKnown(ctx, q, keys, s.Now().Add(-knownFor))
	if err != nil {
		return fmt.Errorf("look for known networks and devices: %w", err)
	}
	t, kept := s.kept(a.from)
	known := func(of account) int {
		here := slices.ContainsFunc(s.placeKeys(string(of.ID), a), func(key string) bool { return slices.Contains(seen, key) })
		if here || kept && of.ID == t.User {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(accounts, func(x, y account) int { return known(x) - known(y) })
	return nil
}

// placeKeys are the keys of the attempt's network and, if it names one, device.
func (s *Service) placeKeys(subject string, a attempt) []string {
	keys := []string{s.Keys.MAC("place", subject, "network", network(a.who.IP))}
	if a.from.DeviceID != "" {
		keys = append(keys, s.Keys.MAC("place", subject, "device", a.from.DeviceID))
	}
	return keys
}

// remember makes the attempt's network and device known for the account and, if it proves that the
// phone is the person's, for codes: administrators can also set a PIN after a password.
func (s *Service) remember(ctx context.Context, tx *db.Tx, a attempt) error {
	keys := s.placeKeys(string(a.at.ID), a)
	if a.at.Phone != nil && (a.way == byCode || a.way == bySwitch || a.way == byPIN && !byEmail(a.at.Role)) {
		keys = append(keys, s.placeKeys(*a.at.Phone, a)...)
	}
	for _, key := range keys {
		if err := putKnown(ctx, tx, key, s.Now()); err != nil {
			return fmt.Errorf("remember network and device: %w", err)
		}
	}
	return nil
}

// anywhere is the limit of wrong tries over all networks. It applies only to unknown
// networks and devices.
func (a attempt) anywhere() []limited {
	if a.known {
		return nil
	}
	return []limited{wrongFromAnywhere.by(a.name)}
}

// try runs fn in a transaction over all schools and records the attempt. It commits
// even if fn refuses: a wrong try must count.
func (s *Service) try(ctx context.Context, a *attempt, fn func(ctx context.Context, tx *db.Tx) (refused, err error)) error {
	return s.commitRefused(ctx, func(ctx context.Context, tx *db.Tx) (refused, err error) {
		refused, err = fn(ctx, tx)
		if err != nil {
			return nil, err
		}
		return refused, s.note(ctx, tx, *a, refused)
	})
}

// outcome is the result of an attempt in the sign-in log.
func (a attempt) outcome(refused error) outcome {
	switch {
	case refused == nil && !a.issued:
		return asked
	case refused == nil:
		return success
	case errors.Is(refused, errSuspended):
		return suspended
	case errors.Is(refused, errOTPExpired):
		return expired
	case fault.From(refused).Kind == fault.TooMany:
		return throttled
	}
	return wrong
}

func listKnown(ctx context.Context, q db.Q, keys []string, since time.Time) ([]string, error) {
	return db.All[string](ctx, q, `SELECT key FROM known_places WHERE key IN (:keys) AND seen_at > :since ORDER BY key`,
		db.Args{"keys": keys, "since": since})
}

func putKnown(ctx context.Context, tx *db.Tx, key string, now time.Time) error {
	_, err := db.Exec(ctx, tx, `INSERT INTO known_places (key, seen_at) VALUES (:key, :now)
		ON CONFLICT (key) DO UPDATE SET seen_at = excluded.seen_at`, db.Args{"key": key, "now": now})
	return err
}
