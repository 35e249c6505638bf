package oneroster

import (
	"archive/zip"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
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
	year   year

	zip *zip.Writer
	plan
	people []person // written to users
}

func (a *archive) write(w io.Writer) (err error) {
	a.zip = zip.NewWriter(w)
	if a.plan, err = readPlan(a.ctx, a.tx, a.year); err != nil {
		return err
	}
	if err = a.readPeople(); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		rows func(put func(cells ...string)) error
	}{
		{"manifest", a.manifest}, {"orgs", a.orgs}, {"academicSessions", a.sessions}, {"courses", a.courses}, {"classes", a.classRows},
		{"users", a.users}, {"roles", a.roles}, {"enrollments", a.enrollments},
	} {
		if err := a.file(f.name, f.rows); err != nil {
			return fmt.Errorf("write %s: %w", f.name, err)
		}
	}
	return a.zip.Close()
}

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

func (a *archive) orgs(put func(...string)) error {
	at, err := db.One[struct{ Name, Code string }](a.ctx, a.tx, `SELECT name, code FROM schools WHERE id = :school`, nil)
	put(record(a.school.String(), at.Name, "school", at.Code, "")...)
	return fault.Wrap("read school", err)
}

// sessions writes the year. Its end is exclusive, and it is named by the year in which it ends.
func (a *archive) sessions(put func(...string)) error {
	end := a.year.EndDate
	put(record(a.year.ID.String(), a.year.Name, "schoolYear", string(a.year.StartDate), string(end.AddDays(1)), "", string(end)[:4])...)
	return nil
}

func (a *archive) courses(put func(...string)) error {
	for _, c := range a.classes {
		put(record(c.ID.String(), a.year.ID.String(), c.Name, "", "", a.school.String(), "", "")...)
	}
	last := id.ID("")
	for _, s := range a.subjects { // sorted, once per class
		if s.ID != last {
			put(record(s.ID.String(), a.year.ID.String(), s.Name, s.Code, "", a.school.String(), s.Name, s.Code)...)
		}
		last = s.ID
	}
	return nil
}

func (a *archive) classRows(put func(...string)) error {
	one := func(sourced, title, course, kind, room, subject, code string) {
		put(record(sourced, title, "", course, "", kind, room, a.school.String(), a.year.ID.String(), subject, code, "")...)
	}
	for _, r := range a.rooms {
		one(r.ID.String(), r.Title, r.ClassID.String(), "homeroom", r.Room, "", "")
		for _, s := range a.subjects {
			if s.ClassID == r.ClassID {
				one(r.lesson(s.ID), r.Title+" "+s.Name, s.ID.String(), "scheduled", "", s.Name, s.Code)
			}
		}
	}
	return nil
}

// readPeople reads the users, the students by class.
func (a *archive) readPeople() error {
	all, links, err := guardians(a.ctx, a.tx, a.year)
	if err != nil {
		return err
	}
	connected := map[id.ID][]id.ID{}
	for _, l := range links {
		connected[l.StudentID] = append(connected[l.StudentID], l.GuardianID)
		connected[l.GuardianID] = append(connected[l.GuardianID], l.StudentID)
	}
	for _, c := range a.classes {
		some, err := students(a.ctx, a.tx, a.year, c.ID)
		if err != nil {
			return err
		}
		all = append(all, some...)
	}
	employed, err := staff(a.ctx, a.tx)
	a.people = append(all, employed...)
	for i, p := range a.people {
		a.people[i].Connected = connected[p.ID]
	}
	return err
}

func (a *archive) users(put func(...string)) error {
	for _, p := range a.people {
		agents := make([]string, len(p.Connected))
		for i, o := range p.Connected {
			agents[i] = o.String()
		}
		name := p.Code // guardians have no code
		if name == "" {
			name = p.ID.String()
		}
		last := p.LastName
		if last == "" {
			last = "-" // required by the format
		}
		put(record(p.ID.String(), strconv.FormatBool(p.Enabled), name, "", p.FirstName, last, "", p.Code, p.Email, "", p.Phone,
			strings.Join(agents, ","), "", "", "", "", "", "", "", a.school.String(), "")...)
	}
	return nil
}

func (a *archive) roles(put func(...string)) error {
	for _, p := range a.people {
		put(record(p.ID.String()+"."+p.Role, p.ID.String(), "primary", p.Role, "", "", a.school.String(), "")...)
	}
	return nil
}

// enrollments writes who is in which class: students in their homeroom and the subjects
// that they take, teachers in what they are assigned to.
func (a *archive) enrollments(put func(...string)) error {
	one := func(class string, p id.ID, role, primary string) {
		put(record(p.String()+"."+class, class, a.school.String(), p.String(), role, primary, "", "")...)
	}
	for _, c := range a.classes {
		takes, err := chosen(a.ctx, a.tx, c.ID)
		if err != nil {
			return err
		}
		some, err := students(a.ctx, a.tx, a.year, c.ID)
		if err != nil {
			return err
		}
		for _, p := range some {
			r, ok := a.roomOf(c.ID, p.DivisionID)
			if !ok {
				continue
			}
			one(r.ID.String(), p.ID, "student", "")
			for _, s := range a.subjects {
				if s.ClassID == c.ID && (!s.IsElective || takes[[2]id.ID{s.ID, p.ID}]) {
					one(r.lesson(s.ID), p.ID, "student", "")
				}
			}
		}
	}
	return a.teachers(one)
}

func (a *archive) roomOf(class id.ID, division *id.ID) (room, bool) {
	for _, r := range a.rooms {
		if r.ClassID == class && opt.Value(r.DivisionID) == opt.Value(division) {
			return r, true
		}
	}
	return room{}, false
}

// teachers writes the enrolments of teachers, each once. Without a division or
// a subject they teach in all, and in the homeroom. A class has at most one primary teacher.
func (a *archive) teachers(one func(class string, p id.ID, role, primary string)) error {
	all, err := teachings(a.ctx, a.tx, a.year)
	if err != nil {
		return err
	}
	seen, led := map[string]bool{}, map[string]bool{}
	put := func(class string, t teaching, leads bool) {
		if key := t.EmployeeID.String() + class; !seen[key] {
			one(class, t.EmployeeID, "teacher", strconv.FormatBool(leads && !led[class]))
			seen[key], led[class] = true, led[class] || leads
		}
	}
	for _, t := range all { // class teachers first
		for _, r := range a.rooms {
			if r.ClassID != t.ClassID || t.DivisionID != nil && opt.Value(r.DivisionID) != *t.DivisionID {
				continue
			}
			if t.SubjectID == nil || t.IsClassTeacher {
				put(r.ID.String(), t, t.IsClassTeacher)
			}
			for _, s := range a.subjects {
				if s.ClassID == t.ClassID && (t.SubjectID == nil || s.ID == *t.SubjectID) {
					put(r.lesson(s.ID), t, true)
				}
			}
		}
	}
	return nil
}
