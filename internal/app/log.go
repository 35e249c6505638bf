package app

import (
	"io"
	"log/slog"
)

// Logger writes lines to w. The settings were checked.
func (l Logs) Logger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(l.LogLevel)) // Check has read it; at worst it is info
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: maskSecrets}
	if l.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
