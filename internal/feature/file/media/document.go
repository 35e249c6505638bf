package media

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"
)

// pdf accepts a PDF without data before or after it.
func (w *raw) pdf() (Found, error) {
	f := Found{Type: PDF}
	head, err := w.bytes(0, int(min(w.size, 8)))
	if err != nil {
		return f, err
	}
	if len(head) < 8 || head[5] < '1' || head[5] > '2' || head[6] != '.' {
		return f, refuse("is a PDF of an unknown version: save it again")
	}
	tail, err := w.bytes(max(0, w.size-2048), int(min(w.size, 2048)))
	if err != nil {
		return f, err
	}
	end := bytes.LastIndex(tail, []byte("%%EOF"))
	switch {
	case end < 0:
		return f, refuse("is a PDF that was cut off, or has something hidden after its end: save it again")
	case len(bytes.Trim(tail[end+5:], "\r\n\t \x00")) > 0:
		return f, refuse("has something hidden after the end of the PDF: save it again")
	}
	return f, nil
}

// Limits for the declared sizes in an archive.
const (
	maxUnpacked = 512 << 20
	maxRatio    = 200
)

// office detects the type of a zip-based document by its parts.
func (w *raw) office() (Found, error) {
	z, err := w.archive()
	if err != nil {
		return Found{}, err
	}
	var unpacked uint64
	parts := map[string]bool{}
	for _, p := range z.File {
		if strings.Contains(p.Name, "..") || strings.HasPrefix(p.Name, "/") || strings.Contains(p.Name, `\`) {
			return Found{}, refuse("has a part with a path outside the document: it is not accepted")
		}
		if p.UncompressedSize64 > maxUnpacked {
			return Found{}, errBomb
		}
		unpacked += p.UncompressedSize64
		folder, _, _ := strings.Cut(p.Name, "/")
		parts[folder] = true
		if base := strings.ToLower(p.Name[strings.LastIndexByte(p.Name, '/')+1:]); base == "vbaproject.bin" {
			return Found{}, refuse("contains macros: save it without them")
		}
	}
	if unpacked > maxUnpacked || unpacked > 10<<20 && unpacked > maxRatio*uint64(w.size) {
		return Found{}, errBomb
	}
	switch {
	case parts["[Content_Types].xml"] && parts["word"]:
		return Found{Type: DOCX}, nil
	case parts["[Content_Types].xml"] && parts["xl"]:
		return Found{Type: XLSX}, nil
	case parts["[Content_Types].xml"] && parts["ppt"]:
		return Found{Type: PPTX}, nil
	}
	return openDocument(z)
}

var errBomb = Refusal("unpacks to far more than any document: it is not accepted")

// openDocument reads the mimetype entry of an OpenDocument file.
func openDocument(z *zip.Reader) (Found, error) {
	if len(z.File) > 0 && z.File[0].Name == "mimetype" && z.File[0].Method == zip.Store {
		if r, err := z.File[0].Open(); err == nil {
			typ, err := io.ReadAll(io.LimitReader(r, 100))
			_ = r.Close() // it was only read
			if s := string(typ); err == nil && (s == ODT || s == ODS || s == ODP) {
				return Found{Type: s}, nil
			}
		}
	}
	return Found{}, refuse("is an archive, which is not accepted: send its files one by one")
}

// markup are prefixes that a browser would treat as HTML, SVG or script.
var markup = []string{"<!doctype", "<html", "<head", "<body", "<script", "<svg", "<?xml", "<?php", "<iframe", "<style", "<!--", "<a ",
	"<img", "<?="}

// text accepts UTF-8 without control characters that is not markup.
func (w *raw) text(head []byte) (Found, error) {
	f := Found{Type: Text}
	begin := strings.ToLower(strings.TrimLeft(string(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))), " \t\r\n\f"))
	for _, m := range markup {
		if strings.HasPrefix(begin, m) {
			return f, refuse("is a web page, a drawing (SVG) or a script, which can be harmful when opened: it is not accepted")
		}
	}
	if strings.HasPrefix(http.DetectContentType(head), "text/html") || strings.Contains(begin, "<script") || strings.HasPrefix(begin, "#!") {
		return f, refuse("is a web page or a script, which can be harmful when opened: it is not accepted")
	}
	buf := make([]byte, 32<<10)
	valid, rest := true, 0
	for at := int64(0); at < w.size; {
		n, err := w.r.ReadAt(buf[rest:min(int64(len(buf)), int64(rest)+w.size-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return f, err
		}
		if n == 0 {
			return f, errTruncated
		}
		at += int64(n)
		b := buf[:rest+n]
		if i := bytes.IndexFunc(b[rest:], func(c rune) bool {
			return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' ||
				c == 0x7f
		}); i >= 0 {
			return f, refuse("is of a type that is not accepted: send %s", Taken)
		}
		whole := b
		if at < w.size { // a character may be cut in two here
			for cut := 1; cut < 4 && cut <= len(b); cut++ {
				if utf8.RuneStart(b[len(b)-cut]) {
					if !utf8.FullRune(b[len(b)-cut:]) {
						whole = b[:len(b)-cut]
					}
					break
				}
			}
		}
		valid = valid && utf8.Valid(whole)
		rest = copy(buf, b[len(whole):])
	}
	if !valid {
		return f, refuse("is a text that is not UTF-8: save it as UTF-8")
	}
	return f, nil
}
