package main

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/tracking/sim"
)

// etas replays simulated tracks and prints the error of arrival times: on a route
// with past trips, on one without, and of the timetable.
func etas(context.Context, *lab) error {
	fmt.Println("40 routes of 14 stops, 40 school days of history and 10 measured; the error by time before the arrival.")
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
			wanted = fmt.Errorf("the median error five minutes ahead is %s, want less than a minute", m)
		}
	}
	return wanted
}
