package notification_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify/fake"
	"homeroom/internal/platform/text"
)

// browsers is a world with a push service for browsers.
type browsers struct {
	*world
	service *fake.PushService
}

// withBrowsers runs test in a world with a push service.
func withBrowsers(t *testing.T, test func(t *testing.T, w *browsers)) {
	t.Helper()
	each(t, func(t *testing.T, w *world) {
		b := &browsers{w, fake.NewPushService(w.Clock.Now)}
		t.Cleanup(b.service.Close)
		test(t, b)
	}, func(c *app.Config) { c.WebPushLoopback, c.WebPushContact = true, "operator@example.org" })
}

// subscribe registers a new browser for an account's session.
func (w *browsers) subscribe(who *apptest.Account) *fake.Browser {
	w.Helper()
	b := w.service.Subscribe(w.As(who, "GET", path(who, "push-key"), nil).OK().Text("publicKey"))
	r := w.As(who, "POST", path(who, "token"), m{"subscription": b.JSON()})
	if d := r.OK(); d["platform"] != "web" || strings.Contains(string(r.Body), "push/v1") {
		w.Errorf("registered browser: got %s", r.Body)
	}
	return b
}

// received drains the queue and returns what a browser received since the last call, as
// "title|body".
func (w *browsers) received(b *fake.Browser, before int) []string {
	w.Helper()
	w.Drain()
	var out []string
	for _, p := range w.service.Got(b)[before:] {
		out = append(out, p.Title+"|"+p.Body)
	}
	return out
}

func (w *browsers) wants(what string, b *fake.Browser, before int, want ...string) {
	w.Helper()
	if got := w.received(b, before); !slices.Equal(got, want) {
		w.Errorf("%s: got %q, want %q", what, got, want)
	}
}

const neutralEn = "Attendance|There is news about attendance. Open the app to read it."

// TestBrowser: browsers get what goes to a topic too, each in its reader's language, until
// their session ends.
func TestBrowser(t *testing.T) {
	withBrowsers(t, func(t *testing.T, w *browsers) {
		phone := *w.una
		w.SignIn(t, &phone) // a second session
		pat, una, second := w.subscribe(w.North.Parent), w.subscribe(w.una), w.subscribe(&phone)
		other := w.subscribe(w.North.Driver)
		w.mark("LATE")
		w.wants("Pat", pat, 0, neutralEn)
		spanish := w.received(una, 0)
		if len(spanish) != 1 || !strings.HasPrefix(spanish[0], "Asistencia|") {
			t.Errorf("Una: got %q", spanish)
		}
		w.wants("the driver", other, 0)
		got := w.service.Got(una)[0]
		if got.Path != "/attendance" || got.Data["type"] != "ATTENDANCE" || got.Data["studentId"] != w.mia || got.Data["id"] == "" ||
			*got.Badge != 1 || got.Lang != "es-MX" || got.Urgency != "high" || got.TTL != "43200" || len(got.Topic) != 32 {
			t.Errorf("push: got %+v", got)
		}
		w.private()
		w.As(w.una, "POST", "/auth/logout", nil).OK()
		w.mark("ABSENT")
		w.wants("Una, signed out", una, 1)
		w.wants("Una's other session", second, 1, spanish[0])
		guardian := w.One(`SELECT id FROM guardians WHERE school_id = :school AND user_id = :user`, db.Args{"user": w.una.ID})
		w.Admin("DELETE", "/school-admin/student/"+w.mia+"/guardians/"+guardian, nil).OK()
		w.mark("LATE")
		w.wants("Una without Mia", second, 2)
		w.wants("Pat", pat, 2, neutralEn)
		w.deliveriesHide(pat)
	})
}

// deliveriesHide fails if administrators read a subscription.
func (w *browsers) deliveriesHide(b *fake.Browser) {
	w.Helper()
	r := w.Admin("GET", "/school-admin/notification/deliveries?channel=push&limit=100", nil)
	auth := b.JSON()["keys"].(m)["auth"].(string)
	if !strings.Contains(string(r.Body), `"provider":"webpush"`) || !strings.Contains(string(r.Body), `"providerAnswer":"201 Created"`) ||
		strings.Contains(string(r.Body), "push/v1") || strings.Contains(string(r.Body), auth) {
		w.Errorf("deliveries: got %s", r.Body)
	}
}

// TestBrowserTestMessage: a test push to the newest device arrives if that is a browser.
func TestBrowserTestMessage(t *testing.T) {
	withBrowsers(t, func(t *testing.T, w *browsers) {
		b := w.subscribe(w.North.Admin)
		sent := w.Admin("POST", testPath, m{"channel": "push"})
		apptest.Eq(t, "to", sent.OK().Text("to"), "device")
		if got := w.received(b, 0); len(got) != 1 || !strings.Contains(got[0], "test") {
			t.Errorf("the browser: got %q", got)
		}
		apptest.Eq(t, "status", w.Admin("GET", testPath+"/"+sent.OK().Text("id"), nil).OK().Text("status"), "SENT")
	})
}

// TestBrowserDetails: with pushDetails, browsers get details as phones do. The school's
// topic stays neutral, and reaches every browser at its owner's time.
func TestBrowserDetails(t *testing.T) {
	withBrowsers(t, func(t *testing.T, w *browsers) {
		w.Admin("PUT", "/school-admin/setting", m{"pushDetails": true}).OK()
		pat, admin, ann := w.subscribe(w.North.Parent), w.subscribe(w.North.Admin), w.subscribe(w.North.Teacher)
		w.mark("LATE")
		if got := w.received(pat, 0); len(got) != 1 || !strings.Contains(got[0], "Mia Roe was marked late") {
			t.Errorf("details: got %q", got)
		}
		w.As(w.North.Teacher, "PUT", path(w.North.Teacher, "preferences"), m{"quietHours": m{"from": "06:00", "to": "09:00"}}).OK()
		id := w.Make("announcement/create", m{"title": "Snow", "body": "Stay at home", "audience": "ALL"})
		const news = "Announcement|There is a new announcement. Open the app to read it."
		for who, b := range map[string]*fake.Browser{"Pat": pat, "the office": admin} {
			before := map[bool]int{true: 1, false: 0}[b == pat]
			w.wants(who, b, before, news)
			if got := w.service.Got(b)[before]; got.Path != "/announcements/"+id || got.TTL != "259200" || got.Urgency != "normal" {
				t.Errorf("%s: got %+v", who, got)
			}
		}
		w.wants("Ann in quiet hours", ann, 0)
		w.Clock.Add(3 * time.Hour)
		w.wants("Ann later", ann, 0, news)
	})
}

// TestBrowserDigest: what waits for a digest reaches browsers with it.
func TestBrowserDigest(t *testing.T) {
	withBrowsers(t, func(t *testing.T, w *browsers) {
		w.Admin("PUT", "/school-admin/setting", m{"digestMinutes": 10}).OK()
		pat := w.subscribe(w.North.Parent)
		for i := range 3 {
			w.Make("announcement/create", m{"title": fmt.Sprint("News ", i), "body": "b", "audience": "ALL"})
		}
		w.wants("at once", pat, 0, "Announcement|There is a new announcement. Open the app to read it.")
		w.Clock.Add(11 * time.Minute)
		if got := w.received(pat, 1); len(got) != 1 || !strings.Contains(got[0], "2 new announcements") {
			t.Errorf("digest: got %q", got)
		}
	})
}

// TestBrowserAnswers: a service that is busy is asked again; an unsubscribed browser is
// removed.
func TestBrowserAnswers(t *testing.T) {
	withBrowsers(t, func(t *testing.T, w *browsers) {
		pat := w.subscribe(w.North.Parent)
		for i, answer := range []fake.Answer{{Status: 503}, {Status: 429, Header: map[string]string{"Retry-After": "120"}}} {
			w.service.Next(answer)
			w.mark([]string{"LATE", "ABSENT"}[i])
			w.wants("busy", pat, i)
			w.Clock.Add(119 * time.Second)
			if answer.Status == 429 {
				w.wants("before Retry-After", pat, i)
			}
			w.Clock.Add(time.Hour)
			w.wants("asked again", pat, i, neutralEn)
			w.SignIn(t, w.North.Admin)
		}
		w.service.Unsubscribe(pat)
		w.mark("LATE")
		w.Drain()
		apptest.Eq(t, "devices after 410", w.Count(`devices WHERE school_id = :school`, nil), 0)
		failed := w.Admin("GET", "/school-admin/notification/deliveries?status=FAILED", nil).OK().Items()
		if len(failed) != 1 || failed[0]["to"] != "device" || failed[0]["providerAnswer"] != "the push service answered 410: unsubscribed" {
			t.Errorf("failed deliveries: got %v", failed)
		}
		requests := len(w.service.Requests())
		w.mark("ABSENT")
		w.Drain()
		apptest.Eq(t, "requests after 410", len(w.service.Requests()), requests)
	})
}

// TestBrowserMoves: a subscription belongs to whoever registered it last, and only who has
// its keys can move it.
func TestBrowserMoves(t *testing.T) {
	withBrowsers(t, func(t *testing.T, w *browsers) {
		b := w.subscribe(w.una)
		thief := w.service.Subscribe("").JSON()
		thief["endpoint"] = b.Endpoint
		for _, who := range append(everyone(w.North), everyone(w.South)...) {
			w.As(who, "POST", path(who, "token"), m{"subscription": thief}).Want(409, "Conflict")
			w.As(who, "POST", path(who, "token"), m{"fcmToken": b.Endpoint}).Want(422, "Unprocessable Entity")
			variant := apptest.With(thief, "endpoint", strings.Replace(b.Endpoint, "http", "HTTP", 1))
			w.As(who, "POST", path(who, "token"), m{"subscription": variant}).Want(409, "Conflict")
		}
		apptest.Eq(t, "holders", fmt.Sprint(w.holders(b.Endpoint)), fmt.Sprint([]id.ID{w.una.ID}))
		w.mark("LATE")
		apptest.Eq(t, "pushes", len(w.received(b, 0)), 1)
		// Someone else signs in with the same browser.
		w.As(w.South.Parent, "POST", path(w.South.Parent, "token"), m{"subscription": b.JSON(), "platform": "web"}).OK()
		apptest.Eq(t, "holders", fmt.Sprint(w.holders(b.Endpoint)), fmt.Sprint([]id.ID{w.South.Parent.ID}))
		w.mark("ABSENT")
		w.wants("after another account signed in", b, 1)
	})
}

// TestBrowserRefused: what is not a subscription of a public push service is refused.
func TestBrowserRefused(t *testing.T) {
	bare(t, func(t *testing.T, w *world) {
		good := fake.NewPushService(w.Clock.Now)
		defer good.Close()
		b := good.Subscribe("").JSON()
		public := apptest.With(b, "endpoint", "https://push.example.org/x")
		keys := b["keys"].(m)
		for _, who := range everyone(w.North) {
			for _, bad := range []m{
				{"subscription": b}, // on this machine
				{"subscription": apptest.With(b, "endpoint", "https://169.254.169.254/latest")},
				{"subscription": apptest.With(b, "endpoint", "http://push.example.org/x")},
				{"subscription": apptest.With(b, "endpoint", "https://push.example.org/"+strings.Repeat("x", 2048))},
				{"subscription": apptest.With(public, "keys", nil)},
				{"subscription": apptest.With(public, "keys", apptest.With(keys, "p256dh", keys["auth"]))},
				{"subscription": apptest.With(public, "keys", apptest.With(keys, "auth", keys["p256dh"]))},
				{"subscription": public, "fcmToken": "t"},
				{"subscription": public, "platform": "ios"},
				{"subscription": "x"},
				{"fcmToken": "https://push.example.org/x"},
			} {
				w.As(who, "POST", path(who, "token"), bad).Want(422, "Unprocessable Entity")
			}
		}
		apptest.Eq(t, "devices", w.Count(`devices WHERE school_id = :school`, nil), 0)
		w.As(w.North.Parent, "POST", path(w.North.Parent, "token"), m{"subscription": public}).OK()
	})
}

// TestBrowserExpired: a browser whose session expired gets no pushes, so its owner counts
// as without the app.
func TestBrowserExpired(t *testing.T) {
	withBrowsers(t, func(t *testing.T, w *browsers) {
		b := w.subscribe(w.una)
		w.mark("LATE")
		apptest.Eq(t, "pushes", len(w.received(b, 0)), 1)
		sms := func() int {
			return w.Count(`deliveries WHERE school_id = :school AND channel = 'sms' AND user_id = :user`, db.Args{"user": w.una.ID})
		}
		apptest.Eq(t, "SMS with a browser", sms(), 0)
		w.Clock.Add(8 * 24 * time.Hour)
		w.send(w.North.ID, notification.Notice{Topic: notification.StudentAttendanceTopic(id.ID(w.mia)), Type: notification.Attendance,
			Title: text.Plain("t"), Student: id.ID(w.mia), Users: []id.ID{w.una.ID}})
		w.wants("after the session expired", b, 1)
		apptest.Eq(t, "SMS without a browser", sms(), 1)
	})
}

// TestBrowserErased: erasure takes the subscription away, and what was sent to it.
func TestBrowserErased(t *testing.T) {
	withBrowsers(t, func(t *testing.T, w *browsers) {
		b := w.subscribe(w.una)
		w.mark("LATE")
		apptest.Eq(t, "pushes", len(w.received(b, 0)), 1)
		w.mark("ABSENT") // waits
		w.Admin("POST", "/school-admin/student/"+w.mia+"/erase", m{"confirm": "A1"}).OK()
		w.wants("after erasure", b, 1)
		auth := b.JSON()["keys"].(m)["auth"].(string)
		for table, text := range w.tables() {
			if strings.Contains(text, strings.ToLower(b.Endpoint)) || strings.Contains(text, strings.ToLower(auth)) {
				t.Errorf("%s still has the subscription", table)
			}
		}
	})
}

// TestBrowserOff: without Web Push there is no key, and subscriptions are refused.
func TestBrowserOff(t *testing.T) {
	bare(t, func(t *testing.T, w *world) {
		b := fake.NewPushService(w.Clock.Now)
		defer b.Close()
		for _, who := range everyone(w.North) {
			apptest.Eq[any](t, "key", w.As(who, "GET", path(who, "push-key"), nil).OK()["publicKey"], nil)
			w.As(who, "POST", path(who, "token"), m{"subscription": b.Subscribe("").JSON()}).Want(409, "Conflict")
		}
	}, func(c *app.Config) { c.WebPush, c.WebPushLoopback = "off", true })
}
