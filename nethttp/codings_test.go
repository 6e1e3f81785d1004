package nethttp_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httputil"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

// Transfer-Encoding of a response lists the codings that the handler has applied, in their order, and then chunked, once.
func TestAppliedCodings(t *testing.T) {
	for _, set := range [][]string{{"gzip"}, {"gzip, chunked"}, {"gzip", "chunked"}, {"gzip", "identity"}, {"gzip", ""}} {
		p := dial(t, serveOurs(t, &nethttp.Server{ErrorLog: quiet(), Handler: http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Transfer-Encoding"] = set
				z := gzip.NewWriter(w)
				io.WriteString(z, "hello")
				z.Close()
			})}))
		p.say("GET / HTTP/1.1\r\nHost: a\r\nTE: gzip\r\nConnection: close, TE\r\n\r\n")
		answer, err := io.ReadAll(p.in)
		if err != nil {
			t.Fatal(err)
		}
		head, body, _ := strings.Cut(string(answer), "\r\n\r\n")
		if !strings.Contains(head, "\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n") ||
			strings.Count(head, "Transfer-Encoding") != 2 || strings.Contains(head, "Content-Type") {
			t.Errorf("%q: the response is\n%s", set, head)
		}
		z, err := gzip.NewReader(httputil.NewChunkedReader(strings.NewReader(body)))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(z); string(text) != "hello" || err != nil {
			t.Errorf("%q: %q, %v", set, text, err)
		}
	}
}
