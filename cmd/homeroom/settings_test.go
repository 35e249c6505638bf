package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"homeroom/internal/app"
)

// parser returns a parser that reads env instead of the process's environment.
func parser(t *testing.T, into *cli, env map[string]string, problems app.Problems) *kong.Kong {
	t.Helper()
	p, err := newParser(into, std{out: new(bytes.Buffer), err: new(bytes.Buffer), exit: func(int) { panic("exit") },
		env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}, problems)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEnvExample compares .env.example with the settings of serve.
func TestEnvExample(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for _, node := range parser(t, &cli{}, nil, nil).Model.Children {
		if node.Name != "serve" {
			continue
		}
		for _, f := range node.Flags {
			if f.IsBool() {
				f.Default = "false"
			}
			want[app.EnvName(f.Name)] = f.Default
		}
	}
	text, err := os.ReadFile("../../.env.example")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	before := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			got[name] = value
			if !strings.HasPrefix(before, "# ") {
				t.Errorf("%s has no comment above it", name)
			}
		}
		before = line
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf(".env.example differs from the settings (- the program, + the file):\n%s", diff)
	}
	if len(want) < 20 {
		t.Errorf("only %d settings were found", len(want))
	}
}

func TestEverySettingFromTheEnvironment(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"HOMEROOM_ADDR": "127.0.0.1:80", "HOMEROOM_DEMO": "true", "HOMEROOM_RATE_AUTH": "", "HOMEROOM_RATE_OTP": "0",
		"HOMEROOM_TRUSTED_PROXIES": "10.0.0.0/8, 192.168.1.7", "HOMEROOM_ORIGINS": "https://a.example,https://b.example",
		"HOMEROOM_DB_MAX_CONNS": "5", "HOMEROOM_DRAIN_DELAY": "3s", "HOMEROOM_DATA": "elsewhere",
	}
	var c cli
	problems := app.Problems{}
	if _, err := parser(t, &c, env, problems).Parse([]string{"serve", "--data", "here", "--rate-read=7"}); err != nil {
		t.Fatal(err)
	}
	if len(problems) > 0 {
		t.Errorf("problems with good settings: %v", problems)
	}
	want := app.Default()
	want.Addr, want.Demo, want.RateOTP, want.RateRead, want.Data, want.DBMaxConns = "127.0.0.1:80", true, 0, 7, "here", 5
	want.Origins = []string{"https://a.example", "https://b.example"}
	want.DrainDelay = 3e9
	if want.TrustedProxies, _ = prefixes("10.0.0.0/8,192.168.1.7/32"); len(want.TrustedProxies) != 2 {
		t.Fatal("proxies were not read")
	}
	byString := cmp.Comparer(func(a, b interface{ String() string }) bool { return a.String() == b.String() })
	if diff := cmp.Diff(want, c.Serve.Config, byString); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
}

func TestMisspeltVariables(t *testing.T) {
	t.Parallel()
	h := newInstallation(t, "sqlite", false)
	cmd := h.command(t, "migrate", "status", "--log-format=json")
	cmd.Env = append(cmd.Env, "HOMEROOM_RATE_WRTE=5", "HOMEROOM_PROT=80", "HOMEROOM_KEYS=", "HOMEROOM_SMS_PROVIDER=local", "HOME_ROOM=x")
	_, errs, code := finish(t, cmd)
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, errs)
	}
	for _, want := range []string{`"name":"HOMEROOM_RATE_WRTE","didYouMean":"HOMEROOM_RATE_WRITE"`, `"name":"HOMEROOM_PROT"}`} {
		if strings.Count(errs, want) != 1 {
			t.Errorf("want once %s in\n%s", want, errs)
		}
	}
	for _, known := range []string{"HOMEROOM_KEYS", "HOMEROOM_SMS_PROVIDER", "HOMEROOM_DATA", passwordEnv, "HOME_ROOM"} {
		if strings.Contains(errs, known) {
			t.Errorf("warned of %s:\n%s", known, errs)
		}
	}
}

func TestAllUnreadableSettingsAtOnce(t *testing.T) {
	t.Parallel()
	env := map[string]string{"HOMEROOM_RATE_AUTH": "ten", "HOMEROOM_DEMO": "perhaps", "HOMEROOM_TRUSTED_PROXIES": "10.0.0.0/8,proxy",
		"HOMEROOM_WORKERS": "x"}
	problems := app.Problems{}
	parsed, err := parser(t, &cli{}, env, problems).Parse([]string{"serve", "--request-timeout=soon", "--workers=4", "--log-format=xml"})
	if err != nil {
		t.Fatal(err)
	}
	check(parsed, problems)
	text := list(problems).Error()
	for _, want := range []string{
		`--rate-auth (HOMEROOM_RATE_AUTH) is "ten": use a whole number, such as 10.`,
		`--demo (HOMEROOM_DEMO) is "perhaps": use true or false.`,
		`--trusted-proxies (HOMEROOM_TRUSTED_PROXIES) is "10.0.0.0/8,proxy": use networks`,
		`--request-timeout (HOMEROOM_REQUEST_TIMEOUT) is "soon": use a duration`,
		`--log-format (HOMEROOM_LOG_FORMAT) is "xml": use text or json.`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if len(problems) != 5 {
		t.Errorf("want 5 problems (the flag --workers wins over its variable), got\n%s", text)
	}
}
