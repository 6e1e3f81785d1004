package streamsock_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/streamsock"
)

// endless is a socket whose callback replies to a message as long as it can, and reports with what error that ended.
func endless(t *testing.T, cfg streamsock.Config) (s *streamsock.Socket, replied chan error) {
	replied = make(chan error, 1)
	cfg.QueueMessages, cfg.Linger = 1, time.Millisecond
	cfg.OnMessage = func(m streamsock.Message) {
		if m.Kind == streamsock.KindBinary {
			err := error(nil)
			for err == nil {
				err = m.Reply(make([]byte, 100_000))
			}
			replied <- err
		}
	}
	return newSocket(t, cfg), replied
}

// A Reply that waits for room ends when the peer has gone, however it went.
func TestReplyEnds(t *testing.T) {
	for _, transport := range transports {
		for _, way := range []struct {
			name string
			ends func(r *raw)
		}{
			{"close", func(r *raw) { underlying(r).Close() }},
			{"close, read a little", func(r *raw) { _, _ = r.Read(make([]byte, 1000)); underlying(r).Close() }},
			{"reset", func(r *raw) {
				if c, ok := underlying(r).(*net.TCPConn); ok {
					_ = c.SetLinger(0)
				}
				underlying(r).Close()
			}},
		} {
			t.Run(transport+" "+way.name, func(t *testing.T) {
				t.Parallel()
				ours, theirs := certificate(t)
				s, replied := endless(t, streamsock.Config{TLSConfig: ours})
				r := dialRaw(t, bind(t, s, at(t, transport)), theirs)
				r.message("go")
				wiretest.Eventually(t, "Reply to wait", func() bool { ps := s.Peers(); return len(ps) > 0 && ps[0].Stats().Queued > 0 })
				time.Sleep(50 * time.Millisecond) // until nothing is taken any more
				way.ends(r)
				if err := wiretest.Within(t, "Reply", replied); err != streamsock.ErrGone {
					t.Errorf("got %v, want %v", err, streamsock.ErrGone)
				}
			})
		}
	}
}

// underlying returns the socket below TLS.
func underlying(r *raw) net.Conn {
	if c, ok := r.Conn.(interface{ NetConn() net.Conn }); ok {
		return c.NetConn()
	}
	return r.Conn
}

// A Reply that waits for room ends when the peer comes back on another connection.
func TestReplyReplaced(t *testing.T) {
	s, replied := endless(t, streamsock.Config{FirstMessage: true, Accept: func(a *streamsock.Arrival) error { a.Key = string(a.First); return nil }})
	addr := bind(t, s, "tcp://127.0.0.1:0")
	r := dialRaw(t, addr, nil)
	r.message("anna")
	r.message("go")
	wiretest.Eventually(t, "Reply to wait", func() bool { ps := s.Peers(); return len(ps) > 0 && ps[0].Stats().Queued > 0 })
	dialRaw(t, addr, nil).message("anna")
	if err := wiretest.Within(t, "Reply", replied); err != streamsock.ErrGone {
		t.Errorf("got %v, want %v", err, streamsock.ErrGone)
	}
}

// A Reply that waits for room ends when this side disconnects the peer.
func TestReplyDisconnected(t *testing.T) {
	for _, transport := range transports {
		ours, theirs := certificate(t)
		s, replied := endless(t, streamsock.Config{TLSConfig: ours})
		dialRaw(t, bind(t, s, at(t, transport)), theirs).message("go")
		wiretest.Eventually(t, "Reply to wait", func() bool { ps := s.Peers(); return len(ps) > 0 && ps[0].Stats().Queued > 0 })
		if err := s.Disconnect(1, 0, ""); err != nil {
			t.Error(err)
		}
		if err := wiretest.Within(t, "Reply", replied); err != streamsock.ErrGone {
			t.Errorf("got %v, want %v", err, streamsock.ErrGone)
		}
	}
}

// A Reply that waits for room ends when the peer has closed and takes nothing.
func TestReplyClosed(t *testing.T) {
	s := newSocket(t, streamsock.Config{QueueMessages: 1, Linger: time.Minute})
	r := dialRaw(t, bind(t, s, "ws://127.0.0.1:0"), nil)
	p := wants(t, s, "connected 1")
	r.message("go")
	m := recv(t, s)
	replied := make(chan error, 1)
	go func() {
		for {
			if err := m.Reply(make([]byte, 1<<20)); err != nil {
				replied <- err
				return
			}
		}
	}()
	sent := int64(0)
	wiretest.Eventually(t, "Reply to wait", func() bool {
		before := sent
		sent = p.Stats().Sent
		time.Sleep(10 * time.Millisecond)
		return sent == before && p.Stats().Queued > 0
	})
	r.frame(0x88, "\x03\xe8")
	if err := wiretest.Within(t, "Reply", replied); err != streamsock.ErrGone {
		t.Errorf("got %v, want %v", err, streamsock.ErrGone)
	}
	wants(t, s, "disconnected 1 closed")
}

// Messages sent while a callback runs leave at once.
func TestSentWhileCalled(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			heard := make(chan bool)
			ours, theirs := certificate(t)
			s, _ := streamsock.NewStill(t, streamsock.Config{TLSConfig: ours, OnMessage: func(m streamsock.Message) {
				if m.Kind == streamsock.KindBinary {
					_ = m.Peer.Send([]byte("reply"))
					<-heard
				}
			}})
			defer close(heard)
			r := dialRaw(t, bind(t, s, at(t, transport)), theirs)
			wiretest.Eventually(t, "the peer", func() bool { return s.Peer(1) != nil && !s.Peer(1).Stats().Since.IsZero() })
			p := s.Peer(1)
			send := func(text string) {
				t.Helper()
				if err := p.Send([]byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			p.Hold() // as when bytes have come and the callback is about to be called
			send("before")
			if !p.Unsent() {
				t.Error("the message has left already")
			}
			goOn := p.Pauses()
			r.want("before")
			send("meanwhile")
			r.want("meanwhile")
			wiretest.Eventually(t, "who has sent that to be done", func() bool { return !p.Unsent() })
			goOn()
			send("behind")
			wiretest.Eventually(t, "it to be held back", p.Unsent)
			if time.Sleep(10 * time.Millisecond); !p.Unsent() {
				t.Error("a message leaves although it is held back")
			}
			p.Release()
			for i := range 3 {
				r.message("go")
				if i == 0 {
					r.want("behind")
				}
				r.want("reply")
				send("1")
				r.want("1")
				send("2") // which is gathered
				r.want("2")
				heard <- true
			}
		})
	}
}

// Messages are sent while nobody receives.
func TestSentWhileFull(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			ours, theirs := certificate(t)
			s, _ := streamsock.NewStill(t, streamsock.Config{TLSConfig: ours, PeerBytes: 1})
			r := dialRaw(t, bind(t, s, at(t, transport)), theirs)
			p := wants(t, s, "connected 1")
			r.message("a")
			wiretest.Eventually(t, "a message", func() bool { return p.Stats().Received == 1 })
			r.message("b")
			wiretest.Eventually(t, "it to wait", p.Waits)
			for _, text := range []string{"1", "2", "3"} {
				if err := p.Send([]byte(text)); err != nil {
					t.Fatal(err)
				}
				r.want(text)
			}
			wants(t, s, "1 a", "1 b")
		})
	}
}

// Messages are sent while there is no room for the rest of a received message.
func TestSentWhileHalf(t *testing.T) {
	s, _ := streamsock.NewStill(t, streamsock.Config{ReceiveBytes: 100_000})
	addr := bind(t, s, "tcp://127.0.0.1:0")
	r, other := dialRaw(t, addr, nil), dialRaw(t, addr, nil)
	connects(t, s, 1, 2)
	other.bytes("\x00\x0f\x00\x00" + strings.Repeat("x", 150_000)) // which may be completed
	wiretest.Eventually(t, "the other half", func() bool { return s.Partial() == 150_000 })
	r.bytes("\x00\x00\x00\x02h")
	p := s.Peer(1)
	wiretest.Eventually(t, "it to wait", p.Waits)
	for _, text := range []string{"1", "2", "3"} {
		if err := p.Send([]byte(text)); err != nil {
			t.Fatal(err)
		}
		r.want(text)
	}
	other.Close()
	wants(t, s, "disconnected 2 truncated")
	r.bytes("i")
	wants(t, s, "1 hi")
}
