// Package file stores uploads: photos, letters, documents. Package media validates
// the content, platform/blob stores it, and a row has the uploader and the record
// that the file is attached to.
//
// Other features use three calls: Attach attaches files to a record, Views returns
// them with signed URLs, and Sees registers who may see a kind of record and so its
// files. An unattached file is deleted after a day.
//
// Start at upload.go, attach.go, download.go, and collect.go for deletion.
package file

import (
	"context"
	"log/slog"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/file/media"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/token"
)

// Kind is the kind of a record with files.
type Kind string

// The kinds.
const (
	Announcement Kind = "ANNOUNCEMENT"
	Leave        Kind = "LEAVE"
	Message      Kind = "MESSAGE"
	StudentPhoto Kind = "STUDENT_PHOTO"
	Logo         Kind = "LOGO"
	Incident     Kind = "INCIDENT"
)

// kinds configures each kind. Administrators with read permission for the module see
// the files of its records; without a module, only the rule of Sees applies.
var kinds = map[Kind]struct {
	module  string
	picture bool  // only pictures are allowed
	max     int64 // maximum bytes, if lower than the general limit
}{
	Announcement: {module: "announcement"},
	Leave:        {module: "leave"},
	Message:      {},
	StudentPhoto: {module: "student", picture: true},
	Logo:         {module: "setting", picture: true, max: 2 << 20},
	Incident:     {module: "transport", picture: true},
}

// MaxUpload is the default maximum size of a file in bytes.
const MaxUpload = 10 << 20

// Errors of files.
var (
	ErrNoFile  = fault.Missing("file")
	errPicture = fault.New(fault.Invalid, "", "This must be a picture. Upload it as JPEG, PNG, GIF or WebP.")
)

// Service holds the rules.
type Service struct {
	DB    *db.DB
	Audit *audit.Service
	Store blob.Store
	Keys  *token.Ring
	Now   clock.Now
	NewID id.Source
	Log   *slog.Logger

	Studio     *media.Studio
	MaxUpload  int64  // bytes of a file; 0: MaxUpload
	PerSchool  int64  // bytes of all files of a school; 0: no limit
	Unattached int64  // bytes of a user's unattached uploads; 0: no limit
	Base       string // base URL, such as https://school.example.org; "" for URLs without host

	// Reader returns the actor of a session or, without one, of a user. It returns an
	// error if the session or account has ended.
	Reader func(ctx context.Context, school, user, session id.ID) (actor.Actor, error)

	sees map[Kind]Rule
}

// Rule returns an error if the actor may not see the record.
type Rule func(ctx context.Context, who actor.Actor, record id.ID) error

// Sees registers the rule for who may see records of a kind, and so their files. Call
// it before the service is used.
func (s *Service) Sees(kind Kind, rule func(ctx context.Context, who actor.Actor, record id.ID) error) {
	if s.sees == nil {
		s.sees = map[Kind]Rule{}
	}
	s.sees[kind] = rule
}

func (s *Service) maxUpload() int64 {
	if s.MaxUpload > 0 {
		return s.MaxUpload
	}
	return MaxUpload
}

// File is the metadata of a file.
type File struct {
	ID          id.ID
	Name        string
	ContentType string
	Size        int64
	SHA256      string `db:"sha256"`
	ThumbType   string
	ThumbSize   int64
	UploadedBy  id.ID
	HolderKind  *Kind
	HolderID    *id.ID
	LooseSince  *time.Time
	CreatedAt   time.Time
}

// isLogo reports whether this is a logo, which is public.
func (f File) isLogo() bool { return f.HolderKind != nil && *f.HolderKind == Logo }

// View is a file in API responses.
type View struct {
	ID           id.ID    `json:"id"`
	Name         string   `json:"name" example:"letter.pdf"`
	ContentType  string   `json:"contentType" example:"application/pdf"`
	Size         int64    `json:"size" doc:"Size in bytes."`
	URL          string   `json:"url" doc:"Signed download URL. It needs no token, and is valid for about an hour while the caller may see the file."`
	ThumbnailURL opt.Text `json:"thumbnailUrl" doc:"Signed URL of the thumbnail, for pictures."`
}

func (s *Service) view(who actor.Actor, school id.ID, f File) View {
	v := View{ID: f.ID, Name: f.Name, ContentType: f.ContentType, Size: f.Size, URL: s.URL(who, school, f.ID, "")}
	if f.ThumbType != "" {
		v.ThumbnailURL = opt.Text(s.URL(who, school, f.ID, Thumb))
	}
	return v
}

// Views returns files of the caller's school by id. Missing ones are left out.
func (s *Service) Views(ctx context.Context, q db.Q, who actor.Actor, files []id.ID) (map[id.ID]View, error) {
	out := make(map[id.ID]View, len(files))
	if len(files) == 0 {
		return out, nil
	}
	list, err := listFiles(ctx, q, files)
	for _, f := range list {
		out[f.ID] = s.view(who, who.School, f)
	}
	return out, err
}
