package peers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	coder "github.com/coder/websocket"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/wsecho"
	"github.com/shockwave-go/shockwave/websocket"
)

// coder's client and our server understand each other.
func TestCoderClient(t *testing.T) {
	t.Parallel()
	for _, way := range wsecho.Ways {
		t.Run(way.Name, func(t *testing.T) {
			t.Parallel()
			s := way.Start(t, websocket.Config{Compression: websocket.ContextTakeover})
			for _, mode := range []coder.CompressionMode{coder.CompressionContextTakeover, coder.CompressionNoContextTakeover} {
				converse(t, func() *end { return dialCoder(t, s.URL, mode) })
			}
		})
	}
}

// coder's server and our client understand each other.
func TestCoderServer(t *testing.T) {
	t.Parallel()
	converseWithServer(t, coderEcho)
}

func dialCoder(t *testing.T, url string, mode coder.CompressionMode) *end {
	ctx, cancel := context.WithTimeout(context.Background(), 3*both.Patience)
	client := &http.Client{Transport: new(http.Transport)}
	c, _, err := coder.Dial(ctx, url, &coder.DialOptions{CompressionMode: mode, HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.CloseNow()
		cancel()
	})
	c.SetReadLimit(1 << 20)
	return &end{
		read: func() (kind, []byte, error) {
			k, p, err := c.Read(ctx)
			return kind(k), p, err
		},
		write: func(k kind, fragments ...[]byte) error {
			return parts(fragments).write(c.Writer(ctx, coder.MessageType(k)))
		},
		ping: c.Ping,
		close: func(code int, reason string) error {
			return c.Close(coder.StatusCode(code), reason)
		},
		closed: func(err error) (int, string) {
			var ce coder.CloseError
			if errors.As(err, &ce) {
				return int(ce.Code), ce.Reason
			}
			if errors.Is(err, io.EOF) || c.CloseNow() == nil {
				return 0, "" // Close has been told, not Read
			}
			return 0, err.Error()
		},
	}
}

// coderEcho is package wsecho's with the other library.
func coderEcho(w http.ResponseWriter, r *http.Request) {
	c, err := coder.Accept(w, r, &coder.AcceptOptions{CompressionMode: coder.CompressionContextTakeover})
	if err != nil {
		return // it has sent its response
	}
	defer c.CloseNow()
	c.SetReadLimit(1 << 20)
	ctx := context.WithoutCancel(r.Context())
	for {
		k, p, err := c.Read(ctx)
		if err != nil {
			return
		}
		switch order, rest := orderOf(kind(k), p); order {
		case "/fragments":
			err = many.write(c.Writer(ctx, coder.MessageText))
		case "/ping":
			go func() { // its pong is read here
				if c.Ping(ctx) == nil {
					c.Write(ctx, coder.MessageText, []byte("answered"))
				}
			}()
		case "/close":
			code, reason := codeOf(rest)
			err = c.Close(coder.StatusCode(code), reason)
		default:
			err = c.Write(ctx, k, p)
		}
		if err != nil {
			return
		}
	}
}
