package money_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"homeroom/internal/platform/money"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		want money.Money
		err  string // substring
	}{
		{"0", 0, ""}, {"1", 100, ""}, {"1500", 150000, ""}, {"1500.5", 150050, ""}, {"1500.50", 150050, ""}, {"0.01", 1, ""}, {"0.10", 10, ""},
		{"0.29", 29, ""}, {"1.1", 110, ""}, {"4.35", 435, ""}, {"1024.07", 102407, ""}, // inexact as floats
		{"9999999999.99", money.Max, ""},
		{"10000000000", 0, "at most 9999999999.99"}, {"10000000000.00", 0, "at most"}, {"99999999999999999999999999", 0, "at most"},
		{"1.234", 0, "two decimals"}, {"1.500", 0, "two decimals"}, {"0.001", 0, "two decimals"},
		{"1e3", 0, "two decimals"}, {"1E3", 0, "two decimals"}, {"1.5e1", 0, "two decimals"}, {"1e-2", 0, "two decimals"},
		{"-1", 0, "negative"}, {"-0.01", 0, "negative"}, {"-0", 0, "negative"}, {"-1e3", 0, "two decimals"}, {"--1", 0, "negative"},
		{"", 0, "two decimals"}, {".5", 0, "two decimals"}, {"5.", 0, "two decimals"}, {"+5", 0, "two decimals"}, {"1,500", 0, "two decimals"},
		{" 5", 0, "two decimals"}, {"٥", 0, "two decimals"}, {"NaN", 0, "two decimals"}, {"0x10", 0, "two decimals"},
	} {
		got, err := money.Parse(tt.in)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("parse %q: %d, %v; want %d, %q", tt.in, got, err, tt.want, tt.err)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in               money.Money
		plain, formatted string
	}{
		{0, "0", "USD 0.00"}, {1, "0.01", "USD 0.01"}, {-1, "-0.01", "USD -0.01"}, {10, "0.10", "USD 0.10"}, {100, "1", "USD 1.00"},
		{150050, "1500.50", "USD 1,500.50"}, {-150050, "-1500.50", "USD -1,500.50"},
		{99999, "999.99", "USD 999.99"}, {100000000, "1000000", "USD 1,000,000.00"},
		{math.MinInt64, "-92233720368547758.08", "USD -92,233,720,368,547,758.08"},
	} {
		raw, err := json.Marshal(tt.in)
		if string(raw) != tt.plain || err != nil || tt.in.In("USD") != tt.formatted {
			t.Errorf("format %d: %s %q %v, want %s %q", tt.in, raw, tt.in.In("USD"), err, tt.plain, tt.formatted)
		}
		var back money.Money
		if err := json.Unmarshal(raw, &back); tt.in != math.MinInt64 && (err != nil || back != tt.in) {
			t.Errorf("unmarshal %s: %d, %v", raw, back, err)
		}
		if got, err := money.Parse(tt.plain); tt.in >= 0 && (err != nil || got != tt.in) {
			t.Errorf("parse %s: %d, %v", tt.plain, got, err)
		}
	}
}

func TestPositive(t *testing.T) {
	t.Parallel()
	var p money.Positive
	for _, bad := range []string{"0", "0.00", "-1", "1.005", "10000000000"} {
		if err := p.ParseNumber(bad); err == nil || p != 0 {
			t.Errorf("Positive accepted %s as %d", bad, p)
		}
	}
	if err := p.ParseNumber("0.01"); err != nil || p != 1 {
		t.Errorf("Positive: %v, %v", p, err)
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		share    string
		of, want money.Money
	}{
		{"100", 99999, 99999}, {"50", 101, 51}, {"50", 99, 50}, {"12.5", 1000, 125}, {"33.33", 10000, 3333}, {"0.01", 4999, 0}, {"0.01", 5000, 1},
		{"100", money.Max, money.Max}, {"99.99", money.Max, 999899999999},
	} {
		var p money.Percent
		if err := p.ParseNumber(tt.share); err != nil || p.Of(tt.of) != tt.want {
			t.Errorf("%s %% of %d: %d, want %d: %v", tt.share, tt.of, p.Of(tt.of), tt.want, err)
		}
	}
	for _, bad := range []string{"0", "100.01", "-5", "12.345", "1e1"} {
		var p money.Percent
		if err := p.ParseNumber(bad); err == nil {
			t.Errorf("Percent accepted %s as %d", bad, p)
		}
	}
}
