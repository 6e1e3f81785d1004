package autobahn

import (
	"net/http"
	"net/http/httptest"
	"testing"

	gorilla "github.com/gorilla/websocket"

	"github.com/shockwave-go/shockwave/compat/internal/wsecho"
	"github.com/shockwave-go/shockwave/websocket"
)

// echoConfig is what an echo of the suite's messages needs: those of section 9 have up to 16 MiB.
func echoConfig(c websocket.Compression) websocket.Config {
	return websocket.Config{ReadLimit: 32 << 20, Compression: c, CompressionThreshold: 1}
}

// Our server passes the suite, which plays the client.
func TestServer(t *testing.T) {
	for _, way := range []wsecho.Way{wsecho.Blocking, wsecho.Callbacks} {
		t.Run(way.Name, func(t *testing.T) {
			s := way.Start(t, echoConfig(websocket.ContextTakeover))
			each(t, func(t *testing.T, wanted []section) { playClient(t, s.Addr, wanted).judge(t, wanted) })
		})
	}
}

// A server with a fault does not pass; this one returns text that is not UTF-8.
func TestFaultyServer(t *testing.T) {
	up := new(gorilla.Upgrader)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer c.Close()
		for {
			kind, p, err := c.ReadMessage()
			if err != nil || c.WriteMessage(kind, p) != nil {
				return
			}
		}
	}))
	defer s.Close()
	invalid := []section{{number: "6.3", cases: 2}}
	if bad := playClient(t, s.Listener.Addr().String(), invalid).failures(invalid); len(bad) != 2 {
		t.Errorf("of two cases that should fail these do: got %q", bad)
	}
}
