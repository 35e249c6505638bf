// Package freeaddr finds addresses for servers of tests that must know their port before
// they listen.
package freeaddr

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// The ports are below those that systems give to connections and to ":0": such a port can be
// taken again between the search and the start of the server.
const first, end = 16_000, 32_000

// Local returns a random local address that nothing listens on.
func Local() (string, error) {
	var err error
	for range 100 {
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(end-first))); err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	return "", errors.Join(errors.New("no free port found"), err)
}

// In is Local for a test.
func In(t testing.TB) string {
	t.Helper()
	addr, err := Local()
	if err != nil {
		t.Fatal(err)
	}
	return addr
}
