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

// asset is one file in both its forms, gzipped and plain.
type asset struct {
	contentType string
	policy      string // Content-Security-Policy, "" for none
	gz          []byte
	plain       func() []byte
	hash        string
}

// newAsset compresses what is kept plain.
func newAsset(contentType string, plain []byte) *asset {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // fails on an unknown level only
	_, _ = z.Write(plain)                                 // a bytes.Buffer takes everything
	_ = z.Close()
	return &asset{
		contentType: contentType,
		gz:          b.Bytes(),
		plain:       func() []byte { return plain },
		hash:        hashOf(plain),
	}
}

// packedAsset keeps a gzipped file as it is and unpacks it for the rare client
// that cannot, rather than hold it in memory twice.
func packedAsset(contentType string, gz []byte) *asset {
	return &asset{
		contentType: contentType,
		gz:          gz,
		plain:       func() []byte { return unpack(gz) },
		hash:        hashOf(gz),
	}
}

// unpack panics on an embedded file that is not gzip; a test reads each of them.
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

// serve answers GET and HEAD, from the client's cache where that is current.
// Each form has an ETag of its own, as a strong one promises equal bytes.
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

// cacheControl lets an address that names its content be kept for good, and
// has any other asked for again.
func (a *asset) cacheControl(r *http.Request) string {
	if r.URL.RawQuery == "v="+a.hash {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}

// acceptsGzip reads Accept-Encoding: gzip, or *, with a weight above zero.
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

// weight is the q of an accept header's item: 1 when there is none, 0 when it can't be read.
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
