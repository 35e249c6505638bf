package clock_test

import (
	"encoding/json"
	"testing"
	"time"

	"homeroom/internal/platform/clock"
)

func TestMillis(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"at":"2026-11-15T08:05:00Z"}`:                      `{"at":"2026-11-15T08:05:00.000Z"}`,
		`{"at":"2026-11-15T08:05:00.5Z","n":1}`:              `{"at":"2026-11-15T08:05:00.500Z","n":1}`,
		`["2026-11-15T08:05:00.12Z"]`:                        `["2026-11-15T08:05:00.120Z"]`,
		`["2026-11-15T08:05:00.123Z"]`:                       `["2026-11-15T08:05:00.123Z"]`,
		`["2026-11-15T08:05:00.123456789Z"]`:                 `["2026-11-15T08:05:00.123Z"]`,
		`["2026-11-15T08:05:00Z","2026-11-15T08:05:01Z",""]`: `["2026-11-15T08:05:00.000Z","2026-11-15T08:05:01.000Z",""]`,
		`["at 2026-11-15T08:05:00Z"]`:                        `["at 2026-11-15T08:05:00Z"]`,
		`["at \"2026-11-15T08:05:00Z"]`:                      `["at \"2026-11-15T08:05:00Z"]`,
		`["2026-11-15T08:05:00Z."]`:                          `["2026-11-15T08:05:00Z."]`,
		`["2026-11-15","08:05","Z","5Z",".5Z","A-Z"]`:        `["2026-11-15","08:05","Z","5Z",".5Z","A-Z"]`,
		`{}`: `{}`, ``: ``, `Z"`: `Z"`, `0Z"`: `0Z"`, `.0Z"`: `.0Z"`,
	} {
		if got := string(clock.Millis([]byte(in))); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
	raw, err := json.Marshal([]time.Time{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
	if got := string(clock.Millis(raw)); err != nil || got != `["2026-01-02T03:04:05.000Z"]` {
		t.Errorf("a time.Time becomes %s %v", got, err)
	}
}
