package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// For files that the caller may know to exist.
var errNotYours = fault.Denied("You may not see this file.")

// maySee checks who may see a file: its uploader, administrators with read permission
// for the record's module, and everyone whom the record's rule allows. An unattached
// file is for its uploader only.
func (s *Service) maySee(ctx context.Context, who actor.Actor, f File) error {
	if f.UploadedBy == who.User && who.User != "" {
		return nil
	}
	if f.HolderID == nil {
		return ErrNoFile
	}
	if who.Role == actor.SchoolAdmin && kinds[*f.HolderKind].module != "" {
		if who.Can(kinds[*f.HolderKind].module, actor.Read) {
			return nil
		}
		return errNotYours
	}
	rule := s.sees[*f.HolderKind]
	if rule == nil {
		return errNotYours
	}
	err := rule(ctx, who, *f.HolderID)
	if f, ok := errors.AsType[*fault.Fault](err); ok && f.Kind == fault.NotFound {
		return ErrNoFile.Because(err)
	}
	return err
}

// Read returns the content of a file of at most most bytes, for another feature, such
// as a logo to print.
func (s *Service) Read(ctx context.Context, school, file id.ID, most int64) ([]byte, error) {
	f, err := getFile(ctx, s.DB.School(school), file)
	switch {
	case err != nil:
		return nil, err
	case f.Size > most:
		return nil, fmt.Errorf("file %s has %d bytes, more than %d", file, f.Size, most)
	}
	r, err := s.Store.Open(ctx, key(school, file, ""), f.Size)
	if err != nil {
		return nil, fmt.Errorf("open file: %w", err)
	}
	defer r.Close()
	raw, err := io.ReadAll(io.LimitReader(r, most))
	if err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	return raw, nil
}

// maxLogo is the maximum size of a printed logo, in bytes.
const maxLogo = 4 << 20

// Logo returns a school's logo for printing. It is nil if there is none or on error: a
// page without a logo is better than no page.
func (s *Service) Logo(ctx context.Context, school id.ID, logo *id.ID) []byte {
	if s == nil || logo == nil {
		return nil
	}
	raw, err := s.Read(ctx, school, *logo, maxLogo)
	if err != nil {
		s.Log.WarnContext(ctx, "can't read logo", "school", school, "error", err)
		return nil
	}
	return raw
}

// reply opens a file or its thumbnail for download.
func (s *Service) reply(ctx context.Context, school id.ID, f File, size string, signed bool) (web.File, error) {
	out := web.File{Name: f.Name, Type: f.ContentType, Inline: strings.HasPrefix(f.ContentType, "image/")}
	tag, length := f.SHA256[:32], f.Size
	switch {
	case size == Thumb && f.ThumbType == "" && strings.HasPrefix(f.ContentType, "image/"):
		size = "" // the picture was too large for a thumbnail
	case size == Thumb && f.ThumbType == "":
		return out, ErrNoFile.Saying("This file has no thumbnail. Request it without size.")
	case size == Thumb:
		out.Type, tag, length = f.ThumbType, tag+"-thumb", f.ThumbSize
	}
	content, err := s.Store.Open(ctx, key(school, f.ID, size), length)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return out, ErrNoFile.Because(fmt.Errorf("content of file %s is missing", f.ID))
	case err != nil:
		return out, err
	}
	out.Content = &web.Content{ReadSeekCloser: content, Tag: tag, At: f.CreatedAt, Header: headers(signed)}
	return out, nil
}

// headers keep a browser from running scripts in a file: everything except pictures is
// an attachment, and the CSP sandboxes the rest. A signed URL may be embedded in other
// sites and cached while it is valid; with a token, each request is checked again.
func headers(signed bool) http.Header {
	h := http.Header{}
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	h.Set("Cache-Control", "private, no-cache")
	if signed {
		h.Set("Cache-Control", fmt.Sprintf("private, max-age=%d", int(lifetime.Seconds())))
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
	return h
}
