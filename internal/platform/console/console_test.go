package console

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func noEnv(string) string { return "" }

func TestPlainWhereNobodyWatches(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := New(&out, noEnv)
	if c.Terminal() {
		t.Fatal("a buffer was taken for a terminal")
	}
	c.Printf("%s %s %s %s\n", c.Bold("a"), c.Dim("b"), c.Red("c"), c.Green("d"))
	bar := c.Progress("copying", 100)
	bar.Set(50)
	bar.Done()
	if got := out.String(); got != "a b c d\n" {
		t.Errorf("wrote %q, want plain text and no bar", got)
	}
}

func TestTableLinesUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		colour bool
		want   string
	}{
		"plain":  {false, "  Who      What\n  Ada      parent\n  Zoë Ng!  driver\n"},
		"colour": {true, "  \x1b[2mWho\x1b[0m      \x1b[2mWhat\x1b[0m\n  Ada      parent\n  Zoë Ng!  driver\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			con := &Console{w: &out, colour: c.colour}
			con.Table([]string{"Who", "What"}, [][]string{{"Ada", "parent"}, {"Zoë Ng!", "driver"}})
			if out.String() != c.want {
				t.Errorf("table:\ngot\n%q\nwant\n%q", out.String(), c.want)
			}
		})
	}
}

func TestBarOnATerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	bar := (&Console{w: &out, terminal: true, columns: 60}).Progress("copying", 2048)
	bar.Set(1024)
	bar.Set(1025) // too soon to redraw
	bar.drawn = time.Time{}
	bar.Set(9000)
	bar.Done()
	got := out.String()
	for _, want := range []string{"copying [", " 50%  1.0 KiB", "100%", "\r\x1b[K"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	if n := strings.Count(got, "copying"); n != 2 {
		t.Errorf("bar drawn %d times, want 2: %q", n, got)
	}
	for _, line := range strings.Split(got, "\r\x1b[K") {
		if len(line) >= 60 {
			t.Errorf("%q does not fit a line of 60", line)
		}
	}
}

func TestBytes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1 << 20: "1.0 MiB", 3 << 29: "1.5 GiB",
		1 << 62: "4.0 EiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}
