package app

import (
	"io"
	"log/slog"
)

// Logger returns a logger that writes to w. Call Check first.
func (l Logs) Logger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(l.LogLevel)) // validated by Check
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: maskSecrets}
	if l.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
