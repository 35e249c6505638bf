// Package filetest generates small valid and invalid files of every type for tests.
package filetest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"mime/multipart"
	"net/textproto"
	"strings"
)

// Picture is an image with a red upper left corner.
func Picture(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{R: 40, G: uint8(x), B: uint8(y), A: 255}
			if x < w/2 && y < h/2 {
				c = color.RGBA{R: 230, G: 20, B: 20, A: 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}

// JPEG is a photo.
func JPEG(w, h int) []byte {
	var b bytes.Buffer
	must(jpeg.Encode(&b, Picture(w, h), nil))
	return b.Bytes()
}

// PNG is a partly transparent image.
func PNG(w, h int) []byte {
	img := Picture(w, h)
	img.SetRGBA(w-1, h-1, color.RGBA{})
	var b bytes.Buffer
	must(png.Encode(&b, img))
	return b.Bytes()
}

// GIF is an image with a small palette.
func GIF(w, h int) []byte {
	var b bytes.Buffer
	must(gif.Encode(&b, Picture(w, h), nil))
	return b.Bytes()
}

// WebP is a lossless image of one pixel.
func WebP() []byte {
	vp8l := []byte{0x2f, 0, 0, 0, 0x10, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0x08}
	return riff(chunk("VP8L", vp8l))
}

// WebPWithExif has Exif data with a location.
func WebPWithExif() []byte {
	x := []byte{0x08, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	vp8l := []byte{0x2f, 0, 0, 0, 0x10, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0x08}
	return riff(append(append(chunk("VP8X", x), chunk("VP8L", vp8l)...), chunk("EXIF", []byte("GPS 52.5N 13.4E "))...))
}

func chunk(kind string, b []byte) []byte {
	out := binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(b)))
	return append(out, b...)
}

func riff(body []byte) []byte {
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body)+4))
	return append(append(out, "WEBP"...), body...)
}

// WithExif adds Exif data with a location and an orientation.
func WithExif(photo []byte, turn int) []byte {
	tiff := []byte("MM\x00\x2a\x00\x00\x00\x08\x00\x02" +
		"\x01\x0f\x00\x02\x00\x00\x00\x10\x00\x00\x00\x26" + // the maker, at 38
		"\x01\x12\x00\x03\x00\x00\x00\x01\x00\x00\x00\x00" +
		"\x00\x00\x00\x00" + "GPS 52.5N 13.4E\x00")
	tiff[10+12+9] = byte(turn)
	segment := append([]byte("Exif\x00\x00"), tiff...)
	head := []byte{0xff, 0xe1, 0, byte(len(segment) + 2)}
	comment := append([]byte{0xff, 0xfe, 0, 13}, "GPS comment"...)
	out := append([]byte{0xff, 0xd8}, head...)
	return append(append(append(out, segment...), comment...), photo[2:]...)
}

// PNGWithText has a text chunk with a location.
func PNGWithText(w, h int) []byte {
	p := PNG(w, h)
	at := len(p) - 12
	return append(append(append([]byte{}, p[:at]...), pngChunk("tEXt", []byte("Comment\x00GPS 52.5N"))...), p[at:]...)
}

func pngChunk(kind string, b []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(b)))
	out = append(append(out, kind...), b...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// PNGBomb declares w by h pixels with almost no data.
func PNGBomb(w, h uint32) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	head = append(head, 8, 6, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", head)...)
	out = append(out, pngChunk("IDAT", PNG(1, 1)[41:60])...)
	return append(out, pngChunk("IEND", nil)...)
}

// PDF is an empty page, padded to size.
func PDF(size int) []byte {
	head := "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n%"
	tail := "\ntrailer<</Root 1 0 R>>\n%%EOF\n"
	return []byte(head + strings.Repeat("x", max(0, size-len(head)-len(tail))) + tail)
}

// Part is a file in an archive.
type Part struct{ Name, Text string }

// Zip is an uncompressed archive.
func Zip(parts ...Part) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range parts {
		method := zip.Deflate
		if p.Name == "mimetype" {
			method = zip.Store
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: p.Name, Method: method})
		must(err)
		_, err = w.Write([]byte(p.Text))
		must(err)
	}
	must(z.Close())
	return b.Bytes()
}

// DOCX is a Word document.
func DOCX(more ...Part) []byte {
	return Zip(append([]Part{{"[Content_Types].xml", "<Types/>"}, {"word/document.xml", "<w/>"}}, more...)...)
}

// ODT is an OpenDocument text.
func ODT() []byte {
	return Zip(Part{"mimetype", "application/vnd.oasis.opendocument.text"}, Part{"content.xml", "<o/>"})
}

// ZipBomb declares one part of 3 GiB.
func ZipBomb() []byte {
	z := DOCX()
	at := bytes.LastIndex(z, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(z[at+24:], 3<<30)
	return z
}

// Form is a multipart form with fields followed by a file, and its Content-Type.
func Form(name string, content []byte, fields ...string) (body, contentType string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i+1 < len(fields); i += 2 {
		must(w.WriteField(fields[i], fields[i+1]))
	}
	h := textproto.MIMEHeader{}
	h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="file"; filename="%s"`, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name)))
	h.Set("Content-Type", "image/png") // ignored by the server
	part, err := w.CreatePart(h)
	must(err)
	_, err = part.Write(content)
	must(err)
	must(w.Close())
	return b.String(), w.FormDataContentType()
}

func must(err error) {
	if err != nil {
		panic(err) // writing to memory does not fail
	}
}
