package people

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// ShowPhotos adds where the photos of students can be had.
func (s *Service) ShowPhotos(school id.ID, all ...*Summary) {
	for _, st := range all {
		st.Photo = s.Files.Photo(school, st.PhotoFileID)
	}
}

func (s *Service) showRecord(_ context.Context, who actor.Actor, r *Record) error {
	s.ShowPhotos(who.School, &r.Summary)
	return nil
}

func (s *Service) showStudent(_ context.Context, who actor.Actor, st *Student) error {
	s.ShowPhotos(who.School, &st.Summary)
	return nil
}

func (s *Service) showProfile(_ context.Context, who actor.Actor, p *Profile) error {
	s.ShowPhotos(who.School, &p.Student.Summary)
	return nil
}

func (s *Service) showList(_ context.Context, who actor.Actor, p *page.Of[Summary]) error {
	for i := range p.Items {
		s.ShowPhotos(who.School, &p.Items[i])
	}
	return nil
}

func (s *Service) showChildren(_ context.Context, who actor.Actor, out *childrenOut) error {
	for i := range out.Students {
		s.ShowPhotos(who.School, &out.Students[i].Summary)
	}
	return nil
}
