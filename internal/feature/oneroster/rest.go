package oneroster

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"strings"

	"homeroom/internal/feature/oneroster/roster"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// binding is the wire format of the records: the REST binding of OneRoster 1.2.
var binding = &web.Standard{
	Security: "oneRoster", Challenge: `Bearer realm="OneRoster"`, Problem: reflect.TypeFor[problem](),
	Error: func(b web.ErrorBody) (int, any) {
		minor := map[int]string{http.StatusUnauthorized: "unauthorisedrequest", http.StatusForbidden: "forbidden",
			http.StatusNotFound: "unknownobject", http.StatusTooManyRequests: "server_busy", http.StatusServiceUnavailable: "server_busy",
			http.StatusInternalServerError: "internal_server_error"}[b.StatusCode]
		switch {
		case b.Error != http.StatusText(b.StatusCode): // a code of ours
			minor = b.Error
		case minor == "":
			minor = "invaliddata"
		}
		p := problem{Major: "failure", Severity: "error", Description: b.Message}
		for _, d := range b.Details {
			p.Description += " " + d.Field + " " + d.Message + "."
		}
		p.Minor.Fields = []minorField{{"TargetEndSystem", minor}}
		return b.StatusCode, p
	},
}

type problem struct {
	Major       string `json:"imsx_codeMajor" enum:"failure"`
	Severity    string `json:"imsx_severity" enum:"error"`
	Description string `json:"imsx_description"`
	Minor       minor  `json:"imsx_CodeMinor"`
}

type minor struct {
	Fields []minorField `json:"imsx_codeMinorField"`
}

type minorField struct {
	Name  string `json:"imsx_codeMinorFieldName"`
	Value string `json:"imsx_codeMinorFieldValue" example:"unknownobject"`
}

var errUnknown = fault.New(fault.NotFound, "", "There is no such record in this school.")

// collection is a list of records: rows of the database, shown as JSON.
type collection[Row, Record any] struct {
	from    string   // SELECT of all rows
	columns string   // of Row
	key     []string // columns of the sourcedId
	roles   bool     // the rows have a role
	always  bool     // the rows don't depend on the year
	holders string   // SELECT of who holds how many of the rows, if those are too many to sort
	show    func(roster.JSON) func(Row) Record
	add     func(ctx context.Context, q db.Q, year id.ID, rows []Row) error
}

var (
	orgs = collection[roster.Org, roster.OrgRecord]{from: roster.Orgs, columns: `id, name, code, updated_at`, key: []string{"id"},
		always: true, show: func(j roster.JSON) func(roster.Org) roster.OrgRecord { return j.Org }}
	sessions = collection[roster.Year, roster.SessionRecord]{from: roster.Sessions, columns: `id, name, start_date, end_date, updated_at`,
		key: []string{"id"}, show: func(j roster.JSON) func(roster.Year) roster.SessionRecord { return j.Session }}
	courses = collection[roster.Course, roster.CourseRecord]{from: roster.Courses,
		columns: `id, title, course_code, subject, subject_code, updated_at`, key: []string{"id"},
		show: func(j roster.JSON) func(roster.Course) roster.CourseRecord { return j.Course }}
	classes = collection[roster.Class, roster.ClassRecord]{from: roster.Classes,
		columns: roster.ClassColumns, key: []string{"room_id", "subject_id"},
		show: func(j roster.JSON) func(roster.Class) roster.ClassRecord { return j.Class }}
	users = collection[roster.User, roster.UserRecord]{from: roster.Users,
		columns: `id, code, first_name, last_name, email, phone, role, enabled, updated_at`, key: []string{"id"}, roles: true,
		show: func(j roster.JSON) func(roster.User) roster.UserRecord { return j.User }, add: roster.AddAgents}
	enrollments = collection[roster.Enrollment, roster.EnrollmentRecord]{from: roster.Enrollments,
		columns: roster.EnrollmentColumns, key: []string{"user_id", "room_id", "subject_id"}, roles: true, holders: roster.Holders,
		show: func(j roster.JSON) func(roster.Enrollment) roster.EnrollmentRecord { return j.Enrollment }}
)

// reader reads records for one request of a system.
type reader struct {
	roster.JSON
	q db.Q
}

// read admits a request by its Authorization header.
func (s *Service) read(ctx context.Context, header string) (r reader, err error) {
	if r.School, err = s.authenticate(ctx, header); err != nil {
		return r, err
	}
	r.q, r.At = s.DB.School(r.School), s.base()
	y, err := roster.GetYear(ctx, r.q, nil)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return r, fault.Wrap("read academic year", err)
	}
	r.Year = y.ID
	return r, nil
}

func (s *Service) base() string { return s.PublicURL + "/ims/oneroster/rostering/v1p2" }

// statement returns the FROM clause of the rows that meet the conditions, and its arguments.
func (c collection[Row, Record]) statement(of string, year id.ID, conditions []condition) (string, db.Args) {
	sql, args := ` FROM (`+of+`) AS x WHERE 1 = 1`, db.Args{}
	if !c.always {
		args["year"] = year
	}
	for _, w := range conditions {
		sql += ` AND ` + w.sql
		maps.Copy(args, w.args)
	}
	return sql, args
}

// list returns a page of records. path is that of the list, such as users.
func (c collection[Row, Record]) list(ctx context.Context, r reader, in listIn, path string, only ...condition) ([]Record, links, error) {
	l := links{at: r.At + "/" + path, in: in}
	filters, e1 := where(in.Filter, c.key, c.roles)
	order, e2 := in.order(c.key, c.holders == "")
	drop, e3 := selected[Record](in.Fields)
	for _, err := range []error{e1, e2, e3} {
		if err != nil {
			return nil, l, err
		}
	}
	read := c.page
	if c.holders != "" && !strings.Contains(in.Filter, "sourcedId") {
		read = c.pageByHolder
	}
	rows, total, err := read(ctx, r, in, append(filters, only...), order)
	if err != nil {
		return nil, l, fault.Wrap("read "+path, err)
	}
	l.total = total
	records, err := c.records(ctx, r, rows, drop)
	return records, l, err
}

// page reads the rows of a page, and how many there are.
func (c collection[Row, Record]) page(ctx context.Context, r reader, in listIn, conditions []condition, order string) ([]Row, int, error) {
	from, args := c.statement(c.from, r.Year, conditions)
	paged := maps.Clone(args)
	paged["page_limit"], paged["page_offset"] = in.limit(), in.Offset
	var rows []Row
	var total []int
	err := db.Read(ctx, r.q, db.Into(&rows, `SELECT `+c.columns+from+order+` LIMIT :page_limit + 0 OFFSET :page_offset`, paged),
		db.Into(&total, `SELECT COUNT(*)`+from, args))
	if err != nil {
		return nil, 0, err
	}
	return rows, total[0], nil
}

// pageByHolder is page for rows that are too many to sort: it counts those of each user,
// and makes only the rows of users on the page.
func (c collection[Row, Record]) pageByHolder(ctx context.Context, r reader, in listIn, conditions []condition,
	order string) ([]Row, int, error) {
	from, args := c.statement(c.holders, r.Year, conditions)
	paged := maps.Clone(args)
	paged["page_limit"], paged["page_offset"] = in.limit(), in.Offset
	by := db.When(in.OrderBy == "desc", ` DESC`)
	var holders []struct {
		UserID id.ID
		Before int
	}
	var total []int
	err := db.Read(ctx, r.q, db.Into(&holders, `
		SELECT user_id, CAST(upto - n AS INTEGER) AS before FROM (
			SELECT user_id, n, SUM(n) OVER (ORDER BY user_id`+by+`) AS upto FROM (SELECT user_id, SUM(n) AS n`+from+` GROUP BY user_id) AS g) AS w
		WHERE upto > :page_offset AND upto - n < :page_offset + :page_limit ORDER BY user_id`+by, paged),
		db.Into(&total, `SELECT CAST(COALESCE(SUM(n), 0) AS INTEGER)`+from, args))
	if err != nil {
		return nil, 0, err
	}
	if len(holders) == 0 {
		return nil, total[0], nil
	}
	ids := make([]id.ID, len(holders))
	for i, h := range holders {
		ids[i] = h.UserID
	}
	from, paged = c.statement(c.from, r.Year, append(conditions, condition{`user_id IN (:holders)`, db.Args{"holders": ids}}))
	paged["page_limit"], paged["page_offset"] = in.limit(), in.Offset-holders[0].Before
	rows, err := db.All[Row](ctx, r.q, `SELECT `+c.columns+from+order+` LIMIT :page_limit + 0 OFFSET :page_offset`, paged)
	return rows, total[0], err
}

// one returns the record with a sourcedId.
func (c collection[Row, Record]) one(ctx context.Context, r reader, in oneIn, only ...condition) (out Record, err error) {
	drop, err := selected[Record](in.Fields)
	if err != nil {
		return out, err
	}
	from, args := c.statement(c.from, r.Year, append(only, named(in.SourcedID, c.key, "one")))
	row, err := db.One[Row](ctx, r.q, `SELECT `+c.columns+from, args)
	if err != nil {
		return out, db.Found("read record", err, errUnknown)
	}
	records, err := c.records(ctx, r, []Row{row}, drop)
	if err != nil {
		return out, err
	}
	return records[0], nil
}

func (c collection[Row, Record]) records(ctx context.Context, r reader, rows []Row, drop func(*Record)) ([]Record, error) {
	if c.add != nil {
		if err := c.add(ctx, r.q, r.Year, rows); err != nil {
			return nil, fault.Wrap("read agents", err)
		}
	}
	show, out := c.show(r.JSON), make([]Record, len(rows))
	for i, row := range rows {
		out[i] = show(row)
		drop(&out[i])
	}
	return out, nil
}

// within are the users with a role in a class, which must exist.
func (r reader) within(ctx context.Context, class, role string) (condition, error) {
	from, args := classes.statement(classes.from, r.Year, []condition{named(class, classes.key, "one")})
	c, err := db.One[roster.Class](ctx, r.q, `SELECT `+classes.columns+from, args)
	if err != nil {
		return condition{}, db.Found("read class", err, errUnknown)
	}
	members, err := db.All[id.ID](ctx, r.q, `SELECT user_id FROM (`+roster.Enrollments+`) AS x
		WHERE class_id = :class AND room_id = :room AND subject_id = :subject AND role = :role`,
		db.Args{"year": r.Year, "class": c.ClassID, "room": c.RoomID, "subject": c.SubjectID, "role": role})
	return condition{`id IN (:members)`, db.Args{"members": members}}, fault.Wrap("read enrolments", err)
}

var ofStudents, ofTeachers = condition{sql: `role = 'student'`}, condition{sql: `role = 'teacher'`}

// oneIn asks for one record.
type oneIn struct {
	SourcedID string `path:"sourcedId"`
	Fields    string `json:"fields" maxLength:"500" example:"sourcedId,title" doc:"Default: all."`
	header    string
}

// inClassIn asks for the users of a class.
type inClassIn struct {
	SourcedID string `path:"sourcedId"`
	listIn
}
