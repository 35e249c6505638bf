package access

import (
	"context"
	"fmt"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Routes is everything this feature answers.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/role/create", s.Create, web.Write("role"), web.Created(),
			web.Doc("Create a role without permissions.")),
		web.Handle("GET /school-admin/role/list", s.list, web.Read("role"), web.List("name", "type", "createdAt"),
			web.Doc("Roles of this school.")),
		web.Handle("GET /school-admin/role/{id}", s.get, web.Read("role"), web.Doc("One role.")),
		web.Handle("PUT /school-admin/role/{id}", s.update, web.Write("role"), web.Doc("Rename a role, or change its type.")),
		web.Handle("DELETE /school-admin/role/{id}", s.delete, web.Delete("role"), web.Doc("Delete a role that nobody holds.")),
		web.Handle("GET /school-admin/role/{id}/permissions", s.permissions, web.Read("role"),
			web.Doc("A role's permissions, by module.")),
		web.Handle("PUT /school-admin/role/{id}/permissions", s.permit, web.Write("role"),
			web.Doc("Replace a role's permissions on the modules sent; other modules stay.")),
		web.Handle("GET /school-admin/module/list", s.modules, web.Read("role"), web.List("name", "displayName", "createdAt"),
			web.Doc("Modules that permissions can be given on.")),
		web.Handle("GET /super-admin/module/list", s.modules, web.Read("role"), web.List("name", "displayName", "createdAt"),
			web.Doc("Modules of the platform.")),
		web.Handle("POST /super-admin/module/create", s.CreateModule, web.Write("role"), web.Created(),
			web.Doc("Add a module for all schools.")),
	}
}

type roleFilters struct {
	Type   string `json:"type,omitempty" enum:"PARENT,TEACHER,DRIVER,SCHOOL_ADMIN,SUPER_ADMIN"`
	Search string `json:"search,omitempty" doc:"Any part of the name."`
}

func (s *Service) list(ctx context.Context, who actor.Actor, in page.Ask[roleFilters]) (page.Of[Role], error) {
	return listRoles(ctx, s.DB.School(who.School), in.Filters.Type, in.Filters.Search, in.Request)
}

type roleIn struct {
	ID id.ID `path:"id"`
}

func (s *Service) get(ctx context.Context, who actor.Actor, in roleIn) (Role, error) {
	return Get(ctx, s.DB.School(who.School), in.ID)
}

type updateIn struct {
	ID id.ID `path:"id"`
	RoleChange
}

func (s *Service) update(ctx context.Context, who actor.Actor, in updateIn) (Role, error) {
	return s.Update(ctx, who, in.ID, in.RoleChange)
}

func (s *Service) delete(ctx context.Context, who actor.Actor, in roleIn) (web.None, error) {
	return web.None{}, s.Delete(ctx, who, in.ID)
}

func (s *Service) permissions(ctx context.Context, who actor.Actor, in roleIn) (Table, error) {
	return s.Permissions(ctx, s.DB.School(who.School), in.ID)
}

type permitIn struct {
	ID          id.ID   `path:"id"`
	Permissions []Grant `json:"permissions" required:"true" maxItems:"500"`
	Version     *int    `json:"version" doc:"The role's version you read; 409 when it is no longer that."`
}

// Check refuses two entries for one module: which of them is meant?
func (in *permitIn) Check() error {
	seen := map[id.ID]int{}
	for i, g := range in.Permissions {
		if first, ok := seen[g.ModuleID]; ok {
			return fault.OnField(fmt.Sprintf("permissions[%d].moduleId", i), "is a duplicate of permissions[%d]", first)
		}
		seen[g.ModuleID] = i
	}
	return nil
}

func (s *Service) permit(ctx context.Context, who actor.Actor, in permitIn) (Table, error) {
	return s.Permit(ctx, who, in.ID, in.Permissions, in.Version)
}

type moduleFilters struct {
	Search string `json:"search,omitempty" doc:"Any part of the key or the name."`
}

func (s *Service) modules(ctx context.Context, _ actor.Actor, in page.Ask[moduleFilters]) (page.Of[Module], error) {
	return listModules(ctx, s.DB.Across(unscoped.Permit{}), in.Filters.Search, in.Request)
}
