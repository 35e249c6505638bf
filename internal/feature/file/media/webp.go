package media

import (
	"encoding/binary"
	"io"

	"golang.org/x/image/webp"
)

// webp parses the chunks of a WebP and removes metadata.
func (w *raw) webp() (Found, error) {
	f := Found{Type: WebP, orient: 1}
	b, err := w.bytes(0, 12)
	if err != nil {
		return f, err
	}
	end := 8 + int64(binary.LittleEndian.Uint32(b[4:]))
	if end > w.size || end < 20 {
		return f, errTruncated
	}
	head := append([]byte(nil), b...)
	w.add(head)
	for at := int64(12); at < end; {
		if b, err = w.bytes(at, 8); err != nil {
			return f, err
		}
		kind, n := string(b[:4]), int64(binary.LittleEndian.Uint32(b[4:]))
		next := at + 8 + n + n%2
		if next > end {
			return f, errTruncated
		}
		if err := w.webpChunk(kind, at, next); err != nil {
			return f, err
		}
		at = next
	}
	binary.LittleEndian.PutUint32(head[4:], uint32(w.length-8))
	c, err := webp.DecodeConfig(io.NewSectionReader(w.r, 0, w.size))
	if err != nil {
		return f, refuse("is a WebP that is damaged: open it and save it again")
	}
	f.Width, f.Height = c.Width, c.Height
	f.decoded = 4 * int64(c.Width) * int64(c.Height)
	return f, w.checkEnd(end)
}

// webpChunk keeps a chunk that is needed to display the picture.
func (w *raw) webpChunk(kind string, at, next int64) error {
	switch kind {
	case "VP8X":
		x, err := w.bytes(at, 18)
		if err != nil {
			return err
		}
		own := append([]byte(nil), x...)
		own[4], own[5], own[6], own[7] = 10, 0, 0, 0
		own[8] &^= 0x0c // clear the Exif and XMP flags
		w.add(own)
	case "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP":
		return w.keep(at, next-at)
	}
	return nil
}
