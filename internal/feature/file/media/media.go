// Package media validates uploads: it detects the type by content, refuses files that
// are also something else, and removes metadata. It trusts nothing that the client
// declares. Only pictures small enough for a thumbnail are read into memory.
//
// Start at Look. The error of a refused file is a Refusal, with a text for the user.
package media

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Refusal is the reason why a file is refused. The text follows "file".
type Refusal string

// Error implements error.
func (r Refusal) Error() string { return string(r) }

func refuse(format string, a ...any) error { return Refusal(fmt.Sprintf(format, a...)) }

// The accepted media types.
const (
	JPEG = "image/jpeg"
	PNG  = "image/png"
	GIF  = "image/gif"
	WebP = "image/webp"
	PDF  = "application/pdf"
	Text = "text/plain"
	CSV  = "text/csv"
	DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	ODT  = "application/vnd.oasis.opendocument.text"
	ODS  = "application/vnd.oasis.opendocument.spreadsheet"
	ODP  = "application/vnd.oasis.opendocument.presentation"
)

// Taken lists the accepted types for people.
const Taken = "JPEG, PNG, GIF and WebP pictures, PDF, text and CSV, and documents of Word, Excel, PowerPoint and OpenDocument"

// extensions are the allowed file name extensions of each type, the default first.
var extensions = map[string][]string{
	JPEG: {".jpg", ".jpeg", ".jpe", ".jfif"}, PNG: {".png"}, GIF: {".gif"}, WebP: {".webp"}, PDF: {".pdf"},
	Text: {".txt", ".text", ".log", ".md"}, CSV: {".csv"},
	DOCX: {".docx"}, XLSX: {".xlsx"}, PPTX: {".pptx"}, ODT: {".odt"}, ODS: {".ods"}, ODP: {".odp"},
}

// MaxPixels is the maximum size of a picture. A few bytes can decode to many pixels.
const MaxPixels = 40_000_000

// Found is an accepted file.
type Found struct {
	Name    string // with the matching extension
	Type    string
	Content *io.SectionReader // the content without metadata
	Width   int               // of a picture; 0 for documents
	Height  int

	orient  int   // orientation of a photo, 1 to 8, as its maker noted it
	decoded int64 // bytes that the picture takes in memory
}

// IsImage reports whether this is a picture.
func (f Found) IsImage() bool { return f.Width > 0 }

// Look validates the first size bytes of r. Its error is a Refusal or a read error.
func Look(r io.ReaderAt, size int64, name string) (Found, error) {
	name, err := CleanName(name)
	if err != nil {
		return Found{}, err
	}
	if size == 0 {
		return Found{}, refuse("is empty")
	}
	head := make([]byte, min(size, 1024))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return Found{}, err
	}
	raw := &raw{r: r, size: size}
	f, err := raw.look(head)
	if err != nil {
		return Found{}, err
	}
	if f.IsImage() && int64(f.Width)*int64(f.Height) > MaxPixels {
		return f, refuse("has %d by %d pixels: send a picture of at most %d million", f.Width, f.Height, MaxPixels/1_000_000)
	}
	if err := raw.alsoZip(f.Type); err != nil {
		return f, err
	}
	f.Content = raw.kept()
	f.Name, f.Type, err = matchExtension(name, f.Type)
	return f, err
}

// look detects the type by the first bytes.
func (w *raw) look(head []byte) (Found, error) {
	begins := func(s string) bool { return bytes.HasPrefix(head, []byte(s)) }
	switch {
	case begins("\xff\xd8\xff"):
		return w.jpeg()
	case begins("\x89PNG\r\n\x1a\n"):
		return w.png()
	case begins("GIF87a"), begins("GIF89a"):
		return w.gif()
	case begins("RIFF") && len(head) > 12 && string(head[8:12]) == "WEBP":
		return w.webp()
	case begins("%PDF-"):
		return w.pdf()
	case begins("PK\x03\x04"):
		return w.office()
	case begins("MZ"), begins("\x7fELF"), begins("\xfe\xed\xfa\xce"), begins("\xfe\xed\xfa\xcf"), begins("\xce\xfa\xed\xfe"),
		begins("\xcf\xfa\xed\xfe"), begins("\xca\xfe\xba\xbe"), begins("\x00asm"), begins("#!"):
		return Found{}, refuse("is a program or a script, whatever its name says: they are not accepted")
	case begins("\xd0\xcf\x11\xe0"):
		return Found{}, refuse("is in an old Office format, which may contain macros: save it as docx, xlsx, pptx or PDF")
	case len(head) > 12 && string(head[4:8]) == "ftyp":
		return Found{}, refuse("is a video, a sound or a HEIC picture, which is not accepted: send a photo as JPEG")
	case bytes.Contains(head, []byte("%PDF-")):
		return Found{}, refuse("has something before its PDF header: save it as a PDF again")
	}
	return w.text(head)
}

// matchExtension checks that the name's extension matches the type, or adds one.
func matchExtension(name, typ string) (string, string, error) {
	extension := ""
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		extension = strings.ToLower(name[i:])
	}
	if typ == Text && extension == ".csv" {
		typ = CSV
	}
	for _, e := range extensions[typ] {
		if e == extension {
			return name, typ, nil
		}
	}
	if extension == "" {
		return name + extensions[typ][0], typ, nil
	}
	for _, all := range extensions {
		for _, e := range all {
			if e == extension {
				return name, typ, refuse("has the extension %s, but its content is %s: rename it to %s, or send another file", extension, typ,
					extensions[typ][0])
			}
		}
	}
	return name, typ, refuse("has the extension %s, which is not accepted: send %s", extension, Taken)
}

// alsoZip refuses a file of another type that is also a valid zip archive.
func (w *raw) alsoZip(typ string) error {
	if strings.HasPrefix(typ, "application/vnd.") {
		return nil
	}
	if _, err := w.directory(); err == nil {
		return refuse("is also an archive: it has a zip hidden in it, and is not accepted")
	}
	return nil
}

var errNoDirectory = errors.New("no zip directory")

// maxEntries and maxDirectory limit the zip directory.
const (
	maxEntries   = 5000
	maxDirectory = 1 << 20
)

// directory finds the end-of-central-directory record of a zip archive.
func (w *raw) directory() (end directoryEnd, err error) {
	tail := make([]byte, min(w.size, 22+65535))
	if _, err := w.r.ReadAt(tail, w.size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return end, err
	}
	for at := len(tail) - 22; at >= 0; at-- {
		b := tail[at:]
		if !bytes.HasPrefix(b, []byte("PK\x05\x06")) {
			continue
		}
		le := func(i, n int) (v int64) {
			for k := n - 1; k >= 0; k-- {
				v = v<<8 | int64(b[i+k])
			}
			return v
		}
		end = directoryEnd{entries: le(10, 2), size: le(12, 4), offset: le(16, 4), at: w.size - int64(len(b)), comment: le(20, 2)}
		if end.size <= end.at {
			return end, nil
		}
	}
	return end, errNoDirectory
}

type directoryEnd struct{ entries, size, offset, at, comment int64 }

// archive opens a zip archive without data before or after it.
func (w *raw) archive() (*zip.Reader, error) {
	end, err := w.directory()
	switch {
	case errors.Is(err, errNoDirectory):
		return nil, refuse("is an archive that was cut off: send it again")
	case err != nil:
		return nil, err
	case end.at+22+end.comment != w.size || end.offset+end.size != end.at:
		return nil, refuse("has something hidden before or after the document: save it again under a new name")
	case end.entries > maxEntries || end.size > maxDirectory:
		return nil, refuse("has more parts than any document: it is not accepted")
	}
	z, err := zip.NewReader(io.NewSectionReader(w.r, 0, w.size), w.size)
	if err != nil {
		return nil, refuse("is an archive that can't be read: save it again")
	}
	return z, nil
}
