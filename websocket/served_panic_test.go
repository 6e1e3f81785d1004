package websocket

import (
	"runtime"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// A callback that panics or ends its goroutine ends its connection, and OnClose is called once.
func TestPanics(t *testing.T) {
	falls := map[string]func(){"panic": func() { panic("on purpose") }, "Goexit": runtime.Goexit}
	for name, fall := range falls {
		for _, in := range []string{"OnOpen", "OnMessage", "OnClose"} {
			t.Run(name+" in "+in, func(t *testing.T) {
				g := new(Group)
				closed := make(chan error, 2)
				cfg := Config{Group: g, OnMessage: func(*Conn, MessageType, []byte) {
					if in == "OnMessage" {
						fall()
					}
				}, OnClose: func(_ *Conn, err error) {
					closed <- err
					if in == "OnClose" {
						fall()
					}
				}, OnOpen: func(*Conn) {
					if in == "OnOpen" {
						fall()
					}
				}}
				near, far := faces[1].pair(t)
				defer far.Close()
				c, err := cfg.settings().open(&opened{role: wsframe.Server, nc: near}, nil)
				if err != nil {
					t.Fatal(err)
				}
				far.Write([]byte(text("Hello") + closeFrame(CloseNormal, "")))
				if err := <-closed; (CloseStatus(err) == CloseNormal) != (in == "OnClose") {
					t.Errorf("OnClose is told %v", err)
				}
				within(t, "the end", c.Done())
				far.Close()
				if err := g.Shutdown(soon(t)); err != nil || g.Len() != 0 || len(closed) != 0 {
					t.Errorf("Shutdown: %v, %d connections, OnClose called %d times more", err, g.Len(), len(closed))
				}
			})
		}
	}
}
