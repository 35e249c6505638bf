package main

import "homeroom/internal/app"

// serveCmd runs the service until a signal ends it.
type serveCmd struct{ app.Config }

// Help is shown above the flags.
func (serveCmd) Help() string {
	return `Every flag can also be set by the environment variable in brackets; the flag wins.
SIGTERM or Ctrl-C shuts down gracefully; a second one stops at once.
SIGHUP reloads keys and certificate.`
}

// Run serves.
func (s *serveCmd) Run(c *command) error {
	return app.Serve(c, s.Config, c.err, c.getenv)
}
