package timetable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/elective"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/feature/timetable/ical"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/token"
	"homeroom/internal/platform/web"
)

type childIn struct {
	StudentID id.ID `json:"studentId" required:"true"`
}

func (s *Service) ownCalendar(ctx context.Context, who actor.Actor, _ web.None) (web.File, error) {
	return s.calendar(ctx, who.School, Reader{User: who.User}, who.Grants)
}

func (s *Service) childCalendar(ctx context.Context, who actor.Actor, in childIn) (web.File, error) {
	return s.calendar(ctx, who.School, Reader{who.User, in.StudentID}, who.Grants)
}

// calendar returns the iCalendar file of a teacher or, with a student, of a parent's
// child.
func (s *Service) calendar(ctx context.Context, at id.ID, r Reader, grants actor.Grants) (web.File, error) {
	q := s.DB.School(at)
	whose := teacherAudience
	if r.Student != "" {
		whose = childAudience
	}
	a, err := whose(ctx, q, r.User, r.Student)
	if err != nil {
		return web.File{}, err
	}
	a.reader, a.grants = r, grants
	cal, err := s.feed(ctx, q, a)
	if err != nil {
		return web.File{}, err
	}
	body := cal.Bytes()
	return web.File{Name: "timetable.ics", Type: ical.Type, Inline: true, Write: func(_ context.Context, w io.Writer) error {
		_, err := w.Write(body)
		return err
	}}, nil
}

func teacherAudience(ctx context.Context, q db.Q, user, _ id.ID) (audience, error) {
	teacher, err := employeeOf(ctx, q, user)
	return audience{name: "My lessons", teacher: teacher}, err
}

func childAudience(ctx context.Context, q db.Q, user, student id.ID) (audience, error) {
	if err := people.MustBeLinked(ctx, q, user, student); err != nil {
		return audience{}, err
	}
	at, err := seatOf(ctx, q, student)
	if err != nil {
		return audience{}, err
	}
	first, err := db.One[string](ctx, q, `SELECT first_name FROM students WHERE school_id = :school AND id = :id`, db.Args{"id": student})
	if err != nil {
		return audience{}, fmt.Errorf("read student: %w", err)
	}
	others, err := elective.NotTaken(ctx, q, opt.Value(at.ClassID), student)
	return audience{name: "Lessons of " + first, division: opt.Value(at.DivisionID), others: others}, err
}

type linkOut struct {
	URL string `json:"url" doc:"Subscribe to this in a calendar app. Anyone with the URL can read these lessons. Creating a new link or revoking it disables the URL."`
}

func (s *Service) ownLink(ctx context.Context, who actor.Actor, _ web.None) (linkOut, error) {
	return s.newLink(ctx, who, nil)
}

func (s *Service) childLink(ctx context.Context, who actor.Actor, in childIn) (linkOut, error) {
	if err := people.MustBeLinked(ctx, s.DB.School(who.School), who.User, in.StudentID); err != nil {
		return linkOut{}, err
	}
	return s.newLink(ctx, who, &in.StudentID)
}

func (s *Service) revokeOwn(ctx context.Context, who actor.Actor, _ web.None) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		return s.revoke(ctx, tx, who, nil)
	})
}

func (s *Service) revokeChild(ctx context.Context, who actor.Actor, in childIn) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := people.MustBeLinked(ctx, tx, who.User, in.StudentID); err != nil {
			return err
		}
		return s.revoke(ctx, tx, who, &in.StudentID)
	})
}

// newLink replaces the caller's link. The token starts with the school's id, so
// that it can be looked up in that school.
func (s *Service) newLink(ctx context.Context, who actor.Actor, student *id.ID) (linkOut, error) {
	secret, err := token.Opaque(s.Rand)
	if err != nil {
		return linkOut{}, err
	}
	secret = strings.ReplaceAll(string(who.School), "-", "") + secret
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "calendar-links"); err != nil { // concurrent calls leave one link
			return fmt.Errorf("lock calendar links: %w", err)
		}
		if err := s.revoke(ctx, tx, who, student); err != nil {
			return err
		}
		l := link{ID: s.NewID(), UserID: who.User, StudentID: student, Hash: token.Digest(secret), CreatedAt: s.Now()}
		if err := putLink(ctx, tx, l); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "calendar-link.create", "calendar-link", l.ID, nil, l)
	})
	return linkOut{URL: s.PublicURL + "/calendar/" + secret + ".ics"}, err
}

// link is a calendar subscription.
type link struct {
	ID        id.ID     `json:"id"`
	UserID    id.ID     `json:"userId"`
	StudentID *id.ID    `json:"studentId"`
	Hash      string    `json:"-"`
	CreatedAt time.Time `json:"createdAt"`
}

func putLink(ctx context.Context, tx *db.Tx, l link) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO calendar_links (school_id, id, user_id, student_id, hash, created_at)
		VALUES (:school, :id, :user_id, :student_id, :hash, :created_at)`, []link{l})
	if err != nil {
		return fmt.Errorf("write calendar link: %w", err)
	}
	return nil
}

// revoke deletes the caller's link, if any.
func (s *Service) revoke(ctx context.Context, tx *db.Tx, who actor.Actor, student *id.ID) error {
	gone, err := db.All[link](ctx, tx, `DELETE FROM calendar_links
		WHERE school_id = :school AND user_id = :user AND `+
		db.When(student == nil, `student_id IS NULL`)+db.When(student != nil, `student_id = :student`)+`
		RETURNING id, user_id, student_id, hash, created_at`, db.Args{"user": who.User, "student": student})
	if err != nil {
		return fmt.Errorf("revoke calendar link: %w", err)
	}
	for _, l := range gone {
		if err := s.Audit.Record(ctx, tx, who, "calendar-link.revoke", "calendar-link", l.ID, l, nil); err != nil {
			return err
		}
	}
	return nil
}

type linkIn struct {
	Token string `path:"token"`
}

// subscribed returns the calendar of a link while its owner may still read it. All
// other cases are the same 404.
func (s *Service) subscribed(ctx context.Context, _ actor.Actor, in linkIn) (web.File, error) {
	at, ok := schoolOf(in.Token)
	if !ok {
		return web.File{}, errNoCalendar
	}
	l, grants, err := s.liveLink(ctx, at, token.Digest(in.Token))
	if err != nil {
		return web.File{}, err
	}
	f, err := s.calendar(ctx, at, Reader{l.UserID, opt.Value(l.StudentID)}, grants)
	if errors.Is(err, people.ErrNoStudent) || errors.Is(err, people.ErrNotLinked) {
		return f, errNoCalendar.Because(err)
	}
	return f, err
}

// schoolOf parses the school id at the start of a token.
func schoolOf(secret string) (id.ID, bool) {
	const plain = 32
	if len(secret) <= plain {
		return "", false
	}
	h := secret[:plain]
	at, err := id.Parse(h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:])
	return at, err == nil
}

// liveLink returns a link whose owner and school are active and whose owner's role
// may still read timetables, with the role's permissions.
func (s *Service) liveLink(ctx context.Context, at id.ID, hash string) (link, actor.Grants, error) {
	type owner struct {
		link
		RoleID id.ID
	}
	q := s.DB.School(at)
	o, err := db.One[owner](ctx, q, `
		SELECT l.id, l.user_id, l.student_id, l.hash, l.created_at, u.role_id FROM calendar_links l
		JOIN users u ON u.school_id = l.school_id AND u.id = l.user_id AND u.status = 'ACTIVE'
			AND u.role = CASE WHEN l.student_id IS NULL THEN 'TEACHER' ELSE 'PARENT' END
		JOIN schools s ON s.id = l.school_id AND s.status = :active
		WHERE l.school_id = :school AND l.hash = :hash`, db.Args{"hash": hash, "active": school.Active})
	if err != nil {
		return o.link, nil, db.Found("find calendar link", err, errNoCalendar)
	}
	grants, err := access.Grants(ctx, q, o.RoleID)
	if err != nil {
		return o.link, nil, err
	}
	if grants["timetable"]&actor.Read == 0 {
		return o.link, nil, errNoCalendar
	}
	return o.link, grants, nil
}
