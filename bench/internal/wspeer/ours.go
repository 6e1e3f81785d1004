package wspeer

import (
	"io"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

// handle handles a message.
type handle func(c *websocket.Conn, t websocket.MessageType, p []byte)

// route is the configuration and the message handler of a path.
type route struct {
	config websocket.Config
	handle handle
}

func echo(c *websocket.Conn, t websocket.MessageType, p []byte) { c.WriteMessage(t, p) }

// serveOurs serves with package websocket on package server, by callbacks or by blocking reads.
func serveOurs(l net.Listener, callbacks bool) error {
	group := new(websocket.Group)
	broadcast := func(_ *websocket.Conn, t websocket.MessageType, p []byte) { group.Broadcast(websocket.Prepare(t, p)) }
	routes := map[string]*route{
		PathEcho:    {websocket.Config{}, echo},
		PathDeflate: {websocket.Config{Compression: websocket.NoContextTakeover}, echo},
		PathRoom:    {websocket.Config{Group: group}, broadcast},
	}
	if callbacks {
		for _, p := range routes {
			p.config.OnMessage = p.handle
		}
	}
	s := server.NewServer(server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		p := routes[string(r.Path())]
		if p == nil {
			w.Error(http.StatusNotFound, "not found")
			return
		}
		c, err := websocket.Upgrade(w, r, p.config)
		if err == nil && !callbacks {
			go read(c, p.handle)
		}
	})})
	return s.Serve(l)
}

// read reads the messages of a connection until it ends, into one buffer that grows to the longest message.
func read(c *websocket.Conn, do handle) {
	var buf []byte
	for {
		t, n, err := c.ReadMessageInto(buf)
		switch err {
		case nil:
			do(c, t, buf[:n])
		case io.ErrShortBuffer:
			buf = make([]byte, n)
		default:
			return
		}
	}
}
