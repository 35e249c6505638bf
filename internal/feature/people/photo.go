package people

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/page"
)

// ShowPhotos sets the photo URLs of students.
func (s *Service) ShowPhotos(who actor.Actor, all ...*Summary) {
	for _, st := range all {
		st.Photo = s.Files.Photo(who, st.PhotoFileID)
	}
}

func (s *Service) showRecord(_ context.Context, who actor.Actor, r *Record) error {
	s.ShowPhotos(who, &r.Summary)
	return nil
}

func (s *Service) showStudent(_ context.Context, who actor.Actor, st *Student) error {
	s.ShowPhotos(who, &st.Summary)
	return nil
}

func (s *Service) showProfile(_ context.Context, who actor.Actor, p *Profile) error {
	s.ShowPhotos(who, &p.Student.Summary)
	return nil
}

func (s *Service) showList(_ context.Context, who actor.Actor, p *page.Of[Listed]) error {
	for i := range p.Items {
		s.ShowPhotos(who, &p.Items[i].Summary)
	}
	return nil
}

func (s *Service) showChildren(_ context.Context, who actor.Actor, out *childrenOut) error {
	for i := range out.Students {
		s.ShowPhotos(who, &out.Students[i].Summary)
	}
	return nil
}
