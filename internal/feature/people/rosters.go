package people

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

const (
	rostersKeep  = 1_000_000 // students, of about 150 bytes each
	rostersShare = 4         // reading a school again takes at most one of so many seconds
	rosterYears  = 5         // that are kept of a school
	rosterAdded  = 1000      // students that may change before a school is read anew
)

// Rosters keep large schools in memory, so that a list by text or by year takes a
// few milliseconds, whatever is found and whichever page is asked for. A school is
// read when someone has asked for such a list, and again after many students have
// changed at once. Until it is read, the database answers.
//
// Nobody is shown what was: a roster counts only while the school's stamp, which
// every change of its students replaces, is the one it was made for.
type Rosters struct {
	Keep int // students in memory at most, but for those of one school

	db    *db.DB
	now   clock.Now
	log   *slog.Logger
	asked chan id.ID

	mu sync.Mutex
	of map[id.ID]*keptRoster
}

// keptRoster is a school's place among Rosters.
type keptRoster struct {
	*roster           // nil until it is read
	wanted  []id.ID   // years that lists asked for
	used    time.Time // for a list, last
	again   time.Time // when it may be read again
	waits   bool      // to be read
}

// NewRosters makes Rosters with no school in them.
func NewRosters(d *db.DB, now clock.Now, log *slog.Logger) *Rosters {
	return &Rosters{Keep: rostersKeep, db: d, now: now, log: log, asked: make(chan id.ID, 64), of: map[id.ID]*keptRoster{}}
}

// Run reads the schools that are asked for until ctx ends, one after the other.
func (r *Rosters) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case school := <-r.asked:
			if err := r.Read(ctx, school); err != nil && ctx.Err() == nil {
				r.log.WarnContext(ctx, "a school's students could not be read into memory: lists go on without", "school", school, "error", err)
			}
		}
	}
}

// Read reads a school, with the years that lists have asked for and more.
func (r *Rosters) Read(ctx context.Context, school id.ID, more ...id.ID) error {
	start := r.now()
	r.mu.Lock()
	k := r.place(school)
	for _, year := range more {
		k.want(year)
	}
	years := slices.Clone(k.wanted)
	r.mu.Unlock()
	read, err := readRoster(ctx, r.db.School(school), years)
	r.mu.Lock()
	defer r.mu.Unlock()
	k = r.place(school)
	k.waits, k.again = false, r.now().Add(rostersShare*r.now().Sub(start))
	if err == nil {
		k.roster = read
		r.makeRoom(k)
	}
	return err
}

// current is the roster of a large school, if it is there and knows the year. If
// few have changed since it was made, it is made to fit. Otherwise it is nil, and
// asked for.
func (r *Rosters) current(ctx context.Context, q db.Q, school id.ID, year *id.ID) (*roster, error) {
	if r == nil {
		return nil, nil
	}
	has := r.use(school) // before the stamp is read, lest it be newer
	is, err := readStamp(ctx, q)
	if err != nil || is.Students <= fewStudents {
		return nil, err
	}
	if has == nil || year != nil && has.years[*year] == nil {
		if err := MustExist(ctx, q, Ref{"academic_years", year, errNoYear}); err != nil {
			return nil, err
		}
		r.ask(school, year)
		return nil, nil
	}
	if has.stamp == is.Stamp {
		return has, nil
	}
	changed, known := is.since(has.stamp)
	if !known || len(has.now)-has.sorted > rosterAdded {
		r.ask(school, year)
	}
	if !known {
		return nil, nil
	}
	if has, err = has.renew(ctx, q, is.Stamp, changed); err != nil {
		return nil, err
	}
	r.put(school, has)
	return has, nil
}

// use is a school's roster, if there is one.
func (r *Rosters) use(school id.ID) *roster {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.of[school]
	if !ok {
		return nil
	}
	k.used = r.now()
	return k.roster
}

// ask has a school read, with a year.
func (r *Rosters) ask(school id.ID, year *id.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.place(school)
	if year != nil {
		k.want(*year)
	}
	if k.waits || r.now().Before(k.again) {
		return
	}
	select {
	case r.asked <- school:
		k.waits = true
	default: // many are: the next list asks again
	}
}

// want notes a year, and forgets the one that was asked for longest ago where
// there are too many.
func (k *keptRoster) want(year id.ID) {
	k.wanted = append(slices.DeleteFunc(k.wanted, func(y id.ID) bool { return y == year }), year)
	k.wanted = k.wanted[max(0, len(k.wanted)-rosterYears):]
}

// put keeps a roster.
func (r *Rosters) put(school id.ID, made *roster) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.place(school)
	k.roster = made
	r.makeRoom(k)
}

// place is where a school's roster is or will be.
func (r *Rosters) place(school id.ID) *keptRoster {
	k, ok := r.of[school]
	if !ok {
		k = &keptRoster{}
		r.of[school] = k
	}
	return k
}

// makeRoom drops those that were not used for longest, but for one.
func (r *Rosters) makeRoom(but *keptRoster) {
	students := 0
	for _, k := range r.of {
		students += k.size()
	}
	for students > r.Keep {
		var oldest id.ID
		for school, k := range r.of {
			if k != but && (oldest == "" || k.used.Before(r.of[oldest].used)) {
				oldest = school
			}
		}
		if oldest == "" {
			return
		}
		students -= r.of[oldest].size()
		delete(r.of, oldest)
	}
}

func (k *keptRoster) size() int {
	if k.roster == nil {
		return 0
	}
	return len(k.now)
}
