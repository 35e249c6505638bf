package socketio

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// Declared describes an event for the documentation.
type Declared struct {
	Name, Doc  string
	FromClient bool
	Payload    reflect.Type // the first argument; nil for the body of an error
	Reply      reflect.Type // the fields of the acknowledgement besides ok; nil for none
}

// Sends describes an event of the server.
func Sends[T any](name, doc string) Declared {
	return Declared{Name: name, Doc: doc, Payload: reflect.TypeFor[T]()}
}

// Takes describes an event of clients and its acknowledgement.
func Takes[In, Out any](name, doc string) Declared {
	return Declared{Name: name, Doc: doc, FromClient: true, Payload: reflect.TypeFor[In](), Reply: reflect.TypeFor[Out]()}
}

// credentials is the argument of authenticate.
type credentials struct {
	Token string `json:"token" required:"true" doc:"A new access token of the same user."`
}

// expiring is the payload of token-expiring, and the reply to authenticate.
type expiring struct {
	ExpiresAt time.Time `json:"expiresAt"`
}

// own are the events that every namespace has.
var own = []Declared{
	Takes[credentials, expiring]("authenticate", "Replaces the token before it expires."),
	Sends[expiring]("token-expiring", "A minute before the token expires, or at once if less is left. Send authenticate with a new one."),
	{Name: "exception", Doc: "The error of an event that was sent without an acknowledgement, or why the socket is disconnected."},
}

// Declare adds events to the documentation. A namespace that has declared events neither
// sends nor handles others.
func (n *Namespace) Declare(events ...Declared) {
	if n.declared == nil {
		n.sends, n.takes = map[string]reflect.Type{}, map[string]bool{}
		events = slices.Concat(own, events)
	}
	n.declared = append(n.declared, events...)
	for _, e := range events {
		if e.FromClient {
			n.takes[e.Name] = true
		} else {
			n.sends[e.Name] = e.Payload
		}
	}
}

// Events returns the declared events, sorted.
func (n *Namespace) Events() []Declared {
	return slices.SortedFunc(slices.Values(n.declared), func(a, b Declared) int { return cmp.Compare(a.Name, b.Name) })
}

// handles reports whether clients may send an event.
func (n *Namespace) handles(event string) bool { return n.declared == nil || n.takes[event] }

// check returns an error if the event is not declared with a payload of this type.
func (n *Namespace) check(event string, args []any) error {
	if n.declared == nil {
		return nil
	}
	var payload reflect.Type
	if len(args) == 1 {
		payload = reflect.TypeOf(args[0])
	}
	if payload == nil || payload != n.sends[event] {
		return fmt.Errorf("event %s with the payload %v is not declared", event, payload)
	}
	return nil
}
