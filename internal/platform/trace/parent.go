package trace

import (
	"encoding/hex"
	"strings"
)

// parent is the span of another service, from the traceparent header of W3C Trace Context.
type parent struct {
	trace   traceID
	span    spanID
	sampled bool
}

const parentLength = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")

// parseParent parses a header of version 00, or of a later one that begins like it.
func parseParent(h string) (p parent, ok bool) {
	if len(h) < parentLength || h[2] != '-' || h[35] != '-' || h[52] != '-' || strings.ToLower(h) != h {
		return p, false
	}
	version := h[:2]
	if version == "ff" || version == "00" && len(h) > parentLength || len(h) > parentLength && h[parentLength] != '-' {
		return p, false
	}
	var head, flags [1]byte
	for text, into := range map[string][]byte{version: head[:], h[3:35]: p.trace[:], h[36:52]: p.span[:], h[53:55]: flags[:]} {
		if _, err := hex.Decode(into, []byte(text)); err != nil {
			return p, false
		}
	}
	p.sampled = flags[0]&1 == 1
	return p, p.trace != traceID{} && p.span != spanID{}
}
