package media

import (
	"bufio"
	"bytes"
	"context"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// Edge is the maximum length of a thumbnail's longer side, in pixels.
const Edge = 256

// maxDecoded is the maximum decoded size of a picture in bytes. A larger picture gets
// no thumbnail.
const maxDecoded = 40 << 20

// Thumb is a thumbnail.
type Thumb struct {
	Type  string
	Bytes []byte
}

// Studio makes thumbnails one at a time, because decoded pictures need much memory.
type Studio struct{ seat chan struct{} }

// NewStudio makes a Studio.
func NewStudio() *Studio { return &Studio{seat: make(chan struct{}, 1)} }

// Thumbnail makes the thumbnail of a picture. ok is false for documents and for
// pictures that are too large to decode. A picture that can't be decoded is a Refusal.
func (s *Studio) Thumbnail(ctx context.Context, f Found) (t Thumb, ok bool, err error) {
	if !f.IsImage() || f.decoded > maxDecoded {
		return t, false, nil
	}
	select {
	case s.seat <- struct{}{}:
		defer func() { <-s.seat }()
	case <-ctx.Done():
		return t, false, ctx.Err()
	}
	if f.decoded > 4<<20 {
		defer runtime.GC() // so that the heap never grows to two decoded pictures
	}
	img, err := decode(f)
	if err != nil {
		return t, false, refuse("is a picture that can't be decoded: open it and save it again")
	}
	return encode(scale(img, f.orient))
}

func decode(f Found) (image.Image, error) {
	r := bufio.NewReader(io.NewSectionReader(f.Content, 0, f.Content.Size()))
	switch f.Type {
	case JPEG:
		return jpeg.Decode(r)
	case PNG:
		return png.Decode(r)
	case GIF:
		return gif.Decode(r)
	}
	return webp.Decode(r)
}

func encode(img *image.RGBA) (Thumb, bool, error) {
	var out bytes.Buffer
	if img.Opaque() {
		err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 82})
		return Thumb{JPEG, out.Bytes()}, err == nil, err
	}
	err := png.Encode(&out, img)
	return Thumb{PNG, out.Bytes()}, err == nil, err
}

// scale scales a picture down and applies its orientation. It samples a grid of points
// per pixel, so that its memory does not depend on the picture's size.
func scale(src image.Image, turn int) *image.RGBA {
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	if turn >= 5 {
		w, h = h, w
	}
	dw, dh := w, h
	if longer := max(w, h); longer > Edge {
		dw, dh = max(1, w*Edge/longer), max(1, h*Edge/longer)
	}
	at, ok := src.(image.RGBA64Image)
	if !ok { // no decoder returns such an image
		copied := image.NewRGBA(b)
		draw.Draw(copied, b, src, b.Min, draw.Src)
		at = copied
	}
	dst := image.NewRGBA(image.Rect(0, 0, dw, dh))
	for y := range dh {
		for x := range dw {
			dst.SetRGBA(x, y, average(at, turn, x*w/dw, y*h/dh, max((x+1)*w/dw, x*w/dw+1), max((y+1)*h/dh, y*h/dh+1), w, h))
		}
	}
	return dst
}

// average is the mean color of a grid of points in the rectangle from x0, y0 to x1, y1
// of the oriented picture, which is w by h.
func average(src image.RGBA64Image, turn, x0, y0, x1, y1, w, h int) color.RGBA {
	const points = 4
	stepX, stepY := max(1, (x1-x0)/points), max(1, (y1-y0)/points)
	var r, g, b, a, n uint32
	low := src.Bounds().Min
	for y := y0; y < y1; y += stepY {
		for x := x0; x < x1; x += stepX {
			sx, sy := turned(turn, x, y, w, h)
			c := src.RGBA64At(low.X+sx, low.Y+sy)
			r, g, b, a, n = r+uint32(c.R>>8), g+uint32(c.G>>8), b+uint32(c.B>>8), a+uint32(c.A>>8), n+1
		}
	}
	return color.RGBA{R: uint8(r / n), G: uint8(g / n), B: uint8(b / n), A: uint8(a / n)}
}

// turned maps the point x, y of the oriented picture, which is w by h, to the stored
// picture.
func turned(turn, x, y, w, h int) (int, int) {
	switch turn {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return y, w - 1 - x
	case 7:
		return h - 1 - y, w - 1 - x
	case 8:
		return h - 1 - y, x
	}
	return x, y
}
