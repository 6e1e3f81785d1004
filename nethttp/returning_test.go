package nethttp_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

// Goroutines that use a response while its handler returns cause no data race with the server, and do not reach the next
// response.
func TestCallsWhileTheHandlerReturns(t *testing.T) {
	for name, call := range map[string]func(w http.ResponseWriter, r *http.Request){
		"WriteHeader": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(200) },
		"Close":       func(w http.ResponseWriter, r *http.Request) { r.Body.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan bool, 1)
			addr := serveOurs(t, &nethttp.Server{ErrorLog: quiet(), Handler: http.HandlerFunc(
				func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/next" {
						io.WriteString(w, "next")
						return
					}
					begun := make(chan bool)
					go func() {
						call(w, r)
						close(begun)
						for range 100 {
							call(w, r)
						}
						ended <- true
					}()
					<-begun
				})})
			for range 20 {
				p := dial(t, addr)
				p.say("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab" + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
				if got := p.answer("POST"); !strings.HasPrefix(got, "HTTP/1.1 200 OK\n") {
					t.Errorf("%s", got)
				}
				if got := p.answer("GET"); !strings.HasSuffix(got, "\n\nnext\n") {
					t.Errorf("the next response:\n%s", got)
				}
				<-ended
			}
		})
	}
}

// Stats can be called before, during and after the call of Serve.
func TestStatsWhileItBegins(t *testing.T) {
	s := &nethttp.Server{Handler: says(""), ErrorLog: quiet()}
	looked, stop := make(chan bool), make(chan bool)
	go func() {
		defer close(looked)
		for {
			s.Stats()
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	p := dial(t, serveOurs(t, s))
	p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	p.answer("GET")
	close(stop)
	<-looked
	if n := s.Stats().Requests; n != 1 {
		t.Errorf("%d requests", n)
	}
}
