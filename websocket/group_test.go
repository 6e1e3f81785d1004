package websocket

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// Shutdown sends code 1001 and waits for the close frames, whether something reads or not.
func TestShutdown(t *testing.T) {
	g := new(Group)
	kinds := []*rig{
		faces[0].echo(t, Config{Group: g}),
		faces[1].echo(t, Config{Group: g}),
		faces[0].open(t, Config{Group: g}),
	}
	if g.Len() != len(kinds) {
		t.Fatalf("%d connections", g.Len())
	}
	done := make(chan error)
	go func() { done <- g.Shutdown(soon(t)) }()
	for _, r := range kinds {
		r.peer.Want(bare(0x88, "\x03\xE9"))
		r.peer.Send(binaryF("not read any more") + closeFrame(CloseGoingAway, ""))
		r.peer.WantEOF()
		r.peer.Close()
	}
	if err := <-done; err != nil {
		t.Errorf("Shutdown returned %v", err)
	}
	near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
	defer far.Close()
	if _, err := (Config{Group: g}).settings().open(&opened{role: wsframe.Server, nc: near}, nil); err != ErrGroupClosed {
		t.Errorf("a connection afterwards: got %v, want %v", err, ErrGroupClosed)
	}
}

// When its context ends, Shutdown cuts off the remaining connections.
func TestShutdownGivesUp(t *testing.T) {
	g := new(Group)
	blocking, callbacks := faces[0].echo(t, Config{Group: g}), faces[1].echo(t, Config{Group: g})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := g.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown returned %v", err)
	}
	for _, r := range []*rig{blocking, callbacks} {
		r.peer.WantUntil("\x88\x02\x03\xE9")
		r.peer.WantGone()
		r.wantEnd()
	}
}

// stuck is a connection that takes nothing until it is closed, or a deadline has passed.
type stuck struct {
	net.Conn
	begun chan struct{}
	once  sync.Once
}

func (s *stuck) Write([]byte) (int, error) {
	s.once.Do(func() { close(s.begun) })
	return s.Conn.Write(make([]byte, 1<<20))
}

// A connection that is shut down during its handshake ends once.
func TestShutdownAmidTheAnswer(t *testing.T) {
	for _, cfg := range []Config{{}, {OnMessage: func(*Conn, MessageType, []byte) {}}} {
		for range 3 {
			near, far := net.Pipe()
			s := &stuck{Conn: near, begun: make(chan struct{})}
			cfg.Group = new(Group)
			done := make(chan error)
			go func() {
				_, err := cfg.settings().open(&opened{role: wsframe.Server, nc: s, response: []byte("HTTP/1.1 101 ")}, nil)
				done <- err
			}()
			<-s.begun
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if err := cfg.Group.Shutdown(ctx); err != nil && err != context.Canceled { // nil if it has been broken off by then
				t.Errorf("Shutdown returned %v", err)
			}
			if err := <-done; err == nil {
				t.Error("the response was sent")
			}
			far.Close()
		}
	}
}

// All connections get a broadcast, and a peer that does not read delays no other.
func TestBroadcast(t *testing.T) {
	g := new(Group)
	defer g.Shutdown(soon(t))
	var all []*rig
	for range 10 {
		all = append(all, faces[len(all)%2].echo(t, Config{Group: g, Slow: DropOldest, Backlog: 2}))
	}
	stuck := faces[1].echo(t, Config{Group: g, Slow: DropOldest, Backlog: 2})
	big := Prepare(BinaryMessage, []byte(letters(256<<10)))
	for stuck.c.Dropped() == 0 {
		if n := g.Broadcast(big); n != 11 {
			t.Fatalf("sent to %d", n)
		}
		for _, r := range all {
			r.peer.Want(bare(0x82, letters(256<<10)))
		}
	}
	for _, r := range all {
		r.peer.Close()
	}
	stuck.peer.Close()
}

// Each policy does with messages for a slow peer what its comment says.
func TestOutbox(t *testing.T) {
	for _, tc := range []struct {
		slow Slow
		want string // what arrives in the end of the numbered messages
	}{
		{BlockWhenSlow, "0123456789"},
		{DropOldest, "789"},
		{LatestPerKey, "789"},
	} {
		near, far := net.Pipe()
		g := new(Group)
		c, err := Config{Group: g, Slow: tc.slow, Backlog: 3}.settings().open(&opened{role: wsframe.Server, nc: near}, nil)
		if err != nil {
			t.Fatal(err)
		}
		first := letters(70_000) // fills the queue of the connection
		if err := c.Send(BinaryMessage, []byte(first)); err != nil {
			t.Fatal(err)
		}
		if err := c.Send(BinaryMessage, []byte(first)); err != nil {
			t.Fatal(err)
		}
		sent := make(chan error, 1)
		go func() {
			for i := range 10 {
				if err := c.SendKey(strconv.Itoa(i%5), TextMessage, []byte{byte('0' + i)}); err != nil {
					sent <- err
					return
				}
			}
			sent <- nil
		}()
		if tc.slow != BlockWhenSlow {
			if err := <-sent; err != nil {
				t.Fatal(err)
			}
			if c.Dropped() == 0 {
				t.Error("Dropped: got 0")
			}
		}
		peer := wiretest.NewTalk(t, far)
		got := ""
		peer.Want(bare(0x82, first))
		last := tc.want[len(tc.want)-1]
		for len(got) == 0 || got[len(got)-1] != last {
			head := peer.WantN(2)
			if head == "\x82\x7f" {
				peer.WantN(8 + 70_000)
				continue
			}
			got += peer.WantN(1)
		}
		if tc.slow == BlockWhenSlow && got != tc.want {
			t.Errorf("policy %d: %q arrived, want %q", tc.slow, got, tc.want)
		}
		far.Close()
		c.CloseNow()
		g.Shutdown(soon(t))
	}
}

// CloseWhenSlow ends the connection of a peer that does not read.
func TestCloseWhenSlow(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	c, err := Config{Slow: CloseWhenSlow, Backlog: 1, CloseTimeout: 20 * time.Millisecond, OnMessage: func(*Conn, MessageType, []byte) {}}.settings().
		open(&opened{role: wsframe.Server, nc: near}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		err = c.Send(BinaryMessage, []byte(letters(70_000)))
	}
	if err != ErrSlowPeer {
		t.Errorf("Send returned %v", err)
	}
	within(t, "the end", c.Done())
	if c.Err() != ErrSlowPeer {
		t.Errorf("ended with %v", c.Err())
	}
	if err := c.Send(BinaryMessage, nil); err != ErrSlowPeer {
		t.Errorf("afterwards Send returns %v", err)
	}
}
