package helm

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// objects are the rendered manifests of a release.
type objects struct {
	Deployment          apps.Deployment
	Service, Nodes      core.Service
	ServiceAccount      core.ServiceAccount
	Secret              core.Secret
	PodDisruptionBudget policy.PodDisruptionBudget
	Ingress             networking.Ingress
	NetworkPolicy       networking.NetworkPolicy
	ServiceMonitor      monitoring.ServiceMonitor
	PrometheusRule      monitoring.PrometheusRule
	kinds               []string
}

// decode decodes manifests strictly: an unknown or repeated field is an error.
func decode(t *testing.T, text string) (o objects) {
	t.Helper()
	for _, doc := range strings.Split(text, "\n---\n") {
		var kind meta.TypeMeta
		if err := yaml.Unmarshal([]byte(doc), &kind); err != nil {
			t.Fatalf("%v:\n%s", err, doc)
		}
		into := map[string]any{
			"apps/v1 Deployment": &o.Deployment, "v1 Service": &o.Service, "v1 ServiceAccount": &o.ServiceAccount, "v1 Secret": &o.Secret,
			"policy/v1 PodDisruptionBudget": &o.PodDisruptionBudget, "networking.k8s.io/v1 Ingress": &o.Ingress,
			"networking.k8s.io/v1 NetworkPolicy": &o.NetworkPolicy, "monitoring.coreos.com/v1 ServiceMonitor": &o.ServiceMonitor,
			"monitoring.coreos.com/v1 PrometheusRule": &o.PrometheusRule,
		}[kind.APIVersion+" "+kind.Kind]
		if into == any(&o.Service) && strings.Contains(doc, "clusterIP: None") {
			into = &o.Nodes
		}
		if into == nil {
			t.Fatalf("%s of %s is not known to this test", kind.Kind, kind.APIVersion)
		}
		if err := yaml.UnmarshalStrict([]byte(doc), into); err != nil {
			t.Fatalf("%v:\n%s", err, doc)
		}
		o.kinds = append(o.kinds, kind.Kind)
	}
	slices.Sort(o.kinds)
	return o
}

func rendered(t *testing.T, file string, set map[string]any) objects {
	t.Helper()
	return decode(t, manifests(t, "spring", values(t, file, set)))
}

func TestKinds(t *testing.T) {
	least := []string{"Deployment", "PodDisruptionBudget", "Service", "Service", "ServiceAccount"}
	all := append([]string{"Ingress", "NetworkPolicy", "PrometheusRule", "Secret", "ServiceMonitor"}, least...)
	slices.Sort(all)
	if got := rendered(t, "example.yaml", nil).kinds; !slices.Equal(got, least) {
		t.Errorf("by default %v are rendered, want %v", got, least)
	}
	if got := rendered(t, "testdata/full.yaml", nil).kinds; !slices.Equal(got, all) {
		t.Errorf("with all options %v are rendered, want %v", got, all)
	}
}

// TestReferences: selectors match the labels, and names the ports and Secrets, of what they mean.
func TestReferences(t *testing.T) {
	o := rendered(t, "testdata/full.yaml", nil)
	pod, c := o.Deployment.Spec.Template, o.Deployment.Spec.Template.Spec.Containers[0]
	selectors := map[string]map[string]string{
		"Service": o.Service.Spec.Selector, "the Service of nodes": o.Nodes.Spec.Selector, "Deployment": o.Deployment.Spec.Selector.MatchLabels,
		"PodDisruptionBudget": o.PodDisruptionBudget.Spec.Selector.MatchLabels, "NetworkPolicy": o.NetworkPolicy.Spec.PodSelector.MatchLabels,
		"NetworkPolicy's peer": o.NetworkPolicy.Spec.Ingress[1].From[0].PodSelector.MatchLabels,
	}
	for _, s := range pod.Spec.TopologySpreadConstraints {
		selectors[s.TopologyKey] = s.LabelSelector.MatchLabels
	}
	for name, s := range selectors {
		if len(s) == 0 || !labels.SelectorFromSet(s).Matches(labels.Set(pod.Labels)) {
			t.Errorf("%s selects %v, not pods with %v", name, s, pod.Labels)
		}
	}
	scraped := labels.SelectorFromSet(o.ServiceMonitor.Spec.Selector.MatchLabels)
	if !scraped.Matches(labels.Set(o.Nodes.Labels)) || scraped.Matches(labels.Set(o.Service.Labels)) {
		t.Errorf("the ServiceMonitor selects %s", scraped)
	}
	ports := map[string]int32{}
	for _, p := range c.Ports {
		ports[p.Name] = p.ContainerPort
	}
	named := []string{o.ServiceMonitor.Spec.Endpoints[0].Port, c.LivenessProbe.HTTPGet.Port.StrVal, c.ReadinessProbe.HTTPGet.Port.StrVal,
		c.StartupProbe.HTTPGet.Port.StrVal, o.Ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Port.Name}
	for _, p := range append(o.Service.Spec.Ports, o.Nodes.Spec.Ports...) {
		named = append(named, p.TargetPort.StrVal, p.Name)
	}
	for _, rule := range o.NetworkPolicy.Spec.Ingress {
		named = append(named, rule.Ports[0].Port.StrVal)
	}
	for _, name := range named {
		if ports[name] == 0 {
			t.Errorf("there is no port %q in %v", name, ports)
		}
	}
	if got := o.Ingress.Spec.Rules[0]; got.Host != "school.example.org" || got.HTTP.Paths[0].Backend.Service.Name != o.Service.Name {
		t.Errorf("the ingress sends %s to %s", got.Host, got.HTTP.Paths[0].Backend.Service.Name)
	}
	if got := env(t, c)["HOMEROOM_CLUSTER_PEERS"].Value; got != o.Nodes.Name+":6222" || !o.Nodes.Spec.PublishNotReadyAddresses {
		t.Errorf("nodes look for each other at %s", got)
	}
	for _, e := range c.Env {
		if e.ValueFrom == nil {
			continue
		}
		if s := e.ValueFrom.SecretKeyRef; s.Name != o.Secret.Name || o.Secret.StringData[s.Key] == "" || s.Key != e.Name {
			t.Errorf("%s is %s of %s", e.Name, s.Key, s.Name)
		}
	}
	if pod.Spec.ServiceAccountName != o.ServiceAccount.Name || c.EnvFrom[0].SecretRef.Name != o.Secret.Name {
		t.Errorf("the pod uses %s and %s", pod.Spec.ServiceAccountName, c.EnvFrom[0].SecretRef.Name)
	}
}

// env returns the variables of a container, and refuses a repeated one.
func env(t *testing.T, c core.Container) map[string]core.EnvVar {
	t.Helper()
	out := map[string]core.EnvVar{}
	for _, e := range c.Env {
		if _, twice := out[e.Name]; twice {
			t.Errorf("%s is set twice", e.Name)
		}
		out[e.Name] = e
	}
	return out
}

// TestPod pins what keeps a pod safe and an update without an outage.
func TestPod(t *testing.T) {
	for _, file := range []string{"example.yaml", "testdata/full.yaml"} {
		o := rendered(t, file, nil)
		d, pod := o.Deployment.Spec, o.Deployment.Spec.Template.Spec
		c, safe := pod.Containers[0], pod.Containers[0].SecurityContext
		set := env(t, c)
		for what, ok := range map[string]bool{
			"not root":                  *pod.SecurityContext.RunAsNonRoot && *pod.SecurityContext.RunAsUser > 0,
			"seccomp":                   pod.SecurityContext.SeccompProfile.Type == core.SeccompProfileTypeRuntimeDefault,
			"read-only root":            *safe.ReadOnlyRootFilesystem,
			"no more privileges":        !*safe.AllowPrivilegeEscalation && slices.Equal(safe.Capabilities.Drop, []core.Capability{"ALL"}),
			"no token":                  !*pod.AutomountServiceAccountToken && !*o.ServiceAccount.AutomountServiceAccountToken,
			"no links":                  !*pod.EnableServiceLinks,
			"none unavailable":          d.Strategy.RollingUpdate.MaxUnavailable.String() == "0" && d.Strategy.RollingUpdate.MaxSurge.IntValue() > 0,
			"one disrupted":             o.PodDisruptionBudget.Spec.MaxUnavailable.IntValue() == 1,
			"spread":                    len(pod.TopologySpreadConstraints) == 2,
			"memory":                    !c.Resources.Limits.Memory().IsZero() && !c.Resources.Requests.Cpu().IsZero(),
			"files are in S3":           set["HOMEROOM_FILE_PROVIDER"].Value == "s3",
			"the database is in Secret": set["HOMEROOM_DATABASE_URL"].ValueFrom.SecretKeyRef.Optional == nil,
		} {
			if !ok {
				t.Errorf("%s: %s does not hold", file, what)
			}
		}
		readyNoticed := c.ReadinessProbe.PeriodSeconds * c.ReadinessProbe.FailureThreshold
		if drain := seconds(t, set["HOMEROOM_DRAIN_DELAY"]); drain < int64(readyNoticed) {
			t.Errorf("%s: a stopping node serves for %d s, and Kubernetes notices after %d s", file, drain, readyNoticed)
		}
		stop := seconds(t, set["HOMEROOM_DRAIN_DELAY"]) + seconds(t, set["HOMEROOM_SHUTDOWN_TIMEOUT"])
		if *pod.TerminationGracePeriodSeconds < stop+5 {
			t.Errorf("%s: the grace period is %d s, and the service takes up to %d s", file, *pod.TerminationGracePeriodSeconds, stop)
		}
	}
}

func seconds(t *testing.T, e core.EnvVar) int64 {
	t.Helper()
	var d meta.Duration
	if err := d.UnmarshalJSON([]byte(`"` + e.Value + `"`)); err != nil {
		t.Errorf("%s: %v", e.Name, err)
	}
	return int64(d.Seconds())
}

func TestSettings(t *testing.T) {
	o := rendered(t, "testdata/full.yaml", nil)
	set := env(t, o.Deployment.Spec.Template.Spec.Containers[0])
	for name, want := range map[string]string{"HOMEROOM_FILES_PER_SCHOOL": "1000000", "HOMEROOM_PRIVATE_WEBHOOKS": "true",
		"HOMEROOM_FCM_CREDENTIALS": "/etc/homeroom/fcm.json", "HOMEROOM_TRUSTED_PROXIES": "10.0.0.0/8,192.168.1.7",
		"HOMEROOM_S3_PATH_STYLE": "true"} {
		if set[name].Value != want {
			t.Errorf("%s is %q, want %q", name, set[name].Value, want)
		}
	}
	before := o.Deployment.Spec.Template.Annotations
	after := rendered(t, "testdata/full.yaml", map[string]any{"secrets.HOMEROOM_KEYS": "k2:other"}).Deployment.Spec.Template.Annotations
	if before["checksum/secrets"] == after["checksum/secrets"] || before["example.org/team"] != "school" {
		t.Errorf("another key does not restart the pods: %v, %v", before, after)
	}
}

// TestRules: the operator gets all rules, and scrapes under the job that they name.
func TestRules(t *testing.T) {
	var want monitoring.PrometheusRuleSpec
	text := read(t, "../alerts.yml")
	if err := yaml.UnmarshalStrict(text, &want); err != nil {
		t.Fatal(err)
	}
	o := rendered(t, "testdata/full.yaml", nil)
	if got := o.PrometheusRule.Spec; len(want.Groups) == 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("the rules are %v, want %v", got, want)
	}
	job := o.ServiceMonitor.Spec.Endpoints[0].RelabelConfigs[0]
	if job.TargetLabel != "job" || !strings.Contains(string(text), `job="`+*job.Replacement+`"`) {
		t.Errorf("metrics are scraped under the job %v", job)
	}
	for _, o := range []map[string]string{o.ServiceMonitor.Labels, o.PrometheusRule.Labels} {
		if o["release"] != "prometheus" {
			t.Errorf("Prometheus does not find an object with %v", o)
		}
	}
}
