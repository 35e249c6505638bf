package attendance_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/attendance"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// grant approves a leave of Mia's.
func (w *world) grant(from, to clock.Date, half string) id.ID {
	w.Helper()
	leave := w.NewID()
	w.In(func(ctx context.Context, tx *db.Tx) error {
		return w.marks.MarkLeave(ctx, tx, w.office(), leave, w.mia, from, to, half)
	})
	return leave
}

func (w *world) takeBack(leave id.ID) {
	w.Helper()
	w.In(func(ctx context.Context, tx *db.Tx) error { return w.marks.TakeBack(ctx, tx, w.office(), leave, "") })
}

func (w *world) office() actor.Actor {
	return actor.Actor{User: w.North.Admin.ID, School: w.North.ID, Role: actor.SchoolAdmin, Zone: "UTC"}
}

func TestLeave(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.holiday(w.day(5), "Harvest") // Monday
		leave := w.grant(w.today, w.day(7), "")
		for n, want := range []string{"LEAVE by leave", "LEAVE by leave", "LEAVE by leave", "", "", "", "LEAVE by leave", "LEAVE by leave", ""} {
			apptest.Eq(t, fmt.Sprint("day ", n), w.said(w.mia, w.day(n)), want)
		}
		apptest.Eq(t, "marks of others", w.Count(`attendance WHERE school_id = :school AND student_id <> :mia`, db.Args{"mia": w.mia}), 0)
		w.takeBack(leave)
		apptest.Eq(t, "marks are left", w.Count(`attendance WHERE school_id = :school`, nil), 0)
		w.takeBack(leave) // again: changes nothing
		w.takeBack(id.New())
		apptest.Eq(t, "leave tells parents by itself", len(w.heard(w.North.ID, w.mia)), 0)
		list := w.call("GET", admin+"history?studentId="+string(w.mia)+"&date="+string(w.today), nil).OK()["changes"].([]any)
		if len(list) != 2 || list[0].(m)["to"].(m)["leaveId"] != string(leave) || list[1].(m)["to"] != nil {
			t.Errorf("history: got %v", list)
		}
	})
}

func TestTakeBack(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, tt := range []struct {
			name  string
			steps string // a status is marked; "+A" grants a leave, "+A1" and "+A2" for half of the day, "-A" takes it back
			want  string
		}{
			{"made it", "+A -A", ""},
			{"replaced it", "ABSENT +A -A", "ABSENT"},
			{"replaced it, with all it said", "LATE_7 +A -A", "LATE 7"},
			{"changed since", "ABSENT +A PRESENT -A", "PRESENT"},
			{"changed since, from nothing", "+A PRESENT -A", "PRESENT"},
			{"said again by a person", "+A LEAVE -A", ""},
			{"said by a person before", "LEAVE +A -A", "LEAVE"},
			{"a holiday stays", "HOLIDAY +A", "HOLIDAY"},
			{"a holiday stays after it", "HOLIDAY +A -A", "HOLIDAY"},
			{"twice", "ABSENT +A -A +B -B", "ABSENT"},
			{"made twice", "+A -A +B -B", ""},
			{"changed between", "ABSENT +A -A PRESENT +B -B", "PRESENT"},
			{"half", "+A1", "LEAVE FIRST by leave"},
			{"half of a marked day", "PRESENT +A1 -A", "PRESENT"},
			{"both halves", "+A1 +B2", "LEAVE by leave"},
			{"both halves, the second back", "+A1 +B2 -B", "LEAVE FIRST by leave"},
			{"both halves back", "ABSENT +A1 +B2 -A -B", "ABSENT"},
			{"both halves back, from nothing", "+A1 +B2 -A -B", ""},
			{"changed to leave and back", "+A PRESENT LEAVE -A", "LEAVE"},
		} {
			w.mia = w.enrol(tt.name)
			leaves := map[string]id.ID{}
			for step := range strings.FieldsSeq(tt.steps) {
				switch {
				case step[0] == '+':
					leaves[step[1:2]] = w.grant(w.today, w.today, map[string]string{"": "", "1": "FIRST", "2": "SECOND"}[step[2:]])
				case step[0] == '-':
					w.takeBack(leaves[step[1:2]])
				default:
					w.markMia(w.today, strings.ReplaceAll(step, "_", " "))
				}
			}
			apptest.Eq(t, tt.name, w.said(w.mia, w.today), tt.want)
		}
	})
}

// model has Mia's expected marks, by days from today.
type model struct {
	says map[int]string
	of   map[int]id.ID // the leave that made the mark, unless changed since
	open []granted
}

// granted is a leave with the marks it replaced.
type granted struct {
	id       id.ID
	from, to int
	was      map[int]string
}

func (o model) mark(n int, say string) {
	if o.says[n] != say {
		o.says[n] = say
		delete(o.of, n)
	}
}

func (o model) overlaps(g granted) bool {
	return slices.ContainsFunc(o.open, func(a granted) bool { return g.from <= a.to && a.from <= g.to })
}

func (o *model) grant(g granted, schoolDay func(int) bool) {
	g.was = map[int]string{}
	for n := g.from; n <= g.to; n++ {
		if schoolDay(n) && o.says[n] != "LEAVE" {
			g.was[n], o.says[n], o.of[n] = o.says[n], "LEAVE", g.id
		}
	}
	o.open = append(o.open, g)
}

func (o *model) takeBack(i int) id.ID {
	g := o.open[i]
	o.open = slices.Delete(o.open, i, i+1)
	for n, was := range g.was {
		if o.of[n] == g.id {
			o.says[n] = was
			delete(o.of, n)
		}
	}
	return g.id
}

// TestLeaveModel marks days, grants leaves and takes them back at random, and compares
// with the model.
func TestLeaveModel(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const span, free = 14, -3 // days back from today, and a holiday
		w.holiday(w.day(free), "Harvest")
		r, o := rand.New(rand.NewPCG(7, 11)), &model{says: map[int]string{}, of: map[int]id.ID{}}
		schoolDay := func(n int) bool {
			d := w.day(n).Time().Weekday()
			return d != 0 && d != 6 && n != free
		}
		for step := range 100 {
			switch r.IntN(3) {
			case 0:
				n, say := -r.IntN(span), []string{"PRESENT", "ABSENT", "LATE 3", "LEAVE"}[r.IntN(4)]
				if n == free {
					say = "HOLIDAY"
				}
				w.markMia(w.day(n), say)
				o.mark(n, say)
			case 1:
				from := -r.IntN(span)
				if g := (granted{from: from, to: min(from+r.IntN(4), 0)}); !o.overlaps(g) {
					g.id = w.grant(w.day(g.from), w.day(g.to), "")
					o.grant(g, schoolDay)
				}
			case 2:
				if len(o.open) > 0 {
					w.takeBack(o.takeBack(r.IntN(len(o.open))))
				}
			}
			w.must(step, o, span)
		}
		if w.Count(`attendance_revisions WHERE school_id = :school`, nil) == 0 {
			t.Error("no revisions: the test changed nothing")
		}
	})
}

// must compares Mia's marks with the model.
func (w *world) must(step int, o *model, span int) {
	w.Helper()
	for n := -span; n <= 0; n++ {
		want := o.says[n]
		if o.of[n] != "" {
			want += " by leave"
		}
		if got := w.said(w.mia, w.day(n)); got != want {
			w.Fatalf("step %d, day %d: %q, want %q", step, n, got, want)
		}
	}
}

func TestTotals(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for n, say := range []string{"PRESENT", "LATE 4", "ABSENT", "ABSENT FIRST", "PRESENT SECOND", "LEAVE", "LEAVE FIRST", "HOLIDAY"} {
			w.markMia(w.day(-n), say)
		}
		w.mark(apptest.With(sheet(w.a, w.today, rec(w.mia, "ABSENT")), "periodNo", 1)) // is not the day's
		w.mark(sheet(w.a, w.today, rec(w.noa, "ABSENT")))
		got, err := w.marks.Totals(t.Context(), w.DB.School(w.North.ID), []id.ID{w.mia, w.noa, w.oli, w.mia}, w.day(-7), w.today)
		want := map[id.ID]attendance.Totals{w.mia: {SchoolHalfDays: 11, PresentHalfDays: 7}, w.noa: {SchoolHalfDays: 2}}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, want %v: %v", got, want, err)
		}
		got, err = w.marks.Totals(t.Context(), w.DB.School(w.North.ID), []id.ID{w.mia}, w.today, w.today)
		if err != nil || got[w.mia] != (attendance.Totals{SchoolHalfDays: 2, PresentHalfDays: 2}) {
			t.Errorf("attendance totals: got %v %v", got, err)
		}
	})
}
