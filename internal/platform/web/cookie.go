package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"reflect"
	"strings"
	"time"

	"homeroom/internal/platform/fault"
)

// BrowserHeader marks a call of the web app with the value 1. Other sites can't make a
// browser send it: that needs CORS, which doesn't allow this header.
const BrowserHeader = "X-Homeroom-Web"

var errForeign = fault.Denied("This call comes from another website. Open the page of this service itself.")

// Cookie is where a browser keeps the secret of a session, out of reach of scripts.
type Cookie struct {
	Name, Path string
	Life       time.Duration
	Absent     error // returned by a route that exchanges the secret, if the browser sends none
	Stays      error // a 401 that doesn't delete the cookie, because another tab has replaced it
}

// Keeps moves a secret of the reply to the cookie if a browser calls. It panics, at
// start-up, if Out is not the route's.
func Keeps[Out any](c *Cookie, secret func(*Out) *string) Option {
	return func(r *Route) {
		mustBe[Out](r, r.Out, "Keeps")
		r.Cookie = c
		r.keep = func(reply any) (any, string) {
			out := reply.(Out)
			at := secret(&out)
			value := *at
			*at = ""
			return out, value
		}
	}
}

// Recalls reads the cookie if a browser calls without the secret in the body. A route
// with Keeps exchanges the secret; without, it ends the session and deletes the cookie.
func Recalls[In any](c *Cookie, secret func(*In) *string) Option {
	return func(r *Route) {
		mustBe[In](r, r.In, "Recalls")
		r.Cookie, r.recall = c, func(in any) *string { return secret(in.(*In)) }
	}
}

func mustBe[T any](r *Route, is reflect.Type, option string) {
	if is != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("web: %s %s has the type %s, but %s has %s", r.Method, r.Path, is, option, reflect.TypeFor[T]()))
	}
}

// ReadsCookie reports whether the route accepts the cookie in place of the body's secret.
func (r *Route) ReadsCookie() bool { return r.recall != nil }

// fromBrowser reports whether the web app calls a route with a cookie. The header alone
// stops other sites; the origin is checked in case a proxy allows it by CORS.
func (r *Route) fromBrowser(req *http.Request) (bool, error) {
	if r.Cookie == nil || req.Header.Get(BrowserHeader) != "1" {
		return false, nil
	}
	if err := new(http.CrossOriginProtection).Check(req); err != nil {
		return false, errForeign.Because(err)
	}
	return true, nil
}

// readCookie returns the value of the route's cookie, or "".
func (r *Route) readCookie(req *http.Request) string {
	if c, err := req.Cookie(r.Cookie.Name); err == nil {
		return c.Value
	}
	return ""
}

// fillSecret sets the input's secret from the cookie, unless the body has it.
func (k *work) fillSecret(in any) error {
	if k.rt.recall == nil {
		return nil
	}
	secret, has := k.rt.recall(in), k.rt.readCookie(k.src.req)
	if *secret != "" {
		return nil
	}
	if k.browser {
		*secret = has
	}
	if *secret == "" && k.rt.keep != nil && (k.browser || has != "") {
		return k.rt.Cookie.Absent
	}
	return nil
}

// keepSecret moves the secret of a reply to the cookie of a.
func (k *work) keepSecret(out any) (reply any, cookie *http.Cookie) {
	switch {
	case !k.browser:
		return out, nil
	case k.rt.keep == nil:
		return out, k.s.cookie(k.src.req, k.rt.Cookie, "")
	}
	out, secret := k.rt.keep(out)
	if secret == "" { // one more step is left
		return out, nil
	}
	return out, k.s.cookie(k.src.req, k.rt.Cookie, secret)
}

// dropCookie deletes a cookie that was refused.
func (s *Server) dropCookie(w http.ResponseWriter, r *http.Request, rt *Route, err error) {
	if rt.recall == nil || rt.readCookie(r) == "" || faultOf(err).Kind != fault.Unauthenticated || errors.Is(err, rt.Cookie.Stays) {
		return
	}
	if browser, _ := rt.fromBrowser(r); browser {
		http.SetCookie(w, s.cookie(r, rt.Cookie, ""))
	}
}

// cookie returns the cookie with a value; "" deletes it.
func (s *Server) cookie(r *http.Request, c *Cookie, value string) *http.Cookie {
	life := int(c.Life.Seconds())
	if value == "" {
		life = -1
	}
	return &http.Cookie{Name: c.Name, Value: value, Path: c.Path, MaxAge: life, HttpOnly: true, Secure: s.secure(r),
		SameSite: http.SameSiteStrictMode}
}

// secure reports whether the client uses HTTPS, to this server or to a trusted proxy.
func (s *Server) secure(r *http.Request) bool {
	if s.TLS || r.TLS != nil {
		return true
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	scheme, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",")
	return err == nil && s.trusts(peer.Addr().Unmap()) && strings.EqualFold(strings.TrimSpace(scheme), "https")
}
