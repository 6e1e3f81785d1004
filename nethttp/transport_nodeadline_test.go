package nethttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
)

// deaf is a connection whose deadlines do not work, and return an error. Its type cannot be compared.
type deaf struct {
	net.Conn
	closed func()
}

func (deaf) SetDeadline(time.Time) error      { return errors.ErrUnsupported }
func (deaf) SetReadDeadline(time.Time) error  { return errors.ErrUnsupported }
func (deaf) SetWriteDeadline(time.Time) error { return errors.ErrUnsupported }

func (d deaf) Close() error {
	d.closed()
	return d.Conn.Close()
}

// deafSite is a server, and a Transport whose connections to it are deaf.
type deafSite struct {
	url    string
	tr     *nethttp.Transport
	held   chan struct{} // a request for /held has arrived and gets no response
	closed chan struct{} // a connection has been closed
}

// newDeafSite speaks proto over TLS, or HTTP/1.1 without TLS if proto is "http".
func newDeafSite(t *testing.T, proto string) *deafSite {
	site := &deafSite{tr: new(nethttp.Transport), held: make(chan struct{}, 10), closed: make(chan struct{}, 10)}
	over := make(chan struct{})
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/held":
			site.held <- struct{}{}
			<-over
		case "/begun":
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, "begun")
			http.NewResponseController(w).Flush()
			<-over
		}
	}))
	if s.EnableHTTP2 = proto == "HTTP/2.0"; proto == "http" {
		s.Start()
	} else {
		s.StartTLS()
		site.tr.TLSClientConfig, site.tr.ForceAttemptHTTP2 = s.Client().Transport.(*http.Transport).TLSClientConfig, s.EnableHTTP2
	}
	site.url = s.URL
	site.tr.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		nc, err := new(net.Dialer).DialContext(ctx, network, addr)
		return deaf{nc, sync.OnceFunc(func() { site.closed <- struct{}{} })}, err
	}
	t.Cleanup(func() { close(over); site.tr.Close(); s.Close() })
	return site
}

// Connections without working deadlines are usable, with TLS and without, and are closed in the end.
func TestTransportDeaf(t *testing.T) {
	for name, test := range map[string]func(ctx context.Context, cancel func(), s *deafSite) error{
		"another": func(ctx context.Context, _ func(), s *deafSite) error { return s.get(ctx, "/") },
		"idle": func(_ context.Context, _ func(), s *deafSite) error {
			s.tr.CloseIdleConnections()
			<-s.closed
			return nil
		},
		"Close": func(_ context.Context, _ func(), s *deafSite) error { s.tr.Close(); <-s.closed; return nil },
		"canceled": func(ctx context.Context, cancel func(), s *deafSite) error {
			go func() { <-s.held; cancel() }()
			if err := s.get(ctx, "/held"); !errors.Is(err, context.Canceled) {
				return errors.Join(errors.New("not canceled"), err)
			}
			return nil
		},
		"no head": func(ctx context.Context, _ func(), s *deafSite) error {
			s.tr.ResponseHeaderTimeout = 10 * time.Millisecond
			var slow net.Error
			if err := s.get(ctx, "/held"); !errors.As(err, &slow) || !slow.Timeout() {
				return errors.Join(errors.New("no timeout"), err)
			}
			return nil
		},
		"half a body": func(ctx context.Context, _ func(), s *deafSite) error { return s.get(ctx, "/begun") },
	} {
		for _, proto := range []string{"http", "HTTP/1.1", "HTTP/2.0"} {
			t.Run(name+" "+proto, func(t *testing.T) {
				s := newDeafSite(t, proto)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				done := make(chan error)
				go func() {
					err := error(nil)
					if name != "no head" {
						err = s.get(ctx, "/")
					}
					done <- errors.Join(err, test(ctx, cancel, s))
				}()
				if err := wiretest.Within(t, "the end", done); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// get requests path, reads the response and closes it.
func (s *deafSite) get(ctx context.Context, path string) error {
	req, err := http.NewRequestWithContext(ctx, "GET", s.url+path, nil)
	if err != nil {
		return err
	}
	resp, err := s.tr.RoundTrip(req)
	if err == nil {
		err = resp.Body.Close()
	}
	return err
}

// refuser is a connection whose writes fail, without sending anything, once it is told to refuse.
type refuser struct {
	net.Conn
	refuses atomic.Bool
}

func (c *refuser) Write(p []byte) (int, error) {
	if c.refuses.Load() {
		return 0, net.ErrClosed
	}
	return c.Conn.Write(p)
}

// A POST of which the user's own connection has sent nothing is sent on another one.
func TestTransportUserConnRefuses(t *testing.T) {
	addr := speak(t, func(w *wire) {
		for w.head() != "" {
			w.send(ok2)
		}
	})
	var first *refuser
	tr := &nethttp.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		nc, err := new(net.Dialer).DialContext(ctx, network, addr)
		c := &refuser{Conn: nc}
		if first == nil {
			first = c
		}
		return c, err
	}}
	defer tr.Close()
	for range 2 {
		req, _ := http.NewRequestWithContext(t.Context(), "POST", "http://"+addr, nil)
		resp, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		first.refuses.Store(true)
	}
}
