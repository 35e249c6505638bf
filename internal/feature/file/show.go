package file

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
)

// Photo is where the one picture of a record can be had. A record embeds it.
type Photo struct {
	PhotoURL          string `json:"photoUrl,omitempty" db:"-" doc:"Where the photo can be had without a token, for about an hour."`
	PhotoThumbnailURL string `json:"photoThumbnailUrl,omitempty" db:"-" doc:"A small one."`
}

// Photo is that of a picture, if there is one. It takes no statement.
func (s *Service) Photo(school id.ID, file *id.ID) Photo {
	if s == nil || file == nil {
		return Photo{}
	}
	return Photo{PhotoURL: s.URL(school, *file, ""), PhotoThumbnailURL: s.URL(school, *file, Thumb)}
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
