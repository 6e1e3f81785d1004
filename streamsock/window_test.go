package streamsock

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// between is a connection with the given addresses.
type between struct {
	*net.TCPConn
	local, remote net.Addr
}

func (c *between) LocalAddr() net.Addr  { return c.local }
func (c *between) RemoteAddr() net.Addr { return c.remote }

// named is an address without numbers.
type named string

func (n named) Network() string { return "named" }
func (n named) String() string  { return string(n) }

// sameHost reports whether the peer is on the same host.
func TestNear(t *testing.T) {
	at := func(host string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(host), Port: 1} }
	for _, tc := range []struct {
		local, remote net.Addr
		near          bool
	}{
		{at("127.0.0.1"), at("127.0.0.1"), true},
		{at("127.0.0.1"), at("127.8.0.1"), true},
		{at("::1"), at("::1"), true},
		{at("::ffff:127.0.0.1"), at("::ffff:127.0.0.1"), true},
		{at("10.0.0.1"), at("10.0.0.1"), true},
		{at("10.0.0.1"), at("10.0.0.2"), false},
		{at("fe80::1"), at("fe80::2"), false},
		{&net.UnixAddr{Name: "a", Net: "unix"}, &net.UnixAddr{Net: "unix"}, true},
		{named("pipe"), named("pipe"), false},
		{named("pipe"), at("127.0.0.1"), true},
		{named("pipe"), at("10.0.0.1"), false},
	} {
		if got := sameHost(&between{local: tc.local, remote: tc.remote}); got != tc.near {
			t.Errorf("%v and %v: got %v, want %v", tc.local, tc.remote, got, tc.near)
		}
	}
}

// A connection within the same host has a window, and one over a network has none.
func TestWindow(t *testing.T) {
	for _, far := range []bool{false, true} {
		s := New(Config{NetDial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			nc, err := new(net.Dialer).DialContext(ctx, network, addr)
			if err == nil && far {
				nc = &between{nc.(*net.TCPConn), &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1)}, &net.TCPAddr{IP: net.IPv4(10, 0, 0, 2)}}
			}
			return nc, err
		}})
		defer s.Shutdown(t.Context())
		bound, err := s.Bind("tcp://127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Connect(bound[0]); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			m, err := s.Recv(t.Context())
			if err != nil || m.Kind != EventConnected {
				t.Fatalf("got %v, %v; want %v", m.Kind, err, EventConnected)
			}
			want := nearWindow
			if far && m.Peer.Dialled() {
				want = 0
			}
			wiretest.Eventually(t, "its connection", func() bool { return !m.Peer.Stats().Since.IsZero() }) // which is told of before
			if got := m.Peer.Stats().Window; got != int64(want) {
				t.Errorf("far %v, dialled %v: a window of %d, want %d", far, m.Peer.Dialled(), got, want)
			}
		}
	}
}

// Send waits a short time while earlier output is queued, and not again if nothing leaves.
func TestKeepNear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(&hub{cfg: Config{}.settings()}, nil)
		c := &conn{peer: p, near: near{window: 1000, room: &p.room}}
		c.writer.gather.Ask()
		p.conn = c
		waited := func(n int) time.Duration {
			began := time.Now()
			p.mu.Lock()
			p.awaitNearRoomLocked(n)
			p.mu.Unlock()
			return time.Since(began)
		}
		if d := waited(2000); d != 0 {
			t.Errorf("an empty line: got %v, want 0", d)
		}
		p.queue.add(&outMsg{b: make([]byte, 600)})
		if d := waited(400); d != 0 {
			t.Errorf("as much as the window: got %v, want 0", d)
		}
		if d := waited(401); d != nearWait {
			t.Errorf("more than the window: got %v, want %v", d, nearWait)
		}
		if d := waited(401); d != 0 || !c.near.stuck {
			t.Errorf("who takes nothing: %v, %v", d, c.near.stuck)
		}
		c.near.stuck = false
		longer := make(chan time.Duration)
		go func() { longer <- waited(large) }() // which waits on when there is room for the other
		go func() {
			time.Sleep(nearWait / 2)
			p.mu.Lock()
			s := p.queue.take()
			s.free()
			p.room.Broadcast()
			p.mu.Unlock()
		}()
		if d := waited(401); d != nearWait/2 {
			t.Errorf("what leaves: got %v, want %v", d, nearWait/2)
		}
		if d := <-longer; d != nearWait {
			t.Errorf("a large message beside it: got %v, want %v", d, nearWait)
		}
		c.near.stuck = false
		go func() {
			time.Sleep(nearWait / 2)
			p.mu.Lock()
			c.writer.gather.Drawn(false)
			c.writer.broken = true
			p.room.Broadcast()
			p.mu.Unlock()
		}()
		if d := waited(large); d != nearWait/2 {
			t.Errorf("a large message behind another, when the connection breaks: got %v, want %v", d, nearWait/2)
		}
		c.near.window, c.writer.broken = 0, false
		if d := waited(large); d != 0 {
			t.Errorf("without a window: got %v, want 0", d)
		}
	})
}
