package bench

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/echo"
)

// Runs over HTTP/3 succeed and are reported as such.
func TestBenchOverHTTP3(t *testing.T) {
	for name, tc := range map[string]struct {
		native bool
		args   string
		path   string
		says   string
	}{
		"one stream":       {true, "", "/plaintext", "4 connections of HTTP/3, 1 stream at once on each"},
		"streams":          {true, "-m 50", "/plaintext", "50 streams at once on each"},
		"net/http's types": {false, "-m 20", "/any", "20 streams at once on each"},
		"more than taken":  {true, "-m 150", "/any", "150 streams at once on each"},
		"a body":           {true, "-m 5 -data hello -same", "/any", "5 B sent with each"},
		"large bodies":     {false, "-m 3 -n 40 -same -data " + strings.Repeat("x", 100_000), "/any", "97.7 KiB sent with each"},
		"large answers":    {false, "-m 5 -n 40 -same", "/big?n=500000", "5 streams"},
		"HEAD":             {false, "-m 5 -X HEAD", "/any", "5 streams"},
		"with a rate":      {true, "-m 5 -rate 1k", "/any", "asked for 1,000/s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := clitest.Serve(t, echo.Options{Native: tc.native, Options: clitest.Alone})
			got, text := benched(t, 0, append(strings.Fields("-h3 -k "+tc.args), r.URL+tc.path)...)
			wantGood(t, &got)
			if got.HTTP3 == nil || got.HTTP2 != nil {
				t.Errorf("of HTTP/3 %+v, of HTTP/2 %+v", got.HTTP3, got.HTTP2)
			}
			clitest.WantText(t, "the report", text, tc.says)
		})
	}
}
