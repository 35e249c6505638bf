package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"homeroom/internal/app"
)

// The Helm chart itself is tested by the module in deploy/helm.
const chart = "../../deploy/helm/homeroom/"

// notInChart are the settings that neither the chart sets nor its values may.
var notInChart = []string{
	"HOMEROOM_ADDR", "HOMEROOM_TLS_CERT", "HOMEROOM_TLS_KEY", // probes and services expect HTTP on port 3001
	"HOMEROOM_DATA", "HOMEROOM_BACKUP_DIR", "HOMEROOM_BACKUP_CONTINUOUS", // pods keep nothing
	"HOMEROOM_NODE_NAME",     // the name of the pod
	"HOMEROOM_NATS_URL",      // nodes have their own bus
	"HOMEROOM_METRICS_TOKEN", // metrics have their own port
	"HOMEROOM_DEMO", "HOMEROOM_WEB_PUSH_LOOPBACK", "HOMEROOM_CPU_PROFILE",
}

// TestChartSettings: the chart names only settings that exist, and its schema takes every other one: as a setting, or as a secret only.
func TestChartSettings(t *testing.T) {
	t.Parallel()
	secret := map[string]bool{} // every setting, and whether it is a secret
	for _, node := range parser(t, &cli{}, nil, nil).Model.Children {
		if node.Name == "serve" {
			for _, f := range node.Flags {
				secret[app.EnvName(f.Name)] = slices.Contains([]string{"Secret", "DSN"}, f.Target.Type().Name())
			}
		}
	}
	var schema struct {
		Definitions struct {
			Setting, Secret struct{ Enum []string }
		}
	}
	if err := json.Unmarshal(read(t, chart+"values.schema.json"), &schema); err != nil {
		t.Fatal(err)
	}
	settings, secrets := schema.Definitions.Setting.Enum, schema.Definitions.Secret.Enum
	files, err := filepath.Glob(chart + "templates/*")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d templates, %v", len(files), err)
	}
	for _, file := range append(files, chart+"values.yaml") {
		for _, name := range regexp.MustCompile(`HOMEROOM_[A-Z0-9_]+`).FindAllString(string(read(t, file)), -1) {
			if _, exists := secret[name]; !exists {
				t.Errorf("%s: there is no setting %s", file, name)
			}
		}
	}
	set := manifestEnv(t)
	for _, name := range settings {
		if _, twice := set[name]; twice || secret[name] {
			t.Errorf("the schema takes %s as a setting, and it is a secret or set by the chart", name)
		}
	}
	known := slices.Concat(settings, secrets, notInChart, slices.Collect(maps.Keys(set)))
	slices.Sort(known)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(secret)), slices.Compact(known)); diff != "" {
		t.Errorf("values.schema.json and templates differ from the settings (- the program, + the chart):\n%s", diff)
	}
}

// TestManifestSettings starts the checks of serve with the environment of deploy/kubernetes.yaml.
func TestManifestSettings(t *testing.T) {
	t.Parallel()
	var c cli
	problems := app.Problems{}
	parsed, err := parser(t, &c, manifestEnv(t), problems).Parse([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	check(parsed, problems)
	if len(problems) > 0 {
		t.Error(list(problems))
	}
	if c.Serve.FileProvider != "s3" || c.Serve.ClusterListen == "" || c.Serve.DrainDelay == 0 {
		t.Errorf("the settings were not read: %v", c.Serve.Config)
	}
}

// manifestEnv returns the variables of the container in deploy/kubernetes.yaml, with good values for those of the Secret.
func manifestEnv(t *testing.T) map[string]string {
	t.Helper()
	secrets := map[string]string{
		"HOMEROOM_DATABASE_URL": "postgres://homeroom:password@db/homeroom", "HOMEROOM_KEYS": "k1:" + strings.Repeat("A", 43) + "=",
		"HOMEROOM_CLUSTER_SECRET": strings.Repeat("s", 16), "HOMEROOM_S3_ACCESS_KEY": "key", "HOMEROOM_S3_SECRET_KEY": "secret",
	}
	out := map[string]string{}
	for doc := range strings.SplitSeq(string(read(t, "../../deploy/kubernetes.yaml")), "\n---\n") {
		var object struct {
			Spec struct {
				Template struct {
					Spec struct {
						Containers []struct {
							Env []struct{ Name, Value string }
						}
					}
				}
			}
		}
		if err := yaml.Unmarshal([]byte(doc), &object); err != nil {
			t.Fatal(err)
		}
		for _, c := range object.Spec.Template.Spec.Containers {
			for _, e := range c.Env {
				if e.Value == "" {
					e.Value = secrets[e.Name]
				}
				out[e.Name] = e.Value
			}
		}
	}
	if len(out) < 15 {
		t.Fatalf("only %d variables were found", len(out))
	}
	return out
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
