package db

import (
	"context"
	"fmt"
	"strings"
)

// Old describes rows that are deleted when they are old.
type Old struct {
	Table string
	Key   []string // the primary key
	Age   string   // column with a time or a date; an index on school_id and this column finds old rows
	Only  string   // a condition on the row o; empty: all rows
}

// DeleteOld deletes the rows of all schools whose age column is before a time or date. It
// deletes a thousand at a time, so that writers wait only briefly.
func DeleteOld(ctx context.Context, q Q, before any, tables ...Old) error {
	for _, o := range tables {
		if err := o.delete(ctx, q, before); err != nil {
			return fmt.Errorf("delete old %s: %w", o.Table, err)
		}
	}
	return nil
}

func (o Old) delete(ctx context.Context, q Q, before any) error {
	only := ""
	if o.Only != "" {
		only = " AND " + o.Only
	}
	// Schools come first (SQLite keeps the order of a CROSS JOIN), because the index
	// starts with school_id. Only is repeated for a row that changes meanwhile.
	text := `DELETE FROM ` + o.Table + ` AS o WHERE (o.` + strings.Join(o.Key, ", o.") + `) IN (
		SELECT o.` + strings.Join(o.Key, ", o.") + ` FROM schools s CROSS JOIN ` + o.Table + ` o
		WHERE o.school_id = s.id AND o.` + o.Age + ` < :before` + only + ` LIMIT :some)` + only
	const some = 1000
	for {
		gone, err := Exec(ctx, q, text, Args{"before": before, "some": some})
		if err != nil || gone < some {
			return err
		}
	}
}
