package web_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/web"
)

// watchedServer is a server behind Watch and Framed, as in production.
func watchedServer(t *testing.T) *httptest.Server {
	t.Helper()
	s, ok := serve(t, nil).Config.Handler.(*web.Server)
	if !ok {
		t.Fatal("unexpected type of handler")
	}
	srv := httptest.NewUnstartedServer(s.Framed(s))
	srv.Listener = web.Watch(srv.Listener)
	srv.Config.ConnContext = web.ConnContext
	srv.Start()
	t.Cleanup(srv.Close)
	return srv
}

// talk sends raw requests on one connection, in pieces of the given size, and reads
// the responses until the server closes it.
func talk(t *testing.T, srv *httptest.Server, raw string, piece, answers int) (statuses []int, bodies string, closed bool) {
	t.Helper()
	c, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(await.Limit)); err != nil {
		t.Fatal(err)
	}
	go func() {
		for len(raw) > 0 {
			n := min(piece, len(raw))
			if _, err := io.WriteString(c, raw[:n]); err != nil {
				return // closed by the server
			}
			raw = raw[n:]
		}
	}()
	r := bufio.NewReader(c)
	for range answers {
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			return statuses, bodies, true
		}
		body, _ := io.ReadAll(res.Body)
		statuses, bodies = append(statuses, res.StatusCode), bodies+string(body)
		if res.Close {
			_, err := r.ReadByte()
			return statuses, bodies, err != nil
		}
	}
	return statuses, bodies, false
}

func TestFraming(t *testing.T) {
	t.Parallel()
	srv := watchedServer(t)
	const (
		head    = "POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
		body    = `{"email":"a@b.test"}` // 20 bytes
		plain   = head + "Content-Length: 20\r\n\r\n" + body
		chunks  = "14\r\n" + body + "\r\n0\r\n\r\n"
		chunked = head + "Transfer-Encoding: chunked\r\n\r\n" + chunks
		hidden  = "GET /thing/open HTTP/1.1\r\nHost: x\r\n\r\n"
	)
	for _, tt := range []struct {
		name, raw string
		want      []int
		closed    bool
	}{
		{"one after the other", plain + plain + hidden, []int{200, 200, 200}, false},
		{"chunked", chunked, []int{200}, true},
		{"nothing is read after a chunked one", chunked + hidden, []int{200}, true},
		{"both", head + "Content-Length: 20\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, []int{400}, true},
		{"both, the other way around", head + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + hidden, []int{400}, true},
		{"both, in another case", head + "cONTENT-lENGTH: 20\r\ntransfer-encoding: CHUNKED\r\n\r\n" + chunks, []int{400}, true},
		{"both, with bare line feeds", strings.ReplaceAll(head, "\r", "") +
			"Content-Length: 20\nTransfer-Encoding: chunked\n\n" + chunks, []int{400}, true},
		{"both, the length folded", head + "Content-Length:\r\n 20\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, []int{400}, true},
		{"both, the coding folded", head + "Content-Length: 20\r\nTransfer-Encoding:\r\n chunked\r\n\r\n" + chunks, []int{400}, true},
		{"both, the length far to the right", head + "Content-Length:" + strings.Repeat(" ", 99) +
			"20\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, []int{400}, true},
		{"a length with many noughts", head + "Content-Length: " + strings.Repeat("0", 99) + "20\r\n\r\n" + body, []int{400}, true},
		{"both, behind much else", head + strings.Repeat("X-More: "+strings.Repeat("y", 500)+"\r\n", 20) +
			"Content-Length: 20\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, []int{400}, true},
		{"both, of no length", head + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, []int{400}, true},
		{"both, in HTTP/1.0", strings.Replace(head, "1.1", "1.0", 1) +
			"Connection: keep-alive\r\nContent-Length: 20\r\nTransfer-Encoding: chunked\r\n\r\n" + body, []int{400}, true},
		{"a coding in HTTP/1.0", "GET /thing/open HTTP/1.0\r\nConnection: keep-alive\r\n" +
			"Transfer-Encoding: chunked\r\n\r\n" + hidden, []int{200}, true},
		{"both in a body, which is no JSON", head + "Content-Length: 43\r\n\r\n" +
			"\nContent-Length: 1\nTransfer-Encoding: x\n\n{}" + hidden, []int{400, 200}, false},
		{"two lengths that differ", head + "Content-Length: 20\r\nContent-Length: 21\r\n\r\n" + body, []int{400}, true},
		{"the same length twice", head + "Content-Length: 20\r\nContent-Length: 20\r\n\r\n" + body + hidden, []int{200, 200}, false},
		{"a preface of HTTP/2", "PRI * HTTP/2.0\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n" + hidden, []int{400}, true},
	} {
		for _, piece := range []int{1 << 20, 7, 1} {
			if piece == 1 && len(tt.raw) > 2_000 {
				continue
			}
			statuses, bodies, closed := talk(t, srv, tt.raw, piece, max(len(tt.want), 1))
			if !slices.Equal(statuses, tt.want) || closed != tt.closed {
				t.Errorf("%s, by %d: %v, closed %v, want %v: %s", tt.name, piece, statuses, closed, tt.want, bodies)
			}
		}
	}
	statuses, bodies, closed := talk(t, srv, plain+head+"Content-Length: 20\r\nTransfer-Encoding: chunked\r\n\r\n"+chunks+hidden, 1<<20, 3)
	// The first may be rejected too.
	if len(statuses) > 2 || statuses[len(statuses)-1] != 400 || !closed || !strings.Contains(bodies, "Transfer-Encoding") {
		t.Errorf("both, in the second request: %v, closed %v, want 400 and closed: %s", statuses, closed, bodies)
	}
}
