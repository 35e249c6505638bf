// Package unscoped has the permit for statements that cross schools. A test lists
// the packages that may import it.
package unscoped

// Permit is required by the db package to run a statement across schools.
type Permit struct{}
