package announcement

import (
	"context"
	"time"

	"homeroom/internal/feature/file"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Routes returns the routes of this feature.
func (s *Service) Routes() []web.Route {
	one, several := file.One[Managed](s.Files), file.Page[Managed](s.Files)
	shown, allShown := file.One[Shown](s.Files), file.Page[Shown](s.Files)
	return []web.Route{
		web.Handle("POST /school-admin/announcement/create", file.Showing(s.Create, one), web.Write("announcement"), web.Created(),
			web.Doc("Create an announcement and publish it now or at publishAt.")),
		web.Handle("POST /school-admin/announcement/preview", s.preview, web.Read("announcement"),
			web.Doc("Count whom an announcement would reach now: people, channels, unreachable, cost. Nothing is written or sent.")),
		web.Handle("GET /school-admin/announcement/list", file.Showing(s.list, several), web.Read("announcement"),
			web.List("isPinned", "publishAt"),
			web.Doc("List announcements with read counts; pinned first, then the newest.")),
		web.Handle("GET /school-admin/announcement/{id}", file.Showing(s.get, one), web.Read("announcement"),
			web.Doc("Get an announcement with its read count.")),
		web.Handle("PUT /school-admin/announcement/{id}", file.Showing(s.update, one), web.Write("announcement"),
			web.Doc("Change an announcement. Readers are not notified again.")),
		web.Handle("DELETE /school-admin/announcement/{id}", s.delete, web.Delete("announcement"),
			web.Doc("Delete an announcement. A scheduled one is not published.")),
		web.Handle("GET /school-admin/announcement/{id}/reads", s.reads, web.Read("announcement"), web.List("name"),
			web.Doc("List who has opened an announcement and who has not.")),

		web.Handle("POST /teacher/announcement/create", file.Showing(s.createAsTeacher, one), web.Write("announcement"), web.Created(),
			web.Doc("Create an announcement for assigned classes or divisions.")),
		web.Handle("GET /teacher/announcement/list", file.Showing(s.listShown, allShown), web.Read("announcement"),
			web.List("isPinned", "publishAt"),
			web.Doc("List announcements for the caller, and the caller's own.")),
		web.Handle("GET /teacher/announcement/{id}", file.Showing(s.open, shown), web.Read("announcement"),
			web.Doc("Open an announcement. It then counts as read by the caller.")),
		web.Handle("PUT /teacher/announcement/{id}", file.Showing(s.updateAsTeacher, one), web.Write("announcement"),
			web.Doc("Change an own announcement. Readers are not notified again.")),
		web.Handle("DELETE /teacher/announcement/{id}", s.delete, web.Delete("announcement"),
			web.Doc("Delete an own announcement. A scheduled one is not published.")),
		web.Handle("GET /teacher/announcement/{id}/reads", s.reads, web.Read("announcement"), web.List("name"),
			web.Doc("List who has opened an own announcement and who has not.")),

		web.Handle("GET /parent/announcement/list", file.Showing(s.listShown, allShown), web.Read("announcement"),
			web.List("isPinned", "publishAt"),
			web.Doc("List announcements for the caller or the classes of the caller's children.")),
		web.Handle("GET /parent/announcement/{id}", file.Showing(s.open, shown), web.Read("announcement"),
			web.Doc("Open an announcement. It then counts as read by the caller.")),

		// Drivers have permission for notifications, not for announcements.
		web.Handle("GET /driver/announcement/list", file.Showing(s.listShown, allShown), web.Read("notification"),
			web.List("isPinned", "publishAt"),
			web.Doc("List announcements for the caller.")),
		web.Handle("GET /driver/announcement/{id}", file.Showing(s.open, shown), web.Read("notification"),
			web.Doc("Open an announcement. It then counts as read by the caller.")),
	}
}

type byID struct {
	ID id.ID `path:"id"`
}

func (s *Service) list(ctx context.Context, who actor.Actor, in page.Ask[filter]) (page.Of[Managed], error) {
	return listManaged(ctx, s.DB.School(who.School), in.Filters, s.Now(), in.Request)
}

func (s *Service) get(ctx context.Context, who actor.Actor, in byID) (Managed, error) {
	return getManaged(ctx, s.DB.School(who.School), in.ID, s.Now())
}

type updateIn struct {
	ID id.ID `path:"id"`
	Change
}

func (s *Service) update(ctx context.Context, who actor.Actor, in updateIn) (Managed, error) {
	return s.Update(ctx, who, in.ID, in.Change)
}

func (s *Service) delete(ctx context.Context, who actor.Actor, in byID) (web.None, error) {
	return web.None{}, s.Delete(ctx, who, in.ID)
}

// teacherIn is New with the audiences allowed for teachers. What is urgent is for the
// office to say.
type teacherIn struct {
	Title       string     `json:"title" required:"true" maxLength:"200" example:"Bring your atlas"`
	Body        string     `json:"body" maxLength:"20000" multiline:"true"`
	Audience    Audience   `json:"audience" required:"true" enum:"CLASS,DIVISION"`
	ClassIDs    []id.ID    `json:"classIds" maxItems:"200" doc:"For audience CLASS: classes that the caller is assigned to, as a whole or in each division."`
	DivisionIDs []id.ID    `json:"divisionIds" maxItems:"500" example:"-" doc:"For audience DIVISION: divisions that the caller is assigned to."`
	Attachments []id.ID    `json:"attachments" maxItems:"10" doc:"File ids."`
	PublishAt   *time.Time `json:"publishAt" doc:"When it is published and its readers are notified. Default: now; also if it is in the past."`
	ExpiresAt   *time.Time `json:"expiresAt" example:"2026-12-15T08:05:00Z" doc:"When readers' lists stop showing it."`
	IsPinned    bool       `json:"isPinned" doc:"Lists show it first."`
}

func (s *Service) createAsTeacher(ctx context.Context, who actor.Actor, in teacherIn) (Managed, error) {
	return s.Create(ctx, who, New{Title: in.Title, Body: in.Body, Audience: in.Audience, ClassIDs: in.ClassIDs, DivisionIDs: in.DivisionIDs,
		Attachments: in.Attachments, PublishAt: in.PublishAt, ExpiresAt: in.ExpiresAt, IsPinned: in.IsPinned})
}

func (s *Service) listShown(ctx context.Context, who actor.Actor, in page.Ask[struct{}]) (page.Of[Shown], error) {
	q := s.DB.School(who.School)
	r, err := readerOf(ctx, q, who)
	if err != nil {
		return page.Of[Shown]{}, err
	}
	return listShown(ctx, q, r, s.Now(), in.Request)
}

// open returns an announcement and marks it as read, except for its author.
func (s *Service) open(ctx context.Context, who actor.Actor, in byID) (Shown, error) {
	q, now := s.DB.School(who.School), s.Now()
	r, err := readerOf(ctx, q, who)
	if err != nil {
		return Shown{}, err
	}
	v, err := getShown(ctx, q, r, in.ID, now)
	if err != nil || v.IsRead || v.CreatedBy == who.User {
		return v, err
	}
	v.IsRead = true
	return v, putOpened(ctx, q, in.ID, who.User, now)
}
