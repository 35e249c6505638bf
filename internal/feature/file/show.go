package file

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// Photo has the URLs of a record's photo. The record embeds it.
type Photo struct {
	PhotoURL          opt.Text `json:"photoUrl" db:"-" doc:"Signed URL of the photo. It needs no token, and is valid for about an hour while the caller may see the photo."`
	PhotoThumbnailURL opt.Text `json:"photoThumbnailUrl" db:"-" doc:"Signed URL of the thumbnail."`
}

// Photo returns the URLs of a photo. It needs no query.
func (s *Service) Photo(who actor.Actor, file *id.ID) Photo {
	if s == nil || file == nil {
		return Photo{}
	}
	url := func(size string) opt.Text { return opt.Text(s.URL(who, who.School, *file, size)) }
	return Photo{PhotoURL: url(""), PhotoThumbnailURL: url(Thumb)}
}

// Attached has the files of a record. The record embeds it.
type Attached struct {
	Attachments     db.JSON[[]id.ID] `json:"attachments" doc:"File ids."`
	AttachmentFiles []View           `json:"attachmentFiles" db:"-" doc:"The same files with their URLs."`
}

func (a *Attached) attached() *Attached { return a }

// holder is a pointer to a type that embeds Attached.
type holder[T any] interface {
	*T
	attached() *Attached
}

// One sets the file URLs of a record.
func One[T any, P holder[T]](s *Service) func(context.Context, actor.Actor, *T) error {
	return func(ctx context.Context, who actor.Actor, record *T) error {
		return s.showEach(ctx, who, P(record).attached())
	}
}

// Page sets the file URLs of a page of records.
func Page[T any, P holder[T]](s *Service) func(context.Context, actor.Actor, *page.Of[T]) error {
	return func(ctx context.Context, who actor.Actor, p *page.Of[T]) error {
		all := make([]*Attached, len(p.Items))
		for i := range p.Items {
			all[i] = P(&p.Items[i]).attached()
		}
		return s.showEach(ctx, who, all...)
	}
}

// showEach reads the files of several records with one query.
func (s *Service) showEach(ctx context.Context, who actor.Actor, all ...*Attached) error {
	var ids []id.ID
	for _, a := range all {
		ids = append(ids, a.Attachments.V...)
	}
	views, err := s.Views(ctx, s.DB.School(who.School), who, ids)
	for _, a := range all {
		a.AttachmentFiles = []View{}
		for _, f := range a.Attachments.V {
			if v, ok := views[f]; ok {
				a.AttachmentFiles = append(a.AttachmentFiles, v)
			}
		}
	}
	return err
}

// Showing wraps a handler and sets the file URLs of its response.
func Showing[In, Out any](handle func(context.Context, actor.Actor, In) (Out, error),
	show func(context.Context, actor.Actor, *Out) error) func(context.Context, actor.Actor, In) (Out, error) {
	return func(ctx context.Context, who actor.Actor, in In) (Out, error) {
		out, err := handle(ctx, who, in)
		if err == nil {
			err = show(ctx, who, &out)
		}
		return out, err
	}
}
