package people

import (
	"context"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

const (
	importDone   = "DONE"
	importUndone = "UNDONE"
)

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

// addedPart lists records that an import has added.
type addedPart struct {
	Part    int
	Entity  string // student, guardian, user, employee, or adopted for an account that existed
	Version int    // of the records after the import
	Records db.JSON[[]id.ID]
}

// added collects what an import adds.
type added []addedPart

func (a *added) add(entity string, version int, ids ...id.ID) {
	for len(ids) > 0 {
		n := min(len(ids), importChunk)
		part := addedPart{Part: len(*a), Entity: entity, Version: version}
		part.Records.V = append([]id.ID{}, ids[:n]...)
		*a, ids = append(*a, part), ids[n:]
	}
}

// importLog writes the record and the audit entry of an import.
type importLog struct {
	log   *audit.Service
	newID id.Source
	now   time.Time
}

// keep writes what an import has done and returns its id, which is later than those of
// all records and audit entries that the import wrote.
func (l importLog) keep(ctx context.Context, tx *db.Tx, who actor.Actor, entity, file string, r Imported, what added,
	more map[string]any) (id.ID, error) {
	made := l.newID()
	_, err := db.Exec(ctx, tx, `
		INSERT INTO imports (school_id, id, entity, file, user_id, total, created, updated, unchanged, failed, status, created_at)
		VALUES (:school, :id, :entity, :file, :user, :total, :created, :updated, :unchanged, :failed, 'DONE', :now)`,
		db.Args{"id": made, "entity": entity, "file": file, "user": who.User, "total": r.Total, "created": r.Created, "updated": r.Updated,
			"unchanged": r.Unchanged, "failed": r.Failed, "now": l.now})
	if err != nil {
		return "", fault.Wrap("write import", err)
	}
	type row struct {
		addedPart
		ImportID id.ID
	}
	rows := make([]row, len(what))
	for i, p := range what {
		rows[i] = row{p, made}
	}
	if _, err = db.Insert(ctx, tx, `
		INSERT INTO import_parts (school_id, import_id, part, entity, version, records)
		VALUES (:school, :import_id, :part, :entity, :version, :records)`, rows); err != nil {
		return "", fault.Wrap("write what an import added", err)
	}
	after := map[string]any{"file": file, "total": r.Total, "created": r.Created, "updated": r.Updated, "unchanged": r.Unchanged,
		"failed": r.Failed}
	for k, v := range more {
		after[k] = v
	}
	return made, l.log.Record(ctx, tx, who, entity+".import", entity, "", nil, after)
}

const pastImports = `i.id, i.file, i.total, i.created, i.updated, i.unchanged, i.failed, i.status, i.user_id, i.created_at, i.undone_at,
	(SELECT NULLIF(u.name, '') FROM users u WHERE u.school_id = i.school_id AND u.id = i.user_id) AS user_name,
	(SELECT NULLIF(u.name, '') FROM users u WHERE u.school_id = i.school_id AND u.id = i.undone_by) AS undone_by_name`

type importFilters struct {
	Status string `json:"status,omitempty" enum:"DONE,UNDONE"`
}

// listImports lists the imports of one kind of record, the latest first.
func (s *Service) listImports(entity string) func(context.Context, actor.Actor, page.Ask[importFilters]) (page.Of[PastImport], error) {
	return func(ctx context.Context, who actor.Actor, in page.Ask[importFilters]) (page.Of[PastImport], error) {
		out, err := db.Page[PastImport](ctx, s.DB.School(who.School), db.List{Columns: pastImports,
			From:  `imports i WHERE i.school_id = :school AND i.entity = :entity` + db.When(in.Filters.Status != "", ` AND i.status = :status`),
			Sorts: map[string]string{"createdAt": "i.id", "id": "i.id"}, Default: "-createdAt"}, in.Request,
			db.Args{"entity": entity, "status": in.Filters.Status})
		return out, fault.Wrap("list imports", err)
	}
}
