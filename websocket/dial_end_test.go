package websocket

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// Dial ends with its context or its timeout wherever it waits, and closes the connection.
func TestDialEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, said := range map[string]string{"silent": "", "amid the head": "HTTP/1.1 101 Switching"} {
			k := begin(t.Context(), t, "ws://example.com/", Config{HandshakeTimeout: 30 * time.Millisecond}, nil)
			k.request()
			k.Send(said)
			if c, _, err := k.result(); c != nil || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: got %v, %v", name, c, err)
			}
			k.WantGone()

			for _, url := range []string{"ws://example.com/", "wss://example.com/"} {
				ctx, cancel := context.WithCancel(t.Context())
				k = begin(ctx, t, url, Config{}, nil)
				k.WantN(20)
				cancel()
				if c, _, err := k.result(); c != nil || !errors.Is(err, context.Canceled) {
					t.Errorf("%s: got %v, %v", name, c, err)
				}
				k.WantGone()
			}
		}
	})
}

// The context and the timeout of Dial do not end the connection later.
func TestDialForgetsItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	k := begin(ctx, t, "ws://example.com/", Config{HandshakeTimeout: patience}, nil)
	k.request()
	k.Send(k.response())
	c := k.opened()
	cancel()
	k.Send(bare(0x81, "still here"))
	wantMessage(t, c, "still here")
	c.SetReadDeadline(time.Now())
	if _, _, err := c.ReadMessage(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
}

// Dial fails if the Group has been shut down.
func TestDialGroupClosed(t *testing.T) {
	g := new(Group)
	if err := g.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	k := begin(t.Context(), t, "ws://example.com/", Config{Group: g}, nil)
	k.request()
	k.Send(k.response())
	if c, resp, err := k.result(); c != nil || resp == nil || err != ErrGroupClosed {
		t.Errorf("got %v, %v, %v", c, resp, err)
	}
	k.WantGone()
}

// The error of a Dial that cannot connect can be unwrapped to that of the network.
func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	var op *net.OpError
	if c, resp, err := Dial(soon(t), "ws://"+l.Addr().String(), Config{}); c != nil || resp != nil || !errors.As(err, &op) {
		t.Errorf("got %v, %v, %v", c, resp, err)
	}
}

// closes counts how often it is closed.
type closes struct {
	net.Conn
	n atomic.Int32
}

func (c *closes) Close() error {
	c.n.Add(1)
	return c.Conn.Close()
}

// A Dial that was refused leaves nothing behind in its context.
func TestDialRefusedForgetsItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
		defer far.Close()
		io.WriteString(far, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
		nc := &closes{Conn: near}
		cfg := Config{
			HandshakeTimeout: -1, Proxy: http.ProxyURL(nil),
			NetDial: func(context.Context, string, string) (net.Conn, error) { return nc, nil },
		}
		ctx, cancel := context.WithCancel(t.Context())
		if _, _, err := Dial(ctx, "ws://example.com/", cfg); err == nil {
			t.Fatal("Dial: got no error, want a refusal")
		}
		closed := nc.n.Load()
		cancel()
		synctest.Wait()
		if n := nc.n.Load(); closed == 0 || n != closed {
			t.Errorf("closed %d times, and %d times when the context had ended", closed, n)
		}
	})
}
