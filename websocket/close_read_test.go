package websocket

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"
)

// CloseRead answers pings, and the peer's close frame ends the context.
func TestCloseRead(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		cfg := Config{}
		if f.callbacks {
			cfg.OnMessage = func(*Conn, MessageType, []byte) {}
		}
		r := f.open(t, cfg)
		ctx := r.c.CloseRead(t.Context())
		r.peer.Send(frame(0x89, "there?"))
		r.peer.Want(bare(0x8A, "there?"))
		if err := r.c.WriteMessage(TextMessage, []byte("news")); err != nil || ctx.Err() != nil {
			t.Fatal(err, ctx.Err())
		}
		r.peer.Want(bare(0x81, "news"))
		r.peer.Send(closeFrame(4321, ""))
		within(t, "the context to end", ctx.Done())
		if cause := context.Cause(ctx); CloseStatus(cause) != 4321 {
			t.Errorf("because of %v", cause)
		}
	})
}

// A read deadline does not end CloseRead.
func TestCloseReadDeadline(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		r.c.SetReadDeadline(time.Now().Add(-time.Second))
		ctx := r.c.CloseRead(t.Context())
		r.peer.Send(frame(0x89, "there?"))
		r.peer.Want(bare(0x8A, "there?"))
		r.c.SetReadDeadline(time.Now())
		r.peer.Send(frame(0x89, "and now?"))
		r.peer.Want(bare(0x8A, "and now?"))
		r.peer.Send(closeFrame(4321, ""))
		within(t, "the context to end", ctx.Done())
	})
}

// CloseRead ends the connection as soon as a message begins.
func TestCloseReadRefuses(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		ctx := r.c.CloseRead(t.Context())
		r.peer.Send(frame(0x01, "Hel"))
		head := r.peer.WantN(2)
		if got := r.peer.WantN(int(head[1])); head[0] != 0x88 || got[:2] != "\x03\xF0" {
			t.Errorf("got % x %q", head, got)
		}
		r.peer.Send(frame(0x80, "lo") + closeFrame(ClosePolicyViolation, ""))
		within(t, "the context to end", ctx.Done())
	})
}

// When the context of CloseRead ends, the peer gets a close frame.
func TestCloseReadContext(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		cfg := Config{}
		if f.callbacks {
			cfg.OnMessage = func(*Conn, MessageType, []byte) {}
		}
		r := f.open(t, cfg)
		outer, cancel := context.WithCancel(t.Context())
		ctx := r.c.CloseRead(outer)
		cancel()
		within(t, "the context to end", ctx.Done())
		r.peer.Want(bare(0x88, "\x03\xE9"))
		r.peer.Send(closeFrame(CloseGoingAway, ""))
		within(t, "the connection to end", r.c.Done())
		if err := r.c.Err(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("ended with %v", err)
		}
	})
}

// After CloseWrite, CloseRead drops messages and reads the peer's close frame.
func TestCloseReadAfterCloseWrite(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{CloseTimeout: -1})
		ctx := r.c.CloseRead(t.Context())
		if err := r.c.CloseWrite(CloseNormal, ""); err != nil {
			t.Fatal(err)
		}
		r.peer.Want(bare(0x88, "\x03\xE8"))
		r.peer.Send(text("late") + frame(0x01, "and la") + frame(0x80, "ter") + closeFrame(CloseNormal, ""))
		within(t, "the context to end", ctx.Done())
		if cause := context.Cause(ctx); cause != ErrClosed {
			t.Errorf("because of %v", cause)
		}
		r.peer.WantEOF()
	})
}
