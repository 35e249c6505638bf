package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// readsWindow is the time range of a list without filters. A count over years of rows
// would be slow.
const readsWindow = 30 * 24 * time.Hour

var (
	errNoReader = fault.Missing("user")
	errNoRecord = fault.Missing("record")
)

// Read is an entry of the read log.
type Read struct {
	ID        id.ID      `json:"id"`
	At        time.Time  `json:"at"`
	UserID    id.ID      `json:"userId" doc:"The user who saw it."`
	UserName  opt.Text   `json:"userName" doc:"Name of the user; null if deleted."`
	Role      actor.Role `json:"role"`
	Entity    string     `json:"entity" example:"student"`
	RecordID  id.ID      `json:"recordId" doc:"The record."`
	RequestID opt.Text   `json:"requestId"`
	IP        opt.Text   `json:"ip"`
}

// Routes returns the routes of the read log.
func (r *Reads) Routes() []web.Route {
	return []web.Route{
		web.Handle("GET /school-admin/audit/reads", r.list, web.Read("report"), web.List("at"),
			web.Doc("List who saw which student's record, the newest first.")),
	}
}

type readFilters struct {
	Entity   string `json:"entity,omitempty" example:"student"`
	RecordID *id.ID `json:"recordId,omitempty" doc:"The record."`
	UserID   *id.ID `json:"userId,omitempty" doc:"The user who saw it."`
	From     string `json:"from,omitempty" pattern:"^(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?$" patternHint:"must be a date or a timestamp, such as 2026-11-15 or 2026-11-15T08:05:00Z" example:"2026-11-15" doc:"First day (in the school's time zone) or timestamp, inclusive. Default without filters: 30 days ago."`
	To       string `json:"to,omitempty" pattern:"^(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?$" patternHint:"must be a date or a timestamp, such as 2026-11-15 or 2026-11-15T08:05:00Z" example:"2026-11-15" doc:"Last day (in the school's time zone) or timestamp, inclusive."`
}

// bounds returns the time range since <= t < before. A zero time is no bound.
func (f readFilters) bounds(zone string, now time.Time) (since, before time.Time, err error) {
	since, before, err = span{From: f.From, To: f.To}.bounds()
	if err != nil {
		return since, before, err
	}
	since, before = startIn(zone, since, f.From), startIn(zone, before, f.To)
	if f.RecordID == nil && f.UserID == nil && f.From == "" && f.To == "" {
		since = now.Add(-readsWindow)
	}
	return since, before, nil
}

// startIn moves midnight UTC to midnight in the zone, if a date was given.
func startIn(zone string, t time.Time, asked string) time.Time {
	if _, err := clock.ParseDate(asked); err != nil {
		return t
	}
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, clock.Zone(zone)).UTC()
}

func (r *Reads) list(ctx context.Context, who actor.Actor, in page.Ask[readFilters]) (page.Of[Read], error) {
	since, before, err := in.Filters.bounds(who.Zone, r.Now())
	if err != nil {
		return page.Of[Read]{}, err
	}
	if err := r.Flush(ctx); err != nil { // so that the list includes the latest reads
		return page.Of[Read]{}, err
	}
	q := r.DB.School(who.School)
	out, err := listReads(ctx, q, in, since, before)
	if err != nil || out.Total > 0 { // check the ids of filters only if the list is empty
		return out, err
	}
	return out, r.mustExist(ctx, q, in.Filters)
}

func listReads(ctx context.Context, q db.Q, in page.Ask[readFilters], since, before time.Time) (page.Of[Read], error) {
	f := in.Filters
	return db.Page[Read](ctx, q, db.List{
		Columns: `id, at, user_id, role, entity, record_id, request_id, ip,
			COALESCE((SELECT u.name FROM users u WHERE u.school_id = reads.school_id AND u.id = reads.user_id), '') AS user_name`,
		From: `reads WHERE school_id = :school` +
			db.When(f.RecordID != nil, ` AND record_id = :record`) +
			db.When(f.UserID != nil, ` AND user_id = :user`) +
			db.When(f.Entity != "", ` AND entity = :entity`) +
			db.When(!since.IsZero(), ` AND at >= :since`) +
			db.When(!before.IsZero(), ` AND at < :before`),
		Sorts:   map[string]string{"at": "at"},
		Default: "-at",
	}, in.Request, db.Args{"record": f.RecordID, "user": f.UserID, "entity": f.Entity, "since": since, "before": before})
}

// mustExist checks that the record and user of the filters exist.
func (r *Reads) mustExist(ctx context.Context, q db.Q, f readFilters) error {
	if f.UserID != nil {
		if err := exists(ctx, q, "users", *f.UserID); err != nil {
			return db.Found("look up reader", err, errNoReader)
		}
	}
	if f.RecordID == nil {
		return nil
	}
	fallback := errNoRecord
	for _, entity := range slices.Sorted(maps.Keys(r.Kinds)) {
		if f.Entity != "" && f.Entity != entity {
			continue
		}
		kind := r.Kinds[entity]
		err := exists(ctx, q, kind.Table, *f.RecordID)
		if err == nil || !errors.Is(err, db.ErrNotFound) {
			return err
		}
		if f.Entity != "" || len(r.Kinds) == 1 {
			fallback = kind.Missing
		}
	}
	return fallback
}

func exists(ctx context.Context, q db.Q, table string, record id.ID) error {
	_, err := db.One[id.ID](ctx, q, `SELECT id FROM `+table+` WHERE school_id = :school AND id = :id`, db.Args{"id": record})
	if err != nil {
		return fmt.Errorf("read %s: %w", table, err)
	}
	return nil
}
