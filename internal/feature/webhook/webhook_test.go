package webhook_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
)

func TestSends(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		hook := w.hook("event.created", "event.cancelled", "event.created")
		secret := hook.Text("secret")
		apptest.Eq(t, "name", hook.Text("name"), strings.TrimPrefix(w.other.URL, "http://"))
		event := w.event(w.North.Admin)
		w.Admin("PUT", "/school-admin/event/"+event, m{"venue": "Hall"}).OK() // not subscribed
		w.Admin("POST", "/school-admin/event/"+event+"/cancel", nil).OK()
		all := w.sends()
		apptest.Eq(t, "events", types(all), "event.created event.cancelled")
		for _, g := range all {
			if !g.signedBy(secret) || g.m["id"] != g.id || g.m["schoolId"] != string(w.North.ID) || g.m["data"].(m)["id"] != event ||
				g.m["timestamp"] == nil || strings.Contains(g.body, "party") || strings.Contains(g.body, "Hall") {
				t.Errorf("got %+v", g)
			}
		}
		if all[0].id == all[1].id {
			t.Error("two events have one id")
		}
		if more := w.later(time.Hour); len(more) > 0 {
			t.Errorf("sent again: %v", types(more))
		}
		sent := w.Admin("GET", at+hook.Text("id")+"/deliveries", nil).OK().Items()
		if len(sent) != 2 || sent[0]["status"] != "DELIVERED" || sent[0]["answer"] != 204.0 || sent[0]["attempts"] != 1.0 ||
			sent[0]["dueAt"] != nil {
			t.Errorf("deliveries: %v", sent)
		}
	})
}

// TestOtherSchools: a school hears of itself alone, the platform of all.
func TestOtherSchools(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		hook := w.hook("event.created").Text("id")
		w.event(w.South.Admin)
		if all := w.sends(); len(all) > 0 {
			t.Errorf("North heard of South: %v", all)
		}
		path := at + hook
		for _, call := range [][2]string{{"GET", path}, {"PUT", path}, {"DELETE", path}, {"GET", path + "/deliveries"},
			{"POST", path + "/rotate"},
			{"POST", path + "/test"}, {"POST", path + "/deliveries/" + string(w.NewID()) + "/retry"}} {
			w.As(w.South.Admin, call[0], call[1], m{}).Want(404, "Not Found")
		}
		w.As(w.South.Admin, "POST", path+"/replay", m{"since": w.Now()}).Want(404, "Not Found")
		w.As(w.South.Admin, "GET", at+"list", nil).HasNot(hook)
		w.As(w.Super, "GET", "/super-admin/webhook/list", nil).HasNot(hook)
		w.Admin("POST", at+"create", m{"url": w.other.URL, "events": list{"school.created"}}).Want(422, "Unprocessable Entity")
		w.Admin("GET", at+"events", nil).HasNot("school.created")

		all := w.As(w.Super, "POST", "/super-admin/webhook/create",
			m{"url": w.other.URL + "/all", "events": list{"event.created", "school.suspended"}}).OK()
		w.event(w.South.Admin)
		heard := w.sends()
		if len(heard) != 1 || heard[0].m["schoolId"] != string(w.South.ID) || !heard[0].signedBy(all.Text("secret")) {
			t.Errorf("the platform heard %v", heard)
		}
		w.As(w.Super, "GET", "/super-admin/webhook/"+all.Text("id")+"/deliveries", nil).Has(heard[0].id)
	})
}

// TestRights: nobody subscribes to what they may not read, nor takes over such a webhook.
func TestRights(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		hook := w.hook("payment.recorded").Text("id")
		ida := w.only("setting")
		w.As(ida, "GET", at+"events", nil).HasNot("payment.recorded", "student.created")
		w.As(ida, "POST", at+"create", m{"url": w.other.URL, "events": list{"payment.recorded"}}).Want(403, "PERMISSION_DENIED")
		w.As(ida, "PUT", at+hook, m{"url": w.other.URL + "/mine"}).Want(403, "PERMISSION_DENIED")
		w.As(ida, "POST", at+hook+"/rotate", nil).Want(403, "PERMISSION_DENIED")
		mine := w.As(ida, "POST", at+"create", m{"url": w.other.URL, "events": list{"year.created"}}).OK().Text("id")
		w.As(ida, "PUT", at+mine, m{"events": list{"year.created", "payment.recorded"}}).Want(403, "PERMISSION_DENIED")
		for _, who := range []*apptest.Account{w.North.Teacher, w.North.Parent, w.North.Driver} {
			w.As(who, "GET", at+"list", nil).Want(403, "PERMISSION_DENIED")
		}
	})
}

// TestSwitchingOff: whoever may change webhooks may switch off and delete one whose events they may
// not read, and nothing else.
func TestSwitchingOff(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		hook := w.hook("student.created").Text("id")
		ida := w.only("setting")
		off := w.As(ida, "PUT", at+hook, m{"status": "DISABLED"}).OK()
		apptest.Eq(t, "status", off.Text("status"), "DISABLED")
		w.Make("student/create", m{"firstName": "Ada"})
		apptest.Eq(t, "sent since", len(w.sends()), 0)
		for _, change := range []m{{"status": "ACTIVE"}, {"url": w.other.URL + "/mine"}, {"events": list{"student.created", "student.updated"}}} {
			w.As(ida, "PUT", at+hook, change).Want(403, "PERMISSION_DENIED")
		}
		w.Admin("PUT", at+hook, m{"status": "ACTIVE"}).OK()
		if r := w.As(ida, "DELETE", at+hook, nil); r.Status != 204 {
			t.Errorf("delete: %d %s", r.Status, r.Body)
		}
	})
}

// TestSecret: the secret is shown once and kept nowhere in clear.
func TestSecret(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.As(w.North.Admin, "POST", at+"create", m{"url": w.other.URL, "events": list{"event.created"}}, "Idempotency-Key", "k1").OK()
		first, hook := made.Text("secret"), made.Text("id")
		if !strings.HasPrefix(first, "whsec_") || len(first) != 6+44 {
			t.Fatalf("secret %q", first)
		}
		second := w.Admin("POST", at+hook+"/rotate", nil, "Idempotency-Key", "k2").OK().Text("secret")
		w.event(w.North.Admin)
		for _, g := range w.sends() {
			if !g.signedBy(first) || !g.signedBy(second) {
				t.Errorf("within a day both sign: %s", g.signature)
			}
		}
		w.Pass(25 * time.Hour)
		w.event(w.North.Admin)
		for _, g := range w.sends() {
			if g.signedBy(first) || !g.signedBy(second) {
				t.Errorf("after a day only the new one signs: %s", g.signature)
			}
		}
		for _, secret := range []string{first, second, strings.TrimPrefix(second, "whsec_")} {
			w.Admin("GET", at+"list", nil).HasNot(secret)
			w.Admin("GET", at+hook+"/deliveries", nil).HasNot(secret)
			w.Admin("GET", "/school-admin/audit/list?limit=100", nil).HasNot(secret, "whsec_")
			for _, from := range []string{`webhooks WHERE school_id = :school AND secret || old_secret LIKE :x`,
				`idempotency_keys WHERE school_id = :school AND body LIKE :x`, `jobs WHERE school_id = :school AND CAST(payload AS TEXT) LIKE :x`,
				`audit_log WHERE school_id = :school AND CAST(after AS TEXT) LIKE :x`} {
				apptest.Eq(t, from, w.Count(from, db.Args{"x": "%" + secret + "%"}), 0)
			}
		}
		for _, action := range []string{"webhook.create", "webhook.rotate"} {
			w.Audited(action, 1)
		}
	})
}

func TestURLs(t *testing.T) {
	apptest.Worlds(t, func(w *apptest.World) *apptest.World { return w }, func(t *testing.T, w *apptest.World) {
		for _, url := range []string{"http://example.org/x", "https://127.0.0.1/x", "https://10.0.0.7/x", "https://[::1]/x",
			"https://localhost/x",
			"https://169.254.169.254/latest", "https://db.internal/x", "https://user:pw@example.org/x", "https://example.org/x#y",
			"ftp://example.org",
			"example.org", "https://", "https://2130706433/x"} {
			w.Admin("POST", at+"create", m{"url": url, "events": list{"event.created"}}).Want(422, "Unprocessable Entity")
		}
		w.Admin("POST", at+"create", m{"url": "https://example.org/x", "events": list{}}).Want(422, "Unprocessable Entity")
		w.Admin("POST", at+"create", m{"url": "https://example.org/x", "events": list{"nothing.happened"}}).Want(422, "Unprocessable Entity")
		// A name may resolve to a private address only later: the connection is refused.
		secretive := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a private address was called") }))
		defer secretive.Close()
		hook := w.Make("webhook/create", m{"url": "https://example.org/x", "events": list{"event.created"}})
		w.Exec(`UPDATE webhooks SET url = :url WHERE school_id = :school AND id = :id`, db.Args{"url": secretive.URL, "id": hook})
		w.Admin("POST", at+hook+"/test", nil).OK()
		if err := w.Hooks.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		d := w.Admin("GET", at+hook+"/deliveries", nil).OK().Items()[0]
		if d["status"] != "PENDING" || !strings.Contains(d.Text("response"), "is not a public address") {
			t.Errorf("got %v", d)
		}
	})
}

// TestOutage: while a receiver is down it is tried with growing pauses, and then gets
// everything once and in order.
func TestOutage(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		hook := w.hook("event.created").Text("id")
		w.other.answers(503, strings.Repeat("down <b>", 1000))
		for range 3 {
			w.event(w.North.Admin)
		}
		apptest.Eq(t, "attempts", len(w.sends()), 1)
		w.event(w.North.Admin)
		apptest.Eq(t, "attempts in the pause", len(w.sends()), 0)
		apptest.Eq(t, "attempts after 5 s", len(w.later(6*time.Second)), 1)
		apptest.Eq(t, "attempts after 10 s", len(w.later(10*time.Second)), 0)
		apptest.Eq(t, "attempts after 40 s", len(w.later(30*time.Second)), 1)
		failing := w.Admin("GET", at+hook, nil).OK()
		if failing["failingSince"] == nil || failing["pausedUntil"] == nil || failing["status"] != "ACTIVE" {
			t.Errorf("got %v", failing)
		}
		first := w.Admin("GET", at+hook+"/deliveries?order=asc&sort=createdAt", nil).OK().Items()[0]
		if first["answer"] != 503.0 || len(first.Text("response")) != 1000 || first["attempts"] != 3.0 {
			t.Errorf("got %v", first)
		}
		w.other.answers(200, "ok")
		all := w.later(2 * time.Minute)
		ids := make([]string, len(all))
		for i, g := range all {
			ids[i] = g.id
		}
		if len(ids) != 4 || !slices.IsSorted(ids) {
			t.Errorf("got %v", ids)
		}
		apptest.Eq(t, "failingSince", w.Admin("GET", at+hook, nil).OK()["failingSince"], nil)
	})
}

// TestRefused: an event that the receiver refuses does not hold up the others.
func TestRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		hook := w.hook("event.created").Text("id")
		w.other.answers(422, "no")
		w.event(w.North.Admin)
		w.event(w.North.Admin)
		apptest.Eq(t, "attempts", len(w.sends()), 2)
		w.other.answers(200, "")
		w.event(w.North.Admin)
		apptest.Eq(t, "the new one", len(w.sends()), 1)
		apptest.Eq(t, "the others, after a pause", len(w.later(10*time.Second)), 2)
		w.Admin("GET", at+hook+"/deliveries?status=DELIVERED", nil).Has(`"total":3`)
	})
}

// TestOfficeIsTold: whoever adds a webhook or points it elsewhere can't do so unseen.
func TestOfficeIsTold(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		other := w.only("setting")
		told := func(who *apptest.Account) int {
			return w.Count(`notifications WHERE school_id = :school AND type = 'WEBHOOK' AND user_id = :user`, db.Args{"user": who.ID})
		}
		hook := w.hook("event.created").Text("id")
		apptest.Eq(t, "told of a new one", told(other), 1)
		w.Admin("PUT", at+hook, m{"name": "Another name"}).OK()
		apptest.Eq(t, "told of a name", told(other), 1)
		w.Admin("PUT", at+hook, m{"url": w.other.URL + "/elsewhere"}).OK()
		apptest.Eq(t, "told of another URL", told(other), 2)
		apptest.Eq(t, "told of one's own change", told(w.North.Admin), 0)
	})
}

// TestDisabled: after three days without success, or at 410, the webhook is disabled and
// the office is told. Enabled again, it gets what it missed.
func TestDisabled(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		hook := w.hook("event.created").Text("id")
		w.other.answers(500, "")
		w.event(w.North.Admin)
		since := w.Now()
		for w.sends(); w.Now().Sub(since) < 100*time.Hour; {
			w.later(6 * time.Hour)
		}
		shown := w.Admin("GET", at+hook, nil).OK()
		if shown["status"] != "DISABLED" || shown["problem"] != "FAILING" {
			t.Fatalf("got %v", shown)
		}
		apptest.Eq(t, "notifications of the office", w.Count(`notifications WHERE school_id = :school AND type = 'WEBHOOK' AND user_id = :admin`,
			db.Args{"admin": w.North.Admin.ID}), 1)
		w.Admin("GET", at+hook+"/deliveries", nil).Has(`"status":"FAILED"`)
		w.event(w.North.Admin)
		w.Admin("POST", at+hook+"/test", nil).Want(409, "Conflict")
		w.Admin("POST", at+hook+"/replay", m{"since": since}).Want(409, "Conflict")
		apptest.Eq(t, "sent while disabled", len(w.later(time.Hour)), 0)

		w.other.answers(200, "")
		enabled := w.Admin("PUT", at+hook, m{"status": "ACTIVE"}).OK()
		if enabled["problem"] != nil || enabled["failingSince"] != nil {
			t.Errorf("got %v", enabled)
		}
		w.Admin("POST", at+hook+"/replay", m{"since": w.Now().Add(-31 * 24 * time.Hour)}).Want(422, "Unprocessable Entity")
		w.Admin("POST", at+hook+"/replay", m{"since": since.Add(-time.Minute)}).OK()
		apptest.Eq(t, "replayed", types(w.sends()), "event.created event.created")

		w.other.answers(410, "")
		w.event(w.North.Admin)
		w.sends()
		apptest.Eq(t, "problem", w.Admin("GET", at+hook, nil).OK()["problem"], any("GONE"))
	})
}

// TestChangedMeanwhile: what an old URL answers after the webhook was changed neither disables
// nor pauses it. The event goes to the new URL.
func TestChangedMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, status := range []int{http.StatusGone, http.StatusInternalServerError} {
			asked, changed := make(chan struct{}, 1), make(chan struct{})
			old := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				asked <- struct{}{}
				<-changed
				rw.WriteHeader(status)
			}))
			defer old.Close()
			hook := w.Admin("POST", at+"create", m{"url": old.URL, "events": list{"event.created"}}).OK().Text("id")
			w.event(w.North.Admin)
			ended := make(chan error, 1)
			go func() { ended <- w.Hooks.Drain(t.Context()) }()
			<-asked
			w.Admin("PUT", at+hook, m{"url": w.other.URL}).OK()
			close(changed)
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			apptest.Eq(t, "sent to the new URL", types(w.sends()), "event.created")
			shown := w.Admin("GET", at+hook, nil).OK()
			if shown["status"] != "ACTIVE" || shown["problem"] != nil || shown["pausedUntil"] != nil || shown["failingSince"] != nil {
				t.Errorf("after %d: %v", status, shown)
			}
			w.Admin("DELETE", at+hook, nil).OK()
		}
		w.Audited("webhook.disable", 0)
	})
}

func TestRetryAndPing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		hook := w.hook("event.created").Text("id")
		ping := w.Admin("POST", at+hook+"/test", nil).OK().Text("id")
		first := w.sends()
		apptest.Eq(t, "ping", types(first), "ping")
		apptest.Eq(t, "id", first[0].id, ping)
		w.Admin("POST", at+hook+"/deliveries/"+ping+"/retry", nil).OK()
		again := w.sends()
		if len(again) != 1 || again[0].id != ping || again[0].body != first[0].body {
			t.Errorf("got %v, want %v again", again, first)
		}
		w.Admin("POST", at+hook+"/deliveries/"+string(w.NewID())+"/retry", nil).Want(404, "Not Found")
		w.event(w.North.Admin)
		w.Admin("PUT", at+hook, m{"status": "DISABLED"}).OK()
		w.event(w.North.Admin)
		apptest.Eq(t, "sent while disabled", len(w.sends()), 0)
		w.Admin("PUT", at+hook, m{"status": "ACTIVE"}).OK()
		apptest.Eq(t, "what happened before", types(w.sends()), "event.created")
		w.Admin("DELETE", at+hook, nil)
		w.Admin("GET", at+hook, nil).Want(404, "Not Found")
		w.event(w.North.Admin)
		apptest.Eq(t, "sent after deletion", len(w.sends()), 0)
	})
}

func TestRedirect(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		target := newReceiver(t)
		w.hook("event.created")
		w.other.header = http.Header{"Location": {target.URL}}
		w.other.answers(307, "")
		w.event(w.North.Admin)
		w.sends()
		if all := target.taken(); len(all) > 0 {
			t.Error("a redirect was followed")
		}
	})
}

// TestSlow: a receiver that does not answer delays neither the others nor other jobs.
func TestSlow(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		stop := make(chan struct{})
		slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop }))
		defer slow.Close()
		defer close(stop)
		for range 9 { // more than the workers of other jobs
			w.Admin("POST", at+"create", m{"url": slow.URL, "events": list{"event.created"}}).OK()
		}
		w.hook("event.created")
		w.Work(t)
		for range 3 {
			w.event(w.North.Admin)
		}
		var all []got
		await.Until(t, "the fast receiver gets all", func() bool { all = append(all, w.other.taken()...); return len(all) == 3 })
		seen := map[string]int{}
		for _, g := range all {
			seen[g.id]++
		}
		if len(seen) != 3 {
			t.Errorf("got %v", fmt.Sprint(seen))
		}
		apptest.Eq(t, "queued for others", w.Count(`
			jobs WHERE school_id = :school AND kind NOT LIKE 'webhook%' AND state = 'waiting' AND run_at <= :now`,
			db.Args{"now": w.Now()}), 0)
	})
}

func TestMany(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for range 20 {
			w.hook("event.created")
		}
		w.Admin("POST", at+"create", m{"url": w.other.URL, "events": list{"event.created"}}).Want(409, "Conflict")
		w.event(w.North.Admin)
		apptest.Eq(t, "each gets it once", len(w.sends()), 20)
	})
}

// TestForgets deletes finished deliveries after 30 days.
func TestForgets(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.hook("event.created")
		w.event(w.North.Admin)
		w.sends()
		w.later(31 * 24 * time.Hour)
		apptest.Eq(t, "deliveries", w.Count(`webhook_deliveries WHERE school_id = :school`, nil), 0)
	})
}
