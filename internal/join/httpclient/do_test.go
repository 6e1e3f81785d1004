package httpclient_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// head is a request's head for tests.
type head struct{ method, scheme, host, path, more string }

func (h *head) AppendHTTP1(dst []byte, straight bool) []byte {
	return fmt.Appendf(dst, "%s %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", h.method, h.path, h.host, h.more)
}

func (h *head) AppendTo(wire carrier.Fields, dst []byte) []byte {
	dst = wire.AppendField(dst, ":authority", h.host)
	dst = wire.AppendField(dst, ":method", h.method)
	if h.method == "CONNECT" {
		return dst
	}
	dst = wire.AppendField(dst, ":path", h.path)
	return wire.AppendField(dst, ":scheme", h.scheme)
}

// newClient returns a client, and the key of srv.
func newClient(t testing.TB, srv *httptest.Server, version httpclient.Version) (*httpclient.Client, httpclient.Key) {
	addr := srv.Listener.Addr().String()
	key := httpclient.Key{Secure: srv.TLS != nil, Host: addr, Version: version}
	cl := httpclient.New(httpclient.Config{Open: func(ctx context.Context, key httpclient.Key) (httpclient.Opened, error) {
		var d net.Dialer
		nc, err := d.DialContext(ctx, "tcp", addr)
		if err != nil {
			return httpclient.Opened{}, err
		}
		if !key.Secure {
			return httpclient.Opened{Conn: nc, HTTP2: key.Version == httpclient.HTTP2}, nil
		}
		tc := tls.Client(nc, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}})
		if err := tc.HandshakeContext(ctx); err != nil {
			return httpclient.Opened{}, err
		}
		cs := tc.ConnectionState()
		return httpclient.Opened{Conn: tc, TLS: &cs, HTTP2: cs.NegotiatedProtocol == "h2"}, nil
	}})
	t.Cleanup(func() { cl.Close() })
	return cl, key
}

func eachVersion(t *testing.T, h http.Handler, f func(t *testing.T, cl *httpclient.Client, key httpclient.Key)) {
	for _, v := range []string{"http1", "h2c", "tls", "h2"} {
		t.Run(v, func(t *testing.T) {
			srv := httptest.NewUnstartedServer(h)
			version := httpclient.Any
			switch v {
			case "h2c":
				srv.Config.Protocols = new(http.Protocols)
				srv.Config.Protocols.SetUnencryptedHTTP2(true)
				version = httpclient.HTTP2
				srv.Start()
			case "h2":
				srv.EnableHTTP2 = true
				srv.StartTLS()
			case "tls":
				srv.StartTLS()
			default:
				srv.Start()
			}
			defer srv.Close()
			cl, key := newClient(t, srv, version)
			f(t, cl, key)
		})
	}
}

// Requests with and without bodies get their responses over each version.
func TestDo(t *testing.T) {
	eachVersion(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Proto", r.Proto)
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL, body)
	}), func(t *testing.T, cl *httpclient.Client, key httpclient.Key) {
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				var r httpclient.Response
				for i := range 50 {
					k := &httpclient.Call{Method: "GET", Key: key, Head: &head{"GET", "http", "x", fmt.Sprintf("/%d/%d", g, i), ""}}
					if err := cl.Do(context.Background(), k, &r); err != nil {
						t.Error(err)
						return
					}
					body, err := io.ReadAll(&r)
					if want := fmt.Sprintf("GET /%d/%d ", g, i); err != nil || string(body) != want || r.Status != 200 {
						t.Errorf("%d %q, %v; want %q", r.Status, body, err, want)
					}
					if (r.TLS != nil) != key.Secure {
						t.Errorf("of TLS is known: %v", r.TLS)
					}
					r.Close()
				}
			})
		}
		wg.Wait()
		long := strings.Repeat("0123456789", 20000)
		var r httpclient.Response
		k := &httpclient.Call{Method: "POST", Key: key, Length: int64(len(long)), Body: io.NopCloser(strings.NewReader(long)),
			Head: &head{"POST", "http", "x", "/p", fmt.Sprintf("Content-Length: %d\r\n", len(long))}}
		if err := cl.Do(context.Background(), k, &r); err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(&r)
		if err != nil || string(body) != "POST /p "+long {
			t.Errorf("%d bytes, %v", len(body), err)
		}
		r.Close()
		t.Logf("%+v", cl.Stats())
	})
}
