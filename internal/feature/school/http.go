package school

import (
	"context"
	"slices"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Routes returns the routes of this feature.
func (s *Service) Routes() []web.Route {
	return slices.Concat(s.platformRoutes(), s.schoolRoutes(), s.viewRoutes())
}

func (s *Service) platformRoutes() []web.Route {
	return []web.Route{
		web.Handle("POST /super-admin/school/create", s.Create, web.Write("setting"), web.Created(),
			web.Doc("Create a school with its roles and, if given, its first administrator and academic year.")),
		web.Handle("GET /super-admin/school/list", s.list, web.Read("setting"), web.List("name", "code", "status", "createdAt"),
			web.Doc("All schools.")),
		web.Handle("GET /super-admin/school/{id}", s.get, web.Read("setting"), web.Doc("One school.")),
		web.Handle("PUT /super-admin/school/{id}", s.update, web.Write("setting"), web.Doc("Change a school.")),
		web.Handle("DELETE /super-admin/school/{id}", s.delete, web.Delete("setting"),
			web.Doc("Delete a suspended school with all its data.")),
		web.Handle("POST /super-admin/school/{id}/suspend", s.suspend, web.Write("setting"), web.Says("Suspended."),
			web.Doc("Suspend a school: its users are locked out.")),
		web.Handle("POST /super-admin/school/{id}/resume", s.resume, web.Write("setting"), web.Says("Resumed."),
			web.Doc("End the suspension of a school.")),
		web.Handle("PUT /super-admin/school/{id}/settings", s.updateRules, web.Write("setting"), web.Doc("Change a school's settings.")),
	}
}

func (s *Service) schoolRoutes() []web.Route {
	return []web.Route{
		web.Handle("GET /school-admin/setting", s.getOwn, web.Read("setting"), web.Doc("This school and its settings.")),
		web.Handle("PUT /school-admin/setting", s.updateOwn, web.Write("setting"), web.Doc("Change this school or its settings.")),

		web.Handle("POST /school-admin/academic-year/create", s.CreateYear, web.Write("setting"), web.Created(),
			web.Doc("Create an academic year.")),
		web.Handle("GET /school-admin/academic-year/list", s.listYears, web.Read("setting"),
			web.List("name", "startDate", "endDate", "createdAt"), web.Doc("Academic years, newest first.")),
		web.Handle("GET /school-admin/academic-year/{id}", s.getYear, web.Read("setting"), web.Doc("One academic year.")),
		web.Handle("PUT /school-admin/academic-year/{id}", s.updateYear, web.Write("setting"), web.Doc("Change an academic year.")),
		web.Handle("DELETE /school-admin/academic-year/{id}", s.deleteYear, web.Delete("setting"),
			web.Doc("Delete an academic year that is neither current nor in use.")),
		web.Handle("POST /school-admin/academic-year/{id}/activate", s.activateYear, web.Write("setting"), web.Says("Activated."),
			web.Doc("Make an academic year the current one.")),

		web.Handle("POST /school-admin/holiday/create", s.CreateHoliday, web.Write("setting"), web.Created(), web.Doc("Create a holiday.")),
		web.Handle("GET /school-admin/holiday/list", s.listHolidays, web.Read("setting"), web.List("date", "endDate", "name", "createdAt"),
			web.Doc("Holidays, by date.")),
		web.Handle("GET /school-admin/holiday/{id}", s.getHoliday, web.Read("setting"), web.Doc("One holiday.")),
		web.Handle("PUT /school-admin/holiday/{id}", s.updateHoliday, web.Write("setting"), web.Doc("Change a holiday.")),
		web.Handle("DELETE /school-admin/holiday/{id}", s.deleteHoliday, web.Delete("setting"), web.Doc("Delete a holiday.")),
	}
}

type byID struct {
	ID id.ID `path:"id"`
}

type schoolFilters struct {
	Status string `json:"status,omitempty" enum:"ACTIVE,SUSPENDED"`
	Search string `json:"search,omitempty" doc:"Any part of the name, code, phone or e-mail."`
}

func (s *Service) list(ctx context.Context, _ actor.Actor, in page.Ask[schoolFilters]) (page.Of[Listed], error) {
	return listSchools(ctx, s.DB.Across(unscoped.Permit{}), in.Filters.Status, in.Filters.Search, in.Request)
}

func (s *Service) get(ctx context.Context, _ actor.Actor, in byID) (School, error) {
	sch, err := find(ctx, s.DB.School(in.ID))
	s.showLogo(&sch)
	return sch, err
}

type updateIn struct {
	ID id.ID `path:"id"`
	Change
}

func (s *Service) update(ctx context.Context, who actor.Actor, in updateIn) (School, error) {
	return s.Update(ctx, who, in.ID, in.Change)
}

type rulesIn struct {
	ID id.ID `path:"id"`
	Rules
	Version *int `json:"version" doc:"The version you read. 409 if the record has changed since."`
}

func (s *Service) updateRules(ctx context.Context, who actor.Actor, in rulesIn) (School, error) {
	return s.Update(ctx, who, in.ID, Change{Rules: in.Rules, Version: in.Version})
}

func (s *Service) suspend(ctx context.Context, who actor.Actor, in byID) (School, error) {
	return s.Suspend(ctx, who, in.ID)
}

func (s *Service) resume(ctx context.Context, who actor.Actor, in byID) (School, error) {
	return s.Resume(ctx, who, in.ID)
}

type deleteIn struct {
	ID      id.ID  `path:"id"`
	Confirm string `json:"confirm" required:"true" doc:"The code of the school, to confirm."`
}

func (s *Service) delete(ctx context.Context, who actor.Actor, in deleteIn) (web.None, error) {
	return web.None{}, s.Delete(ctx, who, in.ID, in.Confirm)
}

func (s *Service) getOwn(ctx context.Context, who actor.Actor, _ web.None) (School, error) {
	sch, err := find(ctx, s.DB.School(who.School))
	s.showLogo(&sch)
	return sch, err
}

type ownIn struct {
	Profile
	Rules
	Version *int `json:"version" doc:"The version you read. 409 if the record has changed since."`
}

func (s *Service) updateOwn(ctx context.Context, who actor.Actor, in ownIn) (School, error) {
	return s.Update(ctx, who, who.School, Change{Profile: in.Profile, Rules: in.Rules, Version: in.Version})
}

type yearFilters struct {
	IsCurrent *bool  `json:"isCurrent,omitempty"`
	Search    string `json:"search,omitempty" doc:"Any part of the name."`
}

func (s *Service) listYears(ctx context.Context, who actor.Actor, in page.Ask[yearFilters]) (page.Of[Year], error) {
	return listYears(ctx, s.DB.School(who.School), in.Filters.IsCurrent, in.Filters.Search, in.Request)
}

func (s *Service) getYear(ctx context.Context, who actor.Actor, in byID) (Year, error) {
	return GetYear(ctx, s.DB.School(who.School), in.ID)
}

type yearIn struct {
	ID id.ID `path:"id"`
	YearChange
}

func (s *Service) updateYear(ctx context.Context, who actor.Actor, in yearIn) (Year, error) {
	return s.UpdateYear(ctx, who, in.ID, in.YearChange)
}

func (s *Service) activateYear(ctx context.Context, who actor.Actor, in byID) (Year, error) {
	return s.ActivateYear(ctx, who, in.ID)
}

func (s *Service) deleteYear(ctx context.Context, who actor.Actor, in byID) (web.None, error) {
	return web.None{}, s.DeleteYear(ctx, who, in.ID)
}

type holidayFilters struct {
	From   clock.Date `json:"from,omitempty" doc:"Holidays that end on this day or later."`
	To     clock.Date `json:"to,omitempty" doc:"Holidays that start on this day or earlier."`
	Search string     `json:"search,omitempty" doc:"Any part of the name."`
}

func (s *Service) listHolidays(ctx context.Context, who actor.Actor, in page.Ask[holidayFilters]) (page.Of[Holiday], error) {
	return listHolidays(ctx, s.DB.School(who.School), in.Filters.From, in.Filters.To, in.Filters.Search, in.Request)
}

func (s *Service) getHoliday(ctx context.Context, who actor.Actor, in byID) (Holiday, error) {
	return getHoliday(ctx, s.DB.School(who.School), in.ID)
}

type holidayIn struct {
	ID id.ID `path:"id"`
	HolidayChange
}

func (s *Service) updateHoliday(ctx context.Context, who actor.Actor, in holidayIn) (Holiday, error) {
	return s.UpdateHoliday(ctx, who, in.ID, in.HolidayChange)
}

func (s *Service) deleteHoliday(ctx context.Context, who actor.Actor, in byID) (web.None, error) {
	return web.None{}, s.DeleteHoliday(ctx, who, in.ID)
}
