package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"homeroom/internal/apptest/process"
)

const (
	importPath     = "/school-admin/student/import"
	importStudents = 20_000
	importClasses  = 40 // of four divisions each
)

// imports measures importing 20,000 students with guardians over HTTP: a dry run,
// the import, and the same again as upsert.
func imports(ctx context.Context, l *lab) error {
	file := studentFile(importStudents)
	fmt.Printf("%d students, %.1f MiB\n\n", importStudents, float64(len(file))/(1<<20))
	fmt.Println("| Engine | Import | Rows | Took | Rows/s | RSS before | Peak RSS | Growth |")
	fmt.Println("|---|---|---:|---:|---:|---:|---:|---:|")
	for _, t := range l.targets {
		t, err := l.emptyDatabase(ctx, t, "import")
		if err != nil {
			return err
		}
		s, err := l.serve(ctx, t) // creates the tables
		if err != nil {
			return err
		}
		s.Kill()
		if err := fillLists(ctx, t, 0); err != nil {
			return fmt.Errorf("fill: %w", err)
		}
		if err := importOn(ctx, l, t, file); err != nil {
			return err
		}
	}
	return nil
}

func importOn(ctx context.Context, l *lab, t target, file []byte) error {
	s, err := l.serve(ctx, t)
	if err != nil {
		return err
	}
	defer s.Kill()
	token, err := s.Login(ctx, "admin@greenfield.test", "homeroom-demo")
	if err != nil {
		return err
	}
	if err := makeClasses(ctx, s, token); err != nil {
		return err
	}
	for _, step := range []struct {
		name, query string
		want        [3]int // created, updated, unchanged
	}{
		{"dry run", "?dryRun=true", [3]int{importStudents, 0, 0}},
		{"first", "", [3]int{importStudents, 0, 0}},
		{"again, mode=upsert", "?mode=upsert", [3]int{0, 0, importStudents}},
	} {
		before, err := s.Memory("VmRSS")
		if err != nil {
			return err
		}
		start := time.Now()
		got, err := sendFile(ctx, s, token, importPath+step.query, file)
		if err != nil {
			return err
		}
		took := time.Since(start)
		if got != step.want {
			return fmt.Errorf("%s: created, updated, unchanged %v, want %v", step.name, got, step.want)
		}
		peak, err := s.Memory("VmHWM")
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %s | %d | %s | %.0f | %.0f MiB | %.0f MiB | %.0f MiB |\n", t.engine, step.name, importStudents, short(took),
			importStudents/took.Seconds(), before, peak, peak-before)
	}
	return nil
}

func makeClasses(ctx context.Context, s *process.Server, token string) error {
	for i := range importClasses {
		status, out, err := s.Call(ctx, token, "POST", "/school-admin/class/create", map[string]any{"data": map[string]any{"name": className(i)}})
		data, ok := out["data"].(map[string]any)
		if err != nil || !ok {
			return fmt.Errorf("create a class: %d %v %w", status, out, err)
		}
		for d := range 4 {
			status, out, err := s.Call(ctx, token, "POST", "/school-admin/division/create",
				map[string]any{"data": map[string]any{"classId": data["id"], "name": string(rune('A' + d))}})
			if err != nil || status != http.StatusCreated {
				return fmt.Errorf("create a division: %d %v %w", status, out, err)
			}
		}
	}
	return nil
}

func className(i int) string { return fmt.Sprintf("Bench %d", i+1) }

// sendFile imports a file and returns the numbers of created, updated and unchanged rows.
func sendFile(ctx context.Context, s *process.Server, token, path string, file []byte) ([3]int, error) {
	req, err := http.NewRequestWithContext(ctx, "POST", s.URL+path, bytes.NewReader(file))
	if err != nil {
		return [3]int{}, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "text/csv")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return [3]int{}, err
	}
	defer res.Body.Close()
	var out struct {
		Data    struct{ Created, Updated, Unchanged, Failed int }
		Message string
	}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		return [3]int{}, err
	}
	if res.StatusCode != http.StatusOK || out.Data.Failed > 0 {
		return [3]int{}, fmt.Errorf("%d %+v", res.StatusCode, out)
	}
	return [3]int{out.Data.Created, out.Data.Updated, out.Data.Unchanged}, nil
}

// studentFile returns a CSV file of students in random classes. Families have one to
// three children and one guardian.
func studentFile(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("an ba ko ri mel sa to vi ne lu ger ha jo ka li ma ni os pe ro su ti ver wi ze den mar son ter")
	word := func(k int) string {
		s := ""
		for range k {
			s += syllables[r.IntN(len(syllables))]
		}
		return string(s[0]-32) + s[1:]
	}
	var b bytes.Buffer
	b.WriteString("admissionNo,firstName,lastName,dateOfBirth,gender,bloodGroup,class,division,rollNo,admissionDate,address," +
		"guardianName,guardianRelation,guardianPhone,guardianEmail\n")
	family, left, surname, mother := 0, 0, "", ""
	rolls := map[string]int{} // the last roll number of each division
	for i := range n {
		if left == 0 {
			family, left, surname, mother = family+1, 1+r.IntN(3), word(3), word(2)
		}
		left--
		class, division := className(r.IntN(importClasses)), string(rune('A'+r.IntN(4)))
		rolls[class+division]++
		fmt.Fprintf(&b, "BN-%06d,%s,%s,20%02d-%02d-%02d,%s,O+,%s,%s,%d,2026-06-01,\"%d %s Street, Springfield\","+
			"%s %s,MOTHER,+1555%07d,%s.%d@example.org\n",
			i+1, word(2), surname, 8+r.IntN(12), 1+r.IntN(12), 1+r.IntN(28), []string{"FEMALE", "MALE"}[r.IntN(2)],
			class, division, rolls[class+division], 1+r.IntN(200),
			word(2), mother, surname, (family*7919)%10_000_000, word(2), family)
	}
	return b.Bytes()
}
