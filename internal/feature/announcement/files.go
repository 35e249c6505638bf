package announcement

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// show adds where the files of announcements can be had, with one statement for
// all of them.
func (s *Service) show(ctx context.Context, who actor.Actor, all ...*Announcement) error {
	ids := make([][]id.ID, len(all))
	for i, a := range all {
		ids[i] = a.Attachments.V
	}
	views, err := s.Files.List(ctx, s.DB.School(who.School), who.School, ids...)
	for i, a := range all {
		a.AttachmentFiles = views[i]
	}
	return err
}

func (s *Service) showOne(ctx context.Context, who actor.Actor, m *Managed) error {
	return s.show(ctx, who, &m.Announcement)
}

func (s *Service) showShown(ctx context.Context, who actor.Actor, v *Shown) error {
	return s.show(ctx, who, &v.Announcement)
}

func (s *Service) showAll(ctx context.Context, who actor.Actor, p *page.Of[Managed]) error {
	all := make([]*Announcement, len(p.Items))
	for i := range p.Items {
		all[i] = &p.Items[i].Announcement
	}
	return s.show(ctx, who, all...)
}

func (s *Service) showShownAll(ctx context.Context, who actor.Actor, p *page.Of[Shown]) error {
	all := make([]*Announcement, len(p.Items))
	for i := range p.Items {
		all[i] = &p.Items[i].Announcement
	}
	return s.show(ctx, who, all...)
}

// Sees is nil where a parent, teacher or driver may open an announcement, and so
// its files.
func (s *Service) Sees(ctx context.Context, who actor.Actor, announcement id.ID) error {
	module := "announcement"
	if who.Role == actor.Driver { // who holds no such module: see Routes
		module = "notification"
	}
	if !who.Can(module, actor.Read) {
		return errNoReader
	}
	q := s.DB.School(who.School)
	r, err := readerOf(ctx, q, who)
	if err != nil {
		return err
	}
	_, err = getShown(ctx, q, r, announcement, s.Now())
	return err
}
