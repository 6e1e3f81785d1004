package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

// messageLimit is the most bytes that a message to the echo may have. The longest of the conformance cases has 16 MiB.
const messageLimit = 64 << 20

// wsEcho answers WebSocket: it sends back every message as it came.
type wsEcho struct{ cfg websocket.Config }

func newWSEcho(opt echoOptions, con console) *wsEcho {
	e := &wsEcho{websocket.Config{
		ReadLimit: messageLimit,
		Origins:   []string{"*"}, // pages of any origin may test with it
		Group:     &websocket.Group{Logger: newLogger(con)},
	}}
	if opt.deflate {
		e.cfg.Compression = websocket.ContextTakeover
	}
	if opt.wsCallback {
		e.cfg.OnMessage = func(c *websocket.Conn, t websocket.MessageType, p []byte) { c.WriteMessage(t, p) }
	}
	return e
}

// native answers r if it asks for WebSocket.
func (e *wsEcho) native(w *server.ResponseWriter, r *server.Request) (answered bool) {
	h := r.Header()
	asked := h.GetString(":protocol") // over HTTP/2, by extended CONNECT (RFC 8441 §5)
	if r.Upgrade() {
		asked = h.GetString("Upgrade")
	}
	if !speaksWebSocket(asked, h.GetString("Sec-WebSocket-Version")) {
		return false
	}
	if c, err := websocket.Upgrade(w, r, e.cfg); err == nil {
		e.serve(c)
	}
	return true
}

// netHTTP is native with net/http's types.
func (e *wsEcho) netHTTP(w http.ResponseWriter, r *http.Request) (answered bool) {
	h := r.Header
	var asked string
	switch {
	case len(h[":protocol"]) == 1: // over HTTP/2, by extended CONNECT (RFC 8441 §5)
		asked = h[":protocol"][0]
	case http1.HasToken("upgrade", h["Connection"]...): // RFC 9110 §7.8: without this option Upgrade means nothing
		asked = h.Get("Upgrade")
	}
	if !speaksWebSocket(asked, h.Get("Sec-WebSocket-Version")) {
		return false
	}
	if c, err := websocket.Accept(w, r, e.cfg); err == nil {
		e.serve(c)
	}
	return true
}

// serve echoes until the connection is over, unless the callbacks do. A write fails when this end has said that it
// closes: then what still comes is read up to the peer's own close frame.
func (e *wsEcho) serve(c *websocket.Conn) {
	if e.cfg.OnMessage != nil {
		return
	}
	const first = 512 // enough for small messages; who sends larger ones pays for the memory with bytes
	buf := make([]byte, first)
	for {
		t, n, err := c.ReadMessageInto(buf)
		switch {
		case errors.Is(err, io.ErrShortBuffer):
			buf = make([]byte, max(n, 2*len(buf)))
		case err != nil:
			return
		default:
			c.WriteMessage(t, buf[:n])
		}
	}
}

// talker is a front with WebSocket connections, which outlive the requests that they began as.
type talker struct {
	httpServer
	group *websocket.Group
}

// Shutdown tells the WebSocket peers that the server goes away (1001), and lets them and the requests finish.
func (t *talker) Shutdown(ctx context.Context) error {
	t.RegisterOnShutdown(func() { t.group.Shutdown(ctx) })
	return errors.Join(t.httpServer.Shutdown(ctx), t.group.Shutdown(ctx))
}

// speaksWebSocket reports whether a request with these fields asks for the WebSocket that is spoken here (RFC 6455 §4.1);
// then package websocket answers or refuses it. All others are requests like any, whose Upgrade is ignored (RFC 9110
// §7.8).
func speaksWebSocket(protocol, version string) bool {
	return strings.EqualFold(protocol, "websocket") && version == "13"
}
