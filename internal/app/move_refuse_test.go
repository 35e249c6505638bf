package app

import (
	"slices"
	"strings"
	"testing"

	"homeroom/internal/platform/db"
	"homeroom/internal/schema"
)

// TestDatesThatMove compares the names of columns that look like dates with those that are checked.
func TestDatesThatMove(t *testing.T) {
	t.Parallel()
	others := []string{"attendance.half_day", "attendance_revisions.half_day", "notification_preferences.quiet_from"}
	tables, err := db.Describe(t.Context(), schema.FS)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		for _, c := range table.Columns {
			name := table.Name + "." + c.Name
			looks := slices.ContainsFunc([]string{"date", "day", "until", "from"}, func(s string) bool { return strings.Contains(c.Name, s) })
			if c.Type == "text" && (looks || strings.HasSuffix(c.Name, "_on")) && !isDate.MatchString(c.Name) && !slices.Contains(others, name) {
				t.Errorf("%s: is it a date? Add it to isDate or here", name)
			}
		}
	}
}
