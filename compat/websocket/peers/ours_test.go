package peers

import (
	"errors"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/websocket"
)

// dialOurs opens a connection of package websocket.
func dialOurs(t *testing.T, url string, compression websocket.Compression) *end {
	c, _, err := websocket.Dial(t.Context(), url, websocket.Config{Compression: compression, Group: group(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseNow() })
	if want := compression != websocket.NoCompression; c.Compressed() != want {
		t.Errorf("compressed: %t, want %t", c.Compressed(), want)
	}
	c.SetDeadline(time.Now().Add(both.Patience))
	return &end{
		read: func() (kind, []byte, error) {
			k, p, err := c.ReadMessage()
			return kind(k), p, err
		},
		write: func(k kind, fragments ...[]byte) error {
			if len(fragments) == 1 {
				return c.WriteMessage(websocket.MessageType(k), fragments[0])
			}
			return parts(fragments).write(c.NextWriter(websocket.MessageType(k)))
		},
		ping:  c.Ping,
		close: func(code int, reason string) error { return c.Close(websocket.CloseCode(code), reason) },
		closed: func(err error) (int, string) {
			var ce *websocket.CloseError
			if errors.As(err, &ce) {
				return int(ce.Code), ce.Reason
			}
			return 0, err.Error() // after our own close
		},
	}
}

// group returns a Group that ends with the test.
func group(t *testing.T) *websocket.Group {
	g := new(websocket.Group)
	t.Cleanup(func() { g.Shutdown(t.Context()) })
	return g
}
