// Package schema is the database's tables, as templated SQL for both engines: one
// file per feature, applied in the order of their names. The template functions are
// those of the db package's migrations.
//
// Until v1.0.0 is tagged the files are edited in place, and databases of earlier
// commits are refused. After that a released file never changes: add a file with
// the next number.
package schema

import "embed"

// FS holds the migrations.
//
//go:embed *.sql
var FS embed.FS
