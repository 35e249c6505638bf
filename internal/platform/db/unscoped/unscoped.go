// Package unscoped is the key to statements that cross schools. Importing it is
// the request for that right; a test lists the packages that may.
package unscoped

// Permit is what the db package asks for before it runs a statement outside any school.
type Permit struct{}
