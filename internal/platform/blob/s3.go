package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"homeroom/internal/platform/trace"
)

// partSize is the size of a multipart upload part. Parts are streamed from the file and
// not held in memory.
const partSize = 16 << 20

// S3Options are the address and credentials of a bucket.
type S3Options struct {
	Endpoint  string // https://s3.eu-central-1.amazonaws.com
	Bucket    string
	Region    string
	AccessKey string
	SecretKey string
	PathStyle bool // the bucket is in the path, not in the host name
}

// S3 stores blobs in a service with the S3 API.
type S3 struct {
	client *minio.Core
	bucket string
}

// OpenS3 returns a client without sending a request.
func OpenS3(o S3Options) (*S3, error) {
	u, err := url.Parse(o.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the endpoint must be a URL such as https://s3.eu-central-1.amazonaws.com")
	}
	lookup := minio.BucketLookupAuto
	if o.PathStyle {
		lookup = minio.BucketLookupPath
	}
	transport, err := minio.DefaultTransport(u.Scheme == "https")
	if err != nil {
		return nil, fmt.Errorf("open S3: %w", err)
	}
	c, err := minio.NewCore(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""), Secure: u.Scheme == "https",
		Region: o.Region, BucketLookup: lookup, MaxRetries: 3, Transport: trace.Outgoing(transport),
	})
	if err != nil {
		return nil, fmt.Errorf("open S3: %w", err)
	}
	return &S3{client: c, bucket: o.Bucket}, nil
}

// Ready checks that the bucket can be reached with these keys.
func (s *S3) Ready(ctx context.Context) error {
	ok, err := s.client.BucketExists(ctx, s.bucket)
	switch {
	case err != nil:
		return fmt.Errorf("reach the bucket %s: %w", s.bucket, err)
	case !ok:
		return fmt.Errorf("there is no bucket %s: create it first", s.bucket)
	}
	return nil
}

// Put implements Store: an incomplete upload leaves nothing.
func (s *S3) Put(ctx context.Context, key string, r *io.SectionReader) error {
	if err := checkKey(key); err != nil {
		return err
	}
	_, err := s.client.Client.PutObject(ctx, s.bucket, key, io.NewSectionReader(r, 0, r.Size()), r.Size(),
		minio.PutObjectOptions{PartSize: partSize, NumThreads: 1, ContentType: "application/octet-stream"})
	if err != nil {
		return roomless(fmt.Errorf("write a file: %w", err))
	}
	return nil
}

// roomless wraps the error of a full store in ErrFull.
func roomless(err error) error {
	switch minio.ToErrorResponse(errors.Unwrap(err)).Code {
	case "QuotaExceeded", "XMinioStorageFull", "InsufficientStorage", "XMinioAdminBucketQuotaExceeded":
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// Open implements Store.
func (s *S3) Open(ctx context.Context, key string, size int64) (io.ReadSeekCloser, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	o := &object{ctx: ctx, s: s, key: key, size: size}
	return o, o.begin() // so that a missing blob is an error here
}

// object is an open blob.
type object struct {
	ctx    context.Context
	s      *S3
	key    string
	size   int64
	at     int64         // position of the next Read
	body   io.ReadCloser // the response, from bodyAt on
	bodyAt int64
}

// begin requests the blob from at on.
func (o *object) begin() error {
	var opts minio.GetObjectOptions
	if o.at > 0 {
		opts.Set("Range", fmt.Sprintf("bytes=%d-", o.at))
	}
	body, _, _, err := o.s.client.GetObject(o.ctx, o.s.bucket, o.key, opts)
	if err != nil {
		if e := minio.ToErrorResponse(err); e.Code == "NoSuchKey" || e.StatusCode == http.StatusNotFound {
			return ErrNotFound
		}
		return fmt.Errorf("read a file: %w", err)
	}
	o.body, o.bodyAt = body, o.at
	return nil
}

// Read implements io.Reader.
func (o *object) Read(p []byte) (int, error) {
	if o.at >= o.size {
		return 0, io.EOF
	}
	if o.body == nil || o.bodyAt != o.at {
		if err := errors.Join(o.Close(), o.begin()); err != nil {
			return 0, err
		}
	}
	n, err := o.body.Read(p)
	o.at += int64(n)
	if o.bodyAt = o.at; errors.Is(err, io.EOF) && o.at < o.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Seek implements io.Seeker. It sends no request: callers seek to the end and back to
// learn the size.
func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 {
		return o.at, errors.New("seek before the start of a file")
	}
	o.at = offset
	return offset, nil
}

// Close implements io.Closer.
func (o *object) Close() error {
	if o.body != nil {
		_ = o.body.Close() // only read
		o.body = nil
	}
	return nil
}

// Delete implements Store.
func (s *S3) Delete(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		if err := checkKey(key); err != nil {
			return err
		}
		err := s.client.Client.RemoveObject(ctx, s.bucket, key, minio.RemoveObjectOptions{})
		if err != nil && minio.ToErrorResponse(err).Code != "NoSuchKey" {
			return fmt.Errorf("remove a file: %w", err)
		}
	}
	return nil
}

// Walk implements Store.
func (s *S3) Walk(ctx context.Context, f func(Blob) error) error {
	for o := range s.client.Client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Recursive: true}) {
		if o.Err != nil {
			return fmt.Errorf("list files: %w", o.Err)
		}
		if err := f(Blob{Key: strings.TrimPrefix(o.Key, "/"), At: o.LastModified, Size: o.Size}); err != nil {
			return err
		}
	}
	return ctx.Err()
}
