package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTour pastes docs/tour.md into a shell twice, at the default limits. The bus drives faster than
// in the document.
func TestTour(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/tour.md")
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		script.WriteString(block[1])
	}
	h := newInstallation(t, "sqlite", true)
	s := h.serve(t, "--demo", "--rate-auth=10", "--rate-write=30", "--rate-read=100")
	for _, startTime := range []string{"00:01", "00:02"} {
		paste := strings.NewReplacer("localhost:3001", strings.TrimPrefix(s.url, "http://"), "go run ./cmd/homeroom", program,
			"$(date +%H:%M)", startTime, "seq 0 150", "seq 0 50", "sleep 1\n", "").Replace(script.String())
		cmd := exec.CommandContext(t.Context(), "bash", "-euc", paste)
		cmd.Dir, cmd.Env = h.dir, h.command(t).Env
		out, errs, code := finish(t, cmd)
		if code != 0 || strings.Contains(out, `"statusCode":`) {
			t.Fatalf("exit %d\n%s%s", code, out, errs)
		}
		for want, n := range map[string]int{
			"200 ": 51, `"status":"completed"`: 1, "Núñez": 1, "Imported.": 1, `"academicYear"`: 1, `"name":"Grade 5"`: 2,
		} {
			if strings.Count(out, want) < n {
				t.Errorf("want %d times %s in\n%s", n, want, out)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(h.dir, "students.csv")); err != nil {
		t.Error(err)
	}
}
