package streamsock_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/streamsock"
	"github.com/shockwave-go/shockwave/websocket"
)

// deaf returns a socket with a peer that reads nothing, and whose connection takes nothing more: one message waits. That a
// message waits proves nothing, because its turn may not have come yet. The connection is full if the system holds as many bytes
// all the time, also after the 40 ms by which the peer's system may delay an acknowledgement.
func deaf(t *testing.T, cfg streamsock.Config) (*streamsock.Socket, *streamsock.Peer, *raw) {
	t.Helper()
	s := newSocket(t, cfg)
	r := dialRaw(t, bind(t, s, "tcp://127.0.0.1:0"), nil)
	p := wants(t, s, "connected 1")
	chunk := make([]byte, 1<<20)
	held, same := 0, 0
	wiretest.Eventually(t, "its connection to be full", func() bool {
		if p.Stats().Queued == 0 { // an empty queue takes one of any size
			if err := p.Send(chunk); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(10 * time.Millisecond)
		now := p.Unacknowledged()
		if same++; now != held || now == 0 || p.Stats().Queued == 0 {
			held, same = now, 0
		}
		return same == 10
	})
	return s, p, r
}

// rest reads all messages except those of 1 MB.
func (r *raw) rest(n int) (got []string) {
	for len(got) < n {
		p := r.next()
		if len(p) == 1<<20 {
			continue
		}
		got = append(got, p)
	}
	return got
}

// Each policy does with messages for a slow peer what its comment says.
func TestSlow(t *testing.T) {
	t.Parallel()
	t.Run("fail", func(t *testing.T) {
		_, p, r := deaf(t, streamsock.Config{Slow: streamsock.FailWhenSlow, QueueMessages: 3})
		for i := range 2 {
			if err := p.Send([]byte{'a' + byte(i)}); err != nil {
				t.Error(err)
			}
		}
		if err := p.Send([]byte("c")); err != streamsock.ErrQueueFull {
			t.Errorf("got %v, want %v", err, streamsock.ErrQueueFull)
		}
		if got := r.rest(2); fmt.Sprint(got) != "[a b]" || p.Stats().Dropped != 1 {
			t.Errorf(`got %q, %+v; want "[a b]", Dropped 1`, got, p.Stats())
		}
	})
	t.Run("bytes", func(t *testing.T) {
		_, p, r := deaf(t, streamsock.Config{Slow: streamsock.FailWhenSlow, QueueBytes: 1<<20 + 10})
		if err := errors.Join(p.Send([]byte("12345678")), p.Send([]byte("90"))); err != nil {
			t.Error(err)
		}
		if err := p.Send([]byte("1")); err != streamsock.ErrQueueFull {
			t.Errorf("got %v, want %v", err, streamsock.ErrQueueFull)
		}
		if err := p.Send(nil); err != nil {
			t.Error(err)
		}
		if got := r.rest(3); fmt.Sprintf("%q", got) != `["12345678" "90" ""]` {
			t.Errorf("got %q, want 12345678, 90 and an empty message", got)
		}
	})
	t.Run("drop", func(t *testing.T) {
		_, p, r := deaf(t, streamsock.Config{Slow: streamsock.DropOldest, QueueMessages: 3})
		for i := range 10 {
			if err := p.Send(fmt.Append(nil, i)); err != nil {
				t.Error(err)
			}
		}
		if got := r.rest(3); fmt.Sprint(got) != "[7 8 9]" || p.Stats().Dropped != 8 {
			t.Errorf(`got %q, %+v; want "[7 8 9]", Dropped 8`, got, p.Stats())
		}
	})
	t.Run("latest", func(t *testing.T) {
		_, p, r := deaf(t, streamsock.Config{Slow: streamsock.LatestPerKey})
		for i := range 10 {
			if err := p.SendKey(fmt.Sprint(i%2), fmt.Append(nil, i)); err != nil {
				t.Error(err)
			}
		}
		if err := p.Send([]byte("end")); err != nil {
			t.Error(err)
		}
		if got := r.rest(3); fmt.Sprint(got) != "[8 9 end]" || p.Stats().Dropped != 8 {
			t.Errorf(`got %q, %+v; want "[8 9 end]", Dropped 8`, got, p.Stats())
		}
	})
	t.Run("disconnect", func(t *testing.T) {
		s, p, _ := deaf(t, streamsock.Config{Slow: streamsock.CloseWhenSlow, QueueMessages: 2, Linger: 50 * time.Millisecond})
		if err := p.Send(nil); err != nil {
			t.Error(err)
		}
		if err := p.Send(nil); err == nil {
			t.Error("Send: got no error")
		}
		wants(t, s, "disconnected 1 slow")
	})
	t.Run("block", func(t *testing.T) {
		s, p, r := deaf(t, streamsock.Config{QueueMessages: 2})
		other := dialRaw(t, bind(t, s, "tcp://127.0.0.1:0"), nil)
		wants(t, s, "connected 2")
		sent := make(chan error, 1)
		go func() { sent <- errors.Join(p.Send([]byte("a")), p.Send([]byte("b"))) }()
		wiretest.Eventually(t, "the queue to be full", func() bool { return p.Stats().Queued == 2 })
		if n := s.Broadcast([]byte("all")); n != 1 || len(sent) > 0 {
			t.Errorf("%d have it, Send has returned: %v", n, len(sent) > 0)
		}
		other.want("all")
		if got := r.rest(2); fmt.Sprint(got) != "[a b]" {
			t.Errorf(`got %q, want "[a b]"`, got)
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
	})
	t.Run("block ends with the peer", func(t *testing.T) {
		_, p, r := deaf(t, streamsock.Config{QueueMessages: 1})
		sent := make(chan error, 1)
		go func() { sent <- p.Send([]byte("a")) }()
		r.Close()
		if err := wiretest.Within(t, "Send", sent); err != streamsock.ErrGone {
			t.Errorf("got %v, want %v", err, streamsock.ErrGone)
		}
	})
}

// A peer that floods does not make others wait, and is slowed down when nobody receives its messages.
func TestFair(t *testing.T) {
	s := newSocket(t, streamsock.Config{PeerBytes: 100_000})
	addr := bind(t, s, "tcp://127.0.0.1:0")
	flood, lone := dialRaw(t, addr, nil), dialRaw(t, addr, nil)
	connects(t, s, 1, 2)
	var wg sync.WaitGroup
	wg.Go(func() {
		block := strings.Repeat("\x00\x00\x00\x10flood, flood, fl", 1000)
		for {
			if _, err := flood.Write([]byte(block)); err != nil {
				return
			}
		}
	})
	wiretest.Eventually(t, "the flood to be slowed", func() bool { return s.Stats().Buffered > 50_000 })
	if n := s.Stats().Buffered; n > 200_000 {
		t.Errorf("%d bytes are held", n)
	}
	lone.message("hello")
	wiretest.Eventually(t, "the lone one", func() bool {
		for range 600 {
			m := recv(t, s)
			found := m.Peer.ID() == 2 && string(m.Data) == "hello"
			m.Release()
			if found {
				return true
			}
		}
		return false
	})
	flood.Close()
	wg.Wait()
}

// Incomplete messages hold no more than the limit and one message, and each gets through in the end.
func TestHalves(t *testing.T) {
	s := newSocket(t, streamsock.Config{ReceiveBytes: 1 << 20, MaxMessage: 1 << 20})
	addr := bind(t, s, "tcp://127.0.0.1:0")
	var wg sync.WaitGroup
	const peers, size = 8, 900_000
	for range peers {
		r := dialRaw(t, addr, nil)
		wg.Go(func() { r.message(strings.Repeat("x", size)) })
	}
	for left := peers; left > 0; {
		m := recv(t, s)
		if len(m.Data) == size {
			left--
		}
		m.Release()
	}
	wg.Wait()
}

// Memory grows with the bytes received, not with the announced length.
func TestClaimedLength(t *testing.T) {
	s := newSocket(t, streamsock.Config{MaxMessage: 1 << 30})
	addr := bind(t, s, "tcp://127.0.0.1:0")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range 20 {
		r := dialRaw(t, addr, nil)
		wants(t, s, fmt.Sprint("connected ", i+1))
		r.bytes("\x3f\xff\xff\xffhello")
	}
	time.Sleep(10 * time.Millisecond)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

// When a connection does not become a peer, the peer and the program are told why.
func TestRefused(t *testing.T) {
	refusals := make(chan streamsock.Refusal, 10)
	cfg := streamsock.Config{
		MaxPeers: 1, Subprotocols: []string{"b", "a"}, OnRefused: func(r streamsock.Refusal) { refusals <- r },
		Accept: func(a *streamsock.Arrival) error {
			switch a.Request.Header.Get("X-Token") {
			case "good":
				return nil
			case "teapot":
				return &websocket.HandshakeError{Status: 418, Msg: "teapot"}
			}
			return errors.New("no token")
		},
	}
	s, clock := streamsock.NewStill(t, cfg)
	addr := bind(t, s, "ws://127.0.0.1:0/game")
	host := strings.TrimSuffix(strings.TrimPrefix(addr, "ws://"), "/game")
	const offer, good = "Sec-WebSocket-Protocol: x, a\r\n", "X-Token: good\r\n"
	for _, tc := range []struct {
		path, fields string
		status       int
		reason       streamsock.RefusalReason
	}{
		{"/other", offer + good, 404, streamsock.RefusedPath},
		{"/game", good, 400, streamsock.RefusedSubprotocol},
		{"/game", offer, 401, streamsock.RefusedUnauthorized},
		{"/game", offer + "X-Token: teapot\r\n", 418, streamsock.RefusedUnauthorized},
		{"/game", offer + good + "Origin: http://elsewhere\r\n", 403, streamsock.RefusedOrigin},
	} {
		r := dialRaw(t, "tcp://"+host, nil)
		if got := r.upgrade(tc.path, tc.fields); got != tc.status {
			t.Errorf("%v: %d, want %d", tc.reason, got, tc.status)
		}
		if got := wiretest.Within(t, "the refusal", refusals); got.Reason != tc.reason || got.Status != tc.status || got.Remote == nil {
			t.Errorf("%+v, want %v %d", got, tc.reason, tc.status)
		}
	}
	dialRaw(t, "tcp://"+host, nil) // and says nothing
	wiretest.Eventually(t, "its time to be over", func() bool { clock.Advance(time.Second); return len(refusals) > 0 })
	if got := wiretest.Within(t, "the refusal", refusals); got.Reason != streamsock.RefusedHandshake {
		t.Errorf("got %+v, want Reason %v", got, streamsock.RefusedHandshake)
	}
	dialRaw(t, addr, nil, offer, good)
	if p := wants(t, s, "connected 1"); p.Subprotocol() != "a" || p.Request().URL.Path != "/game" {
		t.Errorf(`got %q, %v; want "a", Path "/game"`, p.Subprotocol(), p.Request().URL)
	}
	if got := dialRaw(t, "tcp://"+host, nil).upgrade("/game", offer, good); got != 503 {
		t.Errorf("one too many: got %d, want 503", got)
	}
	if got := wiretest.Within(t, "the refusal", refusals); got.Reason != streamsock.RefusedMaxPeers || got.Status != 503 {
		t.Errorf("got %+v; want Reason %v, Status 503", got, streamsock.RefusedMaxPeers)
	}
}

// Ids are given in turn, start again after the last one, and none in use is given.
func TestIDs(t *testing.T) {
	s := newSocket(t, streamsock.Config{LastID: 3})
	addr := bind(t, s, "tcp://127.0.0.1:0")
	stays := dialRaw(t, addr, nil)
	wants(t, s, "connected 1")
	for _, id := range []int{2, 3, 2, 3} {
		r := dialRaw(t, addr, nil)
		wants(t, s, fmt.Sprint("connected ", id))
		if id == 2 {
			if err := s.Send(3, nil); err != streamsock.ErrNoPeer && err != streamsock.ErrGone {
				t.Error(err)
			}
		}
		r.Close()
		p := wants(t, s, fmt.Sprintf("disconnected %d eof", id))
		wiretest.Within(t, "the peer to be gone", p.Done())
	}
	stays.message("still here")
	wants(t, s, "1 still here")
	if err := s.Send(2, nil); err != streamsock.ErrGone {
		t.Errorf("got %v, want %v", err, streamsock.ErrGone)
	}
	if err := s.Send(4, nil); err != streamsock.ErrNoPeer {
		t.Errorf("got %v, want %v", err, streamsock.ErrNoPeer)
	}
	dialRaw(t, addr, nil)
	dialRaw(t, addr, nil)
	connects(t, s, 2, 3)
	dialRaw(t, addr, nil).want("EOF")
}

// A connection with a known key is the same peer.
func TestKey(t *testing.T) {
	s := newSocket(t, streamsock.Config{FirstMessage: true, Away: time.Minute, Accept: func(a *streamsock.Arrival) error {
		a.Key = string(a.First)
		return nil
	}})
	addr := bind(t, s, "tcp://127.0.0.1:0")
	first := dialRaw(t, addr, nil)
	first.message("anna")
	first.message("hello")
	p := wants(t, s, "connected 1", "1 hello")
	if p.Key() != "anna" {
		t.Errorf("key %q", p.Key())
	}
	second := dialRaw(t, addr, nil)
	second.message("anna")
	if got := wants(t, s, "disconnected 1 local", "reconnected 1"); got != p {
		t.Error("got another peer")
	}
	if got := first.next(); got == "" {
		t.Errorf("the first connection says %q", got)
	}
	second.Close()
	wants(t, s, "disconnected 1 eof")
	wiretest.Eventually(t, "it to be away", func() bool { return p.Send([]byte("later")) == nil && p.Stats().Queued > 0 })
	third := dialRaw(t, addr, nil)
	third.message("anna")
	wants(t, s, "reconnected 1")
	third.want("later")
}

// Shutdown sends what is queued, ends the connections, and Recv ends.
func TestClose(t *testing.T) {
	t.Parallel()
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			ours, theirs := certificate(t)
			s := newSocket(t, streamsock.Config{TLSConfig: ours, Linger: time.Minute})
			r := dialRaw(t, bind(t, s, at(t, transport)), theirs)
			p := wants(t, s, "connected 1")
			big := strings.Repeat("x", 3<<20)
			if err := errors.Join(p.Send([]byte(big)), p.Send([]byte("last"))); err != nil {
				t.Fatal(err)
			}
			left := make(chan int, 1)
			go func() { left <- unsent(s.Shutdown(context.Background())) }()
			r.want(big, "last")
			if isFramed(transport) {
				r.want("close 1001")
				r.frame(0x88, "\x03\xe9")
			}
			r.want("EOF")
			r.Close()
			if n := wiretest.Within(t, "Close", left); n != 0 {
				t.Errorf("%d were not delivered", n)
			}
			wants(t, s, "disconnected 1 local")
			if _, err := s.Recv(context.Background()); err != streamsock.ErrClosed {
				t.Errorf("got %v, want %v", err, streamsock.ErrClosed)
			}
			if err := p.Send(nil); err != streamsock.ErrClosed {
				t.Errorf("got %v, want %v", err, streamsock.ErrClosed)
			}
		})
	}
	t.Run("deaf", func(t *testing.T) {
		s, p, _ := deaf(t, streamsock.Config{Linger: 50 * time.Millisecond})
		_ = p.Send([]byte("never"))
		queued := p.Stats().Queued
		if n := unsent(s.Shutdown(context.Background())); int64(n) != queued+1 { // and what was on its way
			t.Errorf("%d were not delivered, %d were queued", n, queued)
		}
	})
	t.Run("reset", func(t *testing.T) {
		s, p, r := deaf(t, streamsock.Config{Slow: streamsock.DropOldest, Linger: time.Minute})
		left := make(chan int, 1)
		go func() { left <- unsent(s.Shutdown(context.Background())) }()
		wiretest.Eventually(t, "the socket to be closing", func() bool { return p.Send(nil) != nil })
		want := 1 + p.Stats().Queued
		_ = r.Conn.(*net.TCPConn).SetLinger(0)
		r.Close()
		if n := wiretest.Within(t, "Close", left); int64(n) != want {
			t.Errorf("%d were not delivered, want %d", n, want)
		}
		wants(t, s, "disconnected 1 local")
	})
	t.Run("reset after everything", func(t *testing.T) {
		s := newSocket(t, streamsock.Config{Linger: time.Minute})
		r := dialRaw(t, bind(t, s, "ws://127.0.0.1:0"), nil)
		p := wants(t, s, "connected 1")
		if err := p.Send([]byte("last")); err != nil {
			t.Fatal(err)
		}
		left := make(chan int, 1)
		go func() { left <- unsent(s.Shutdown(context.Background())) }()
		r.want("last", "close 1001")
		r.frame(0x89, "which is not answered any more")
		_ = r.Conn.(*net.TCPConn).SetLinger(0)
		r.Close()
		if n := wiretest.Within(t, "Close", left); n != 0 {
			t.Errorf("%d were not delivered", n)
		}
	})
}

// unsent returns how many messages were not sent, as the error of Shutdown says.
func unsent(err error) int {
	var e *streamsock.UnsentError
	if errors.As(err, &e) {
		return e.Messages
	}
	return 0
}
