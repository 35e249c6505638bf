package identity

import (
	"context"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// outcome is the result of an attempt to sign in.
type outcome string

const (
	success   outcome = "SUCCESS"
	asked     outcome = "SECOND_FACTOR" // the first factor was right, the second is needed
	wrong     outcome = "WRONG"
	expired   outcome = "EXPIRED"
	throttled outcome = "THROTTLED" // not checked: too many tries
	suspended outcome = "SUSPENDED" // the secret was right, the school is suspended
)

// keepTrail is how long attempts are kept.
const keepTrail = 180 * day

// Attempt is one attempt to sign in, as administrators see it.
type Attempt struct {
	ID       id.ID     `json:"id"`
	At       time.Time `json:"at"`
	UserID   *id.ID    `json:"userId" doc:"Null if nobody has the phone or e-mail tried."`
	UserName *string   `json:"userName"`
	NameHash *string   `json:"nameHash" doc:"Without a user, a keyed hash of the phone or e-mail: equal names have equal hashes."`
	Way      way       `json:"way" enum:"otp,pin,password,switch,reset"`
	Outcome  outcome   `json:"outcome" enum:"SUCCESS,SECOND_FACTOR,WRONG,EXPIRED,THROTTLED,SUSPENDED"`
	IP       opt.Text  `json:"ip"`
	Device   opt.Text  `json:"device" doc:"The name the client sent."`
}

// note records an attempt in its account's school or, for an unknown name, in the
// platform's.
func (s *Service) note(ctx context.Context, tx *db.Tx, a attempt, refused error) error {
	at, args := a.at.SchoolID, db.Args{"id": s.NewID(), "now": s.Now(), "user": a.at.ID, "hash": nil,
		"way": a.way, "outcome": a.outcome(refused), "ip": a.who.IP, "device": a.from.Device}
	if at == "" {
		at = school.PlatformID
		args["user"], args["hash"] = nil, s.Keys.MAC("sign-in", a.name)
	}
	_, err := db.Exec(ctx, tx.School(at), `
		INSERT INTO sign_ins (school_id, id, at, user_id, name_hash, way, outcome, ip, device)
		VALUES (:school, :id, :now, :user, :hash, :way, :outcome, :ip, :device)`, args)
	if err != nil {
		return fmt.Errorf("record sign-in: %w", err)
	}
	return nil
}

// Forget erases the sign-in log of users of tx's school, and the codes of phones that no account
// has any more. It returns these addresses: an account of another school may have the others.
// Counts of tries and known places are keyed hashes that expire.
func (s *Service) Forget(ctx context.Context, tx *db.Tx, users []id.ID, addresses []string) (unused []string, err error) {
	if len(users) > 0 {
		if _, err := db.Exec(ctx, tx, `DELETE FROM sign_ins WHERE school_id = :school
			AND user_id IN (:users)`, db.Args{"users": users}); err != nil {
			return nil, fmt.Errorf("delete sign-ins: %w", err)
		}
	}
	if len(addresses) == 0 {
		return nil, nil
	}
	all := tx.Across(unscoped.Permit{})
	used, err := db.All[string](ctx, all, `SELECT phone FROM users WHERE phone IN (:addresses)
		UNION SELECT email FROM email_logins WHERE email IN (:addresses)`, db.Args{"addresses": addresses})
	if err != nil {
		return nil, fmt.Errorf("look for accounts of other schools: %w", err)
	}
	unused = slices.DeleteFunc(slices.Clone(addresses), func(a string) bool { return slices.Contains(used, a) })
	if _, err := db.Exec(ctx, all, `DELETE FROM otps WHERE phone IN (:phones)`, db.Args{"phones": unused}); err != nil {
		return nil, fmt.Errorf("delete codes: %w", err)
	}
	return unused, nil
}

func (s *Service) trailRoutes() []web.Route {
	return []web.Route{
		web.Handle("GET /school-admin/audit/sign-ins", s.listAttempts, web.Read("report"), web.List("at"),
			web.Doc("Attempts to sign in to accounts of this school in the last 180 days, newest first.")),
		web.Handle("GET /super-admin/audit/sign-ins", s.listAttempts, web.Read("report"), web.List("at"),
			web.Doc("Attempts to sign in as a super-administrator, or with an unknown phone or e-mail, "+
				"in the last 180 days, newest first.")),
	}
}

type attemptFilters struct {
	UserID  id.ID   `json:"userId,omitempty"`
	Outcome outcome `json:"outcome,omitempty" enum:"SUCCESS,SECOND_FACTOR,WRONG,EXPIRED,THROTTLED,SUSPENDED"`
}

func (s *Service) listAttempts(ctx context.Context, who actor.Actor, in page.Ask[attemptFilters]) (page.Of[Attempt], error) {
	f := in.Filters
	return db.Page[Attempt](ctx, s.DB.School(who.School), db.List{
		Columns: `a.id, a.at, a.user_id, u.name AS user_name, a.name_hash, a.way, a.outcome, a.ip, a.device`,
		From: `sign_ins a LEFT JOIN users u ON u.school_id = a.school_id AND u.id = a.user_id
			WHERE a.school_id = :school` +
			db.When(f.UserID != "", ` AND a.user_id = :user`) +
			db.When(f.Outcome != "", ` AND a.outcome = :outcome`),
		Sorts:   map[string]string{"at": "a.at", "id": "a.id"},
		Default: "-at",
	}, in.Request, db.Args{"user": f.UserID, "outcome": f.Outcome})
}
