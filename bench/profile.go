package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	pprof "github.com/google/pprof/profile"
)

// profilePath is where the compiler looks for what a program is busy with.
const profilePath = "cmd/homeroom/default.pgo"

// profile runs what a school does most and what takes it longest, and keeps what
// the service is busy with meanwhile for the compiler.
func profile(ctx context.Context, l *lab) error {
	l.tracing = true
	defer func() { l.tracing = false }()
	for _, run := range []func(context.Context, *lab) error{imports, list, marks, payments} {
		if err := run(ctx, l); err != nil {
			return err
		}
		fmt.Println()
	}
	out, err := merged(l.traces)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d KiB of %d runs\n", profilePath, len(out)>>10, len(l.traces))
	return os.WriteFile(profilePath, out, 0o644)
}

// merged is one profile of several, without what it says of this machine's
// folders: the compiler goes by the names of functions.
func merged(paths []string) ([]byte, error) {
	var each []*pprof.Profile
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		one, err := pprof.ParseData(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		each = append(each, one)
	}
	all, err := pprof.Merge(each)
	if err != nil {
		return nil, err
	}
	for _, m := range all.Mapping {
		m.File = ""
	}
	for _, f := range all.Function {
		f.Filename = ""
	}
	var b bytes.Buffer
	err = all.Write(&b)
	return b.Bytes(), err
}
