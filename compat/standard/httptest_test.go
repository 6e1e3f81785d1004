package standard

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/nethttp"
)

// An httptest.Server always serves by its Config, but what it serves is up to its Listener: one that accepts nothing
// leaves the real one to nethttp, and URL, Client, TLS and Certificate are as tests know them.

// aside is a listener with l's address that accepts nothing and closes l.
type aside struct {
	net.Listener
	once   sync.Once
	closed chan struct{}
}

func (a *aside) Accept() (net.Conn, error) {
	<-a.closed
	return nil, net.ErrClosed
}

func (a *aside) Close() error {
	a.once.Do(func() { close(a.closed) })
	return a.Listener.Close()
}

// startOnOurs is ts.Start, or ts.StartTLS, with nethttp's server at work. ts ends with the test.
func startOnOurs(t testing.TB, ts *httptest.Server, withTLS bool) {
	l, ours := ts.Listener, nethttp.FromServer(ts.Config)
	ts.Listener = &aside{Listener: l, closed: make(chan struct{})}
	ended := make(chan error, 1)
	if withTLS {
		ts.StartTLS()
		ours.TLSConfig = ts.TLS
		go func() { ended <- ours.ServeTLS(l, "", "") }()
	} else {
		ts.Start()
		go func() { ended <- ours.Serve(l) }()
	}
	t.Cleanup(func() {
		ts.Close()
		ours.Close()
		both.Receive(t, ended, "the end of Serve")
	})
}

// An httptest.Server can be started on our server, with TLS and without.
func TestHTTPTestServer(t *testing.T) {
	t.Parallel()
	for _, withTLS := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS %v", withTLS), func(t *testing.T) {
			ts := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(w, "%T %v", w, r.TLS != nil)
			}))
			startOnOurs(t, ts, withTLS)
			for _, url := range []string{ts.URL, strings.Split(ts.URL, ":")[0] + "://example.com"} {
				x := new(both.Site).Read(ts.Client().Get(url))
				if want := fmt.Sprintf("*nethttp.h1Response %v", withTLS); x.Body != want {
					t.Errorf("%s: %v, want %q", url, x, want)
				}
			}
			if (ts.Certificate() != nil) != withTLS {
				t.Error("got a certificate without TLS, or none with TLS")
			}
		})
	}
}

// A Server that is built from its fields, without an http.Server, serves at its address.
func TestServerOfFields(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nethttp.Server{Handler: http.HandlerFunc(count)}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	defer func() {
		s.Close()
		both.Receive(t, ended, "the end of Serve")
	}()
	tr := new(http.Transport)
	defer tr.CloseIdleConnections()
	x := new(both.Site).Read((&http.Client{Transport: tr}).Get("http://" + l.Addr().String()))
	if x.Body != "0 bytes, <nil>" {
		t.Errorf("got %v", x)
	}
}

// A handler gives httptest's recorder the same response as through nethttp.
func TestRecorder(t *testing.T) {
	t.Parallel()
	h := routes(map[string][]string{"GET /items/{id}": {"id"}})
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest("GET", "/items/7", nil))
	both.Run(t, h, func(t *testing.T, s *both.Site) {
		if x := s.Do(t, both.Get(200, "/items/7")); x.Body != rec.Body.String() {
			t.Errorf("%s: %q, recorded was %q", s.Name, x.Body, rec.Body)
		}
	})
}
