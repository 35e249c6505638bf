package oneroster

import (
	"context"
	"strings"

	"homeroom/internal/feature/oneroster/roster"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/web"
)

// Routes returns the routes of this feature: of administrators, and of the systems that
// have a key.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		web.Handle("GET /school-admin/oneroster/export", s.export, web.Read("student"), web.GivesFile(zipType),
			web.Doc("The students, guardians, staff, classes and enrolments of a year as OneRoster 1.2 CSV files.")),
		web.Handle("GET /school-admin/oneroster/keys", s.listKeys, web.Read("setting"),
			web.Doc("List the keys with which other systems read rosters.")),
		web.Handle("POST /school-admin/oneroster/keys", s.createKey, web.Write("setting"), web.Created(), web.GivesSecret(),
			web.Doc("Create a key for another system. It has the rights of its creator. The reply has the secret, which is not shown again.")),
		web.Handle("PUT /school-admin/oneroster/keys/{id}", s.renameKey, web.Write("setting"),
			web.Doc("Rename a key.")),
		web.Handle("DELETE /school-admin/oneroster/keys/{id}", s.deleteKey, web.Delete("setting"),
			web.Doc("Delete a key. The system can't read from then on.")),

		web.Handle("POST /ims/oneroster/token", s.getToken, web.SignIn(), web.Follows(oauth),
			web.ReadsAuthorization(func(in *tokenIn) *string { return &in.header }),
			web.Doc("Exchange the secret of a key for an access token (OAuth 2 client credentials).")),

		list(s, "GET /ims/oneroster/rostering/v1p2/orgs", orgs, wrapOrgs),
		one(s, "GET /ims/oneroster/rostering/v1p2/orgs/{sourcedId}", orgs, wrapOrg),
		list(s, "GET /ims/oneroster/rostering/v1p2/schools", orgs, wrapOrgs),
		one(s, "GET /ims/oneroster/rostering/v1p2/schools/{sourcedId}", orgs, wrapOrg),
		list(s, "GET /ims/oneroster/rostering/v1p2/academicSessions", sessions, wrapSessions),
		one(s, "GET /ims/oneroster/rostering/v1p2/academicSessions/{sourcedId}", sessions, wrapSession),
		list(s, "GET /ims/oneroster/rostering/v1p2/courses", courses, wrapCourses),
		one(s, "GET /ims/oneroster/rostering/v1p2/courses/{sourcedId}", courses, wrapCourse),
		list(s, "GET /ims/oneroster/rostering/v1p2/classes", classes, wrapClasses),
		one(s, "GET /ims/oneroster/rostering/v1p2/classes/{sourcedId}", classes, wrapClass),
		s.inClass("GET /ims/oneroster/rostering/v1p2/classes/{sourcedId}/students", "student"),
		s.inClass("GET /ims/oneroster/rostering/v1p2/classes/{sourcedId}/teachers", "teacher"),
		list(s, "GET /ims/oneroster/rostering/v1p2/users", users, wrapUsers),
		one(s, "GET /ims/oneroster/rostering/v1p2/users/{sourcedId}", users, wrapUser),
		list(s, "GET /ims/oneroster/rostering/v1p2/students", users, wrapUsers, ofStudents),
		one(s, "GET /ims/oneroster/rostering/v1p2/students/{sourcedId}", users, wrapUser, ofStudents),
		list(s, "GET /ims/oneroster/rostering/v1p2/teachers", users, wrapUsers, ofTeachers),
		one(s, "GET /ims/oneroster/rostering/v1p2/teachers/{sourcedId}", users, wrapUser, ofTeachers),
		list(s, "GET /ims/oneroster/rostering/v1p2/enrollments", enrollments, wrapEnrollments),
		one(s, "GET /ims/oneroster/rostering/v1p2/enrollments/{sourcedId}", enrollments, wrapEnrollment),
	}
}

// byToken is why the routes of systems are public.
const byToken = "it needs the access token of a key instead of a user's"

// pathOf returns the path below the URL of the service.
func pathOf(pattern string) string {
	return strings.TrimPrefix(pattern, "GET /ims/oneroster/rostering/v1p2/")
}

// list is a route that lists records.
func list[Row, Record, Out any](s *Service, pattern string, c collection[Row, Record], wrap func(links, []Record) Out,
	only ...condition) web.Route {
	path := pathOf(pattern)
	handle := func(ctx context.Context, _ actor.Actor, in listIn) (out Out, err error) {
		r, err := s.read(ctx, in.header)
		if err != nil {
			return out, err
		}
		records, l, err := c.list(ctx, r, in, path, only...)
		return wrap(l, records), err
	}
	return web.Handle(pattern, handle, web.Public(byToken), web.Follows(binding), web.Doc("List "+path+", as OneRoster 1.2 has them."),
		web.ReadsAuthorization(func(in *listIn) *string { return &in.header }))
}

// one is a route that reads one record.
func one[Row, Record, Out any](s *Service, pattern string, c collection[Row, Record], wrap func(Record) Out, only ...condition) web.Route {
	handle := func(ctx context.Context, _ actor.Actor, in oneIn) (out Out, err error) {
		r, err := s.read(ctx, in.header)
		if err != nil {
			return out, err
		}
		record, err := c.one(ctx, r, in, only...)
		return wrap(record), err
	}
	return web.Handle(pattern, handle, web.Public(byToken), web.Follows(binding),
		web.Doc("Get one of the "+strings.TrimSuffix(pathOf(pattern), "/{sourcedId}")+", as OneRoster 1.2 has it."),
		web.ReadsAuthorization(func(in *oneIn) *string { return &in.header }))
}

// inClass is a route that lists the students or the teachers of a class.
func (s *Service) inClass(pattern, role string) web.Route {
	handle := func(ctx context.Context, _ actor.Actor, in inClassIn) (out usersOut, err error) {
		r, err := s.read(ctx, in.header)
		if err != nil {
			return out, err
		}
		members, err := r.within(ctx, in.SourcedID, role)
		if err != nil {
			return out, err
		}
		records, l, err := users.list(ctx, r, in.listIn, strings.Replace(pathOf(pattern), "{sourcedId}", in.SourcedID, 1), members)
		return wrapUsers(l, records), err
	}
	return web.Handle(pattern, handle, web.Public(byToken), web.Follows(binding),
		web.Doc("List the "+role+"s of a class, as OneRoster 1.2 has them."),
		web.ReadsAuthorization(func(in *inClassIn) *string { return &in.header }))
}

type (
	orgsOut struct {
		links
		Orgs []roster.OrgRecord `json:"orgs"`
	}
	sessionsOut struct {
		links
		Sessions []roster.SessionRecord `json:"academicSessions"`
	}
	coursesOut struct {
		links
		Courses []roster.CourseRecord `json:"courses"`
	}
	classesOut struct {
		links
		Classes []roster.ClassRecord `json:"classes"`
	}
	usersOut struct {
		links
		Users []roster.UserRecord `json:"users"`
	}
	enrollmentsOut struct {
		links
		Enrollments []roster.EnrollmentRecord `json:"enrollments"`
	}
	orgOut struct {
		Org roster.OrgRecord `json:"org"`
	}
	sessionOut struct {
		Session roster.SessionRecord `json:"academicSession"`
	}
	courseOut struct {
		Course roster.CourseRecord `json:"course"`
	}
	classOut struct {
		Class roster.ClassRecord `json:"class"`
	}
	userOut struct {
		User roster.UserRecord `json:"user"`
	}
	enrollmentOut struct {
		Enrollment roster.EnrollmentRecord `json:"enrollment"`
	}
)

func wrapOrgs(l links, r []roster.OrgRecord) orgsOut             { return orgsOut{l, r} }
func wrapSessions(l links, r []roster.SessionRecord) sessionsOut { return sessionsOut{l, r} }
func wrapCourses(l links, r []roster.CourseRecord) coursesOut    { return coursesOut{l, r} }
func wrapClasses(l links, r []roster.ClassRecord) classesOut     { return classesOut{l, r} }
func wrapUsers(l links, r []roster.UserRecord) usersOut          { return usersOut{l, r} }
func wrapEnrollments(l links, r []roster.EnrollmentRecord) enrollmentsOut {
	return enrollmentsOut{l, r}
}
func wrapOrg(r roster.OrgRecord) orgOut                      { return orgOut{r} }
func wrapSession(r roster.SessionRecord) sessionOut          { return sessionOut{r} }
func wrapCourse(r roster.CourseRecord) courseOut             { return courseOut{r} }
func wrapClass(r roster.ClassRecord) classOut                { return classOut{r} }
func wrapUser(r roster.UserRecord) userOut                   { return userOut{r} }
func wrapEnrollment(r roster.EnrollmentRecord) enrollmentOut { return enrollmentOut{r} }
