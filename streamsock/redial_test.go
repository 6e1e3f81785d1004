package streamsock_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/streamsock"
)

// elsewhere opens connections to the current listener, whatever address is dialled. So no other program can be there: an address
// that is given up and taken again may be another program's in between.
type elsewhere struct{ host atomic.Pointer[string] }

// is sets the address of that listener, "" for none.
func (e *elsewhere) is(addr string) {
	_, host, _ := strings.Cut(addr, "://")
	e.host.Store(&host)
}

func (e *elsewhere) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	host := *e.host.Load()
	if host == "" {
		return nil, errors.New("nobody is there")
	}
	return new(net.Dialer).DialContext(ctx, network, host)
}

// A dialled peer keeps its id and its queue while it has no connection.
func TestRedial(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			ours, theirs := certificate(t)
			var there elsewhere
			b := newSocket(t, streamsock.Config{
				DialTLSConfig: theirs, NetDial: there.dial, RedialFirst: time.Millisecond, RedialLongest: 10 * time.Millisecond,
			})
			a := streamsock.New(streamsock.Config{TLSConfig: ours})
			addr := bind(t, a, at(t, transport))
			there.is(addr)
			p, err := b.Connect(addr)
			if err != nil {
				t.Fatal(err)
			}
			wants(t, a, "connected 1")
			wants(t, b, "connected 1")
			there.is("")
			_ = a.Shutdown(context.Background())
			m := recv(t, b)
			if m.Kind != streamsock.EventDisconnected || !m.End.Returns {
				t.Fatalf("got %v, %+v; want %v, with a peer that returns", m.Kind, m.End, streamsock.EventDisconnected)
			}
			wiretest.Eventually(t, "a try that fails", func() bool { return p.DialError() != nil })
			for i := range 10 {
				if err := b.Send(1, fmt.Append(nil, i)); err != nil {
					t.Fatal(err)
				}
			}
			if n := p.Stats().Queued; n != 10 {
				t.Errorf("%d wait", n)
			}
			c := newSocket(t, streamsock.Config{TLSConfig: ours})
			there.is(bind(t, c, at(t, transport)))
			wants(t, b, "reconnected 1")
			wants(t, c, "connected 1", "1 0", "1 1", "1 2", "1 3", "1 4", "1 5", "1 6", "1 7", "1 8", "1 9")
			if err := b.Disconnect(1, 0, ""); err != nil {
				t.Fatal(err)
			}
			wants(t, b, "disconnected 1 local")
			wiretest.Within(t, "the peer to be gone", p.Done())
			if err := b.Send(1, nil); err != streamsock.ErrGone {
				t.Errorf("got %v, want %v", err, streamsock.ErrGone)
			}
		})
	}
}

// Messages sent after EventDisconnected go to the next connection, even while the callback still runs.
func TestSentWhenItHasGone(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			ours, theirs := certificate(t)
			gone, goOn := make(chan struct{}, 2), make(chan struct{})
			b := newSocket(t, streamsock.Config{
				DialTLSConfig: theirs, RedialFirst: time.Millisecond, RedialLongest: 10 * time.Millisecond,
				OnMessage: func(m streamsock.Message) {
					if m.Kind == streamsock.EventDisconnected {
						gone <- struct{}{}
						<-goOn
					}
				},
			})
			a := newSocket(t, streamsock.Config{TLSConfig: ours})
			if _, err := b.Connect(bind(t, a, at(t, transport))); err != nil {
				t.Fatal(err)
			}
			wants(t, a, "connected 1")
			if err := a.Disconnect(1, 0, ""); err != nil {
				t.Fatal(err)
			}
			wiretest.Within(t, "the end", gone)
			if err := b.Send(1, []byte("next")); err != nil {
				t.Fatal(err)
			}
			close(goOn)
			wantsOfEach(t, a, []string{"disconnected 1 local"}, []string{"connected 2", "2 next"})
			b.Disconnect(1, 0, "")
		})
	}
}

// A peer whose close code says that it restarts or is overloaded is dialled again after the longest wait.
func TestComesBackLater(t *testing.T) {
	t.Parallel()
	for code, later := range map[uint16]bool{1001: false, 1012: true, 1013: true, 4000: false} {
		a := newSocket(t, streamsock.Config{})
		b := newSocket(t, streamsock.Config{RedialFirst: time.Millisecond, RedialLongest: time.Hour})
		p, err := b.Connect(bind(t, a, "ws://127.0.0.1:0"))
		if err != nil {
			t.Fatal(err)
		}
		wants(t, a, "connected 1")
		if err := a.Disconnect(1, code, ""); err != nil {
			t.Fatal(err)
		}
		if later {
			time.Sleep(50 * time.Millisecond) // so long it would come again fifty times
			if n := a.Stats().Accepted; n != 1 {
				t.Errorf("code %d: %d connections", code, n)
			}
		} else {
			wantsOfEach(t, a, []string{"disconnected 1 local"}, []string{"connected 2"})
		}
		if err := p.Disconnect(0, ""); err != nil {
			t.Error(err)
		}
	}
}

// Without redialling, a peer that cannot be dialled is gone, with the error.
func TestDialOnce(t *testing.T) {
	s := newSocket(t, streamsock.Config{RedialFirst: -1})
	for _, addr := range []string{"tcp://127.0.0.1:1", "ws://127.0.0.1:1/x"} {
		p, err := s.Connect(addr)
		if err != nil {
			t.Fatal(err)
		}
		wiretest.Within(t, addr, p.Done())
		if p.DialError() == nil || p.Send(nil) != streamsock.ErrGone {
			t.Errorf("%s: %v", addr, p.DialError())
		}
	}
	for _, addr := range []string{"", "tcp://h", "udp://h:1", "tcp://h:1/path", "tcp://u@h:1", "ws://h:1/#x", "unix://", "tcp://[h:1"} {
		if _, err := s.Connect(addr); err == nil || !strings.HasPrefix(err.Error(), "streamsock: ") {
			t.Errorf("%q: %v", addr, err)
		}
		if _, err := s.Bind("tcp://127.0.0.1:0", addr); err == nil {
			t.Errorf("%q is bound", addr)
		}
	}
	if a := s.Addresses(); len(a) != 0 {
		t.Errorf("bound: got %q", a)
	}
}

// Connect fails when there is no free id.
func TestNoIDToDial(t *testing.T) {
	s := newSocket(t, streamsock.Config{LastID: 1, RedialFirst: time.Hour, Linger: -1})
	if _, err := s.Connect("tcp://127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	if p, err := s.Connect("tcp://127.0.0.1:1"); err == nil || p != nil || len(s.Peers()) != 1 {
		t.Errorf("%v, %v, %d peers", p, err, len(s.Peers()))
	}
}

// Bind and Connect during Shutdown are refused, or end with it.
func TestBeginWhileClosing(t *testing.T) {
	for range 50 {
		s := streamsock.New(streamsock.Config{RedialFirst: time.Hour, Linger: -1})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if p, err := s.Connect("tcp://127.0.0.1:1"); err == nil {
					wiretest.Within(t, "the peer to be gone", p.Done())
				} else if err != streamsock.ErrClosed {
					t.Errorf("got %v, want %v", err, streamsock.ErrClosed)
				}
			})
			wg.Go(func() {
				if _, err := s.Bind("tcp://127.0.0.1:0"); err != nil && err != streamsock.ErrClosed {
					t.Error(err)
				}
			})
		}
		_ = s.Shutdown(t.Context())
		wg.Wait()
		if a := s.Addresses(); len(a) > 0 || len(s.Peers()) > 0 {
			t.Fatalf("%q, %d peers", a, len(s.Peers()))
		}
	}
}

// After Unbind the peers stay and no further connections are accepted.
func TestUnbind(t *testing.T) {
	s := newSocket(t, streamsock.Config{})
	addr := bind(t, s, "tcp://127.0.0.1:0")
	r := dialRaw(t, addr, nil)
	wants(t, s, "connected 1")
	if err := s.Unbind(addr); err != nil {
		t.Fatal(err)
	}
	if err := s.Unbind(addr); err != streamsock.ErrNoAddress {
		t.Errorf("got %v, want %v", err, streamsock.ErrNoAddress)
	}
	r.message("still here")
	wants(t, s, "1 still here")
	bind(t, s, addr)
}

// Peers come, talk, are sent to, and go in every way at once: messages that arrive are whole and in order, and each connection is
// announced once and ends once.
func TestStorm(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			ours, theirs := certificate(t)
			s := streamsock.New(streamsock.Config{TLSConfig: ours, Slow: streamsock.DropOldest, Linger: 100 * time.Millisecond, PeerBytes: 10_000})
			addr := bind(t, s, at(t, transport))
			journal := make(chan error, 1)
			go func() { journal <- keepJournal(s) }()
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(uint64(i), 1))
					for range 15 {
						churn(t, r, s, addr, streamsock.Config{DialTLSConfig: theirs, RedialFirst: -1, Linger: time.Duration(r.IntN(100)) * time.Millisecond})
					}
				})
			}
			wg.Wait()
			_ = s.Shutdown(context.Background())
			if err := <-journal; err != nil {
				t.Error(err)
			}
			if n := len(s.Peers()); n > 0 {
				t.Errorf("%d peers are left", n)
			}
		})
	}
}

// churn is one client's life.
func churn(t *testing.T, r *rand.Rand, s *streamsock.Socket, addr string, cfg streamsock.Config) {
	c := streamsock.New(cfg)
	p, err := c.Connect(addr)
	if err != nil {
		t.Error(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	heard := make(chan error, 1)
	go func() {
		for {
			m, err := c.Recv(ctx)
			if err != nil {
				heard <- nil
				return
			}
			if m.Kind == streamsock.KindBinary && strings.Trim(string(m.Data), "x") != "" {
				heard <- fmt.Errorf("a message of %d bytes is not what was sent", len(m.Data))
				return
			}
			m.Release()
		}
	}()
	body := strings.Repeat("x", 20_000)
	for i := range r.IntN(60) {
		msg := fmt.Sprintf("%d %s", i, body[:r.IntN(1+r.IntN(20_000))])
		if err := p.Send([]byte(msg)); err != nil {
			break
		}
		if r.IntN(20) == 0 {
			s.Broadcast([]byte(body[:r.IntN(1000)]))
		}
	}
	switch r.IntN(4) {
	case 0:
		_ = p.Disconnect(0, "")
	case 1:
		for _, other := range s.Peers() {
			if r.IntN(4) == 0 {
				_ = other.Disconnect(4000, "go")
			}
		}
	}
	_ = c.Shutdown(context.Background())
	cancel()
	if err := <-heard; err != nil {
		t.Error(err)
	}
}

// keepJournal receives everything and checks it.
func keepJournal(s *streamsock.Socket) error {
	next := map[*streamsock.Peer]int{}
	for {
		m, err := s.Recv(context.Background())
		if err != nil {
			if len(next) > 0 {
				return fmt.Errorf("%d connections have no end", len(next))
			}
			return nil
		}
		at, live := next[m.Peer]
		switch m.Kind {
		case streamsock.EventConnected:
			if live {
				return errors.New("connected twice")
			}
			next[m.Peer] = 0
		case streamsock.EventDisconnected:
			if !live {
				return errors.New("disconnected twice")
			}
			delete(next, m.Peer)
		default:
			var i int
			if _, err := fmt.Sscan(string(m.Data), &i); err != nil || !live || i != at {
				return fmt.Errorf("message %d (%v) where %d is next, live: %v", i, err, at, live)
			}
			next[m.Peer]++
			if i%3 == 0 {
				_ = m.Peer.Send([]byte("xxx"))
			}
		}
		m.Release()
	}
}

// Shutdown counts the messages of peers that are given up at that moment.
func TestUndeliveredIsCounted(t *testing.T) {
	t.Parallel()
	for range 200 {
		s := streamsock.New(streamsock.Config{RedialFirst: 200 * time.Microsecond, RedialLongest: 200 * time.Microsecond, Linger: time.Millisecond})
		p, err := s.Connect("tcp://127.0.0.1:1")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(p.Send([]byte("a")), p.Send([]byte("b"))); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		if n := unsent(s.Shutdown(ctx)); n != 2 {
			t.Fatalf("%d messages were not delivered, want 2", n)
		}
		cancel()
	}
}
