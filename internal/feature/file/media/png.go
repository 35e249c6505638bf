package media

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// pngKept are the chunks needed to display the picture.
var pngKept = map[string]bool{"IHDR": true, "PLTE": true, "IDAT": true, "IEND": true, "tRNS": true,
	"gAMA": true, "cHRM": true, "sRGB": true, "iCCP": true, "sBIT": true, "bKGD": true, "pHYs": true}

// png parses and checks the chunks of a PNG, and removes texts and other metadata.
func (w *raw) png() (Found, error) {
	f := Found{Type: PNG, orient: 1}
	if err := w.keep(0, 8); err != nil {
		return f, err
	}
	for at := int64(8); ; {
		head, err := w.bytes(at, 8)
		if err != nil {
			return f, err
		}
		n, kind := int64(binary.BigEndian.Uint32(head)), string(head[4:])
		next := at + 12 + n
		if next > w.size {
			return f, errTruncated
		}
		if err := w.pngSum(at+4, n+4); err != nil {
			return f, err
		}
		if (at == 8) != (kind == "IHDR") {
			return f, refuse("is a PNG that is damaged: open it and save it again")
		}
		if kind == "IHDR" {
			if err := w.pngHead(&f, at+8, n); err != nil {
				return f, err
			}
		}
		if pngKept[kind] {
			if err := w.keep(at, next-at); err != nil {
				return f, err
			}
		}
		if at = next; kind == "IEND" {
			return f, w.checkEnd(at)
		}
	}
}

func (w *raw) pngHead(f *Found, at, n int64) error {
	b, err := w.bytes(at, 13)
	if err != nil {
		return err
	}
	width, height := int64(binary.BigEndian.Uint32(b)), int64(binary.BigEndian.Uint32(b[4:]))
	if n != 13 || width == 0 || height == 0 || width > 1<<24 || height > 1<<24 {
		return refuse("is a PNG that is damaged: open it and save it again")
	}
	f.Width, f.Height = int(width), int(height)
	each := int64(4)
	switch depth, colour := b[8], b[9]; {
	case depth == 16:
		each = 8
	case colour == 0 || colour == 3:
		each = 1
	}
	f.decoded = width * height * each
	return nil
}

// pngSum checks the CRC of a chunk.
func (w *raw) pngSum(at, n int64) error {
	h := crc32.NewIEEE()
	if _, err := io.Copy(h, io.NewSectionReader(w.r, at, n)); err != nil {
		return err
	}
	b, err := w.bytes(at+n, 4)
	if err != nil {
		return err
	}
	if binary.BigEndian.Uint32(b) != h.Sum32() {
		return refuse("is a PNG that is damaged: send it again")
	}
	return nil
}
