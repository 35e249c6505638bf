package main

import "homeroom/internal/app"

// serveCmd runs the service until a signal ends it.
type serveCmd struct{ app.Config }

// Help is shown above the flags.
func (serveCmd) Help() string {
	return `Every flag may be given as the environment variable beside it; the flag wins.
SIGTERM or Ctrl-C lets running requests end, then stops; a second one stops at once.
SIGHUP makes it read its keys and certificate again.`
}

// Run serves.
func (s *serveCmd) Run(c *command) error {
	return app.Serve(c, s.Config, c.err, c.getenv)
}
