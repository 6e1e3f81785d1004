package websocket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gorilla/websocket"

	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

// traffic is text that is echoed.
type traffic struct{ size, conns, inFlight int }

// warmup is for how long load is not counted at first: connections find their habits, pools fill.
func warmup(d time.Duration) time.Duration { return min(d, 500*time.Millisecond) }

// time is how long a measurement takes: starting the processes and connecting included.
func (t traffic) time(d time.Duration) time.Duration {
	return 300*time.Millisecond + time.Duration(t.conns)*100*time.Microsecond + warmup(d) + d
}

// measure loads a peer and returns what the load generator counted.
func (t traffic) measure(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	a, err := b.Load.Run(ctx, s, load.Plan{
		Path: wspeer.PathEcho, Size: t.size, Conns: t.conns, Pipeline: t.inFlight,
		Warmup: warmup(b.Duration), Duration: b.Duration, Cores: process.Second,
	})
	if err != nil {
		return nil, err
	}
	return figures(a), nil
}

// check holds a peer to an echo of texts and bytes, with a client that is not ours.
func (t traffic) check(s *process.Server) error { return talk(s, wspeer.PathEcho, t.size) }

func checkEcho(s *process.Server) error { return talk(s, wspeer.PathEcho, 64) }

func checkDeflate(s *process.Server) error { return talk(s, wspeer.PathDeflate, 1<<10) }

func checkBroadcast(s *process.Server) error { return talk(s, wspeer.PathRoom, 1<<10) }

// talk sends a text, bytes, an empty message and a ping, and says what did not come back.
func talk(s *process.Server, path string, size int) error {
	d := &websocket.Dialer{HandshakeTimeout: 10 * time.Second, EnableCompression: path == wspeer.PathDeflate}
	c, resp, err := d.Dial("ws://"+s.Addr+path, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	if got := resp.Header.Get("Sec-WebSocket-Extensions"); (got != "") != d.EnableCompression {
		return fmt.Errorf("it chose the extensions %q", got)
	}
	ponged := false
	c.SetPongHandler(func(text string) error { ponged = text == "still here?"; return nil })
	c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if err := c.WriteControl(websocket.PingMessage, []byte("still here?"), time.Now().Add(time.Second)); err != nil {
		return err
	}
	for _, kind := range []int{websocket.TextMessage, websocket.BinaryMessage} {
		for _, n := range []int{size, 0} {
			if err := once(c, kind, bytes.Repeat([]byte("ab"), n)[:n]); err != nil {
				return err
			}
		}
	}
	if !ponged {
		return errors.New("a ping got no pong")
	}
	return nil
}

func once(c *websocket.Conn, kind int, p []byte) error {
	if err := c.WriteMessage(kind, p); err != nil {
		return err
	}
	got, back, err := c.ReadMessage()
	if err == nil && (got != kind || !bytes.Equal(back, p)) {
		err = fmt.Errorf("a message of kind %d and %d bytes came back as one of kind %d and %d bytes", kind, len(p), got, len(back))
	}
	return err
}
