package smtp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

const (
	maxConns = 4                // mail servers limit connections
	maxIdle  = 15 * time.Second // idle timeout of a connection
	maxUses  = 100              // mails per connection
)

// pool keeps idle connections for reuse, since connecting with TLS and AUTH takes
// longer than sending a mail.
type pool struct {
	client *mail.Client
	slots  chan struct{}

	mu     sync.Mutex
	idle   []*conn
	closed bool
}

type conn struct {
	client *smtp.Client
	uses   int
	expiry *time.Timer
}

func newPool(c *mail.Client) *pool { return &pool{client: c, slots: make(chan struct{}, maxConns)} }

// send sends one mail over an idle or a new connection.
func (p *pool) send(ctx context.Context, msg *mail.Msg) error {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return fmt.Errorf("wait for a connection: %w", ctx.Err())
	}
	for {
		c := p.take()
		kept := c != nil
		if !kept {
			client, err := p.client.DialToSMTPClientWithContext(ctx)
			if err != nil {
				return err
			}
			c = &conn{client: client}
		}
		err := p.client.SendWithSMTPClient(c.client, msg)
		failed, ok := errors.AsType[*mail.SendError](err)
		if ok && failed.Reason == mail.ErrConnCheck && kept { // the server closed the idle connection
			p.drop(c)
			continue
		}
		p.give(c, err == nil)
		return err
	}
}

func (p *pool) take() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	c := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	c.expiry.Stop()
	return c
}

// give returns a connection to the pool, or closes it if it is not good.
func (p *pool) give(c *conn, good bool) {
	c.uses++
	p.mu.Lock()
	if good && c.uses < maxUses && !p.closed {
		c.expiry = time.AfterFunc(maxIdle, func() { p.expire(c) })
		p.idle = append(p.idle, c)
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	p.drop(c)
}

func (p *pool) expire(c *conn) {
	p.mu.Lock()
	for i, other := range p.idle {
		if other == c {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			p.mu.Unlock()
			p.drop(c)
			return
		}
	}
	p.mu.Unlock() // just taken by send
}

// drop sends QUIT and closes the connection.
func (p *pool) drop(c *conn) {
	if p.client.CloseWithSMTPClient(c.client) != nil {
		_ = c.client.Close() // it may be closed already
	}
}

// close closes idle connections. Those in use are closed when they are returned.
func (p *pool) close() error {
	p.mu.Lock()
	p.closed = true
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, c := range idle {
		c.expiry.Stop()
		p.drop(c)
	}
	return nil
}
