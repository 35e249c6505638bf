package main

import (
	"strings"
	"testing"
)

func TestDoctor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h installation) {
		s := h.serve(t)
		out, errs, code := h.run(t, "doctor", "--public-url=http://school.test")
		if code != 1 || !strings.Contains(out, "not encrypted") || !strings.Contains(errs, "wrong: see above") {
			t.Errorf("exit %d\n%s%s", code, out, errs)
		}
		out, errs, code = h.run(t, "doctor", "--public-url=https://school.test", "--trusted-proxies=10.0.0.1")
		for _, want := range []string{"homeroom serve runs on " + h.dir, "--sms-provider", "schema    current"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing in\n%s%s", want, out, errs)
			}
		}
		if strings.Contains(out+errs, "homeroom_test:homeroom_test") {
			t.Errorf("the password is shown:\n%s%s", out, errs)
		}
		if code != 0 && !strings.Contains(out, "is off") { // the test's PostgreSQL does not sync
			t.Errorf("exit %d without a reason\n%s%s", code, out, errs)
		}
		s.stop(t)
	})
}
