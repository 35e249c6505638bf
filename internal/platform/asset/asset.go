// Package asset serves embedded files from memory: gzipped once, with ETag and a
// Content-Security-Policy.
package asset

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Asset is one file, gzipped and plain.
type Asset struct {
	Policy  string // Content-Security-Policy, "" for none
	Forever bool   // the URL has a hash: browsers never ask again
	Secret  bool   // the URL may have a secret: browsers keep no copy

	contentType string
	gz          func() []byte
	plain       func() []byte
	hash        string
}

// New serves a plain file. It is compressed when it is first asked for, so that a
// start does not wait for files that nobody opens.
func New(contentType string, plain []byte) *Asset {
	return &Asset{
		contentType: contentType,
		gz:          sync.OnceValue(func() []byte { return pack(plain) }),
		plain:       func() []byte { return plain },
		hash:        hashOf(plain),
	}
}

// Packed keeps a gzipped file and decompresses it for the rare client without gzip,
// to save memory.
func Packed(contentType string, gz []byte) *Asset {
	return &Asset{
		contentType: contentType,
		gz:          func() []byte { return gz },
		plain:       func() []byte { return unpack(gz) },
		hash:        hashOf(gz),
	}
}

func pack(plain []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, _ = z.Write(plain)                                 // a bytes.Buffer never fails
	_ = z.Close()
	return b.Bytes()
}

// unpack decompresses an embedded file and panics if it is invalid; a test reads each.
func unpack(gz []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		panic("asset: " + err.Error())
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		panic("asset: " + err.Error())
	}
	return plain
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:12])
}

// ServeHTTP answers GET and HEAD, with 304 if the client's copy is current. Each encoding has
// its own ETag, because strong ETags mean equal bytes.
func (a *Asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", a.cacheControl(r))
	h.Add("Vary", "Accept-Encoding")
	if a.Policy != "" {
		h.Set("Content-Security-Policy", a.Policy)
		h.Set("Referrer-Policy", "no-referrer")
	}
	if acceptsGzip(r.Header.Values("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		h.Set("ETag", `"`+a.hash+`-gz"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.gz()))
		return
	}
	h.Set("ETag", `"`+a.hash+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.plain()))
}

// cacheControl lets browsers keep versioned URLs for good; others are revalidated.
func (a *Asset) cacheControl(r *http.Request) string {
	if a.Secret {
		return "no-store"
	}
	if a.Forever || r.URL.RawQuery == "v="+a.hash {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}

// URL returns path with the version that lets browsers keep the file for good.
func (a *Asset) URL(path string) string { return path + "?v=" + a.hash }

// acceptsGzip reports whether Accept-Encoding has gzip or * with a weight above zero.
func acceptsGzip(values []string) bool {
	star := false
	for _, part := range strings.Split(strings.Join(values, ","), ",") {
		coding, params, _ := strings.Cut(part, ";")
		wanted := weight(params) > 0
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			return wanted
		case "*":
			star = wanted
		}
	}
	return star
}

// weight is the q value of an Accept-Encoding item: 1 without one, 0 if invalid.
func weight(params string) float64 {
	name, value, ok := strings.Cut(params, "=")
	if !ok || strings.ToLower(strings.TrimSpace(name)) != "q" {
		return 1
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil {
		return 0
	}
	return q
}
