package wspeer

import (
	"errors"
	"io"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

// handle is what is done with a message.
type handle func(c *websocket.Conn, t websocket.MessageType, p []byte)

// place is a path of ours.
type place struct {
	config websocket.Config
	handle handle
}

func echo(c *websocket.Conn, t websocket.MessageType, p []byte) { c.WriteMessage(t, p) }

// serveOurs serves with package server's native handlers.
func serveOurs(l net.Listener, callbacks bool) error {
	group := new(websocket.Group)
	everybody := func(_ *websocket.Conn, t websocket.MessageType, p []byte) { group.Broadcast(websocket.Prepare(t, p)) }
	places := map[string]*place{
		PathEcho:    {websocket.Config{}, echo},
		PathDeflate: {websocket.Config{Compression: websocket.NoContextTakeover}, echo},
		PathRoom:    {websocket.Config{Group: group}, everybody},
	}
	if callbacks {
		for _, p := range places {
			p.config.OnMessage = p.handle
		}
	}
	s := server.NewServer(server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		p := places[string(r.Path())]
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

// read reads a connection until it is over, into one buffer that becomes as long as its longest message.
func read(c *websocket.Conn, do handle) {
	var buf []byte
	for {
		t, n, err := c.ReadMessageInto(buf)
		if errors.Is(err, io.ErrShortBuffer) {
			buf = make([]byte, n)
			continue
		}
		if err != nil {
			return
		}
		do(c, t, buf[:n])
	}
}
