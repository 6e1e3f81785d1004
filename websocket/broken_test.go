package websocket

import (
	"errors"
	"os"
	"testing"
	"time"
)

// A failed write ends the connection, whether a goroutine reads from it or not.
func TestFailedWriteEndsIt(t *testing.T) {
	for _, read := range []bool{false, true} {
		for _, f := range faces[:4] {
			t.Run(f.name, func(t *testing.T) {
				g := new(Group)
				cfg := Config{Group: g, CloseTimeout: 20 * time.Millisecond}
				var r *rig
				if read || f.callbacks {
					r = f.echo(t, cfg)
				} else {
					r = f.open(t, cfg)
				}
				var err error
				for r.c.send.link.WriteError() == nil { // a deadline that passes between two writes breaks nothing
					r.c.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
					err = r.c.WriteMessage(BinaryMessage, []byte(letters(1<<20)))
				}
				if !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("the write says %v", err)
				}
				within(t, "the end", r.c.Done())
				if err := r.c.Err(); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("Err is %v", err)
				}
				wantNoWrites(t, r.c)
				if n := g.Len(); n != 0 {
					t.Errorf("the group has %d connections", n)
				}
				if err := g.Shutdown(soon(t)); err != nil {
					t.Errorf("Shutdown: %v", err)
				}
			})
		}
	}
}

// Messages that arrived before a write failed can still be read.
func TestFailedWriteKeepsWhatHasArrived(t *testing.T) {
	r := faces[0].open(t, Config{})
	r.peer.Send(text("one") + text("two") + text("three"))
	if _, p, err := r.c.ReadMessage(); string(p) != "one" || err != nil {
		t.Fatalf(`got %q, %v; want "one"`, string(p), err)
	}
	much := make([]byte, 32<<20)
	for r.c.send.link.WriteError() == nil { // a deadline that passes before the write begins breaks nothing
		r.c.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
		if err := r.c.WriteMessage(BinaryMessage, much); err == nil {
			t.Fatal("a message was sent to a peer that reads nothing")
		}
	}
	within(t, "the end", r.c.Done())
	for _, want := range []string{"two", "three"} {
		if _, p, err := r.c.ReadMessage(); string(p) != want || err != nil {
			t.Fatalf("got %v, %v; want %v", string(p), err, want)
		}
	}
	if _, _, err := r.c.ReadMessage(); !errors.Is(err, os.ErrDeadlineExceeded) || r.c.Err() == nil {
		t.Errorf("then %v, and Err is %v", err, r.c.Err())
	}
}

// wantNoWrites checks that every write fails on a connection that is over.
func wantNoWrites(t *testing.T, c *Conn) {
	t.Helper()
	for _, by := range []time.Time{{}, aLongTimeAgo} {
		c.SetWriteDeadline(by)
		_, nextErr := c.NextWriter(TextMessage)
		for name, err := range map[string]error{
			"WriteMessage": c.WriteMessage(TextMessage, nil),
			"NextWriter":   nextErr,
			"Send":         c.Send(TextMessage, nil),
			"Ping":         c.Ping(t.Context()),
		} {
			if err != ErrClosed {
				t.Errorf("%s after the end, deadline %v: got %v, want %v", name, by, err, ErrClosed)
			}
		}
	}
}
