package streamsock_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/streamsock"
)

// Every method may be called while peers come and go; the race detector finds what is not guarded.
func TestAtOnce(t *testing.T) {
	cfg := streamsock.Config{
		NetDial: func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("nobody is there")
		},
		RedialFirst: time.Microsecond, RedialLongest: time.Microsecond,
		Slow: streamsock.DropOldest, QueueMessages: 10, FirstMessage: true, Away: time.Millisecond, LastID: 20, MaxPeers: 10,
	}
	s := named(t, cfg)
	addr := bind(t, s, "tcp://127.0.0.1:0")
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for m, err := s.Recv(ctx); err == nil; m, err = s.Recv(ctx) {
			m.Release()
		}
	})
	away, err := s.Connect("tcp://127.0.0.1:1") // which is tried all the time
	if err != nil {
		t.Fatal(err)
	}
	calls := []func(p *streamsock.Peer, i int){
		func(p *streamsock.Peer, _ int) {
			if err := p.DialError(); err != nil && p != away {
				t.Error(err)
			}
		},
		func(p *streamsock.Peer, i int) { s.Group(fmt.Sprint(i % 3)).Join(p) },
		func(p *streamsock.Peer, i int) { s.Group(fmt.Sprint(i % 2)).Join(p) },
		func(p *streamsock.Peer, i int) { s.Group(fmt.Sprint(i % 3)).Leave(p) },
		func(_ *streamsock.Peer, i int) { s.Group(fmt.Sprint(i % 3)).Len() },
		func(p *streamsock.Peer, i int) { s.Group(fmt.Sprint(i%3)).Broadcast([]byte("group"), p) },
		func(p *streamsock.Peer, i int) { p.SetValue(i) },
		func(p *streamsock.Peer, _ int) { _ = p.Value() },
		func(p *streamsock.Peer, _ int) { _, _ = p.Transport(), p.RemoteAddr() },
		func(p *streamsock.Peer, _ int) { _ = p.Stats() },
		func(*streamsock.Peer, int) { _ = s.Stats() },
		func(p *streamsock.Peer, _ int) { _ = p.Send([]byte("send")) },
		func(*streamsock.Peer, int) { s.Broadcast([]byte("all")) },
		func(p *streamsock.Peer, _ int) { _, _ = s.Find(p.ID()) },
		func(*streamsock.Peer, int) { _ = s.Addresses() },
		func(p *streamsock.Peer, i int) {
			if i%10 == 0 && p != away {
				_ = p.Disconnect(0, "")
			}
		},
		func(*streamsock.Peer, int) {
			if bound, err := s.Bind("tcp://127.0.0.1:0"); err == nil {
				_ = s.Unbind(bound[0])
			}
		},
	}
	const rounds = 200
	var calling sync.WaitGroup
	start := make(chan struct{})
	for _, call := range calls {
		calling.Go(func() {
			<-start
			for i := range rounds {
				for _, p := range append(s.Peers(), away) {
					call(p, i)
				}
			}
		})
	}
	for i := range 3 {
		calling.Go(func() {
			for range rounds / 4 {
				c := streamsock.New(streamsock.Config{RedialFirst: -1, Linger: time.Millisecond})
				if p, err := c.Connect(addr); err == nil {
					_ = p.Send(fmt.Append(nil, "key ", i/2))
					_ = p.Send([]byte("hello"))
				}
				_ = c.Shutdown(t.Context())
			}
		})
	}
	close(start)
	calling.Wait()
	cancel()
	wg.Wait()
}

// Peers may join one group at the same time.
func TestJoinAtOnce(t *testing.T) {
	s := newSocket(t, streamsock.Config{RedialFirst: time.Hour, Linger: -1})
	var wg sync.WaitGroup
	const peers = 8
	for range peers {
		p, err := s.Connect("tcp://127.0.0.1:1")
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for range 100 {
				s.Group("all").Leave(p)
				s.Group("all").Join(p)
			}
		})
	}
	wg.Wait()
	if n := s.Group("all").Len(); n != peers {
		t.Errorf("%d members", n)
	}
}
