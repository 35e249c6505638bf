package password

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	own := []string{"Ada Núñez-Lovelace", "Green Field School", "ada.l@st-marys.example", "+1 555 010 0001"}
	for pw, want := range map[string]error{
		// The list, plain and modified.
		"qwertyuiop": ErrCommon, "1q2w3e4r5t": ErrCommon, "password123": ErrCommon, "Password123!": ErrCommon, "P@$$w0rd2024": ErrCommon,
		"p4ssw0rd!!!": ErrCommon, "123password": ErrCommon, "$ummer2024!": ErrCommon, "Welcome2025": ErrCommon, "!!iloveyou!!": ErrCommon,
		"password1234567890": ErrCommon, "hell0123456": ErrCommon, "Pàsswörd-2024": ErrCommon, "LETMEIN-1999": ErrCommon, "йцукен2024": ErrCommon,
		"teacher#2026": ErrCommon, "passwordpassword": ErrCommon, "monkeymonkey1": ErrCommon,
		// Sequences and repetitions.
		"aaaaaaaaaa": ErrCommon, "abababababab": ErrCommon, "abcdefghijkl": ErrCommon, "9876543210": ErrCommon,
		"7890123456": ErrCommon, "..........": ErrCommon,
		"abcabcabcabc9": ErrCommon, strings.Repeat("a", 1<<20): ErrCommon,
		// Names.
		"lovelace1815": ErrOwn, "Greenfield2024!": ErrOwn, "green-field-99": ErrOwn, "nunez.lovelace": ErrOwn,
		"l0vel4ce-ada-1": ErrOwn, "stmarys2024!": ErrOwn,
		"greenfieldpassword": ErrOwn, "15550100001": ErrOwn, "AdaNunezLovelace": ErrOwn,
		// Accepted.
		"correct-horse-battery": nil, "monkey-dragon-lamp": nil, "tr0mbone&kettle": nil, "x7Kp2qLm9w": nil,
		"greenfield-otter-lamp": nil, "lovelace-9f3k2x8q": nil,
		"sunshine-8374629105": nil, "hunter22-hunter23-x": nil, "8374629105": nil, "die Katze trinkt Tee": nil,
		"password is not the word": nil, strings.Repeat("otter lamp kettle ", 10) + "x": nil, strings.Repeat("a", 1<<20) + "b": nil,
	} {
		if got := Check(pw, own...); !errors.Is(got, want) {
			t.Errorf("%q: %v, want %v", pw, got, want)
		}
	}
	for _, none := range [][]string{nil, {""}, {"Al", "Bo Li"}, {"@", ".", "a@b.c"}} {
		if err := Check("plum-cabinet-rain", none...); err != nil {
			t.Errorf("own name %q: %v", none, err)
		}
	}
	if err := Check(""); !errors.Is(err, ErrCommon) {
		t.Errorf("empty password: %v", err)
	}
}

// TestEveryEntry refuses each listed password, plain and with a suffix.
func TestEveryEntry(t *testing.T) {
	t.Parallel()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(raw))
	if len(all) != 10_000 || len(packed) > 60<<10 {
		t.Errorf("%d passwords in %d bytes", len(all), len(packed))
	}
	for _, p := range all {
		if Check(p) == nil || Check(strings.ToUpper(p)) == nil {
			t.Errorf("%q was accepted", p)
		}
		if n := len([]rune(p)); n >= shortest && n < long && Check(p+"2024!") == nil {
			t.Errorf("%q with a year was accepted", p)
		}
	}
}

// FuzzCheck tries any password and names.
func FuzzCheck(f *testing.F) {
	f.Add("Password123!", "Ada Lovelace")
	f.Add("\xff\x00", "@.")
	f.Fuzz(func(t *testing.T, password, own string) {
		if err := Check(password, own); err != nil && !errors.Is(err, ErrCommon) && !errors.Is(err, ErrOwn) {
			t.Errorf("Check: unexpected error %v", err)
		}
	})
}
