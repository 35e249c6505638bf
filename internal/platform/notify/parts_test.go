package notify_test

import (
	"strings"
	"testing"

	"homeroom/internal/platform/notify"
)

func TestParts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", 1}, {"Hello", 1},
		{strings.Repeat("a", 160), 1}, {strings.Repeat("a", 161), 2}, {strings.Repeat("a", 306), 2}, {strings.Repeat("a", 307), 3},
		{strings.Repeat("€", 80), 1}, {strings.Repeat("€", 81), 2}, // two places each
		{strings.Repeat("ñ", 160), 1},
		{strings.Repeat("á", 70), 1}, {strings.Repeat("á", 71), 2}, {strings.Repeat("á", 135), 3}, // not in the SMS alphabet
		{strings.Repeat("😀", 35), 1}, {strings.Repeat("😀", 36), 2},
	} {
		if got := notify.Parts(tt.text); got != tt.want {
			t.Errorf("Parts of %d bytes %.6q…: %d, want %d", len(tt.text), tt.text, got, tt.want)
		}
	}
}
