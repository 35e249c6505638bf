package pdf

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"

	"codeberg.org/go-pdf/fpdf"
)

// imageTypes maps content types to fpdf's names.
var imageTypes = map[string]string{"image/png": "PNG", "image/jpeg": "JPG", "image/gif": "GIF"}

// Image draws a PNG, JPEG or GIF as large as fits, centred in a rectangle. For an invalid
// image it returns an error and leaves the document unchanged: a page without its logo
// is better than none.
func (d *Doc) Image(raw []byte, x, y, w, h float64) error {
	kind, ok := imageTypes[http.DetectContentType(raw)]
	if !ok {
		return fmt.Errorf("image is not a PNG, JPEG or GIF")
	}
	name := fmt.Sprintf("image %x", sha256.Sum256(raw)) // the same image is stored once
	options := fpdf.ImageOptions{ImageType: kind}
	info, err := d.register(name, options, raw)
	if err != nil {
		return err
	}
	iw, ih := info.Width(), info.Height()
	if iw <= 0 || ih <= 0 {
		return fmt.Errorf("image has no size")
	}
	scale := min(w/iw, h/ih)
	iw, ih = iw*scale, ih*scale
	d.f.ImageOptions(name, x+(w-iw)/2, y+(h-ih)/2, iw, ih, false, options, 0, "")
	return nil
}

// register decodes the image. fpdf panics on some invalid ones.
func (d *Doc) register(name string, o fpdf.ImageOptions, raw []byte) (info *fpdf.ImageInfoType, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("invalid image: %v", p)
		}
		if err != nil {
			d.f.ClearError()
		}
	}()
	info = d.f.RegisterImageOptionsReader(name, o, bytes.NewReader(raw))
	if d.f.Err() {
		return nil, fmt.Errorf("invalid image: %w", d.f.Error())
	}
	return info, nil
}
