package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

// dayPlan is the size of a morning. A morning is played once as fast as it is in a real
// school, and then faster, until the slowest hundredth of the answers takes too long.
type dayPlan struct {
	engine             string
	schools, divisions int // divisions of each school, of 40 students
	buses, watchers    int // buses of each school, and parents that watch each bus
	years              int // school years of attendance before today
	cores              int // of the service; 0: all
	long               time.Duration
	fastest            float64
	soak               bool
	opened, write      float64 // shares: parents who open the app unasked, told parents who write
}

// dayLimit ends the curve: a morning is too fast if a hundredth of its answers take longer.
const dayLimit = 500 * time.Millisecond

// day plays the morning of many schools: teachers mark, families are told and read, buses
// drive, parents watch, the office looks and takes money.
func day(ctx context.Context, l *lab) error {
	p := dayPlan{opened: 0.08, write: 0.2}
	flags := flag.NewFlagSet("day", flag.ContinueOnError)
	flags.StringVar(&p.engine, "engine", "postgresql", "sqlite or postgresql")
	flags.IntVar(&p.schools, "schools", 100, "schools")
	flags.IntVar(&p.divisions, "divisions", 25, "divisions of a school, of 40 students each")
	flags.IntVar(&p.buses, "buses", 5, "buses of a school")
	flags.IntVar(&p.watchers, "watchers", 10, "parents that watch a bus")
	flags.IntVar(&p.years, "years", 0, "school years of attendance before today")
	flags.IntVar(&p.cores, "cores", 0, "processor cores that the service uses; 0 means all")
	flags.DurationVar(&p.long, "long", 5*time.Minute, "duration of the morning")
	flags.Float64Var(&p.fastest, "fastest", 16, "highest speed of the curve; 1 plays only the real morning")
	flags.BoolVar(&p.soak, "soak", false, "people come evenly; print memory, goroutines, connections and disk every minute")
	if err := flags.Parse(l.args); err != nil {
		return err
	}
	for _, t := range l.targets {
		if strings.EqualFold(t.engine, p.engine) {
			return p.on(ctx, l, t)
		}
	}
	return fmt.Errorf("there is no engine %q", p.engine)
}

func (p dayPlan) on(ctx context.Context, l *lab, t target) error {
	if p.cores > 0 {
		if err := os.Setenv("GOMAXPROCS", fmt.Sprint(p.cores)); err != nil { // the service inherits it
			return err
		}
	}
	w, err := p.open(ctx, l, t)
	if err != nil {
		return err
	}
	defer w.close()
	fmt.Printf("%s: %d schools, %d students, %d buses, %d parents watch, %d years of attendance; a morning of %s.\n\n", t.engine, p.schools,
		p.schools*p.students(), p.schools*p.buses, p.schools*p.buses*p.watchers, p.years, p.long)
	var curve []dayResult
	for speed := 1.0; speed <= p.fastest; speed *= 2 {
		r, err := w.play(ctx, speed)
		if err != nil {
			return err
		}
		curve = append(curve, r)
		fmt.Fprintf(os.Stderr, "%s %s\n", time.Now().Format(time.TimeOnly), r.row())
		if r.all().p99 > dayLimit || r.failed > 0 {
			break
		}
	}
	curve[0].printRoutes()
	printCurve(curve)
	return nil
}

func (p dayPlan) students() int { return p.divisions * markStudents }
