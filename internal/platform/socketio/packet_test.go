package socketio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`0`:                       `0 / -1 0 `,
		`0{"a":1}`:                `0 / -1 0 {"a":1}`,
		`0/admin,{"a":1}`:         `0 /admin -1 0 {"a":1}`,
		`0/admin`:                 `0 /admin -1 0 `,
		`1/admin,`:                `1 /admin -1 0 `,
		`2["x"]`:                  `2 / -1 0 ["x"]`,
		`212["x"]`:                `2 / 12 0 ["x"]`,
		`2/n,12["x"]`:             `2 /n 12 0 ["x"]`,
		`312[]`:                   `3 / 12 0 []`,
		`51-["x"]`:                `2 / -1 1 ["x"]`,
		`52-/n,7["x"]`:            `2 /n 7 2 ["x"]`,
		`61-7[]`:                  `3 / 7 1 []`,
		`50-["x"]`:                `2 / -1 0 ["x"]`,
		``:                        "",
		`7[]`:                     "",
		`4{}`:                     "",
		`0[]`:                     "",
		`05`:                      "",
		`11`:                      "",
		`2`:                       "",
		`2{}`:                     "",
		`2x["x"]`:                 "",
		`3[]`:                     "",
		`5["x"]`:                  "",
		`5-["x"]`:                 "",
		`517-["x"]`:               "",
		`29999999999["x"]`:        "",
		`299999999999999999999[]`: "",
	} {
		p, err := decode([]byte(sent))
		got := fmt.Sprintf("%c %s %d %d %s", p.kind, p.namespace, p.id, p.expects, p.data)
		if (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%s: %q, %v; want %q", sent, got, err, want)
		}
	}
}

// FuzzDecode checks that decoded packets encode to the same bytes.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`0{"token":"x"}`, `1/admin,`, `212["event",{"a":1}]`, `52-/n,7["x",{"_placeholder":true,"num":0}]`, `61-7[]`,
		`2["connect"]`, `2 [ "a\\",[" , [1,[2,"]"]] , {"b":[",",{}]} ] `, `2[[],{},""]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := decode(b)
		if err != nil {
			return
		}
		again := append(appendHead(nil, p.kind, p.expects, p.namespace, p.id), p.data...)
		q, err := decode(again)
		if err != nil || q.kind != p.kind || q.namespace != p.namespace || q.id != p.id || q.expects != p.expects ||
			!bytes.Equal(q.data, p.data) {
			t.Errorf("%q became %q: %+v, %v", b, again, q, err)
		}
		var want []json.RawMessage
		bad := json.Unmarshal(p.data, &want)
		got, err := p.args()
		if len(p.data) > 0 && p.data[0] == '[' && ((err == nil) != (bad == nil) || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want)) {
			t.Errorf("arguments of %s: %q, %v; want %q, %v", p.data, got, err, want, bad)
		}
		if e, err := p.event(); p.kind == typeEvent && err == nil && e.Name == "connect" {
			t.Error("a reserved event name was accepted")
		}
	})
}

func TestLimiter(t *testing.T) {
	t.Parallel()
	var l limiter
	now := time.Unix(0, 0)
	count := func(tries int) (n int) {
		for range tries {
			if l.allow(now, 10) {
				n++
			}
		}
		return n
	}
	if n := count(100); n != 10 || l.floods(10) {
		t.Errorf("allowed at once: got %d", n)
	}
	now = now.Add(250 * time.Millisecond)
	if n := count(5); n != 2 {
		t.Errorf("allowed after a quarter of a second: got %d", n)
	}
	if count(100); !l.floods(10) {
		t.Error("103 refused in a row are not a flood")
	}
	now = now.Add(time.Hour)
	if n := count(50); n != 10 || l.floods(10) {
		t.Errorf("allowed after an hour: got %d", n)
	}
	if !l.allow(now, 0) {
		t.Error("a limit of 0 refused an event")
	}
}
