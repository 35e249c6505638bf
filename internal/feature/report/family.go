package report

import (
	"context"
	"time"

	"homeroom/internal/feature/file"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

const (
	newsFor   = 14 * 24 * time.Hour // results are news for this long
	newsAhead = 14                  // days ahead that holidays and events are news
	dueAhead  = 31                  // days ahead that fees are to be paid
	mostNews  = 5                   // limits each list of news
)

// homeOut is a parent's day. Lists that the caller may not read are empty.
type homeOut struct {
	Date        clock.Date `json:"date"`
	IsSchoolDay bool       `json:"isSchoolDay"`
	Holiday     opt.Text   `json:"holiday" doc:"The name of today's holiday."`
	Week        []weekDay  `json:"week" doc:"Monday to Sunday of this week."`
	Children    []child    `json:"children"`
	Unread      int        `json:"unreadNotifications"`

	Fees  []feeDue  `json:"fees" doc:"Unpaid charges that are due within 31 days, the oldest first; at most 5 for each child."`
	Books []bookDue `json:"books" doc:"Library books that should have been returned."`

	Messages      []unreadThread `json:"messages" doc:"Conversations with unread messages, latest first; at most 5."`
	Announcements []unreadNews   `json:"announcements" doc:"Unread ones, latest first; at most 5."`
	Results       []newResult    `json:"results" doc:"Exams published within 14 days."`
	Events        []nextEvent    `json:"events" doc:"In the next 14 days; at most 5."`
	Holidays      []nextHoliday  `json:"holidays" doc:"In the next 14 days, today's included."`
}

type weekDay struct {
	Date        clock.Date `json:"date"`
	IsSchoolDay bool       `json:"isSchoolDay"`
}

// child is a student that the caller may see.
type child struct {
	ID            id.ID    `json:"id"`
	FirstName     string   `json:"firstName"`
	LastName      opt.Text `json:"lastName"`
	Gender        opt.Text `json:"gender"`
	Status        string   `json:"status" enum:"ACTIVE,TRANSFERRED,GRADUATED,LEFT"`
	ClassName     opt.Text `json:"className"`
	DivisionName  opt.Text `json:"divisionName"`
	TeacherName   opt.Text `json:"teacherName" doc:"The class teacher."`
	TeacherUserID *id.ID   `json:"teacherUserId" doc:"The account to write a message to; null if the teacher has none."`
	PhotoFileID   *id.ID   `json:"-"`
	file.Photo
	Marks []weekMark  `json:"marks" db:"-" doc:"Of this week. Needs read on attendance."`
	Leave *leaveToday `json:"leaveToday" db:"-" doc:"Pending or approved. Needs read on leave."`
	Rides []rideToday `json:"rides" db:"-" doc:"Trips of today, by time. Needs read on transport."`
}

type weekMark struct {
	StudentID   id.ID      `json:"-"`
	Date        clock.Date `json:"date"`
	Status      string     `json:"status" enum:"PRESENT,ABSENT,LATE,LEAVE,HOLIDAY"`
	HalfDay     opt.Text   `json:"halfDay" doc:"FIRST or SECOND: absent for that half."`
	MinutesLate int        `json:"minutesLate" doc:"0: unknown, or not late."`
	MarkedAt    time.Time  `json:"markedAt"`
}

type leaveToday struct {
	StudentID id.ID      `json:"-"`
	ID        id.ID      `json:"id"`
	Status    string     `json:"status" enum:"PENDING,APPROVED"`
	Half      *string    `json:"half" enum:"FIRST,SECOND" doc:"Null for whole days."`
	ToDate    clock.Date `json:"toDate"`
	Mine      bool       `json:"mine" doc:"The caller applied for it."`
}

type rideToday struct {
	StudentID    id.ID            `json:"-"`
	TripID       id.ID            `json:"tripId"`
	Type         string           `json:"type" enum:"pickup,dropoff"`
	Status       string           `json:"status" enum:"scheduled,in_progress,paused,completed,cancelled"`
	StartTime    clock.TimeOfDay  `json:"startTime"`
	BusID        id.ID            `json:"busId"`
	BusName      opt.Text         `json:"busName"`
	RegNo        string           `json:"registrationNo"`
	StopID       id.ID            `json:"stopId"`
	StopName     string           `json:"stopName"`
	StopTime     *clock.TimeOfDay `json:"stopTime" doc:"Planned."`
	DelaySeconds *int             `json:"delaySeconds" doc:"Of a running trip, at its next stop; null without planned times."`
	Boarding     string           `json:"boarding" enum:"waiting,boarded,alighted,absent,no_show"`
	BoardedAt    *time.Time       `json:"boardedAt"`
	AlightedAt   *time.Time       `json:"alightedAt"`
}

type feeDue struct {
	StudentID id.ID       `json:"studentId"`
	ChargeID  id.ID       `json:"chargeId"`
	Title     string      `json:"title"`
	Due       money.Money `json:"due"`
	DueDate   clock.Date  `json:"dueDate"`
}

type bookDue struct {
	StudentID id.ID      `json:"studentId"`
	Title     string     `json:"title"`
	DueDate   clock.Date `json:"dueDate"`
}

type unreadThread struct {
	ThreadID id.ID     `json:"threadId"`
	Sender   string    `json:"from" doc:"The teacher, or the name of the school for the office."`
	Unread   int       `json:"unread"`
	Body     opt.Text  `json:"body" doc:"The first 200 characters of the other side's last message; null if it is a file alone."`
	At       time.Time `json:"at"`
}

type unreadNews struct {
	ID     id.ID     `json:"id"`
	Title  string    `json:"title"`
	Urgent bool      `json:"urgent"`
	At     time.Time `json:"publishAt"`
}

type newResult struct {
	ExamID      id.ID     `json:"examId"`
	StudentID   id.ID     `json:"studentId"`
	Name        string    `json:"name"`
	PublishedAt time.Time `json:"publishedAt"`
}

type nextEvent struct {
	ID        id.ID           `json:"id"`
	Title     string          `json:"title"`
	Date      clock.Date      `json:"eventDate"`
	StartTime clock.TimeOfDay `json:"startTime"`
	Venue     opt.Text        `json:"venue"`
}

type nextHoliday struct {
	Name    string     `json:"name"`
	Date    clock.Date `json:"date"`
	EndDate clock.Date `json:"endDate"`
}

// home reads a parent's first page in one round trip.
func (s *Service) home(ctx context.Context, who actor.Actor, _ web.None) (out homeOut, err error) {
	now := s.Now()
	day := clock.DateIn(now, who.Zone)
	monday := day.AddDays(1 - day.Weekday())
	var cal school.Calendar
	p := homeParts{who: who, args: db.Args{"user": who.User, "day": day, "now": now, "from": monday, "to": monday.AddDays(6),
		"soon": day.AddDays(newsAhead), "due": day.AddDays(dueAhead), "since": now.Add(-newsFor), "most": mostNews}}
	asks := append(cal.Ask(monday, day.AddDays(newsAhead)), p.asks(&out)...)
	if err := db.Read(ctx, s.DB.School(who.School), asks...); err != nil {
		return out, fault.Wrap("read a parent's day", err)
	}
	out.Date, out.IsSchoolDay, out.Holiday = day, cal.IsSchoolDay(day), opt.Text(cal.Holiday(day))
	for d := monday; d <= monday.AddDays(6); d = d.AddDays(1) {
		out.Week = append(out.Week, weekDay{d, cal.IsSchoolDay(d)})
	}
	p.into(&out)
	for i := range out.Children {
		out.Children[i].Photo = s.Files.Photo(who, out.Children[i].PhotoFileID)
	}
	return out, nil
}

// homeParts are the parts of homeOut that are put together from several statements.
type homeParts struct {
	who  actor.Actor
	args db.Args

	marks  []weekMark
	leaves []leaveToday
	rides  []rideToday
	unread []int
}

// pick returns those of the arguments that a statement uses.
func (p *homeParts) pick(names ...string) db.Args {
	out := db.Args{"user": p.args["user"]}
	for _, name := range names {
		out[name] = p.args[name]
	}
	return out
}

// asks returns the statements of the parts that the caller may read.
func (p *homeParts) asks(out *homeOut) []db.Ask {
	all := []db.Ask{db.Into(&out.Children, listFamily, p.pick()),
		db.Into(&out.Holidays, listNextHolidays, db.Args{"day": p.args["day"], "soon": p.args["soon"]})}
	for _, part := range []struct {
		module string
		ask    db.Ask
	}{
		{"attendance", db.Into(&p.marks, listWeek, p.pick("from", "to"))},
		{"leave", db.Into(&p.leaves, listLeaveToday, p.pick("day"))},
		{"transport", db.Into(&p.rides, listRides, p.pick("day"))},
		{"notification", db.Into(&p.unread, countUnread, p.pick())},
		{"fee", db.Into(&out.Fees, listDue, p.pick("due", "most"))},
		{"library", db.Into(&out.Books, listBooksDue, p.pick("day"))},
		{"message", db.Into(&out.Messages, listUnreadThreads, p.pick("most"))},
		{"announcement", db.Into(&out.Announcements, listUnreadNews, p.pick("now", "most"))},
		{"result", db.Into(&out.Results, listNewResults, p.pick("since"))},
		{"event", db.Into(&out.Events, listNextEvents, p.pick("day", "soon", "most"))},
	} {
		if p.who.Can(part.module, actor.Read) {
			all = append(all, part.ask)
		}
	}
	return all
}

// into gives each child its parts.
func (p *homeParts) into(out *homeOut) {
	at := map[id.ID]*child{}
	for i := range out.Children {
		c := &out.Children[i]
		c.Marks, c.Rides, at[c.ID] = []weekMark{}, []rideToday{}, c
	}
	for _, m := range p.marks {
		if c := at[m.StudentID]; c != nil {
			c.Marks = append(c.Marks, m)
		}
	}
	for i, l := range p.leaves {
		if c := at[l.StudentID]; c != nil && (c.Leave == nil || l.Half == nil) {
			c.Leave = &p.leaves[i]
		}
	}
	for _, r := range p.rides {
		if c := at[r.StudentID]; c != nil {
			c.Rides = append(c.Rides, r)
		}
	}
	for _, n := range p.unread {
		out.Unread = n
	}
}
