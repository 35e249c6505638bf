package main

import "testing"

func TestRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		code int
		err  bool
	}{
		{[]string{"sh", "-c", `psql -c 'SELECT 1' "$HOMEROOM_TEST_POSTGRES" && exit 7`}, 7, false},
		{[]string{"true"}, 0, false},
		{[]string{"no-such-command"}, 1, true},
	} {
		if code, err := run(tt.args); code != tt.code || (err != nil) != tt.err {
			t.Errorf("%v: exit code %d, %v, want %d", tt.args, code, err, tt.code)
		}
	}
}
