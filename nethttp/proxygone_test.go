package nethttp_test

import (
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
)

// A reverse proxy that runs late does not forward the POSTs of clients that have left meanwhile, whether or not their
// bodies have arrived, but forwards another client's.
func TestAProxySendsNothingOnForClientsThatHaveLeft(t *testing.T) {
	arrivals := make(chan string, 100)
	behind := serveOurs(t, &nethttp.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrivals <- r.URL.Path
		io.Copy(io.Discard, r.Body)
	})})
	for _, k := range carriers {
		if k.byRead {
			continue // an unread body hides the end
		}
		throughBoth(func(t *testing.T, behind string, rt http.RoundTripper) {
			t.Run(k.name, func(t *testing.T) {
				proxy := &httputil.ReverseProxy{Transport: rt, ErrorLog: quiet(), Rewrite: func(r *httputil.ProxyRequest) {
					r.SetURL(&url.URL{Scheme: "http", Host: behind})
				}}
				entered, gone, done := make(chan bool), make(chan struct{}), make(chan bool, 100)
				s := k.serve(t, true, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/leaves" {
						entered <- true
						<-gone
					}
					proxy.ServeHTTP(w, r)
					done <- true
				}))
				clients := 0
				for how, leave := range leavings {
					for _, size := range []int{0, 4, 10_000} {
						if !k.leaves(how) {
							continue
						}
						a := s.ask(t, []string{"/leaves"}, size, strings.Repeat("b", size))
						wiretest.Within(t, "a handler", entered)
						leave(a)
						clients++
					}
				}
				time.Sleep(arrivalTime)
				close(gone)
				for range clients {
					wiretest.Within(t, "the proxy", done)
				}
				s.ask(t, []string{"/stays"}, 4, "body")
				if path := wiretest.Within(t, "a request", arrivals); path != "/stays" {
					t.Errorf("the request of a client that has left arrived, and perhaps %d more", len(arrivals))
				}
				wiretest.Within(t, "the proxy", done)
			})
		})(t, behind)
	}
}
