package fee

import (
	"context"
	"io"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

const csvTime = 5 * time.Minute

// csvFile is a CSV file whose rows are written by each.
func csvFile(name string, columns []string, each func(ctx context.Context, write func(...string) error) error) web.File {
	return web.File{Name: name, Type: csv.Type, Write: func(ctx context.Context, to io.Writer) error {
		header := make([]csv.Column, len(columns))
		for i, c := range columns {
			header[i] = csv.Column{Name: c}
		}
		w, err := csv.NewWriter(to, header)
		if err == nil {
			err = each(ctx, func(cells ...string) error { return w.Write(cells) })
		}
		if err != nil {
			return err
		}
		return w.Flush()
	}}
}

// exported records an export in the audit log.
func (s *Service) exported(ctx context.Context, who actor.Actor, entity string, filters any) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		return s.record(ctx, tx, who, entity+".export", entity, "", nil, filters)
	})
}

// exportStatement exports a student's statement.
func (s *Service) exportStatement(ctx context.Context, who actor.Actor, in statementIn) (web.File, error) {
	st, err := s.statement(ctx, who, in)
	if err != nil {
		return web.File{}, err
	}
	if err := s.exported(ctx, who, "fee-statement", map[string]id.ID{"studentId": in.StudentID}); err != nil {
		return web.File{}, err
	}
	columns := []string{"date", "type", "account", "narration", "amount", "balance"}
	return csvFile("statement-"+st.Student.AdmissionNo+".csv", columns, func(_ context.Context, write func(...string) error) error {
		for _, e := range st.Entries {
			if err := write(string(e.Date), e.Type, e.Account, e.Narration, e.Amount.String(), e.Balance.String()); err != nil {
				return err
			}
		}
		return nil
	}), nil
}
