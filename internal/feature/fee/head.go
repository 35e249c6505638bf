package fee

import (
	"context"
	"errors"
	"strings"
	"time"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/web"
)

// Head is a fee head, the kind of a fee: tuition, transport, a trip.
type Head struct {
	ID        id.ID     `json:"id"`
	Name      string    `json:"name" example:"Tuition"`
	Code      opt.Text  `json:"code"`
	System    opt.Text  `json:"system" enum:"LATE_FINE,LIBRARY_FINE,OPENING" doc:"The purpose of a built-in fee head; null for the school's own."`
	Version   int       `json:"version"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// The built-in heads, for automatic charges.
const (
	lateFine       = "LATE_FINE"
	libraryFine    = "LIBRARY_FINE"
	openingBalance = "OPENING"
)

const headColumns = `id, name, code, system, version, created_at, updated_at`

func (s *Service) newHead(name, code, system string) Head {
	now := s.Now()
	return Head{ID: s.NewID(), Name: strings.TrimSpace(name), Code: opt.Text(strings.TrimSpace(code)), System: opt.Text(system),
		Version: 1, CreatedAt: now, UpdatedAt: now}
}

func putHeads(ctx context.Context, tx *db.Tx, heads ...Head) error {
	type row struct {
		Head
		Search string
	}
	rows := make([]row, len(heads))
	for i, h := range heads {
		rows[i] = row{h, people.Fold(h.Name)}
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO fee_heads (school_id, id, name, code, search, system, version, created_at, updated_at)
		VALUES (:school, :id, :name, :code, :search, :system, :version, :created_at, :updated_at)`, rows)
	return headFault("write fee head", err)
}

func headFault(doing string, err error) error {
	switch {
	case db.IsDuplicate(err, "fee_heads_name"):
		return errHeadName.Because(err)
	case db.IsDuplicate(err, "fee_heads_code"):
		return errHeadCode.Because(err)
	case db.IsReference(err):
		return errHeadUsed.Because(err)
	}
	return db.Found(doing, err, errNoHead)
}

func getHead(ctx context.Context, q db.Q, head id.ID) (Head, error) {
	h, err := db.One[Head](ctx, q, `SELECT `+headColumns+` FROM fee_heads WHERE school_id = :school AND id = :id`, db.Args{"id": head})
	return h, headFault("read fee head", err)
}

// ownHead gets or creates a built-in head, named in the school's language. The caller holds the ledger lock, so
// that it is created once.
func (s *Service) ownHead(ctx context.Context, tx *db.Tx, who actor.Actor, system string) (Head, error) {
	h, err := db.One[Head](ctx, tx, `SELECT `+headColumns+` FROM fee_heads WHERE school_id = :school AND system = :system`,
		db.Args{"system": system})
	if !errors.Is(err, db.ErrNotFound) {
		return h, fault.Wrap("read fee head", err)
	}
	name := say(who, text.T("fee.head."+system))
	taken, err := db.One[int](ctx, tx, `SELECT COUNT(*) FROM fee_heads WHERE school_id = :school AND search = :search`,
		db.Args{"search": people.Fold(name)})
	if err != nil {
		return h, fault.Wrap("read fee head", err)
	}
	if taken > 0 { // by a head of the school
		name = say(who, text.T("fee.automatic", "name", name))
	}
	h = s.newHead(name, "", system)
	return h, putHeads(ctx, tx, h)
}

// heads finds fee heads by id or by name, and creates those that are named but
// don't exist yet.
type heads struct {
	s      *Service
	byID   map[id.ID]Head
	byName map[string]Head
	made   []Head
}

func (s *Service) readHeads(ctx context.Context, tx *db.Tx) (*heads, error) {
	all, err := db.All[Head](ctx, tx, `SELECT `+headColumns+` FROM fee_heads WHERE school_id = :school`, nil)
	hs := &heads{s: s, byID: map[id.ID]Head{}, byName: map[string]Head{}}
	for _, h := range all {
		hs.byID[h.ID], hs.byName[people.Fold(h.Name)] = h, h
	}
	return hs, fault.Wrap("read fee heads", err)
}

func (hs *heads) find(head *id.ID, name string) (Head, error) {
	if head != nil {
		h, ok := hs.byID[*head]
		if !ok {
			return h, errNoHead
		}
		return h, h.chargeable()
	}
	key := people.Fold(strings.TrimSpace(name))
	h, ok := hs.byName[key]
	if !ok {
		h = hs.s.newHead(name, "", "")
		hs.byName[key], hs.made = h, append(hs.made, h)
	}
	return h, h.chargeable()
}

// chargeable refuses the head of opening balances, which have an account of their own.
func (h Head) chargeable() error {
	if h.System == openingBalance {
		return errHeadOpen
	}
	return nil
}

type headIn struct {
	Name string `json:"name" required:"true" maxLength:"100" example:"Tuition"`
	Code string `json:"code" maxLength:"30"`
}

func (s *Service) createHead(ctx context.Context, who actor.Actor, in headIn) (h Head, err error) {
	h = s.newHead(in.Name, in.Code, "")
	return h, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := putHeads(ctx, tx, h); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-head.create", "fee-head", h.ID, nil, h)
	})
}

type headFilters struct {
	Search string `json:"search,omitempty" doc:"Any part of the name."`
}

func (s *Service) listHeads(ctx context.Context, who actor.Actor, in page.Ask[headFilters]) (page.Of[Head], error) {
	search := people.Pattern(in.Filters.Search)
	return db.Page[Head](ctx, s.DB.School(who.School), db.List{Columns: headColumns,
		From:  `fee_heads WHERE school_id = :school` + db.When(search != "", ` AND search LIKE :search ESCAPE '\'`),
		Sorts: map[string]string{"name": "search", "createdAt": "id"}, Default: "name"}, in.Request, db.Args{"search": search})
}

type byID struct {
	ID id.ID `path:"id"`
}

func (s *Service) getHead(ctx context.Context, who actor.Actor, in byID) (Head, error) {
	return getHead(ctx, s.DB.School(who.School), in.ID)
}

type headChangeIn struct {
	ID      id.ID   `path:"id"`
	Name    *string `json:"name" maxLength:"100" pattern:"\\S" patternHint:"must not be blank"`
	Code    *string `json:"code" maxLength:"30"`
	Version *int    `json:"version" doc:"The version you read; 409 if it has changed since."`
}

func (s *Service) updateHead(ctx context.Context, who actor.Actor, in headChangeIn) (after Head, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := getHead(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := fault.SameVersion(in.Version, before.Version); err != nil {
			return err
		}
		after = before
		if in.Name != nil {
			after.Name = strings.TrimSpace(*in.Name)
		}
		if in.Code != nil {
			after.Code = opt.Text(strings.TrimSpace(*in.Code))
		}
		after.Version, after.UpdatedAt = before.Version+1, s.Now()
		err = db.Update(ctx, tx, `
			UPDATE fee_heads SET name = :name, code = :code, search = :search, version = :version, updated_at = :now
			WHERE school_id = :school AND id = :id AND version = :was`, db.Args{"id": in.ID, "name": after.Name, "code": after.Code,
			"search": people.Fold(after.Name), "version": after.Version, "was": before.Version, "now": after.UpdatedAt})
		if err != nil {
			return headFault("change fee head", err)
		}
		return s.record(ctx, tx, who, "fee-head.update", "fee-head", in.ID, before, after)
	})
	return after, err
}

func (s *Service) deleteHead(ctx context.Context, who actor.Actor, in byID) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := ledger.Lock(ctx, tx); err != nil { // so that nobody uses it meanwhile
			return err
		}
		h, err := getHead(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if h.System != "" {
			return errHeadOwn
		}
		n, err := db.Exec(ctx, tx, `DELETE FROM fee_heads WHERE school_id = :school AND id = :id`, db.Args{"id": in.ID})
		switch {
		case err != nil:
			return headFault("delete fee head", err)
		case n == 0: // deleted since it was read
			return errNoHead
		}
		return s.record(ctx, tx, who, "fee-head.delete", "fee-head", in.ID, h, nil)
	})
}
