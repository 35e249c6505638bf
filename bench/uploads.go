package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"homeroom/internal/apptest/process"
	"homeroom/internal/feature/file/filetest"
	"homeroom/internal/platform/blob/s3fake"
)

const (
	uploadCrowd = 50
	uploadSize  = 10<<20 - 1024
)

// uploads measures the memory of the process while 50 files of 10 MiB are uploaded
// at once, to disk and to a fake S3.
func uploads(ctx context.Context, l *lab) error {
	fmt.Println("| Files | Kept | Uploaded | All done after | Memory before | Peak | Growth |")
	fmt.Println("|---|---|---:|---:|---:|---:|---:|")
	fake := s3fake.New()
	fake.Discard = true
	defer fake.Close()
	toS3 := []string{"--file-provider=s3", "--s3-endpoint=" + fake.URL, "--s3-bucket=" + s3fake.Bucket, "--s3-region=" + s3fake.Region,
		"--s3-access-key=" + s3fake.AccessKey, "--s3-secret-key=" + s3fake.SecretKey, "--s3-path-style"}
	photo := bigPhoto()
	for _, f := range []struct {
		what, name string
		content    []byte
	}{{"PDF of 10 MiB", "a.pdf", filetest.PDF(uploadSize)}, {fmt.Sprintf("photo of %.1f MiB, 12 megapixels", float64(len(photo))/(1<<20)),
		"a.jpg", photo}} {
		for _, to := range []struct {
			where string
			args  []string
		}{{"disk", nil}, {"S3", toS3}} {
			for _, t := range l.targets {
				if err := l.uploadTo(ctx, t, f.what, to.where+", "+t.engine, f.name, f.content, to.args); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (l *lab) uploadTo(ctx context.Context, t target, what, where, name string, content []byte, args []string) error {
	first, err := l.serve(ctx, t) // separately, because creating the demo data needs more memory
	if err != nil {
		return err
	}
	first.Kill()
	s, err := l.serve(ctx, t, append([]string{"--files-per-school=0", "--files-unattached=0"}, args...)...)
	if err != nil {
		return err
	}
	defer s.Kill()
	token, err := s.Login(ctx, "admin@greenfield.test", "homeroom-demo")
	if err != nil {
		return err
	}
	if status, err := upload(ctx, s, token, "small.txt", []byte("to warm up")); status != http.StatusCreated {
		return fmt.Errorf("%d %w", status, err)
	}
	time.Sleep(2 * time.Second)
	before, err := s.Memory("VmRSS")
	if err != nil {
		return err
	}
	stop := peakOf(s)
	var good atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for range uploadCrowd {
		wg.Go(func() {
			if status, err := upload(ctx, s, token, name, content); err == nil && status == http.StatusCreated {
				good.Add(1)
			}
		})
	}
	wg.Wait()
	took, peak := time.Since(start), stop()
	fmt.Printf("| %d × %s | %s | %d | %s | %.0f MiB | %.0f MiB | %.0f MiB |\n", uploadCrowd, what, where, good.Load(), short(took), before,
		peak, peak-before)
	return os.RemoveAll(filepath.Join(l.dir, "files"))
}

// upload streams a multipart form.
func upload(ctx context.Context, s *process.Server, token, name string, content []byte) (int, error) {
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	if _, err := form.CreateFormFile("file", name); err != nil {
		return 0, err
	}
	tail := "\r\n--" + form.Boundary() + "--\r\n"
	body := io.MultiReader(&head, bytes.NewReader(content), bytes.NewReader([]byte(tail)))
	req, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/school-admin/file/upload", body)
	if err != nil {
		return 0, err
	}
	req.ContentLength = int64(head.Len() + len(content) + len(tail))
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, errors.Join(err, res.Body.Close())
}

// peakOf samples the memory of the process until stop, which returns the peak in MiB.
func peakOf(s *process.Server) (stop func() float64) {
	end, peak := make(chan struct{}), make(chan float64)
	go func() {
		most := 0.0
		for {
			if now, err := s.Memory("VmRSS"); err == nil {
				most = max(most, now)
			}
			select {
			case <-end:
				peak <- most
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() float64 { close(end); return <-peak }
}

// bigPhoto returns a noisy JPEG of 12 megapixels, just below uploadSize.
func bigPhoto() []byte {
	img := image.NewYCbCr(image.Rect(0, 0, 4000, 3000), image.YCbCrSubsampleRatio420)
	r := rand.New(rand.NewPCG(1, 2))
	for _, plane := range [][]byte{img.Y, img.Cb, img.Cr} {
		for i := range plane {
			plane[i] = byte(96 + r.IntN(64))
		}
	}
	for quality := 96; ; quality -= 2 {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
			panic(err) // writing to memory does not fail
		}
		if b.Len() < uploadSize {
			return b.Bytes()
		}
	}
}
