package jobs_test

import (
	"context"
	"sync/atomic"
	"testing"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

// BenchmarkEnqueue measures transactions with one job each, concurrently.
func BenchmarkEnqueue(b *testing.B) {
	for _, engine := range dbtest.Engines {
		b.Run(engine, func(b *testing.B) {
			k := newKit(b, engine)
			b.SetParallelism(8)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := k.tryEnqueue(k.school, ping{1}); err != nil {
						b.Error(err)
						return
					}
				}
			})
			perSecond(b)
		})
	}
}

// BenchmarkDrain measures claiming, running and finishing empty jobs.
func BenchmarkDrain(b *testing.B) {
	for _, engine := range dbtest.Engines {
		b.Run(engine, func(b *testing.B) {
			k := newKit(b, engine)
			k.must(k.db.InSchool(b.Context(), k.school, func(ctx context.Context, tx *db.Tx) error {
				return jobs.EnqueueAll(ctx, tx, k.watch.Now(), make([]ping, b.N))
			}))
			var n atomic.Int64
			q := k.queue([]jobs.Worker{jobs.Work(func(context.Context, id.ID, ping) error { n.Add(1); return nil })})
			b.ResetTimer()
			k.drain(q)
			if n.Load() != int64(b.N) {
				b.Fatalf("ran %d of %d jobs", n.Load(), b.N)
			}
			perSecond(b)
		})
	}
}

func perSecond(b *testing.B) { b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s") }
