package wire

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/shockwave-go/shockwave/websocket"
)

// readLimit is that of all connections.
const readLimit = 4 << 20

// talk is a client's: what it sends, and what it has heard of that.
type talk struct {
	sent  [][]byte
	heard int
	over  chan error // nil when all has been heard
}

// hear takes one message. It is called by one goroutine at a time.
func (k *talk) hear(_ *websocket.Conn, kind websocket.MessageType, p []byte) {
	i := k.heard
	k.heard++
	switch {
	case i >= len(k.sent):
		k.end(nil, fmt.Errorf("a message more than was sent, of %d bytes", len(p)))
	case kind != kindOf(i) || !bytes.Equal(p, k.sent[i]):
		k.end(nil, fmt.Errorf("message %d: %v of %d bytes, want %v of %d", i, kind, len(p), kindOf(i), len(k.sent[i])))
	case k.heard == len(k.sent):
		k.end(nil, nil)
	}
}

// end says how the talk went; the first word counts.
func (k *talk) end(_ *websocket.Conn, err error) {
	select {
	case k.over <- err:
	default:
	}
}

// with talks to a site whose server reads in one way or another.
func (k *talk) with(s *site, reads string, callbacks bool, cfg websocket.Config) error {
	if callbacks {
		cfg.OnMessage, cfg.OnClose = k.hear, k.end
	}
	c, err := s.dialMessages(reads, cfg)
	if err != nil {
		return err
	}
	defer c.CloseNow()
	if !callbacks {
		go k.read(c)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	said := make(chan error, 2)
	go func() { said <- c.Ping(ctx) }()
	go func() { said <- k.say(c) }()
	for _, what := range []struct {
		name string
		done chan error
	}{{"saying", said}, {"saying", said}, {"hearing", k.over}} {
		select {
		case err = <-what.done:
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what.name, err)
		}
	}
	if err := c.Close(websocket.CloseNormal, "all said"); err != nil {
		return fmt.Errorf("closing: %w", err)
	}
	<-c.Done()
	return nil
}

func (k *talk) read(c *websocket.Conn) {
	for {
		kind, p, err := c.ReadMessage()
		if err != nil {
			k.end(c, err)
			return
		}
		k.hear(c, kind, p)
	}
}

// say sends everything, every fourth message piece by piece.
func (k *talk) say(c *websocket.Conn) error {
	for i, p := range k.sent {
		if i%4 != 3 {
			if err := c.WriteMessage(kindOf(i), p); err != nil {
				return err
			}
			continue
		}
		w, err := c.NextWriter(kindOf(i))
		if err != nil {
			return err
		}
		copyRaggedly(w, bytes.NewReader(p), 777)
		if err := w.Close(); err != nil {
			return err
		}
	}
	return nil
}

// dialMessages opens a connection to the site's echo.
func (s *site) dialMessages(reads string, cfg websocket.Config) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cfg.NetDial = func(ctx context.Context, _, _ string) (net.Conn, error) { return s.dial(ctx) }
	cfg.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
	cfg.TLSConfig = anyCertificate
	cfg.HandshakeTimeout, cfg.CloseTimeout, cfg.Group = patience, patience, s.group
	c, _, err := websocket.Dial(ctx,
		fmt.Sprintf("%s://%s/messages?reads=%s&compression=%d", s.scheme(), host, reads, cfg.Compression), cfg)
	return c, err
}

// converse echoes messages until the connection ends.
func (s *site) converse(x *exchange) {
	cfg := websocket.Config{
		Group: s.group, Compression: websocket.Compression(x.number("compression")), ReadLimit: readLimit,
	}
	reads := x.query.Get("reads")
	if reads == "callbacks" {
		cfg.OnMessage = func(c *websocket.Conn, kind websocket.MessageType, p []byte) { c.WriteMessage(kind, p) }
		cfg.OnClose = func(_ *websocket.Conn, err error) { s.ends <- err }
	}
	s.begun <- struct{}{}
	c, err := x.upgrade(cfg)
	if err != nil {
		s.ends <- err
		return
	}
	var echo func(*websocket.Conn) error
	switch reads {
	case "callbacks":
		return
	case "messages":
		echo = echoMessage
	case "streams":
		echo = echoStream
	}
	for err == nil {
		err = echo(c)
	}
	c.CloseNow() // if it was writing that failed
	s.ends <- err
}

func echoMessage(c *websocket.Conn) error {
	kind, p, err := c.ReadMessage()
	if err != nil {
		return err
	}
	return c.WriteMessage(kind, p)
}

// echoStream sends a message back while it comes.
func echoStream(c *websocket.Conn) error {
	kind, r, err := c.NextReader()
	if err != nil {
		return err
	}
	w, err := c.NextWriter(kind)
	if err != nil {
		return err
	}
	err = copyRaggedly(w, r, 3000)
	if closing := w.Close(); err == nil {
		err = closing
	}
	return err
}
