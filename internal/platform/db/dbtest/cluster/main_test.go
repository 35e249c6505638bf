package main

import "testing"

func TestRun(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]int{
		`test -n "$HOMEROOM_TEST_POSTGRES" && exit 7`:            7,
		`psql -c 'SELECT 1' "$HOMEROOM_TEST_POSTGRES"`:           0,
		`psql -c 'NONSENSE' "$HOMEROOM_TEST_POSTGRES" || exit 3`: 3,
	} {
		if code, err := run([]string{"sh", "-c", script}); code != want || err != nil {
			t.Errorf("%s: %d, %v", script, code, err)
		}
	}
	if code, err := run([]string{"no-such-command"}); code == 0 || err == nil {
		t.Error(code, err)
	}
}
