package leave_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
)

var (
	seedFlag  = flag.Uint64("model.seed", 1, "what the model test does; 0: something else each time")
	stepsFlag = flag.Int("model.steps", 150, "steps of the model test")
)

// TestModel performs random actions on leave and attendance, and compares every
// response and every mark with a model.
func TestModel(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	each(t, func(t *testing.T, w *world) {
		x := newModel(w, seed)
		for range *stepsFlag {
			x.step()
			x.compare()
		}
		x.finish()
	})
}

// said is the mark of a day; the zero value is no mark.
type said struct{ Status, Half string }

// layer is one source of a day's mark: a user or a leave.
type layer struct {
	said
	leave *appl
}

// appl is a leave in the model.
type appl struct {
	id, student, status, half string
	from, to                  clock.Date
}

// model predicts the responses and the stored marks.
type model struct {
	*world
	*rand.Rand
	seed    uint64
	today   clock.Date
	holiday clock.Date
	parents map[string]*apptest.Account // by student
	leaves  []*appl
	marks   map[string]map[clock.Date][]layer // by student and day, the latest source last
	story   []string
	counts  map[string]int // of actions and responses
}

const lockDays = 7 // the school's setting at first

func newModel(w *world, seed uint64) *model {
	x := &model{world: w, Rand: rand.New(rand.NewPCG(seed, 1)), seed: seed, today: w.monday, holiday: w.monday.AddDays(2),
		counts:  map[string]int{},
		parents: map[string]*apptest.Account{w.mia: w.North.Parent, w.zoe: w.uncle},
		marks:   map[string]map[clock.Date][]layer{w.mia: {}, w.zoe: {}}}
	w.Admin("POST", "/school-admin/holiday/create", m{"date": x.holiday, "name": "Harvest"}).OK()
	return x
}

func pick[T any](x *model, of ...T) T { return of[x.IntN(len(of))] }

func (x *model) student() string { return pick(x, x.mia, x.zoe) }

// visible is the mark of a day: that of the latest source, but two halves of leave make
// a whole day.
func visible(layers []layer) (v said) {
	for _, l := range layers {
		if l.leave != nil && v.Status == "LEAVE" && v.Half != "" && l.Half != v.Half {
			l.Half = ""
		}
		v = l.said
	}
	return v
}

func (x *model) isSchoolDay(d clock.Date) bool {
	day := d.Time().Weekday()
	return day != time.Saturday && day != time.Sunday && d != x.holiday
}

// wants records an action and checks the response against the model.
func (x *model) wants(r apptest.Reply, want int, format string, a ...any) bool {
	x.Helper()
	what := fmt.Sprintf(format, a...)
	x.story = append(x.story, fmt.Sprintf("%s %s: %d", x.today, what, r.Status))
	x.counts[strings.Fields(what)[0]+fmt.Sprint(" ", r.Status)]++
	if r.Status != want {
		x.Fatalf("want %d: %s\n%s", want, r.Body, x)
	}
	return r.Status < 300
}

// String has the seed and the actions, to reproduce a failure.
func (x *model) String() string {
	return fmt.Sprintf("-model.seed=%d\n%s", x.seed, strings.Join(x.story, "\n"))
}

func (x *model) step() {
	x.Helper()
	switch n := x.IntN(100); {
	case n < 30:
		x.apply()
	case n < 60:
		x.decide()
	case n < 68:
		x.cancel()
	case n < 74:
		x.reopen()
	case n < 97:
		x.mark()
	default:
		x.Pass(24 * time.Hour)
		x.today = x.today.AddDays(1)
	}
}

func (x *model) apply() {
	x.Helper()
	l := x.wish()
	body := m{"studentId": l.student, "type": "CASUAL", "fromDate": l.from, "toDate": l.to}
	if l.half != "" {
		body["half"] = l.half
	}
	want := 201
	if slices.ContainsFunc(x.leaves, l.overlaps) {
		want = 409
	}
	r := x.As(x.parents[l.student], "POST", "/parent/leave/apply", body)
	if x.wants(r, want, "apply %+v", *l) {
		l.id = r.OK().Text("id")
		x.leaves = append(x.leaves, l)
	}
}

// wish is a random application: for days, for half a day, for the other half of a day,
// or for days that are too old for a teacher to approve.
func (x *model) wish() *appl {
	from := x.today.AddDays(x.IntN(10) - 3)
	l := &appl{student: x.student(), status: "PENDING", from: from, to: from}
	old := x.one(func(l *appl) bool { return l.half != "" && l.from > x.today && l.status == "APPROVED" })
	switch n := x.IntN(20); {
	case n < 10 && old != nil && old.half != "":
		l.student, l.from, l.to, l.half = old.student, old.from, old.to, "FIRST"
		if old.half == "FIRST" {
			l.half = "SECOND"
		}
	case n < 14:
		l.half = pick(x, "FIRST", "SECOND")
	case n < 15:
		l.from, l.to = x.today.AddDays(-9), x.today.AddDays(-9)
	default:
		l.to = from.AddDays(x.IntN(4))
	}
	return l
}

func (l *appl) overlaps(o *appl) bool {
	return l.student == o.student && (o.status == "PENDING" || o.status == "APPROVED") && l.from <= o.to && o.from <= l.to &&
		(l.half == "" || o.half == "" || l.half == o.half)
}

// one is a random leave, preferably one for which likely is true.
func (x *model) one(likely func(*appl) bool) *appl {
	among := x.leaves
	if fit := slices.DeleteFunc(slices.Clone(among), func(l *appl) bool { return !likely(l) }); len(fit) > 0 && x.IntN(4) > 0 {
		among = fit
	}
	if len(among) == 0 {
		return nil
	}
	return among[x.IntN(len(among))]
}

func (x *model) decide() {
	x.Helper()
	l, action, who := x.one(func(l *appl) bool { return l.status == "PENDING" }), pick(x, "approve", "approve", "approve", "reject"),
		pick(x, x.North.Admin, x.North.Teacher)
	if l == nil {
		return
	}
	want := 200
	switch {
	case l.status != "PENDING":
		want = 409
	case action == "approve" && who == x.North.Teacher && l.from < x.today.AddDays(-lockDays):
		want = 403
	}
	if !x.wants(x.act(who, l.id, action), want, "%s %+v", action, *l) {
		return
	}
	if l.status = map[string]string{"approve": "APPROVED", "reject": "REJECTED"}[action]; action == "reject" {
		return
	}
	for d := l.from; d <= l.to; d = d.AddDays(1) {
		there := x.marks[l.student][d]
		v := visible(there)
		if x.isSchoolDay(d) && v.Status != "HOLIDAY" && (v.Status != "LEAVE" || v.Half != "" && v.Half != l.half) {
			x.marks[l.student][d] = append(there, layer{said{"LEAVE", l.half}, l})
		}
	}
}

func (x *model) cancel() {
	x.Helper()
	l := x.one(func(l *appl) bool { return l.status == "APPROVED" && l.from > x.today })
	if l == nil {
		return
	}
	want := 409
	if l.status == "PENDING" || l.status == "APPROVED" && x.today < l.from {
		want = 200
	}
	if !x.wants(x.act(x.parents[l.student], l.id, "cancel"), want, "cancel %+v", *l) {
		return
	}
	l.status = "CANCELLED"
	x.unmark(l)
}

// unmark takes the marks of a leave back.
func (x *model) unmark(l *appl) {
	for d, there := range x.marks[l.student] {
		x.marks[l.student][d] = slices.DeleteFunc(there, func(y layer) bool { return y.leave == l })
	}
}

// reopen takes a decision back, as the office.
func (x *model) reopen() {
	x.Helper()
	l := x.one(func(l *appl) bool { return l.status == "APPROVED" || l.status == "REJECTED" })
	if l == nil {
		return
	}
	want := 200
	if l.status == "PENDING" || l.status == "CANCELLED" || l.status == "REJECTED" && slices.ContainsFunc(x.leaves, l.overlaps) {
		want = 409
	}
	if x.wants(x.act(x.North.Admin, l.id, "reopen"), want, "reopen %+v", *l) {
		l.status = "PENDING"
		x.unmark(l)
	}
}

func (x *model) mark() {
	x.Helper()
	who, day := pick(x, x.North.Admin, x.North.Teacher), x.today.AddDays(1-x.IntN(10))
	word := said{pick(x, "PRESENT", "ABSENT", "LATE", "LEAVE"), pick(x, "", "", "", "FIRST", "SECOND")}
	if day == x.holiday {
		word = said{"HOLIDAY", ""}
	}
	marked := [][]string{{x.mia}, {x.zoe}, {x.mia, x.zoe}}[x.IntN(3)]
	var records list
	for _, student := range marked {
		r := m{"studentId": student, "status": word.Status}
		if word.Half != "" {
			r["halfDay"] = word.Half
		}
		records = append(records, r)
	}
	want := 200
	switch {
	case day > x.today:
		want = 422
	case who == x.North.Teacher && day < x.today.AddDays(-lockDays):
		want = 403
	}
	r := x.As(who, "POST", "/"+who.Role.Prefix()+"/attendance/mark", m{"classId": x.class, "divisionId": x.a, "date": day, "records": records})
	if !x.wants(r, want, "mark %s %v %v", day, word, marked) {
		return
	}
	for _, student := range marked {
		if visible(x.marks[student][day]) != word { // the same again changes nothing
			x.marks[student][day] = []layer{{said: word}}
		}
	}
}

// compare compares every stored mark with the model.
func (x *model) compare() {
	x.Helper()
	want := map[string]map[clock.Date]said{x.mia: {}, x.zoe: {}}
	months := map[string]bool{}
	for d := x.monday.AddDays(-30); d <= x.today.AddDays(30); d = d.AddDays(1) {
		months[string(d[:7])] = true
		for student := range want {
			if v := visible(x.marks[student][d]); v != (said{}) {
				want[student][d] = v
			}
		}
	}
	got := map[string]map[clock.Date]said{x.mia: {}, x.zoe: {}}
	for _, month := range slices.Sorted(maps.Keys(months)) {
		report := x.Admin("GET", "/school-admin/attendance/report?classId="+x.class+"&divisionId="+x.a+"&month="+month, nil).OK()
		for _, s := range report["students"].([]any) {
			s := s.(m)
			for _, d := range s["days"].([]any) {
				d := d.(m)
				half, _ := d["halfDay"].(string)
				got[s["studentId"].(string)][clock.Date(d["date"].(string))] = said{d["status"].(string), half}
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		x.Fatalf("marks (-model +service): %s\nMia is %s\n%s", diff, x.mia, x)
	}
}

// finish compares the leaves with the model, and checks that every action happened.
func (x *model) finish() {
	x.Helper()
	for _, l := range x.leaves {
		if is := x.status(l.id); is != l.status {
			x.Errorf("%+v is %s\n%s", *l, is, x)
		}
	}
	for _, what := range []string{"apply 201", "approve 200", "cancel 200", "reopen 200", "mark 200"} {
		if x.counts[what] == 0 {
			x.Errorf("it never came to %q: %v, -model.seed=%d", what, x.counts, x.seed)
		}
	}
}
