// Package schema is the database's tables, as templated SQL for both engines.
// Files are applied in the order of their names, once each: add a new file,
// never change one that has been released. The template functions are those of
// the db package's migrations.
package schema

import "embed"

// FS holds the migrations.
//
//go:embed *.sql
var FS embed.FS
