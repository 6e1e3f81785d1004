package wspeer

import (
	"bytes"
	"context"
	"net/http"

	"github.com/coder/websocket"
)

// newCoder serves with coder/websocket, which has no prepared messages.
func newCoder() http.Handler {
	all := newRoom[*websocket.Conn]()
	send := func(c *websocket.Conn, t websocket.MessageType, p []byte) error {
		return c.Write(context.Background(), t, p)
	}
	broadcast := func(_ *websocket.Conn, t websocket.MessageType, p []byte) error {
		p = bytes.Clone(p)
		all.each(func(c *websocket.Conn) error { return send(c, t, p) })
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc(PathEcho, coderOn(new(websocket.AcceptOptions), nil, send))
	mux.HandleFunc(PathDeflate, coderOn(&websocket.AcceptOptions{CompressionMode: websocket.CompressionNoContextTakeover}, nil, send))
	mux.HandleFunc(PathRoom, coderOn(new(websocket.AcceptOptions), all, broadcast))
	return mux
}

func coderOn(opt *websocket.AcceptOptions, all *room[*websocket.Conn],
	do func(*websocket.Conn, websocket.MessageType, []byte) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, opt)
		if err != nil {
			return
		}
		if all != nil {
			all.enter(c)
		}
		go func() {
			readCoder(c, do)
			if all != nil {
				all.leave(c)
			}
		}()
	}
}

func readCoder(c *websocket.Conn, do func(*websocket.Conn, websocket.MessageType, []byte) error) {
	defer c.CloseNow()
	var buf []byte
	for {
		t, r, err := c.Reader(context.Background())
		if err == nil {
			buf, err = ReadAll(buf, r)
		}
		if err != nil || do(c, t, buf) != nil {
			return
		}
	}
}
