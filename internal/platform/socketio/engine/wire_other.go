//go:build !unix

package engine

import "net"

// tryWriter writes nothing: non-blocking writes need Unix.
type tryWriter struct{}

func (tryWriter) init(net.Conn) {}

func (tryWriter) try([]byte) (int, error) { return 0, nil }
