package system

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

const (
	linkLife     = time.Minute // to begin the download
	transferTime = 6 * time.Hour
	purpose      = "backup"
)

var (
	errNotDone   = fault.New(fault.NotFound, "", "This backup is not complete, so there is nothing to download.")
	errElsewhere = fault.New(fault.NotFound, "", "This node does not have the file of this backup. "+
		"Download it from the node that made it, or let all nodes share one backup directory.")
	errLink      = fault.Denied("This link has expired or is not valid. Start the download from the list of backups again.")
	errNoBackups = fault.Denied("Only super-administrators can download backups.")
)

type linkIn struct {
	ID id.ID `path:"id"`
}

type linkOut struct {
	URL       string    `json:"url" doc:"Relative to the service."`
	ExpiresAt time.Time `json:"expiresAt" doc:"The download must begin before."`
}

// link returns a URL that names the caller's session, whose rights are checked again on
// download.
func (s *Service) link(ctx context.Context, who actor.Actor, in linkIn) (linkOut, error) {
	if err := s.downloadable(ctx, in.ID); err != nil {
		return linkOut{}, err
	}
	expires := s.Now().Add(linkLife).Truncate(time.Second)
	q := url.Values{"expires": {strconv.FormatInt(expires.Unix(), 10)}, "school": {string(who.School)}, "user": {string(who.User)},
		"session": {string(who.Session)}}
	q.Set("signature", s.Keys.MAC(purpose, signedParts(string(in.ID), q)...))
	return linkOut{URL: "/super-admin/backup/" + string(in.ID) + "/file?" + q.Encode(), ExpiresAt: expires}, nil
}

// downloadable returns an error unless this node has the file.
func (s *Service) downloadable(ctx context.Context, backup id.ID) error {
	b, err := s.get(ctx, s.across(), backup)
	switch {
	case err != nil:
		return err
	case b.State != Done:
		return errNotDone
	case !b.Here:
		return errElsewhere
	}
	return nil
}

// signedParts are the values that the signature covers.
func signedParts(backup string, q url.Values) []string {
	return []string{backup, q.Get("expires"), q.Get("school"), q.Get("user"), q.Get("session")}
}

// signed reports whether the URL has a signature, and an error if it is not valid.
func (s *Service) signed(u *url.URL) (bool, error) {
	q := u.Query()
	if !q.Has("signature") {
		return false, nil
	}
	parts := strings.Split(u.Path, "/") // /super-admin/backup/{id}/file
	expires, err := strconv.ParseInt(q.Get("expires"), 10, 64)
	if err != nil || !s.Keys.CheckMAC(purpose, q.Get("signature"), signedParts(parts[len(parts)-2], q)...) ||
		!s.Now().Before(time.Unix(expires, 0)) {
		return true, errLink
	}
	return true, nil
}

type fileIn struct {
	ID        id.ID  `path:"id"`
	Expires   int64  `json:"expires"`
	School    id.ID  `json:"school,omitempty"`
	User      id.ID  `json:"user,omitempty"`
	Session   id.ID  `json:"session,omitempty"`
	Signature string `json:"signature"`
}

// file opens the backup for download, and records who gets it.
func (s *Service) file(ctx context.Context, who actor.Actor, in fileIn) (out web.File, err error) {
	if who, err = s.downloader(ctx, who, in); err != nil {
		return out, err
	}
	b, err := s.get(ctx, s.across(), in.ID)
	switch {
	case err != nil:
		return out, err
	case b.State != Done:
		return out, errNotDone
	}
	f, err := os.Open(s.path(b))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return out, errElsewhere
	case err != nil:
		return out, fmt.Errorf("open backup: %w", err)
	}
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		return s.Audit.Record(ctx, tx, who, "backup.download", "backup", b.ID, nil, map[string]any{"size": b.Size})
	})
	if err != nil {
		return out, errors.Join(err, f.Close())
	}
	header := http.Header{"Cache-Control": {"no-store"}}
	return web.File{Name: b.file(), Type: "application/gzip",
		Content: &web.Content{ReadSeekCloser: f, Tag: b.ID.String(), At: b.CreatedAt, Header: header}}, nil
}

// downloader returns the caller. A signed URL has none: it names the session that it was
// issued to, which may have ended or lost the right since.
func (s *Service) downloader(ctx context.Context, who actor.Actor, in fileIn) (actor.Actor, error) {
	if who.User != "" {
		return who, nil // the gate has checked role and permission
	}
	holder, err := s.Reader(ctx, in.School, in.User, in.Session)
	if f, ok := errors.AsType[*fault.Fault](err); ok && f.Kind != fault.Internal {
		return who, errLink.Because(err)
	}
	if err != nil {
		return who, err
	}
	if holder.Role != actor.SuperAdmin || !holder.Can("setting", actor.Read) {
		return who, errNoBackups
	}
	holder.RequestID, holder.IP = who.RequestID, who.IP
	return holder, nil
}
