package app_test

import (
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// spine lists the features that others may import, lowest first. A spine
// feature imports those before it; every other feature imports the spine only.
var spine = []string{"audit", "access", "school", "identity", "file", "people", "live", "academics", "notification", "transport"}

// crossing names the packages that may run statements outside a school, and why.
var crossing = map[string]string{
	"homeroom/internal/platform/db":      "asks for the permit",
	"homeroom/internal/platform/jobs":    "workers take the jobs of all schools",
	"homeroom/internal/platform/notify":  "the outbox page of the demo shows all schools",
	"homeroom/internal/platform/web":     "calls are counted before a school is known; old answers are swept",
	"homeroom/internal/feature/audit":    "super-administrators read all schools",
	"homeroom/internal/feature/access":   "modules belong to no school",
	"homeroom/internal/feature/school":   "super-administrators make and list schools",
	"homeroom/internal/feature/identity": "sign-in starts before a school is known",
	"homeroom/internal/feature/file":     "the hour's round removes what nothing holds, of all schools",
	"homeroom/internal/feature/report":   "the platform's dashboard counts all schools",
	"homeroom/internal/feature/library":  "the hour's round looks which schools have something overdue",
	"homeroom/internal/feature/fee":      "the hour's round looks which schools charge late fines",
	"homeroom/internal/feature/tracking": "the positions of all schools are written together, once a second",
	"homeroom/internal/app":              "the demo asks whether the database is empty or its own",
	"homeroom/internal/apptest":          "makes schools for tests",

	"homeroom/internal/feature/notification": "a push token moves to whoever registers it, also between schools",
}

// TestImportsPointDown holds the rooms apart: cmd → app → feature → platform.
func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	for pkg, imports := range importsOf(t) {
		for _, imp := range imports {
			if strings.HasPrefix(imp, "homeroom/") && !allowed(pkg, imp) {
				t.Errorf("%s must not import %s", pkg, imp)
			}
			if imp == "homeroom/internal/platform/db/unscoped" && crossing[pkg] == "" {
				t.Errorf("%s may not cross schools: if it must, give the reason here", pkg)
			}
		}
	}
}

// TestPlatformKnowsNoSchool finds no word of a school's life in the code of the
// platform. Comments, and the texts for people in platform/text, may give examples.
func TestPlatformKnowsNoSchool(t *testing.T) {
	t.Parallel()
	words := regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
	ofSchools := regexp.MustCompile(`^(student|pupil|guardian|exam|fee|attendance|timetable|homework|announcement|boarding)s?$`)
	err := filepath.WalkDir("../platform", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasPrefix(path, "../platform/text/") {
			return err
		}
		src, err := os.ReadFile(path)
		var s scanner.Scanner
		files := token.NewFileSet()
		s.Init(files.AddFile(path, -1, len(src)), src, nil, 0)
		for pos, tok, lit := s.Scan(); tok != token.EOF; pos, tok, lit = s.Scan() {
			for _, word := range words.FindAllString(lit, -1) {
				if ofSchools.MatchString(strings.ToLower(word)) {
					t.Errorf("%s: %s", files.Position(pos), lit)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "homeroom/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	pkgs := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		pkgs[f[0]] = f[1:]
	}
	return pkgs
}

func allowed(from, to string) bool {
	fromRoom, fromName := room(from)
	toRoom, toName := room(to)
	if fromRoom != toRoom {
		return fromRoom > toRoom
	}
	if fromRoom != 2 {
		return true
	}
	i, j := slices.Index(spine, fromName), slices.Index(spine, toName)
	return fromName == toName || j >= 0 && (i < 0 || j < i)
}

// room ranks a package: schema 0, platform 1, feature 2, app 3, what starts or tests the whole 4.
func room(path string) (rank int, name string) {
	p := append(strings.Split(path, "/"), "", "", "")
	switch p[2] {
	case "schema":
		return 0, p[2]
	case "platform":
		return 1, p[3]
	case "feature":
		return 2, p[3]
	case "app":
		return 3, p[2]
	}
	return 4, p[2]
}
