package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	listenCheck    = 15 * time.Second // without a notification, then ping the server
	listenPauseMin = 50 * time.Millisecond
	listenPauseMax = 2 * time.Second
)

// listen keeps a dedicated connection that receives the notifications of other
// nodes. It reports possibly lost signals after each connect.
func (e *postgres) listen(ctx context.Context, s *signals, broken func(error)) {
	wait := listenPauseMin
	for ctx.Err() == nil {
		err := e.receive(ctx, s, func() { wait = listenPauseMin })
		if ctx.Err() != nil {
			return
		}
		if wait == listenPauseMin { // once per outage
			broken(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
		wait = min(2*wait, listenPauseMax)
	}
}

// receive connects and delivers notifications until the connection breaks.
func (e *postgres) receive(ctx context.Context, s *signals, ready func()) error {
	config := e.config.Copy()
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { s.receive(n.Payload) }
	opening, cancel := context.WithTimeout(ctx, e.connectTimeout)
	defer cancel()
	raw, err := pgconn.ConnectConfig(opening, config)
	if err != nil {
		return err
	}
	c := &pgConn{PgConn: raw}
	defer c.end()
	if err := c.script(opening, "LISTEN "+pgChannel); err != nil {
		return err
	}
	ready()
	s.lost()
	for ctx.Err() == nil {
		quiet, cancel := context.WithTimeout(ctx, listenCheck)
		err := c.WaitForNotification(quiet)
		cancel()
		if err != nil && (!pgconn.Timeout(err) || !e.alive(ctx, c)) {
			return err
		}
	}
	return ctx.Err()
}
