package main

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/tracking/sim"
)

// etas replays tracks that the simulator has recorded, and says how far off the
// times of arrival were: on a route with past trips, on one without, and by the
// timetable alone.
func etas(context.Context, *lab) error {
	fmt.Println("40 routes of 14 stops, 40 school days to learn from and 10 to judge; the error when the bus is so far away.")
	fmt.Print("\n| Ahead | Predictions | Past trips: median | 90 % | No past: median | 90 % | Timetable: median | 90 % |\n")
	fmt.Println("|---:|---:|---:|---:|---:|---:|---:|---:|")
	var wanted error
	for _, ahead := range []time.Duration{2 * time.Minute, 5 * time.Minute, 10 * time.Minute} {
		e := sim.Replay{Routes: 40, Stops: 14, Learn: 40, Judge: 10, Before: ahead}.Run(2026)
		fmt.Printf("| %.0f min | %d |", ahead.Minutes(), len(e.Predicted))
		for _, list := range [][]time.Duration{e.Predicted, e.Fresh, e.Planned} {
			fmt.Printf(" %.0f s | %.0f s |", sim.Median(list).Seconds(), sim.Percentile(list, 90).Seconds())
		}
		fmt.Println()
		if m := sim.Median(e.Predicted); ahead == 5*time.Minute && m >= time.Minute {
			wanted = fmt.Errorf("the median error five minutes ahead is %s, wanted is less than a minute", m)
		}
	}
	return wanted
}
