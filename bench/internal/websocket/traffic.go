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

// traffic is a load of text messages that are echoed.
type traffic struct{ size, conns, inFlight int }

// warmup returns how long the load runs before it is counted, while pools fill and the server adapts to its connections.
func warmup(d time.Duration) time.Duration { return min(d, 500*time.Millisecond) }

// time returns how long a measurement takes, including the start of the processes and connecting.
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

// check checks that a peer echoes text and binary messages. The client is gorilla's.
func (t traffic) check(s *process.Server) error { return checkMessages(s, wspeer.PathEcho, t.size) }

func checkEcho(s *process.Server) error { return checkMessages(s, wspeer.PathEcho, 64) }

func checkDeflate(s *process.Server) error { return checkMessages(s, wspeer.PathDeflate, 1<<10) }

func checkBroadcast(s *process.Server) error { return checkMessages(s, wspeer.PathRoom, 1<<10) }

// checkMessages sends text, binary and empty messages and a ping, and returns an error if the reply to one is wrong or missing.
func checkMessages(s *process.Server, path string, size int) error {
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
