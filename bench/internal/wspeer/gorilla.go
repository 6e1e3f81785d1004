package wspeer

import (
	"net/http"
	"sync"

	"github.com/gorilla/websocket"
)

// newGorilla serves with gorilla/websocket. It has a pool of write buffers, as its documentation recommends for many
// connections, and reads the messages of a connection into one buffer.
func newGorilla() http.Handler {
	plain := &websocket.Upgrader{WriteBufferPool: new(sync.Pool)}
	deflate := &websocket.Upgrader{WriteBufferPool: new(sync.Pool), EnableCompression: true}
	all := newRoom[*websocket.Conn]()
	mux := http.NewServeMux()
	mux.HandleFunc(PathEcho, gorillaOn(plain, (*websocket.Conn).WriteMessage))
	mux.HandleFunc(PathDeflate, gorillaOn(deflate, (*websocket.Conn).WriteMessage))
	broadcast := func(_ *websocket.Conn, t int, p []byte) error {
		m, err := websocket.NewPreparedMessage(t, p)
		if err != nil {
			return err
		}
		all.each(func(c *websocket.Conn) error { return c.WritePreparedMessage(m) })
		return nil
	}
	mux.HandleFunc(PathRoom, func(w http.ResponseWriter, r *http.Request) {
		c, err := plain.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		all.enter(c)
		go func() {
			defer all.leave(c)
			readGorilla(c, broadcast)
		}()
	})
	return mux
}

func gorillaOn(u *websocket.Upgrader, do func(*websocket.Conn, int, []byte) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if c, err := u.Upgrade(w, r, nil); err == nil {
			go readGorilla(c, do)
		}
	}
}

func readGorilla(c *websocket.Conn, do func(*websocket.Conn, int, []byte) error) {
	defer c.Close()
	var buf []byte
	for {
		t, r, err := c.NextReader()
		if err == nil {
			buf, err = ReadAll(buf, r)
		}
		if err != nil || do(c, t, buf) != nil {
			return
		}
	}
}
