package peers

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	gorilla "github.com/gorilla/websocket"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/wsecho"
	"github.com/shockwave-go/shockwave/websocket"
)

// gorilla's client and our server understand each other.
func TestGorillaClient(t *testing.T) {
	t.Parallel()
	for _, way := range wsecho.Ways {
		t.Run(way.Name, func(t *testing.T) {
			t.Parallel()
			s := way.Start(t, websocket.Config{Compression: websocket.NoContextTakeover})
			converse(t, func() *end { return dialGorilla(t, s.URL) })
		})
	}
}

// gorilla's server and our client understand each other.
func TestGorillaServer(t *testing.T) {
	t.Parallel()
	converseWithServer(t, gorillaEcho)
}

func dialGorilla(t *testing.T, url string) *end {
	dialer := gorilla.Dialer{EnableCompression: true, HandshakeTimeout: both.Patience}
	c, res, err := dialer.DialContext(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if !strings.Contains(res.Header.Get("Sec-WebSocket-Extensions"), "permessage-deflate") {
		t.Error("compression was not negotiated")
	}
	c.SetReadDeadline(time.Now().Add(both.Patience))
	c.SetWriteDeadline(time.Now().Add(both.Patience))
	pongs := make(chan struct{}, 1)
	c.SetPongHandler(func(string) error { pongs <- struct{}{}; return nil })
	return &end{
		read: c.ReadMessage,
		write: func(k kind, fragments ...[]byte) error {
			return parts(fragments).write(c.NextWriter(k))
		},
		ping: func(ctx context.Context) error {
			if err := c.WriteControl(gorilla.PingMessage, []byte("are you there?"), time.Now().Add(both.Patience)); err != nil {
				return err
			}
			select {
			case <-pongs:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
		close: func(code int, reason string) error {
			return c.WriteMessage(gorilla.CloseMessage, gorilla.FormatCloseMessage(code, reason))
		},
		closed: func(err error) (int, string) {
			var ce *gorilla.CloseError
			if errors.As(err, &ce) {
				return ce.Code, ce.Text
			}
			return -1, err.Error()
		},
	}
}

// gorillaEcho is package wsecho's with the other library.
func gorillaEcho(w http.ResponseWriter, r *http.Request) {
	up := gorilla.Upgrader{EnableCompression: true}
	c, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // it has sent its response
	}
	defer c.Close()
	c.SetPongHandler(func(string) error { return c.WriteMessage(text, []byte("answered")) })
	for {
		k, p, err := c.ReadMessage()
		if err != nil {
			return
		}
		switch order, rest := orderOf(k, p); order {
		case "/fragments":
			err = many.write(c.NextWriter(text))
		case "/ping":
			err = c.WriteMessage(gorilla.PingMessage, []byte("are you there?"))
		case "/close":
			code, reason := codeOf(rest)
			err = c.WriteMessage(gorilla.CloseMessage, gorilla.FormatCloseMessage(code, reason))
		default:
			err = c.WriteMessage(k, p)
		}
		if err != nil {
			return
		}
	}
}
