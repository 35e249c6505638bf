package app

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/notify"
)

func TestPushContact(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ contact, from, url, want string }{
		{"", "", "", ""},
		{"", "", "http://localhost:3001", ""},
		{"", "", "https://school.example.org", "https://school.example.org"},
		{"", "Office <office@example.org>", "https://school.example.org", "mailto:office@example.org"},
		{"me@example.org", "office@example.org", "", "mailto:me@example.org"},
		{"mailto:me@example.org", "", "", "mailto:me@example.org"},
		{"https://example.org/me", "office@example.org", "", "https://example.org/me"},
	} {
		var c Config
		c.WebPushContact, c.MailFrom, c.PublicURL = tt.contact, tt.from, tt.url
		if got := c.pushContact(); got != tt.want {
			t.Errorf("%+v: got %q", tt, got)
		}
	}
}

// TestManner: every type has a screen, and what a push service accepts as a topic.
func TestManner(t *testing.T) {
	t.Parallel()
	topic := regexp.MustCompile(`^[A-Za-z0-9_-]{32}$`)
	push := func(kind notification.Type, record string, urgent bool) notify.Message {
		return notify.Message{Urgent: urgent, Data: map[string]string{"type": string(kind), "id": record, "studentId": "s"}}
	}
	for _, kind := range notification.Types {
		how, urgent := manner(push(kind, "a", false)), manner(push(kind, "a", true))
		if !topic.MatchString(how.Topic) || !strings.HasPrefix(how.Path, "/") || strings.Contains(how.Path, "{") || how.TTL < time.Minute {
			t.Errorf("%s: got %+v", kind, how)
		}
		if urgent.Urgency != "high" || urgent.TTL != 24*time.Hour || urgent.Path != how.Path {
			t.Errorf("urgent %s: got %+v", kind, urgent)
		}
		same := manner(push(kind, "b", false)).Topic == how.Topic
		if same != (kind == notification.Transport) || manner(push(kind, "b", true)).Topic == urgent.Topic {
			t.Errorf("%s: a notice about another record replaces this one: %v", kind, same)
		}
	}
}
