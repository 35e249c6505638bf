package s3fake

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

var errSignature = errors.New("the signature does not match")

const dateForm = "20060102T150405Z"

// signing is the signature of a request.
type signing struct {
	scope   string // date/region/s3/aws4_request
	headers []string
	want    string
	date    string
	key     []byte
}

// verified checks the request's signature and returns its body, whose reads fail at an
// invalid chunk.
func verified(r *http.Request) (io.Reader, error) {
	s, err := parse(r)
	if err != nil {
		return nil, err
	}
	payload := r.Header.Get("X-Amz-Content-Sha256")
	text := strings.Join([]string{"AWS4-HMAC-SHA256", s.date, s.scope, sum([]byte(s.canonical(r, payload)))}, "\n")
	if got := hex.EncodeToString(mac(s.key, text)); !hmac.Equal([]byte(got), []byte(s.want)) {
		return nil, errSignature
	}
	switch payload {
	case "UNSIGNED-PAYLOAD":
		return r.Body, nil
	case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD":
		return &chunks{r: bufio.NewReaderSize(r.Body, 96<<10), s: s, last: s.want}, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20)) // XML; blobs come in chunks
	if err != nil || sum(body) != payload {
		return nil, errSignature
	}
	return bytes.NewReader(body), nil
}

func parse(r *http.Request) (s signing, err error) {
	rest, ok := strings.CutPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ")
	if !ok {
		return s, errSignature
	}
	fields := map[string]string{}
	for part := range strings.SplitSeq(rest, ",") {
		k, v, _ := strings.Cut(strings.TrimSpace(part), "=")
		fields[k] = v
	}
	access, scope, _ := strings.Cut(fields["Credential"], "/")
	s = signing{scope: scope, headers: strings.Split(fields["SignedHeaders"], ";"),
		want: fields["Signature"], date: r.Header.Get("X-Amz-Date")}
	at, err := time.Parse(dateForm, s.date)
	day := at.Format("20060102")
	switch {
	case err != nil || time.Since(at).Abs() > 15*time.Minute:
		return s, errSignature
	case access != AccessKey || scope != day+"/"+Region+"/s3/aws4_request":
		return s, errSignature
	case !slices.Contains(s.headers, "host") || !slices.Contains(s.headers, "x-amz-content-sha256") ||
		!slices.Contains(s.headers, "x-amz-date"):
		return s, errSignature
	}
	s.key = mac(mac(mac(mac([]byte("AWS4"+SecretKey), day), Region), "s3"), "aws4_request")
	return s, nil
}

// canonical returns the canonical request, which is signed.
func (s signing) canonical(r *http.Request, payload string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%s\n", r.Method, r.URL.EscapedPath(), strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20"))
	for _, h := range s.headers {
		v := strings.Join(r.Header.Values(h), ",")
		switch h {
		case "host":
			v = r.Host
		case "content-length":
			v = strconv.FormatInt(r.ContentLength, 10)
		}
		fmt.Fprintf(&b, "%s:%s\n", h, strings.Join(strings.Fields(v), " "))
	}
	fmt.Fprintf(&b, "\n%s\n%s", strings.Join(s.headers, ";"), payload)
	return b.String()
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// chunks reads a body of signed chunks.
type chunks struct {
	r    *bufio.Reader
	s    signing
	last string
	rest []byte
	done bool
}

// Read implements io.Reader.
func (c *chunks) Read(p []byte) (int, error) {
	for len(c.rest) == 0 {
		if c.done {
			return 0, io.EOF
		}
		if err := c.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

func (c *chunks) next() error {
	line, err := c.r.ReadString('\n')
	if err != nil {
		return errSignature
	}
	size, rest, ok := strings.Cut(strings.TrimSpace(line), ";chunk-signature=")
	n, err := strconv.ParseInt(size, 16, 32)
	if !ok || err != nil || n < 0 || n > 1<<20 {
		return errSignature
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(c.r, data); err != nil {
		return errSignature
	}
	text := strings.Join([]string{"AWS4-HMAC-SHA256-PAYLOAD", c.s.date, c.s.scope, c.last, sum(nil), sum(data)}, "\n")
	if got := hex.EncodeToString(mac(c.s.key, text)); !hmac.Equal([]byte(got), []byte(rest)) {
		return errSignature
	}
	c.last, c.rest, c.done = rest, data, n == 0
	if _, err := io.ReadFull(c.r, make([]byte, 2)); err != nil && !c.done { // CRLF
		return errSignature
	}
	return nil
}
