package wire

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ErrPrivate means that a host has an address that the client may not connect to.
var ErrPrivate = errors.New("is not a public address")

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

// IsPublic reports whether ip is an address of the public internet.
func IsPublic(ip netip.Addr) bool {
	ip = ip.Unmap()
	if nat64.Contains(ip) {
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !ip.IsLoopback() && ip.Zone() == "" &&
		!slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// MayBePublic reports whether a host is a public address, or a name that may have one.
func MayBePublic(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return IsPublic(ip)
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	switch last {
	case "", host, "localhost", "local", "internal", "lan", "home", "corp", "arpa", "test", "invalid", "example", "onion":
		return false // without a dot, with one at the end, or reserved
	}
	return strings.Trim(last, "0123456789") != "" && !strings.HasPrefix(last, "0x") // else an IPv4 address in another notation
}

// Guarded returns a Client for URLs that users choose, which may name a machine in the
// operator's network. Each address is checked with allow after DNS, right before the
// connection. The client uses no proxy, whose address would be checked instead.
func Guarded(conns int, allow func(to netip.AddrPort) bool) *http.Client {
	t := transport(conns)
	t.Proxy = nil
	t.MaxResponseHeaderBytes = 16 << 10
	t.DialContext = (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil || !allow(to) {
				return fmt.Errorf("%s %w", address, ErrPrivate)
			}
			return nil
		}}).DialContext
	return client(t)
}
