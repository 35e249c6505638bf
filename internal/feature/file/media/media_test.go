package media_test

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"

	"homeroom/internal/feature/file/filetest"
	"homeroom/internal/feature/file/media"
)

func look(content []byte, name string) (media.Found, error) {
	return media.Look(bytes.NewReader(content), int64(len(content)), name)
}

func kept(t *testing.T, f media.Found) []byte {
	t.Helper()
	b, err := io.ReadAll(f.Content)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(b)) != f.Content.Size() {
		t.Errorf("%d bytes are kept, and it says %d", len(b), f.Content.Size())
	}
	return b
}

func TestTaken(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		content []byte
		typ     string
		as      string // "": the same name
	}{
		{"a.jpg", filetest.JPEG(40, 30), media.JPEG, ""},
		{"a.JPEG", filetest.WithExif(filetest.JPEG(40, 30), 6), media.JPEG, ""},
		{"scan", filetest.JPEG(40, 30), media.JPEG, "scan.jpg"},
		{"a.png", filetest.PNG(40, 30), media.PNG, ""},
		{"a.png", filetest.PNGWithText(4, 3), media.PNG, ""},
		{"a.gif", filetest.GIF(40, 30), media.GIF, ""},
		{"a.webp", filetest.WebP(), media.WebP, ""},
		{"a.webp", filetest.WebPWithExif(), media.WebP, ""},
		{"a.pdf", filetest.PDF(300), media.PDF, ""},
		{"résumé 日本.pdf", filetest.PDF(100_000), media.PDF, ""},
		{"a.txt", []byte("Grüße\r\n\tan alle\n"), media.Text, ""},
		{"long.txt", []byte(strings.Repeat("日本語", 20_000)), media.Text, ""},
		{"a.csv", []byte("name,class\nAda,5\n"), media.CSV, ""},
		{"", []byte("a note"), media.Text, "file.txt"},
		{"a.docx", filetest.DOCX(), media.DOCX, ""},
		{"a.xlsx", filetest.Zip(filetest.Part{Name: "[Content_Types].xml"}, filetest.Part{Name: "xl/workbook.xml"}), media.XLSX, ""},
		{"a.pptx", filetest.Zip(filetest.Part{Name: "[Content_Types].xml"}, filetest.Part{Name: "ppt/presentation.xml"}), media.PPTX, ""},
		{"a.odt", filetest.ODT(), media.ODT, ""},
		{"motion.jpg", append(filetest.JPEG(8, 8), "\x00\x00\x00\x18ftypmp42 and a film"...), media.JPEG, ""},
		{"padded.jpg", append(filetest.JPEG(8, 8), make([]byte, 100)...), media.JPEG, ""},
	} {
		f, err := look(tt.content, tt.name)
		want := tt.as
		if want == "" {
			want = tt.name
		}
		if err != nil || f.Type != tt.typ || f.Name != want || f.IsImage() != strings.HasPrefix(tt.typ, "image/") {
			t.Errorf("%s: %s %q %v", tt.name, f.Type, f.Name, err)
			continue
		}
		if got := kept(t, f); bytes.Contains(got, []byte("GPS")) || bytes.Contains(got, []byte("film")) {
			t.Errorf("%s still has metadata: %q", tt.name, got)
		}
		thumb, ok, err := media.NewStudio().Thumbnail(t.Context(), f)
		if err != nil || ok != f.IsImage() || ok && len(thumb.Bytes) == 0 {
			t.Errorf("%s: thumbnail %v %v", tt.name, ok, err)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	page := []byte("<html><script>alert(1)</script></html>")
	jpg, gif, pdf := filetest.JPEG(8, 8), filetest.GIF(8, 8), filetest.PDF(300)
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for what, tt := range map[string]struct {
		name    string
		content []byte
		why     string
	}{
		"nothing":                       {"a.txt", nil, "empty"},
		"a program of Windows":          {"a.jpg", []byte("MZ\x90\x00\x03rest of a program"), "program"},
		"a program of Linux":            {"a.pdf", []byte("\x7fELF\x02\x01\x01"), "program"},
		"a program of a Mac":            {"a.png", []byte("\xcf\xfa\xed\xfe\x07\x00"), "program"},
		"a script":                      {"a.txt", []byte("#!/bin/sh\nrm -r *\n"), "script"},
		"a page":                        {"a.txt", page, "page"},
		"a page behind blanks":          {"a.txt", append([]byte("\xef\xbb\xbf \n\t"), page...), "page"},
		"a page with words before it":   {"a.txt", append([]byte("hello "), page...), "page"},
		"a drawing with a script":       {"a.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), "SVG"},
		"JavaScript":                    {"a.js", []byte("alert(1)"), "not accepted"},
		"an archive":                    {"a.zip", filetest.Zip(filetest.Part{Name: "a.txt"}), "archive"},
		"a document with macros":        {"a.docx", filetest.DOCX(filetest.Part{Name: "word/vbaProject.bin"}), "macros"},
		"a part that leads out":         {"a.docx", filetest.DOCX(filetest.Part{Name: "../../etc/passwd"}), "outside the document"},
		"an archive that is a bomb":     {"a.docx", filetest.ZipBomb(), "unpacks"},
		"a document behind something":   {"a.docx", join([]byte("PK\x03\x04 hidden"), filetest.DOCX()), "hidden"},
		"a document before something":   {"a.docx", join(filetest.DOCX(), []byte("hidden")), "hidden"},
		"an old document":               {"a.doc", []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "old Office format"},
		"a photo and an archive":        {"a.jpg", join(jpg, filetest.Zip(filetest.Part{Name: "a.class"})), "after the end"},
		"a photo and a page":            {"a.jpg", join(jpg, page), "after the end"},
		"a GIF and an archive":          {"a.gif", join(gif, filetest.Zip(filetest.Part{Name: "a.class"})), "after the end"},
		"a GIF and a script":            {"a.gif", join(gif, []byte("*/=1;alert(1)")), "after the end"},
		"a PNG and an archive":          {"a.png", join(filetest.PNG(8, 8), filetest.Zip(filetest.Part{Name: "a.class"})), "after the end"},
		"a WebP and a page":             {"a.webp", join(filetest.WebP(), page), "after the end"},
		"a PDF and an archive":          {"a.pdf", join(pdf, filetest.Zip(filetest.Part{Name: "a.class"})), "hidden"},
		"a PDF that is an archive":      {"a.pdf", join(pdf, filetest.Zip(filetest.Part{Name: "a.class"}), []byte("%%EOF")), "zip"},
		"a PDF and a page":              {"a.pdf", join(pdf, page), "hidden"},
		"a page and a PDF":              {"a.pdf", join([]byte("MIME\n"), pdf), "before its PDF header"},
		"a page before a PDF":           {"a.pdf", join(page, pdf), "before its PDF header"},
		"half a photo":                  {"a.jpg", jpg[:len(jpg)/2], "incomplete"},
		"half a PNG":                    {"a.png", filetest.PNG(30, 30)[:60], "incomplete"},
		"a PNG whose bytes were turned": {"a.png", func() []byte { b := filetest.PNG(30, 30); b[50] ^= 1; return b }(), "damaged"},
		"half a PDF":                    {"a.pdf", pdf[:200], "cut off"},
		"too many pixels":               {"a.png", filetest.PNGBomb(100_000, 100_000), "pixels"},
		"just too many pixels":          {"a.png", filetest.PNGBomb(8000, 5001), "pixels"},
		"another name":                  {"a.png", jpg, "its content is"},
		"a photo called a program":      {"a.exe", jpg, "extension .exe"},
		"a text called a photo":         {"a.jpg", []byte("hello"), "its content is"},
		"bytes":                         {"a.txt", []byte("a\x00b"), "not accepted"},
		"another alphabet":              {"a.txt", []byte("Gr\xfc\xdfe"), "UTF-8"},
		"an iPhone's photo":             {"a.heic", []byte("\x00\x00\x00\x18ftypheic\x00\x00"), "JPEG"},
		"a path":                        {"../../etc/passwd.txt", []byte("x"), "path"},
		"a path of Windows":             {`C:\a.txt`, []byte("x"), "path"},
		"a hidden name":                 {".htaccess", []byte("x"), "dot"},
		"a line in a name":              {"a\nb.txt", []byte("x"), "control"},
		"a name that reads backwards":   {"a\u202efdp.txt", []byte("x"), "control"},
		"a name of bytes":               {"a\xff.txt", []byte("x"), "UTF-8"},
		"a long name":                   {strings.Repeat("x", 300) + ".txt", []byte("x"), "200"},
	} {
		_, err := look(tt.content, tt.name)
		if why, ok := errors.AsType[media.Refusal](err); !ok || !strings.Contains(string(why), tt.why) {
			t.Errorf("%s: %v, want %q", what, err, tt.why)
		}
	}
}

// TestBroken refuses pictures with valid structure and invalid image data.
func TestBroken(t *testing.T) {
	t.Parallel()
	f, err := look(filetest.PNGBomb(300, 300), "a.png")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := media.NewStudio().Thumbnail(t.Context(), f); !errors.As(err, new(media.Refusal)) {
		t.Errorf("a picture without its pixels: %v", err)
	}
}

// TestUpright checks that thumbnails apply the Exif orientation: the red corner is
// where a viewer shows it.
func TestUpright(t *testing.T) {
	t.Parallel()
	const w, h = 400, 200
	for turn, corner := range map[int]image.Point{1: {0, 0}, 2: {1, 0}, 3: {1, 1}, 4: {0, 1}, 5: {0, 0}, 6: {1, 0}, 7: {1, 1}, 8: {0, 1}} {
		f, err := look(filetest.WithExif(filetest.JPEG(w, h), turn), "a.jpg")
		if err != nil {
			t.Fatal(err)
		}
		thumb, _, err := media.NewStudio().Thumbnail(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		img, err := jpeg.Decode(bytes.NewReader(thumb.Bytes))
		if err != nil {
			t.Fatal(err)
		}
		b := img.Bounds()
		if wide := b.Dx() == 256 && b.Dy() == 128; wide != (turn < 5) {
			t.Errorf("%d: %v", turn, b)
		}
		at := image.Pt(b.Dx()/8+corner.X*b.Dx()*3/4, b.Dy()/8+corner.Y*b.Dy()*3/4)
		if r, g, _, _ := img.At(at.X, at.Y).RGBA(); r < 0xa000 || g > 0x6000 {
			t.Errorf("%d: %v is not red: %x %x", turn, at, r, g)
		}
		again, err := look(kept(t, f), "a.jpg") // the output keeps the orientation
		if err != nil {
			t.Fatal(err)
		}
		second, _, err := media.NewStudio().Thumbnail(t.Context(), again)
		if err != nil || !bytes.Equal(second.Bytes, thumb.Bytes) {
			t.Errorf("%d: the photo that is kept is another way up: %v", turn, err)
		}
	}
}

// TestSeeThrough keeps transparency.
func TestSeeThrough(t *testing.T) {
	t.Parallel()
	f, err := look(filetest.PNG(10, 10), "a.png")
	if err != nil {
		t.Fatal(err)
	}
	thumb, _, err := media.NewStudio().Thumbnail(t.Context(), f)
	if err != nil || thumb.Type != media.PNG {
		t.Fatalf("thumbnail: got %v, %v", thumb.Type, err)
	}
	img, err := png.Decode(bytes.NewReader(thumb.Bytes))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, a := img.At(9, 9).RGBA(); a != 0 {
		t.Error("the corner is not transparent any more")
	}
}

// FuzzLook checks that Look does not panic, and accepts its own output.
func FuzzLook(f *testing.F) {
	for _, seed := range [][]byte{filetest.JPEG(8, 8), filetest.WithExif(filetest.JPEG(8, 8), 3), filetest.PNG(8, 8), filetest.GIF(8, 8),
		filetest.WebP(), filetest.WebPWithExif(), filetest.PDF(200), filetest.DOCX(), filetest.ODT(), []byte("text")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		found, err := look(b, "")
		if err != nil {
			if _, ok := errors.AsType[media.Refusal](err); !ok {
				t.Fatal(err)
			}
			return
		}
		again, err := look(kept(t, found), found.Name)
		if err != nil || again.Type != found.Type {
			t.Fatalf("what is kept is not %s any more: %v", found.Type, err)
		}
		_, _, _ = media.NewStudio().Thumbnail(t.Context(), found)
	})
}
