package school_test

import (
	"testing"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

func TestBrand(t *testing.T) {
	t.Parallel()
	at, logo := id.New(), id.New()
	s := school.School{ID: at, Name: "Green"}
	s.BrandColor, s.EmailFooter = "#123456", "Bye"
	want := text.Brand{School: "Green", Color: "#123456", Footer: "Bye"}
	if got := s.Brand("https://s.test"); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.LogoFileID, want.Logo = &logo, "https://s.test/logo/"+at.String()+"?v="+logo.String()
	if got := s.Brand("https://s.test"); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
