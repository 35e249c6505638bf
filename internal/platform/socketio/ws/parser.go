package ws

import (
	"encoding/binary"
	"unicode/utf8"
)

// Parser splits a client's bytes into messages. It buffers only the fragments of an
// incomplete message.
type Parser struct {
	Limit func() int // largest message

	pieces []byte
	joins  Op // opcode of the fragments; 0 if none
}

// Parse calls handle with each complete message and control frame in b and returns
// the rest, the start of a frame. The payload is valid only during the call. Parse
// changes b. A protocol error is an *Error.
func (p *Parser) Parse(b []byte, handle func(op Op, payload []byte) error) (rest []byte, err error) {
	for {
		h, ok := readHeader(b)
		if len(b) >= 2 {
			if err := p.check(h); err != nil {
				return nil, err
			}
		}
		if !ok || h.size > uint64(len(b)-h.length) {
			return b, nil
		}
		end := h.length + int(h.size)
		payload := b[h.length:end]
		mask(payload, b[h.length-4:h.length])
		if err := p.frame(h, payload, handle); err != nil {
			return nil, err
		}
		b = b[end:]
	}
}

// check validates a frame by its header, before the payload arrives.
func (p *Parser) check(h header) error {
	switch {
	case h.reserved:
		return &Error{ProtocolError, "reserved bits are set"}
	case !h.masked:
		return &Error{ProtocolError, "a client's frame is not masked"}
	case h.op&control != 0 && (!h.final || h.extended):
		return &Error{ProtocolError, "a control frame is long or in pieces"}
	case h.size > uint64(p.Limit()): // at most 127 for an incomplete header
		return &Error{TooBig, "the message is too big"}
	}
	return nil
}

func (p *Parser) frame(h header, payload []byte, handle func(Op, []byte) error) error {
	switch h.op {
	case Ping, Pong:
		return handle(h.op, payload)
	case Close:
		if err := checkClose(payload); err != nil {
			return err
		}
		return handle(Close, payload)
	case Text, Binary:
		if p.joins != 0 {
			return &Error{ProtocolError, "a message begins inside another"}
		}
		if h.final {
			return whole(h.op, payload, handle)
		}
		p.joins = h.op
	case Continuation:
		if p.joins == 0 {
			return &Error{ProtocolError, "a continuation of nothing"}
		}
	default:
		return &Error{ProtocolError, "an unknown kind of frame"}
	}
	if len(p.pieces)+len(payload) > p.Limit() {
		return &Error{TooBig, "the message is too big"}
	}
	p.pieces = append(p.pieces, payload...)
	if !h.final {
		return nil
	}
	op, all := p.joins, p.pieces
	p.joins, p.pieces = 0, nil
	return whole(op, all, handle)
}

func whole(op Op, payload []byte, handle func(Op, []byte) error) error {
	if op == Text && !utf8.Valid(payload) {
		return &Error{InvalidText, "the text is not UTF-8"}
	}
	return handle(op, payload)
}

// checkClose validates the payload of a close frame: empty, or a valid code and a
// UTF-8 reason.
func checkClose(payload []byte) error {
	if len(payload) == 0 {
		return nil
	}
	if len(payload) == 1 {
		return &Error{ProtocolError, "half a close code"}
	}
	code := binary.BigEndian.Uint16(payload)
	valid := code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006 || code >= 3000 && code <= 4999
	if !valid {
		return &Error{ProtocolError, "an invalid close code"}
	}
	if !utf8.Valid(payload[2:]) {
		return &Error{InvalidText, "the reason is not UTF-8"}
	}
	return nil
}
