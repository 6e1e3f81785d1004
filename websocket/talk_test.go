package websocket

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket/internal/handshake"
	"github.com/shockwave-go/shockwave/websocket/internal/permessage"
)

// patience is how long tests wait for an event that must happen.
const patience = time.Minute

// face is one of the ways in which a server is used.
type face struct {
	name      string
	callbacks bool
	tcp       bool
	split     wiretest.Split // of what the server reads, on a pipe
}

var faces = []face{
	{name: "blocking/tcp", tcp: true},
	{name: "callbacks/tcp", tcp: true, callbacks: true},
	{name: "blocking/pipe"},
	{name: "callbacks/pipe", callbacks: true},
	{name: "blocking/bytes", split: wiretest.EveryByte},
	{name: "callbacks/bytes", callbacks: true, split: wiretest.EveryByte},
}

func onEvery(t *testing.T, f func(t *testing.T, f face)) {
	t.Helper()
	for _, face := range faces {
		t.Run(face.name, func(t *testing.T) { f(t, face) })
	}
}

// rig is a server's end, which echoes, and a peer that sends and receives bytes.
type rig struct {
	t     *testing.T
	c     *Conn
	peer  *wiretest.Talk
	ended chan error // how the server's end ended
}

// pair returns two ends of a connection.
func (f face) pair(t *testing.T) (server, client net.Conn) {
	t.Helper()
	if !f.tcp {
		return wiretest.Pipe(wiretest.Config{Split: f.split}, wiretest.Config{})
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return server, client
}

// echo returns a rig whose server echoes with cfg.
func (f face) echo(t *testing.T, cfg Config) *rig {
	t.Helper()
	return f.serve(t, cfg, func(c *Conn, typ MessageType, p []byte) error { return c.WriteMessage(typ, p) })
}

// serve returns a rig whose server passes messages to on.
func (f face) serve(t *testing.T, cfg Config, on func(c *Conn, t MessageType, p []byte) error) *rig {
	t.Helper()
	ended := make(chan error, 1)
	if f.callbacks {
		cfg.OnMessage = func(c *Conn, typ MessageType, p []byte) {
			if err := on(c, typ, p); err != nil && !errors.Is(err, net.ErrClosed) {
				t.Errorf("the server's handler: %v", err)
			}
		}
		cfg.OnClose = func(_ *Conn, err error) { ended <- err }
	}
	r := f.open(t, cfg)
	r.ended = ended
	if !f.callbacks {
		go r.read(on)
	}
	return r
}

// open returns a rig whose server's end is not read, unless cfg has callbacks.
func (f face) open(t *testing.T, cfg Config) *rig {
	t.Helper()
	server, client := f.pair(t)
	s := cfg.settings()
	c, err := s.open(&opened{role: wsframe.Server, nc: server, agreed: agreed(t, s)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, c: c, peer: wiretest.NewTalk(t, client)}
	t.Cleanup(func() {
		r.peer.Close()
		c.CloseNow()
		within(t, "the connection to end", c.Done())
	})
	return r
}

// agreed returns the parameters on which a server with the settings and a client that offers permessage-deflate agree.
func agreed(t *testing.T, s *settings) handshake.Agreement {
	t.Helper()
	deflate, err := permessage.Choose([]string{permessage.Name}, s.shake.Compression, s.shake.Memory)
	if err != nil {
		t.Fatal(err)
	}
	return handshake.Agreement{Deflate: deflate}
}

func (r *rig) read(on func(c *Conn, t MessageType, p []byte) error) {
	for {
		typ, p, err := r.c.ReadMessage()
		if err == nil {
			err = on(r.c, typ, p)
		}
		if err != nil {
			r.ended <- err
			return
		}
	}
}

// wantEnd returns how the server's end ended.
func (r *rig) wantEnd() error {
	r.t.Helper()
	select {
	case err := <-r.ended:
		return err
	case <-time.After(patience):
		r.t.Fatal("the server's end has not ended")
		return nil
	}
}

// wantClose expects a close frame of that code, whatever its reason, and then the end.
func (r *rig) wantClose(code CloseCode) {
	r.t.Helper()
	head := r.peer.WantN(2)
	if head[0] != 0x88 {
		r.t.Fatalf("got a frame that begins with % x, want a close frame", head)
	}
	payload := r.peer.WantN(int(head[1]))
	if code == CloseNoStatus {
		if payload != "" {
			r.t.Fatalf("the close frame has the payload %q, want none", payload)
		}
	} else if got := CloseCode(binary.BigEndian.Uint16([]byte(payload))); got != code {
		r.t.Fatalf("closed with %v (%q), want %v", got, payload[2:], code)
	}
	r.peer.WantEOF()
}

func within(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("waited %v for %s", patience, what)
	}
}

func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// Frames of a client, masked with a key that changes every byte.

const key = 0x04030201

// frame returns a client's frame with first as its first byte.
func frame(first byte, payload string) string {
	b := wsframe.Append(nil, wsframe.Header{Kind: wsframe.Kind(first), Masked: true, Key: key, Length: int64(len(payload))})
	masked := make([]byte, len(payload))
	mask.XOR(masked, []byte(payload), key)
	return string(append(b, masked...))
}

func text(s string) string    { return frame(0x81, s) }
func binaryF(s string) string { return frame(0x82, s) }

// bare returns a server's frame.
func bare(first byte, payload string) string {
	return string(wsframe.Append(nil, wsframe.Header{Kind: wsframe.Kind(first), Length: int64(len(payload))})) + payload
}

func closeFrame(code CloseCode, reason string) string {
	return frame(0x88, string(binary.BigEndian.AppendUint16(nil, uint16(code)))+reason)
}

func letters(n int) string { return strings.Repeat("abcdefghijklmnopqrstuvwxyz", n/26+1)[:n] }
