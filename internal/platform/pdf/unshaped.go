//go:build !shaping

package pdf

import "errors"

// Without golang.org/x/image among the modules there is no shaping: a document
// that needs it fails, rather than show a name wrong.
type (
	parsed struct{}
	shaper struct{}
)

func (*shaper) shape(*Fonts, string, bool) (run, error) {
	return run{}, errors.New("this build can't shape text: it is built without the tag shaping")
}
