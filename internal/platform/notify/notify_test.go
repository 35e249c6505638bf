package notify_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/page"
)

func TestSent(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		user := id.New()
		k.send(notify.Message{Channel: notify.SMS, To: "+1 (555) 010-0001", Body: "Hello", Data: map[string]string{"a": "b"}, User: user})
		if d := k.only(); d.Status != notify.Queued || d.To != "+15550100001" || d.Attempts != 0 || d.SentAt != nil {
			t.Fatalf("queued as %+v", d)
		}
		k.drain()
		d := k.only()
		if d.Status != notify.Sent || d.Attempts != 1 || *d.Provider != "fake" || *d.Answer != "accepted "+d.ID.String() ||
			d.SentAt == nil || *d.UserID != user {
			t.Fatalf("sent as %+v", d)
		}
		m := k.fake.took[0]
		if len(k.fake.took) != 1 || m.ID != d.ID || m.To != string(d.To) || m.Body != "Hello" || m.Data["a"] != "b" ||
			m.User != user || m.Secret {
			t.Fatalf("the provider got %+v", k.fake.took)
		}
	})
}

func TestNothingIsSentWithoutCommit(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		broken := errors.New("no")
		err := k.DB.InSchool(t.Context(), k.school, func(ctx context.Context, tx *db.Tx) error {
			k.must(k.Send(ctx, tx, k.school, notify.Message{Channel: notify.Email, To: "a@b.test", Body: "Hello"}))
			return broken
		})
		if !errors.Is(err, broken) {
			t.Fatal(err)
		}
		k.drain()
		if n := len(k.deliveries(notify.Filter{})); n != 0 || len(k.fake.took) != 0 {
			t.Fatalf("%d deliveries, %d sent", n, len(k.fake.took))
		}
	})
}

func TestSentFromATransactionAcrossSchools(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		broken := errors.New("no")
		for _, end := range []error{broken, nil} {
			err := k.DB.InAll(t.Context(), unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
				k.must(k.Send(ctx, tx, k.school, notify.Message{Channel: notify.Email, To: "a@b.test", Body: "Hello"}))
				return end
			})
			if !errors.Is(err, end) {
				t.Fatal(err)
			}
		}
		k.drain()
		if d := k.only(); d.Status != notify.Sent || *d.Provider != "local" {
			t.Fatalf("sent as %+v", d)
		}
	})
}

func TestRefused(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		for name, m := range map[string]notify.Message{
			"no channel": {To: "+15550100001"}, "a strange channel": {Channel: "fax", To: "+15550100001"},
			"nobody": {Channel: notify.SMS, To: " - "},
		} {
			err := k.DB.InSchool(t.Context(), k.school, func(ctx context.Context, tx *db.Tx) error {
				return k.Send(ctx, tx, k.school, m)
			})
			if err == nil {
				t.Errorf("a message to %s was accepted", name)
			}
		}
	})
}

func TestADeliveryIsSentOnce(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		k.send(notify.Message{Channel: notify.Push, To: "topic", Body: "Hello"})
		k.drain()
		d := k.only()
		again := jobs.Job{ID: id.New(), School: k.school, Kind: "notify.deliver", Attempt: 2, Payload: fmt.Appendf(nil, `{"delivery":%q}`, d.ID)}
		k.must(k.Workers()[0].Work(t.Context(), again)) // as after a crash between sending and completing the job
		if after := k.only(); len(k.fake.took) != 1 || after.Attempts != 1 {
			t.Fatalf("sent %d times: %+v", len(k.fake.took), after)
		}
		again.Payload = fmt.Appendf(nil, `{"delivery":%q}`, id.New())
		if err := k.Workers()[0].Work(t.Context(), again); !jobs.IsPermanent(err) {
			t.Fatalf("a delivery that is not there: %v", err)
		}
	})
}

func TestProviderFailures(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		k.fake.fail = func(notify.Message) error { return jobs.Later(errBusy, time.Hour) }
		k.send(notify.Message{Channel: notify.SMS, To: "+15550100001", Body: "Hello"})
		k.drain()
		if d := k.only(); d.Status != notify.Queued || d.Attempts != 1 || *d.Answer != errBusy.Error() {
			t.Fatalf("after a failure: %+v", d)
		}
		k.now = k.now.Add(59 * time.Minute)
		k.drain()
		if d := k.only(); d.Attempts != 1 {
			t.Fatalf("asked again before the provider's pause was over: %+v", d)
		}
		k.fake.fail = nil
		k.now = k.now.Add(time.Minute)
		k.drain()
		if d := k.only(); d.Status != notify.Sent || d.Attempts != 2 {
			t.Fatalf("after the pause: %+v", d)
		}

		k.fake.fail = func(notify.Message) error { return jobs.Permanent(errors.New("no such number")) }
		k.send(notify.Message{Channel: notify.SMS, To: "+15550100002", Body: "Hello"})
		k.drain()
		failed := k.deliveries(notify.Filter{Status: notify.Failed})
		if len(failed) != 1 || failed[0].Attempts != 1 || *failed[0].Answer != "no such number" ||
			failed[0].SentAt != nil || failed[0].Body != "Hello" {
			t.Fatalf("failed for good: %+v", failed)
		}
		dead, err := k.queue.List(t.Context(), k.school, jobs.Dead, page.Request{Page: 1, Limit: 10})
		k.must(err)
		k.fake.fail = nil
		k.must(k.queue.Retry(t.Context(), k.school, dead.Items[0].ID))
		k.drain()
		if n := len(k.deliveries(notify.Filter{Status: notify.Sent})); n != 2 {
			t.Fatalf("%d sent after the retry by hand, want 2", n)
		}
	})
}

const otp = "482913"

func secretMessage() notify.Message {
	return notify.Message{
		Channel: notify.SMS, To: "+15550100001", Subject: "Sign in", Body: "Your code is " + otp,
		HTML: "<b>" + otp + "</b>", Data: map[string]string{"code": otp}, Secret: true,
	}
}

func TestASecretIsNeverInClear(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		quoting := func(m notify.Message) error {
			return errors.New("can't send “" + m.Body + "” now; code=" + m.Data["code"])
		}
		check := func(when string) {
			t.Helper()
			if raw := k.raw(); strings.Contains(raw, otp) || !strings.Contains(raw, "+15550100001") {
				t.Fatalf("%s the tables hold:\n%s", when, raw)
			}
			if strings.Contains(k.log.String(), otp) {
				t.Fatalf("%s the log holds the code", when)
			}
			if d := k.only(); d.Body != "" || !d.Secret {
				t.Fatalf("%s an administrator reads %+v", when, d)
			}
		}
		k.send(secretMessage())
		check("while it is queued,")
		k.fake.fail = quoting
		k.drain()
		check("after a provider quoted it,")
		if d := k.only(); !strings.Contains(*d.Answer, "can't send") {
			t.Fatalf("the answer is %q", *d.Answer)
		}
		k.fake.fail = nil
		k.now = k.now.Add(time.Minute)
		k.drain()
		check("after it was sent,")
		if got := k.fake.took[0]; got.Body != "Your code is "+otp || got.HTML != "<b>"+otp+"</b>" || got.Data["code"] != otp || !got.Secret {
			t.Fatalf("the provider got %+v", got)
		}
	})
}

func TestASecretIsForgotten(t *testing.T) {
	cases := map[string]struct{ keep, fail bool }{
		"sent": {}, "failed": {fail: true}, "sent in demo": {keep: true}, "failed in demo": {keep: true, fail: true},
	}
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		for name, c := range cases {
			k.KeepSecrets = c.keep
			k.fake.fail = func(notify.Message) error {
				if c.fail {
					return jobs.Permanent(errBusy)
				}
				return nil
			}
			m := secretMessage()
			m.To = strings.ReplaceAll(name, " ", "") + "@b.test"
			m.Channel = notify.Email
			k.send(m)
			k.drain()
			bodies, err := db.All[string](t.Context(), k.DB.School(k.school),
				`SELECT body FROM deliveries WHERE school_id = :school AND to_addr = :to`, db.Args{"to": m.To})
			k.must(err)
			if len(bodies) != 1 || (bodies[0] != "") != c.keep {
				t.Errorf("%s: kept %q", name, bodies)
			}
		}
		if strings.Contains(k.raw(), otp) {
			t.Error("a kept secret is not encrypted in the database")
		}
	})
}

func TestASecretIsTriedForMinutes(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.useFake()
		k.fake.fail = func(notify.Message) error { return jobs.Later(errBusy, time.Hour) } // longer than the code is valid
		began := k.now
		k.send(secretMessage())
		for k.only().Status == notify.Queued {
			k.drain()
			k.now = k.now.Add(time.Second)
		}
		if d, took := k.only(), k.now.Sub(began); d.Attempts != 4 || took > 5*time.Minute || took < 2*time.Minute {
			t.Fatalf("given up after %d tries in %s", d.Attempts, took)
		}
		dead, err := k.queue.List(t.Context(), k.school, jobs.Dead, page.Request{Page: 1, Limit: 10})
		k.must(err)
		k.must(k.queue.Retry(t.Context(), k.school, dead.Items[0].ID))
		k.drain()
		if d := k.only(); d.Status != notify.Failed || !strings.Contains(*d.Answer, "request a new one") {
			t.Fatalf("retried without its text: %+v", d)
		}
	})
}

func TestDeliveriesFilter(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.send(notify.Message{Channel: notify.SMS, To: "+15550100001", Body: "1"},
			notify.Message{Channel: notify.Email, To: "Ann@B.test", Body: "2"})
		k.drain()
		k.send(notify.Message{Channel: notify.Push, To: "topic_A", Body: "3"})
		for name, c := range map[string]struct {
			filter notify.Filter
			want   string
		}{
			"all":     {notify.Filter{}, "3"},
			"channel": {notify.Filter{Channel: notify.SMS}, "1"},
			"status":  {notify.Filter{Status: notify.Queued}, "3"},
			"phone":   {notify.Filter{To: "+1 555 010 0001"}, "1"},
			"mail":    {notify.Filter{To: "ann@b.test"}, "2"},
			"topic":   {notify.Filter{To: "topic_A"}, "3"},
			"nobody":  {notify.Filter{To: "x@b.test"}, ""},
		} {
			got := ""
			if all := k.deliveries(c.filter); len(all) > 0 {
				got = string(all[0].Body)
			}
			if got != c.want {
				t.Errorf("%s: the newest is %q, want %q", name, got, c.want)
			}
		}
	})
}
