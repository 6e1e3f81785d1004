package nethttp_test

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

// Sending a file on a hijacked connection, or after the handler has returned, fails with the same error as any other
// write.
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

// A goroutine that sends a file and outlives its handler gets an error, and its bytes do not reach another response.
func TestFilesWhileTheHandlerReturns(t *testing.T) {
	text, err := os.ReadFile("filelate_test.go")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	addr := serveOurs(t, &nethttp.Server{ErrorLog: quiet(), Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/next" {
				io.WriteString(w, "next")
				return
			}
			begun := make(chan bool)
			go func() {
				var err error
				for i := 0; err == nil; i++ {
					var f *os.File
					if f, err = os.Open("filelate_test.go"); err == nil {
						_, err = w.(io.ReaderFrom).ReadFrom(f)
						f.Close()
					}
					if i == 0 {
						close(begun)
					}
				}
				ended <- err
			}()
			<-begun
		})})
	for range 20 {
		p := dial(t, addr)
		p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n")
		if got := p.answer("GET"); !strings.Contains(got, string(text)) {
			t.Errorf("%.200s", got)
		}
		if got := p.answer("GET"); !strings.HasSuffix(got, "\n\nnext\n") {
			t.Errorf("the next response:\n%.200s", got)
		}
		if err := <-ended; err == nil {
			t.Error("no error")
		}
	}
}

// CloseNotify returns the same channel to every goroutine that calls it.
func TestCloseNotifyTwice(t *testing.T) {
	addr := serveOurs(t, &nethttp.Server{ErrorLog: quiet(), Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			got := make(chan (<-chan bool), 2)
			for range 2 {
				//lint:ignore SA1019 old handlers ask for it
				go func() { got <- w.(http.CloseNotifier).CloseNotify() }()
			}
			if one, other := <-got, <-got; one != other {
				t.Error("two channels")
			}
		})})
	for range 50 {
		p := dial(t, addr)
		p.say("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
		p.answer("GET")
	}
}
