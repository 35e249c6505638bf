package notification

import (
	"slices"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/text"
)

// Push comes first. An SMS is sent if the school's policy says so for the type, or to a
// parent whose app was not seen for a month; an e-mail unless the reader switched it
// off. Urgent notices go by every channel.

// channels returns whether a notice goes to a reader by SMS and by e-mail.
func (a audience) channels(n Notice, r reader) (sms, mail bool) {
	if n.Urgent {
		return r.Phone != "", r.Email != ""
	}
	wants := r.wants(n.Type)
	sms = wants.SMS && (slices.Contains(a.school.SMSTypes, string(n.Type)) || a.missesPush(n, r))
	return sms && r.Phone != "", wants.Email && r.Email != ""
}

// missesPush reports whether a parent has no app that gets the push. Staff are not sent
// an SMS for this reason: many work in the browser.
func (a audience) missesPush(n Notice, r reader) bool {
	switch {
	case r.Role != actor.Parent || frequent(n.Type):
		return false
	case a.closed[n.Student]: // pushes go to signed-in devices only
		return !r.SignedIn
	}
	return !r.HasApp
}

// letters returns the SMS and e-mails of notices, at most one of each per address and
// notice.
func (s *Service) letters(a audience, notices []Notice) (out []notify.Message) {
	for _, n := range notices {
		said, taken := map[string]words{}, map[string]bool{}
		put := func(m notify.Message) {
			if key := string(m.Channel) + m.To; !taken[key] {
				taken[key] = true
				out = append(out, m)
			}
		}
		for _, r := range a.addressees(n) {
			sms, mail := a.channels(n, r)
			m, send := a.envelope(n, r)
			if !send || !sms && !mail {
				continue
			}
			w, ok := said[m.Lang]
			if !ok {
				w = a.words(n, m.Lang, s.PublicURL)
				said[m.Lang] = w
			}
			m.Subject = w.subject
			if sms {
				m.Channel, m.To, m.Body = notify.SMS, r.Phone, w.sms
				put(m)
			}
			if mail {
				m.Channel, m.To, m.Body, m.HTML = notify.Email, r.Email, w.mail, w.html
				put(m)
			}
		}
	}
	return out
}

// addressees are the recipients of a notice who may get an SMS or e-mail.
func (a audience) addressees(n Notice) (out []reader) {
	for _, u := range n.Users {
		out = append(out, a.readers[u])
	}
	for _, g := range n.Guardians {
		out = append(out, a.guardians[g])
	}
	if n.Urgent && n.office != "" {
		for _, c := range a.school.EmergencyContacts {
			out = append(out, reader{Phone: c.Phone, Email: string(c.Email)})
		}
	}
	return out
}

// envelope returns the fields common to SMS and e-mail, and whether to send any.
func (a audience) envelope(n Notice, r reader) (m notify.Message, send bool) {
	m = notify.Message{User: r.ID, Lang: a.lang(r.ID), Recheck: true, Urgent: n.Urgent || n.Type == Limit,
		Data: map[string]string{"type": string(n.Type)}}
	if n.Type == Announcement || n.Type == Result {
		m.Data["id"] = n.Record.String() // it may be recalled while the message waits
	}
	if n.Student != "" {
		m.Data["studentId"] = n.Student.String()
	}
	if n.office != "" {
		m.Data["permission"] = n.office
	}
	if !n.prompt() {
		m.At = r.quietUntil(a.now, a.zone)
	}
	return m, n.Type != Transport || m.At.IsZero() // bus positions are useless hours later
}

// words are the texts of a notice in one language.
type words struct{ subject, sms, mail, html string }

func (a audience) words(n Notice, lang, base string) (w words) {
	c, short, long := text.Standard(), n.Body, n.Body
	if n.Type == Announcement { // its body need not say what it is about
		short = n.Title
		if c.Say(lang, n.Body) != "" {
			short = text.T("sms.titled", "title", n.Title, "body", n.Body)
		}
	}
	if c.Say(lang, n.Mail) != "" {
		long = n.Mail
	}
	w.subject = c.Say(lang, n.Title)
	w.sms = c.Say(lang, text.T("sms.from", "school", a.school.Name, "words", short))
	w.mail, w.html = c.Write(text.Letter{Brand: a.school.Brand(base), Locale: lang, Title: n.Title, Before: []text.Text{long}})
	return w
}
