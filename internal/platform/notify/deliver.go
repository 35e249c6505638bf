package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/trace"
)

// deliver is the job that sends one delivery.
type deliver struct {
	Delivery id.ID `json:"delivery"`
	Urgent   bool  `json:"urgent,omitempty"`
}

// Kind names the job.
func (deliver) Kind() string { return "notify.deliver" }

// resultWindow: results that arrive within this time are written in one transaction.
const resultWindow = 10 * time.Millisecond

var (
	errForgotten = errors.New("the text of this secret message was deleted when it failed; request a new one")
	errTwice     = errors.New("this message is already being sent")
)

// Workers returns the workers of the delivery jobs.
func (n *Notifier) Workers() []jobs.Worker {
	return []jobs.Worker{{
		Kind: deliver{}.Kind(), Timeout: 30 * time.Second, Dead: n.giveUp, Batch: n.deliverAll,
		Work: func(ctx context.Context, j jobs.Job) error { return n.deliverAll(ctx, []jobs.Job{j})[0] },
	}}
}

// attempt is one attempt to send a delivery.
type attempt struct {
	job      int // index of its job
	school   id.ID
	m        Message
	provider Provider
	answer   string
	err      error
	held     bool // held back by the school's daily limit
}

// deliverAll sends the deliveries of the jobs concurrently, since most of the time is
// spent waiting for providers. Results are written in batches.
func (n *Notifier) deliverAll(ctx context.Context, js []jobs.Job) []error {
	errs := make([]error, len(js))
	bySchool := map[id.ID][]int{}
	for i, j := range js {
		bySchool[j.School] = append(bySchool[j.School], i)
	}
	ended, left := make(chan attempt, len(js)), 0
	for school, some := range bySchool {
		for _, a := range n.attempts(ctx, school, js, some, errs) {
			left++
			go func() { ended <- n.sendSafely(ctx, a) }() // received below, before deliverAll returns
		}
	}
	for left > 0 {
		some := collect(ended, left)
		left -= len(some)
		n.record(ctx, some, errs)
	}
	return errs
}

// attempts loads the deliveries of a school's jobs. It sets the errors of those that
// can't be sent, and leaves out those that need not be.
func (n *Notifier) attempts(ctx context.Context, school id.ID, js []jobs.Job, some []int, errs []error) []attempt {
	jobOf, urgent, ids := map[id.ID]int{}, map[id.ID]bool{}, make([]id.ID, 0, len(some))
	for _, i := range some {
		var a deliver
		if err := json.Unmarshal(js[i].Payload, &a); err != nil {
			errs[i] = jobs.Permanent(fmt.Errorf("read the payload of a delivery: %w", err))
			continue
		}
		if _, twice := jobOf[a.Delivery]; twice {
			errs[i] = errTwice
			continue
		}
		jobOf[a.Delivery], urgent[a.Delivery] = i, a.Urgent
		ids = append(ids, a.Delivery)
	}
	rows, err := listDeliveries(ctx, n.DB.School(school), ids)
	var out []attempt
	for _, d := range rows {
		i := jobOf[d.ID]
		delete(jobOf, d.ID)
		if d.Status == Sent || d.ToAddr == "" { // "": erased by Blank
			continue
		}
		m, err := n.message(d)
		m.Urgent = urgent[d.ID]
		switch {
		case errors.Is(err, errForgotten):
			errs[i] = jobs.Permanent(err)
		case err != nil: // the key may not be loaded on this node yet
			errs[i] = err
		default:
			out = append(out, attempt{job: i, school: school, m: m, provider: n.provider(m)})
		}
	}
	for missing, i := range jobOf {
		errs[i] = err
		if err == nil {
			errs[i] = jobs.Permanent(fmt.Errorf("no delivery has the id %s", missing))
		}
	}
	return n.recheck(ctx, school, out, errs)
}

// recheck drops the attempts that Lapsed rejects, and marks them as failed. If it
// can't be found out, they are retried later.
func (n *Notifier) recheck(ctx context.Context, school id.ID, all []attempt, errs []error) []attempt {
	var asked []Message
	for _, a := range all {
		if a.m.Recheck {
			asked = append(asked, a.m)
		}
	}
	if n.Lapsed == nil || len(asked) == 0 {
		return all
	}
	lapsed, err := n.Lapsed(ctx, school, asked)
	for i, next := range all {
		if next.m.Recheck {
			all[i].m, asked = asked[0], asked[1:]
		}
	}
	if err == nil && len(lapsed) > 0 {
		err = putLapsed(ctx, n.DB.School(school), slices.Collect(maps.Keys(lapsed)))
	}
	return slices.DeleteFunc(all, func(a attempt) bool {
		if err != nil && a.m.Recheck {
			errs[a.job] = fmt.Errorf("check whether the message may still be sent: %w", err)
			return true
		}
		return lapsed[a.m.ID]
	})
}

// sendSafely sends once, and recovers from a panic of the provider.
func (n *Notifier) sendSafely(ctx context.Context, a attempt) (ended attempt) {
	defer func() {
		if p := recover(); p != nil {
			ended = a
			ended.err = fmt.Errorf("the provider %s panicked", a.provider.Name())
			ended.answer = ended.err.Error()
			n.Log.ErrorContext(ctx, "a provider panicked", "provider", a.provider.Name(),
				"panic", scrub(fmt.Sprint(p), a.m), "stack", string(debug.Stack()))
		}
	}()
	return n.sendOnce(ctx, a)
}

func (n *Notifier) sendOnce(ctx context.Context, a attempt) attempt {
	if a.err = n.takeQuota(ctx, a.school, a.m); a.err != nil {
		a.held = true
		return a
	}
	call, span := trace.Start(ctx, trace.Client, a.provider.Name())
	span.Set("homeroom.channel", string(a.m.Channel))
	a.answer, a.err = a.provider.Send(call, a.m)
	span.End(a.err)
	if a.err == nil {
		return a
	}
	n.returnQuota(a.school, a.m)
	if IsGone(a.err) && a.m.Device && n.Gone != nil {
		ctx, cancel := detached(ctx)
		defer cancel()
		a.err = errors.Join(a.err, n.Gone(ctx, a.school, a.m.Channel, a.m.To))
	}
	if a.m.Secret && !jobs.IsPermanent(a.err) && jobs.Pause(a.err) > secretPatience {
		a.err = errors.New(a.err.Error()) // drops the long pause: the code would have expired
	}
	a.err = scrubbed(a.err, a.m)
	a.answer = a.err.Error()
	return a
}

// detached returns a ctx for writing results, which must work after the timeout of
// the job too.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
}

// collect waits for the next result, and for those within resultWindow after it, up to n.
func collect(ended <-chan attempt, n int) []attempt {
	some := []attempt{<-ended}
	enough := time.After(resultWindow)
	for len(some) < n {
		select {
		case a := <-ended:
			some = append(some, a)
		case <-enough:
			return some
		}
	}
	return some
}

// record stores the results of attempts, in one transaction per school.
func (n *Notifier) record(ctx context.Context, some []attempt, errs []error) {
	ctx, cancel := detached(ctx)
	defer cancel()
	bySchool := map[id.ID][]attempt{}
	for _, a := range some {
		errs[a.job] = a.err
		bySchool[a.school] = append(bySchool[a.school], a)
	}
	for school, all := range bySchool {
		err := n.DB.InSchool(ctx, school, func(ctx context.Context, tx *db.Tx) error {
			for _, a := range all {
				if err := putTried(ctx, tx, n.tried(a)); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			continue
		}
		for _, a := range all {
			errs[a.job] = errors.Join(a.err, fmt.Errorf("store the result of a delivery: %w", err))
		}
	}
}

func (n *Notifier) tried(a attempt) tried {
	t := tried{ID: a.m.ID, Provider: a.provider.Name(), Answer: clip(scrub(a.answer, a.m)), Held: a.held}
	switch {
	case a.held:
		t.Answer = clip(a.err.Error())
	case a.err == nil:
		t.SentAt, t.Forget = n.Now(), a.m.Secret && !n.KeepSecrets
	}
	return t
}

// giveUp marks the delivery of a dead job as failed.
func (n *Notifier) giveUp(ctx context.Context, tx *db.Tx, j jobs.Job, cause error) error {
	var a deliver
	if err := json.Unmarshal(j.Payload, &a); err != nil {
		return fmt.Errorf("read the payload of a dead job: %w", err)
	}
	return putFailed(ctx, tx, a.Delivery, clip(cause.Error()), !n.KeepSecrets)
}

// message returns the message of a delivery, decrypted if it is secret.
func (n *Notifier) message(d delivery) (Message, error) {
	m := Message{
		ID: d.ID, Channel: d.Channel, To: d.ToAddr, Device: d.Device, Subject: d.Subject,
		Body: d.Body, HTML: d.HTML, Data: d.Data.V, Badge: d.Badge, Lang: d.Lang, Secret: d.Sealed, Recheck: d.Recheck,
	}
	if d.UserID != nil {
		m.User = *d.UserID
	}
	if !d.Sealed {
		return m, nil
	}
	if d.Body == "" {
		return m, errForgotten
	}
	plain, err := n.Seal.Open(purpose(d.ID), d.Body)
	if err != nil {
		return m, fmt.Errorf("decrypt a secret message: %w", err)
	}
	var c content
	if err := json.Unmarshal(plain, &c); err != nil {
		return m, fmt.Errorf("decode a secret message: %w", err)
	}
	m.Body, m.HTML, m.Data = c.Body, c.HTML, c.Data
	return m, nil
}
