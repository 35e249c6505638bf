package webhook

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"homeroom/internal/feature/audit"
)

// TestRules: every rule has an action that a feature logs, and an event of the list, and
// every event has a rule.
func TestRules(t *testing.T) {
	t.Parallel()
	texts := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.Contains(path, "webhook/") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				s, _ := strconv.Unquote(l.Value)
				texts[s] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{"student.left": true, "attendance.corrected": true}
	for action, typ := range rules {
		entity, verb, _ := strings.Cut(action, ".")
		whole := texts[action] || texts[entity+"."] && texts[verb] || texts["."+verb] && texts[entity]
		if !whole {
			t.Errorf("no feature logs %s", action)
		}
		if _, ok := find(typ); !ok {
			t.Errorf("%s is not in the list of events", typ)
		}
		used[typ] = true
	}
	for _, e := range events {
		if !used[e.Type] {
			t.Errorf("no rule makes a %s", e.Type)
		}
	}
}

// TestThin: an event tells no names, texts or health, whatever an entry has.
func TestThin(t *testing.T) {
	t.Parallel()
	after := audit.State{"firstName": "Mia", "medicalNotes": "asthma", "phone": "+1", "type": "SICK", "reason": "flu", "classId": "c",
		"status": "ACTIVE", "guardians": []any{"g"}, "body": "text", "updated": 0.0, "publishedAt": "x", "salary": 1.0}
	student := audit.Entry{ID: "e", Entity: "student"}
	for action := range rules {
		student.Action = action
		got, ok := eventOf(student, after)
		if !ok || len(got.Data) != 3 || got.Data["classId"] != "c" || got.Data["status"] != "ACTIVE" {
			t.Errorf("%s: got %v, %v", action, got.Data, ok)
		}
	}
	for _, tt := range []struct {
		action string
		after  audit.State
		want   string
	}{
		{"student.update", audit.State{"status": "LEFT"}, "student.left"},
		{"student.update", audit.State{"phone": "1"}, "student.updated"},
		{"attendance.mark", audit.State{"created": 3.0}, "attendance.marked"},
		{"attendance.mark", audit.State{"created": 3.0, "updated": 1.0}, "attendance.corrected"},
		{"announcement.create", audit.State{"publishedAt": nil}, ""},
		{"user.create", nil, ""},
		{"webhook.create", nil, ""},
	} {
		got, ok := eventOf(audit.Entry{Action: tt.action}, tt.after)
		if ok != (tt.want != "") || ok && got.Type != tt.want {
			t.Errorf("%s %v: got %s, %v, want %q", tt.action, tt.after, got.Type, ok, tt.want)
		}
	}
}
