package file

import (
	"context"
	"errors"
	"strings"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// transferTime is the timeout of an upload or a download.
const transferTime = 5 * time.Minute

// Routes returns the routes of this feature. Uploads belong to no module, because the
// record decides about the file. They need a permission that every role has.
func (s *Service) Routes() []web.Route {
	const doc = "Uploads a file, whose id a record can then have. What no record gets within a day is removed."
	upload := func(pattern string) web.Route {
		return web.Handle(pattern, s.upload, web.Write("notification"), web.Created(), web.TakesForm(s.maxUpload()), web.Within(transferTime),
			web.Before(s.stage), web.Doc(doc))
	}
	return []web.Route{
		web.Handle("GET /file/{id}", s.get, web.Signed(s.signed), web.GivesFile("*/*"), web.Within(transferTime),
			web.Doc("Download a file, or its thumbnail with size=thumb. Supports Range.")),
		web.Handle("GET /logo/{id}", s.logo, web.Public("mail programs show it and have no token; it is on the school's letters anyway"),
			web.GivesFile("image/*"), web.Doc("Get the logo of a school, by the id of the school.")),
		web.Handle("POST /super-admin/file/upload", s.uploadFor, web.Write("notification"), web.Created(), web.TakesForm(s.maxUpload()),
			web.Within(transferTime), web.Before(s.stageFor),
			web.Doc("Upload a file for a school, such as its logo. Unattached files are deleted after a day.")),
		upload("POST /parent/file/upload"),
		upload("POST /teacher/file/upload"),
		upload("POST /driver/file/upload"),
		upload("POST /school-admin/file/upload"),
	}
}

type uploadIn struct {
	Purpose Kind       `json:"purpose" enum:"ANNOUNCEMENT,LEAVE,MESSAGE,STUDENT_PHOTO,LOGO,INCIDENT" doc:"Optional. The purpose limits the type and size of the file."`
	File    web.Upload `json:"-"`
	staged  File
}

// stageIn stores the content before the transaction begins, because it can be slow.
func (s *Service) stageIn(ctx context.Context, who actor.Actor, school id.ID, in *uploadIn) (undo func(), err error) {
	in.staged, err = s.Stage(ctx, who, school, Sent{Name: in.File.Name, Size: in.File.Size, Content: in.File.File, Purpose: in.Purpose})
	return func() { s.drop(ctx, school, in.staged.ID) }, err
}

func (s *Service) stage(ctx context.Context, who actor.Actor, in *uploadIn) (undo func(), err error) {
	return s.stageIn(ctx, who, who.School, in)
}

func (s *Service) upload(ctx context.Context, who actor.Actor, in uploadIn) (View, error) {
	return s.enter(ctx, who, who.School, in.Purpose, in.staged)
}

type uploadForIn struct {
	SchoolID id.ID `json:"schoolId" required:"true" doc:"The school that gets the file."`
	uploadIn
}

func (s *Service) stageFor(ctx context.Context, who actor.Actor, in *uploadForIn) (undo func(), err error) {
	sch, err := school.Get(ctx, s.DB.School(in.SchoolID))
	if err == nil && sch.IsPlatform {
		err = school.ErrNoSchool
	}
	if err != nil {
		return nil, err
	}
	return s.stageIn(ctx, who, in.SchoolID, &in.uploadIn)
}

func (s *Service) uploadFor(ctx context.Context, who actor.Actor, in uploadForIn) (View, error) {
	return s.enter(ctx, who, in.SchoolID, in.Purpose, in.staged)
}

type logoIn struct {
	School id.ID  `path:"id"`
	V      string `json:"v" maxLength:"64" doc:"Cache buster: any value that changes with the logo."`
}

var errNoLogo = fault.Missing("logo")

func (s *Service) logo(ctx context.Context, _ actor.Actor, in logoIn) (web.File, error) {
	sch, err := school.Get(ctx, s.DB.School(in.School))
	switch {
	case errors.Is(err, school.ErrNoSchool), err == nil && sch.LogoFileID == nil:
		return web.File{}, errNoLogo
	case err != nil:
		return web.File{}, err
	}
	f, err := getFile(ctx, s.DB.School(in.School), *sch.LogoFileID)
	if err != nil {
		return web.File{}, err
	}
	return s.reply(ctx, in.School, f, "", true)
}

type getIn struct {
	ID        id.ID  `path:"id"`
	Size      string `json:"size" enum:"thumb" doc:"The thumbnail instead of the file."`
	School    id.ID  `json:"school" doc:"Part of a signed URL, like the parameters below."`
	User      id.ID  `json:"user" doc:"The user that the URL was issued to."`
	Session   id.ID  `json:"session"`
	Home      id.ID  `json:"home" doc:"The school of that user, if different."`
	Expires   string `json:"expires"`
	Signature string `json:"signature" maxLength:"100"`
}

func (s *Service) get(ctx context.Context, who actor.Actor, in getIn) (web.File, error) {
	at, signed := who.School, who.User == ""
	if signed { // the signature was checked before
		at = in.School
		var err error
		if who, err = s.reader(ctx, in); err != nil {
			return web.File{}, err
		}
	}
	f, err := getFile(ctx, s.DB.School(at), in.ID)
	if err == nil && !(signed && f.isLogo()) {
		err = s.maySee(ctx, who, f)
	}
	if err != nil {
		return web.File{}, err
	}
	return s.reply(ctx, at, f, strings.ToLower(in.Size), signed)
}
