package sockclients

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/streamsock"
)

// serves returns where a server with a handler listens: ours, or net/http's.
func serves(t *testing.T, ours bool, h http.Handler) string {
	if !ours {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &nethttp.Server{Handler: h}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	t.Cleanup(func() { s.Close(); <-done })
	return l.Addr().String()
}

// Sockets of both framings work on one server, told apart by path or subprotocol.
func TestHandlers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name           string
		ours, bySubpro bool
	}{{"ours by path", true, false}, {"ours by subprotocol", true, true}, {"net/http by path", false, false}, {"net/http by subprotocol", false, true}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			single, _ := newSocket(t, streamsock.Config{Subprotocols: []string{"single"}}, "ws")
			prefixed, _ := newSocket(t, streamsock.Config{Subprotocols: []string{"prefixed"}, Framing: streamsock.FramingPrefixed}, "ws")
			mux := http.NewServeMux()
			mux.Handle("/single", single.Handler())
			mux.Handle("/prefixed", prefixed.Handler())
			mux.HandleFunc("/either", func(w http.ResponseWriter, r *http.Request) {
				s := single
				if strings.Contains(r.Header.Get("Sec-WebSocket-Protocol"), "prefixed") {
					s = prefixed
				}
				s.Handler().ServeHTTP(w, r)
			})
			host := serves(t, tc.ours, mux)
			for _, of := range []struct {
				s    *streamsock.Socket
				name string
				cfg  streamsock.Config
			}{{single, "single", streamsock.Config{}}, {prefixed, "prefixed", streamsock.Config{Framing: streamsock.FramingPrefixed}}} {
				of.cfg.Subprotocols = []string{"other", of.name}
				c, _ := newSocket(t, of.cfg, "ws")
				path := "/" + of.name
				if tc.bySubpro {
					path = "/either"
				}
				p, err := c.Connect("ws://" + host + path)
				if err != nil {
					t.Fatal(err)
				}
				if m := receive(t, c); m.Kind != streamsock.EventConnected || p.Subprotocol() != of.name {
					t.Fatalf("%v, subprotocol %q", m.Kind, p.Subprotocol())
				}
				if m := receive(t, of.s); m.Kind != streamsock.EventConnected || m.Peer.Request().URL.Path != path {
					t.Fatalf("%v at %s", m.Kind, m.Peer.Request().URL)
				}
				for _, b := range sizes {
					if err := p.Send(b); err != nil {
						t.Fatal(err)
					}
					m := receive(t, of.s)
					if err := m.Peer.Send(m.Data); err != nil {
						t.Fatal(err)
					}
					if got := receive(t, c); string(got.Data) != string(b) {
						t.Fatalf("%d bytes came back as %d", len(b), len(got.Data))
					}
				}
			}
		})
	}
}
