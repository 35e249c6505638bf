package webpush

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"homeroom/internal/platform/notify/wire"
)

// conns is the maximum number of connections to one push service.
const conns = 64

// Anyone who signs in can register an endpoint, so it may name a machine in the
// operator's network. The address is checked after DNS, right before the connection.

var errPrivate = errors.New("is not a public address")

// reserved are networks that are not public, beyond those that netip knows.
var reserved = func() (out []netip.Prefix) {
	for _, text := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"240.0.0.0/4", "::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
	} {
		out = append(out, netip.MustParsePrefix(text))
	}
	return out
}()

// nat64 is the prefix of IPv4 addresses in a network that has only IPv6.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// public reports whether ip is an address of the public internet.
func public(ip netip.Addr) bool {
	ip = ip.Unmap()
	if nat64.Contains(ip) {
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !ip.IsLoopback() && ip.Zone() == "" &&
		!slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// client returns an HTTP client that connects to public addresses only, and to this
// machine if loopback is set. It follows no redirect and uses no proxy, whose address
// would be checked instead of the endpoint's.
func client(loopback bool) *http.Client {
	c := wire.Client(conns)
	t := c.Transport.(*http.Transport)
	t.Proxy = nil
	t.MaxResponseHeaderBytes = 16 << 10
	t.DialContext = (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return fmt.Errorf("%s %w", address, errPrivate)
			}
			if ip := to.Addr(); public(ip) && to.Port() == 443 || loopback && ip.Unmap().IsLoopback() {
				return nil
			}
			return fmt.Errorf("%s %w", to, errPrivate)
		}}).DialContext
	return c
}
