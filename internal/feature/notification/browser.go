package notification

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify/webpush"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

// A browser gets pushes by its subscription (Web Push). It can't subscribe to topics: what
// goes to a topic is also sent to the browsers of its readers, one by one.

// Browsers is what registering a browser needs of the Web Push provider.
type Browsers interface {
	PublicKey(ctx context.Context) (string, error)
	Subscribe(endpoint, p256dh, auth string) (webpush.Subscription, error)
}

var (
	errOtherKeys = fault.New(fault.Conflict, "",
		"This device is registered with other keys. Subscribe again, then register the new subscription.")
	errOff = fault.New(fault.Conflict, "", "This service sends no pushes to browsers.")
)

func (s *Service) keyRoute(pattern string) web.Route {
	return web.Handle(pattern, s.pushKey, web.Read("notification"),
		web.Doc("The key with which a browser subscribes to pushes (applicationServerKey). Null: the service sends none to browsers."))
}

type pushKeyOut struct {
	PublicKey opt.Text `json:"publicKey" doc:"Base64url of a public key of P-256. If it differs from the subscription's, subscribe again."`
}

func (s *Service) pushKey(ctx context.Context, _ actor.Actor, _ web.None) (pushKeyOut, error) {
	if s.Browsers == nil {
		return pushKeyOut{}, nil
	}
	key, err := s.Browsers.PublicKey(ctx)
	return pushKeyOut{opt.Text(key)}, err
}

// keepKey reads the key, which encrypts it again if the signing keys were rotated, before
// the old one is removed.
func (s *Service) keepKey(ctx context.Context) error {
	_, err := s.pushKey(ctx, actor.Actor{}, web.None{})
	return err
}

type tokenIn struct {
	FCMToken     string        `json:"fcmToken" maxLength:"4096" doc:"The device's token at the push provider. Required without subscription."`
	Subscription *subscription `json:"subscription" example:"-" doc:"Of a browser, as PushSubscription.toJSON() returns it, instead of fcmToken."`
	Platform     string        `json:"platform" enum:"android,ios,web"`
}

type subscription struct {
	Endpoint string           `json:"endpoint" required:"true" maxLength:"2048"`
	Keys     subscriptionKeys `json:"keys" required:"true"`
}

type subscriptionKeys struct {
	P256DH string `json:"p256dh" required:"true" maxLength:"200" doc:"The browser's public key."`
	Auth   string `json:"auth" required:"true" maxLength:"100" doc:"The browser's authentication secret."`
}

// Check validates that there is one address.
func (in *tokenIn) Check() error {
	in.FCMToken = strings.TrimSpace(in.FCMToken)
	switch {
	case in.Subscription == nil && in.FCMToken == "":
		return fault.OnField("fcmToken", "is required")
	case in.Subscription != nil && in.FCMToken != "":
		return fault.OnField("fcmToken", "can't be combined with subscription")
	case webpush.IsAddress(in.FCMToken):
		return fault.OnField("fcmToken", "must be a token: send the URL of a push service as subscription")
	case in.Subscription != nil && in.Platform != "" && in.Platform != "web":
		return fault.OnField("platform", "must be web for a subscription")
	}
	return nil
}

func (s *Service) register(ctx context.Context, who actor.Actor, in tokenIn) (Device, error) {
	if in.Subscription == nil {
		return s.put(ctx, who, push{token: in.FCMToken, platform: in.Platform})
	}
	if s.Browsers == nil {
		return Device{}, errOff
	}
	sub, err := s.Browsers.Subscribe(in.Subscription.Endpoint, in.Subscription.Keys.P256DH, in.Subscription.Keys.Auth)
	switch {
	case errors.Is(err, webpush.ErrEndpoint):
		return Device{}, fault.OnField("subscription.endpoint", "must be the https URL of a public push service")
	case errors.Is(err, webpush.ErrKey):
		return Device{}, fault.OnField("subscription.keys.p256dh", "must be a public key of P-256 in base64url")
	case err != nil:
		return Device{}, fault.OnField("subscription.keys.auth", "must be 16 bytes in base64url")
	}
	return s.put(ctx, who, push{sub.Endpoint, "web", sub.P256DH, sub.Auth})
}

// device is a device of a user that gets pushes.
type device struct {
	UserID id.ID
	Token  string
	P256DH string `db:"p256dh"`
	Auth   string
}

func (d device) browser() bool { return d.P256DH != "" }

// address is the recipient of a message to the device.
func (d device) address() string {
	if !d.browser() {
		return d.Token
	}
	return webpush.Subscription{Endpoint: d.Token, P256DH: d.P256DH, Auth: d.Auth}.Address()
}

// browsers returns the users whose browsers get a push to a topic.
func (a audience) browsers(p pushed) (users []id.ID) {
	if p.Topic == SchoolTopic(a.school.ID) {
		return a.everyone
	}
	for _, u := range p.listeners() {
		if a.readers[u].Browser {
			users = append(users, u)
		}
	}
	return users
}

// withEveryone adds all users with a signed-in browser, if a push is to the school's
// topic. Such a push names no readers: they are too many.
func (s *Service) withEveryone(ctx context.Context, q db.Q, a audience, some []pushed) (audience, error) {
	if !slices.ContainsFunc(some, func(p pushed) bool { return p.Topic == SchoolTopic(a.school.ID) }) {
		return a, nil
	}
	users, err := db.All[id.ID](ctx, q, `SELECT DISTINCT d.user_id FROM `+liveDevices+` WHERE d.school_id = :school AND `+onlyBrowsers,
		db.Args{"now": s.Now()})
	if err != nil {
		return a, fmt.Errorf("find browsers: %w", err)
	}
	a.everyone = users
	unknown := slices.DeleteFunc(slices.Clone(users), func(u id.ID) bool { _, ok := a.readers[u]; return ok })
	return a, a.readAccounts(ctx, q, unknown)
}

// ForgetBrowsers deletes the subscriptions of all schools: Web Push was switched off, or
// has a new key.
func ForgetBrowsers(ctx context.Context, all db.Q) (int64, error) {
	n, err := db.Exec(ctx, all, `DELETE FROM devices AS d WHERE `+onlyBrowsers, nil)
	if err != nil {
		return 0, fmt.Errorf("delete browsers: %w", err)
	}
	return n, nil
}
