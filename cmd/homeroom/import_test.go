package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fillDemo creates the demo data.
func (h installation) fillDemo(t *testing.T) {
	t.Helper()
	h.serve(t, "--demo").stop(t)
}

func (h installation) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(h.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestImport(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h installation) {
		h.fillDemo(t)
		students := h.write(t, "students.csv", "Admission Number;First Name;Guardian Name;Guardian Phone;House\n"+
			"X-1;Zoë;Anne;+15551110001;Red\nX-2;Ralph;Anne;+15551110001;Red\n")
		employees := h.write(t, "employees.csv", "employeeCode,firstName,phone\nX-1,Grace,+15551110002\n")
		bad := h.write(t, "bad.csv", "admissionNo,firstName,dateOfBirth\nX-9,Ok,\nX-8,Bad,tomorrow\n")
		for _, tt := range []struct {
			name, args string
			code       int
			want       []string // printed, on either stream
			not        string
		}{
			{"a dry run", "students " + students + " --school GREENFIELD --dry-run", 0,
				[]string{"2 rows: 2 created", "Nothing was written", "House"}, "failed:"},
			{"for real", "students " + students + " --school GREENFIELD", 0,
				[]string{"2 rows: 2 created, 0 updated, 0 unchanged, 0 failed", "Imported."}, "Nothing"},
			{"again", "students " + students + " --school GREENFIELD", 1, []string{"2 failed", "Row", "admissionNo", "mode=upsert"}, "Imported."},
			{"again, to change them", "students " + students + " --school GREENFIELD --mode upsert", 0, []string{"2 unchanged"}, "Row"},
			{"a bad row", "students " + bad + " --school GREENFIELD", 1,
				[]string{"  3    dateOfBirth  must be a date as YYYY-MM-DD", "0 created", "1 failed", "Nothing was written"}, ""},
			{"but for a bad row", "students " + bad + " --school GREENFIELD --partial", 1, []string{"1 created", "1 failed"}, "Nothing was written"},
			{"employees", "employees " + employees + " --school GREENFIELD", 0, []string{"1 rows: 1 created"}, ""},
			{"no such school", "students " + students + " --school NONE", 1, []string{"no school with the code NONE"}, "created"},
			{"no such file", "students none.csv --school GREENFIELD", 1, []string{"none.csv"}, "created"},
			{"no school", "students " + students, 2, []string{"--school"}, "created"},
			{"a mode that is none", "students " + students + " --school GREENFIELD --mode merge", 2, []string{"--mode"}, "created"},
		} {
			out, errs, code := h.run(t, append([]string{"import"}, strings.Fields(tt.args)...)...)
			if code != tt.code {
				t.Errorf("%s: exit %d, want %d\n%s%s", tt.name, code, tt.code, out, errs)
			}
			for _, want := range tt.want {
				if !strings.Contains(out+errs, want) {
					t.Errorf("%s: no %q in\n%s%s", tt.name, want, out, errs)
				}
			}
			if tt.not != "" && strings.Contains(out+errs, tt.not) {
				t.Errorf("%s: %q in\n%s%s", tt.name, tt.not, out, errs)
			}
		}
	})
}

// TestImportKilled kills an import at several moments. It must have written all
// rows or none.
func TestImportKilled(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h installation) {
		h.fillDemo(t)
		const n = 20_000
		var b bytes.Buffer
		b.WriteString("admissionNo,firstName,lastName,guardianName,guardianPhone\n")
		for i := range n {
			fmt.Fprintf(&b, "K-%05d,Student %d,Kill,Guardian %d,+1666%07d\n", i, i, i/2, i/2)
		}
		file := h.write(t, "many.csv", b.String())
		args := []string{"import", "students", file, "--school", "GREENFIELD"}
		killed := 0
		for _, after := range []time.Duration{300, 600, 900, 1300, 1800} {
			cmd := h.command(t, args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(after * time.Millisecond)
			_ = cmd.Process.Kill() // fails if the import has finished
			_ = cmd.Wait()
			if !cmd.ProcessState.Exited() {
				killed++
			}
			out, errs, _ := h.run(t, append(args, "--dry-run")...)
			none, all := fmt.Sprintf("%d rows: %d created", n, n), fmt.Sprintf("%d failed", n)
			if !strings.Contains(out, none) && !strings.Contains(out, all) {
				t.Fatalf("killed after %d ms, a part was imported:\n%s%.500s", after, out, errs)
			}
		}
		if killed == 0 {
			t.Error("every import finished before it was killed")
		}
		h.must(t, append(args, "--mode", "upsert")...)
		if out := h.must(t, append(args, "--mode", "upsert")...); !strings.Contains(out, fmt.Sprintf("%d unchanged", n)) {
			t.Errorf("import after a complete one: got %s, want %d unchanged", out, n)
		}
	})
}
