//go:build unix

package engine

import (
	"net"
	"syscall"
)

// tryWriter does non-blocking writes to a TCP connection.
type tryWriter struct {
	conn  syscall.RawConn // nil if writes must block
	write func(fd uintptr) bool
	b     []byte
	n     int
	err   error
}

func (t *tryWriter) init(nc net.Conn) {
	tcp, ok := nc.(*net.TCPConn)
	if !ok { // TLS
		return
	}
	if conn, err := tcp.SyscallConn(); err == nil {
		t.conn, t.write = conn, t.writeTo // stored, to allocate no closure per call
	}
}

// try writes as much of b as possible without blocking. It is not safe for concurrent use.
func (t *tryWriter) try(b []byte) (int, error) {
	if t.conn == nil {
		return 0, nil
	}
	t.b = b
	err := t.conn.Write(t.write)
	t.b = nil
	if err != nil {
		return 0, err
	}
	return t.n, t.err
}

func (t *tryWriter) writeTo(fd uintptr) bool {
	for {
		t.n, t.err = syscall.Write(int(fd), t.b)
		switch t.err {
		case nil:
			return true
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			t.err = nil
		}
		t.n = 0
		return true // never block
	}
}
