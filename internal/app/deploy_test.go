package app

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestDeployNamesMetricsThatExist compares the dashboard and the alert rules with the metrics of a
// running service.
func TestDeployNamesMetricsThatExist(t *testing.T) {
	t.Parallel()
	a := mustApp(t, "sqlite", nil)
	get(a, "/healthz") // so that there is a request to count
	_, body := scraped(a)
	metric := regexp.MustCompile(`\b(homeroom|process|go)_[a-z0-9_]+`)
	have := map[string]bool{}
	for line := range strings.Lines(body) {
		if !strings.HasPrefix(line, "#") {
			have[metric.FindString(line)] = true
		}
	}
	queries := append(dashboardQueries(t), alertQueries(t)...)
	named := map[string]bool{}
	for _, q := range queries {
		for _, name := range metric.FindAllString(q, -1) {
			named[name] = true
			if !have[name] {
				t.Errorf("%s does not exist: %s", name, q)
			}
		}
	}
	for name := range have {
		if strings.HasPrefix(name, "homeroom_") && !strings.HasSuffix(name, "_sum") && !named[name] {
			t.Errorf("neither the dashboard nor an alert shows %s", name)
		}
	}
	if len(queries) < 15 {
		t.Errorf("only %d queries were found", len(queries))
	}
}

func dashboardQueries(t *testing.T) (out []string) {
	t.Helper()
	var board struct {
		Panels []struct {
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(readDeploy(t, "grafana.json"), &board); err != nil {
		t.Fatal(err)
	}
	for _, p := range board.Panels {
		for _, q := range p.Targets {
			out = append(out, q.Expr)
		}
	}
	return out
}

func alertQueries(t *testing.T) (out []string) {
	t.Helper()
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(readDeploy(t, "alerts.yml"), &rules); err != nil {
		t.Fatal(err)
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			out = append(out, r.Expr)
			if r.Annotations["summary"] == "" || r.Annotations["action"] == "" {
				t.Errorf("%s does not say what happened and what to do", r.Alert)
			}
		}
	}
	return out
}

func readDeploy(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("../../deploy/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
