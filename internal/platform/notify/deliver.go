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
)

// deliver is the job that sends one delivery.
type deliver struct {
	Delivery id.ID `json:"delivery"`
	Uncapped bool  `json:"uncapped,omitempty"`
}

// Kind names the job.
func (deliver) Kind() string { return "notify.deliver" }

// lingers is how long an end waits for others to be written with it.
const lingers = 10 * time.Millisecond

var (
	errForgotten = errors.New("the secret text of this message was forgotten when it failed; have a new one made")
	errTwice     = errors.New("this message is being sent right now")
)

// Workers are the workers that send.
func (n *Notifier) Workers() []jobs.Worker {
	return []jobs.Worker{{
		Kind: deliver{}.Kind(), Timeout: 30 * time.Second, Dead: n.giveUp, Batch: n.deliverAll,
		Work: func(ctx context.Context, j jobs.Job) error { return n.deliverAll(ctx, []jobs.Job{j})[0] },
	}}
}

// attempt is one try to send one delivery.
type attempt struct {
	job      int // its place among the jobs
	school   id.ID
	m        Message
	provider Provider
	answer   string
	err      error
	held     bool // back, by the school's limit
}

// deliverAll sends deliveries that were not sent before, all at the same time:
// most of it is waiting for providers. How each ended is written down soon after.
func (n *Notifier) deliverAll(ctx context.Context, js []jobs.Job) []error {
	errs := make([]error, len(js))
	bySchool := map[id.ID][]int{}
	for i, j := range js {
		bySchool[j.School] = append(bySchool[j.School], i)
	}
	ended, left := make(chan attempt, len(js)), 0
	for school, some := range bySchool {
		for _, a := range n.load(ctx, school, js, some, errs) {
			left++
			go func() { ended <- n.try(ctx, a) }() // ends before deliverAll does
		}
	}
	for left > 0 {
		some := together(ended, left)
		left -= len(some)
		n.note(ctx, some, errs)
	}
	return errs
}

// load reads what the jobs of a school are to send. What can't or need not be
// sent ends here.
func (n *Notifier) load(ctx context.Context, school id.ID, js []jobs.Job, some []int, errs []error) []attempt {
	jobOf, uncapped, ids := map[id.ID]int{}, map[id.ID]bool{}, make([]id.ID, 0, len(some))
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
		jobOf[a.Delivery], uncapped[a.Delivery] = i, a.Uncapped
		ids = append(ids, a.Delivery)
	}
	rows, err := listDeliveries(ctx, n.DB.School(school), ids)
	var out []attempt
	for _, d := range rows {
		i := jobOf[d.ID]
		delete(jobOf, d.ID)
		if d.Status == Sent || d.ToAddr == "" { // or it was blanked
			continue
		}
		m, err := n.message(d)
		m.Uncapped = uncapped[d.ID]
		switch {
		case errors.Is(err, errForgotten):
			errs[i] = jobs.Permanent(err)
		case err != nil: // the key may be one that this node has yet to load
			errs[i] = err
		default:
			out = append(out, attempt{job: i, school: school, m: m, provider: n.provider(m.Channel)})
		}
	}
	for missing, i := range jobOf {
		errs[i] = err
		if err == nil {
			errs[i] = jobs.Permanent(fmt.Errorf("there is no delivery %s", missing))
		}
	}
	return n.entitled(ctx, school, out, errs)
}

// entitled are the attempts that may be made. The rest has ended: as failed, or
// to be looked at again where that could not be found out.
func (n *Notifier) entitled(ctx context.Context, school id.ID, all []attempt, errs []error) []attempt {
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
	if err == nil && len(lapsed) > 0 {
		err = putLapsed(ctx, n.DB.School(school), slices.Collect(maps.Keys(lapsed)))
	}
	return slices.DeleteFunc(all, func(a attempt) bool {
		if err != nil && a.m.Recheck {
			errs[a.job] = fmt.Errorf("look whether a message may still be sent: %w", err)
			return true
		}
		return lapsed[a.m.ID]
	})
}

// try asks the provider once.
func (n *Notifier) try(ctx context.Context, a attempt) (ended attempt) {
	defer func() {
		if p := recover(); p != nil {
			ended = a
			ended.err = fmt.Errorf("panic of the provider %s", a.provider.Name())
			ended.answer = ended.err.Error()
			n.Log.ErrorContext(ctx, "a provider panicked", "provider", a.provider.Name(), "panic", scrub(fmt.Sprint(p), a.m), "stack", string(debug.Stack()))
		}
	}()
	return n.ask(ctx, a)
}

func (n *Notifier) ask(ctx context.Context, a attempt) attempt {
	if a.err = n.admit(ctx, a.school, a.m); a.err != nil {
		a.held = true
		return a
	}
	a.answer, a.err = a.provider.Send(ctx, a.m)
	if a.err == nil {
		return a
	}
	n.readmit(a.school, a.m)
	if IsGone(a.err) && a.m.Device && n.Gone != nil {
		ctx, cancel := last(ctx)
		defer cancel()
		a.err = errors.Join(a.err, n.Gone(ctx, a.school, a.m.Channel, a.m.To))
	}
	if a.m.Secret && !jobs.IsPermanent(a.err) && jobs.Pause(a.err) > secretPatience {
		a.err = errors.New(a.err.Error()) // the usual pauses: a code that comes later is no use
	}
	a.err = scrubbed(a.err, a.m)
	a.answer = a.err.Error()
	return a
}

// last is for what a provider did: it is written down even if the time for
// asking it is over.
func last(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
}

// together takes what ends soon after the next one, at most n.
func together(ended <-chan attempt, n int) []attempt {
	some := []attempt{<-ended}
	enough := time.After(lingers)
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

// note writes down how attempts ended, those of a school in one transaction.
func (n *Notifier) note(ctx context.Context, some []attempt, errs []error) {
	ctx, cancel := last(ctx)
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
			errs[a.job] = errors.Join(a.err, fmt.Errorf("write down what became of a delivery: %w", err))
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

// giveUp marks the delivery of a dead job.
func (n *Notifier) giveUp(ctx context.Context, tx *db.Tx, j jobs.Job, cause error) error {
	var a deliver
	if err := json.Unmarshal(j.Payload, &a); err != nil {
		return fmt.Errorf("read the payload of a dead job: %w", err)
	}
	return putFailed(ctx, tx, a.Delivery, clip(cause.Error()), !n.KeepSecrets)
}

// message is what was to be sent, opened if it was sealed.
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
		return m, fmt.Errorf("open a secret message: %w", err)
	}
	var c content
	if err := json.Unmarshal(plain, &c); err != nil {
		return m, fmt.Errorf("read a secret message: %w", err)
	}
	m.Body, m.HTML, m.Data = c.Body, c.HTML, c.Data
	return m, nil
}
