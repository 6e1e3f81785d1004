package browser

import (
	"errors"
	"io"
	"net/http"
	"syscall"

	coder "github.com/coder/websocket"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	gorilla "github.com/gorilla/websocket"
	"github.com/lxzan/gws"
	xnet "golang.org/x/net/websocket"

	"github.com/shockwave-go/shockwave/websocket"
)

// echoes are handlers by library. Each sends messages back, closes with 4321 when it is told "close", speaks "chat", and calls
// ended, if that is not nil, with the error of the read that was the last.
func echoes(ended func(library string, err error)) map[string]http.HandlerFunc {
	tell := func(library string, err error) {
		if ended != nil {
			ended(library, err)
		}
	}
	return map[string]http.HandlerFunc{
		"gorilla": func(w http.ResponseWriter, r *http.Request) {
			u := gorilla.Upgrader{Subprotocols: []string{"chat"}, EnableCompression: true}
			c, err := u.Upgrade(w, r, http.Header{"Set-Cookie": {"seen=gorilla"}})
			if err != nil {
				return
			}
			defer c.Close()
			for {
				kind, p, err := c.ReadMessage()
				if err != nil {
					tell("gorilla", err)
					return
				}
				if string(p) == "close" {
					c.WriteMessage(gorilla.CloseMessage, gorilla.FormatCloseMessage(4321, "bye"))
					continue
				}
				c.WriteMessage(kind, p)
			}
		},
		"coder": func(w http.ResponseWriter, r *http.Request) {
			c, err := coder.Accept(w, r, &coder.AcceptOptions{Subprotocols: []string{"chat"}, CompressionMode: coder.CompressionContextTakeover})
			if err != nil {
				return
			}
			defer c.CloseNow()
			c.SetReadLimit(-1)
			for {
				kind, p, err := c.Read(r.Context())
				if err != nil {
					tell("coder", err)
					return
				}
				if string(p) == "close" {
					c.Close(4321, "bye")
					return
				}
				c.Write(r.Context(), kind, p)
			}
		},
		"gws": func(w http.ResponseWriter, r *http.Request) {
			u := gws.NewUpgrader(gwsEcho{tell: func(err error) { tell("gws", err) }}, &gws.ServerOption{
				SubProtocols: []string{"chat"}, PermessageDeflate: gws.PermessageDeflate{Enabled: true},
			})
			c, err := u.Upgrade(w, r)
			if err != nil {
				return
			}
			c.ReadLoop()
		},
		"gobwas": func(w http.ResponseWriter, r *http.Request) {
			u := ws.HTTPUpgrader{Protocol: func(name string) bool { return name == "chat" }}
			nc, _, _, err := u.Upgrade(r, w)
			if err != nil {
				return
			}
			defer nc.Close()
			for {
				p, op, err := wsutil.ReadClientData(nc)
				if err != nil {
					tell("gobwas", err)
					return
				}
				if string(p) == "close" {
					ws.WriteFrame(nc, ws.NewCloseFrame(ws.NewCloseFrameBody(4321, "bye")))
					ws.ReadHeader(nc) // of the response; wsutil would respond a second time
					return
				}
				wsutil.WriteServerMessage(nc, op, p)
			}
		},
		"xnet": xnet.Server{
			Handshake: func(c *xnet.Config, _ *http.Request) error { c.Protocol = []string{"chat"}; return nil },
			Handler: func(c *xnet.Conn) {
				codec := xnet.Codec{
					Marshal: func(v any) ([]byte, byte, error) { m := v.(xnetMessage); return m.p, m.kind, nil },
					Unmarshal: func(p []byte, kind byte, v any) error {
						*v.(*xnetMessage) = xnetMessage{p, kind}
						return nil
					},
				}
				for {
					var m xnetMessage
					if err := codec.Receive(c, &m); err != nil {
						tell("xnet", err)
						return
					}
					codec.Send(c, m)
				}
			},
		}.ServeHTTP,
		"ours": func(w http.ResponseWriter, r *http.Request) { echoOurs(websocket.Accept(w, r, ours))(tell) },
		"ours-callbacks": func(w http.ResponseWriter, r *http.Request) {
			cfg := ours
			cfg.OnMessage = func(c *websocket.Conn, kind websocket.MessageType, p []byte) {
				if string(p) == "close" {
					c.Close(4321, "bye")
					return
				}
				c.WriteMessage(kind, p)
			}
			cfg.OnClose = func(_ *websocket.Conn, err error) { tell("ours-callbacks", err) }
			websocket.Accept(w, r, cfg)
		},
	}
}

// ours is the configuration of our echoes.
var ours = websocket.Config{Subprotocols: []string{"chat"}, Compression: websocket.ContextTakeover, ReadLimit: 8 << 20}

// echoOurs echoes on c, unless there is an error.
func echoOurs(c *websocket.Conn, err error) func(tell func(library string, err error)) {
	return func(tell func(library string, err error)) {
		if err != nil {
			return
		}
		defer c.CloseNow()
		for {
			kind, p, err := c.ReadMessage()
			if err != nil {
				tell("ours", err)
				return
			}
			if string(p) == "close" {
				c.Close(4321, "bye")
				return
			}
			c.WriteMessage(kind, p)
		}
	}
}

type xnetMessage struct {
	p    []byte
	kind byte
}

type gwsEcho struct {
	gws.BuiltinEventHandler
	tell func(err error)
}

func (e gwsEcho) OnMessage(c *gws.Conn, m *gws.Message) {
	defer m.Close()
	if string(m.Bytes()) == "close" {
		c.WriteClose(4321, []byte("bye"))
		return
	}
	c.WriteMessage(m.Opcode, m.Bytes())
}

func (e gwsEcho) OnClose(_ *gws.Conn, err error) { e.tell(err) }

// codeOf returns the code that a library tells its handler for the end of a connection, 0 if it has none.
func codeOf(err error) int {
	var (
		g *gorilla.CloseError
		c coder.CloseError
		w *gws.CloseError
		b wsutil.ClosedError
		o *websocket.CloseError
	)
	switch {
	case errors.As(err, &g):
		return g.Code
	case errors.As(err, &c):
		return int(c.Code)
	case errors.As(err, &w):
		return int(w.Code)
	case errors.As(err, &b):
		return int(b.Code)
	case errors.As(err, &o):
		return int(o.Code)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return 1006 // the end of the connection (RFC 6455 §7.1.5)
	}
	return 0
}
