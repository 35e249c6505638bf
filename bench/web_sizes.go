package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"regexp"
	"strings"
)

// webSizes prints what each entry of the app loads, gzipped: its own files and those that
// they import.
func webSizes(ctx context.Context, site string) error {
	b := bundle{ctx: ctx, site: site, size: map[string]int{}, text: map[string]string{}}
	html, _, err := b.fetch("/app")
	if err != nil {
		return err
	}
	first := b.closure(regexp.MustCompile(`/app/assets/[\w-]+\.(?:js|css)`).FindAllString(html, -1)...)
	spaces := map[string][]string{}
	for _, name := range first {
		for _, at := range dynamic.FindAllStringSubmatch(b.text[name], -1) {
			file := "/app/assets/" + at[1]
			for _, part := range b.closure(file) {
				if part == file && strings.Contains(b.text[file], `"/app/today"`) {
					spaces["the office's frame"] = []string{file}
				} else if part == file && strings.Contains(b.text[file], `"/app/platform"`) {
					spaces["the platform's frame"] = []string{file}
				}
			}
		}
	}
	fmt.Println("\n| Entry | Files | kB gzipped |")
	fmt.Println("|---|---:|---:|")
	b.row("sign-in page", first)
	for _, name := range []string{"the office's frame", "the platform's frame"} {
		b.row("and "+name, b.closure(append(first, spaces[name]...)...))
	}
	return b.pages(first, spaces["the office's frame"])
}

var (
	static  = regexp.MustCompile(`(?:import|from)\s*"\./([\w-]+\.js)"`)
	dynamic = regexp.MustCompile(`import\("\./([\w-]+\.js)"\)`)
)

// bundle is the app's files as a browser gets them.
type bundle struct {
	ctx  context.Context
	site string
	size map[string]int // gzipped
	text map[string]string
	err  error
}

// closure returns the files and all that they import.
func (b *bundle) closure(files ...string) []string {
	var out []string
	seen := map[string]bool{}
	for len(files) > 0 {
		file := files[0]
		files = files[1:]
		if seen[file] {
			continue
		}
		seen[file] = true
		out = append(out, file)
		if _, known := b.text[file]; !known {
			b.text[file], b.size[file], b.err = b.fetch(file)
		}
		for _, m := range static.FindAllStringSubmatch(b.text[file], -1) {
			files = append(files, path.Dir(file)+"/"+m[1])
		}
	}
	return out
}

// fetch returns a file and its size on the wire.
func (b *bundle) fetch(file string) (string, int, error) {
	req, err := http.NewRequestWithContext(b.ctx, http.MethodGet, b.site+file, nil)
	if err != nil {
		return "", 0, err
	}
	req.Header.Set("Accept-Encoding", "gzip")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", 0, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return "", 0, err
	}
	plain, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w", file, err)
	}
	text, err := io.ReadAll(plain)
	return string(text), len(raw), err
}

func (b *bundle) row(name string, files []string) {
	sum := 0
	for _, f := range files {
		sum += b.size[f]
	}
	fmt.Printf("| %s | %d | %.1f |\n", name, len(files), float64(sum)/1000)
}

// pages prints the first page of the office, the largest page, and all of them.
func (b *bundle) pages(first, space []string) error {
	if len(space) == 0 {
		return fmt.Errorf("the app has no entry for the office: %w", b.err)
	}
	frame := b.closure(append(first, space...)...)
	everything := frame
	largest, most := "", 0
	for _, m := range dynamic.FindAllStringSubmatch(b.text[space[0]], -1) {
		file := path.Dir(space[0]) + "/" + m[1]
		with := b.closure(append(frame, file)...)
		more := 0
		for _, f := range with[len(frame):] {
			more += b.size[f]
		}
		if more > most {
			largest, most = file, more
		}
		if strings.HasPrefix(m[1], "today-") {
			b.row("the office's first page, Today", with)
		}
		everything = append(everything, file)
	}
	name, _, _ := strings.Cut(path.Base(largest), "-")
	b.row("the office with its largest page, "+name, b.closure(append(frame, largest)...))
	b.row("the whole office", b.closure(everything...))
	return b.err
}
