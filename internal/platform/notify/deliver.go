package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

// deliver is the job that sends one delivery.
type deliver struct {
	Delivery id.ID `json:"delivery"`
}

// Kind names the job.
func (deliver) Kind() string { return "notify.deliver" }

var errForgotten = errors.New("the secret text of this message was forgotten when it failed; have a new one made")

// Workers are the workers that send.
func (n *Notifier) Workers() []jobs.Worker {
	w := jobs.Work(n.deliver)
	w.Timeout = 30 * time.Second
	w.Dead = n.giveUp
	return []jobs.Worker{w}
}

// deliver sends a delivery that was not sent before.
func (n *Notifier) deliver(ctx context.Context, school id.ID, a deliver) error {
	d, err := getDelivery(ctx, n.DB.School(school), a.Delivery)
	if errors.Is(err, db.ErrNotFound) {
		return jobs.Permanent(fmt.Errorf("there is no delivery %s", a.Delivery))
	}
	if err != nil || d.Status == Sent {
		return err
	}
	m, err := n.message(d)
	switch {
	case errors.Is(err, errForgotten):
		return jobs.Permanent(err)
	case err != nil: // the key may be one that this node has yet to load
		return err
	}
	p := n.provider(m.Channel)
	answer, failed := p.Send(ctx, m)
	if failed != nil {
		failed = scrubbed(failed, m)
		answer = failed.Error()
	}
	// What the provider did is written down even if the time for asking it is over.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	end := tried{ID: d.ID, Provider: p.Name(), Answer: clip(scrub(answer, m))}
	if failed == nil {
		end.SentAt, end.Forget = n.Now(), d.Sealed && !n.KeepSecrets
	}
	return errors.Join(failed, putTried(ctx, n.DB.School(school), end))
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
		ID: d.ID, Channel: d.Channel, To: d.ToAddr, Subject: d.Subject,
		Body: d.Body, HTML: d.HTML, Data: d.Data.V, Secret: d.Sealed,
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

// reworded is an error with another text, and otherwise the same.
type reworded struct {
	error
	text string
}

func (r reworded) Error() string { return r.text }
func (r reworded) Unwrap() error { return r.error }

// scrubbed is err with nothing secret in its text: providers like to quote.
func scrubbed(err error, m Message) error {
	if !m.Secret {
		return err
	}
	return reworded{err, scrub(err.Error(), m)}
}

// scrub takes out of the text all that stands in a secret message and may be a
// code or a link: every word of it that has a digit, and the whole.
func scrub(text string, m Message) string {
	if !m.Secret {
		return text
	}
	secrets := []string{m.Body, m.HTML}
	for _, v := range m.Data {
		secrets = append(secrets, v)
	}
	for _, s := range slices.Clone(secrets) {
		for _, word := range strings.FieldsFunc(s, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
		}) {
			if len(word) >= 4 && strings.ContainsFunc(word, unicode.IsDigit) {
				secrets = append(secrets, word)
			}
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "•••")
		}
	}
	return text
}

// clip makes a provider's text fit for a column.
func clip(s string) string {
	const most = 1000
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\x00", "�")
}
