// Package actor says who is asking: which user, of which school, in which role,
// and what that role may do.
package actor

import (
	"strings"

	"homeroom/internal/platform/id"
)

// Role is one of the five kinds of client.
type Role string

// The roles, as they stand in a token.
const (
	Parent      Role = "PARENT"
	Teacher     Role = "TEACHER"
	Driver      Role = "DRIVER"
	SchoolAdmin Role = "SCHOOL_ADMIN"
	SuperAdmin  Role = "SUPER_ADMIN"
)

// Roles lists every role.
var Roles = []Role{Parent, Teacher, Driver, SchoolAdmin, SuperAdmin}

// Prefix is the first segment of the paths that this role may call: "school-admin".
func (r Role) Prefix() string { return strings.ReplaceAll(strings.ToLower(string(r)), "_", "-") }

// OfPrefix is the role whose paths start with the segment.
func OfPrefix(segment string) (Role, bool) {
	for _, r := range Roles {
		if r.Prefix() == segment {
			return r, true
		}
	}
	return "", false
}

// Verb is what one may do to a module's records.
type Verb uint8

// The verbs, as bits of a Grant.
const (
	Read Verb = 1 << iota
	Write
	Delete
)

// Grants maps a module's key to the verbs a role holds on it.
type Grants map[string]Verb

// Actor is the authenticated caller. The zero Actor is nobody.
type Actor struct {
	User       id.ID
	School     id.ID
	Role       Role
	RoleID     id.ID
	Session    id.ID
	Grants     Grants // shared and read-only
	Evaluation bool   // the school is in evaluation mode
	Zone       string // the school's time zone
	RequestID  string
	IP         string
}

// Can reports whether the caller's role holds the verb on the module.
func (a Actor) Can(module string, v Verb) bool { return a.Grants[module]&v == v }
