//go:build !unix

package engine

import (
	"net"
	"sync"
)

// raw is for systems where a socket can be written without waiting.
type raw struct{}

func (*raw) take(net.Conn) bool { return false }

func (*raw) read(*sync.Pool, []byte) (*[]byte, int, error) { return nil, 0, net.ErrClosed }

func (*raw) try([]byte) (int, error) { return 0, net.ErrClosed }
