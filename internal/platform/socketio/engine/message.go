package engine

import (
	"encoding/base64"
	"fmt"

	"homeroom/internal/platform/socketio/ws"
)

// The types of Engine.IO packets, as they stand at the head of a text.
const (
	typeOpen    = '0'
	typeClose   = '1'
	typePing    = '2'
	typePong    = '3'
	typeMessage = '4'
	typeUpgrade = '5'
	typeNoop    = '6'
)

// separator stands between the packets of one poll or post.
const separator = 0x1e

// Message is a text with its attachments on the way out. It is encoded once, as
// finished WebSocket frames, and shared by all who get it; it never changes.
type Message struct {
	frames    []byte
	droppable bool
}

// NewMessage encodes a message. One that is droppable may be left out for a
// client that is slow to take it.
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

// ReadMessage makes a message of frames that Message.Frames gave on another node.
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
		err = fmt.Errorf("%d bytes that are no message", len(frames))
	}
	if err != nil {
		return nil, fmt.Errorf("read message: %w", err)
	}
	return &Message{frames: frames, droppable: droppable}, nil
}

// Frames is the encoded message; it must not be changed.
func (m *Message) Frames() []byte { return m.frames }

// signal is a packet without content.
func signal(kind byte) *Message { return text(string(kind)) }

// text is a packet whose type is in it.
func text(packet string) *Message {
	return &Message{frames: ws.Append(make([]byte, 0, len(packet)+4), ws.Text, []byte(packet))}
}

// appendPolling appends the message as long polling carries it.
func (m *Message) appendPolling(dst []byte) []byte {
	_ = ws.Each(m.frames, func(op ws.Op, payload []byte) { // they are our own
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
