// Package helm tests the chart of this folder with Helm's own packages: it lints and renders, and decodes what was rendered into the types
// of Kubernetes. It is a module of its own because those packages are large.
package helm

import (
	"flag"
	"log/slog"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write ../kubernetes.yaml")

func TestMain(m *testing.M) {
	slog.SetLogLoggerLevel(slog.LevelError) // Helm tells of the link to alerts.yml
	os.Exit(m.Run())
}

func load(t *testing.T) *chart.Chart {
	t.Helper()
	c, err := loader.Load("homeroom")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// values reads a values file and sets some of its values, by key or map.key.
func values(t *testing.T, file string, set map[string]any) map[string]any {
	t.Helper()
	out := map[string]any{}
	if err := yaml.UnmarshalStrict(read(t, file), &out); err != nil {
		t.Fatal(err)
	}
	for name, v := range set {
		at := out
		if group, key, ok := strings.Cut(name, "."); ok {
			if out[group] == nil {
				out[group] = map[string]any{}
			}
			at, name = out[group].(map[string]any), key
		}
		at[name] = v
	}
	return out
}

// render returns the rendered files by their base name.
func render(t *testing.T, release string, values map[string]any) (map[string]string, error) {
	t.Helper()
	c := load(t)
	v, err := util.ToRenderValues(c, values, common.ReleaseOptions{Name: release, Namespace: "schools", IsInstall: true}, nil)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(c, v)
	out := map[string]string{}
	for name, text := range files {
		out[path.Base(name)] = strings.TrimSpace(text)
	}
	return out, err
}

// manifests are the rendered objects, as kubectl applies them.
func manifests(t *testing.T, release string, values map[string]any) string {
	t.Helper()
	files, err := render(t, release, values)
	if err != nil {
		t.Fatal(err)
	}
	var docs []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if text := strings.TrimPrefix(files[name], "---\n"); strings.HasSuffix(name, ".yaml") && text != "" {
			docs = append(docs, text)
		}
	}
	return strings.Join(docs, "\n---\n") + "\n"
}

func TestLint(t *testing.T) {
	for _, file := range []string{"example.yaml", "testdata/full.yaml"} {
		for _, m := range lint.RunAll("homeroom", values(t, file, nil), "schools").Messages {
			if m.Severity > support.InfoSev {
				t.Errorf("%s: %v", file, m)
			}
		}
	}
}

// TestManifests compares ../kubernetes.yaml, for people without Helm, with the chart.
func TestManifests(t *testing.T) {
	const file = "../kubernetes.yaml"
	got := "# Two nodes: the chart of deploy/helm/homeroom with the values of deploy/helm/example.yaml. make chart writes this file.\n" +
		manifests(t, "homeroom", values(t, "example.yaml", nil))
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if string(read(t, file)) != got {
		t.Error("deploy/kubernetes.yaml is not what the chart renders to: run make chart and commit it")
	}
}

func TestRefused(t *testing.T) {
	const sqlite = "sqlite:/data/homeroom.db"
	for name, tt := range map[string]struct {
		set  map[string]any
		want string
	}{
		"SQLite, two nodes":     {map[string]any{"replicas": 2, "secrets.HOMEROOM_DATABASE_URL": sqlite}, "can't have more than one node"},
		"SQLite, one node":      {map[string]any{"replicas": 1, "secrets.HOMEROOM_DATABASE_URL": sqlite}, "does not run SQLite"},
		"no database":           {map[string]any{"secrets.HOMEROOM_DATABASE_URL": ""}, "secrets.HOMEROOM_DATABASE_URL is missing"},
		"no keys":               {map[string]any{"secrets.HOMEROOM_KEYS": ""}, "secrets.HOMEROOM_KEYS is missing"},
		"no Secret":             {map[string]any{"secretName": ""}, "'/secretName'"},
		"no address":            {map[string]any{"publicURL": ""}, "publicURL is missing"},
		"an address with path":  {map[string]any{"publicURL": "https://school.example.org/app"}, "'/publicURL'"},
		"no bucket":             {map[string]any{"s3.bucket": ""}, "s3.bucket is missing"},
		"a misspelt value":      {map[string]any{"replica": 3}, "'replica' not allowed"},
		"a misspelt one inside": {map[string]any{"ingress.enable": true}, "'enable' not allowed"},
		"a misspelt setting":    {map[string]any{"settings.HOMEROOM_MAIL_PROVDER": "smtp"}, "HOMEROOM_MAIL_PROVDER"},
		"a secret in settings":  {map[string]any{"settings.HOMEROOM_SMTP_PASSWORD": "p"}, "HOMEROOM_SMTP_PASSWORD"},
		"one of the chart":      {map[string]any{"settings.HOMEROOM_CLUSTER_PEERS": "h:1"}, "HOMEROOM_CLUSTER_PEERS"},
		"no node":               {map[string]any{"replicas": 0}, "'/replicas'"},
		"a number as text":      {map[string]any{"replicas": "2"}, "'/replicas'"},
	} {
		_, err := render(t, "homeroom", values(t, "testdata/full.yaml", tt.set))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

func TestNotes(t *testing.T) {
	for _, tt := range []struct {
		file         string
		want, hidden []string
	}{
		{"example.yaml", []string{"rollout status deployment/homeroom\n", "Secret homeroom with", "  HOMEROOM_KEYS\n", "homeroom admin create",
			"https://school.example.org\n", "Nothing leads"}, nil},
		{"testdata/full.yaml", []string{"3 node(s)", "https://school.example.org:8443\n"}, []string{"need the Secret", "Nothing leads"}},
	} {
		files, err := render(t, "homeroom", values(t, tt.file, nil))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.want {
			if !strings.Contains(files["NOTES.txt"], want) {
				t.Errorf("%s: %q is missing in\n%s", tt.file, want, files["NOTES.txt"])
			}
		}
		for _, hidden := range tt.hidden {
			if strings.Contains(files["NOTES.txt"], hidden) {
				t.Errorf("%s: %q is in\n%s", tt.file, hidden, files["NOTES.txt"])
			}
		}
	}
}
