package db

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"homeroom/internal/platform/id"
)

const (
	proofEvery     = 2 * time.Second
	proofWithin    = 3 * time.Second
	listenCheck    = 6 * time.Second // without a notification, not even of a proof, then ping the server
	listenPauseMin = 50 * time.Millisecond
	listenPauseMax = 2 * time.Second
)

var (
	errUnconnected = errors.New("not heard: there is no connection for signals; the log says why")
	errPooled      = errors.New("not heard: their connection goes through a pooler that does not deliver them, as PgBouncer does in " +
		"transaction mode; set --database-signal-url to the URL of a direct connection to the same database")
	errElsewhere = errors.New("not heard: their connection leads to another database; set --database-signal-url to the URL of a " +
		"direct connection to the database of --database-url")
)

// listen keeps a dedicated connection that receives the notifications of other
// nodes. It reports possibly lost signals after each connect, and while there is none.
func (e *postgres) listen(ctx context.Context, s *signals) {
	wait := listenPauseMin
	for ctx.Err() == nil {
		connected, err := e.receive(ctx, s)
		if ctx.Err() != nil {
			return
		}
		if connected {
			wait = listenPauseMin
		} else {
			s.judge(errUnconnected)
		}
		if wait == listenPauseMin { // once per outage
			s.log.Warn("lost the connection for signals of other nodes, reconnecting", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
		wait = min(2*wait, listenPauseMax)
	}
}

// receive connects and delivers notifications until the connection breaks.
func (e *postgres) receive(ctx context.Context, s *signals) (connected bool, err error) {
	config := e.signals.Copy()
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { s.receive(n.Payload) }
	opening, cancel := context.WithTimeout(ctx, e.connectTimeout)
	defer cancel()
	raw, err := pgconn.ConnectConfig(opening, config)
	if err != nil {
		return false, err
	}
	c := &pgConn{PgConn: raw}
	defer c.end()
	pooled, err := c.isPooled(opening)
	if err == nil {
		err = c.script(opening, "LISTEN "+pgChannel)
	}
	if err != nil {
		return false, err
	}
	s.lost()
	silent := errElsewhere
	if pooled {
		silent = errPooled
	}
	var proving sync.WaitGroup
	defer proving.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	proving.Go(func() { e.prove(ctx, s, silent) })
	return true, e.deliver(ctx, c)
}

// deliver waits for notifications, which c passes on, until the connection breaks.
func (e *postgres) deliver(ctx context.Context, c *pgConn) error {
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

// prove sends a signal to this node every few seconds, through the pool as other nodes
// send theirs, and judges whether it arrives. silent is the error if it doesn't.
func (e *postgres) prove(ctx context.Context, s *signals, silent error) {
	for ctx.Err() == nil {
		proof := string(id.New())
		wire := s.encode([]note{{proofTopic, proof}})[0]
		err := e.run(ctx, scope{kind: asOwner}, []*work{{st: e.notify, values: []any{wire}}})
		switch {
		case err != nil: // nothing was sent that could be heard
		case s.hears(ctx, proof):
			s.judge(nil)
		case ctx.Err() == nil:
			s.judge(silent)
		}
		select {
		case <-ctx.Done():
		case <-time.After(proofEvery):
		}
	}
}
