package roster

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
)

// The records as JSON, named as in the REST binding of OneRoster 1.2. What is missing is
// left out, and so is what a client has not selected.

// Base has the fields of every record.
type Base struct {
	SourcedID        string     `json:"sourcedId,omitempty"`
	Status           string     `json:"status,omitempty" enum:"active,tobedeleted"`
	DateLastModified *time.Time `json:"dateLastModified,omitempty"`
}

func base(sourced string, at time.Time) Base { return Base{sourced, "active", &at} }

// Ref is a reference to a record.
type Ref struct {
	Href      string `json:"href" format:"uri"`
	SourcedID string `json:"sourcedId"`
	Type      string `json:"type" enum:"academicSession,class,course,org,user"`
}

// OrgRecord is an organisation.
type OrgRecord struct {
	Base
	Name       string `json:"name,omitempty"`
	Type       string `json:"type,omitempty" enum:"school"`
	Identifier string `json:"identifier,omitempty"`
}

// SessionRecord is an academic session.
type SessionRecord struct {
	Base
	Title      string     `json:"title,omitempty"`
	Type       string     `json:"type,omitempty" enum:"schoolYear"`
	StartDate  clock.Date `json:"startDate,omitempty"`
	EndDate    clock.Date `json:"endDate,omitempty" doc:"The day after the last one."`
	SchoolYear string     `json:"schoolYear,omitempty" example:"2027"`
}

// CourseRecord is a course.
type CourseRecord struct {
	Base
	Title        string   `json:"title,omitempty"`
	SchoolYear   *Ref     `json:"schoolYear,omitempty"`
	CourseCode   string   `json:"courseCode,omitempty"`
	Org          *Ref     `json:"org,omitempty"`
	Subjects     []string `json:"subjects,omitempty"`
	SubjectCodes []string `json:"subjectCodes,omitempty"`
}

// ClassRecord is a class.
type ClassRecord struct {
	Base
	Title        string   `json:"title,omitempty"`
	ClassType    string   `json:"classType,omitempty" enum:"homeroom,scheduled"`
	Location     string   `json:"location,omitempty"`
	Course       *Ref     `json:"course,omitempty"`
	School       *Ref     `json:"school,omitempty"`
	Terms        []Ref    `json:"terms,omitempty"`
	Subjects     []string `json:"subjects,omitempty"`
	SubjectCodes []string `json:"subjectCodes,omitempty"`
}

// RoleRecord is a role of a user.
type RoleRecord struct {
	RoleType string `json:"roleType" enum:"primary"`
	Role     string `json:"role" enum:"student,teacher,siteAdministrator,parent,guardian"`
	Org      Ref    `json:"org"`
}

// UserRecord is a user.
type UserRecord struct {
	Base
	EnabledUser string       `json:"enabledUser,omitempty" enum:"true,false"`
	Username    string       `json:"username,omitempty"`
	GivenName   string       `json:"givenName,omitempty"`
	FamilyName  string       `json:"familyName,omitempty"`
	Identifier  string       `json:"identifier,omitempty"`
	Email       string       `json:"email,omitempty"`
	Phone       string       `json:"phone,omitempty"`
	Roles       []RoleRecord `json:"roles,omitempty"`
	PrimaryOrg  *Ref         `json:"primaryOrg,omitempty"`
	Agents      []Ref        `json:"agents,omitempty"`
}

// EnrollmentRecord is an enrolment.
type EnrollmentRecord struct {
	Base
	User    *Ref   `json:"user,omitempty"`
	Class   *Ref   `json:"class,omitempty"`
	School  *Ref   `json:"school,omitempty"`
	Role    string `json:"role,omitempty" enum:"student,teacher"`
	Primary string `json:"primary,omitempty" enum:"true,false"`
}

// JSON makes records. At is the URL of the service, such as
// https://school.example.org/ims/oneroster/rostering/v1p2.
type JSON struct {
	At           string
	School, Year id.ID
}

func (j JSON) ref(kind, list, sourced string) Ref {
	return Ref{j.At + "/" + list + "/" + sourced, sourced, kind}
}
func (j JSON) school() *Ref           { r := j.ref("org", "orgs", j.School.String()); return &r }
func (j JSON) session() Ref           { return j.ref("academicSession", "academicSessions", j.Year.String()) }
func (j JSON) user(sourced id.ID) Ref { return j.ref("user", "users", sourced.String()) }

// Org makes the record of a school.
func (j JSON) Org(o Org) OrgRecord {
	return OrgRecord{base(o.ID.String(), o.UpdatedAt), o.Name, "school", o.Code}
}

// Session makes the record of a year.
func (j JSON) Session(y Year) SessionRecord {
	return SessionRecord{base(y.ID.String(), y.UpdatedAt), y.Name, "schoolYear", y.StartDate, y.end(), y.named()}
}

// Course makes the record of a course.
func (j JSON) Course(c Course) CourseRecord {
	session := j.session()
	return CourseRecord{base(c.ID.String(), c.UpdatedAt), c.Title, &session, c.CourseCode, j.school(), texts(c.Subject), texts(c.SubjectCode)}
}

// Class makes the record of a class.
func (j JSON) Class(c Class) ClassRecord {
	course := j.ref("course", "courses", c.CourseID.String())
	return ClassRecord{base(c.SourcedID(), c.UpdatedAt), c.Title, c.kind(), c.Room, &course, j.school(), []Ref{j.session()},
		texts(c.Subject), texts(c.SubjectCode)}
}

// User makes the record of a user.
func (j JSON) User(u User) UserRecord {
	given, family := u.names()
	out := UserRecord{Base: base(u.ID.String(), u.UpdatedAt), EnabledUser: strconv.FormatBool(u.Enabled), Username: u.username(),
		GivenName: given, FamilyName: family, Identifier: u.Code, Email: u.Email, Phone: u.Phone,
		Roles: []RoleRecord{{"primary", u.Role, *j.school()}}, PrimaryOrg: j.school()}
	for _, a := range u.Agents {
		out.Agents = append(out.Agents, j.user(a))
	}
	return out
}

// Enrollment makes the record of an enrolment.
func (j JSON) Enrollment(e Enrollment) EnrollmentRecord {
	user, class := j.user(e.UserID), j.ref("class", "classes", e.class())
	return EnrollmentRecord{base(e.SourcedID(), e.UpdatedAt), &user, &class, j.school(), e.Role, strconv.FormatBool(e.IsPrimary)}
}

func texts(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// Fields returns the names of a record's fields, and where each is.
func Fields(record reflect.Type) map[string][]int {
	out := map[string][]int{}
	for _, f := range reflect.VisibleFields(record) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			out[name] = f.Index
		}
	}
	return out
}
