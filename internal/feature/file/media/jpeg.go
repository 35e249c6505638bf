package media

import (
	"bytes"
	"encoding/binary"
)

// jpeg parses the segments of a JPEG. It removes metadata (Exif, XMP, IPTC, comments)
// but keeps the orientation.
func (w *raw) jpeg() (Found, error) {
	f := Found{Type: JPEG, orient: 1}
	if err := w.keep(0, 2); err != nil {
		return f, err
	}
	noted := false
	for at := int64(2); ; {
		m, err := w.bytes(at, 2)
		switch {
		case err != nil:
			return f, err
		case m[0] != 0xff:
			return f, refuse("is a JPEG that is damaged: open it and save it again")
		case m[1] == 0xff: // padding
			at++
			continue
		case m[1] == 0xd9:
			return w.jpegEnd(f, at)
		}
		marker := m[1]
		if !noted && (marker < 0xe0 || marker > 0xef) { // after the first APPn
			noted = true
			w.addOrientation(f.orient)
		}
		if at, err = w.segment(&f, at, marker); err != nil {
			return f, err
		}
	}
}

// segment parses one segment, keeps it if needed, and returns the offset of the next.
func (w *raw) segment(f *Found, at int64, marker byte) (int64, error) {
	n, err := w.be16(at + 2)
	if err != nil {
		return at, err
	}
	next := at + 2 + int64(n)
	if n < 2 || next > w.size {
		return at, errTruncated
	}
	if isFrame(marker) {
		if err := w.jpegFrame(f, at, marker); err != nil {
			return at, err
		}
	}
	if marker == 0xe1 && f.orient == 1 {
		f.orient = w.orientation(at+4, next)
	}
	if !w.keepSegment(marker, at, next) {
		return next, nil
	}
	if marker == 0xda { // the image data follows
		if next, err = w.scan(next); err != nil {
			return at, err
		}
	}
	return next, w.keep(at, next-at)
}

// jpegEnd checks the data after the end. Phones append a second picture or a video,
// which is removed; anything else is refused.
func (w *raw) jpegEnd(f Found, at int64) (Found, error) {
	if f.Width == 0 {
		return f, refuse("is a JPEG without a picture in it")
	}
	if err := w.keep(at, 2); err != nil {
		return f, err
	}
	at += 2
	if w.phoneTail(at) {
		return f, nil
	}
	return f, w.checkEnd(at)
}

func (w *raw) phoneTail(at int64) bool {
	head, err := w.bytes(at, int(min(12, w.size-at)))
	if err != nil || len(head) < 4 {
		return false
	}
	if tail, err := w.bytes(w.size-4, 4); err == nil && string(tail) == "SEFT" {
		return true
	}
	return bytes.HasPrefix(head, []byte("\xff\xd8\xff")) || len(head) == 12 && string(head[4:8]) == "ftyp"
}

// isFrame reports whether a segment has the picture's size (SOFn).
func isFrame(m byte) bool { return m >= 0xc0 && m <= 0xcf && m != 0xc4 && m != 0xc8 && m != 0xcc }

func (w *raw) jpegFrame(f *Found, at int64, marker byte) error {
	b, err := w.bytes(at+4, 6)
	if err != nil {
		return err
	}
	if f.Width != 0 {
		return refuse("is a JPEG with two pictures: open it and save it again")
	}
	f.Height, f.Width = int(b[1])<<8|int(b[2]), int(b[3])<<8|int(b[4])
	if f.Width == 0 || f.Height == 0 {
		return refuse("is a JPEG without a picture in it")
	}
	parts, samples := int(b[5]), 0.0
	all, err := w.bytes(at+10, 3*parts)
	if err != nil {
		return err
	}
	most := 1
	for i := range parts {
		most = max(most, int(all[3*i+1]>>4)*int(all[3*i+1]&15))
	}
	for i := range parts {
		samples += float64(int(all[3*i+1]>>4)*int(all[3*i+1]&15)) / float64(most)
	}
	pixels := float64(f.Width) * float64(f.Height)
	f.decoded = int64(pixels * samples)
	if marker != 0xc0 && marker != 0xc1 { // progressive: the decoder keeps every coefficient, in four bytes
		f.decoded = int64(pixels * samples * 5)
	}
	return nil
}

// keepSegment reports whether a segment is needed to display the picture.
func (w *raw) keepSegment(marker byte, at, next int64) bool {
	starts := func(s string) bool {
		b, err := w.bytes(at+4, min(len(s), int(next-at-4)))
		return err == nil && string(b) == s
	}
	switch {
	case marker == 0xfe: // a comment
		return false
	case marker == 0xe0:
		return starts("JFIF\x00")
	case marker == 0xe2:
		return starts("ICC_PROFILE\x00")
	case marker == 0xee:
		return starts("Adobe")
	}
	return marker < 0xe0 || marker > 0xef
}

// scan returns the offset of the marker that ends the compressed data.
func (w *raw) scan(at int64) (int64, error) {
	for {
		b, err := w.bytes(at, int(min(int64(len(w.window)), max(2, w.size-at))))
		if err != nil {
			return at, err
		}
		for i := 0; ; i++ {
			next := bytes.IndexByte(b[i:len(b)-1], 0xff)
			if next < 0 {
				break
			}
			i += next
			if m := b[i+1]; m != 0 && m != 0xff && (m < 0xd0 || m > 0xd7) {
				return at + int64(i), nil
			}
		}
		at += int64(len(b) - 1)
	}
}

// orientation reads the Exif orientation; the default is 1.
func (w *raw) orientation(at, end int64) int {
	head, err := w.bytes(at, int(min(14, end-at)))
	if err != nil || len(head) < 14 || string(head[:6]) != "Exif\x00\x00" {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if string(head[6:8]) == "II" {
		order = binary.LittleEndian
	}
	tiff := at + 6
	dir := tiff + int64(order.Uint32(head[10:]))
	b, err := w.bytes(dir, 2)
	if err != nil || dir+2 > end {
		return 1
	}
	for i := range int64(order.Uint16(b)) {
		entry, err := w.bytes(dir+2+12*i, 12)
		if err != nil || dir+14+12*i > end {
			return 1
		}
		if order.Uint16(entry) == 0x0112 {
			if v := int(order.Uint16(entry[8:])); v >= 1 && v <= 8 {
				return v
			}
			return 1
		}
	}
	return 1
}

// addOrientation adds Exif data with the orientation only.
func (w *raw) addOrientation(turn int) {
	if turn == 1 {
		return
	}
	exif := []byte("\xff\xe1\x00\x22Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08" +
		"\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00")
	exif[len(exif)-7] = byte(turn)
	w.add(exif)
}
