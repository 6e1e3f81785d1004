package bodyplan

import (
	"testing"

	"github.com/shockwave-go/shockwave"
)

// TestReadFields: what a handler's fields ask of the server is found, whatever the case of their names and values.
func TestReadFields(t *testing.T) {
	for name, c := range map[string]struct {
		fields []string
		set    int64
		want   Options
	}{
		"nothing":               {nil, -1, Options{Length: -1}},
		"ordinary":              {[]string{"X-A", "1", "Content-Type", "text/plain", "Content-Encoding", "gzip"}, -1, Options{Length: -1}},
		"Server":                {[]string{"server", "x"}, -1, Options{-1, HasServer}},
		"Date":                  {[]string{"DATE", ""}, -1, Options{-1, HasDate | IsSpecial}},
		"length":                {[]string{"Content-Length", "12"}, -1, Options{12, IsSpecial}},
		"length twice":          {[]string{"Content-Length", "12", "content-length", "12"}, -1, Options{12, IsSpecial}},
		"two lengths":           {[]string{"Content-Length", "12", "Content-Length", "13"}, -1, Options{-1, BadLength | IsSpecial}},
		"bad length":            {[]string{"Content-Length", "-1"}, -1, Options{-1, BadLength | IsSpecial}},
		"set length":            {[]string{"Content-Length", "12"}, 0, Options{0, IsSpecial}},
		"set length, bad field": {[]string{"Content-Length", "x"}, 3, Options{3, IsSpecial}},
		"chunked":               {[]string{"Transfer-Encoding", "Chunked"}, -1, Options{-1, WantsChunks | IsSpecial}},
		"identity":              {[]string{"Transfer-Encoding", "identity"}, -1, Options{-1, WantsCloseDelimited | IsSpecial}},
		"codings":               {[]string{"Transfer-Encoding", "gzip, chunked"}, -1, Options{-1, HasCodings | IsSpecial}},
		"Trailer":               {[]string{"Trailer", "X"}, -1, Options{-1, WantsChunks | IsSpecial}},
		"close":                 {[]string{"Connection", "x, Close"}, -1, Options{-1, WantsClose | IsSpecial}},
		"keep-alive":            {[]string{"Connection", "keep-alive"}, -1, Options{-1, IsSpecial}},
	} {
		h := new(shockwave.Header)
		for i := 0; i < len(c.fields); i += 2 {
			h.Add(c.fields[i], c.fields[i+1])
		}
		if got := ReadFields(h, c.set); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestHas: a set has some flags if it has one of them.
func TestHas(t *testing.T) {
	w := WantsClose | HasDate
	if !w.Has(WantsClose) || !w.Has(HasDate|HasServer) || w.Has(HasServer|BadLength) || Flags(0).Has(WantsClose) {
		t.Error("flags are lost or made up")
	}
}
