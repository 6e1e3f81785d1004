package nethttp_test

import (
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

// TestFilesThatComeTooLate: a file cannot be sent on a hijacked connection, nor when the handler has returned, and the
// error is that of any other write.
func TestFilesThatComeTooLate(t *testing.T) {
	f, err := os.Open("filelate_test.go")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	writers := make(chan http.ResponseWriter, 1)
	addr := serveOurs(t, &nethttp.Server{ErrorLog: quiet(), Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/hijack" {
				c, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				defer c.Close()
				n, err := w.(io.ReaderFrom).ReadFrom(f)
				if n != 0 || err != http.ErrHijacked {
					t.Errorf("hijacked: %d, %v", n, err)
				}
			}
			writers <- w
		})})
	p := dial(t, addr)
	p.say("GET /hijack HTTP/1.1\r\nHost: a\r\n\r\n")
	p.answer("GET")
	<-writers
	p = dial(t, addr)
	p.say("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	p.answer("GET")
	w := <-writers
	if n, err := w.(io.ReaderFrom).ReadFrom(f); n != 0 || err == nil || err == http.ErrBodyNotAllowed {
		t.Errorf("after the handler has returned: %d, %v", n, err)
	}
}
