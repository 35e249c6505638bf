package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/mail"
	"strings"
	"time"

	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/notify/webpush"
	"homeroom/internal/platform/token"
)

func (b Browsers) check(p Problems) {
	p.unless(b.WebPush == "on" || b.WebPush == "off", "web-push", "is %q: use on or off", b.WebPush)
	p.unless(b.WebPushContact == "" || contactURL(b.WebPushContact) != "", "web-push-contact",
		"is %q: write an e-mail address, or a URL with https", b.WebPushContact)
}

// contactURL returns a contact as a URL, or "" if it is neither an e-mail address nor https.
func contactURL(text string) string {
	if strings.HasPrefix(text, "https://") {
		return text
	}
	address, err := mail.ParseAddress(strings.TrimPrefix(text, "mailto:"))
	if err != nil {
		return ""
	}
	return "mailto:" + address.Address
}

// pushContact tells push services whom to ask about this server.
func (c Config) pushContact() string {
	return cmp.Or(contactURL(c.WebPushContact), contactURL(c.MailFrom), contactURL(c.PublicURL))
}

// openBrowsers starts Web Push, and makes its key at the first start. If it is off, the
// subscriptions are deleted, so that their owners count as without the app.
func (a *App) openBrowsers(ctx context.Context) error {
	if a.cfg.WebPush == "off" {
		n, err := notification.ForgetBrowsers(ctx, a.DB.Across(unscoped.Permit{}))
		if n > 0 {
			a.Log.WarnContext(ctx, "Web Push is off: browsers were unsubscribed", "count", n)
		}
		return err
	}
	made := webpush.New(webpush.Options{Keys: a.pushKeys(), Contact: a.cfg.pushContact(), Loopback: a.cfg.WebPushLoopback,
		Now: a.Now, Manner: manner})
	a.Notify.Browsers = made
	_, err := made.PublicKey(ctx)
	switch {
	case errors.Is(err, token.ErrSealed):
		a.Log.ErrorContext(ctx, "no push is sent to browsers: the Web Push key was encrypted with keys that this node does not have; "+
			"give it the keys of the other nodes, or make a new one with homeroom keys rotate-push")
		return nil
	case err != nil:
		return err
	}
	a.services.notification.Browsers = made
	return nil
}

func (a *App) pushKeys() *webpush.Keys {
	return &webpush.Keys{DB: a.DB, Home: school.PlatformID, Seal: a.Keys, Now: a.Now, NewID: a.NewID}
}

// screens are where the apps show a notification, by type.
var screens = map[notification.Type]string{
	notification.Announcement: "/announcements/{id}",
	notification.Attendance:   "/attendance",
	notification.Result:       "/exams",
	notification.Fee:          "/fees",
	notification.Leave:        "/student-leave",
	notification.Message:      "/messages",
	notification.Transport:    "/transport",
	notification.Library:      "/library",
	notification.Timetable:    "/timetable",
}

// manner returns how a push service treats a message. Bus positions are useless soon, and
// only the newest matters; what is urgent wakes a phone. A notice about the same record
// replaces the one before it.
func manner(m notify.Message) webpush.Manner {
	kind, about := notification.Type(m.Data["type"]), m.Data["id"]
	how := webpush.Manner{TTL: 3 * 24 * time.Hour, Urgency: "normal",
		Path: strings.ReplaceAll(cmp.Or(screens[kind], "/notifications"), "{id}", about)}
	switch kind {
	case notification.Attendance:
		how.TTL, how.Urgency = 12*time.Hour, "high"
	case notification.Transport:
		how.TTL, how.Urgency, about = 15*time.Minute, "high", ""
	case notification.Library:
		how.Urgency = "low"
	}
	if m.Urgent {
		how.TTL, how.Urgency, about = 24*time.Hour, "high", m.Data["id"]
	}
	sum := sha256.Sum256([]byte(string(kind) + "/" + about + "/" + m.Data["studentId"]))
	how.Topic = base64.RawURLEncoding.EncodeToString(sum[:24])
	return how
}
