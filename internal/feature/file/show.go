package file

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// Photo is where the one picture of a record can be had. A record embeds it.
type Photo struct {
	PhotoURL          string `json:"photoUrl,omitempty" db:"-" doc:"Where the photo can be had without a token, for about an hour and while the caller may see it."`
	PhotoThumbnailURL string `json:"photoThumbnailUrl,omitempty" db:"-" doc:"A small one."`
}

// Photo is that of a picture, if there is one. It takes no statement.
func (s *Service) Photo(who actor.Actor, file *id.ID) Photo {
	if s == nil || file == nil {
		return Photo{}
	}
	return Photo{PhotoURL: s.URL(who, who.School, *file, ""), PhotoThumbnailURL: s.URL(who, who.School, *file, Thumb)}
}

// Attached is the part of a record that files are attached to.
type Attached struct {
	Attachments     db.JSON[[]id.ID] `json:"attachments" doc:"Files."`
	AttachmentFiles []View           `json:"attachmentFiles" db:"-" doc:"The same files, with where they can be had."`
}

func (a *Attached) attached() *Attached { return a }

// holder is a pointer to what embeds Attached.
type holder[T any] interface {
	*T
	attached() *Attached
}

// One adds to a record where its files can be had.
func One[T any, P holder[T]](s *Service) func(context.Context, actor.Actor, *T) error {
	return func(ctx context.Context, who actor.Actor, record *T) error {
		return s.showEach(ctx, who, P(record).attached())
	}
}

// Page adds to the records of a page where their files can be had.
func Page[T any, P holder[T]](s *Service) func(context.Context, actor.Actor, *page.Of[T]) error {
	return func(ctx context.Context, who actor.Actor, p *page.Of[T]) error {
		all := make([]*Attached, len(p.Items))
		for i := range p.Items {
			all[i] = P(&p.Items[i]).attached()
		}
		return s.showEach(ctx, who, all...)
	}
}

// showEach reads the files of several records with one statement.
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

// Showing is a handler that adds to its answer where the files of it can be had.
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
