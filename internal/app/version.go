package app

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// build is the build information of the program.
type build struct{ Version, Commit, Go string }

func readBuild() build {
	b := build{Version: "unknown", Commit: "unknown", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	dirty := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = " with changes"
		}
	}
	b.Commit += dirty
	return b
}

// Version returns the program's version, commit, Go version and platform on one line.
func Version() string {
	b := readBuild()
	return fmt.Sprintf("homeroom %s, commit %s, %s %s/%s", b.Version, b.Commit, b.Go, runtime.GOOS, runtime.GOARCH)
}
