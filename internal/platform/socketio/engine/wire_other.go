//go:build !unix

package engine

import "net"

// tryWriter writes nothing: only Unix sockets can be written without waiting.
type tryWriter struct{}

func (tryWriter) init(net.Conn) {}

func (tryWriter) try([]byte) (int, error) { return 0, nil }
