// Package ws implements the server side of WebSocket (RFC 6455) on a raw connection:
// the handshake, encoded frames shared by many receivers, and a parser without a
// buffer of its own while idle.
package ws

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Op is the opcode of a frame.
type Op byte

// Opcodes.
const (
	Continuation Op = 0
	Text         Op = 1
	Binary       Op = 2
	Close        Op = 8
	Ping         Op = 9
	Pong         Op = 10
)

// Code is a close code.
type Code uint16

// Close codes that a server sends.
const (
	Normal        Code = 1000
	GoingAway     Code = 1001
	ProtocolError Code = 1002
	InvalidText   Code = 1007
	PolicyBroken  Code = 1008
	TooBig        Code = 1009
)

const (
	final    = 0x80
	reserved = 0x70
	masked   = 0x80
	control  = 0x08
)

// Error is a protocol error of the peer, with its close code.
type Error struct {
	Code Code
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("websocket %d: %s", e.Code, e.Text) }

// Append appends one complete, unmasked frame, as servers send them.
func Append(dst []byte, op Op, payload []byte) []byte {
	dst = append(dst, final|byte(op))
	switch n := len(payload); {
	case n < 126:
		dst = append(dst, byte(n))
	case n < 1<<16:
		dst = binary.BigEndian.AppendUint16(append(dst, 126), uint16(n))
	default:
		dst = binary.BigEndian.AppendUint64(append(dst, 127), uint64(n))
	}
	return append(dst, payload...)
}

// AppendClose appends a close frame.
func AppendClose(dst []byte, code Code) []byte {
	return Append(dst, Close, binary.BigEndian.AppendUint16(nil, uint16(code)))
}

var errNotServed = errors.New("not a sequence of complete server frames")

// Each calls fn for every frame in a sequence of complete server frames.
func Each(frames []byte, fn func(op Op, payload []byte)) error {
	for len(frames) > 0 {
		h, ok := readHeader(frames)
		if !ok || h.masked || !h.final || h.reserved || h.size > uint64(len(frames)-h.length) {
			return errNotServed
		}
		end := h.length + int(h.size)
		fn(h.op, frames[h.length:end])
		frames = frames[end:]
	}
	return nil
}

// header is a frame header and its length.
type header struct {
	op                      Op
	final, reserved, masked bool
	extended                bool // the size did not fit the second byte
	size                    uint64
	length                  int
}

// readHeader parses a frame header; not ok if incomplete.
func readHeader(b []byte) (h header, ok bool) {
	if len(b) < 2 {
		return h, false
	}
	h = header{op: Op(b[0] & 0x0f), final: b[0]&final != 0, reserved: b[0]&reserved != 0, masked: b[1]&masked != 0,
		size: uint64(b[1] &^ masked), length: 2}
	switch h.size {
	case 126:
		h.extended, h.length = true, 4
	case 127:
		h.extended, h.length = true, 10
	}
	if len(b) < h.length {
		return h, false
	}
	switch h.length {
	case 4:
		h.size = uint64(binary.BigEndian.Uint16(b[2:]))
	case 10:
		h.size = binary.BigEndian.Uint64(b[2:])
	}
	if h.masked {
		h.length += 4
	}
	return h, len(b) >= h.length
}

// mask applies a masking key, eight bytes at a time.
func mask(p, key []byte) {
	k := uint64(binary.LittleEndian.Uint32(key))
	k |= k << 32
	i := 0
	for ; i+8 <= len(p); i += 8 {
		binary.LittleEndian.PutUint64(p[i:], binary.LittleEndian.Uint64(p[i:])^k)
	}
	for ; i < len(p); i++ {
		p[i] ^= key[i&3]
	}
}
