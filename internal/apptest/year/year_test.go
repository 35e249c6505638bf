// Package year_test plays a school year through the API, with a clock that moves, and
// compares registers, money and messages with a model that it keeps itself.
//
// year_test.go has the calendar of the year, model_test.go the model and its checks. The
// other files are the stories, by season.
package year_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var (
	seeds = flag.Int("seeds", 1, "number of years to play; bench plays 20")
	first = flag.Uint64("seed", 1, "the first seed")
)

type (
	m    = apptest.M
	list = apptest.List
)

// weeks of a school year.
const weeks = 40

func TestYear(t *testing.T) {
	t.Parallel()
	for i := range *seeds {
		seed := *first + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			apptest.Worlds(t, func(w *apptest.World) *school { return newSchool(w, seed) }, func(_ *testing.T, s *school) { s.play() })
		})
	}
}

// school is the school North with the model of everything that happened in it.
type school struct {
	*apptest.World
	*rand.Rand
	monday clock.Date // of this week
	model
}

func newSchool(w *apptest.World, seed uint64) *school {
	s := &school{World: w, Rand: rand.New(rand.NewPCG(seed, 0)), monday: w.Monday(8)}
	s.told, s.since = map[string]map[string]int{}, w.Now().Add(-time.Second)
	year := w.One(`SELECT id FROM academic_years WHERE school_id = :school AND is_current`, nil)
	w.Admin("PUT", "/school-admin/academic-year/"+year, m{"endDate": s.day(7 * (weeks + 4))}).OK()
	return s
}

// day is n days after this week's Monday.
func (s *school) day(n int) clock.Date { return s.monday.AddDays(n) }

// play plays the year: what happens in which week, and a check at the end of each term.
func (s *school) play() {
	s.open()
	s.admit()
	events := map[int][]func(){
		1: {s.correctGuardian, s.mergeGuardians}, 2: {s.charge}, 4: {s.substitute}, 6: {s.grantConcession}, 8: {s.reachParents},
		10: {s.fineLate}, 12: {s.accident}, 14: {s.driverIll}, 16: {s.lend}, 18: {s.returnBook}, 20: {s.exam}, 24: {s.refund},
		30: {s.prepareNextYear},
	}
	for week := range weeks {
		s.markWeek()
		for _, happens := range events[week] {
			happens()
		}
		s.payments()
		if week%10 == 9 {
			s.check()
		}
		s.Pass(7 * 24 * time.Hour)
		s.monday = s.monday.AddDays(7)
	}
	s.activateNextYear()
	s.erase()
	s.check()
}
