package roster

import (
	"archive/zip"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// headers are the columns of the files, as OneRoster 1.2 lists them.
var headers = map[string]string{
	"manifest":         "propertyName,value",
	"orgs":             "sourcedId,status,dateLastModified,name,type,identifier,parentSourcedId",
	"academicSessions": "sourcedId,status,dateLastModified,title,type,startDate,endDate,parentSourcedId,schoolYear",
	"courses":          "sourcedId,status,dateLastModified,schoolYearSourcedId,title,courseCode,grades,orgSourcedId,subjects,subjectCodes",
	"classes": "sourcedId,status,dateLastModified,title,grades,courseSourcedId,classCode,classType,location,schoolSourcedId,termSourcedIds," +
		"subjects,subjectCodes,periods",
	"users": "sourcedId,status,dateLastModified,enabledUser,username,userIds,givenName,familyName,middleName,identifier,email,sms,phone," +
		"agentSourcedIds,grades,password,userMasterIdentifier,resourceSourcedIds,preferredGivenName,preferredMiddleName,preferredFamilyName," +
		"primaryOrgSourcedId,pronouns",
	"roles":       "sourcedId,status,dateLastModified,userSourcedId,roleType,role,beginDate,endDate,orgSourcedId,userProfileSourcedId",
	"enrollments": "sourcedId,status,dateLastModified,classSourcedId,schoolSourcedId,userSourcedId,role,primary,beginDate,endDate",
}

// files lists all files of the format. The manifest names those that are not written, too.
var files = strings.Fields(`academicSessions categories classes classResources courses courseResources demographics enrollments
	lineItemLearningObjectiveIds lineItems lineItemScoreScales orgs resources resultLearningObjectiveIds results resultScoreScales roles
	scoreScales userProfiles userResources users`)

// archive writes the files of one year. status and dateLastModified stay empty, as the
// format wants for files with all records.
type archive struct {
	ctx    context.Context
	tx     *db.Tx
	school id.ID
	year   Year

	zip   *zip.Writer
	users []User
}

// WriteCSV writes the files of a year as a ZIP file.
func WriteCSV(ctx context.Context, tx *db.Tx, y Year, w io.Writer) (err error) {
	a := &archive{ctx: ctx, tx: tx, school: tx.SchoolID(), year: y, zip: zip.NewWriter(w)}
	if a.users, err = db.All[User](ctx, tx, `SELECT * FROM (`+Users+`) AS u ORDER BY role, code, id`, a.args()); err != nil {
		return fmt.Errorf("read users: %w", err)
	}
	for some := range slices.Chunk(a.users, 1000) {
		if err := AddAgents(ctx, tx, y.ID, some); err != nil {
			return fmt.Errorf("read agents: %w", err)
		}
	}
	for _, f := range []struct {
		name string
		rows func(put func(cells ...string)) error
	}{
		{"manifest", a.manifest}, {"orgs", a.orgRows}, {"academicSessions", a.sessionRows}, {"courses", a.courseRows},
		{"classes", a.classRows}, {"users", a.userRows}, {"roles", a.roleRows}, {"enrollments", a.enrollmentRows},
	} {
		if err := a.file(f.name, f.rows); err != nil {
			return fmt.Errorf("write %s: %w", f.name, err)
		}
	}
	return a.zip.Close()
}

func (a *archive) args() db.Args { return db.Args{"year": a.year.ID} }

// file writes one file. A row has a cell for each column, in the order of the header.
func (a *archive) file(name string, rows func(put func(cells ...string)) error) error {
	w, err := a.zip.CreateHeader(&zip.FileHeader{Name: name + ".csv", Method: zip.Deflate, Modified: a.year.UpdatedAt})
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	header := strings.Split(headers[name], ",")
	_ = out.Write(header) // Error has the first error
	err = rows(func(cells ...string) {
		if len(cells) != len(header) {
			panic(fmt.Sprintf("%s has %d columns, got %d", name, len(header), len(cells)))
		}
		_ = out.Write(cells)
	})
	out.Flush()
	if err != nil {
		return err
	}
	return out.Error()
}

// record returns the cells of a record: an id, then empty status and date.
func record(sourced string, cells ...string) []string {
	return append([]string{sourced, "", ""}, cells...)
}

func (a *archive) manifest(put func(...string)) error {
	put("manifest.version", "1.0")
	put("oneroster.version", "1.2")
	for _, f := range files {
		how := "absent"
		if headers[f] != "" {
			how = "bulk"
		}
		put("file."+f, how)
	}
	put("source.systemName", "Homeroom")
	put("source.systemCode", "homeroom")
	return nil
}

func (a *archive) orgRows(put func(...string)) error {
	o, err := db.One[Org](a.ctx, a.tx, Orgs, nil)
	put(record(o.ID.String(), o.Name, "school", o.Code, "")...)
	return err
}

func (a *archive) sessionRows(put func(...string)) error {
	y := a.year
	put(record(y.ID.String(), y.Name, "schoolYear", string(y.StartDate), string(y.end()), "", y.named())...)
	return nil
}

func (a *archive) courseRows(put func(...string)) error {
	rows, err := db.All[Course](a.ctx, a.tx, `SELECT * FROM (`+Courses+`) AS c ORDER BY title, id`, a.args())
	for _, c := range rows {
		put(record(c.ID.String(), a.year.ID.String(), c.Title, c.CourseCode, "", a.school.String(), c.Subject, c.SubjectCode)...)
	}
	return err
}

func (a *archive) classRows(put func(...string)) error {
	rows, err := db.All[Class](a.ctx, a.tx, `SELECT `+ClassColumns+` FROM (`+Classes+`) AS c
		ORDER BY display_order, title, room_id, subject_id`, a.args())
	for _, c := range rows {
		put(record(c.SourcedID(), c.Title, "", c.CourseID.String(), "", c.kind(), c.Room, a.school.String(), a.year.ID.String(),
			c.Subject, c.SubjectCode, "")...)
	}
	return err
}

func (a *archive) userRows(put func(...string)) error {
	for _, u := range a.users {
		agents := make([]string, len(u.Agents))
		for i, o := range u.Agents {
			agents[i] = o.String()
		}
		given, family := u.names()
		put(record(u.ID.String(), strconv.FormatBool(u.Enabled), u.username(), "", given, family, "", u.Code, u.Email, "", u.Phone,
			strings.Join(agents, ","), "", "", "", "", "", "", "", a.school.String(), "")...)
	}
	return nil
}

func (a *archive) roleRows(put func(...string)) error {
	for _, u := range a.users {
		put(record(u.ID.String()+"."+u.Role, u.ID.String(), "primary", u.Role, "", "", a.school.String(), "")...)
	}
	return nil
}

// enrollmentRows reads those of 1000 people at a time, because a school may have 200,000.
// Students have no primary.
func (a *archive) enrollmentRows(put func(...string)) error {
	for _, role := range []string{"student", "teacher"} {
		for some := range slices.Chunk(a.enrolled(role), 1000) {
			rows, err := db.All[Enrollment](a.ctx, a.tx, `SELECT `+EnrollmentColumns+` FROM (`+Enrollments+`) AS e
				WHERE user_id IN (:ids) AND role = :role ORDER BY user_id, room_id, subject_id`,
				db.Args{"year": a.year.ID, "ids": some, "role": role})
			if err != nil {
				return err
			}
			for _, e := range rows {
				primary := ""
				if e.Role == "teacher" {
					primary = strconv.FormatBool(e.IsPrimary)
				}
				put(record(e.SourcedID(), e.class(), a.school.String(), e.UserID.String(), e.Role, primary, "", "")...)
			}
		}
	}
	return nil
}

// enrolled are the users who may have enrolments of a role: an administrator can teach, too.
func (a *archive) enrolled(role string) (out []id.ID) {
	for _, u := range a.users {
		if u.Role == role || role == "teacher" && u.Role == "siteAdministrator" {
			out = append(out, u.ID)
		}
	}
	return out
}
