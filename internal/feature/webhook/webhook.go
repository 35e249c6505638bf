// Package webhook tells other systems what happens in a school: it posts signed events to
// URLs that administrators have registered.
//
// Hear derives an event from an entry of the audit log, in its transaction, and writes one
// delivery per webhook that subscribed to it (events.go has the rules). A job sends the
// deliveries of one webhook after the other (send.go), signed as Standard Webhooks
// describes (sign.go). The bodies have ids and few other fields: the receiver reads the
// records through the API, with its own rights. http.go has the routes, replay.go sends
// again what happened since a time.
//
// The webhooks of the platform's own school get the events of all schools.
package webhook

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify/wire"
	"homeroom/internal/platform/opt"
)

// Lane is that of the jobs which send. It has its own workers: other jobs don't wait for
// slow receivers.
const Lane = "webhook"

const (
	conns  = 64        // to one host, which many schools may use
	topic  = "webhook" // signal: the subscriptions have changed
	most   = 20        // webhooks of a school
	active = "ACTIVE"
)

var (
	errNone     = fault.Missing("webhook")
	errMany     = fault.New(fault.Conflict, "", "A school can have 20 webhooks. Delete one that is no longer used.")
	errDisabled = fault.New(fault.Conflict, "", "This webhook is disabled. Enable it first.")
	errURL      = fault.OnField("url", "must be an https URL of a public server, such as https://example.org/homeroom")
)

// Options are the dependencies and settings of a Service.
type Options struct {
	DB      *db.DB
	Audit   *audit.Service
	Notify  *notification.Service
	Keys    Sealer
	Now     clock.Now
	NewID   id.Source
	Rand    io.Reader
	Log     *slog.Logger
	Keep    time.Duration // of deliveries; 0: as long as the school
	Private bool          // also send to private networks, and by http
}

// Sealer encrypts secrets with a purpose, which is needed to decrypt. Reseal encrypts
// again with the newest key.
type Sealer interface {
	Seal(purpose string, plain []byte) (string, error)
	Open(purpose, sealed string) ([]byte, error)
	Reseal(purpose, sealed string) (fresh string, changed bool, err error)
}

// Service has the webhooks of all schools.
type Service struct {
	Options
	client *http.Client

	mu         sync.Mutex
	subscribed map[id.ID][]subscription // by school; nil: not read yet
	generation int                      // increases when subscriptions change
}

// New returns a Service.
func New(o Options) *Service {
	s := &Service{Options: o}
	s.client = wire.Guarded(conns, func(to netip.AddrPort) bool {
		ip := to.Addr().Unmap()
		return wire.IsPublic(ip) || o.Private && (ip.IsPrivate() || ip.IsLoopback())
	})
	o.DB.Listen(topic, s.readAgain)
	o.DB.Listen(access.Topic, s.readAgain) // a school with webhooks was imported
	return s
}

// readAgain lets the next event read the subscriptions again.
func (s *Service) readAgain(db.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subscribed, s.generation = nil, s.generation+1
}

// Webhook is a registered URL.
type Webhook struct {
	ID           id.ID             `json:"id"`
	Name         string            `json:"name"`
	URL          string            `json:"url"`
	Events       db.JSON[[]string] `json:"events" doc:"The types of events that it gets."`
	Status       string            `json:"status" enum:"ACTIVE,DISABLED"`
	Problem      opt.Text          `json:"problem" enum:"FAILING,GONE" doc:"Why the service has disabled it: FAILING for three days, or answered 410 GONE."`
	FailingSince *time.Time        `json:"failingSince" doc:"When the first attempt failed since the last success; null if the last one succeeded."`
	PausedUntil  *time.Time        `json:"pausedUntil" doc:"Time of the next attempt after a failure."`
	OldUntil     *time.Time        `json:"oldSecretUntil" doc:"Until when the secret before also signs, after it was replaced."`
	Version      int               `json:"version"`
	CreatedAt    time.Time         `json:"createdAt"`
	UpdatedAt    time.Time         `json:"updatedAt"`
}

// New webhooks and changes have the same rules.
func (s *Service) check(who actor.Actor, w Webhook) error {
	u, err := url.Parse(w.URL)
	ok := err == nil && u.Opaque == "" && u.User == nil && !strings.Contains(w.URL, "#") && u.Hostname() != ""
	public := ok && u.Scheme == "https" && wire.MayBePublic(strings.ToLower(u.Hostname()))
	if !public && (!ok || !s.Private || u.Scheme != "https" && u.Scheme != "http") {
		return errURL
	}
	return mayHear(who, w.Events.V)
}

// mayHear checks that the caller may read what the events tell: nobody gives what they
// don't have.
func mayHear(who actor.Actor, types []string) error {
	for _, t := range types {
		e, ok := find(t)
		if !ok || e.platform && who.School != school.PlatformID {
			return fault.OnField("events", "must be types of events from the list")
		}
		if !who.Can(e.Module, actor.Read) {
			return fault.Denied("You can't subscribe to events that your role may not read.")
		}
	}
	return nil
}

// create writes a webhook and returns its secret.
func (s *Service) create(ctx context.Context, who actor.Actor, in newIn) (out createdOut, err error) {
	now := s.Now()
	w := Webhook{ID: s.NewID(), Name: strings.TrimSpace(in.Name), URL: strings.TrimSpace(in.URL), Status: active, Version: 1,
		CreatedAt: now, UpdatedAt: now}
	w.Events.V = unique(in.Events)
	if w.Name == "" {
		w.Name = hostOf(w.URL)
	}
	if err := s.check(who, w); err != nil {
		return out, err
	}
	secret, sealed, err := s.newSecret()
	if err != nil {
		return out, err
	}
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "webhooks"); err != nil {
			return fault.Wrap("lock webhooks", err)
		}
		switch n, err := db.One[int](ctx, tx, `SELECT COUNT(*) FROM webhooks WHERE school_id = :school`, nil); {
		case err != nil:
			return fault.Wrap("count webhooks", err)
		case n >= most:
			return errMany
		}
		if err := put(ctx, tx, w, sealed); err != nil {
			return err
		}
		if err := s.tell(ctx, tx, who, w, "added"); err != nil {
			return err
		}
		return s.changed(ctx, tx, who, "webhook.create", w.ID, nil, w)
	})
	return createdOut{w, secret}, err
}

// hostOf is the default name of a webhook.
func hostOf(text string) string {
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		return u.Host
	}
	return text
}

func unique(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// update changes a webhook. Enabling it forgets its failures.
func (s *Service) update(ctx context.Context, who actor.Actor, in changeIn) (Webhook, error) {
	return s.write(ctx, who, in.ID, "webhook.update", func(ctx context.Context, tx *db.Tx, w *Webhook) error {
		if err := fault.SameVersion(in.Version, w.Version); err != nil {
			return err
		}
		was := *w
		opt.Set(&w.Name, in.Name)
		opt.Set(&w.URL, in.URL)
		opt.Set(&w.Events.V, in.Events)
		opt.Set(&w.Status, in.Status)
		w.Name, w.URL, w.Events.V = strings.TrimSpace(w.Name), strings.TrimSpace(w.URL), unique(w.Events.V)
		// Whoever may change webhooks may also switch one off whose events they may not read.
		if w.Status == active || w.URL != was.URL || !slices.Equal(w.Events.V, was.Events.V) {
			if err := s.check(who, *w); err != nil {
				return err
			}
		}
		if w.Status == active && was.Status != active {
			w.Problem, w.FailingSince = "", nil
		}
		if w.URL != was.URL {
			if err := s.tell(ctx, tx, who, *w, "moved"); err != nil {
				return err
			}
		}
		if err := update(ctx, tx, *w); err != nil || w.Status != active {
			return err
		}
		return jobs.Enqueue(ctx, tx, s.Now(), send{w.ID}) // what still waits
	})
}

// write runs fn on a locked webhook, and logs the change.
func (s *Service) write(ctx context.Context, who actor.Actor, webhook id.ID, action string,
	fn func(ctx context.Context, tx *db.Tx, w *Webhook) error) (after Webhook, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := lock(ctx, tx, webhook)
		if err != nil {
			return err
		}
		after = before
		after.UpdatedAt = s.Now()
		if err := fn(ctx, tx, &after); err != nil {
			return err
		}
		if after, err = get(ctx, tx, webhook); err != nil {
			return err
		}
		return s.changed(ctx, tx, who, action, webhook, before, after)
	})
	return after, err
}

// remove deletes a webhook with its deliveries.
func (s *Service) remove(ctx context.Context, who actor.Actor, webhook id.ID) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		w, err := lock(ctx, tx, webhook)
		if err != nil {
			return err
		}
		if _, err := db.Exec(ctx, tx, `DELETE FROM webhooks WHERE school_id = :school AND id = :id`, db.Args{"id": webhook}); err != nil {
			return fault.Wrap("delete webhook", err)
		}
		return s.changed(ctx, tx, who, "webhook.delete", webhook, w, nil)
	})
}

// changed logs a change and tells every node.
func (s *Service) changed(ctx context.Context, tx *db.Tx, who actor.Actor, action string, webhook id.ID, before, after any) error {
	return errors.Join(s.Audit.Record(ctx, tx, who, action, "webhook", webhook, before, after), tx.Notify(ctx, topic, ""))
}
