package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"homeroom/internal/platform/await"
)

// TestReady starts on an existing database.
func TestReady(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h installation) {
		h.createAdmin(t) // migrates the schema
		s := h.serve(t)
		status, reply, err := s.call(t.Context(), "", "GET", "/readyz", "")
		if err != nil || status != 200 || reply["ready"] != true {
			t.Fatalf("/readyz: got %d %v, %v, want ready", status, reply, err)
		}
		s.stop(t)
	})
}

func TestOneServerPerDirectory(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h installation) {
		first := h.serve(t)
		out, errs, code := h.run(t, "serve", "--addr=127.0.0.1:0")
		if code != 1 || !strings.Contains(errs, fmt.Sprintf("homeroom serve (process %d)", first.cmd.Process.Pid)) {
			t.Errorf("the second server: exit %d\n%s%s", code, out, errs)
		}
		if status, _, err := first.call(t.Context(), "", "GET", "/readyz", ""); err != nil || status != 200 {
			t.Errorf("/readyz of the first server: got %d, %v, want 200", status, err)
		}
		first.signal(t, syscall.SIGKILL) // the lock must be released even so
		<-first.done
		h.serve(t).stop(t)
	})
}

// TestFirstStart sets up a new installation with the link that the service logs.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h installation) {
		h.serve(t).stop(t)
		s := h.serve(t) // prints a new link
		link := regexp.MustCompile(regexp.QuoteMeta(s.url) + `/app/setup#([\w-]{43})"`)
		await.Until(t, "the set-up link", func() bool { return link.MatchString(s.log()) })
		body := `{"token":"` + link.FindStringSubmatch(s.log())[1] + `","name":"Ada","email":"ada@example.org","password":"` + password +
			`","schoolName":"Own"}`
		status, reply, err := s.call(t.Context(), "", "POST", "/auth/setup", body)
		if err != nil || status != 200 || reply["schoolId"] == nil {
			t.Fatalf("set-up: %d %v %v", status, reply, err)
		}
		s.stop(t)
		s = h.serve(t)
		s.login(t)
		if strings.Contains(s.log(), "/app/setup") {
			t.Error("a set-up link though there is an account")
		}
		if status, _, err := s.call(t.Context(), "", "POST", "/auth/setup", body); err != nil || status != 409 {
			t.Errorf("the old link: %d %v, want 409", status, err)
		}
		s.stop(t)
	})
}

// TestDemoRefusesRealPeople starts --demo on a database with a real account.
func TestDemoRefusesRealPeople(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h installation) {
		h.createAdmin(t)
		out, errs, code := h.run(t, "serve", "--demo", "--addr=127.0.0.1:0")
		if code != 1 || !strings.Contains(errs, "real accounts or schools") || strings.Contains(errs, "is running") {
			t.Errorf("serve --demo: exit %d, want 1 with the reason\n%s%s", code, out, errs)
		}
		s := h.serve(t)
		s.login(t)
		s.stop(t)
	})
}

// slowLogin sends the head of a request and the first byte of its body, which the server waits for.
func slowLogin(t *testing.T, s *server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	const head = "POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 41\r\nExpect: 100-continue\r\n\r\n"
	reads := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := io.WriteString(conn, head); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, reads); err != nil || !strings.Contains(string(reads), "100 Continue") {
		t.Fatalf("the server does not read the body: %q, %v", reads, err)
	}
	if _, err := io.WriteString(conn, "{"); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestStopFinishesRequests(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h installation) {
		s := h.serve(t, "--drain-delay=4s")
		conn := slowLogin(t, s)
		s.signal(t, syscall.SIGTERM)
		await.Until(t, "/readyz to fail", func() bool { // the signal takes a moment
			status, reply, err := s.call(t.Context(), "", "GET", "/readyz", "")
			return err == nil && status == 503 && reply["server"] == "shutting down" && reply["ready"] == false && reply["database"] == "ok"
		})
		await.Until(t, "no more connections after the delay", func() bool {
			late, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err == nil {
				late.Close()
			}
			return err != nil
		})
		if _, err := io.WriteString(conn, `"email":"a@b.org","password":"wrong wrong"`[:40]); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var reply struct{ StatusCode int }
		if err := json.NewDecoder(res.Body).Decode(&reply); err != nil || reply.StatusCode != res.StatusCode || res.StatusCode != 400 {
			t.Errorf("running request: got %d %+v, %v, want 400", res.StatusCode, reply, err)
		}
		s.wantExit(t, 0)
	})
}

func TestSecondSignalStopsAtOnce(t *testing.T) {
	t.Parallel()
	s := newInstallation(t, "sqlite", true).serve(t)
	slowLogin(t, s)
	s.signal(t, os.Interrupt)
	await.Until(t, "the graceful shutdown to start", func() bool { return strings.Contains(s.log(), "shutting down") })
	select {
	case <-s.done:
		t.Fatal("the server did not wait for the running request")
	case <-time.After(200 * time.Millisecond):
	}
	s.signal(t, os.Interrupt)
	s.wantExit(t, -1)
}

func TestStopAbortsEndlessRequests(t *testing.T) {
	t.Parallel()
	s := newInstallation(t, "sqlite", true).serve(t, "--shutdown-timeout=200ms")
	slowLogin(t, s)
	s.signal(t, syscall.SIGTERM)
	s.wantExit(t, 1)
	if !strings.Contains(s.log(), "aborted") {
		t.Error("the log does not mention the aborted request")
	}
}

// TestStopLosesNothing stops a server under load. Clients stop once /readyz fails,
// like a load balancer; none of their requests may fail.
func TestStopLosesNothing(t *testing.T) {
	t.Parallel()
	h := newInstallation(t, "sqlite", true)
	h.createAdmin(t)
	s := h.serve(t, "--drain-delay=4s")
	token := s.login(t)
	var wg sync.WaitGroup
	var done atomic.Int64
	for range 4 {
		wg.Go(func() {
			for {
				ready, _, err := s.call(t.Context(), "", "GET", "/readyz", "")
				if err != nil || ready == 503 {
					if err != nil {
						t.Errorf("/readyz: %v", err)
					}
					return
				}
				if status, reply, err := s.call(t.Context(), token, "GET", "/auth/me", ""); err != nil || status != 200 {
					t.Errorf("a request failed: %d %v %v", status, reply, err)
				}
				done.Add(1)
			}
		})
	}
	await.Until(t, "50 answers", func() bool { return done.Load() >= 50 })
	s.signal(t, syscall.SIGTERM)
	wg.Wait()
	s.wantExit(t, 0)
}

func TestCPUProfile(t *testing.T) {
	t.Parallel()
	h := newInstallation(t, "sqlite", true)
	path := filepath.Join(t.TempDir(), "cpu.prof")
	h.serve(t, "--cpu-profile="+path).stop(t)
	out, err := exec.Command("go", "tool", "pprof", "-raw", path).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("cpu/nanoseconds")) {
		t.Errorf("no profile: %v\n%s", err, out)
	}
	_, errs, code := h.run(t, "serve", "--cpu-profile="+filepath.Join(path, "in", "a", "file"))
	if code != 1 || !strings.Contains(errs, "--cpu-profile") {
		t.Errorf("profile to an unwritable file: exit %d, want 1\n%s", code, errs)
	}
}

func TestOnlyJSONIsLogged(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h installation) {
		s := h.serve(t, "--log-level=debug")
		status, _, err := s.call(t.Context(), "", "POST", "/auth/login", `{"email":"a@b.org","password":"hunter22-hunter22"}`)
		if err != nil || status != 401 {
			t.Errorf("login: got %d, %v, want 401", status, err)
		}
		s.stop(t)
		for line := range strings.Lines(s.log()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("not JSON: %s", line)
			}
		}
		for _, secret := range []string{"hunter22", "homeroom_test:homeroom_test"} {
			if strings.Contains(s.log(), secret) {
				t.Errorf("%s is in the log:\n%s", secret, s.log())
			}
		}
		if !strings.Contains(s.log(), `"msg":"settings"`) {
			t.Errorf("the settings are not logged:\n%s", s.log())
		}
	})
}

// TestPages requests the pages outside the API.
func TestPages(t *testing.T) {
	t.Parallel()
	h := newInstallation(t, "sqlite", true)
	plain := h.serve(t)
	demo := newInstallation(t, "sqlite", true).serve(t, "--demo")
	for _, tt := range []struct {
		server       *server
		method, path string
		status       int
		want         string
	}{
		{plain, "GET", "/", 200, `"demo":false,"map":null,"accounts":[]`},
		{plain, "HEAD", "/", 200, ""},
		{plain, "POST", "/", 405, `"statusCode":405`},
		{plain, "GET", "/healthz", 200, `"ok"`},
		{plain, "GET", "/healthz/deeper", 404, `"statusCode":404`},
		{plain, "GET", "/readyz", 200, `"schema":"ok"`},
		{plain, "DELETE", "/readyz", 405, `"statusCode":405`},
		{plain, "GET", "/metrics", 404, `"statusCode":404`},
		{plain, "GET", "/api-docs", 200, "<html"},
		{plain, "GET", "/api-docs/openapi.json", 200, `"/auth/login"`},
		{plain, "GET", "/api-docs/asyncapi.json", 200, `"join-bus-room"`},
		{plain, "GET", "/reset", 200, "<html"},
		{plain, "GET", "/dev/outbox", 404, `"statusCode":404`},
		{plain, "GET", "/nowhere", 404, `"statusCode":404`},
		{demo, "GET", "/dev/outbox", 200, `"items"`},
		{demo, "GET", "/", 200, "super@homeroom.test"},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), tt.method, tt.server.url+tt.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			text, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != tt.status || !strings.Contains(strings.ReplaceAll(string(text), ": ", ":"), tt.want) {
				t.Errorf("%d %v, want %d with %q:\n%.500s", res.StatusCode, err, tt.status, tt.want, text)
			}
			if res.Header.Get("X-Request-Id") == "" || res.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("security headers are missing: %v", res.Header)
			}
		})
	}
}

// TestTLS checks HTTP/2 over TLS, and reloading the certificate on SIGHUP.
func TestTLS(t *testing.T) {
	t.Parallel()
	h := newInstallation(t, "sqlite", true)
	cert, key := filepath.Join(h.dir, "cert.pem"), filepath.Join(h.dir, "key.pem")
	writeCertificate(t, cert, key, 1)
	s := h.serve(t, "--tls-cert="+cert, "--tls-key="+key)
	if !strings.HasPrefix(s.url, "https://") {
		t.Fatalf("URL with TLS: got %s, want https://", s.url)
	}
	serial := func() string {
		client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, DisableKeepAlives: true,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		res, err := client.Get(s.url + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.ProtoMajor != 2 || res.Header.Get("Strict-Transport-Security") == "" {
			t.Errorf("got %s with headers %v, want HTTP/2 with Strict-Transport-Security", res.Proto, res.Header)
		}
		return res.TLS.PeerCertificates[0].SerialNumber.String()
	}
	if got := serial(); got != "1" {
		t.Errorf("certificate %s, want 1", got)
	}
	writeCertificate(t, cert, key, 2)
	s.signal(t, syscall.SIGHUP)
	await.Until(t, "the new certificate", func() bool { return strings.Contains(s.log(), "certificate reloaded") })
	if got := serial(); got != "2" {
		t.Errorf("certificate %s, want 2", got)
	}
	s.stop(t)
}

func writeCertificate(t *testing.T, cert, key string, serial int64) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: pkcs8}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
