// Package s3fake is a small S3 server for tests: PUT, GET with ranges, HEAD, DELETE,
// lists and multipart uploads, in one bucket with path-style URLs. It verifies signature
// version 4 of every request, chunk signatures included, and returns the same errors as
// S3.
//
// Start at New, or at Server.ServeHTTP for the supported requests.
package s3fake

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Credentials and bucket.
const (
	AccessKey = "fake-access"
	SecretKey = "fake-secret-key"
	Bucket    = "school-files"
	Region    = "eu-test-1"
)

// Server is the fake.
type Server struct {
	URL string
	// Discard stores only the size of blobs, for benchmarks.
	Discard bool

	http    *httptest.Server
	mu      sync.Mutex
	objects map[string]object
	parts   map[string]map[int]object // by upload
	seen    []string
	fail    func(w http.ResponseWriter, r *http.Request) bool
}

type object struct {
	body []byte
	size int64
	sum  string
	at   time.Time
}

// New starts a server. The caller must close it.
func New() *Server {
	s := &Server{objects: map[string]object{}, parts: map[string]map[int]object{}}
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL
	return s
}

// Close stops the server.
func (s *Server) Close() { s.http.Close() }

// Fail lets f answer requests instead; if it returns false the server answers.
func (s *Server) Fail(f func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = f
}

func (s *Server) fails(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	f := s.fail
	s.mu.Unlock()
	return f != nil && f(w, r)
}

// Keys lists the stored keys.
func (s *Server) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := []string{}
	for k := range s.objects {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Requests lists the requests: "GET key bytes=0-9".
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key, ok := strings.CutPrefix(r.URL.Path, "/"+Bucket)
	key = strings.TrimPrefix(key, "/")
	s.note(r, key)
	if s.fails(w, r) {
		return
	}
	if !ok {
		refuse(w, 404, "NoSuchBucket")
		return
	}
	body, err := verified(r)
	if err != nil {
		refuse(w, 403, "SignatureDoesNotMatch")
		return
	}
	q := r.URL.Query()
	switch {
	case r.Method == "POST" && q.Has("uploads"):
		s.initiate(w, key)
	case r.Method == "PUT" && q.Has("uploadId"):
		s.putPart(w, body, q.Get("uploadId"), q.Get("partNumber"))
	case r.Method == "POST" && q.Has("uploadId"):
		s.complete(w, body, key, q.Get("uploadId"))
	case r.Method == "DELETE" && q.Has("uploadId"):
		s.abort(w, q.Get("uploadId"))
	case r.Method == "PUT" && key != "":
		s.put(w, body, key)
	case r.Method == "GET" && key == "":
		s.list(w, q.Get("prefix"))
	case (r.Method == "GET" || r.Method == "HEAD") && key != "":
		s.get(w, r, key)
	case r.Method == "HEAD":
		w.WriteHeader(200)
	case r.Method == "DELETE":
		s.delete(w, key)
	default:
		refuse(w, 501, "NotImplemented")
	}
}

func (s *Server) note(r *http.Request, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, strings.TrimSpace(r.Method+" "+key+" "+r.Header.Get("Range")))
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, code)
}

// take reads a body and verifies its chunks.
func (s *Server) take(body io.Reader) (object, error) {
	h, o := md5.New(), object{at: time.Now()}
	var kept bytes.Buffer
	to := io.Writer(h)
	if !s.Discard {
		to = io.MultiWriter(h, &kept)
	}
	var err error
	o.size, err = io.Copy(to, body)
	o.body, o.sum = kept.Bytes(), hex.EncodeToString(h.Sum(nil))
	return o, err
}

func (s *Server) put(w http.ResponseWriter, body io.Reader, key string) {
	o, err := s.take(body)
	if err != nil {
		refuse(w, 403, "SignatureDoesNotMatch")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[key] = o
	w.Header().Set("ETag", strconv.Quote(o.sum))
}

func (s *Server) get(w http.ResponseWriter, r *http.Request, key string) {
	s.mu.Lock()
	o, ok := s.objects[key]
	s.mu.Unlock()
	if !ok {
		refuse(w, 404, "NoSuchKey")
		return
	}
	w.Header().Set("ETag", strconv.Quote(o.sum))
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", o.at, bytes.NewReader(o.body))
}

func (s *Server) delete(w http.ResponseWriter, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects, key)
	w.WriteHeader(204)
}

func (s *Server) list(w http.ResponseWriter, prefix string) {
	type contents struct {
		Key          string
		LastModified string
		ETag         string
		Size         int64
	}
	var out struct {
		XMLName     xml.Name `xml:"ListBucketResult"`
		Name        string
		KeyCount    int
		IsTruncated bool
		Contents    []contents
	}
	for _, k := range s.Keys() {
		if strings.HasPrefix(k, prefix) {
			s.mu.Lock()
			o := s.objects[k]
			s.mu.Unlock()
			out.Contents = append(out.Contents, contents{k, o.at.UTC().Format("2006-01-02T15:04:05.000Z"), strconv.Quote(o.sum), o.size})
		}
	}
	out.Name, out.KeyCount = Bucket, len(out.Contents)
	_ = xml.NewEncoder(w).Encode(out) // the client may be gone
}

func (s *Server) initiate(w http.ResponseWriter, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	upload := fmt.Sprint("upload-", len(s.parts)+1)
	s.parts[upload] = map[int]object{}
	fmt.Fprintf(w, "<InitiateMultipartUploadResult><Bucket>%s</Bucket><Key>%s</Key><UploadId>%s</UploadId></InitiateMultipartUploadResult>",
		Bucket, key, upload)
}

func (s *Server) putPart(w http.ResponseWriter, body io.Reader, upload, number string) {
	o, err := s.take(body)
	if err != nil {
		refuse(w, 403, "SignatureDoesNotMatch")
		return
	}
	n, err := strconv.Atoi(number)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || s.parts[upload] == nil {
		refuse(w, 404, "NoSuchUpload")
		return
	}
	s.parts[upload][n] = o
	w.Header().Set("ETag", strconv.Quote(o.sum))
}

func (s *Server) complete(w http.ResponseWriter, body io.Reader, key, upload string) {
	var in struct {
		Part []struct {
			PartNumber int
			ETag       string
		}
	}
	err := xml.NewDecoder(body).Decode(&in)
	s.mu.Lock()
	defer s.mu.Unlock()
	parts := s.parts[upload]
	if err != nil || parts == nil {
		refuse(w, 404, "NoSuchUpload")
		return
	}
	whole := object{at: time.Now()}
	for i, p := range in.Part {
		o, ok := parts[p.PartNumber]
		if !ok || strings.Trim(p.ETag, `"`) != o.sum || i+1 < len(in.Part) && o.size < 5<<20 {
			refuse(w, 400, "InvalidPart")
			return
		}
		whole.body, whole.size = append(whole.body, o.body...), whole.size+o.size
	}
	whole.sum = fmt.Sprintf("%x-%d", md5.Sum(whole.body), len(in.Part))
	s.objects[key] = whole
	delete(s.parts, upload)
	fmt.Fprintf(w, `<CompleteMultipartUploadResult><Bucket>%s</Bucket><Key>%s</Key><ETag>"%s"</ETag></CompleteMultipartUploadResult>`,
		Bucket, key, whole.sum)
}

func (s *Server) abort(w http.ResponseWriter, upload string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.parts, upload)
	w.WriteHeader(204)
}

// Unfinished counts multipart uploads neither completed nor aborted.
func (s *Server) Unfinished() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.parts)
}
