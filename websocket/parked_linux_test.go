package websocket

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// A silent connection still wakes the goroutines that wait in it, and parks if there are none.
func TestWaitersOutliveIdleness(t *testing.T) {
	if os.Getenv("SHOCKWAVE_LOOP") == "plain" {
		t.Skip("the plain loop does not park")
	}
	for name, wake := range map[string]struct {
		up   func(c *Conn, w io.Closer, cancel func())
		want error
	}{
		"the end of the message": {func(_ *Conn, w io.Closer, _ func()) { w.Close() }, nil},
		"the context":            {func(_ *Conn, _ io.Closer, cancel func()) { cancel() }, context.Canceled},
		"CloseNow":               {func(c *Conn, _ io.Closer, _ func()) { c.CloseNow() }, net.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			g := new(Group)
			cfg := g.config()
			cfg.Clock = clock.NewManual()
			g.engine = netconn.New(cfg)
			r, idle := faces[1].echo(t, Config{Group: g}), faces[1].echo(t, Config{Group: g})
			for _, r := range []*rig{r, idle} {
				r.peer.Send(text("x"))
				r.peer.Want(bare(0x81, "x"))
			}
			w := r.nextWriter(TextMessage)
			if _, err := io.WriteString(w, "one"); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			told := make(chan error, 1)
			go func() { told <- r.c.WriteMessageContext(ctx, TextMessage, []byte("two")) }()
			for until := time.Now().Add(patience); g.engine.Stats().Parked == 0; runtime.Gosched() {
				cfg.Clock.Advance(time.Second)
				if time.Now().After(until) {
					t.Fatal("the connection does not park")
				}
			}
			for range 20 {
				cfg.Clock.Advance(time.Second)
				runtime.Gosched()
			}
			if err := r.c.SendKey("k", TextMessage, []byte("three")); err != nil {
				t.Fatal(err)
			}
			wake.up(r.c, w, cancel)
			select {
			case err := <-told:
				if !errors.Is(err, wake.want) {
					t.Errorf("the writer is told %v, want %v", err, wake.want)
				}
			case <-time.After(patience):
				t.Fatal("the writer was not woken")
			}
			w.Close()
		})
	}
}
