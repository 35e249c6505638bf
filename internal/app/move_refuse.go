package app

import (
	"encoding/json"
	"regexp"
	"slices"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

// values are those of a school's roles and jobs. A role of super-administrators, or a job of the
// platform, would reach beyond the school; a job that waits would run before the school is resumed.
var values = map[string]map[string][]string{
	"roles": {"type": {"PARENT", "TEACHER", "DRIVER", "SCHOOL_ADMIN"}},
	"jobs": {"state": {"held", "done", "dead"}, "kind": {"announcement.publish", "file.collect", "notification.digest", "notify.deliver",
		"tracking.learn", "webhook.replay", "webhook.send"}},
}

// documents are the columns with JSON that is also read for all schools together: one of another
// form would fail for everybody.
var documents = map[string]func(text string) bool{
	"schools.settings": isA[school.Settings],
	"webhooks.events":  isA[[]string],
	"deliveries.data":  isA[map[string]string],
	"audit_log.before": isA[audit.State],
	"audit_log.after":  isA[audit.State],
}

func isA[T any](text string) bool {
	var v T
	return json.Unmarshal([]byte(text), &v) == nil
}

// isDate matches the names of columns with dates.
var isDate = regexp.MustCompile(`^(day|date|date_of_birth|first_day|last_day|fined_until|hold_until|[a-z_]+_(date|on))$`)

// refuse returns a function that tells which texts a column has in no school; nil if it may have
// any. Dates are those that the API takes: days are counted one by one, and after 9999 without end.
func refuse(table string, c db.Column) func(text string) bool {
	only, isOf := values[table][c.Name], documents[table+"."+c.Name]
	switch {
	case only != nil:
		return func(text string) bool { return !slices.Contains(only, text) }
	case isOf != nil:
		return func(text string) bool { return text != "" && !isOf(text) }
	case c.Type == "text" && isDate.MatchString(c.Name):
		return func(text string) bool {
			_, err := clock.ParseDate(text)
			return text != "" && err != nil
		}
	}
	return nil
}
