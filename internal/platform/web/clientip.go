package web

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ClientIP is where a request comes from, for what is served beside the routes.
func (s *Server) ClientIP(r *http.Request) string { return s.clientIP(r).String() }

// clientIP is the socket's peer, or, behind trusted proxies only, the
// right-most address in X-Forwarded-For that is not such a proxy.
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

// limitKey is what calls are counted by: an IPv4 address, or the /64 that one
// IPv6 customer holds whole.
func limitKey(ip netip.Addr) string {
	if ip.Is6() {
		if p, err := ip.Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}
