package echo

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

// messageLimit is the maximum length of a WebSocket message in bytes. The longest one of the conformance cases has 16
// MiB.
const messageLimit = 64 << 20

// wsEcho serves WebSocket requests and sends every message back unchanged.
type wsEcho struct{ cfg websocket.Config }

func newWSEcho(opt Options, con cli.Console) *wsEcho {
	e := &wsEcho{websocket.Config{
		ReadLimit: messageLimit,
		Origins:   []string{"*"}, // pages of any origin may test with it
		Group:     &websocket.Group{Logger: cli.NewLogger(con)},
	}}
	if opt.Deflate {
		e.cfg.Compression = websocket.ContextTakeover
	}
	if opt.WsCallback {
		e.cfg.OnMessage = func(c *websocket.Conn, t websocket.MessageType, p []byte) { c.WriteMessage(t, p) }
	}
	return e
}

// native serves r if it asks for WebSocket, and reports whether it did.
func (e *wsEcho) native(w *server.ResponseWriter, r *server.Request) (answered bool) {
	h := r.Header()
	if !r.Upgrade() || !speaksWebSocket(h.GetString("Upgrade"), h.GetString("Sec-WebSocket-Version")) {
		return false
	}
	if c, err := websocket.Upgrade(w, r, e.cfg); err == nil {
		e.serve(c)
	}
	return true
}

// netHTTP is native for net/http handlers.
func (e *wsEcho) netHTTP(w http.ResponseWriter, r *http.Request) (answered bool) {
	h := r.Header
	// RFC 9110 §7.8: without this option Upgrade means nothing.
	upgrade := http1.HasToken("upgrade", h["Connection"]...)
	if !upgrade || !speaksWebSocket(h.Get("Upgrade"), h.Get("Sec-WebSocket-Version")) {
		return false
	}
	if c, err := websocket.Accept(w, r, e.cfg); err == nil {
		e.serve(c)
	}
	return true
}

// serve echoes messages until the connection ends, unless callbacks do it. Write errors are ignored: a write fails
// after this end has sent a close frame, and reading must then go on up to the peer's close frame.
func (e *wsEcho) serve(c *websocket.Conn) {
	if e.cfg.OnMessage != nil {
		return
	}
	const first = 512 // enough for small messages; the buffer grows with larger ones
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

// speaksWebSocket reports whether a request with these fields asks for the supported version of WebSocket (RFC 6455
// §4.1). If so, package websocket accepts or refuses it. Otherwise Upgrade is ignored (RFC 9110 §7.8) and the request
// is an ordinary one.
func speaksWebSocket(protocol, version string) bool {
	return strings.EqualFold(protocol, "websocket") && version == "13"
}
