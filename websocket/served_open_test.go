package websocket

import (
	"testing"
	"testing/synctest"
	"time"
)

// A peer does not count as silent while OnOpen runs, and does again afterwards.
func TestSlowOnOpenIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const interval = 4 * time.Second
		g := new(Group)
		r := faces[3].echo(t, Config{PingInterval: interval, Group: g, OnOpen: func(*Conn) { time.Sleep(10 * interval) }})
		defer g.Shutdown(soon(t))
		r.peer.Timeout = patience
		for range 3 {
			r.peer.Want(bare(0x89, ""))
		}
		r.peer.Send(frame(0x8A, "") + text("Hello"))
		for {
			if head := r.peer.WantN(2); head != bare(0x89, "") {
				if head != "\x81\x05" || r.peer.WantN(5) != "Hello" {
					t.Fatalf("got a frame that begins with % x", head)
				}
				break
			}
		}
		r.peer.Want(bare(0x89, ""))
		r.peer.WantGone()
		if err := r.wantEnd(); err != ErrSilent {
			t.Errorf("ended with %v, want ErrSilent", err)
		}

		r = faces[3].echo(t, Config{PingInterval: interval, Group: g, OnOpen: func(*Conn) { time.Sleep(interval / 2) }})
		r.peer.Timeout = patience
		r.peer.Want(bare(0x89, "")) // it says nothing at all
		if err := r.wantEnd(); err != ErrSilent {
			t.Errorf("ended with %v, want ErrSilent", err)
		}
	})
}
