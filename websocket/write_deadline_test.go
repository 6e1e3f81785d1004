package websocket

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

var aLongTimeAgo = time.Unix(1, 0)

// A write deadline that passes while nothing is being sent does not end the connection.
func TestPastWriteDeadline(t *testing.T) {
	for _, compression := range []Compression{NoCompression, ContextTakeover} {
		onEvery(t, func(t *testing.T, f face) {
			r := f.echo(t, Config{Compression: compression, CompressionThreshold: 1})
			m := Prepare(TextMessage, []byte("late"))
			for name, write := range map[string]func() error{
				"WriteMessage": func() error { return r.c.WriteMessage(TextMessage, []byte("late")) },
				"NextWriter":   func() error { _, err := r.c.NextWriter(TextMessage); return err },
				"Send":         func() error { return r.c.Send(TextMessage, []byte("late")) },
				"SendPrepared": func() error { return r.c.SendPrepared(m) },
				"Ping":         func() error { return r.c.Ping(t.Context()) },
			} {
				r.c.SetWriteDeadline(aLongTimeAgo)
				if err := write(); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("%s: %v", name, err)
				}
				r.c.SetWriteDeadline(time.Time{})
			}
			r.peer.Send(frame(0x89, "there?"))
			r.peer.Want(bare(0x8A, "there?"))
		})
	}
}

// A ping after the write deadline is not answered, and the connection goes on.
func TestPingAfterTheWriteDeadline(t *testing.T) {
	onPulled(t, func(t *testing.T, f face) {
		r := f.open(t, Config{})
		r.c.SetWriteDeadline(aLongTimeAgo)
		r.peer.Send(frame(0x89, "there?") + text("a"))
		if _, p, err := r.c.ReadMessage(); string(p) != "a" || err != nil {
			t.Fatalf("read %q, %v", p, err)
		}
		r.c.SetWriteDeadline(time.Time{})
		if err := r.c.WriteMessage(TextMessage, []byte("b")); err != nil {
			t.Fatal(err)
		}
		r.peer.Want(bare(0x81, "b"))
	})
}

// A peer that cannot be sent a ping because of the write deadline is not judged to be silent.
func TestSilentAfterTheWriteDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(Group)
		defer g.Shutdown(t.Context())
		c, s := Pipe(Config{Group: g, PingInterval: time.Second}, Config{Group: g})
		go s.ReadMessage() // answers pings
		c.SetWriteDeadline(aLongTimeAgo)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, _, err := c.ReadMessageContext(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		c.CloseNow()
		s.CloseNow()
	})
}
