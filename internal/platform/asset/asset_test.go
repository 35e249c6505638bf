package asset

import "testing"

func TestAcceptsGzip(t *testing.T) {
	t.Parallel()
	cases := map[string]bool{
		"": false, "identity": false, "br": false, "gzip;q=0": false, "gzip; q=0.000": false, "*;q=0": false, "gzip;q=x": false,
		"gzip": true, "GZIP": true, "x-gzip": true, "br, gzip": true, "gzip;q=0.1": true, "*": true, "*, gzip;q=0": false, "*;q=0, gzip": true,
	}
	for header, want := range cases {
		if got := acceptsGzip([]string{header}); got != want {
			t.Errorf("Accept-Encoding %q: %v", header, got)
		}
	}
}
