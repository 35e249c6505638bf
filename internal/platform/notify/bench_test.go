package notify_test

import (
	"context"
	"testing"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/notify"
	"homeroom/internal/schema"
)

// BenchmarkPushes sends messages through the local provider and the queue.
func BenchmarkPushes(b *testing.B) {
	for _, engine := range dbtest.Engines {
		b.Run(engine, func(b *testing.B) {
			k := newKit(b, dbtest.Open(b, engine, schema.FS))
			all := make([]notify.Message, b.N)
			for i := range all {
				all[i] = notify.Message{Channel: notify.Push, To: "topic", Subject: "Hello", Body: "How are you?"}
			}
			k.must(k.DB.InSchool(b.Context(), k.school, func(ctx context.Context, tx *db.Tx) error {
				return k.SendAll(ctx, tx, k.school, all)
			}))
			b.ResetTimer()
			k.drain()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
