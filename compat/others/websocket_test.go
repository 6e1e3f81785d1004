package others

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	coder "github.com/coder/websocket"
	gorilla "github.com/gorilla/websocket"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// gorillaEcho echoes messages until the client closes.
func gorillaEcho(w http.ResponseWriter, r *http.Request) {
	up := gorilla.Upgrader{Subprotocols: []string{"echo"}, EnableCompression: true}
	c, err := up.Upgrade(w, r, http.Header{"X-Extra": {"given"}})
	if err != nil {
		return // it has sent its response
	}
	defer c.Close()
	for {
		kind, msg, err := c.ReadMessage()
		if err != nil {
			return
		}
		if err := c.WriteMessage(kind, msg); err != nil {
			return
		}
	}
}

// coderEcho is the same with the other library.
func coderEcho(w http.ResponseWriter, r *http.Request) {
	c, err := coder.Accept(w, r, &coder.AcceptOptions{Subprotocols: []string{"echo"}})
	if err != nil {
		return
	}
	defer c.CloseNow()
	c.SetReadLimit(1 << 20)
	for {
		kind, msg, err := c.Read(r.Context())
		if err != nil {
			return
		}
		if err := c.Write(r.Context(), kind, msg); err != nil {
			return
		}
	}
}

// messages are of every size that frames have a length field for.
func messages() [][]byte {
	return [][]byte{[]byte("hi"), bytes.Repeat([]byte("m"), 1000), bytes.Repeat([]byte("l"), 100_000), {}, []byte("bye")}
}

// gorilla/websocket works on both servers.
func TestGorillaWebSocket(t *testing.T) {
	t.Parallel()
	for _, options := range [][]both.Option{nil, {both.TLS}} {
		both.Run(t, http.HandlerFunc(gorillaEcho), func(t *testing.T, s *both.Site) {
			dialer := gorilla.Dialer{
				NetDialContext:    s.DialContext,
				TLSClientConfig:   s.Secure,
				Subprotocols:      []string{"other", "echo"},
				EnableCompression: true,
				HandshakeTimeout:  both.Patience,
			}
			c, res, err := dialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if c.Subprotocol() != "echo" || res.Header.Get("X-Extra") != "given" {
				t.Errorf("%s: %v", s.Name, res.Header)
			}
			c.SetReadDeadline(time.Now().Add(both.Patience))
			c.SetWriteDeadline(time.Now().Add(both.Patience))
			for _, msg := range messages() {
				if err := c.WriteMessage(gorilla.BinaryMessage, msg); err != nil {
					t.Fatal(err)
				}
				kind, got, err := c.ReadMessage()
				if err != nil || kind != gorilla.BinaryMessage || !bytes.Equal(got, msg) {
					t.Fatalf("%s: %d bytes came back, %d were sent: %v", s.Name, len(got), len(msg), err)
				}
			}
			bye := gorilla.FormatCloseMessage(gorilla.CloseNormalClosure, "")
			if err := c.WriteMessage(gorilla.CloseMessage, bye); err != nil {
				t.Fatal(err)
			}
			if _, _, err := c.ReadMessage(); !gorilla.IsCloseError(err, gorilla.CloseNormalClosure) {
				t.Errorf("%s: the end: %v", s.Name, err)
			}
		}, options...)
	}
}

// coder/websocket works on both servers.
func TestCoderWebSocket(t *testing.T) {
	t.Parallel()
	both.NeedsHTTP1(t, "its client upgrades")
	for _, options := range [][]both.Option{nil, {both.TLS}} {
		both.Run(t, http.HandlerFunc(coderEcho), func(t *testing.T, s *both.Site) {
			ctx, cancel := context.WithTimeout(t.Context(), both.Patience)
			defer cancel()
			c, _, err := coder.Dial(ctx, s.URL, &coder.DialOptions{
				HTTPClient:   &http.Client{Transport: s.Client.Transport},
				Subprotocols: []string{"echo"},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseNow()
			c.SetReadLimit(1 << 20)
			for _, msg := range messages() {
				if err := c.Write(ctx, coder.MessageText, msg); err != nil {
					t.Fatal(err)
				}
				kind, got, err := c.Read(ctx)
				if err != nil || kind != coder.MessageText || !bytes.Equal(got, msg) {
					t.Fatalf("%s: %d bytes came back, %d were sent: %v", s.Name, len(got), len(msg), err)
				}
			}
			if err := c.Close(coder.StatusNormalClosure, "done"); err != nil && !errors.Is(err, io.EOF) {
				t.Errorf("%s: Close: %v", s.Name, err)
			}
		}, options...)
	}
}

// A request that is no proper handshake gets the library's own refusal.
func TestWebSocketRefusals(t *testing.T) {
	t.Parallel()
	both.NeedsHTTP1(t, "upgrades are")
	mux := http.NewServeMux()
	mux.HandleFunc("/gorilla", gorillaEcho)
	mux.HandleFunc("/coder", coderEcho)
	upgrade := []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13"}
	both.Same(t, mux, []both.Request{
		both.Get(400, "/gorilla"),
		both.Get(426, "/coder"),
		both.Get(400, "/gorilla", upgrade...),
		both.Get(400, "/coder", upgrade...),
		both.Get(403, "/gorilla", append(upgrade, "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==", "Origin", "http://evil.example")...),
		both.Get(403, "/coder", append(upgrade, "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==", "Origin", "http://evil.example")...),
	})
}
