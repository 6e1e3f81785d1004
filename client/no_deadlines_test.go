package client_test

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

	"github.com/shockwave-go/shockwave/client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// noDeadlines is a connection whose deadlines have no effect. Setting one returns err.
type noDeadlines struct {
	net.Conn
	err     error
	reading *atomic.Int32 // Reads under way
	closed  func()
}

func (c *noDeadlines) Read(p []byte) (int, error) {
	c.reading.Add(1)
	defer c.reading.Add(-1)
	return c.Conn.Read(p)
}

func (c *noDeadlines) SetDeadline(time.Time) error      { return c.err }
func (c *noDeadlines) SetReadDeadline(time.Time) error  { return c.err }
func (c *noDeadlines) SetWriteDeadline(time.Time) error { return c.err }

func (c *noDeadlines) Close() error {
	c.closed()
	return c.Conn.Close()
}

// Connections of NetDial may ignore deadlines: no request waits for the server because of that.
func TestNoDeadlines(t *testing.T) {
	for kind, says := range map[string]error{"silent": nil, "unsupported": errors.ErrUnsupported} {
		for _, proto := range []string{"http", "HTTP/1.1", "HTTP/2"} {
			for name, test := range map[string]func(d *noDeadlineSite) error{
				"reuse":     func(d *noDeadlineSite) error { return d.get("/") },
				"CloseIdle": func(d *noDeadlineSite) error { d.c.CloseIdle(); <-d.closed; return nil },
				"Close":     func(d *noDeadlineSite) error { d.c.Close(); <-d.closed; return nil },
				"idle":      func(d *noDeadlineSite) error { <-d.closed; return nil },
				"cancel":    (*noDeadlineSite).cancel,
			} {
				t.Run(kind+" "+proto+" "+name, func(t *testing.T) {
					t.Parallel() // some wait
					d := newNoDeadlineSite(t, says, proto, name == "idle")
					done := make(chan error)
					go func() { done <- errors.Join(d.first(), test(d)) }()
					if err := wiretest.Within(t, "the end", done); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// noDeadlineSite is a server, and a client whose connections to it have no deadlines.
type noDeadlineSite struct {
	url     string
	c       *client.Client
	reading atomic.Int32
	closed  chan struct{} // a connection has been closed
}

// first sends a request, and returns when its connection is closed or watched by a goroutine that reads.
func (d *noDeadlineSite) first() error {
	err := d.get("/")
	for d.reading.Load() == 0 && len(d.closed) == 0 {
		time.Sleep(time.Millisecond)
	}
	return err
}

// newNoDeadlineSite speaks proto over TLS, or HTTP/1.1 without if proto is "http". With idles the client closes idle
// connections soon.
func newNoDeadlineSite(t *testing.T, says error, proto string, idles bool) *noDeadlineSite {
	over := make(chan struct{})
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/begun" {
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, "begun")
			http.NewResponseController(w).Flush()
			<-over
		}
	}))
	d := &noDeadlineSite{closed: make(chan struct{}, 100)}
	cfg := client.Config{NetDial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		nc, err := new(net.Dialer).DialContext(ctx, network, addr)
		return &noDeadlines{nc, says, &d.reading, sync.OnceFunc(func() { d.closed <- struct{}{} })}, err
	}}
	if idles {
		cfg.IdleTimeout = 20 * time.Millisecond
	}
	if s.EnableHTTP2 = proto == "HTTP/2"; proto == "http" {
		s.Start()
	} else {
		s.StartTLS()
		cfg.TLSConfig = s.Client().Transport.(*http.Transport).TLSClientConfig
	}
	d.url, d.c = s.URL, newClient(t, cfg)
	t.Cleanup(func() { close(over); d.c.Close(); s.Close() })
	return d
}

// get sends a request and drops the response.
func (d *noDeadlineSite) get(path string) error {
	resp, err := d.c.Get(d.url + path)
	if err != nil {
		return err
	}
	return resp.Close()
}

// cancel ends a request that waits for more of its response.
func (d *noDeadlineSite) cancel() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	resp, err := d.c.Do(ctx, &client.Request{URL: d.url + "/begun"})
	if err != nil {
		return err
	}
	defer resp.Close()
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := io.ReadAll(resp.Body()); !errors.Is(err, context.Canceled) {
		return errors.Join(errors.New("not canceled"), err)
	}
	return nil
}
