package main

import (
	"os"
	"os/exec"
	"testing"
)

// TestTypeScriptClient runs the tests of clients/typescript against a demo. scripts/clients.sh test runs those of every client.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), "../../scripts/clients.sh", "typescript").CombinedOutput(); err != nil {
		t.Fatalf("scripts/clients.sh typescript: %v\n%s", err, out)
	}
	demo := newInstallation(t, "sqlite", true).serve(t, "--demo")
	cmd := exec.CommandContext(t.Context(), "npm", "test", "--silent")
	cmd.Dir = "../../clients/typescript"
	cmd.Env = append(os.Environ(), "HOMEROOM_URL="+demo.url)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
