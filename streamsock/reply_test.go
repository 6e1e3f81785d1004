package streamsock_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/streamsock"
)

// TrySend fails where Send would wait, and drops nothing.
func TestTrySend(t *testing.T) {
	s := newSocket(t, streamsock.Config{QueueMessages: 2, Linger: time.Millisecond})
	p, err := s.Connect("tcp://127.0.0.1:1") // nobody is there
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []error{nil, nil, streamsock.ErrQueueFull, streamsock.ErrQueueFull} {
		if err := p.TrySend(streamsock.KindBinary, []byte("x")); err != want {
			t.Errorf("message %d: %v, want %v", i, err, want)
		}
	}
	if err := p.TrySend(streamsock.KindText, nil); err != streamsock.ErrText {
		t.Errorf("got %v, want %v", err, streamsock.ErrText)
	}
	if st := p.Stats(); st.Queued != 2 || st.Dropped != 0 {
		t.Errorf("got %+v; want Queued 2, Dropped 0", st)
	}
}

// A Reply that waits for room ends with its connection.
func TestReply(t *testing.T) {
	ends := make(chan streamsock.Reason, 1)
	replied := make(chan error, 1)
	s := newSocket(t, streamsock.Config{QueueMessages: 1, OnMessage: func(m streamsock.Message) {
		switch m.Kind {
		case streamsock.KindBinary:
			for err := error(nil); err == nil; {
				err = m.Reply(make([]byte, 1<<20))
				if err != nil {
					replied <- err
				}
			}
		case streamsock.EventDisconnected:
			ends <- m.End.Reason
		}
	}})
	addr := bind(t, s, "tcp://127.0.0.1:0")
	nc, err := net.Dial("tcp", strings.TrimPrefix(addr, "tcp://"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nc.Write([]byte("\x00\x00\x00\x00")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, nc, 30<<20); err != nil { // many times what the queues hold
		t.Fatal(err)
	}
	_ = nc.(*net.TCPConn).SetLinger(0)
	nc.Close()
	if err := wiretest.Within(t, "Reply", replied); err != streamsock.ErrGone {
		t.Errorf("got %v, want %v", err, streamsock.ErrGone)
	}
	if r := wiretest.Within(t, "the end", ends); r != streamsock.ReasonReset {
		t.Errorf("got %v, want %v", r, streamsock.ReasonReset)
	}
}

// Shutdown goes on dialling a peer with queued messages, within Linger.
func TestCloseDialsOn(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var there elsewhere
	there.is("")
	failed := make(chan struct{})
	var once sync.Once
	s := streamsock.New(streamsock.Config{
		NetDial: there.dial, RedialFirst: time.Millisecond, RedialLongest: time.Millisecond, Linger: time.Minute,
		OnDialError: func(*streamsock.Peer, error) { once.Do(func() { close(failed) }) },
	})
	p, err := s.Connect("tcp://192.0.2.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Send([]byte("late")); err != nil {
		t.Fatal(err)
	}
	wiretest.Within(t, "a try that fails", failed)
	left := make(chan int)
	go func() { left <- unsent(s.Shutdown(context.Background())) }()
	wiretest.Eventually(t, "the socket to be closing", func() bool { return p.Send(nil) == streamsock.ErrGone })
	there.is("tcp://" + l.Addr().String())
	nc, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if got, err := io.ReadAll(nc); !strings.HasPrefix(string(got), "\x00\x00\x00\x04late") || err != nil {
		t.Errorf(`got %q, %v; want "late" first`, got, err)
	}
	nc.Close()
	if n := <-left; n != 0 {
		t.Errorf("%d messages were left", n)
	}
}

// Shutdown counts the messages of peers that cannot be dialled.
func TestCloseGivesUp(t *testing.T) {
	s := streamsock.New(streamsock.Config{Linger: 50 * time.Millisecond, RedialFirst: time.Millisecond, RedialLongest: time.Millisecond})
	p, err := s.Connect("tcp://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	_ = p.Send(nil)
	_ = p.Send(nil)
	if n := unsent(s.Shutdown(context.Background())); n != 2 {
		t.Errorf("%d messages were left, want 2", n)
	}
}

// A Send that waits for room in the queue of a dialled peer ends when the peer is disconnected.
func TestDisconnectEndsWaiting(t *testing.T) {
	for _, closes := range []bool{false, true} {
		s := streamsock.New(streamsock.Config{QueueMessages: 1, Linger: time.Minute, RedialFirst: time.Hour, RedialLongest: time.Hour})
		p, err := s.Connect("tcp://127.0.0.1:1")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Send(nil); err != nil {
			t.Fatal(err)
		}
		sent := make(chan error, 1)
		began := make(chan bool)
		go func() { close(began); sent <- p.Send(nil) }()
		<-began
		left := make(chan int, 1)
		ctx, cancel := context.WithCancel(context.Background())
		want := streamsock.ErrGone
		if closes {
			go func() { left <- unsent(s.Shutdown(ctx)) }()
		} else if err := p.Disconnect(0, ""); err != nil {
			t.Error(err)
		}
		if err := wiretest.Within(t, "Send", sent); err != want {
			t.Errorf("%v, want %v", err, want)
		}
		if p.Stats().Queued != 1 {
			t.Error("the queued message is gone")
		}
		if err := p.Disconnect(0, ""); err != streamsock.ErrGone {
			t.Errorf("got %v, want %v", err, streamsock.ErrGone)
		}
		cancel()
		if !closes {
			left <- unsent(s.Shutdown(ctx))
		}
		if n := <-left; closes && n != 1 {
			t.Errorf("%d messages were left", n)
		}
		wiretest.Within(t, "the peer to be gone", p.Done())
	}
}

// A first message leaves at once, and later ones are gathered until it has left or something has been received.
func TestWarm(t *testing.T) {
	s := newSocket(t, streamsock.Config{})
	r := dialRaw(t, bind(t, s, "tcp://127.0.0.1:0"), nil)
	p := wants(t, s, "connected 1")
	if p.Warm() {
		t.Error("Warm: got true before a message was sent")
	}
	send := func(text string, warm bool) {
		t.Helper()
		if err := p.Send([]byte(text)); err != nil || warm && !p.Warm() {
			t.Errorf("%v, warm %v", err, p.Warm())
		}
		r.want(text)
	}
	send("1", true)
	r.message("a")
	wants(t, s, "1 a")
	if p.Warm() {
		t.Error("Warm: got true after a message was received")
	}
	send("2", true)
	wiretest.Eventually(t, "the line to have been emptied", func() bool {
		send("3", false) // from the line, by whoever is about to write
		return !p.Warm()
	})
	send("4", true)
}
