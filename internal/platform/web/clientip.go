package web

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ClientIP returns the client's IP address, for handlers in Config.Mounts.
func (s *Server) ClientIP(r *http.Request) string { return s.clientIP(r).String() }

// clientIP returns the remote address or, behind trusted proxies, the right-most
// address in X-Forwarded-For that is not a trusted proxy.
func (s *Server) clientIP(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.IPv4Unspecified()
	}
	ip := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && s.trusts(ip); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		ip = hop.Unmap().WithZone("")
	}
	return ip
}

func (s *Server) trusts(ip netip.Addr) bool {
	return slices.ContainsFunc(s.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// limitKey is the rate limit key of an address: an IPv4 address, or the /64 of an
// IPv6 address, since one customer has a whole /64.
func limitKey(ip netip.Addr) string {
	if ip.Is6() {
		if p, err := ip.Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}
