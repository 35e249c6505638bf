package siotest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"homeroom/internal/platform/await"
)

// patience is how long a Client waits for a reply.
const patience = await.Limit

// Refused is a connect_error.
type Refused struct {
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func (r *Refused) Error() string { return "refused: " + r.Message }

// Client is a Conn in the main namespace. It is not safe for concurrent use.
type Client struct {
	*Conn
	ID     string // of the socket
	PID    string // for recovery; "" if not asked for
	Offset string // of the last received event that had one
	asked  int
	events [][]json.RawMessage // received while waiting for others
}

// Connect opens a WebSocket and connects to the main namespace with the auth object; a
// refusal is a *Refused.
func Connect(ctx context.Context, server string, auth any, header http.Header) (*Client, error) {
	conn, err := Dial(ctx, server, "", header)
	if err != nil {
		return nil, err
	}
	c := &Client{Conn: conn}
	if err := c.enter(auth); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Client) enter(auth any) error {
	raw, err := json.Marshal(auth)
	if err != nil {
		return err
	}
	if err := c.Send("40" + string(raw)); err != nil {
		return err
	}
	answer, err := c.Await("4", patience)
	if err != nil {
		return err
	}
	if rest, refused := strings.CutPrefix(answer, "44"); refused {
		r := &Refused{}
		return errors.Join(json.Unmarshal([]byte(rest), r), r)
	}
	var in struct{ SID, PID string }
	if err := json.Unmarshal([]byte(strings.TrimPrefix(answer, "40")), &in); err != nil {
		return fmt.Errorf("CONNECT reply %q: %w", answer, err)
	}
	c.ID, c.PID = in.SID, in.PID
	return nil
}

// Emit sends an event without an acknowledgement.
func (c *Client) Emit(event string, args ...any) error { return c.emit("42", event, args) }

func (c *Client) emit(head, event string, args []any) error {
	raw, err := json.Marshal(append([]any{event}, args...))
	if err != nil {
		return err
	}
	return c.Send(head + string(raw))
}

// Call sends an event and returns the first argument of its acknowledgement.
func (c *Client) Call(event string, args ...any) (json.RawMessage, error) {
	c.asked++
	if err := c.emit(fmt.Sprintf("42%d", c.asked), event, args); err != nil {
		return nil, err
	}
	head := fmt.Sprintf("43%d[", c.asked)
	for end := time.Now().Add(patience); ; {
		text, err := c.Text(time.Until(end))
		if err != nil {
			return nil, fmt.Errorf("wait for the acknowledgement of %s: %w", event, err)
		}
		if !strings.HasPrefix(text, head) {
			c.keep(text)
			continue
		}
		var answer []json.RawMessage
		if err := json.Unmarshal([]byte(text[len(head)-1:]), &answer); err != nil || len(answer) == 0 {
			return nil, fmt.Errorf("acknowledgement of %s is %q", event, text)
		}
		return answer[0], nil
	}
}

func (c *Client) keep(text string) {
	var event []json.RawMessage
	if rest, ok := strings.CutPrefix(text, "42"); ok && json.Unmarshal([]byte(rest), &event) == nil && len(event) > 0 {
		c.events = append(c.events, event)
		_ = json.Unmarshal(event[len(event)-1], &c.Offset) // as official clients: the last argument, if it is a string
	}
}

// Event waits for the next event with this name and returns its first argument. It
// keeps other events.
func (c *Client) Event(name string, wait time.Duration) (json.RawMessage, error) {
	for end := time.Now().Add(wait); ; {
		for i, e := range c.events {
			var got string
			if json.Unmarshal(e[0], &got) == nil && got == name {
				c.events = append(c.events[:i:i], c.events[i+1:]...)
				return append(e, json.RawMessage("null"))[1], nil
			}
		}
		text, err := c.Text(time.Until(end))
		if err != nil {
			return nil, fmt.Errorf("wait for %s: %w", name, err)
		}
		c.keep(text)
	}
}
