package socketio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/socketio/engine"
)

// The types of Socket.IO packets.
const (
	typeConnect      = '0'
	typeDisconnect   = '1'
	typeEvent        = '2'
	typeAck          = '3'
	typeConnectError = '4'
	typeBinaryEvent  = '5'
	typeBinaryAck    = '6'
)

// maxAttachments is the most attachments of a packet.
const maxAttachments = 16

// noAck is the id of a packet without an acknowledgement.
const noAck = -1

// Binary is an argument sent as an attachment.
type Binary []byte

// packet is a decoded Socket.IO packet.
type packet struct {
	kind        byte // binary types are mapped to their plain ones
	namespace   string
	id          int64 // noAck if none
	data        []byte
	expects     int // number of attachments
	attachments [][]byte
}

// decode parses a packet. data is a slice of b; only its first byte is checked here,
// the rest of the JSON when it is used.
func decode(b []byte) (packet, error) {
	p := packet{namespace: "/", id: noAck}
	if len(b) == 0 {
		return p, engine.ErrFormat
	}
	p.kind, b = b[0], b[1:]
	if p.kind == typeBinaryEvent || p.kind == typeBinaryAck {
		n, rest := digits(b)
		if n < 0 || n > maxAttachments || len(rest) == 0 || rest[0] != '-' {
			return p, engine.ErrFormat
		}
		p.kind, p.expects, b = p.kind-typeBinaryEvent+typeEvent, int(n), rest[1:]
	}
	if len(b) > 0 && b[0] == '/' {
		name, rest, _ := bytes.Cut(b, []byte{','})
		p.namespace, b = string(name), rest
	}
	p.id, p.data = digits(b)
	return p, p.check()
}

func (p *packet) check() error {
	first := byte(0)
	if len(p.data) > 0 {
		first = p.data[0]
	}
	ok := false
	switch p.kind {
	case typeConnect:
		ok = p.id == noAck && (first == 0 || first == '{')
	case typeDisconnect:
		ok = p.id == noAck && first == 0
	case typeEvent:
		ok = first == '['
	case typeAck:
		ok = first == '[' && p.id != noAck
	}
	if !ok {
		return engine.ErrFormat
	}
	return nil
}

// digits parses a non-negative number; noAck if there is none.
func digits(b []byte) (int64, []byte) {
	n := slices.IndexFunc(b, func(c byte) bool { return c < '0' || c > '9' })
	if n < 0 {
		n = len(b)
	}
	v, err := strconv.ParseInt(string(b[:n]), 10, 64)
	if err != nil || v > math.MaxInt32 {
		return noAck, b
	}
	return v, b[n:]
}

// reserved are event names that clients emit themselves.
var reserved = []string{"connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener"}

// args parses the arguments of an event or acknowledgement, as slices of the data.
func (p *packet) args() ([]json.RawMessage, error) {
	if !json.Valid(p.data) {
		return nil, engine.ErrFormat
	}
	return elements(bytes.TrimSpace(p.data)), nil
}

// elements splits a valid JSON array without copying.
func elements(array []byte) []json.RawMessage {
	var list []json.RawMessage
	depth, start, quoted := 0, 1, false
	for i := 0; i < len(array); i++ {
		switch c := array[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ',' && depth == 1, c == ']' && depth == 1:
			if e := bytes.TrimSpace(array[start:i]); len(e) > 0 {
				list = append(list, json.RawMessage(e))
			}
			start = i + 1
			if c == ']' {
				depth--
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return list
}

// event parses the name and arguments of an event.
func (p *packet) event() (Event, error) {
	args, err := p.args()
	if err != nil || len(args) == 0 {
		return Event{}, engine.ErrFormat
	}
	e := Event{Args: args[1:], Attachments: p.attachments}
	if err := json.Unmarshal(args[0], &e.Name); err != nil || slices.Contains(reserved, e.Name) {
		return Event{}, engine.ErrFormat
	}
	return e, nil
}

// appendHead appends a packet up to its data.
func appendHead(dst []byte, kind byte, attachments int, namespace string, id int64) []byte {
	if attachments > 0 {
		kind += typeBinaryEvent - typeEvent
	}
	dst = append(dst, kind)
	if attachments > 0 {
		dst = append(strconv.AppendInt(dst, int64(attachments), 10), '-')
	}
	if namespace != "/" {
		dst = append(append(dst, namespace...), ',')
	}
	if id != noAck {
		dst = strconv.AppendInt(dst, id, 10)
	}
	return dst
}

type placeholder struct {
	Placeholder bool `json:"_placeholder"`
	Num         int  `json:"num"`
}

// encodeArgs encodes an event or an acknowledgement.
func encodeArgs(droppable bool, kind byte, namespace string, id int64, args []any) (*engine.Message, error) {
	var attachments [][]byte
	list := make([]any, len(args))
	for i, a := range args {
		if b, ok := a.(Binary); ok {
			a = placeholder{true, len(attachments)}
			attachments = append(attachments, b)
		}
		list[i] = a
	}
	data, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("encode arguments: %w", err)
	}
	head := appendHead(make([]byte, 0, len(data)+32), kind, len(attachments), namespace, id)
	return engine.NewMessage(droppable, append(head, clock.Millis(data)...), attachments...), nil
}

// encodeEvent encodes an event.
func encodeEvent(droppable bool, namespace string, id int64, event string, args []any) (*engine.Message, error) {
	if slices.Contains(reserved, event) {
		return nil, fmt.Errorf("event name %q is reserved", event)
	}
	return encodeArgs(droppable, typeEvent, namespace, id, append([]any{event}, args...))
}

// encodeObject encodes a packet with one object; nil for none.
func encodeObject(kind byte, namespace string, object any) (*engine.Message, error) {
	head := appendHead(nil, kind, 0, namespace, noAck)
	if object == nil {
		return engine.NewMessage(false, head), nil
	}
	data, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("encode packet: %w", err)
	}
	return engine.NewMessage(false, append(head, clock.Millis(data)...)), nil
}
