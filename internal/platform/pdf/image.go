package pdf

import (
	"bytes"
	"fmt"
	"net/http"

	"codeberg.org/go-pdf/fpdf"
)

// imageTypes maps what content looks like to what it is called here.
var imageTypes = map[string]string{"image/png": "PNG", "image/jpeg": "JPG", "image/gif": "GIF"}

// Image draws a PNG, JPEG or GIF as large as fits into a rectangle, in its
// middle. An image that can't be read leaves the document as it is, and is the
// error: a page is better without its logo than not at all.
func (d *Doc) Image(raw []byte, x, y, w, h float64) error {
	kind, ok := imageTypes[http.DetectContentType(raw)]
	if !ok {
		return fmt.Errorf("image is no PNG, JPEG or GIF")
	}
	d.images++
	name := fmt.Sprint("image ", d.images)
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

// register reads the image. The reader of images panics on some broken ones.
func (d *Doc) register(name string, o fpdf.ImageOptions, raw []byte) (info *fpdf.ImageInfoType, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("image can't be read: %v", p)
		}
		if err != nil {
			d.f.ClearError()
		}
	}()
	info = d.f.RegisterImageOptionsReader(name, o, bytes.NewReader(raw))
	if d.f.Err() {
		return nil, fmt.Errorf("image can't be read: %w", d.f.Error())
	}
	return info, nil
}
