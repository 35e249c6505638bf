package ws

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// client returns a masked frame.
func client(first byte, payload string) []byte {
	frame := Append(nil, 0, []byte(payload))
	head := len(frame) - len(payload)
	frame[0] = first
	frame[1] |= masked
	key := []byte{1, 2, 3, 4}
	body := []byte(payload)
	mask(body, key)
	return append(append(frame[:head:head], key...), body...)
}

// parse parses b in pieces of cut bytes and returns the messages.
func parse(b []byte, limit, cut int) (came []string, err error) {
	p := Parser{Limit: func() int { return limit }}
	var rest []byte
	for len(b) > 0 && err == nil {
		n := min(cut, len(b))
		rest = append(bytes.Clone(rest), b[:n]...)
		b = b[n:]
		rest, err = p.Parse(rest, func(op Op, payload []byte) error {
			came = append(came, fmt.Sprintf("%d %s", op, payload))
			return nil
		})
	}
	return came, err
}

func TestFramesSurviveAnySplit(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 125, 126, 65535, 65536} {
		payload := strings.Repeat("x", size)
		sent := append(client(0x81, payload), client(0x82, "end")...)
		for _, cut := range []int{1 + size/1000, 2 + size/500, 7 + size/100, 1000, len(sent)} {
			came, err := parse(sent, 1<<20, cut)
			if err != nil || len(came) != 2 || came[0] != "1 "+payload || came[1] != "2 end" {
				t.Errorf("size %d, cut %d: %d messages, %v", size, cut, len(came), err)
			}
		}
		frame := Append(nil, Text, []byte(payload))
		err := Each(append(frame, Append(nil, Binary, nil)...), func(op Op, got []byte) {
			if op == Text && string(got) != payload {
				t.Errorf("message of %d bytes: got %d bytes", size, len(got))
			}
		})
		if err != nil {
			t.Errorf("Each: %v", err)
		}
	}
}

func TestEachRefuses(t *testing.T) {
	t.Parallel()
	for _, b := range [][]byte{{0x81}, {0x81, 5, 'x'}, client(0x81, "masked"), {0x01, 0},
		{0xc1, 0}, {0x81, 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}} {
		if err := Each(b, func(Op, []byte) {}); err == nil {
			t.Errorf("Each accepted %x", b)
		}
	}
}

// FuzzParser checks that splitting the input does not change the result, that nothing
// above the limit or invalid UTF-8 gets through, and that nothing panics.
func FuzzParser(f *testing.F) {
	f.Add(client(0x81, "4hello"), uint8(1))
	f.Add(append(client(0x01, "4he"), client(0x80, "llo")...), uint8(3))
	f.Add(append(client(0x89, "ping"), client(0x88, "\x03\xe8bye")...), uint8(2))
	f.Add(client(0x82, strings.Repeat("\x00", 300)), uint8(100))
	f.Add([]byte{0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, uint8(4))
	f.Add(client(0x81, "\xff"), uint8(9))
	f.Fuzz(func(t *testing.T, b []byte, cut uint8) {
		const limit = 512
		whole, errWhole := parse(bytes.Clone(b), limit, max(1, len(b)))
		pieces, errPieces := parse(bytes.Clone(b), limit, int(cut)+1)
		if fmt.Sprint(whole) != fmt.Sprint(pieces) || fmt.Sprint(errWhole) != fmt.Sprint(errPieces) {
			t.Errorf("whole %q %v, in pieces %q %v", whole, errWhole, pieces, errPieces)
		}
		if errWhole != nil {
			if _, ok := errors.AsType[*Error](errWhole); !ok {
				t.Errorf("an error without a code: %v", errWhole)
			}
		}
		for _, m := range whole {
			if len(m) > limit+2 {
				t.Errorf("a message of %d bytes is over the limit", len(m))
			}
			if strings.HasPrefix(m, "1 ") && strings.ToValidUTF8(m, "") != m {
				t.Errorf("invalid UTF-8 %q was accepted", m)
			}
		}
	})
}

// FuzzEach checks that frames of other nodes never panic.
func FuzzEach(f *testing.F) {
	f.Add(Append(Append(nil, Text, []byte("42[]")), Binary, []byte{1, 2}))
	f.Add([]byte{0x81, 126, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		total := 0
		if err := Each(b, func(_ Op, p []byte) { total += len(p) }); err == nil && total > len(b) {
			t.Errorf("payloads of %d bytes in a frame of %d", total, len(b))
		}
	})
}
