// Package file keeps what people send: photos, letters, documents. A file is
// looked into as it comes (see media), its bytes go to a store (see
// platform/blob), and its row says whose it is and which record holds it.
//
// A file is of use to other features by three calls: Attach gives files to a
// record, Views shows them with addresses that work for an hour, and Sees tells
// who may see a record and so its files. A file that nothing holds is removed
// after a day.
//
// Start at upload.go for how a file comes in, at attach.go for who holds it, at
// download.go for who gets it, and at collect.go for how it goes.
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
	"homeroom/internal/platform/token"
)

// Kind is what a record that holds files is.
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

// kinds is what is known of each. The administrators who read a module see the
// files of its records; with no module, only whom Sees names.
var kinds = map[Kind]struct {
	module  string
	picture bool  // takes pictures alone
	max     int64 // bytes, if less than what is taken otherwise
}{
	Announcement: {module: "announcement"},
	Leave:        {module: "leave"},
	Message:      {},
	StudentPhoto: {module: "student", picture: true},
	Logo:         {module: "setting", picture: true, max: 2 << 20},
	Incident:     {module: "transport", picture: true},
}

// MaxUpload is what a file may have where nothing else is said.
const MaxUpload = 10 << 20

// Faults of files.
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
	Unattached int64  // bytes of a user's uploads that no record has; 0: no limit
	Base       string // of addresses, such as https://school.example.org; "" for addresses without host

	// Reader is the holder of a session or, without one, of an account; a fault
	// where that has ended.
	Reader func(ctx context.Context, school, user, session id.ID) (actor.Actor, error)

	sees map[Kind]Rule
}

// Rule tells whether someone may see a record: nil, or the fault to answer with.
type Rule func(ctx context.Context, who actor.Actor, record id.ID) error

// Sees says who may see the records of a kind, and so their files. It is said
// before the service is used.
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

// File is what is kept of a file beside its bytes.
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

// isLogo holds for what anyone may see.
func (f File) isLogo() bool { return f.HolderKind != nil && *f.HolderKind == Logo }

// View is a file as people see it.
type View struct {
	ID           id.ID  `json:"id"`
	Name         string `json:"name" example:"letter.pdf"`
	ContentType  string `json:"contentType" example:"application/pdf"`
	Size         int64  `json:"size" doc:"Bytes."`
	URL          string `json:"url" doc:"Where it can be had without a token, for about an hour and while the caller may see it."`
	ThumbnailURL string `json:"thumbnailUrl,omitempty" doc:"A small picture of it, if it is one."`
}

func (s *Service) view(who actor.Actor, school id.ID, f File) View {
	v := View{ID: f.ID, Name: f.Name, ContentType: f.ContentType, Size: f.Size, URL: s.URL(who, school, f.ID, "")}
	if f.ThumbType != "" {
		v.ThumbnailURL = s.URL(who, school, f.ID, Thumb)
	}
	return v
}

// Views shows someone files of the own school, by their ids; one that is not there
// is left out.
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
