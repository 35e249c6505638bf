package token

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

func testSigner(t testing.TB) (*Signer, *hand) {
	h := newHand()
	return &Signer{Ring: testRing(t, "new", "old"), Now: h.now, Rand: rand.Reader}, h
}

func someone() Access {
	return Access{User: id.New(), School: id.New(), Session: id.New(), Role: actor.Teacher}
}

func signAccess(t testing.TB, s *Signer, a Access) string {
	t.Helper()
	raw, err := s.SignAccess(a)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func signRefresh(t testing.TB, s *Signer, a Access) string {
	t.Helper()
	raw, err := s.SignRefresh(Refresh{User: a.User, Session: a.Session})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// parts returns the decoded header and claims.
func parts(t testing.TB, raw string) (head, body string) {
	t.Helper()
	p := strings.Split(raw, ".")
	h, err1 := base64.RawURLEncoding.DecodeString(p[0])
	b, err2 := base64.RawURLEncoding.DecodeString(p[1])
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return string(h), string(b)
}

func b64(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// forge signs arbitrary text.
func forge(m jwt.SigningMethod, key any, head, body string) string {
	text := b64(head) + "." + b64(body)
	sig, err := m.Sign(text, key)
	if err != nil {
		panic(err)
	}
	return text + "." + b64(string(sig))
}

func TestTokensCarryExactlyTheClaims(t *testing.T) {
	t.Parallel()
	s, h := testSigner(t)
	who, iat := someone(), float64(h.now().Unix())
	for _, c := range []struct {
		name, raw string
		want      map[string]any
	}{
		{"access", signAccess(t, s, who), map[string]any{
			"sub": string(who.User), "role": "TEACHER", "schoolId": string(who.School), "iat": iat, "exp": iat + 900}},
		{"refresh", signRefresh(t, s, who), map[string]any{
			"sub": string(who.User), "type": "refresh", "iat": iat, "exp": iat + 604800}},
	} {
		head, body := parts(t, c.raw)
		var gotHead, got map[string]any
		if err := errors.Join(json.Unmarshal([]byte(head), &gotHead), json.Unmarshal([]byte(body), &got)); err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: claims %v, want %v", c.name, got, c.want)
		}
		jti, err := base64.RawURLEncoding.DecodeString(gotHead["jti"].(string))
		if err != nil || len(jti) != 16 {
			t.Errorf("%s: jti %v", c.name, gotHead["jti"])
		}
		delete(gotHead, "jti")
		if want := map[string]any{"alg": "HS256", "typ": "JWT", "kid": "new", "sid": string(who.Session)}; !maps.Equal(gotHead, want) {
			t.Errorf("%s: header %v, want %v", c.name, gotHead, want)
		}
		if len(c.raw) > maxToken/2 {
			t.Errorf("%s: %d bytes", c.name, len(c.raw))
		}
	}
}

func TestVerifyReturnsWhatWasSigned(t *testing.T) {
	t.Parallel()
	s, h := testSigner(t)
	for _, role := range actor.Roles {
		want := someone()
		want.Role = role
		raw := signAccess(t, s, want)
		want.IssuedAt = h.now().Truncate(time.Second)
		want.ExpiresAt = want.IssuedAt.Add(15 * time.Minute)
		for range 2 { // the second time from the cache
			if got, err := s.VerifyAccess(raw); err != nil || got != want {
				t.Errorf("access: %+v, %v, want %+v", got, err, want)
			}
		}
		wantRefresh := Refresh{want.User, want.Session, want.IssuedAt, want.IssuedAt.Add(7 * 24 * time.Hour)}
		if got, err := s.VerifyRefresh(signRefresh(t, s, want)); err != nil || got != wantRefresh {
			t.Errorf("refresh: %+v, %v, want %+v", got, err, wantRefresh)
		}
	}
}

func TestTokensOfOneSecondDiffer(t *testing.T) {
	t.Parallel()
	s, _ := testSigner(t)
	who, seen := someone(), map[string]bool{}
	for range 100 {
		seen[signAccess(t, s, who)], seen[signRefresh(t, s, who)] = true, true
	}
	if len(seen) != 200 {
		t.Errorf("%d different tokens of 200", len(seen))
	}
}

func TestSignRefuses(t *testing.T) {
	t.Parallel()
	s, _ := testSigner(t)
	for name, change := range map[string]func(*Access){
		"no user":         func(a *Access) { a.User = "" },
		"no session":      func(a *Access) { a.Session = "" },
		"no school":       func(a *Access) { a.School = "" },
		"no role":         func(a *Access) { a.Role = "" },
		"unknown role":    func(a *Access) { a.Role = "ROOT" },
		"upper-case user": func(a *Access) { a.User = id.ID(strings.ToUpper(string(a.User))) },
	} {
		a := someone()
		change(&a)
		if raw, err := s.SignAccess(a); err == nil || raw != "" {
			t.Errorf("%s: signed %q", name, raw)
		}
	}
	if raw, err := s.SignRefresh(Refresh{User: id.New()}); err == nil || raw != "" {
		t.Errorf("refresh without a session: %q", raw)
	}
	s.Rand = iotest.ErrReader(errors.New("dry"))
	if raw, err := s.SignAccess(someone()); err == nil || raw != "" {
		t.Errorf("without randomness: %q", raw)
	}
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	const aSecond = time.Second
	for _, c := range []struct {
		name            string
		after           time.Duration // since the whole second of issue
		access, refresh error
	}{
		{"61 s before its issue", -61 * aSecond, ErrInvalid, ErrInvalid},
		{"60 s before its issue", -60 * aSecond, nil, nil},
		{"at once", 0, nil, nil},
		{"before access ends", AccessLife - time.Millisecond, nil, nil},
		{"when access ends", AccessLife, ErrExpired, nil},
		{"before refresh ends", RefreshLife - time.Millisecond, ErrExpired, nil},
		{"when refresh ends", RefreshLife, ErrExpired, ErrExpired},
		{"years later", 1000 * RefreshLife, ErrExpired, ErrExpired},
	} {
		for _, cached := range []bool{false, true} {
			s, h := testSigner(t)
			who := someone()
			access, refresh := signAccess(t, s, who), signRefresh(t, s, who)
			if cached {
				if _, err := s.VerifyAccess(access); err != nil {
					t.Fatal(err)
				}
			}
			h.add(c.after - 900*time.Millisecond)
			a, err := s.VerifyAccess(access)
			if !errors.Is(err, c.access) || (err != nil) != (a == Access{}) {
				t.Errorf("%s, cached %v: access %+v, %v, want %v", c.name, cached, a, err, c.access)
			}
			r, err := s.VerifyRefresh(refresh)
			known := err == nil || errors.Is(err, ErrExpired) // an expired token still returns its content
			if !errors.Is(err, c.refresh) || known == (r == Refresh{}) {
				t.Errorf("%s: refresh %+v, %v, want %v", c.name, r, err, c.refresh)
			}
		}
	}
	for _, f := range []*fault.Fault{ErrExpired, ErrInvalid} {
		if f.Kind != fault.Unauthenticated {
			t.Errorf("%v is not 401", f)
		}
	}
	if errors.Is(ErrExpired, ErrInvalid) {
		t.Error("ErrExpired must not be ErrInvalid")
	}
}

// hostile returns invalid tokens derived from a valid one, signed with the service's own
// key where possible.
func hostile(t testing.TB, s *Signer, raw string) map[string]string {
	set := s.Ring.set.Load()
	key, oldKey, refreshKey := set.signing[access]["new"], set.signing[access]["old"], set.signing[refresh]["new"]
	hs := jwt.SigningMethodHS256
	head, body := parts(t, raw)
	other := signAccess(t, s, someone())
	p, q := strings.Split(raw, "."), strings.Split(other, ".")
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{
		"empty": "", "dot": ".", "dots": "..", "more dots": "...", "no token": "null",
		"no signature": p[0] + "." + p[1] + ".", "two parts": p[0] + "." + p[1], "four parts": raw + "." + p[2], "trailing dot": raw + ".",
		"leading space": " " + raw, "trailing space": raw + " ", "trailing newline": raw + "\n",
		"trailing zero": raw + "\x00", "trailing byte": raw + "A",
		"newline in header":    p[0][:4] + "\n" + p[0][4:] + "." + p[1] + "." + p[2],
		"newline in signature": p[0] + "." + p[1] + "." + p[2][:9] + "\r\n" + p[2][9:],
		"padded header":        p[0] + "=." + p[1] + "." + p[2], "padded claims": p[0] + "." + p[1] + "==." + p[2], "padded signature": raw + "=",
		"header of another": q[0] + "." + p[1] + "." + p[2], "claims of another": p[0] + "." + q[1] + "." + p[2],
		"signature of another": p[0] + "." + p[1] + "." + q[2],
		"loose last bits":      raw[:len(raw)-1] + string(nextInAlphabet(raw[len(raw)-1])),
		"huge":                 strings.Repeat("A", 1<<20), "huge dots": strings.Repeat(".", 1<<20),
		"huge signature": raw + strings.Repeat("A", 1<<20),
		"huge, signed":   forge(hs, key, strings.Replace(head, "{", "{"+strings.Repeat(" ", 1<<20), 1), body),

		"alg none":         forge(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, strings.Replace(head, "HS256", "none", 1), body),
		"alg None":         forge(hs, key, strings.Replace(head, "HS256", "None", 1), body),
		"alg none, signed": forge(hs, key, strings.Replace(head, "HS256", "none", 1), body),
		"alg empty":        forge(hs, key, strings.Replace(head, "HS256", "", 1), body),
		"alg hs256":        forge(hs, key, strings.Replace(head, "HS256", "hs256", 1), body),
		"HS512":            forge(jwt.SigningMethodHS512, key, strings.Replace(head, "HS256", "HS512", 1), body),
		"HS384":            forge(jwt.SigningMethodHS384, key, strings.Replace(head, "HS256", "HS384", 1), body),
		"HS512 inside":     forge(jwt.SigningMethodHS512, key, head, body),
		"RS256":            forge(jwt.SigningMethodRS256, private, strings.Replace(head, "HS256", "RS256", 1), body),
		"RS256 by HMAC":    forge(hs, key, strings.Replace(head, "HS256", "RS256", 1), body),
		"EdDSA":            forge(jwt.SigningMethodEdDSA, edwards, strings.Replace(head, "HS256", "EdDSA", 1), body),

		"foreign key, same kid": forge(hs, testKey("new").Secret, head, body), "empty key": forge(hs, []byte{}, head, body),
		"the secret itself": forge(hs, set.keys[0].Secret, head, body), "key of the other kid": forge(hs, oldKey, head, body),
		"refresh key": forge(hs, refreshKey, head, body), "refresh": signRefresh(t, s, someone()),
	}
	for name, h := range hostileHeaders(head) {
		out["header, "+name] = forge(hs, key, h, body)
	}
	for name, c := range hostileClaims(body) {
		out["claims, "+name] = forge(hs, key, head, c)
	}
	for _, n := range []int{1, 10, len(p[0]), len(p[0]) + 1, len(p[0]) + 30, len(p[0]) + len(p[1]) + 1, len(raw) - 20, len(raw) - 1} {
		out[fmt.Sprint("cut to ", n)] = raw[:n]
	}
	return out
}

// nextInAlphabet returns a character that differs only in the unused bits of a
// signature's last one.
func nextInAlphabet(c byte) byte {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return alphabet[strings.IndexByte(alphabet, c)|1]
}

func hostileHeaders(head string) map[string]string {
	swap := func(old, with string) string {
		if !strings.Contains(head, old) {
			panic(old + " is not in " + head)
		}
		return strings.Replace(head, old, with, 1)
	}
	var m map[string]string
	if err := json.Unmarshal([]byte(head), &m); err != nil {
		panic(err)
	}
	jti, sid := `"jti":"`+m["jti"]+`"`, `"sid":"`+m["sid"]+`"`
	return map[string]string{
		"no kid": swap(`"kid":"new",`, ""), "unknown kid": swap(`"kid":"new"`, `"kid":"gone"`), "empty kid": swap(`"kid":"new"`, `"kid":""`),
		"kid number": swap(`"kid":"new"`, `"kid":1`), "kid list": swap(`"kid":"new"`, `"kid":["new"]`), "KID": swap(`"kid"`, `"KID"`),
		"no jti": swap(jti+",", ""), "short jti": swap(jti, `"jti":"A"`), "empty jti": swap(jti, `"jti":""`), "jti number": swap(jti, `"jti":12`),
		"no sid": swap(sid+",", ""), "sid no id": swap(sid, `"sid":"me"`),
		"sid upper": swap(sid, `"sid":"`+strings.ToUpper(m["sid"])+`"`), "sid null": swap(sid, `"sid":null`),
		"no typ": swap(`,"typ":"JWT"`, ""), "other typ": swap(`"typ":"JWT"`, `"typ":"at+jwt"`),
		"no alg": swap(`"alg":"HS256",`, ""), "alg list": swap(`"HS256"`, `["HS256"]`),
		"alg twice": swap(`"alg":"HS256"`, `"alg":"none","alg":"HS256"`), "alg twice, same": swap(`"alg":"HS256"`, `"alg":"HS256","alg":"HS256"`),
		"kid twice": swap(`"kid":"new"`, `"kid":"old","kid":"new"`), "sid twice": swap(sid, sid+","+sid),
		"kid and KID": swap(`"kid":"new"`, `"kid":"new","KID":"old"`),
		"jwk":         swap(`{`, `{"jwk":{"kty":"oct","k":"AA"},`), "crit": swap(`{`, `{"crit":["x"],`),
		"jku":         swap(`{`, `{"jku":"https://example.com",`),
		"other order": `{"typ":"JWT",` + swap(`,"typ":"JWT"`, "")[1:], "space": swap(`{`, `{ `),
		"escaped": swap(`"kid"`, `"\u006bid"`), "trailing": head + " ", "two objects": head + "{}",
		"null": "null", "list": "[]", "string": `"HS256"`, "not JSON": "{", "nothing": "",
		"deep": strings.Repeat("[", 300), "no UTF-8": swap(`"new"`, "\"new\xff\""),
	}
}

func hostileClaims(body string) map[string]string {
	var m struct {
		Sub, Role, SchoolID string
		Iat, Exp            int64
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		panic(err)
	}
	swap := func(old, with string) string {
		if !strings.Contains(body, old) {
			panic(old + " is not in " + body)
		}
		return strings.Replace(body, old, with, 1)
	}
	iat, exp := fmt.Sprintf(`"iat":%d`, m.Iat), fmt.Sprintf(`"exp":%d`, m.Exp)
	sub, school := `"sub":"`+m.Sub+`"`, `"schoolId":"`+m.SchoolID+`"`
	return map[string]string{
		"of a refresh token": fmt.Sprintf(`{"type":"refresh",%s,"exp":%d,%s}`, sub, m.Iat+604800, iat),
		"with type":          swap(`{`, `{"type":"refresh",`), "type access": swap(`{`, `{"type":"access",`),
		"extra": swap(`{`, `{"admin":true,`), "iss": swap(`{`, `{"iss":"me",`), "aud": swap(`{`, `{"aud":["me"],`),
		"nbf": swap(`{`, `{"nbf":1,`), "jti": swap(`{`, `{"jti":"x",`),
		"no sub": swap(sub+",", ""), "sub empty": swap(m.Sub, ""), "sub number": swap(`"`+m.Sub+`"`, "1"),
		"sub upper": swap(m.Sub, strings.ToUpper(m.Sub)), "sub urn": swap(m.Sub, "urn:uuid:"+m.Sub),
		"no role": swap(`"role":"TEACHER",`, ""), "role unknown": swap("TEACHER", "ROOT"),
		"role lower": swap("TEACHER", "teacher"), "role list": swap(`"TEACHER"`, `["TEACHER"]`),
		"no school": swap(school+",", ""), "school no id": swap(m.SchoolID, "all"), "school null": swap(`"`+m.SchoolID+`"`, "null"),
		"no iat": swap(","+iat, ""), "iat null": swap(iat, `"iat":null`), "iat text": swap(iat, fmt.Sprintf(`"iat":"%d"`, m.Iat)),
		"iat float": swap(iat, iat+".0"), "iat fraction": swap(iat, iat+".5"),
		"iat exponent": swap(iat, `"iat":17e8`), "iat huge": swap(iat, `"iat":1e300`), "iat overflow": swap(iat, `"iat":9223372036854775807`),
		"no exp": swap(exp+",", ""), "exp null": swap(exp, `"exp":null`), "exp later": swap(exp, fmt.Sprintf(`"exp":%d`, m.Exp+1)),
		"exp sooner": swap(exp, fmt.Sprintf(`"exp":%d`, m.Exp-1)), "exp past": swap(exp, `"exp":1`),
		"sub twice": swap(sub, sub+","+sub), "role twice": swap(`"role":"TEACHER"`, `"role":"SUPER_ADMIN","role":"TEACHER"`),
		"Role too": swap(`"role":"TEACHER"`, `"Role":"SUPER_ADMIN","role":"TEACHER"`), "ROLE": swap(`"role"`, `"ROLE"`),
		"space": swap(`{`, `{ `), "trailing": body + "\n", "two objects": body + body, "null": "null",
		"list": "[" + body + "]", "not JSON": body[:9], "nothing": "", "true": "true",
	}
}

func TestHostileTokens(t *testing.T) {
	t.Parallel()
	s, h := testSigner(t)
	raw := signAccess(t, s, someone())
	head, body := parts(t, raw)
	if again := forge(jwt.SigningMethodHS256, s.Ring.set.Load().signing[access]["new"], head, body); again != raw {
		t.Fatal("forging without a change must return the same token, else the test proves nothing")
	}
	bad := hostile(t, s, raw)
	for _, when := range []string{"new", "while the good one is cached", "long expired"} {
		for name, forged := range bad {
			if forged == raw {
				t.Fatalf("%s: equals the valid token", name)
			}
			if a, err := s.VerifyAccess(forged); !errors.Is(err, ErrInvalid) || a != (Access{}) {
				t.Errorf("%s, %s: access %+v, %v", name, when, a, err)
			}
			if r, err := s.VerifyRefresh(forged); name != "refresh" && (!errors.Is(err, ErrInvalid) || r != (Refresh{})) {
				t.Errorf("%s, %s: refresh %+v, %v", name, when, r, err)
			}
		}
		if when == "new" {
			if _, err := s.VerifyAccess(raw); err != nil {
				t.Fatal(err)
			}
		} else {
			h.add(RefreshLife)
		}
	}
	if _, err := s.VerifyRefresh(raw); !errors.Is(err, ErrInvalid) {
		t.Errorf("access token used as a refresh token: %v", err)
	}
	if _, err := s.VerifyAccess(raw); !errors.Is(err, ErrExpired) {
		t.Errorf("valid token: %v", err)
	}
}

// TestEveryBitCounts flips each bit of a token.
func TestEveryBitCounts(t *testing.T) {
	t.Parallel()
	s, _ := testSigner(t)
	raw := signAccess(t, s, someone())
	for i := range raw {
		for bit := range 8 {
			b := []byte(raw)
			b[i] ^= 1 << bit
			if _, err := s.VerifyAccess(string(b)); !errors.Is(err, ErrInvalid) {
				t.Fatalf("byte %d, bit %d: %v", i, bit, err)
			}
		}
	}
}

func TestHugeTokensCostNothing(t *testing.T) { // alone, for it counts memory
	s, _ := testSigner(t)
	head, _ := parts(t, signAccess(t, s, someone()))
	for _, huge := range []string{
		strings.Repeat("A", 1<<20), strings.Repeat(".", 1<<20), strings.Repeat("e30.", 1<<18),
		b64(head) + "." + b64(`{"sub":"`+strings.Repeat("x", 1<<20)+`"}`) + ".AAAA",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 100 {
			if _, err := s.VerifyAccess(huge); !errors.Is(err, ErrInvalid) {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		if bytes := (after.TotalAlloc - before.TotalAlloc) / 100; bytes > 4096 {
			t.Errorf("allocated %d bytes to refuse a token of %d", bytes, len(huge))
		}
	}
}

func TestErrorsDoNotShowTokens(t *testing.T) {
	t.Parallel()
	s, _ := testSigner(t)
	raw := signAccess(t, s, someone())
	for name, forged := range hostile(t, s, raw) {
		_, err := s.VerifyAccess(forged)
		for _, p := range strings.Split(raw, ".") {
			if strings.Contains(err.Error(), p[:12]) || len(err.Error()) > 300 {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestChangedRingForgets(t *testing.T) {
	t.Parallel()
	s, _ := testSigner(t)
	raw := signAccess(t, s, someone())
	verify := func(want error) {
		t.Helper()
		for range 2 {
			if _, err := s.VerifyAccess(raw); !errors.Is(err, want) {
				t.Fatalf("verify: %v, want %v", err, want)
			}
		}
	}
	verify(nil)
	k := s.Ring.set.Load().keys[0]
	for _, step := range []struct {
		keys []Key
		want error
	}{
		{[]Key{testKey("next"), k}, nil},
		{[]Key{testKey("next")}, ErrInvalid},
		{[]Key{testKey("new")}, ErrInvalid}, // its kid, another secret
		{[]Key{k}, nil},
	} {
		if err := s.Ring.Set(step.keys...); err != nil {
			t.Fatal(err)
		}
		verify(step.want)
	}
}

func FuzzVerify(f *testing.F) {
	s, _ := testSigner(f)
	who := someone()
	good := []string{signAccess(f, s, who), signRefresh(f, s, who)}
	for _, raw := range good {
		f.Add(raw)
	}
	for name, raw := range hostile(f, s, good[0]) {
		if name != "refresh" { // which is a good one
			f.Add(raw[:min(len(raw), 2*maxToken)])
		}
	}
	f.Fuzz(func(t *testing.T, raw string) {
		_, errA := s.VerifyAccess(raw)
		_, errR := s.VerifyRefresh(raw)
		for i, err := range []error{errA, errR} {
			if err == nil && raw != good[i] || err != nil && !errors.Is(err, ErrInvalid) {
				t.Errorf("%q: %v", raw, err)
			}
		}
	})
}

// FuzzSigned signs any header and claims with our own key: only our own encoding is
// accepted.
func FuzzSigned(f *testing.F) {
	s, _ := testSigner(f)
	head, body := parts(f, signAccess(f, s, someone()))
	f.Add(head, body)
	for _, h := range hostileHeaders(head) {
		f.Add(h, body)
	}
	for _, c := range hostileClaims(body) {
		f.Add(head, c)
	}
	key := s.Ring.set.Load().signing[access]["new"]
	f.Fuzz(func(t *testing.T, head, body string) {
		a, err := s.VerifyAccess(forge(jwt.SigningMethodHS256, key, head, body))
		if err != nil {
			if !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrExpired) {
				t.Errorf("verify: unexpected error %v", err)
			}
			return
		}
		want := fmt.Sprintf(`{"role":%q,"schoolId":%q,"sub":%q,"exp":%d,"iat":%d}`,
			a.Role, a.School, a.User, a.ExpiresAt.Unix(), a.IssuedAt.Unix())
		if body != want || !strings.HasPrefix(head, `{"alg":"HS256","jti":"`) ||
			!strings.HasSuffix(head, fmt.Sprintf(`,"kid":"new","sid":%q,"typ":"JWT"}`, a.Session)) {
			t.Errorf("accepted %s %s", head, body)
		}
	})
}

func BenchmarkVerifyAccess(b *testing.B) {
	bench := func(name string, cached bool) {
		b.Run(name, func(b *testing.B) {
			s := &Signer{Ring: testRing(b, "new"), Now: clock.System, Rand: rand.Reader}
			raw := signAccess(b, s, someone())
			b.ReportAllocs()
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					if !cached {
						if _, err := s.Ring.set.Load().parse(access, raw); err != nil {
							b.Fatal(err)
						}
					} else if _, err := s.VerifyAccess(raw); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
	bench("cached", true)
	bench("first", false)
}

func BenchmarkSignAccess(b *testing.B) {
	s, _ := testSigner(b)
	who := someone()
	for b.Loop() {
		signAccess(b, s, who)
	}
}
