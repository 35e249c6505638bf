package leave

import (
	"context"
	"errors"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/file"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Routes returns the routes of this feature.
func (s *Service) Routes() []web.Route {
	sorts := web.List("createdAt", "fromDate")
	one, several := file.One[Leave](s.Files), file.Page[Leave](s.Files)
	return []web.Route{
		web.Handle("POST /parent/leave/apply", file.Showing(s.ApplyFor, one), web.Write("leave"), web.Created(), web.Says("Applied."),
			web.Doc("Apply for leave of the caller's child. 409 if it overlaps other leave.")),
		web.Handle("GET /parent/leave/list", file.Showing(s.children, several), web.Read("leave"), sorts,
			web.Doc("List the leave of the caller's children, the latest application first.")),
		web.Handle("POST /parent/leave/{id}/cancel", file.Showing(s.cancel, one), web.Write("leave"), web.Says("Cancelled."),
			web.Doc("Cancel the caller's own application, while it is pending or before the first day.")),

		web.Handle("GET /teacher/leave/student-requests", file.Showing(s.requests, several), web.Read("leave"), sorts,
			web.Doc("List the leave of students whose class teacher is the caller, the latest application first.")),
		web.Handle("POST /teacher/leave/{id}/approve", file.Showing(s.approve, one), web.Write("leave"), web.Says("Approved."),
			web.Doc("Approve a student's leave and mark its school days. Only for the class teacher.")),
		web.Handle("POST /teacher/leave/{id}/reject", file.Showing(s.reject, one), web.Write("leave"), web.Says("Rejected."),
			web.Doc("Reject a student's leave. Only for the class teacher.")),
		web.Handle("POST /teacher/leave/{id}/reopen", file.Showing(s.reopen, one), web.Write("leave"), web.Says("Waiting again."),
			web.Doc("Take the caller's decision on a student's leave back. The leave waits again, and marks that it made are taken back.")),
		web.Handle("POST /teacher/leave/apply", file.Showing(s.Apply, one), web.Write("leave"), web.Created(), web.Says("Applied."),
			web.Doc("Apply for the caller's own leave. 409 if it overlaps other leave or exceeds the balance.")),
		web.Handle("GET /teacher/leave/list", file.Showing(s.own, several), web.Read("leave"), sorts,
			web.Doc("List the caller's own leave, the latest application first.")),
		web.Handle("GET /teacher/leave/balance", s.ownBalance, web.Read("leave"),
			web.Doc("Get the caller's leave balance by type in an academic year.")),
		web.Handle("POST /teacher/leave/{id}/cancel", file.Showing(s.cancel, one), web.Write("leave"), web.Says("Cancelled."),
			web.Doc("Cancel the caller's own application, while it is pending or before the first day.")),

		web.Handle("POST /driver/leave/apply", file.Showing(s.Apply, one), web.Write("leave"), web.Created(), web.Says("Applied."),
			web.Doc("Apply for the caller's own leave. 409 if it overlaps other leave or exceeds the balance.")),
		web.Handle("GET /driver/leave/list", file.Showing(s.own, several), web.Read("leave"), sorts,
			web.Doc("List the caller's own leave, the latest application first.")),
		web.Handle("GET /driver/leave/balance", s.ownBalance, web.Read("leave"),
			web.Doc("Get the caller's leave balance by type in an academic year.")),
		web.Handle("POST /driver/leave/{id}/cancel", file.Showing(s.cancel, one), web.Write("leave"), web.Says("Cancelled."),
			web.Doc("Cancel the caller's own application, while it is pending or before the first day.")),

		web.Handle("GET /school-admin/leave/list", file.Showing(s.list, several), web.Read("leave"), sorts,
			web.Doc("List leave of students and employees, the latest application first.")),
		web.Handle("POST /school-admin/leave/create", file.Showing(s.Enter, one), web.Write("leave"), web.Created(), web.Says("Approved."),
			web.Doc("Enter leave of a student or an employee, approved at once. 409 if it overlaps other leave or exceeds the balance.")),
		web.Handle("POST /school-admin/leave/{id}/cancel", file.Showing(s.cancelAny, one), web.Write("leave"), web.Says("Cancelled."),
			web.Doc("Cancel leave at any time. For a student, this takes back the marks that it made.")),
		web.Handle("POST /school-admin/leave/{id}/shorten", file.Showing(s.shorten, one), web.Write("leave"), web.Says("Shortened."),
			web.Doc("End leave on an earlier day. For a student, this takes back the marks that it made after that day.")),
		web.Handle("GET /school-admin/leave/balance", s.balances, web.Read("leave"), web.List("firstName", "employeeCode"),
			web.Doc("List the leave balances of employees by type in an academic year.")),
		web.Handle("GET /school-admin/leave/entitlements", s.entitlements, web.Read("leave"),
			web.Doc("Get the yearly leave entitlements by type, of all employees or of one.")),
		web.Handle("PUT /school-admin/leave/entitlements", s.setEntitlements, web.Write("leave"),
			web.Doc("Set the yearly leave entitlements by type, of all employees or of one.")),
		web.Handle("GET /school-admin/leave/{id}", file.Showing(s.get, one), web.Read("leave"),
			web.Doc("Get a leave.")),
		web.Handle("POST /school-admin/leave/{id}/approve", file.Showing(s.approve, one), web.Write("leave"), web.Says("Approved."),
			web.Doc("Approve leave. For a student, this marks the school days.")),
		web.Handle("POST /school-admin/leave/{id}/reject", file.Showing(s.reject, one), web.Write("leave"), web.Says("Rejected."),
			web.Doc("Reject leave.")),
		web.Handle("POST /school-admin/leave/{id}/reopen", file.Showing(s.reopen, one), web.Write("leave"), web.Says("Waiting again."),
			web.Doc("Take a decision back. The leave waits again; marks and substitutions that followed from it are undone.")),
	}
}

type statusFilters struct {
	Status Status      `json:"status,omitempty" enum:"PENDING,APPROVED,REJECTED,CANCELLED"`
	Type   Type        `json:"type,omitempty" enum:"SICK,CASUAL,EMERGENCY"`
	From   *clock.Date `json:"from,omitempty" doc:"Leave with a day on or after this date."`
	To     *clock.Date `json:"to,omitempty" doc:"Leave with a day on or before this date."`
}

func (f statusFilters) filter() filter {
	return filter{status: f.Status, typ: f.Type, from: f.From, to: f.To}
}

type childFilters struct {
	StudentID *id.ID `json:"studentId,omitempty"`
	statusFilters
}

func (s *Service) children(ctx context.Context, who actor.Actor, in page.Ask[childFilters]) (page.Of[Leave], error) {
	q, f := s.DB.School(who.School), in.Filters.filter()
	if f.student = in.Filters.StudentID; f.student != nil {
		if err := people.MustBeLinked(ctx, q, who.User, *f.student); err != nil {
			return page.Of[Leave]{}, err
		}
		return pageLeaves(ctx, q, f, in.Request)
	}
	children, err := people.ChildrenOf(ctx, q, who.User)
	if err != nil {
		return page.Of[Leave]{}, err
	}
	f.students = append([]id.ID{}, children...) // not nil: nil would mean no filter
	return pageLeaves(ctx, q, f, in.Request)
}

func (s *Service) requests(ctx context.Context, who actor.Actor, in page.Ask[statusFilters]) (page.Of[Leave], error) {
	f := in.Filters.filter()
	f.classTeacher = who.User
	return pageLeaves(ctx, s.DB.School(who.School), f, in.Request)
}

func (s *Service) own(ctx context.Context, who actor.Actor, in page.Ask[statusFilters]) (page.Of[Leave], error) {
	q, f := s.DB.School(who.School), in.Filters.filter()
	employee, err := employeeOf(ctx, q, who.User)
	switch {
	case errors.Is(err, errNoStaff): // no employee, no leave
		return page.New[Leave](in.Clamp(), nil, 0), nil
	case err != nil:
		return page.Of[Leave]{}, err
	}
	f.employee = &employee
	return pageLeaves(ctx, q, f, in.Request)
}

type filters struct {
	ApplicantType string `json:"applicantType,omitempty" enum:"STUDENT,EMPLOYEE"`
	StudentID     *id.ID `json:"studentId,omitempty"`
	EmployeeID    *id.ID `json:"employeeId,omitempty"`
	ClassID       *id.ID `json:"classId,omitempty" doc:"Leave of the students now in this class."`
	DivisionID    *id.ID `json:"divisionId,omitempty"`
	statusFilters
}

func (s *Service) list(ctx context.Context, who actor.Actor, in page.Ask[filters]) (page.Of[Leave], error) {
	q, ask := s.DB.School(who.School), in.Filters
	f := ask.filter()
	f.applicant, f.student, f.employee, f.class, f.division = ask.ApplicantType, ask.StudentID, ask.EmployeeID, ask.ClassID, ask.DivisionID
	out, err := pageLeaves(ctx, q, f, in.Request)
	if err != nil || out.Total > 0 { // check the ids of filters only if the list is empty
		return out, err
	}
	if f.student != nil {
		if _, err := people.GetRecord(ctx, q, *f.student); err != nil {
			return out, err
		}
	}
	if f.employee != nil {
		if _, err := people.GetEmployee(ctx, q, *f.employee); err != nil {
			return out, err
		}
	}
	return out, people.MustExist(ctx, q,
		people.Ref{Table: "classes", ID: f.class, Missing: academics.ErrNoClass},
		people.Ref{Table: "divisions", ID: f.division, Missing: academics.ErrNoDivision})
}

func (s *Service) get(ctx context.Context, who actor.Actor, in idIn) (Leave, error) {
	return getLeave(ctx, s.DB.School(who.School), in.ID)
}
