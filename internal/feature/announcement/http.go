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

// Routes is everything this feature answers.
func (s *Service) Routes() []web.Route {
	one, several := file.One[Managed](s.Files), file.Page[Managed](s.Files)
	shown, allShown := file.One[Shown](s.Files), file.Page[Shown](s.Files)
	return []web.Route{
		web.Handle("POST /school-admin/announcement/create", file.Showing(s.Create, one), web.Write("announcement"), web.Created(),
			web.Doc("Writes an announcement, and publishes it now or at publishAt.")),
		web.Handle("GET /school-admin/announcement/list", file.Showing(s.list, several), web.Read("announcement"), web.List("isPinned", "publishAt"),
			web.Doc("All announcements with how many have read them; pinned ones first, then the newest.")),
		web.Handle("GET /school-admin/announcement/{id}", file.Showing(s.get, one), web.Read("announcement"),
			web.Doc("One announcement, and how many have read it.")),
		web.Handle("PUT /school-admin/announcement/{id}", file.Showing(s.update, one), web.Write("announcement"),
			web.Doc("Changes an announcement. Whoever was told of it is not told again.")),
		web.Handle("DELETE /school-admin/announcement/{id}", s.delete, web.Delete("announcement"),
			web.Doc("Deletes an announcement. One that is not published yet never will be.")),

		web.Handle("POST /teacher/announcement/create", file.Showing(s.createAsTeacher, one), web.Write("announcement"), web.Created(),
			web.Doc("Writes an announcement to classes or divisions that the caller is assigned to.")),
		web.Handle("GET /teacher/announcement/list", file.Showing(s.listShown, allShown), web.Read("announcement"), web.List("isPinned", "publishAt"),
			web.Doc("What is published for the caller, and the caller's own.")),
		web.Handle("GET /teacher/announcement/{id}", file.Showing(s.open, shown), web.Read("announcement"),
			web.Doc("One announcement, which counts as read by the caller from now on.")),

		web.Handle("GET /parent/announcement/list", file.Showing(s.listShown, allShown), web.Read("announcement"), web.List("isPinned", "publishAt"),
			web.Doc("What is published for the caller or for the classes of the caller's children.")),
		web.Handle("GET /parent/announcement/{id}", file.Showing(s.open, shown), web.Read("announcement"),
			web.Doc("One announcement, which counts as read by the caller from now on.")),

		// Drivers hold the module of notifications, not that of announcements.
		web.Handle("GET /driver/announcement/list", file.Showing(s.listShown, allShown), web.Read("notification"), web.List("isPinned", "publishAt"),
			web.Doc("What is published for the caller.")),
		web.Handle("GET /driver/announcement/{id}", file.Showing(s.open, shown), web.Read("notification"),
			web.Doc("One announcement, which counts as read by the caller from now on.")),
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

// teacherIn is New with the audiences that a teacher has.
type teacherIn struct {
	Title       string     `json:"title" required:"true" maxLength:"200" example:"Bring your atlas"`
	Body        string     `json:"body" maxLength:"20000" multiline:"true"`
	Audience    Audience   `json:"audience" required:"true" enum:"CLASS,DIVISION"`
	ClassIDs    []id.ID    `json:"classIds" maxItems:"200" doc:"With the audience CLASS: classes that the caller is assigned to as a whole, or in each of their divisions."`
	DivisionIDs []id.ID    `json:"divisionIds" maxItems:"500" doc:"With the audience DIVISION: divisions that the caller is assigned to."`
	Attachments []id.ID    `json:"attachments" maxItems:"10" doc:"Files."`
	PublishAt   *time.Time `json:"publishAt" doc:"When it is shown and people are told. Now, if it is left out or past."`
	ExpiresAt   *time.Time `json:"expiresAt" doc:"When readers' lists stop showing it."`
	IsPinned    bool       `json:"isPinned" doc:"Lists show it first."`
}

func (s *Service) createAsTeacher(ctx context.Context, who actor.Actor, in teacherIn) (Managed, error) {
	return s.Create(ctx, who, New(in))
}

func (s *Service) listShown(ctx context.Context, who actor.Actor, in page.Ask[struct{}]) (page.Of[Shown], error) {
	q := s.DB.School(who.School)
	r, err := readerOf(ctx, q, who)
	if err != nil {
		return page.Of[Shown]{}, err
	}
	return listShown(ctx, q, r, s.Now(), in.Request)
}

// open shows an announcement to a reader, who has read it then. Its author is
// no reader.
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
