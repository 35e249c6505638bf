package file

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"homeroom/internal/feature/file/media"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// Sent is an uploaded file.
type Sent struct {
	Name    string
	Size    int64
	Content io.ReaderAt
	Purpose Kind // optional
}

// Stage validates a file and stores its content; enter then writes its row. A crash
// between them leaves content without a row, which Sweep deletes, but never a row
// without content. drop deletes a staged file that is not entered.
func (s *Service) Stage(ctx context.Context, who actor.Actor, school id.ID, in Sent) (f File, err error) {
	found, thumb, err := s.inspect(ctx, in)
	if err != nil {
		return f, err
	}
	now := s.Now()
	f = File{ID: s.NewID(), Name: found.Name, ContentType: found.Type, Size: found.Content.Size(), ThumbType: thumb.Type,
		ThumbSize: int64(len(thumb.Bytes)), UploadedBy: who.User, LooseSince: &now, CreatedAt: now}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(found.Content, 0, f.Size)); err != nil {
		return f, fmt.Errorf("read upload: %w", err)
	}
	f.SHA256 = hex.EncodeToString(h.Sum(nil))
	if err := s.checkQuota(ctx, who, school, f.Size+f.ThumbSize); err != nil {
		return f, err
	}
	if err := s.keep(ctx, school, f, found.Content, thumb); err != nil {
		s.drop(ctx, school, f.ID)
		return f, err
	}
	return f, nil
}

// enter writes the row of a staged file.
func (s *Service) enter(ctx context.Context, who actor.Actor, school id.ID, purpose Kind, f File) (View, error) {
	err := s.DB.InSchool(ctx, school, func(ctx context.Context, tx *db.Tx) error { return s.write(ctx, tx, who, purpose, f) })
	if err != nil {
		return View{}, err
	}
	return s.view(who, school, f), nil
}

// inspect validates the upload and makes its thumbnail.
func (s *Service) inspect(ctx context.Context, in Sent) (found media.Found, thumb media.Thumb, err error) {
	found, err = media.Look(in.Content, in.Size, in.Name)
	if err == nil {
		thumb, _, err = s.Studio.Thumbnail(ctx, found)
	}
	if why, ok := errors.AsType[media.Refusal](err); ok {
		return found, thumb, fault.OnField("file", "%s", string(why))
	}
	if err != nil {
		return found, thumb, fmt.Errorf("validate upload: %w", err)
	}
	err = fits(in.Purpose, found.Type, in.Size)
	if errors.Is(err, errPicture) {
		err = fault.OnField("file", "must be a picture for this purpose: send it as JPEG, PNG, GIF or WebP")
	}
	return found, thumb, err
}

// keep stores the content and the thumbnail.
func (s *Service) keep(ctx context.Context, school id.ID, f File, content *io.SectionReader, thumb media.Thumb) error {
	err := s.Store.Put(ctx, key(school, f.ID, ""), content)
	if err == nil && thumb.Type != "" {
		err = s.Store.Put(ctx, key(school, f.ID, Thumb), io.NewSectionReader(bytes.NewReader(thumb.Bytes), 0, f.ThumbSize))
	}
	if errors.Is(err, blob.ErrFull) {
		return web.ErrNoRoom.Because(err)
	}
	return err
}

// write checks the quotas and writes the row.
func (s *Service) write(ctx context.Context, tx *db.Tx, who actor.Actor, purpose Kind, f File) error {
	if err := s.reserve(ctx, tx, who, f); err != nil {
		return err
	}
	if err := putFile(ctx, tx, f); err != nil {
		return err
	}
	// Without the name: it may be personal data, which erasure can't remove from the audit log.
	return s.Audit.Record(ctx, tx, who, "file.upload", "file", f.ID, nil, uploaded{purpose, f.ContentType, f.Size})
}

type uploaded struct {
	Purpose     Kind   `json:"purpose"`
	ContentType string `json:"contentType"`
	Size        int64  `json:"size"`
}

// drop deletes the content of a file without a row. On failure, Sweep deletes it later.
func (s *Service) drop(ctx context.Context, school, file id.ID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := s.Store.Delete(ctx, deletedFile{school, file}.keys()...); err != nil {
		s.Log.WarnContext(ctx, "can't delete the content of a refused file; the next sweep will", "file", file, "error", err)
	}
}

// key is the storage key of a file or its thumbnail.
func key(school, file id.ID, size string) string {
	name := string(file)
	k := string(school) + "/" + name[len(name)-2:] + "/" + name
	if size == Thumb {
		k += ".thumb"
	}
	return k
}

func (g deletedFile) keys() []string {
	return []string{key(g.SchoolID, g.ID, ""), key(g.SchoolID, g.ID, Thumb)}
}
