package exam

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
)

// maxClashes limits the conflicts in an error response.
const maxClashes = 100

// clashes refuses entries whose class or room is taken by another paper, of any
// exam, at the same time. The entries must be written already.
func (in NewSchedule) clashes(ctx context.Context, q db.Q) error {
	var dates []clock.Date
	for _, e := range in.Entries {
		if !slices.Contains(dates, e.Date) {
			dates = append(dates, e.Date)
		}
	}
	papers, err := listPapers(ctx, q, paperFilter{dates: dates})
	if err != nil {
		return err
	}
	var f *fault.Fault
	for i, e := range in.Entries {
		mine := slices.IndexFunc(papers, func(p Paper) bool {
			return p.ExamID == in.ExamID && p.ClassID == e.ClassID && p.SubjectID == e.SubjectID
		})
		for _, other := range papers {
			field, say := papers[mine].clash(other)
			if say == "" {
				continue
			}
			if f == nil {
				f = errClash.Saying("%s Choose another time or room for one of them.", say)
			}
			if f.Fields = append(f.Fields, fault.Field{Field: fmt.Sprintf("entries[%d].%s", i, field), Message: say}); len(f.Fields) == maxClashes {
				return f
			}
		}
	}
	if f == nil {
		return nil
	}
	return f
}

// clash describes the conflict of two papers, or returns "". Papers may be back to
// back, and a paper without times never conflicts.
func (p Paper) clash(o Paper) (field, say string) {
	if p.ID == o.ID || p.Date != o.Date || p.StartTime == nil || o.StartTime == nil || *p.StartTime >= *o.EndTime ||
		*o.StartTime >= *p.EndTime {
		return "", ""
	}
	switch {
	case p.ClassID == o.ClassID:
		return "startTime", fmt.Sprintf("%s would have %s and %s at the same time.", p.ClassName, p.words(), o.words())
	case p.Room != "" && roomKey(string(p.Room)) == roomKey(string(o.Room)):
		return "room", fmt.Sprintf("Room %s would be needed for %s of %s and for %s of %s at the same time.", p.Room, p.words(), p.ClassName,
			o.words(), o.ClassName)
	}
	return "", ""
}

// words describes a paper for people.
func (p Paper) words() string {
	return fmt.Sprintf("%s (%s, %s %s–%s)", p.SubjectName, p.ExamName, p.Date, *p.StartTime, *p.EndTime)
}

// roomKey normalizes a room's name for comparison: case, accents and spaces.
func roomKey(room string) string { return strings.Join(strings.Fields(people.Fold(room)), " ") }
