package csv_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/platform/csv"
)

var columns = []csv.Column{{Name: "code", Also: []string{"Code Number"}}, {Name: "firstName", Also: []string{"Given Name"}},
	{Name: "dateOfBirth", Also: []string{"DOB"}}}

// read returns the rows as "number: cells", and the problems.
func read(t *testing.T, text string) (rows []string, unknown []csv.Unknown) {
	t.Helper()
	r, err := csv.NewReader(strings.NewReader(text), columns)
	if err != nil {
		return []string{err.Error()}, nil
	}
	for {
		row, cells, err := r.Next()
		p, bad := errors.AsType[*csv.Problem](err)
		switch {
		case errors.Is(err, io.EOF):
			return rows, r.Unknown()
		case bad:
			rows = append(rows, err.Error())
			if p.Last {
				return rows, r.Unknown()
			}
		case err != nil:
			t.Fatal(err)
		default:
			rows = append(rows, string(rune('0'+row))+": "+strings.Join(cells, "|"))
		}
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70<<10)
	for _, tt := range []struct {
		name, text string
		want       []string
		unknown    []csv.Unknown
	}{
		{"plain", "code,firstName,dateOfBirth\n1,Ada,2015\n2,Bob,2016\n", []string{"2: 1|Ada|2015", "3: 2|Bob|2016"}, nil},
		{"no end of line at the end", "code\n1", []string{"2: 1||"}, nil},
		{"CRLF", "code,firstName\r\n1,Ada\r\n", []string{"2: 1|Ada|"}, nil},
		{"a byte order mark", "\ufeffcode,firstName\n1,Ada\n", []string{"2: 1|Ada|"}, nil},
		{"semicolons", "code;firstName\n1;Ada, Countess\n", []string{"2: 1|Ada, Countess|"}, nil},
		{"tabs", "code\tfirstName\n1\tAda\n", []string{"2: 1|Ada|"}, nil},
		{"an announced separator", "sep=;\ncode;firstName\n1;Ada\n", []string{"2: 1|Ada|"}, nil},
		{"one column with commas in it", "firstName\n\"Ada, Countess\"\n", []string{"2: |Ada, Countess|"}, nil},
		{"any order, plain words", "D.O.B.,GIVEN-NAME,\" Code  number \"\n2015,Ada,1\n", []string{"2: 1|Ada|2015"}, nil},
		{"snake case", "date_of_birth,first_name\n2015,Ada\n", []string{"2: |Ada|2015"}, nil},
		{"quotes", "code,firstName\n\"1\",\"A \"\"B\"\" C\"\n", []string{`2: 1|A "B" C|`}, nil},
		{"quotes within a cell", "code,firstName\n1,A \"B\" C\n", []string{`2: 1|A "B" C|`}, nil},
		{"text after a quote", "code,firstName\n1,\"A\"B\n", []string{"2: 1|AB|"}, nil},
		{"quoted line breaks", "code,firstName\n1,\"A\r\n\nB\"\n2,C\n", []string{"2: 1|A\n\nB|", "3: 2|C|"}, nil},
		{"empty rows are counted and left out", "code\n\n1\n,,\n  \n2\n", []string{"3: 1||", "6: 2||"}, nil},
		{"empty rows before the header", "\n\ncode\n1\n", []string{"4: 1||"}, nil},
		{"blanks", "code , firstName\n 1 ,\u00a0Ada\t\n", []string{"2: 1|Ada|"}, nil},
		{"unknown columns", "House,code,,Height\nRed,1,,180\n", []string{"2: 1||"}, []csv.Unknown{{Name: "House"}, {Name: "Height"}}},
		{"misspelt columns", "Cdoe,Frist name,DOB\n1,Ada,2015\n", []string{"2: ||2015"},
			[]csv.Unknown{{Name: "Cdoe", Near: "code"}, {Name: "Frist name", Near: "firstName"}}},
		{"fewer cells", "code,firstName,dateOfBirth\n1\n", []string{"2: 1||"}, nil},
		{"more cells", "code,firstName\n1,a,,\n2,b,c\n3,d\n", []string{"2: 1|a|",
			"row 3: has 3 cells, but the first row has only 2: put quotes around a cell that contains a separator", "4: 3|d|"}, nil},
		{"escapes", "code,firstName\n'=1,'+1555\n'-1,'@x\n''=1,'plain\n", []string{"2: =1|+1555|", "3: -1|@x|", "4: '=1|'plain|"}, nil},
		{"not UTF-8", "code\n\xff\n1\n", []string{"row 2: is not UTF-8: save the file as “CSV UTF-8”", "3: 1||"}, nil},
		{"a NUL", "code\n\x00\n1\n", []string{"row 2: contains an invalid character (U+0000): remove it", "3: 1||"}, nil},
		{"empty", "", []string{"row 1: the file is empty: its first row must name the columns"}, nil},
		{"UTF-16", "\xff\xfec\x00", []string{"row 1: the file is in UTF-16: save it as “CSV UTF-8”"}, nil},
		{"a column twice", "DOB,dateOfBirth\n1,2\n",
			[]string{"row 1, dateOfBirth: stands twice in the first row: remove one of the two columns"}, nil},
		{"no column", "a,b\n1,2\n", []string{"row 1: the first row names no column that we know: it must have names such as code"}, nil},
		{"an open quote", "code\n1\n\"2\n3\n",
			[]string{"2: 1||", "row 3: a quote is never closed: close it, or remove it"}, nil},
		{"a long line", "code\n1\n" + long + "\n",
			[]string{"2: 1||", "row 3: the row is longer than 64 KiB: look for a quote that is never closed"}, nil},
		{"an open quote before much", "code\n\"" + strings.Repeat("xxxxxxxxx\n", 8<<10),
			[]string{"row 2: the row is longer than 64 KiB: look for a quote that is never closed"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rows, unknown := read(t, tt.text)
			if !slices.Equal(rows, tt.want) || !slices.Equal(unknown, tt.unknown) {
				t.Errorf("rows %q, unknown columns %q, want %q %q", rows, unknown, tt.want, tt.unknown)
			}
		})
	}
}

// Written values round-trip, and none is a formula.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	letters := []rune("ab'=+@-,;\" é\n\t")
	for range 5000 {
		rows := make([][]string, 1+r.IntN(5))
		for i := range rows {
			rows[i] = make([]string, len(columns))
			for j := range rows[i] {
				for range r.IntN(6) {
					rows[i][j] += string(letters[r.IntN(len(letters))])
				}
			}
		}
		var out bytes.Buffer
		w, err := csv.NewWriter(&out, columns)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, r := range rows {
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(strings.Join(r, "")) != "" {
				want = append(want, strings.TrimSpace(r[0])+"|"+strings.TrimSpace(r[1])+"|"+strings.TrimSpace(r[2]))
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		in, err := csv.NewReader(&out, columns)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for {
			_, cells, err := in.Next()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.Join(cells, "|"))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("wrote %q, read %q", want, got)
		}
	}
}

func TestEscape(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{"": "", "a": "a", "=1": "'=1", "+1555": "'+1555", "-": "'-", "@x": "'@x",
		"\tx": "'\tx", "\rx": "'\rx", "-1": "-1", "-1234.50": "-1234.50", "'-1": "''-1", "-1+A1": "'-1+A1", "-A1": "'-A1", "-1\n": "'-1\n",
		"'": "'", "'a": "'a", "'=1": "''=1", "''+": "'''+", "1=1": "1=1"} {
		if got := csv.Escape(cell); got != want {
			t.Errorf("%q is written as %q, want %q", cell, got, want)
		}
		if got := csv.Unescape(want); got != cell {
			t.Errorf("%q is read as %q, want %q", want, got, cell)
		}
	}
}

// endless is a file larger than memory.
type endless struct{ left, at int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for line := "1,Ada,2015-12-10\n"; n < len(p); e.at = (e.at + 1) % len(line) {
		p[n] = line[e.at]
		n++
	}
	e.left -= n
	return n, nil
}

func TestReaderKeepsOneRow(t *testing.T) {
	r, err := csv.NewReader(io.MultiReader(strings.NewReader("code,firstName,dateOfBirth\n"), &endless{left: 40 << 20}), columns)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n := 0
	for {
		if _, _, err := r.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if n++; n%500_000 == 0 {
			runtime.GC()
			if runtime.ReadMemStats(&after); after.HeapAlloc > before.HeapAlloc+(1<<20) {
				t.Fatalf("after %d rows the heap grew by %d bytes", n, after.HeapAlloc-before.HeapAlloc)
			}
		}
	}
	if n < 2_000_000 {
		t.Errorf("read %d rows, want all", n)
	}
}

func BenchmarkReader(b *testing.B) {
	r, err := csv.NewReader(io.MultiReader(strings.NewReader("code,firstName,dateOfBirth\n"), &endless{left: 1 << 60}), columns)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(17)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
}
