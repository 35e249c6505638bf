package app

import (
	"context"
	"io"
	"strings"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/file"
	"homeroom/internal/feature/file/media"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Check adds every invalid setting of files to p.
func (s FileStorage) Check(p Problems) {
	f := s.Files
	p.unless(f.MaxUpload >= 1 && f.MaxUpload <= 1024, "max-upload", "is %d: use 1 to 1024 MiB", f.MaxUpload)
	p.unless(f.FilesPerSchool >= 0, "files-per-school", "is %d: use a whole number of MiB, or 0 for no limit", f.FilesPerSchool)
	p.unless(f.FilesUnattached >= 0, "files-unattached", "is %d: use a whole number of MiB, or 0 for no limit", f.FilesUnattached)
	switch s.Provider {
	case "local":
	case "s3":
		p.unless(f.S3Bucket != "", "s3-bucket", "is missing: name the bucket for uploaded files")
		p.unless(f.S3AccessKey != "", "s3-access-key", "is missing: create one at the S3 service")
		p.unless(f.S3SecretKey != "", "s3-secret-key", "is missing: it belongs to the access key")
		if _, err := blob.OpenS3(f.s3()); err != nil {
			p.Add("s3-endpoint", "can't be used: %v", err)
		}
	default:
		p.Add("file-provider", "is %q: use local or s3", s.Provider)
	}
}

func (f Files) s3() blob.S3Options {
	return blob.S3Options{Endpoint: f.S3Endpoint, Bucket: f.S3Bucket, Region: f.S3Region,
		AccessKey: f.S3AccessKey, SecretKey: string(f.S3SecretKey), PathStyle: f.S3PathStyle}
}

// openFiles opens the file store. The service starts even if S3 is unreachable:
// only files need it.
func (a *App) openFiles(ctx context.Context) error {
	if a.cfg.FileProvider != "s3" {
		disk, err := blob.OpenDisk(a.cfg.file(filesDir))
		a.files = disk
		if a.shipper != nil {
			a.files = a.shipper.Watch(disk)
		}
		return err
	}
	s3, err := blob.OpenS3(a.cfg.s3())
	if err != nil {
		return err
	}
	a.files = s3
	if err := s3.Ready(ctx); err != nil {
		a.Log.WarnContext(ctx, "file storage is unreachable", "error", err)
	}
	return nil
}

func (a *App) closeFiles() error {
	if c, ok := a.files.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

func (a *App) newFiles(s services) *file.Service {
	return &file.Service{DB: a.DB, Audit: s.audit, Store: a.files, Keys: a.Keys, Now: a.Now, NewID: a.NewID, Log: a.Log,
		Studio: media.NewStudio(), MaxUpload: int64(a.cfg.MaxUpload) << 20, PerSchool: int64(a.cfg.FilesPerSchool) << 20,
		Unattached: int64(a.cfg.FilesUnattached) << 20, Base: strings.TrimSuffix(a.cfg.PublicURL, "/"), Reader: s.identity.Holder}
}

// connectFiles declares who may see the files of each kind of record.
func (s services) connectFiles() {
	f := s.file
	f.Sees(file.Announcement, s.announcement.Sees)
	f.Sees(file.Leave, s.leave.Sees)
	f.Sees(file.Message, s.message.SeesFiles)
	f.Sees(file.Incident, s.transport.SeesIncident)
	f.Sees(file.StudentPhoto, s.seesStudent)
	f.Sees(file.Logo, func(context.Context, actor.Actor, id.ID) error { return nil }) // everyone at the school
	s.school.Files = schoolFiles{f}
}

var errNotSeen = fault.Denied("You may not see this student.")

// seesStudent reports an error unless the caller may see the student: parents
// their children, teachers their students, drivers their riders.
func (s services) seesStudent(ctx context.Context, who actor.Actor, student id.ID) error {
	q := s.people.DB.School(who.School)
	switch {
	case who.Role == actor.Driver && who.Can("transport", actor.Read): // drivers have no student permission
		return transport.MaySeeRider(ctx, q, who.User, student, s.people.Now())
	case !who.Can("student", actor.Read):
		return errNotSeen
	case who.Role == actor.Parent:
		return people.MustBeLinked(ctx, q, who.User, student)
	case who.Role == actor.Teacher:
		r, err := people.GetRecord(ctx, q, student)
		if err != nil {
			return err
		}
		return academics.TeachesStudent(ctx, q, academics.Caller{User: who.User, Day: clock.DateIn(s.people.Now(), who.Zone)}, r.Summary)
	}
	return errNotSeen
}

// schoolFiles implements school.Files.
type schoolFiles struct{ files *file.Service }

// SetLogo attaches a logo to a school, or removes it.
func (f schoolFiles) SetLogo(ctx context.Context, tx *db.Tx, who actor.Actor, school id.ID, logo *id.ID) error {
	return f.files.AttachOne(ctx, tx, who, file.Logo, school, logo)
}

func (f schoolFiles) LogoURL(school, logo id.ID) string {
	return f.files.URL(actor.Actor{School: school}, school, logo, "")
}

func (f schoolFiles) Forget(ctx context.Context, tx *db.Tx, school id.ID) error {
	return f.files.ForgetSchool(ctx, tx, school)
}

// erasePhoto deletes the photo of an erased student.
func (s services) erasePhoto(ctx context.Context, tx *db.Tx, e people.Erased) error {
	return s.file.Erase(ctx, tx, file.StudentPhoto, []id.ID{e.Student})
}
