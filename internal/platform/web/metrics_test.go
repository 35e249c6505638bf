package web

import (
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func TestCounts(t *testing.T) {
	t.Parallel()
	m := NewMetrics(prometheus.NewRegistry())
	m.observe("GET", "/a", 200, 500*time.Microsecond)
	m.observe("GET", "/a", 404, time.Millisecond) // a bound belongs to its bucket
	m.observe("GET", "", 503, 3*time.Millisecond)
	m.observe("POST", "/a", 500, time.Minute)
	want := make([]int64, len(Buckets)+1)
	want[0], want[2], want[len(Buckets)] = 2, 1, 1
	if c := m.Counts(); c.Failed != 2 || !slices.Equal(c.Buckets, want) || m.Requests() != 4 {
		t.Errorf("got %v and %d requests, want 2 failed, %v and 4", c, m.Requests(), want)
	}
}
