package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"homeroom/internal/app"
)

func TestHelpOfEveryCommand(t *testing.T) {
	t.Parallel()
	h := installation{dir: t.TempDir()}
	top := h.must(t, "help")
	for _, node := range parser(t, &cli{}, nil, nil).Model.Leaves(true) {
		name := strings.TrimPrefix(node.FullPath(), "homeroom ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(top, "\n  "+name+" ") {
				t.Errorf("homeroom help does not list %s:\n%s", name, top)
			}
			out := h.must(t, append(strings.Fields(name), "--help")...)
			if again := h.must(t, append([]string{"help"}, strings.Fields(name)...)...); again != out {
				t.Errorf("help %s and --help differ:\n%s\n%s", name, again, out)
			}
			words := strings.Join(strings.Fields(out), " ") // undo the wrapping
			if !strings.HasPrefix(words, "Usage: homeroom "+name) || !strings.Contains(words, node.Help) {
				t.Errorf("no usage line or no description:\n%s", out)
			}
			for _, f := range node.Flags {
				want := "--" + f.Name
				if isSetting(f.Value) {
					want = "[" + app.EnvName(f.Name)
					if f.HasDefault {
						want += ", default " + f.Default
					}
					want += "]"
				}
				if !strings.Contains(words, want) || f.Help == "" {
					t.Errorf("%q is missing, or has no help text:\n%s", want, out)
				}
			}
		})
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	h := installation{dir: t.TempDir()}
	for name, tt := range map[string]struct {
		args []string
		code int
		want []string
		not  string
	}{
		"nothing":         {nil, 2, []string{"Usage: homeroom <command>"}, ""},
		"unknown command": {[]string{"frobnicate"}, 2, []string{"frobnicate", "homeroom help"}, ""},
		"unknown flag":    {[]string{"serve", "--frobnicate"}, 2, []string{"--frobnicate"}, ""},
		"help of nothing": {[]string{"help", "frobnicate"}, 2, []string{"frobnicate"}, ""},
		"no file":         {[]string{"backup"}, 2, []string{"<file>"}, ""},
		"no e-mail":       {[]string{"admin", "create", "--name=Ada"}, 2, []string{"--email"}, ""},
		"settings": {[]string{"serve", "--addr=x", "--workers=many", "--mail-provider=pigeon"}, 2,
			[]string{"--addr (HOMEROOM_ADDR)", "--workers", "--mail-provider"}, ""},
		"settings of tools": {[]string{"migrate", "status", "--database-url=mysql://u:hunter22@h/x", "--log-level=x"}, 2,
			[]string{"--database-url", "--log-level"}, "hunter22"},
		"a secret": {[]string{"serve", "--addr=127.0.0.1:0", "--database-url=postgres://u:hunter22@127.0.0.1:1/x"}, 1,
			[]string{"postgres://u:xxxxx@127.0.0.1:1/x"}, "hunter22"},
		"version":         {[]string{"version"}, 0, []string{"homeroom ", "commit ", "go1."}, ""},
		"version as flag": {[]string{"--version"}, 0, []string{"homeroom ", "commit ", "go1."}, ""},
		"no such backup":  {[]string{"restore", "none.tar.gz"}, 1, []string{"none.tar.gz"}, ""},
		"no continuous":   {[]string{"restore", "--data=x"}, 1, []string{"--backup-dir"}, ""},
		"a wrong time":    {[]string{"restore", "--at=yesterday"}, 2, []string{"--at", "2026-03-01"}, ""},
		"file and time":   {[]string{"restore", "x.tar.gz", "--at=2026-03-01T09:30:00Z"}, 2, []string{"--at"}, ""},
		"nothing to back": {[]string{"backup", "b.tar.gz"}, 1, []string{"no database"}, ""},
		"no keys":         {[]string{"keys", "rotate"}, 1, []string{"no keys file"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := installation{dir: filepath.Join(h.dir, name)}
			if err := os.Mkdir(own.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			out, errs, code := own.run(t, tt.args...)
			if code != tt.code {
				t.Errorf("exit %d, want %d", code, tt.code)
			}
			for _, want := range tt.want {
				if !strings.Contains(out+errs, want) {
					t.Errorf("%q is missing in\n%s%s", want, out, errs)
				}
			}
			if tt.not != "" && strings.Contains(out+errs, tt.not) {
				t.Errorf("%q is in\n%s%s", tt.not, out, errs)
			}
		})
	}
}
