package websocket

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// A silent peer gets a ping, and is cut off if it does not answer.
func TestHeartbeat(t *testing.T) {
	const interval = 4 * time.Second
	for _, f := range faces[2:4] {
		t.Run(f.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				since := time.Now()
				wantSilent := func(what string) {
					t.Helper()
					if d := time.Since(since); d < interval || d > interval*3/2+2*clock.Tick {
						t.Errorf("%s after %v of silence", what, d)
					}
					since = time.Now()
				}
				g := new(Group)
				r := f.echo(t, Config{PingInterval: interval, Group: g})
				defer g.Shutdown(soon(t))
				r.peer.Timeout = patience
				for i, sign := range []string{frame(0x8A, ""), frame(0x8A, "unasked"), frame(0x89, ""), text("Hello")} {
					r.peer.Want(bare(0x89, ""))
					wantSilent("asked")
					if i > 0 { // else in the same moment
						time.Sleep(interval - clock.Tick) // as late as may be
					}
					r.peer.Send(sign)
					switch sign[0] {
					case 0x89:
						r.peer.Want(bare(0x8A, ""))
					case 0x81:
						r.peer.Want(bare(0x81, "Hello"))
					}
					synctest.Wait()
					since = time.Now()
				}
				r.peer.Want(bare(0x89, ""))
				wantSilent("asked at last")
				r.peer.WantGone()
				wantSilent("cut off")
				if err := r.wantEnd(); err != ErrSilent {
					t.Errorf("ended with %v, want ErrSilent", err)
				}
			})
		})
	}
}

// Pings are sent, and silent peers cut off, on sockets that may be parked.
func TestHeartbeatOnSockets(t *testing.T) {
	for _, f := range faces[:2] {
		t.Run(f.name, func(t *testing.T) {
			g := new(Group)
			r := f.echo(t, Config{PingInterval: 20 * time.Millisecond, Group: g, OnOpen: func(*Conn) {}})
			defer g.Shutdown(soon(t))
			r.peer.Want(bare(0x89, ""))
			if err := r.wantEnd(); err != ErrSilent {
				t.Errorf("ended with %v, want ErrSilent", err)
			}
			r.peer.WantGone()
			r = f.echo(t, Config{PingInterval: time.Hour, Group: g})
			p := &r.c.recv.heartbeat.pulse
			p.Heard(1)
			r.peer.Send(frame(0x8A, "") + text("Hello"))
			r.peer.Want(bare(0x81, "Hello"))
			if _, next := p.Beat(&r.c.send.link.Output, r.c.send.link.Moment(), true, int64(time.Hour), 1); next == 1+int64(time.Hour) {
				t.Error("a pong is no sign of life")
			}
			r.peer.Close()
			r.wantEnd()
		})
	}
}

// A peer is not silent while a callback takes long.
func TestHeartbeatOfTheBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(Group)
		release := make(chan struct{})
		cfg := Config{PingInterval: 20 * time.Millisecond, Group: g}
		r := faces[3].serve(t, cfg, func(c *Conn, typ MessageType, p []byte) error {
			<-release
			return c.WriteMessage(typ, p)
		})
		defer g.Shutdown(soon(t))
		r.peer.Timeout = patience
		r.peer.Send(text("Hello"))
		for range 4 {
			r.peer.WantUntil(bare(0x89, ""))
		}
		close(release)
		r.peer.WantUntil(bare(0x81, "Hello"))
	})
}
