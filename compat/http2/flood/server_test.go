package flood

import (
	"context"
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
	addr   string
	client *http.Client
}

type serving interface {
	Serve(net.Listener) error
	Shutdown(context.Context) error
	Close() error
}

// eachServer runs test against net/http's server, of which nothing is demanded, and ours. A head may take as long as
// patience, 0 for what is usual.
func eachServer(t *testing.T, patience time.Duration, test func(t *testing.T, s *server)) {
	quiet := log.New(io.Discard, "", 0)
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetUnencryptedHTTP2(true)
	std := func() *http.Server {
		return &http.Server{Handler: http.HandlerFunc(serve), ErrorLog: quiet, Protocols: p, ReadHeaderTimeout: patience}
	}
	for _, k := range []struct {
		name  string
		begin func() serving
	}{
		{"net-http", func() serving { return std() }},
		{"nethttp", func() serving { return nethttp.FromServer(std()) }},
		{"native", func() serving {
			return native.NewServer(native.Config{Handler: native.HandlerFunc(serveNative), ReadHeaderTimeout: patience})
		}},
	} {
		t.Run(k.name, func(t *testing.T) {
			l := both.Listen(t)
			h := k.begin()
			ended := make(chan error, 1)
			go func() { ended <- h.Serve(l) }()
			tr := &http.Transport{Protocols: new(http.Protocols)}
			tr.Protocols.SetUnencryptedHTTP2(true)
			t.Cleanup(func() {
				tr.CloseIdleConnections()
				h.Close()
				if err := both.Receive(t, ended, "the end of Serve"); !errors.Is(err, http.ErrServerClosed) {
					t.Error(err)
				}
			})
			test(t, &server{ours: k.name != "net-http", addr: l.Addr().String(), client: &http.Client{Transport: tr, Timeout: both.Patience}})
		})
	}
}

// serveNative is serve for the native server.
func serveNative(w *native.ResponseWriter, r *native.Request) {
	switch string(r.Path()) {
	case "/wait":
		gone := make(chan struct{})
		defer r.OnGone(func() { close(gone) })()
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
