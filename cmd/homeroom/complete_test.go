package main

import (
	"strings"
	"testing"
)

func TestCandidates(t *testing.T) {
	t.Parallel()
	model := parser(t, &cli{}, nil, nil).Model.Node
	for line, want := range map[string]string{
		"s":                       "serve school",
		"man":                     "", // hidden
		"keys ":                   "rotate rotate-push",
		"serve --rate-w":          "--rate-write",
		"serve --data x --rate-o": "--rate-otp",
		"backup --f":              "--force",
		"backup some":             "", // a file
		"--v":                     "--version",
	} {
		if got := strings.Join(candidates(model, strings.Split(line, " ")), " "); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

// TestComplete calls the program as the scripts of deploy/package do.
func TestComplete(t *testing.T) {
	t.Parallel()
	h := installation{dir: t.TempDir()}
	if got := h.must(t, "complete", "--", "serve", "--rate-w"); got != "--rate-write\n" {
		t.Errorf("got %q", got)
	}
}

// TestManual compares the manual page with the commands and settings.
func TestManual(t *testing.T) {
	t.Parallel()
	h := installation{dir: t.TempDir()}
	page := h.must(t, "man")
	for _, leaf := range parser(t, &cli{}, nil, nil).Model.Leaves(true) {
		if !strings.Contains(page, "\n.B "+roff(leaf.FullPath())) || !strings.Contains(page, roff(leaf.Help)) {
			t.Errorf("%s or its help is missing", leaf.FullPath())
		}
		for _, f := range leaf.Flags {
			if !strings.Contains(page, roff("--"+f.Name)) || !strings.Contains(page, roff(f.Help)) {
				t.Errorf("%s: --%s or its help is missing", leaf.FullPath(), f.Name)
			}
		}
	}
	for i, line := range strings.Split(page, "\n") {
		if macro, ok := strings.CutPrefix(line, "."); ok && !strings.Contains(" TH SH SS TP B I br ", " "+strings.Fields(macro)[0]+" ") {
			t.Errorf("line %d begins with an unknown macro: %s", i+1, line)
		}
	}
}
