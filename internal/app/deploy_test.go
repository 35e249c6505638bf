package app

import (
	"encoding/json"
	"fmt"
	"net/http"
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

// TestProbes calls the probes of the container in kubernetes.yaml on a service with default settings.
func TestProbes(t *testing.T) {
	t.Parallel()
	type probe struct {
		Get struct{ Path, Port string } `yaml:"httpGet"`
	}
	var object struct {
		Spec struct {
			Template struct {
				Spec struct {
					Containers []struct {
						Startup   probe `yaml:"startupProbe"`
						Liveness  probe `yaml:"livenessProbe"`
						Readiness probe `yaml:"readinessProbe"`
						Ports     []struct {
							Name   string
							Number int `yaml:"containerPort"`
						}
					}
				}
			}
		}
	}
	a := mustApp(t, "sqlite", nil)
	found := 0
	for doc := range strings.SplitSeq(string(readDeploy(t, "kubernetes.yaml")), "\n---\n") {
		if !strings.Contains(doc, "\nkind: Deployment\n") {
			continue
		}
		if err := yaml.Unmarshal([]byte(doc), &object); err != nil {
			t.Fatal(err)
		}
		for _, c := range object.Spec.Template.Spec.Containers {
			for _, p := range []probe{c.Startup, c.Liveness, c.Readiness} {
				found++
				if status, body := get(a, p.Get.Path); status != http.StatusOK {
					t.Errorf("%s is %d: %s", p.Get.Path, status, body)
				}
				if p.Get.Port != c.Ports[0].Name || Default().addr() != fmt.Sprint(":", c.Ports[0].Number) {
					t.Errorf("the port of %s is %s, %v", p.Get.Path, p.Get.Port, c.Ports[0])
				}
			}
		}
	}
	if found != 3 {
		t.Errorf("%d probes were found, want 3", found)
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
