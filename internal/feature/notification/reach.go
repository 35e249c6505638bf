package notification

import (
	"context"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
)

// Reach counts the recipients by channel.
type Reach struct {
	Push        int `json:"push" doc:"People whose app gets a push."`
	SMS         int `json:"sms"`
	SMSParts    int `json:"smsParts" doc:"Number of SMS that the provider charges for: a long text takes several."`
	Email       int `json:"email"`
	Unreachable int `json:"unreachable" doc:"People who get neither push, SMS nor e-mail. Those with an account find it in the app."`
}

// Reach counts whom Send would reach with the notices, without sending them.
func (s *Service) Reach(ctx context.Context, q db.Q, notices []Notice) (sum Reach, err error) {
	a, err := audienceOf(ctx, q, notices, s.Now())
	if err != nil {
		return sum, err
	}
	for _, n := range notices {
		for _, u := range n.Users {
			if a.pushes(n, a.readers[u]) {
				sum.Push++
			}
		}
		for _, r := range a.addressees(n) {
			if !a.reaches(n, r) {
				sum.Unreachable++
			}
		}
	}
	for _, m := range s.letters(a, notices) {
		switch m.Channel {
		case notify.SMS:
			sum.SMS++
			sum.SMSParts += notify.Parts(m.Body)
		case notify.Email:
			sum.Email++
		}
	}
	return sum, nil
}

// Unreached returns the users whom the notices reach by no channel but the log in the
// app: no app that gets a push, no SMS, no e-mail.
func (s *Service) Unreached(ctx context.Context, q db.Q, notices []Notice) (map[id.ID]bool, error) {
	out := map[id.ID]bool{}
	if len(notices) == 0 {
		return out, nil
	}
	a, err := audienceOf(ctx, q, notices, s.Now())
	if err != nil {
		return nil, err
	}
	for _, n := range notices {
		for _, u := range n.Users {
			out[u] = !a.reaches(n, a.readers[u])
		}
	}
	return out, nil
}

// reaches reports whether a reader gets a notice by push, SMS or e-mail.
func (a audience) reaches(n Notice, r reader) bool {
	sms, mail := a.channels(n, r)
	return sms || mail || a.pushes(n, r)
}

// pushes reports whether a reader's app gets the push of a notice.
func (a audience) pushes(n Notice, r reader) bool {
	return r.HasApp && (n.Urgent || r.wants(n.Type).Push)
}
