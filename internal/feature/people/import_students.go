package people

import (
	"context"
	"fmt"
	"io"
	"slices"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/db"
)

// The columns of a file of students, in export order.
const (
	stAdmissionNo = iota
	stFirstName
	stLastName
	stDateOfBirth
	stGender
	stBloodGroup
	stClass
	stDivision
	stRollNo
	stAdmissionDate
	stAddress
	stPhone
	stEmail
	stMedicalNotes
	stRideNotes
	stStatus
	stLeavingDate
	stLeavingReason
	stGuardian // the first column of the first guardian
)

// The columns of each guardian.
const (
	gdName = iota
	gdRelation
	gdPhone
	gdEmail
	gdColumns

	importGuardians = 4 // per student
)

var studentColumnsCSV = slices.Concat([]csv.Column{
	stAdmissionNo: {Name: "admissionNo", Also: []string{"Admission Number", "Adm No", "Student ID", "Student No", "Student Number",
		"Registration No", "GR No"}},
	stFirstName:     {Name: "firstName", Also: []string{"Given Name", "Forename"}},
	stLastName:      {Name: "lastName", Also: []string{"Surname", "Family Name"}},
	stDateOfBirth:   {Name: "dateOfBirth", Also: []string{"DOB", "Birth Date", "Birthday", "Date of Birth"}},
	stGender:        {Name: "gender", Also: []string{"Sex"}},
	stBloodGroup:    {Name: "bloodGroup", Also: []string{"Blood Type"}},
	stClass:         {Name: "class", Also: []string{"Class Name", "Grade", "Standard", "Year Group"}},
	stDivision:      {Name: "division", Also: []string{"Division Name", "Section"}},
	stRollNo:        {Name: "rollNo", Also: []string{"Roll Number"}},
	stAdmissionDate: {Name: "admissionDate", Also: []string{"Date of Admission", "Joining Date"}},
	stAddress:       {Name: "address"},
	stPhone:         {Name: "phone", Also: []string{"Phone Number", "Mobile", "Student Phone"}},
	stEmail:         {Name: "email", Also: []string{"E-mail", "E-mail Address", "Student Email"}},
	stMedicalNotes:  {Name: "medicalNotes", Also: []string{"Medical"}},
	stRideNotes:     {Name: "rideNotes"},
	stStatus:        {Name: "status"},
	stLeavingDate:   {Name: "leavingDate", Also: []string{"Date of Leaving"}},
	stLeavingReason: {Name: "leavingReason", Also: []string{"Reason for Leaving"}},
}, guardianColumns(1, "guardian", "Parent", "Guardian 1", "Parent 1"), guardianColumns(2, "guardian2", "Parent 2"),
	guardianColumns(3, "guardian3", "Parent 3"), guardianColumns(4, "guardian4", "Parent 4"))

// guardianColumns returns the columns of one guardian: guardian2Name, with aliases
// such as "Parent 2 Name".
func guardianColumns(_ int, name string, also ...string) []csv.Column {
	out := make([]csv.Column, gdColumns)
	for i, part := range []string{"Name", "Relation", "Phone", "Email"} {
		out[i].Name = name + part
		for _, a := range also {
			out[i].Also = append(out[i].Also, a+" "+part)
		}
	}
	return out
}

// studentLine is one row of a file.
type studentLine struct {
	NewStudent
	row           int
	class         string // its name in the file
	division      string
	place         *seatedDivision // the division found
	status        string
	leavingDate   *clock.Date
	leavingReason string
}

func parseStudent(c *cells) studentLine {
	l := studentLine{row: c.row, class: c.at[stClass], division: c.at[stDivision],
		status:      c.oneOf(stStatus, active, "TRANSFERRED", graduated, left),
		leavingDate: c.date(stLeavingDate), leavingReason: c.lines(stLeavingReason, 500)}
	l.NewStudent = NewStudent{
		AdmissionNo: c.text(stAdmissionNo, 50), FirstName: c.text(stFirstName, 100), LastName: c.text(stLastName, 100),
		DateOfBirth: c.date(stDateOfBirth), Gender: c.gender(stGender), BloodGroup: c.spelt(stBloodGroup, bloodGroups, ""),
		RollNo: c.number(stRollNo, 2147483646), AdmissionDate: c.date(stAdmissionDate), Address: c.lines(stAddress, 500),
		Phone: c.phone(stPhone), Email: c.email(stEmail), MedicalNotes: c.lines(stMedicalNotes, 5000),
		RideNotes: c.lines(stRideNotes, 1000)}
	for i := range importGuardians {
		parseGuardian(c, stGuardian+i*gdColumns, &l.NewStudent)
	}
	if l.division != "" && l.class == "" {
		c.bad(stDivision, "needs a class: fill in the column class")
	}
	return l
}

// parseGuardian adds the guardian whose columns start at first, if there is one.
func parseGuardian(c *cells, first int, n *NewStudent) {
	at := c.at[first : first+gdColumns]
	if at[gdName] == "" && at[gdPhone] == "" && at[gdEmail] == "" {
		return
	}
	g := NewGuardian{Name: c.text(first+gdName, 200), Relation: c.oneOf(first+gdRelation, "FATHER", "MOTHER", "GUARDIAN"),
		Phone: c.phone(first + gdPhone), Email: c.email(first + gdEmail),
		IsPrimary: len(n.Guardians) == 0, CanViewData: true, CanPickUp: true}
	if g.Name == "" {
		c.bad(first+gdName, "is required for a guardian")
	}
	if g.Relation == "" {
		g.Relation = "GUARDIAN"
	}
	n.Guardians = append(n.Guardians, g)
}

// ImportStudents enrols the students of a file and, with Upsert, updates existing
// ones. Empty cells change nothing.
func (s *Service) ImportStudents(ctx context.Context, who actor.Actor, src io.ReadSeeker, o Import) (Imported, error) {
	var given givenNumbers
	return runImport(ctx, s, who, src, o, kind[studentLine]{
		columns: studentColumnsCSV,
		entity:  "student",
		unique:  []string{"students_admission_no", "enrolments_roll_no", "users_phone", "guardians_phone", "guardians_user"},
		parse:   parseStudent,
		checkHeader: func(has func(int) bool) string {
			switch {
			case o.Upsert && !has(stAdmissionNo):
				return "must have the column admissionNo: mode=upsert finds students by it"
			case !o.Upsert && !has(stFirstName):
				return "must have the column firstName (First Name)"
			}
			return ""
		},
		begin: func(ctx context.Context, tx *db.Tx, r *report) (pass[studentLine], error) {
			p, err := s.studentPass(ctx, tx, who, o, r, &given)
			if err != nil {
				return nil, fmt.Errorf("import students: %w", err)
			}
			return p, nil
		},
	})
}
