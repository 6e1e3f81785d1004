package ours

import (
	"bytes"
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/websocket"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) { both.Main(m) }

// group returns a Group that ends with the test, and does so in time.
func group(t *testing.T) *websocket.Group {
	g := new(websocket.Group)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), both.Patience)
		defer cancel()
		if err := g.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
	return g
}

// client returns the Config of a client of s.
func client(s *both.Site, g *websocket.Group) websocket.Config {
	tr := s.Client.Transport.(*http.Transport)
	return websocket.Config{
		Group: g, NetDial: tr.DialContext, TLSConfig: tr.TLSClientConfig, Subprotocols: []string{"other", "echo"},
		ReadLimit: 4 << 20, Proxy: http.ProxyURL(nil),
	}
}

// echo sends messages back until the client closes.
func echo(c *websocket.Conn) {
	for m, err := range c.Messages() {
		if err != nil || c.WriteMessage(m.Type, m.Data) != nil {
			return
		}
	}
}

// messages are of every size that frames have a length field for.
func messages() [][]byte {
	return [][]byte{[]byte("hi"), bytes.Repeat([]byte("m"), 1000), bytes.Repeat([]byte("large "), 20_000), {}, []byte("bye")}
}

// talk dials url, whose server echoes, has messages go there and back, and closes.
func talk(t *testing.T, url string, cfg websocket.Config) (c *websocket.Conn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), both.Patience)
	defer cancel()
	c, _, err := websocket.Dial(ctx, url, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	c.SetDeadline(time.Now().Add(both.Patience))
	for _, kind := range []websocket.MessageType{websocket.TextMessage, websocket.BinaryMessage} {
		for _, msg := range messages() {
			sent := make(chan error, 1)
			go func() { sent <- c.WriteMessage(kind, msg) }()
			got, p, err := c.ReadMessage()
			if err != nil || got != kind || !bytes.Equal(p, msg) {
				t.Fatalf("%v of %d bytes came back, %v of %d were sent: %v", got, len(p), kind, len(msg), err)
			}
			if err := <-sent; err != nil {
				t.Fatal(err)
			}
		}
	}
	go func() {
		ponged := c.Ping(ctx)
		text := "ponged"
		if ponged != nil {
			text = ponged.Error()
		}
		c.WriteMessage(websocket.TextMessage, []byte(text))
	}()
	if _, p, err := c.ReadMessage(); string(p) != "ponged" || err != nil {
		t.Errorf("Ping: got %s, %v", p, err)
	}
	if err := c.Close(websocket.CloseNormal, "done"); err != nil {
		t.Errorf("Close: %v", err)
	}
	return c
}
