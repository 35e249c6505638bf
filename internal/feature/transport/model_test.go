package transport_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/apptest"
)

var (
	seedFlag  = flag.Uint64("model.seed", 1, "what the model test does; 0: something else each time")
	stepsFlag = flag.Int("model.steps", 200, "steps of the model test")
)

// TestModel runs random actions on two buses, their trips and students, and compares
// every reply and record with a model.
func TestModel(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	each(t, func(t *testing.T, w *world) {
		x := newModel(w, seed)
		for range *stepsFlag {
			x.step()
		}
		x.finish()
	})
}

// modelTrip is a trip in the model.
type modelTrip struct {
	id, typ, status string
	bus, driver     int
	riders          map[string]*modelRider // set at the start
}

type modelRider struct {
	status string
	late   bool // no_show before boarding
}

// model predicts replies and records.
type model struct {
	*world
	*rand.Rand
	seed    uint64
	buses   []string
	drivers []*apptest.Account
	staff   []string
	trips   []*modelTrip
	told    map[string]bool // "trip student kind"
	undone  int             // alerts taken back: two pushes each
	story   []string
	counts  map[string]int // of actions and replies
}

func newModel(w *world, seed uint64) *model {
	second := w.Make("transport/bus/create", m{"registrationNo": "B-2", "routeId": w.hills})
	return &model{world: w, Rand: rand.New(rand.NewPCG(seed, 1)), seed: seed, buses: []string{w.bus, second},
		drivers: []*apptest.Account{w.North.Driver, w.eves}, staff: []string{w.dan, w.eve}, told: map[string]bool{}, counts: map[string]int{}}
}

func pick[T any](x *model, of ...T) T { return of[x.IntN(len(of))] }

// wants records an action and checks the status of its reply.
func (x *model) wants(r apptest.Reply, want int, format string, a ...any) bool {
	x.Helper()
	what := fmt.Sprintf(format, a...)
	x.story = append(x.story, fmt.Sprintf("%s: %d", what, r.Status))
	x.counts[strings.Fields(what)[0]+fmt.Sprint(" ", r.Status)]++
	if r.Status != want {
		x.Fatalf("want %d: %s\n%s", want, r.Body, x)
	}
	return r.Status < 300
}

// String shows the seed and the log of actions.
func (x *model) String() string {
	return fmt.Sprintf("-model.seed=%d\n%s", x.seed, strings.Join(x.story, "\n"))
}

func (x *model) step() {
	x.Helper()
	switch n := x.IntN(100); {
	case n < 10 || len(x.trips) == 0:
		x.schedule()
	case n < 45:
		x.drive()
	default:
		x.ride()
	}
}

func (x *model) schedule() {
	x.Helper()
	t := &modelTrip{typ: pick(x, "pickup", "dropoff"), status: "scheduled", bus: x.IntN(2), driver: x.IntN(2)}
	// A distinct time each: the same time would be the same trip.
	at := fmt.Sprintf("%02d:%02d", 6+len(x.trips)/60, len(x.trips)%60)
	r := x.Admin("POST", depot+"trip/schedule", m{"busId": x.buses[t.bus], "driverId": x.staff[t.driver],
		"type": t.typ, "date": x.monday, "startTime": at})
	if x.wants(r, 201, "schedule %s of bus %d and driver %d", t.typ, t.bus, t.driver) {
		t.id = r.OK().Text("id")
		x.trips = append(x.trips, t)
	}
}

func (t *modelTrip) running() bool { return t.status == "in_progress" || t.status == "paused" }

// some returns any trip, mostly a running one.
func (x *model) some() *modelTrip {
	if fit := slices.DeleteFunc(slices.Clone(x.trips), func(t *modelTrip) bool { return !t.running() }); len(fit) > 0 && x.IntN(10) < 8 {
		return fit[x.IntN(len(fit))]
	}
	return x.trips[x.IntN(len(x.trips))]
}

func (x *model) drive() {
	x.Helper()
	t, action := x.some(), pick(x, "start", "start", "pause", "resume", "resume", "end", "cancel")
	if action == "start" {
		t = pick(x, x.trips...)
	}
	if action == "cancel" && x.IntN(3) > 0 {
		return
	}
	driver, empty := t.driver, x.IntN(3) == 0
	if x.IntN(12) == 0 {
		driver = 1 - driver
	}
	next, legal := tripMoves[action][t.status]
	want := 200
	switch {
	case action != "cancel" && driver != t.driver:
		want = 403
	case !legal, action == "start" && x.busy(t), action == "end" && t.typ == "dropoff" && !empty && t.anyone("boarded"),
		action == "cancel" && !empty && t.anyone("boarded"):
		want = 409
	}
	var r apptest.Reply
	if action == "cancel" {
		r = x.As(x.North.Admin, "POST", depot+"trip/"+t.id+"/cancel", m{"confirmEmpty": empty})
	} else {
		r = x.As(x.drivers[driver], "POST", trips+t.id+"/"+action, m{"confirmEmpty": empty})
	}
	if x.wants(r, want, "%s trip %d, %s, as driver %d, empty %v", action, slices.Index(x.trips, t), t.status, driver, empty) {
		was := t.status
		t.status = next
		x.follow(t, action, was)
	}
	x.compare(t)
}

// busy reports whether the bus or the driver of a trip is on another one.
func (x *model) busy(t *modelTrip) bool {
	return slices.ContainsFunc(x.trips, func(o *modelTrip) bool { return o.running() && (o.bus == t.bus || o.driver == t.driver) })
}

func (t *modelTrip) anyone(status string) bool {
	for _, r := range t.riders {
		if r.status == status {
			return true
		}
	}
	return false
}

// follow applies a trip's action to its students.
func (x *model) follow(t *modelTrip, action, was string) {
	switch action {
	case "cancel":
		if was == "scheduled" {
			for _, student := range []string{x.mia, x.noa, x.zoe} {
				x.tell(t, student, "cancelled")
			}
		}
		for student, r := range t.riders {
			if r.status == "waiting" || r.status == "boarded" {
				x.tell(t, student, "cancelled")
			}
			if r.status == "boarded" {
				r.status = "alighted"
			}
		}
	case "start":
		t.riders = map[string]*modelRider{x.mia: {status: "waiting"}, x.noa: {status: "waiting"}, x.zoe: {status: "waiting"}}
		for student := range t.riders {
			x.tell(t, student, "started")
		}
	case "end":
		for student, r := range t.riders {
			switch r.status {
			case "waiting":
				r.status = "no_show"
			case "boarded":
				r.status = "alighted"
				x.tell(t, student, "alighted")
			}
		}
	}
}

func (x *model) tell(t *modelTrip, student, kind string) { x.told[t.id+" "+student+" "+kind] = true }

func (x *model) ride() {
	x.Helper()
	t, student := x.some(), pick(x, x.mia, x.noa, x.zoe, x.mia, x.noa, x.zoe, x.max)
	to := pick(x, "boarded", "boarded", "boaded", "alighted", "alighted", "absent", "no_show", "waiting")
	means := strings.Replace(to, "boaded", "boarded", 1)
	r := t.riders[student]
	from, want := "", 200
	if r != nil {
		from = r.status
		if r.status == "boarded" && r.late {
			from = "boarded late"
		}
	}
	switch {
	case student == x.max, !t.running() && t.status != "scheduled" && r == nil:
		want = 404
	case r == nil && means == "waiting", r != nil && r.status == means:
		want = 200
	case !t.running(), !slices.Contains(boardingMoves[from], means):
		want = 409
	}
	got := x.As(x.drivers[t.driver], "POST", trips+t.id+"/students/"+student+"/status", m{"status": to})
	if x.wants(got, want, "%s trip %d, %s, %s", to, slices.Index(x.trips, t), t.status, from) && got.OK()["unchanged"] != true {
		back := from == "alighted" && means == "boarded"
		if back || strings.HasPrefix(from, "boarded") && means != "alighted" {
			delete(x.told, t.id+" "+student+" "+r.status)
			x.undone++
		}
		r.late = means == "no_show" || r.late && means != "waiting"
		if r.status = means; !back && (means == "boarded" || means == "alighted") {
			x.tell(t, student, means)
		}
	}
	x.compare(t)
}

// compare compares one trip with the model.
func (x *model) compare(t *modelTrip) {
	x.Helper()
	if got := x.Admin("GET", depot+"trip/"+t.id, nil).OK().Text("status"); got != t.status {
		x.Fatalf("the trip is %s, want %s\n%s", got, t.status, x)
	}
	want := map[string]string{}
	for student, r := range t.riders {
		want[student] = r.status
	}
	if t.status == "scheduled" {
		want = map[string]string{x.mia: "waiting", x.noa: "waiting", x.zoe: "waiting"}
	}
	if diff := cmp.Diff(want, x.statuses(t.id)); diff != "" {
		x.Fatalf("students (-model +service): %s\n%s", diff, x)
	}
}

// finish compares every trip and all alerts, and fails if an action never happened.
func (x *model) finish() {
	x.Helper()
	for _, t := range x.trips {
		x.compare(t)
	}
	told := map[string]bool{}
	for _, line := range x.All(`SELECT trip_id || ' ' || student_id || ' ' || kind AS line FROM trip_alerts WHERE school_id = :school`,
		nil) {
		told[line] = true
	}
	if diff := cmp.Diff(x.told, told); diff != "" {
		x.Errorf("alerts (-model +service): %s\n%s", diff, x)
	}
	pushes := x.Count(`deliveries WHERE school_id = :school AND channel = 'push' AND to_addr LIKE 'student_%'`, nil)
	again := x.Count(`(SELECT DISTINCT record_id, student_id FROM notifications
		WHERE school_id = :school AND title = 'The school bus runs after all') AS n`, nil)
	if pushes != len(told)+2*x.undone+again {
		x.Errorf("%d pushes for %d alerts\n%s", pushes, len(told), x)
	}
	for _, what := range []string{"start 200", "start 409", "end 200", "boarded 200", "alighted 200", "boarded 409"} {
		if x.counts[what] == 0 {
			x.Errorf("action %q never happened; got %v, -model.seed=%d", what, slices.Sorted(maps.Keys(x.counts)), x.seed)
		}
	}
}
