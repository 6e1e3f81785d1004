package server

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server/internal/params"
)

// FuzzValues reads parameters as net/url does.
func FuzzValues(f *testing.F) {
	for _, s := range []string{"a=b&c=d+e%20", "a;b=c&%zz=1&=&a", "%41=%42&A=C"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		want, err := url.ParseQuery(raw)
		if len(want) == 0 && err != nil {
			return // net/url's limit was exceeded, or no parameter is valid
		}
		got := url.Values{}
		for name, value := range (Values{new(exchange), []byte(raw)}).All() {
			got.Add(string(name), string(value))
		}
		if got.Encode() != want.Encode() {
			t.Errorf("%q is %q, want %q", raw, got, want)
		}
	})
}

// FuzzCookies reads cookies as net/http does.
func FuzzCookies(f *testing.F) {
	for _, s := range []string{"a=b; c=\"d\"", "a; =b;c=d e,f", "a[]=b; c=\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\r\n") {
			return // in no field value
		}
		if strings.Count(line, ";") >= 3000 {
			return // net/http's limit was exceeded: it then returns no cookie
		}
		var got, want []string
		for _, c := range (&http.Request{Header: http.Header{"Cookie": {line}}}).Cookies() {
			want = append(want, c.Name+"="+c.Value)
		}
		params.Cookies([]byte(line), func(name, value []byte) bool {
			got = append(got, string(name)+"="+string(value))
			return true
		})
		if !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", line, got, want)
		}
	})
}
