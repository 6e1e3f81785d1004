package ours

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

// settings are what the two ends may want of compression.
var settings = []struct{ server, client websocket.Compression }{
	{websocket.NoCompression, websocket.NoCompression},
	{websocket.NoCompression, websocket.ContextTakeover},
	{websocket.NoContextTakeover, websocket.ContextTakeover},
	{websocket.ContextTakeover, websocket.NoContextTakeover},
	{websocket.ContextTakeover, websocket.ContextTakeover},
}

// serverConfig is how the servers of these tests are configured.
func serverConfig(g *websocket.Group, how websocket.Compression, callbacks bool) websocket.Config {
	cfg := websocket.Config{Group: g, Subprotocols: []string{"echo"}, Compression: how, ReadLimit: 4 << 20}
	if callbacks {
		cfg.OnMessage = func(c *websocket.Conn, k websocket.MessageType, p []byte) { c.WriteMessage(k, p) }
	}
	return cfg
}

// check says what c should be.
func check(t *testing.T, c *websocket.Conn, compressed bool) {
	t.Helper()
	if c.Subprotocol() != "echo" || c.Compressed() != compressed {
		t.Errorf("subprotocol %q, compressed %v", c.Subprotocol(), c.Compressed())
	}
}

// Dial and Accept work together on every server.
func TestDialAccept(t *testing.T) {
	for _, how := range settings {
		for _, callbacks := range []bool{false, true} {
			for _, options := range [][]both.Option{nil, {both.TLS}} {
				g := group(t)
				cfg := serverConfig(g, how.server, callbacks)
				h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					c, err := websocket.Accept(w, r, cfg)
					if err != nil {
						t.Errorf("Accept: %v", err)
					} else if !callbacks {
						echo(c)
					}
				})
				both.Run(t, h, func(t *testing.T, s *both.Site) {
					cfg := client(s, g)
					cfg.Compression = how.client
					check(t, talk(t, s.URL, cfg), how.server > 0 && how.client > 0)
				}, options...)
			}
		}
	}
}

// Dial and Upgrade work together on the native server.
func TestDialUpgrade(t *testing.T) {
	for _, how := range settings {
		for _, callbacks := range []bool{false, true} {
			g := group(t)
			cfg := serverConfig(g, how.server, callbacks)
			_, url := native(t, func(w *server.ResponseWriter, r *server.Request) {
				c, err := websocket.Upgrade(w, r, cfg)
				if err != nil {
					t.Errorf("Upgrade: %v", err)
				} else if !callbacks {
					echo(c)
				}
			})
			c := talk(t, url, websocket.Config{
				Group: g, Subprotocols: []string{"echo"}, Compression: how.client, ReadLimit: 4 << 20,
			})
			check(t, c, how.server > 0 && how.client > 0)
		}
	}
}

// native returns a native server of h, and its URL.
func native(t *testing.T, h server.HandlerFunc) (s *server.Server, url string) {
	t.Helper()
	l := both.Listen(t)
	s = server.NewServer(server.Config{Handler: h})
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), both.Patience)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		<-ended
	})
	return s, "http://" + l.Addr().String()
}

// The text with which a server refuses a handshake reaches the caller of Dial.
func TestRefusals(t *testing.T) {
	g := group(t)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			w.Header().Set("WWW-Authenticate", "Basic")
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		websocket.Accept(w, r, websocket.Config{Group: g})
	})
	both.Run(t, h, func(t *testing.T, s *both.Site) {
		for path, want := range map[string]int{"/login": 401, "/": 403} {
			cfg := client(s, g)
			cfg.Header = http.Header{"Origin": {"http://evil.example"}}
			c, resp, err := websocket.Dial(t.Context(), s.URL+path, cfg)
			var refused *websocket.HandshakeError
			if c != nil || !errors.As(err, &refused) || refused.Status != want || resp.StatusCode != want {
				t.Fatalf("%s: got %v, %v, %v", path, c, resp, err)
			}
			var body strings.Builder
			if err := resp.Write(&body); err != nil || want == 401 && !strings.Contains(body.String(), "who are you?") {
				t.Errorf("%s: got %q, %v", path, body.String(), err)
			}
		}
	})
}
