package standard

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// origin is what stands behind the proxies of these tests.
func origin() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/show", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		w.Header().Add("X-Two", "1")
		w.Header().Add("X-Two", "2")
		fmt.Fprintf(w, "%s %s %q %v\n", r.Method, r.URL, body, err)
		fmt.Fprintln(w, r.ContentLength, r.TransferEncoding, r.Trailer, r.Header["X-Forwarded-For"], r.Header["X-Client"])
		fmt.Fprintln(w, r.Header["Connection"], r.Header["X-Hop"], r.Header["Te"])
	})
	mux.HandleFunc("/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		var code int
		fmt.Sscan(r.PathValue("code"), &code)
		w.WriteHeader(code)
	})
	mux.HandleFunc("/trailers", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		io.Copy(w, r.Body)
		w.Header().Set("X-Sum", "announced")
		w.Header().Set(http.TrailerPrefix+"X-Late", "not announced")
	})
	mux.HandleFunc("/early", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		fmt.Fprintln(w, "final")
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, r *http.Request) {
		for range 1000 {
			io.WriteString(w, strings.Repeat("x", 3000))
		}
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, strings.Repeat("half", 5000))
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	return mux
}

// proxyTo returns a proxy whose way to back is closed with the test.
func proxyTo(t *testing.T, back *both.Site) http.Handler {
	t.Helper()
	target, err := url.Parse(back.URL)
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return &httputil.ReverseProxy{
		Transport:     tr,
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.SetXForwarded()
		},
	}
}

// behindProxy has test ask a proxy on each server in front of an origin on each server, and returns what it saw.
func behindProxy(t *testing.T, origin http.Handler, test func(t *testing.T, front *both.Site) []both.Exchange) {
	t.Helper()
	both.Run(t, origin, func(t *testing.T, back *both.Site) {
		both.Compare(t, both.With(proxyTo(t, back)), test)
	})
}

// Requests and responses pass a ReverseProxy unchanged on both servers.
func TestReverseProxy(t *testing.T) {
	t.Parallel()
	requests := []both.Request{
		both.Get(200, "/show?q=1;2&r=%20", "X-Client", "me"),
		both.Post(200, "/show", "some body", "Te", "trailers"),
		both.Head(200, "/show"),
		both.Send(200, "DELETE", "/show"),
		both.Get(204, "/status/204"),
		both.Get(304, "/status/304"),
		both.Get(418, "/status/418"),
		both.Post(200, "/trailers", "text"),
		both.Get(200, "/early"),
		both.Get(200, "/large"),
		both.Post(200, "/show", strings.Repeat("y", 100_000)),
		both.Get(404, "/none"),
	}
	if !both.OverHTTP2() { // which has no such field
		requests = append(requests, both.Get(200, "/show", "Connection", "X-Hop", "X-Hop", "secret"))
	}
	behindProxy(t, origin(), func(t *testing.T, front *both.Site) (seen []both.Exchange) {
		for _, r := range requests {
			seen = append(seen, front.Do(t, r))
		}
		return seen
	})
}

// The client of a proxy sees the same, whatever server the origin runs on.
func TestReverseProxyOrigins(t *testing.T) {
	t.Parallel()
	both.Compare(t, both.With(origin()), func(t *testing.T, back *both.Site) (seen []both.Exchange) {
		both.Run(t, proxyTo(t, back), func(t *testing.T, front *both.Site) {
			for _, r := range []both.Request{both.Get(200, "/show"), both.Post(200, "/trailers", "text"), both.Get(200, "/large")} {
				seen = append(seen, front.Do(t, r))
			}
		})
		return seen
	})
}

// A copy that breaks off is seen by the client as broken, which ReverseProxy ensures only if it finds a server in the context.
func TestReverseProxyAbortsCopy(t *testing.T) {
	both.NotOverHTTP3(t, "what came before the reset of a stream of QUIC may be dropped (RFC 9000 §3.2)")
	t.Parallel()
	behindProxy(t, origin(), func(t *testing.T, front *both.Site) []both.Exchange {
		x := front.Do(t, both.Get(200, "/cut"))
		if x.Failure == "" || !strings.HasPrefix(x.Body, "halfhalf") {
			t.Errorf("the client did not notice the cut: got %d bytes, %q", len(x.Body), x.Failure)
		}
		x.Body = "" // how much arrived may differ
		return []both.Exchange{x}
	})
}

// An origin that cannot be reached gives 502 on both servers.
func TestReverseProxyOriginAway(t *testing.T) {
	t.Parallel()
	nobody := &both.Site{URL: "http://127.0.0.1:1"}
	both.Same(t, proxyTo(t, nobody), []both.Request{both.Get(502, "/"), both.Post(502, "/", "body"), both.Get(502, "/")})
}
