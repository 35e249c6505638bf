package app

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// TestWarnLocal: a start on real data says which channels reach nobody.
func TestWarnLocal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name            string
		demo            bool
		sms, mail, push string
		want            []string
	}{
		{"demo", true, "local", "local", "local", nil},
		{"real providers", false, "twilio", "smtp", "fcm", nil},
		{"local SMS", false, "local", "smtp", "fcm", []string{"sign-in codes", "--sms-provider"}},
		{"all local", false, "local", "local", "local", []string{"--sms-provider", "--mail-provider", "--push-provider"}},
	} {
		var out bytes.Buffer
		var c Config
		c.Demo, c.SMSProvider, c.MailProvider, c.PushProvider = tt.demo, tt.sms, tt.mail, tt.push
		c.warnLocal(slog.New(slog.NewTextHandler(&out, nil)))
		if tt.want == nil && out.Len() > 0 {
			t.Errorf("%s: warns of %s", tt.name, &out)
		}
		for _, part := range tt.want {
			if !strings.Contains(out.String(), part) || !strings.Contains(out.String(), "level=WARN") {
				t.Errorf("%s: %q lacks %q", tt.name, &out, part)
			}
		}
		if tt.name == "local SMS" && strings.Contains(out.String(), "--mail-provider") {
			t.Errorf("%s: %s", tt.name, &out)
		}
	}
}
