// Package actor has the authenticated caller: user, school, role and permissions.
package actor

import (
	"strings"

	"homeroom/internal/platform/id"
)

// Role is one of the five roles.
type Role string

// The roles, as in tokens.
const (
	Parent      Role = "PARENT"
	Teacher     Role = "TEACHER"
	Driver      Role = "DRIVER"
	SchoolAdmin Role = "SCHOOL_ADMIN"
	SuperAdmin  Role = "SUPER_ADMIN"
)

// Roles lists every role.
var Roles = []Role{Parent, Teacher, Driver, SchoolAdmin, SuperAdmin}

// Prefix is the first path segment of the role's routes: "school-admin".
func (r Role) Prefix() string { return strings.ReplaceAll(strings.ToLower(string(r)), "_", "-") }

// OfPrefix returns the role of a path segment.
func OfPrefix(segment string) (Role, bool) {
	for _, r := range Roles {
		if r.Prefix() == segment {
			return r, true
		}
	}
	return "", false
}

// Verb is a permission on a module's records.
type Verb uint8

// Verbs are bits of Grants.
const (
	Read Verb = 1 << iota
	Write
	Delete
)

// Grants maps a module to the verbs that a role may do.
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
	Language   string // the account's own; "" for the school's
	Locale     string // the school's language
	RequestID  string
	IP         string
}

// Can reports whether the caller's role has the permission.
func (a Actor) Can(module string, v Verb) bool { return a.Grants[module]&v == v }
