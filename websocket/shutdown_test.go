package websocket

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Shutdown waits for a peer that has much to read before its close frame.
func TestShutdownTellsWhoIsBehind(t *testing.T) {
	for _, f := range faces[:4] {
		t.Run(f.name, func(t *testing.T) {
			g := new(Group)
			const count = 60
			r := f.echo(t, Config{Group: g, Backlog: count, BacklogBytes: -1})
			want := bare(0x82, letters(64<<10))
			for range count {
				if err := r.c.Send(BinaryMessage, []byte(letters(64<<10))); err != nil {
					t.Fatal(err)
				}
			}
			over := make(chan error, 1)
			go func() { over <- g.Shutdown(soon(t)) }()
			for range count {
				r.peer.Want(want)
			}
			r.peer.Want(bare(0x88, "\x03\xE9"))
			r.peer.Send(closeFrame(CloseGoingAway, ""))
			r.peer.WantEOF()
			r.peer.Close()
			if err := <-over; err != nil {
				t.Errorf("Shutdown: %v", err)
			}
		})
	}
}

// Shutdown returns nil only if every peer has got everything.
func TestShutdownTellsOfCuts(t *testing.T) {
	for _, f := range faces[:2] {
		for _, leaves := range []bool{false, true} {
			t.Run(fmt.Sprint(f.name, leaves), func(t *testing.T) {
				g := new(Group)
				r := f.echo(t, Config{Group: g, Slow: DropOldest})
				if leaves {
					r.goodbyeAmidAMessage()
				} else {
					r.behind()
				}
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				defer cancel()
				if err := g.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Shutdown: %v", err)
				}
				within(t, "the end", r.c.Done())
				r.wantCut()
				if !leaves && r.c.Dropped() == 0 {
					t.Error("Dropped: got 0")
				}
			})
		}
	}
}

// goodbyeAmidAMessage makes the peer close while it is being sent more than it reads.
func (r *rig) goodbyeAmidAMessage() {
	r.t.Helper()
	r.narrow()
	go r.c.WriteMessage(BinaryMessage, make([]byte, 32<<20))
	until := time.Now().Add(patience)
	for !r.c.send.link.Unsent() && time.Now().Before(until) {
		runtime.Gosched()
	}
	r.peer.Send(closeFrame(CloseNormal, ""))
	for r.c.Send(TextMessage, nil) == nil {
		if time.Now().After(until) {
			r.t.Fatal("the close frame did not arrive")
		}
		runtime.Gosched()
	}
}

// Ping waits no longer than its context for a peer that does not read.
func TestPingDoesNotWaitForThePeer(t *testing.T) {
	for range 3 {
		if err := deaf(t, Config{}).Ping(briefly(t)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("to a peer that takes nothing: %v", err)
		}
	}
	for _, f := range faces[:2] {
		t.Run(f.name, func(t *testing.T) {
			r := f.echo(t, Config{})
			r.behind()
			for range 20 { // there may be room in the queue for some
				if err := r.c.Ping(briefly(t)); !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
			}
			written := make(chan error, 1)
			go func() { written <- r.c.WriteMessage(BinaryMessage, make([]byte, 32<<20)) }()
			if err := r.c.Ping(briefly(t)); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			r.c.CloseNow()
			if err := <-written; err == nil {
				t.Error("a message was sent to a peer that reads nothing")
			}
		})
	}
}

// CloseWhenSlow sends its close frame behind the data under way, and loses none of that.
func TestTooSlowIsTold(t *testing.T) {
	for _, f := range faces[:2] {
		t.Run(f.name, func(t *testing.T) {
			g := new(Group)
			defer g.Shutdown(soon(t))
			r := f.echo(t, Config{Group: g, Slow: CloseWhenSlow, Backlog: 2})
			r.narrow()
			var err error
			sent := -1
			for ; err == nil; sent++ {
				err = r.c.Send(BinaryMessage, []byte(letters(16<<10)))
			}
			if err != ErrSlowPeer || r.c.Send(TextMessage, nil) != ErrSlowPeer {
				t.Fatalf("Send: %v, then %v", err, r.c.Send(TextMessage, nil))
			}
			came := strings.Count(r.peer.WantUntil(bare(0x88, "\x03\xF0")), bare(0x82, letters(16<<10)))
			if dropped := int(r.c.Dropped()); came+dropped != sent+1 || dropped != 3 {
				t.Errorf("of %d messages and one too many %d came, %d were dropped", sent, came, dropped)
			}
			r.peer.Send(closeFrame(ClosePolicyViolation, ""))
			r.peer.WantEOF()
			r.peer.Close()
			if err := r.wantEnd(); err != ErrSlowPeer || r.c.Err() != ErrSlowPeer {
				t.Errorf("ended with %v and %v", err, r.c.Err())
			}
		})
	}
}
