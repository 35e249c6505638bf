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
var spine = []string{"audit", "access", "school", "identity", "file", "people", "live", "academics", "elective", "notification",
	"transport"}

// crossing lists the packages that may access data across schools, with the reason.
var crossing = map[string]string{
	"homeroom/internal/platform/db":       "declares the permit",
	"homeroom/internal/platform/jobs":     "workers take the jobs of all schools",
	"homeroom/internal/platform/notify":   "the outbox page of the demo shows all schools; so does the health of the providers",
	"homeroom/internal/platform/portable": "an import writes a new school, and compares it with the others",
	"homeroom/internal/platform/web":      "rate limits apply before a school is known; old idempotency records are deleted",
	"homeroom/internal/feature/audit":     "super-administrators read all schools",
	"homeroom/internal/feature/access":    "modules belong to no school",
	"homeroom/internal/feature/school":    "super-administrators create and list schools",
	"homeroom/internal/feature/identity":  "sign-in starts before a school is known",
	"homeroom/internal/feature/file":      "an hourly job deletes unattached files of all schools",
	"homeroom/internal/feature/report":    "the platform's dashboard counts all schools",
	"homeroom/internal/feature/system":    "nodes and backups belong to no school",
	"homeroom/internal/feature/library":   "an hourly job finds the schools with overdue loans",
	"homeroom/internal/feature/fee":       "an hourly job finds the schools with late fines",
	"homeroom/internal/feature/tracking":  "the positions of all schools are written together, once a second",
	"homeroom/internal/app":               "--demo checks that the database is empty or a demo",
	"homeroom/internal/apptest":           "creates schools for tests",

	"homeroom/internal/feature/attendance":   "a daily job deletes old marks of all schools",
	"homeroom/internal/feature/webhook":      "the subscriptions of all schools are cached together; the platform's hear all schools",
	"homeroom/internal/feature/notification": "a push token moves to whoever registers it, also between schools",
}

// TestImportsPointDown checks the layers: cmd → app → feature → platform → schema.
func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	for pkg, imports := range importsOf(t) {
		for _, imp := range imports {
			if strings.HasPrefix(imp, "homeroom/") && !allowed(pkg, imp) {
				t.Errorf("%s must not import %s", pkg, imp)
			}
			if imp == "homeroom/internal/platform/db/unscoped" && crossing[pkg] == "" {
				t.Errorf("%s may not access data across schools: if it must, add it to crossing with the reason", pkg)
			}
		}
	}
}

// TestPlatformKnowsNoSchool checks that the platform's code has no domain terms.
// Comments, and the texts of platform/text, may have them.
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
					t.Errorf("%s: domain term in %s", files.Position(pos), lit)
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
	fromLayer, fromName := layer(from)
	toLayer, toName := layer(to)
	if fromLayer != toLayer {
		return fromLayer > toLayer
	}
	if fromLayer != 2 {
		return true
	}
	i, j := slices.Index(spine, fromName), slices.Index(spine, toName)
	return fromName == toName || j >= 0 && (i < 0 || j < i)
}

// layer ranks a package: schema and stylesheets 0, platform 1, feature and web 2, app 3, and cmd, apptest and bench 4.
func layer(path string) (rank int, name string) {
	p := append(strings.Split(path, "/"), "", "", "")
	switch {
	case p[1] == "web" && p[2] == "style": // files only
		return 0, p[2]
	case p[1] == "web":
		return 2, p[1]
	}
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
