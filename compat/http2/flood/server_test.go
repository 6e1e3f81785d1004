package flood

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/nethttp"
	native "github.com/shockwave-go/shockwave/server"
)

// server is one that is attacked, and a client that behaves.
type server struct {
	ours   bool
	tls    *tls.Config // of clients; nil for cleartext
	addr   string
	client *http.Client
}

// dial connects. Over TLS the connection speaks HTTP/2, or the test ends.
func (s *server) dial(t testing.TB) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{Control: ethernet}).Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if s.tls == nil {
		return c
	}
	sec := tls.Client(c, s.tls)
	if err := sec.Handshake(); err != nil || sec.ConnectionState().NegotiatedProtocol != "h2" {
		t.Fatalf(`got %q, %v; want "h2"`, sec.ConnectionState().NegotiatedProtocol, err)
	}
	return sec
}

// carriers are the two ways to HTTP/2.
func carriers(t *testing.T, test func(t *testing.T, secure bool)) {
	t.Run("h2c", func(t *testing.T) { test(t, false) })
	t.Run("tls", func(t *testing.T) { test(t, true) })
}

type serving interface {
	Serve(net.Listener) error
	ServeTLS(l net.Listener, certFile, keyFile string) error
	Shutdown(context.Context) error
	Close() error
}

// eachServer runs test against net/http's server, of which nothing is demanded, and ours; over TLS against ours alone. A
// head may take as long as patience, 0 for what is usual.
func eachServer(t *testing.T, secure bool, patience time.Duration, test func(t *testing.T, s *server)) {
	quiet := log.New(io.Discard, "", 0)
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetHTTP2(true)
	p.SetUnencryptedHTTP2(true)
	var ofServer, ofClient *tls.Config
	if secure {
		ofServer, ofClient = both.Secure(t, "h2")
	}
	std := func() *http.Server {
		return &http.Server{
			Handler: http.HandlerFunc(serve), ErrorLog: quiet, Protocols: p, ReadHeaderTimeout: patience, TLSConfig: ofServer.Clone(),
		}
	}
	for _, k := range []struct {
		name  string
		begin func() serving
	}{
		{"net-http", func() serving { return std() }},
		{"nethttp", func() serving { return nethttp.FromServer(std()) }},
		{"native", func() serving {
			return native.NewServer(native.Config{Handler: native.HandlerFunc(serveNative), ReadHeaderTimeout: patience, TLSConfig: ofServer.Clone()})
		}},
	} {
		if secure && k.name == "net-http" {
			continue // which takes long, and nothing is demanded of it
		}
		t.Run(k.name, func(t *testing.T) {
			l := both.Listen(t)
			h := k.begin()
			ended := make(chan error, 1)
			go func() {
				if secure {
					ended <- h.ServeTLS(l, "", "")
				} else {
					ended <- h.Serve(l)
				}
			}()
			tr := &http.Transport{Protocols: new(http.Protocols), TLSClientConfig: ofClient.Clone()}
			tr.Protocols.SetHTTP2(secure)
			tr.Protocols.SetUnencryptedHTTP2(!secure)
			t.Cleanup(func() {
				tr.CloseIdleConnections()
				h.Close()
				if err := both.Receive(t, ended, "the end of Serve"); !errors.Is(err, http.ErrServerClosed) {
					t.Error(err)
				}
			})
			test(t, &server{
				ours: k.name != "net-http", tls: ofClient, addr: l.Addr().String(),
				client: &http.Client{Transport: tr, Timeout: both.Patience},
			})
		})
	}
}

// serveNative is serve for the native server.
func serveNative(w *native.ResponseWriter, r *native.Request) {
	switch string(r.Path()) {
	case "/wait":
		gone := make(chan struct{})
		defer r.OnClientGone(func() { close(gone) })()
		<-gone
	case "/long":
		for b := make([]byte, 32<<10); ; {
			if _, err := w.Write(b); err != nil {
				return
			}
		}
	default:
		io.Copy(io.Discard, r)
		io.WriteString(w, "served")
	}
}
