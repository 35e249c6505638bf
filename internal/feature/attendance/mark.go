package attendance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

// NewMark is the input for one student's mark.
type NewMark struct {
	StudentID   id.ID           `json:"studentId" required:"true"`
	Status      web.Opt[string] `json:"status" required:"true" enum:"PRESENT,ABSENT,LATE,LEAVE,HOLIDAY" doc:"Null takes the mark back; its history is kept."`
	Remark      string          `json:"remark" maxLength:"500" multiline:"true"`
	MinutesLate int             `json:"minutesLate" minimum:"0" maximum:"1440" example:"-" doc:"Only allowed with LATE."`
	HalfDay     string          `json:"halfDay" enum:"FIRST,SECOND" example:"-" doc:"The status applies to this half of the day. A student absent or on leave for one half was present for the other, and the reverse."`
	ReadAt      *time.Time      `json:"readAt" doc:"The register's readAt, for a child about whom the caller said nothing. A mark that someone else made or took back after it is kept so."`
}

func (r NewMark) said() said {
	return said{r.Status.V, r.HalfDay, r.MinutesLate, strings.TrimSpace(r.Remark)}
}

// kept reports whether what is there stays: the mark was made, or taken back by someone else, later than this one or
// after the caller had read the register.
func (r NewMark) kept(l line, at time.Time, by id.ID) bool {
	if l.ID == "" {
		return l.TakenBackAt != nil && (at.Before(*l.TakenBackAt) || r.ReadAt != nil && r.ReadAt.Before(*l.TakenBackAt))
	}
	return at.Before(*l.MarkedAt) || r.ReadAt != nil && r.ReadAt.Before(*l.MarkedAt) && l.MarkedBy != by
}

// NewMarks are the marks of a class on one day.
type NewMarks struct {
	ClassID    id.ID      `json:"classId" required:"true"`
	DivisionID *id.ID     `json:"divisionId" doc:"Default: students of any division of the class."`
	Date       clock.Date `json:"date" required:"true" doc:"Must not be in the future."`
	PeriodNo   *int       `json:"periodNo" minimum:"1" maximum:"50" doc:"Marks one period, separately from the day. Default: the day."`
	MarkedAt   *time.Time `json:"markedAt" doc:"Time of the marking on a phone that was offline. Later marks are kept, and so is that someone else took one back later."`
	Records    []NewMark  `json:"records" required:"true" minItems:"1" maxItems:"1000"`
}

// Check validates the fields together.
func (in *NewMarks) Check() error {
	var wrong []fault.Field
	seen := make(map[id.ID]bool, len(in.Records))
	for i, r := range in.Records {
		say := func(field, message string) {
			wrong = append(wrong, fault.Field{Field: fmt.Sprintf("records[%d].%s", i, field), Message: message})
		}
		if seen[r.StudentID] {
			say("studentId", "is a duplicate")
		}
		seen[r.StudentID] = true
		if r.MinutesLate > 0 && r.Status.V != late {
			say("minutesLate", "is only allowed with LATE")
		}
		if r.HalfDay != "" && (r.Status.V == holiday || r.Status.Null || in.PeriodNo != nil) {
			say("halfDay", "can't be combined with HOLIDAY, a period or no status")
		}
		if r.Remark != "" && r.Status.Null {
			say("remark", "is only allowed with a status")
		}
	}
	if wrong == nil {
		return nil
	}
	return fault.Fields(wrong...)
}

// officeMarks are marks of the office, which may correct a mark without telling the
// parents. Teachers can't: a missing child must not go unnoticed.
type officeMarks struct {
	NewMarks
	Quiet bool `json:"quiet" doc:"Save without telling the parents. The audit log says so."`
}

// older reports whether the marks may be older than what is there.
func (in NewMarks) older() bool {
	return in.MarkedAt != nil || slices.ContainsFunc(in.Records, func(r NewMark) bool { return r.ReadAt != nil })
}

func (in NewMarks) period() int { return opt.Value(in.PeriodNo) }

type markOut struct {
	Marked    int `json:"marked" doc:"Number of records in the request."`
	Created   int `json:"created"`
	Updated   int `json:"updated"`
	Removed   int `json:"removed" doc:"Marks taken back."`
	Unchanged int `json:"unchanged" doc:"Already the same, or marked later than markedAt or readAt."`
}

// Mark marks students of a class, all or none, with a fixed number of statements.
func (s *Service) Mark(ctx context.Context, who actor.Actor, in NewMarks) (out markOut, err error) {
	return s.markAll(ctx, who, officeMarks{NewMarks: in})
}

func (s *Service) markAll(ctx context.Context, who actor.Actor, in officeMarks) (out markOut, err error) {
	today := s.today(who.Zone)
	if in.Date > today {
		return out, fault.OnField("date", "must not be in the future: today is %s", today)
	}
	may, err := s.mayMark(ctx, who, in.NewMarks, today)
	if err != nil {
		return out, err
	}
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lock(ctx, tx, in.ClassID); err != nil {
			return err
		}
		lines, err := getLines(ctx, tx, who.User, in.NewMarks)
		if err != nil {
			return err
		}
		if in.Date < today {
			if err := in.addMoved(ctx, tx, who.User, lines); err != nil {
				return err
			}
		}
		if err := in.fits(ctx, tx, who, lines, may); err != nil {
			return err
		}
		if err := in.readOthers(ctx, tx, lines); err != nil {
			return err
		}
		c := s.compare(who, in.NewMarks, lines, today)
		if err := putMarks(ctx, tx, c.marks); err != nil {
			return err
		}
		out = c.out
		return s.afterWrite(ctx, tx, who, in, c)
	})
	return out, err
}

// mayMark returns what the caller may mark; office staff may mark all. fits checks
// later whether the class exists, only if the students are not in it.
func (s *Service) mayMark(ctx context.Context, who actor.Actor, in NewMarks, today clock.Date) (reach, error) {
	if who.Role != actor.Teacher {
		return wanted(in.ClassID, in.DivisionID), nil
	}
	q := s.DB.School(who.School)
	teacher := academics.Caller{User: who.User, Day: s.substitutions(who.Zone, in.Date, in.Date)}
	may, err := taughtReach(ctx, q, teacher, in.ClassID, in.DivisionID)
	if err != nil || in.Date == today {
		return may, err
	}
	rules, err := school.Get(ctx, q)
	if err != nil {
		return may, err
	}
	if open := today.AddDays(-rules.AttendanceLockDays); in.Date < open {
		return may, errLocked.Saying("Teachers can change attendance from %s on, but not of %s. Ask your school's administrator to change it.",
			open, in.Date)
	}
	return may, nil
}

// changes are the changes of a call.
type changes struct {
	out     markOut
	marks   []mark
	gone    []mark // marks taken back
	before  []revision
	alerts  []alert
	notices []notification.Notice
}

// compare computes the changes to the existing marks.
func (s *Service) compare(who actor.Actor, in NewMarks, lines map[id.ID]line, today clock.Date) changes {
	now := s.Now()
	at := now
	if in.MarkedAt != nil && in.MarkedAt.Before(now) {
		at = in.MarkedAt.UTC().Truncate(time.Millisecond)
	}
	c := changes{out: markOut{Marked: len(in.Records)}, marks: make([]mark, 0, len(in.Records))}
	for _, r := range in.Records {
		l, say := lines[r.StudentID], r.said()
		row := mark{ID: l.ID, StudentID: r.StudentID, Date: in.Date, PeriodNo: in.period(),
			ClassID: in.ClassID, DivisionID: l.SeatDivisionID, state: state{said: say, MarkedBy: who.User, MarkedAt: &at}}
		l.Date, l.PeriodNo = in.Date, in.period()
		if l.ID != "" && in.Date < today { // a mark of a past day stays where it was made
			row.ClassID, row.DivisionID = l.ClassID, l.DivisionID
		}
		switch {
		case r.kept(l, at, who.User), r.Status.Null && l.ID == "":
			c.out.Unchanged++
			continue
		case r.Status.Null:
			was := s.ended(l.mark, who.User, now)
			was.IsRemoved = true
			c.before, c.gone = append(c.before, was), append(c.gone, l.mark)
			c.out.Removed++
			c.addNotice(l, row, today, now)
			continue
		case l.ID == "":
			row.ID = s.NewID()
			c.out.Created++
		case say == l.said && row.ClassID == l.ClassID && row.DivisionID == l.DivisionID:
			c.out.Unchanged++
			continue
		case say == l.said: // only the student has moved
			row.state = l.state
			c.out.Updated++
		default:
			c.before = append(c.before, s.ended(l.mark, who.User, now))
			c.out.Updated++
		}
		c.marks = append(c.marks, row)
		if say != l.said {
			c.addNotice(l, row, today, now)
		}
	}
	return c
}

// ended is the revision of a mark that is about to change.
func (s *Service) ended(m mark, by id.ID, now time.Time) revision {
	return revision{ID: s.NewID(), StudentID: m.StudentID, Date: m.Date, PeriodNo: m.PeriodNo, state: m.state, EndedBy: by, EndedAt: now}
}

// afterWrite deletes marks, and writes revisions, alerts and the audit log.
func (s *Service) afterWrite(ctx context.Context, tx *db.Tx, who actor.Actor, in officeMarks, c changes) error {
	if len(c.marks) == 0 && len(c.gone) == 0 {
		return nil
	}
	if err := deleteMarks(ctx, tx, c.gone); err != nil {
		return err
	}
	if err := putRevisions(ctx, tx, c.before); err != nil {
		return err
	}
	if len(c.alerts) > 0 && !in.Quiet {
		if err := putAlerts(ctx, tx, c.alerts); err != nil {
			return err
		}
		if err := s.Notify.SendToParents(ctx, tx, who.School, c.notices); err != nil {
			return fmt.Errorf("notify parents: %w", err)
		}
	}
	at := in.ClassID
	if in.DivisionID != nil {
		at = *in.DivisionID
	}
	entry := map[string]any{
		"classId": in.ClassID, "divisionId": in.DivisionID, "date": in.Date, "periodNo": in.PeriodNo,
		"created": c.out.Created, "updated": c.out.Updated, "removed": c.out.Removed, "unchanged": c.out.Unchanged}
	if in.Quiet {
		entry["quiet"] = true
	}
	return s.Audit.Record(ctx, tx, who, "attendance.mark", "attendance", at, nil, entry)
}
