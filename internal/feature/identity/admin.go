package identity

import (
	"context"
	"strings"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

var errNoAdmin = fault.New(fault.NotFound, "", "There is no such administrator.")

// Admin is a school's administrator in the super-administrators' API.
type Admin struct {
	User
	SchoolID   id.ID  `json:"schoolId"`
	SchoolName string `json:"schoolName"`
}

func (s *Service) adminRoutes() []web.Route {
	return []web.Route{
		web.Handle("POST /super-admin/admin/create", s.createAdmin, web.Write("employee"), web.Created(),
			web.Doc("Create an administrator of a school and send a link to set a password.")),
		web.Handle("GET /super-admin/admin/list", s.listAdmins, web.Read("employee"), web.List("name", "schoolName", "createdAt"),
			web.Doc("Administrators of all schools.")),
		web.Handle("GET /super-admin/admin/{id}", s.getAdmin, web.Read("employee"), web.Doc("One administrator.")),
		web.Handle("PUT /super-admin/admin/{id}", s.updateAdmin, web.Write("employee"),
			web.Doc("Update an administrator. Disabling ends all sessions.")),
		web.Handle("DELETE /super-admin/admin/{id}", s.deleteAdmin, web.Delete("employee"),
			web.Doc("Delete an administrator and end all sessions.")),
	}
}

type createAdminIn struct {
	SchoolID id.ID  `json:"schoolId" required:"true"`
	Name     string `json:"name" required:"true" maxLength:"200"`
	Email    string `json:"email" required:"true" format:"email"`
	Phone    string `json:"phone" format:"phone"`
	RoleID   id.ID  `json:"roleId" doc:"A role of type SCHOOL_ADMIN of that school. Default: the system role."`
}

func (s *Service) createAdmin(ctx context.Context, who actor.Actor, in createAdminIn) (out Admin, err error) {
	err = s.DB.InSchool(ctx, in.SchoolID, func(ctx context.Context, tx *db.Tx) error {
		at, err := school.Get(ctx, tx)
		if err != nil {
			return err
		}
		if at.IsPlatform {
			return school.ErrNoSchool
		}
		u, err := s.create(ctx, tx, who, NewAccount{Role: actor.SchoolAdmin, RoleID: in.RoleID, Name: in.Name, Email: in.Email, Phone: in.Phone})
		out = Admin{u, at.ID, at.Name}
		return err
	})
	return out, err
}

type adminFilters struct {
	SchoolID id.ID  `json:"schoolId,omitempty"`
	Status   Status `json:"status,omitempty" enum:"ACTIVE,DISABLED"`
	Search   string `json:"search,omitempty" doc:"Any part of the name, the e-mail or the phone."`
}

const adminColumns = `u.id, u.role, u.role_id, u.name, u.phone, u.email, u.password_hash <> '' AS has_password, u.status,
	u.last_seen_at, u.version, u.created_at, u.updated_at, u.school_id, s.name AS school_name`

const admins = `users u JOIN schools s ON s.id = u.school_id WHERE u.role = 'SCHOOL_ADMIN' AND u.status <> 'DELETED'`

func (s *Service) listAdmins(ctx context.Context, _ actor.Actor, in page.Ask[adminFilters]) (page.Of[Admin], error) {
	f := in.Filters
	search := db.Contains(strings.ToLower(strings.TrimSpace(f.Search)))
	return db.Page[Admin](ctx, s.across(), db.List{
		Columns: adminColumns,
		From: admins + db.When(f.SchoolID != "", ` AND u.school_id = :at`) +
			db.When(f.Status != "", ` AND u.status = :status`) +
			db.When(search != "", ` AND u.search LIKE :search ESCAPE '\'`),
		Sorts:   map[string]string{"name": "u.search", "schoolName": "s.name", "createdAt": "u.created_at", "id": "u.id"},
		Default: "name",
	}, in.Request, db.Args{"at": f.SchoolID, "status": f.Status, "search": search})
}

type adminIn struct {
	ID id.ID `path:"id"`
}

func (s *Service) getAdmin(ctx context.Context, _ actor.Actor, in adminIn) (Admin, error) {
	a, err := db.One[Admin](ctx, s.across(), `SELECT `+adminColumns+` FROM `+admins+` AND u.id = :id`, db.Args{"id": in.ID})
	return a, db.Found("read administrator", err, errNoAdmin)
}

type updateAdminIn struct {
	ID      id.ID   `path:"id"`
	Name    *string `json:"name" maxLength:"200" pattern:"\\S" patternHint:"must not be blank"`
	Email   *string `json:"email" format:"email"`
	Phone   *string `json:"phone" format:"phone" doc:"An empty string removes the phone."`
	RoleID  *id.ID  `json:"roleId" doc:"A role of type SCHOOL_ADMIN of the school."`
	Status  *Status `json:"status" enum:"ACTIVE,DISABLED"`
	Version *int    `json:"version" doc:"The version you read. 409 if the record has changed since."`
}

func (s *Service) updateAdmin(ctx context.Context, who actor.Actor, in updateAdminIn) (Admin, error) {
	a, err := s.getAdmin(ctx, who, adminIn{in.ID})
	if err != nil {
		return a, err
	}
	err = s.DB.InSchool(ctx, a.SchoolID, func(ctx context.Context, tx *db.Tx) error {
		if in.RoleID != nil {
			role, err := access.Get(ctx, tx, *in.RoleID)
			switch {
			case err != nil:
				return err
			case role.Type != actor.SchoolAdmin:
				return errRoleType
			}
		}
		a.User, err = s.Update(ctx, tx, who, in.ID, Change{in.Name, in.Phone, in.Email, in.RoleID, in.Status, in.Version})
		return err
	})
	return a, err
}

func (s *Service) deleteAdmin(ctx context.Context, who actor.Actor, in adminIn) (web.None, error) {
	a, err := s.getAdmin(ctx, who, in)
	if err != nil {
		return web.None{}, err
	}
	return web.None{}, s.DB.InSchool(ctx, a.SchoolID, func(ctx context.Context, tx *db.Tx) error {
		return s.Delete(ctx, tx, who, in.ID)
	})
}
