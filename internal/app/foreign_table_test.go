package app_test

import (
	"context"
	"crypto/rand"
	"slices"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/access"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

type (
	m    = map[string]any
	list = []any
)

// probes covers every id that a route takes. Calls that delete come last, because
// every probe is also sent with valid ids.
var probes = slices.Concat(electiveProbes, trackingProbes, transportProbes, timetableProbes, attendanceProbes, leaveProbes, examProbes,
	announcementProbes, eventProbes, notificationProbes, feeProbes, libraryProbes, messageProbes, fileProbes, peopleProbes)

var peopleProbes = []probe{
	// Students.
	{route: "GET /school-admin/student/list", body: m{"filters": m{"classId": "$class", "divisionId": "$division",
		"academicYearId": "$year"}}},
	{route: "POST /school-admin/student/create", body: m{"firstName": "New", "classId": "$class", "divisionId": "$division",
		"photoFileId": "$photoFile"}},
	{route: "GET /school-admin/student/{id}", path: []string{"$student"}},
	{route: "PUT /school-admin/student/{id}", path: []string{"$student"},
		body: m{"lastName": "Changed", "classId": "$class", "divisionId": "$division", "photoFileId": "$changedPhotoFile",
			"guardians": list{m{"id": "$guardian"}}}},
	{route: "POST /school-admin/student/{id}/guardians", path: []string{"$student"}, body: m{"name": "Aunt"}},
	{route: "GET /school-admin/student/{id}/profile", path: []string{"$student"}},
	{route: "GET /school-admin/guardian/list", body: m{"filters": m{"studentId": "$student"}}},
	{route: "GET /school-admin/guardian/{id}", path: []string{"$guardian"}},
	{route: "PUT /school-admin/guardian/{id}", path: []string{"$guardian"}, body: m{"address": "1 High St"}},
	{route: "POST /school-admin/guardian/change/{id}/reject", path: []string{"$contactChange"}, body: m{}},
	{route: "POST /school-admin/guardian/change/{id}/accept", path: []string{"$secondContactChange"}, body: m{}},
	{route: "GET /school-admin/student/{id}/data-export", path: []string{"$student"}},
	{route: "POST /parent/student/list", body: m{"academicYearId": "$year"}},
	{route: "POST /parent/student/get-students", body: m{"academicYearId": "$year"}},
	{route: "GET /parent/student/{id}", path: []string{"$student"}},
	{route: "GET /teacher/class/students", body: m{"classId": "$class", "divisionId": "$division"}},
	{route: "GET /teacher/class/students", body: m{"filters": m{"classId": "$class", "divisionId": "$division"}}},
	{route: "GET /teacher/student/{id}", path: []string{"$student"}},

	{route: "GET /school-admin/student/export", body: m{"classId": "$class", "divisionId": "$division", "academicYearId": "$year"}},
	{route: "GET /school-admin/oneroster/export", body: m{"academicYearId": "$year"}},
	{route: "POST /school-admin/student/import/{id}/undo", path: []string{"$studentImport"}, body: m{}},
	{route: "POST /school-admin/employee/import/{id}/undo", path: []string{"$employeeImport"}, body: m{}},
	{route: "POST /school-admin/library/book/import/{id}/undo", path: []string{"$library/bookImport"}, body: m{}},
	{route: "POST /school-admin/fee/opening/import/{id}/undo", path: []string{"$fee/openingImport"}, body: m{}},
	{route: "POST /school-admin/timetable/import/{id}/undo", path: []string{"$timetableImport"}, body: m{}},
	{route: "POST /school-admin/student/import", body: m{"academicYearId": "$year", "dryRun": true}, file: "firstName\nAda\n"},

	{route: "GET /parent/school", body: m{"academicYearId": "$year"}},
	{route: "GET /teacher/school", body: m{"academicYearId": "$year"}},
	{route: "GET /driver/school", body: m{"academicYearId": "$year"}},
	{route: "GET /school-admin/school", body: m{"academicYearId": "$year"}},

	// Employees.
	{route: "GET /school-admin/employee/export", body: m{"roleId": "$role"}},
	{route: "POST /school-admin/employee/create", body: m{"firstName": "New", "roleId": "$role"}},
	{route: "GET /school-admin/employee/list", body: m{"filters": m{"roleId": "$role"}}},
	{route: "GET /school-admin/employee/{id}", path: []string{"$employee"}},
	{route: "PUT /school-admin/employee/{id}", path: []string{"$employee"}, body: m{"lastName": "Changed", "roleId": "$role"}},
	{route: "GET /school-admin/employee/{id}/duties", path: []string{"$employee"}},
	{route: "POST /school-admin/employee/{id}/hand-over", path: []string{"$leaver"}, body: m{"toEmployeeId": "$employee"}},
	{route: "PUT /school-admin/employee/{id}", path: []string{"$leaver"}, body: m{"status": "RESIGNED", "handOverTo": "$employee"}},
	{route: "GET /school-admin/employee/{id}/assignments", path: []string{"$employee"}, body: m{"academicYearId": "$year"}},
	{route: "POST /school-admin/employee/{id}/assignments", path: []string{"$employee"}, body: m{"academicYearId": "$year",
		"assignments": list{m{"classId": "$class", "divisionId": "$division", "subjectId": "$subject", "isClassTeacher": true}}}},

	// Classes, divisions, subjects.
	{route: "POST /school-admin/class/create", body: m{"name": "New", "academicYearId": "$year"}},
	{route: "GET /school-admin/class/list", body: m{"filters": m{"academicYearId": "$year"}}},
	{route: "POST /school-admin/class/reorder", body: m{"classIds": list{"$class", "$spareClass"}}},
	{route: "POST /school-admin/class/copy", body: m{"fromAcademicYearId": "$year", "toAcademicYearId": "$nextYear"}},
	{route: "GET /school-admin/class/{id}", path: []string{"$class"}},
	{route: "PUT /school-admin/class/{id}", path: []string{"$class"}, body: m{"name": "Changed"}},
	{route: "POST /school-admin/division/create", body: m{"classId": "$class", "name": "New", "classTeacherId": "$employee"}},
	{route: "GET /school-admin/division/list", body: m{"filters": m{"classId": "$class"}}},
	{route: "GET /school-admin/division/{id}", path: []string{"$division"}},
	{route: "PUT /school-admin/division/{id}", path: []string{"$division"}, body: m{"room": "Changed", "classTeacherId": "$employee"}},
	{route: "POST /school-admin/subject/create", body: m{"name": "New", "classIds": list{"$class", "$spareClass"}}},
	{route: "GET /school-admin/subject/list", body: m{"filters": m{"classId": "$class"}}},
	{route: "GET /school-admin/subject/{id}", path: []string{"$subject"}},
	{route: "PUT /school-admin/subject/{id}", path: []string{"$subject"}, body: m{"name": "Changed", "classIds": list{"$class"}}},
	{route: "GET /teacher/subject/list", body: m{"filters": m{"classId": "$class"}}},

	// Calls that move students or delete.
	{route: "POST /school-admin/student/renumber", body: m{"divisionId": "$division", "studentIds": list{"$student"}}},
	{route: "POST /school-admin/student/promote/preview", body: m{"fromClassId": "$class", "toClassId": "$nextClass",
		"academicYearId": "$nextYear", "studentIds": list{"$student", "$spareStudent"}, "except": list{"$spareStudent"},
		"detainedClassId": "$detainedClass"}},
	{route: "POST /school-admin/student/promote", body: m{"fromClassId": "$class", "toClassId": "$nextClass", "academicYearId": "$nextYear",
		"studentIds": list{"$student", "$spareStudent"}, "except": list{"$spareStudent"}, "detainedClassId": "$detainedClass"}},
	{route: "POST /school-admin/student/promote/undo", body: m{"fromClassId": "$class", "studentIds": list{"$student", "$spareStudent"}}},
	{route: "POST /school-admin/guardian/{id}/merge", path: []string{"$guardian"}, body: m{"guardianId": "$secondGuardian"}},
	{route: "DELETE /school-admin/student/{id}/guardians/{guardianId}", path: []string{"$student", "$guardian"}},
	{route: "DELETE /school-admin/student/{id}", path: []string{"$student"}},
	{route: "POST /school-admin/student/{id}/erase", path: []string{"$spareStudent"}, body: m{"confirm": "2"}},
	{route: "DELETE /school-admin/subject/{id}", path: []string{"$spareSubject"}},
	{route: "DELETE /school-admin/division/{id}", path: []string{"$spareDivision"}},
	{route: "DELETE /school-admin/class/{id}", path: []string{"$spareClass"}},
	{route: "DELETE /school-admin/user/{id}/sessions", path: []string{"$account"}},
	{route: "DELETE /school-admin/employee/{id}", path: []string{"$leaver"}, body: m{"handOverTo": "$employee"}},
	{route: "DELETE /school-admin/employee/{id}", path: []string{"$employee"}},
}

// fixtures are the records of one school, by the names that probes use.
type fixtures map[string]id.ID

// furnisher creates the fixtures of a school.
type furnisher struct {
	academics *academics.Service
	people    *people.Service
	out       fixtures
}

// furnish creates one record of each kind in a school, and a spare one where a
// call deletes or takes several. The school's teacher teaches the class, its
// parent is linked to the student and its driver to the bus.
func furnish(t *testing.T, s *apptest.Service, at apptest.School) fixtures {
	t.Helper()
	log := &audit.Service{DB: s.DB, Now: s.Now, NewID: s.NewID}
	schools := &school.Service{DB: s.DB, Audit: log, Now: s.Now, NewID: s.NewID}
	f := &furnisher{out: fixtures{},
		academics: &academics.Service{DB: s.DB, Audit: log, Now: s.Now, NewID: s.NewID},
		people: &people.Service{DB: s.DB, Now: s.Now, NewID: s.NewID,
			Accounts: identity.New(identity.Options{DB: s.DB, Audit: log, Notify: s.Notify, Keys: s.Keys, Now: s.Now, NewID: s.NewID,
				Rand: rand.Reader})}}
	who := actor.Actor{School: at.ID}
	year, err := school.CurrentYear(t.Context(), s.DB.School(at.ID))
	if err != nil {
		t.Fatal(err)
	}
	next, err := schools.CreateYear(t.Context(), who, school.NewYear{Name: "Next year",
		StartDate: year.EndDate.AddDays(1), EndDate: year.EndDate.AddDays(300)})
	if err != nil {
		t.Fatal(err)
	}
	f.out["year"], f.out["nextYear"] = year.ID, next.ID
	err = s.DB.InSchool(t.Context(), at.ID, func(ctx context.Context, tx *db.Tx) error {
		for _, add := range []func(context.Context, *db.Tx, actor.Actor, apptest.School) error{f.classes, f.staff, f.students} {
			if err := add(ctx, tx, who, at); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, add := range []func(*testing.T, *apptest.Service, apptest.School, fixtures){
		furnishTransport, furnishTimetable, furnishAttendance, furnishLeave, furnishExam, furnishAnnouncement, furnishEvent,
		furnishNotification, furnishFee, furnishLibrary, furnishMessage, furnishFile, furnishImports} {
		add(t, s, at, f.out)
	}
	return f.out
}

// furnishImports imports one record of each kind.
func furnishImports(t *testing.T, s *apptest.Service, at apptest.School, f fixtures) {
	t.Helper()
	for kind, file := range importFiles(t, s, at.Admin) {
		made := s.Call(t, at.Admin, "POST", "/school-admin/"+kind+"/import", file, "Content-Type", "text/csv").OK()
		f[kind+"Import"] = id.ID(made.Text("id"))
	}
}

// importFiles are files of one row, by the path of the import. It creates the records that
// they name.
func importFiles(t *testing.T, s *apptest.Service, admin *apptest.Account) map[string]string {
	t.Helper()
	post := func(path string, body m) string {
		return s.Call(t, admin, "POST", "/school-admin/"+path+"/create", body).OK().Text("id")
	}
	post("student", m{"firstName": "Zac", "admissionNo": "Z-1"})
	class := post("class", m{"name": "Imported"})
	post("division", m{"classId": class, "name": "Z"})
	post("subject", m{"name": "Zoology", "classIds": list{class}})
	return map[string]string{"student": "firstName\nZoe\n", "employee": "firstName\nZoe\n", "library/book": "title\nZoe\n",
		"fee/opening": "admissionNo,owed\nZ-1,5\n",
		"timetable":   "class,division,day,period,start,end,subject\nImported,Z,Monday,1,08:00,08:45,Zoology\n"}
}

func (f *furnisher) classes(ctx context.Context, tx *db.Tx, _ actor.Actor, _ apptest.School) error {
	classes, err := f.academics.AddClasses(ctx, tx, []academics.Class{
		{Name: "One", DisplayOrder: 1, AcademicYearID: f.out["year"]}, {Name: "Spare", DisplayOrder: 2, AcademicYearID: f.out["year"]},
		{Name: "Detained", DisplayOrder: 1, AcademicYearID: f.out["nextYear"]},
		{Name: "Next", DisplayOrder: 2, AcademicYearID: f.out["nextYear"]}})
	if err != nil {
		return err
	}
	for i, name := range []string{"class", "spareClass", "detainedClass", "nextClass"} {
		f.out[name] = classes[i].ID
	}
	divisions, err := f.academics.AddDivisions(ctx, tx, []academics.Division{{ClassID: classes[0].ID, Name: "A"},
		{ClassID: classes[1].ID, Name: "A"}})
	if err != nil {
		return err
	}
	f.out["division"], f.out["spareDivision"] = divisions[0].ID, divisions[1].ID
	subjects, err := f.academics.AddSubjects(ctx, tx, []academics.Subject{
		{Name: "Maths", Type: "CORE", ClassIDs: []id.ID{classes[0].ID}}, {Name: "Spare", Type: "CORE"}})
	if err != nil {
		return err
	}
	f.out["subject"], f.out["spareSubject"] = subjects[0].ID, subjects[1].ID
	return nil
}

func (f *furnisher) staff(ctx context.Context, tx *db.Tx, who actor.Actor, at apptest.School) error {
	teachers, err := access.System(ctx, tx, actor.Teacher)
	if err != nil {
		return err
	}
	drivers, err := access.System(ctx, tx, actor.Driver)
	if err != nil {
		return err
	}
	ids, err := f.people.AddEmployees(ctx, tx, who, []people.NewEmployee{
		{FirstName: "Teacher", RoleID: teachers.ID, Phone: at.Teacher.Phone, UserID: &at.Teacher.ID},
		{FirstName: "Driver", RoleID: drivers.ID, Phone: at.Driver.Phone, UserID: &at.Driver.ID},
		{FirstName: "Leaver", RoleID: teachers.ID}})
	if err != nil {
		return err
	}
	f.out["role"], f.out["employee"], f.out["driver"], f.out["account"] = teachers.ID, ids[0], ids[1], at.Teacher.ID
	f.out["leaver"] = ids[2]
	division, subject := f.out["division"], f.out["subject"]
	return f.academics.Assign(ctx, tx, []academics.Assignment{
		{EmployeeID: ids[0], ClassID: f.out["class"], DivisionID: &division, SubjectID: &subject, IsClassTeacher: true}})
}

func (f *furnisher) students(ctx context.Context, tx *db.Tx, who actor.Actor, at apptest.School) error {
	class, division := f.out["class"], f.out["division"]
	ids, err := f.people.AddStudents(ctx, tx, who, []people.NewStudent{
		{AdmissionNo: "1", FirstName: "Student", ClassID: &class, DivisionID: &division, Guardians: []people.NewGuardian{
			{Name: "Parent", Relation: "MOTHER", Phone: at.Parent.Phone, IsPrimary: true, CanViewData: true}}},
		{AdmissionNo: "2", FirstName: "Spare", ClassID: &class}})
	if err != nil {
		return err
	}
	f.out["student"], f.out["spareStudent"] = ids[0], ids[1]
	if f.out["guardian"], err = db.One[id.ID](ctx, tx, `SELECT id FROM guardians WHERE school_id = :school`, nil); err != nil {
		return err
	}
	f.out["secondGuardian"], f.out["contactChange"], f.out["secondContactChange"] = id.New(), id.New(), id.New()
	_, err = db.Exec(ctx, tx, `
		INSERT INTO guardians (school_id, id, name, created_at, updated_at)
		SELECT school_id, :second, 'Parent again', created_at, created_at FROM guardians WHERE school_id = :school AND id = :guardian`,
		db.Args{"guardian": f.out["guardian"], "second": f.out["secondGuardian"]})
	if err != nil {
		return err
	}
	for change, guardian := range map[string]string{"contactChange": "guardian", "secondContactChange": "secondGuardian"} {
		_, err := db.Exec(ctx, tx, `
			INSERT INTO contact_changes (school_id, id, guardian_id, user_id, address, status, created_at)
			SELECT school_id, :change, :of, user_id, '2 Low Rd', 'PENDING', created_at FROM guardians
			WHERE school_id = :school AND id = :guardian`,
			db.Args{"change": f.out[change], "of": f.out[guardian], "guardian": f.out["guardian"]})
		if err != nil {
			return err
		}
	}
	return nil
}
