package engine

import (
	"encoding/base64"
	"fmt"

	"homeroom/internal/platform/socketio/ws"
)

// Engine.IO packet types, the first byte of a text.
const (
	typeOpen    = '0'
	typeClose   = '1'
	typePing    = '2'
	typePong    = '3'
	typeMessage = '4'
	typeUpgrade = '5'
	typeNoop    = '6'
)

// separator separates the packets of one poll or post.
const separator = 0x1e

// Message is an outgoing text with its attachments. It is encoded once as WebSocket
// frames, shared by all receivers, and immutable.
type Message struct {
	frames    []byte
	droppable bool
}

// NewMessage encodes a message. A droppable one may be dropped for slow clients.
func NewMessage(droppable bool, text []byte, attachments ...[]byte) *Message {
	size := len(text) + 11
	for _, a := range attachments {
		size += len(a) + 10
	}
	packet := append(make([]byte, 0, len(text)+1), typeMessage)
	m := &Message{droppable: droppable, frames: ws.Append(make([]byte, 0, size), ws.Text, append(packet, text...))}
	for _, a := range attachments {
		m.frames = ws.Append(m.frames, ws.Binary, a)
	}
	return m
}

// ReadMessage decodes the Message.Frames of another node.
func ReadMessage(droppable bool, frames []byte) (*Message, error) {
	first := true
	ok := len(frames) > 0
	err := ws.Each(frames, func(op ws.Op, payload []byte) {
		if first {
			ok = ok && op == ws.Text && len(payload) > 0 && payload[0] == typeMessage
		} else {
			ok = ok && op == ws.Binary
		}
		first = false
	})
	if err == nil && !ok {
		err = fmt.Errorf("%d bytes are not a message", len(frames))
	}
	if err != nil {
		return nil, fmt.Errorf("read message: %w", err)
	}
	return &Message{frames: frames, droppable: droppable}, nil
}

// WithText returns the message with another text.
func (m *Message) WithText(change func(text []byte) []byte) *Message {
	out, first := &Message{droppable: m.droppable}, true
	_ = ws.Each(m.frames, func(op ws.Op, payload []byte) { // our own frames are valid
		if first {
			payload = append([]byte{typeMessage}, change(payload[1:])...)
		}
		out.frames = ws.Append(out.frames, op, payload)
		first = false
	})
	return out
}

// Droppable reports whether the message may be dropped for slow clients.
func (m *Message) Droppable() bool { return m.droppable }

// Frames returns the encoded message; it must not be changed.
func (m *Message) Frames() []byte { return m.frames }

// signal returns a packet without content.
func signal(kind byte) *Message { return text(string(kind)) }

// text returns a packet that starts with its type.
func text(packet string) *Message {
	return &Message{frames: ws.Append(make([]byte, 0, len(packet)+4), ws.Text, []byte(packet))}
}

// appendPolling appends the message in the format of long polling.
func (m *Message) appendPolling(dst []byte) []byte {
	_ = ws.Each(m.frames, func(op ws.Op, payload []byte) { // our own frames are valid
		if len(dst) > 0 {
			dst = append(dst, separator)
		}
		if op == ws.Binary {
			dst = base64.StdEncoding.AppendEncode(append(dst, 'b'), payload)
		} else {
			dst = append(dst, payload...)
		}
	})
	return dst
}
