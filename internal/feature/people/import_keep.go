package people

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

const importUndone = "UNDONE"

// PastImport is an import that has written something.
type PastImport struct {
	ID           id.ID      `json:"id"`
	File         opt.Text   `json:"file" doc:"The name of the file."`
	Total        int        `json:"total"`
	Created      int        `json:"created"`
	Updated      int        `json:"updated"`
	Unchanged    int        `json:"unchanged"`
	Failed       int        `json:"failed"`
	Status       string     `json:"status" enum:"DONE,UNDONE"`
	UserID       *id.ID     `json:"userId" doc:"Who imported it; null for the command line."`
	UserName     *string    `json:"userName"`
	CreatedAt    time.Time  `json:"createdAt"`
	UndoneAt     *time.Time `json:"undoneAt"`
	UndoneByName *string    `json:"undoneByName"`
}

// Imports keeps the imports of one kind of record, and undoes them while nothing else
// refers to what they added.
type Imports struct {
	DB     *db.DB
	Audit  *audit.Service
	Now    clock.Now
	NewID  id.Source
	Entity string           // in the audit log
	Tables map[string]Table // of the records, by the entity that Added.Add was given
	Holds  []Hold
	Lock   func(ctx context.Context, tx *db.Tx) error // keeps others from referring to new records meanwhile
	Remove func(ctx context.Context, tx *db.Tx, u *Undoing) error
}

// Table has records that an import can add.
type Table struct {
	Name    string
	Key     string // the column of their ids
	Version string // the column, or 1 without one
	Logged  bool   // not every change has a version, but every one is in the audit log
}

// Part lists records that an import has added.
type Part struct {
	No       int    `db:"part"`
	Entity   string // such as student; adopted for an account that existed
	Version  int    // of the records after the import
	Records  db.JSON[[]id.ID]
	Replaced db.JSON[json.RawMessage] // what they have replaced; null for new records
}

// Added collects what an import adds.
type Added []Part

// Add notes new records.
func (a *Added) Add(entity string, version int, ids ...id.ID) {
	for len(ids) > 0 {
		n := min(len(ids), importChunk)
		part := Part{No: len(*a), Entity: entity, Version: version}
		part.Records.V = append([]id.ID{}, ids[:n]...)
		*a, ids = append(*a, part), ids[n:]
	}
}

// Replace notes a record that was replaced, with its content before.
func (a *Added) Replace(entity string, version int, record id.ID, before any) error {
	content, err := json.Marshal(before)
	if err != nil {
		return fmt.Errorf("keep what an import replaces: %w", err)
	}
	a.Add(entity, version, record)
	(*a)[len(*a)-1].Replaced.V = content
	return nil
}

// keep writes what an import has done and returns its id, which is later than those of
// all records and audit entries that the import wrote.
func (i Imports) keep(ctx context.Context, tx *db.Tx, who actor.Actor, file string, r Imported, what Added,
	more map[string]any) (id.ID, error) {
	made := i.NewID()
	_, err := db.Exec(ctx, tx, `
		INSERT INTO imports (school_id, id, entity, file, user_id, total, created, updated, unchanged, failed, status, created_at)
		VALUES (:school, :id, :entity, :file, :user, :total, :created, :updated, :unchanged, :failed, 'DONE', :now)`,
		db.Args{"id": made, "entity": i.Entity, "file": file, "user": who.User, "total": r.Total, "created": r.Created, "updated": r.Updated,
			"unchanged": r.Unchanged, "failed": r.Failed, "now": i.Now()})
	if err != nil {
		return "", fault.Wrap("write import", err)
	}
	type row struct {
		Part
		ImportID id.ID
	}
	rows := make([]row, len(what))
	for n, p := range what {
		rows[n] = row{p, made}
	}
	if _, err = db.Insert(ctx, tx, `
		INSERT INTO import_parts (school_id, import_id, part, entity, version, records, replaced)
		VALUES (:school, :import_id, :part, :entity, :version, :records, :replaced)`, rows); err != nil {
		return "", fault.Wrap("write what an import added", err)
	}
	after := map[string]any{"file": file, "total": r.Total, "created": r.Created, "updated": r.Updated, "unchanged": r.Unchanged,
		"failed": r.Failed}
	maps.Copy(after, more)
	return made, i.Audit.Record(ctx, tx, who, i.Entity+".import", i.Entity, "", nil, after)
}

const pastImports = `i.id, i.file, i.total, i.created, i.updated, i.unchanged, i.failed, i.status, i.user_id, i.created_at, i.undone_at,
	(SELECT NULLIF(u.name, '') FROM users u WHERE u.school_id = i.school_id AND u.id = i.user_id) AS user_name,
	(SELECT NULLIF(u.name, '') FROM users u WHERE u.school_id = i.school_id AND u.id = i.undone_by) AS undone_by_name`

type importFilters struct {
	Status string `json:"status,omitempty" enum:"DONE,UNDONE"`
}

// List lists the imports, the latest first.
func (i Imports) List(ctx context.Context, who actor.Actor, in page.Ask[importFilters]) (page.Of[PastImport], error) {
	out, err := db.Page[PastImport](ctx, i.DB.School(who.School), db.List{Columns: pastImports,
		From:  `imports i WHERE i.school_id = :school AND i.entity = :entity` + db.When(in.Filters.Status != "", ` AND i.status = :status`),
		Sorts: map[string]string{"createdAt": "i.id", "id": "i.id"}, Default: "-createdAt"}, in.Request,
		db.Args{"entity": i.Entity, "status": in.Filters.Status})
	return out, fault.Wrap("list imports", err)
}
