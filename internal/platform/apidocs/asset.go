package apidocs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// asset is one file, gzipped and plain.
type asset struct {
	contentType string
	policy      string // Content-Security-Policy, "" for none
	gz          []byte
	plain       func() []byte
	hash        string
}

// newAsset compresses a plain file.
func newAsset(contentType string, plain []byte) *asset {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, _ = z.Write(plain)                                 // a bytes.Buffer never fails
	_ = z.Close()
	return &asset{
		contentType: contentType,
		gz:          b.Bytes(),
		plain:       func() []byte { return plain },
		hash:        hashOf(plain),
	}
}

// packedAsset keeps a gzipped file and decompresses it for the rare client without gzip,
// to save memory.
func packedAsset(contentType string, gz []byte) *asset {
	return &asset{
		contentType: contentType,
		gz:          gz,
		plain:       func() []byte { return unpack(gz) },
		hash:        hashOf(gz),
	}
}

// unpack decompresses an embedded file and panics if it is invalid; a test reads each.
func unpack(gz []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		panic("apidocs: embedded asset: " + err.Error())
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		panic("apidocs: embedded asset: " + err.Error())
	}
	return plain
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:12])
}

// serve answers GET and HEAD, with 304 if the client's copy is current. Each encoding has
// its own ETag, because strong ETags mean equal bytes.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", a.cacheControl(r))
	h.Add("Vary", "Accept-Encoding")
	if a.policy != "" {
		h.Set("Content-Security-Policy", a.policy)
		h.Set("Referrer-Policy", "no-referrer")
	}
	if acceptsGzip(r.Header.Values("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		h.Set("ETag", `"`+a.hash+`-gz"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.gz))
		return
	}
	h.Set("ETag", `"`+a.hash+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.plain()))
}

// cacheControl makes versioned URLs immutable; others are revalidated.
func (a *asset) cacheControl(r *http.Request) string {
	if r.URL.RawQuery == "v="+a.hash {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}

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
