package webapp_test

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/browsertest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
)

var (
	phonesAtOnce = flag.Int("phones", 6, "teachers who mark at once; bench has 30")
	offlineFor   = flag.Duration("offline", 2*time.Second, "how long half of them have no network; bench has a minute")
)

const (
	registerSize = 8 // children of a division
	gone         = 2 // of them absent
)

// TestTeachersMorning: teachers mark their divisions from their phones at the same time, half of them without a network.
// Every mark arrives once, and every family of an absent child is told once.
func TestTeachersMorning(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := apptest.Start(t, engine, func(c *app.Config) { c.Demo = true })
			s.Work(t)
			ctx, cancel := context.WithTimeout(t.Context(), browsertest.Patience+time.Duration(*phonesAtOnce)*20*time.Second)
			t.Cleanup(cancel)
			browser, stop, err := browsertest.Start(ctx)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(stop)
			m := newMorning(s.World(t), *phonesAtOnce)
			for i := range m.rooms {
				m.rooms[i].opens(t, browser, s.URL)
			}
			start := time.Now()
			m.atOnce(func(r *room) { r.marks() })
			t.Logf("%d divisions are marked after %s, half of them offline", len(m.rooms), time.Since(start).Round(time.Millisecond))
			time.Sleep(*offlineFor) // the story: a network that is away for a while
			start = time.Now()
			m.atOnce(func(r *room) { r.wire.Mend(0); r.SeesNo("not sent yet") })
			m.check()
			t.Logf("every mark is there %s after the network", time.Since(start).Round(time.Millisecond))
		})
	}
}

// morning is the divisions that are marked.
type morning struct {
	*apptest.World
	class, date string
	rooms       []room
}

// room is a division with the phone of its teacher.
type room struct {
	*browsertest.Person
	wire          *browsertest.Wire
	offline       bool
	address, page string // the teacher's phone number; where the division is marked
	division      string
	children      []string
}

func newMorning(w *apptest.World, rooms int) *morning {
	w.Helper()
	m := &morning{World: w, class: w.Make("class/create", apptest.M{"name": "Morning", "displayOrder": 1000})}
	m.date = w.Day(0)
	for i := range rooms {
		r := room{address: fmt.Sprintf("+447700900%03d", i), offline: i%2 == 1}
		teacher := w.Make("employee/create", apptest.M{"firstName": "Teacher", "lastName": fmt.Sprint(i), "phone": r.address})
		r.division = w.Make("division/create", apptest.M{"classId": m.class, "name": fmt.Sprint(i), "classTeacherId": teacher})
		for n := range registerSize {
			r.children = append(r.children, w.Make("student/create", apptest.M{"firstName": fmt.Sprintf("Kid %02d", n), "lastName": "Morning",
				"classId": m.class, "divisionId": r.division, "rollNo": n + 1, "guardians": apptest.List{apptest.M{"name": "A Parent",
					"relation": "MOTHER", "phone": fmt.Sprintf("+44770091%02d%02d", i, n), "isPrimary": true, "canViewData": true}}}))
		}
		r.page = "/app/mark/" + m.class + "/" + r.division + "?date=" + m.date
		m.rooms = append(m.rooms, r)
	}
	return m
}

// signs in to an account by the code that the outbox of a demo shows.
const signsIn = `(async (phone) => {
	const ask = (path, body) => fetch(path, {method: "POST", headers: {"Content-Type": "application/json", "X-Homeroom-Web": "1"},
		body: JSON.stringify(body)})
	await ask("/auth/send-otp", {phone})
	for (;;) {
		const outbox = "/dev/outbox?channel=sms&to=" + encodeURIComponent(phone)
		const sent = await (await fetch(outbox, {headers: {Accept: "application/json"}})).json()
		const otp = sent.data.items.map((m) => /\b\d{6}\b/.exec(m.body ?? "")?.[0]).find(Boolean)
		if (!otp) continue
		const reply = await ask("/auth/verify-otp", {phone, otp, role: "TEACHER"})
		if (!reply.ok) return await reply.text()
		localStorage.setItem("session", "TEACHER")
		return ""
	}
})(%q)`

// opens signs the teacher in on a phone of its own, opens the register, and cuts the network if it is to be offline.
func (r *room) opens(t testing.TB, browser context.Context, site string) {
	r.wire = browsertest.NewWire(t, site)
	r.Person = browsertest.NewPerson(t, browser, r.wire.URL)
	r.Looks(390, "light")
	r.Opens("/")
	r.Finds("heading", "Sign in")
	if problem := evaluate[string](r.Person, fmt.Sprintf(signsIn, r.address)); problem != "" {
		t.Fatal(problem)
	}
	r.Opens(r.page)
	r.Finds("button", fmt.Sprintf("Kid %02d Morning Present", registerSize-1))
	if r.offline {
		r.wire.Cut()
	}
}

// marks marks the first children as absent.
func (r *room) marks() {
	for n := range gone {
		r.Clicks("button", fmt.Sprintf("Kid %02d Morning Present", n))
	}
	r.Clicks("button", fmt.Sprintf("Done: %d here, %d absent", registerSize-gone, gone))
	if r.offline {
		r.Sees("is kept on this phone and not sent yet")
	}
}

// atOnce does something on every phone at the same time.
func (m *morning) atOnce(do func(r *room)) {
	var wg sync.WaitGroup
	for i := range m.rooms {
		wg.Go(func() { do(&m.rooms[i]) })
	}
	wg.Wait()
	if m.Failed() {
		m.FailNow()
	}
}

// check compares every mark, correction, call and message with what was tapped.
func (m *morning) check() {
	m.Helper()
	marked := `attendance WHERE school_id = :school AND class_id = :class`
	args := db.Args{"class": m.class}
	await.Until(m, "every mark", func() bool { return m.Count(marked, args) >= len(m.rooms)*registerSize })
	apptest.Eq(m, "marks", m.Count(marked, args), len(m.rooms)*registerSize)
	m.Audited("attendance.mark", len(m.rooms))
	for i, r := range m.rooms {
		for n, child := range r.children {
			what, of := fmt.Sprintf("child %d of division %d: ", n, i), db.Args{"child": child}
			want, told := "PRESENT", 0
			if n < gone {
				want, told = "ABSENT", 1
			}
			apptest.Eq(m, what+"mark", m.One(`SELECT status FROM attendance WHERE school_id = :school AND student_id = :child`, of), want)
			apptest.Eq(m, what+"messages", m.Count(
				`notifications WHERE school_id = :school AND student_id = :child AND type = 'ATTENDANCE'`, of), told)
			apptest.Eq(m, what+"corrections", m.Count(`attendance_revisions WHERE school_id = :school AND student_id = :child`, of), 0)
		}
	}
}
