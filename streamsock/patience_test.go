package streamsock_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/streamsock"
)

// A peer is idle when nothing arrives, also within a message.
func TestIdleInAMessage(t *testing.T) {
	whole := map[string]string{"tcp": "\x00\x00\x00\x04four", "ws": "\x82\x84\x00\x00\x00\x00four"}
	for transport, wire := range whole {
		for n := range len(wire) {
			t.Run(fmt.Sprint(transport, n), func(t *testing.T) {
				t.Parallel()
				const idle = time.Second
				s, clock := streamsock.NewStill(t, streamsock.Config{IdleTimeout: idle})
				r := dialRaw(t, bind(t, s, at(t, transport)), nil)
				p := wants(t, s, "connected 1")
				wiretest.Eventually(t, "its connection", func() bool { return !p.Stats().Since.IsZero() }) // which is told of before
				if r.bytes(wire[:n]); n > 0 {
					wiretest.Eventually(t, "a part of a message", p.Halved)
				}
				if clock.Advance(idle - idle/10); len(s.Peers()) != 1 {
					t.Error("the peer ended before IdleTimeout")
				}
				wiretest.Eventually(t, "the end", func() bool { // long before the message is too slow
					clock.Advance(idle / 100)
					return p.Stats().Since.IsZero()
				})
				wants(t, s, "disconnected 1 idle")
			})
		}
	}
}

// A message that has begun must go on arriving, and pauses between messages do not count.
func TestSlowMessage(t *testing.T) {
	half := map[string]string{"tcp": "\x00\x00\x00\x04f", "ws": "\x82\x84\x00\x00\x00\x00f"}
	for transport, half := range half {
		t.Run(transport, func(t *testing.T) {
			s, clock := streamsock.NewStill(t, streamsock.Config{})
			addr := bind(t, s, at(t, transport))
			still := dialRaw(t, addr, nil) // who says nothing stays
			wants(t, s, "connected 1")
			r := dialRaw(t, addr, nil)
			p := wants(t, s, "connected 2")
			begins := func() {
				r.bytes(half)
				wiretest.Eventually(t, "half a message", func() bool { return s.Partial() > 0 }) // and the alarm is set
			}
			begins()
			clock.Advance(5500 * time.Millisecond)
			r.bytes("our")
			wants(t, s, "2 four")
			wiretest.Eventually(t, "the message to be whole", func() bool { return !p.Halved() })
			clock.Advance(time.Minute)
			begins()
			clock.Advance(9900 * time.Millisecond)
			r.bytes("our")
			wants(t, s, "2 four")
			wiretest.Eventually(t, "the message to be whole", func() bool { return !p.Halved() })
			begins()
			wiretest.Eventually(t, "it to be cut off", func() bool { // by an alarm, or the next: one of before may be on its way
				clock.Advance(time.Second)
				return p.Stats().Since.IsZero()
			})
			wants(t, s, "disconnected 2 slow")
			still.message("here")
			wants(t, s, "1 here")
		})
	}
}

// The rate of a message that was fast at first is checked again later.
func TestSlowAtLast(t *testing.T) {
	s, clock := streamsock.NewStill(t, streamsock.Config{Slow: streamsock.DropOldest})
	r := dialRaw(t, bind(t, s, "tcp://127.0.0.1:0"), nil)
	p := wants(t, s, "connected 1")
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { _, _ = io.Copy(io.Discard, r) })
	wg.Go(func() {
		for p.Send([]byte("meanwhile")) == nil {
			runtime.Gosched()
		}
	})
	r.bytes("\x00\x00\x80\x00x")
	wiretest.Eventually(t, "half a message", p.Halved)
	r.bytes(strings.Repeat("x", 5000))
	wiretest.Eventually(t, "more of it", func() bool { return s.Partial() == 5001 })
	clock.Advance(10 * time.Second)
	wiretest.Eventually(t, "it to be cut off", func() bool {
		clock.Advance(time.Second)
		return p.Stats().Since.IsZero()
	})
	wants(t, s, "disconnected 1 slow")
}

// A peer that this side disconnects gets that reason, even if it is then cut off because it is slow.
func TestSlowGoodbye(t *testing.T) {
	s, clock := streamsock.NewStill(t, streamsock.Config{Linger: time.Minute})
	r := dialRaw(t, bind(t, s, "ws://127.0.0.1:0"), nil)
	p := wants(t, s, "connected 1")
	r.bytes("\x82\x84\x00\x00\x00\x00f")
	wiretest.Eventually(t, "half a message", p.Halved)
	if err := p.Disconnect(0, ""); err != nil {
		t.Fatal(err)
	}
	r.want("close 1000")
	clock.Advance(10 * time.Second)
	wants(t, s, "disconnected 1 local")
}

// A silent peer is pinged, and disconnected if it does not answer.
func TestBeat(t *testing.T) {
	s, _ := streamsock.NewStill(t, streamsock.Config{PingInterval: time.Minute})
	r := dialRaw(t, bind(t, s, "ws://127.0.0.1:0"), nil)
	p := wants(t, s, "connected 1")
	const sec, start = int64(time.Second), int64(time.Hour)
	p.Sign(start)
	wants := func(at int64, waits bool, want time.Duration) {
		t.Helper()
		if got := p.Beat(start+at*sec, waits); got != want*time.Second {
			t.Errorf("at %d: %v, want %v", at, got, want*time.Second)
		}
	}
	wants(0, false, 60)
	wants(59, false, 1)
	if err := p.Send([]byte("before the ping")); err != nil {
		t.Fatal(err)
	}
	r.want("before the ping")
	wiretest.Eventually(t, "its acknowledgement", p.Taken)
	wants(60, false, 60)
	r.want("ping")
	wants(61, false, 59)
	wants(119, false, 1)
	wiretest.Eventually(t, "its acknowledgement", p.Taken)
	wants(120, true, 60) // who waits for us cannot be heard, and is asked again
	r.want("ping")
	wants(179, false, 1)
	wants(180, false, 0)
	wants(181, false, 0)
	p.Sign(start + 120*sec) // in the tick in which it was asked for
	wants(179, false, 1)
	wiretest.Eventually(t, "its acknowledgement", p.Taken)
	wants(180, false, 60)
	r.want("ping")
	p.Sign(start + 190*sec)
	wants(245, false, 5)
	if err := p.Send([]byte("no ping before this")); err != nil {
		t.Fatal(err)
	}
	r.want("no ping before this")
}

// The alarm pings again after each answer.
func TestBeats(t *testing.T) {
	for _, halved := range []bool{false, true} {
		s, clock := streamsock.NewStill(t, streamsock.Config{PingInterval: 4 * time.Second})
		r := dialRaw(t, bind(t, s, "ws://127.0.0.1:0"), nil)
		p := wants(t, s, "connected 1")
		r.message("here")
		wants(t, s, "1 here") // and the alarm is set
		clock.Advance(3900 * time.Millisecond)
		if halved {
			r.bytes("\x82\x84\x00\x00\x00\x00f")
			wiretest.Eventually(t, "half a message", func() bool { return s.Partial() > 0 }) // and the alarm is set again
			clock.Advance(3900 * time.Millisecond)
		}
		if err := p.Send([]byte("before the ping")); err != nil {
			t.Fatal(err)
		}
		r.want("before the ping")
		clock.Advance(100 * time.Millisecond)
		r.want("ping")
		if !halved {
			r.frame(0x8a, "")
			r.message("answered")
			wants(t, s, "1 answered")
		}
		wiretest.Eventually(t, "the end", func() bool {
			clock.Advance(100 * time.Millisecond)
			return p.Stats().Since.IsZero()
		})
		if !halved {
			r.want("ping") // again
		}
		wants(t, s, "disconnected 1 silent")
	}
}

// A peer that cannot be read because the program does not receive is neither silent nor slow.
func TestSilentWhileItWaits(t *testing.T) {
	const full, half = "\x82\x84\x00\x00\x00\x00four", "\x82\x84\x00\x00\x00\x00f"
	for _, called := range []bool{false, true} {
		heard := make(chan bool)
		ends := make(chan streamsock.Reason, 1)
		cfg := streamsock.Config{PingInterval: time.Minute, PeerBytes: 1}
		if called {
			cfg.OnMessage = func(m streamsock.Message) {
				switch m.Kind {
				case streamsock.KindBinary:
					<-heard
				case streamsock.EventDisconnected:
					ends <- m.End.Reason
				}
			}
		}
		s, clock := streamsock.NewStill(t, cfg)
		r := dialRaw(t, bind(t, s, "ws://127.0.0.1:0"), nil)
		wiretest.Eventually(t, "the peer", func() bool { return s.Peer(1) != nil && !s.Peer(1).Stats().Since.IsZero() })
		p := s.Peer(1)
		r.bytes(half)
		wiretest.Eventually(t, "half a message", p.Halved)
		r.bytes("our" + full)
		wiretest.Eventually(t, "a message", func() bool { return p.Stats().Received == 2 || called && p.Waits() })
		r.bytes(full)
		wiretest.Eventually(t, "it to wait", p.Waits)
		for range 100 { // alarms come on goroutines of their own
			clock.Advance(10 * time.Second)
		}
		r.want("ping")
		if p.Stats().Since.IsZero() {
			t.Error("the peer was cut off")
		}
		if called {
			for range 3 {
				heard <- true
			}
		} else {
			wants(t, s, "connected 1", "1 four", "1 four", "1 four")
		}
		wiretest.Eventually(t, "it not to wait", func() bool { return !p.Waits() })
		r.frame(0x8a, "")
		r.message("alive")
		if called {
			heard <- true
			wiretest.Eventually(t, "the end", func() bool { clock.Advance(10 * time.Second); return len(ends) > 0 })
			if got := <-ends; got != streamsock.ReasonPingTimeout {
				t.Errorf("got %v, want %v", got, streamsock.ReasonPingTimeout)
			}
		} else {
			wants(t, s, "1 alive")
			wiretest.Eventually(t, "the end", func() bool { clock.Advance(10 * time.Second); return p.Stats().Since.IsZero() })
			wants(t, s, "disconnected 1 silent")
		}
	}
}

// The memory of received messages is bounded, however small they are.
func TestTinyMessages(t *testing.T) {
	for _, size := range []int{0, 1, 10} {
		for _, transport := range []string{"tcp", "ws"} {
			t.Run(fmt.Sprint(transport, size), func(t *testing.T) {
				s := newSocket(t, streamsock.Config{PeerBytes: 1 << 20, Linger: time.Millisecond})
				r := dialRaw(t, bind(t, s, at(t, transport)), nil)
				wants(t, s, "connected 1")
				one := map[string]string{
					"tcp": "\x00\x00\x00" + string(rune(size)), "ws": "\x82" + string([]byte{0x80 | byte(size)}) + "\x00\x00\x00\x00",
				}[transport] + strings.Repeat("x", size)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				flood := make(chan int, 1)
				go func() {
					n := 0
					for block := []byte(strings.Repeat(one, 10_000)); ; n++ {
						if _, err := r.Write(block); err != nil {
							flood <- n
							return
						}
					}
				}()
				wiretest.Eventually(t, "the flood to be slowed", func() bool { return s.Stats().Buffered > 100_000 })
				time.Sleep(20 * time.Millisecond)
				runtime.GC()
				runtime.ReadMemStats(&after)
				if n := s.Stats().Buffered; n > 1<<20 {
					t.Errorf("%d bytes are held", n)
				}
				if n := int64(after.HeapAlloc) - int64(before.HeapAlloc); n > 6<<20 {
					t.Errorf("%d bytes more are in use", n)
				}
				r.Close()
				<-flood
			})
		}
	}
}

// A close frame within a message is reported as a message that was cut off, in both framings.
func TestCloseFrameInAMessage(t *testing.T) {
	for _, tc := range []struct {
		framing streamsock.Framing
		first   byte
		begins  string
		want    string
	}{
		{streamsock.FramingSingle, 0x02, "hal", "disconnected 1 closed"},
		{streamsock.FramingPrefixed, 0x02, "\x00\x00\x00\x05hal", "disconnected 1 truncated"},
		{streamsock.FramingPrefixed, 0x82, "\x00\x00\x00\x05hal", "disconnected 1 truncated"},
		{streamsock.FramingPrefixed, 0x02, "", "disconnected 1 closed"},
	} {
		s := newSocket(t, streamsock.Config{Framing: tc.framing})
		r := dialRaw(t, bind(t, s, "ws://127.0.0.1:0"), nil)
		wants(t, s, "connected 1")
		r.frame(tc.first, tc.begins)
		r.frame(0x88, "\x03\xe8")
		wants(t, s, tc.want)
		r.want("close 1000")
	}
}

// A dialled URL may have a query, and a bound one may not.
func TestQuery(t *testing.T) {
	s, c := newSocket(t, streamsock.Config{}), newSocket(t, streamsock.Config{})
	if _, err := c.Connect(bind(t, s, "ws://127.0.0.1:0/a%20b") + "?token=x&y=%2f"); err != nil {
		t.Fatal(err)
	}
	if u := wants(t, s, "connected 1").Request().URL; u.String() != "/a%20b?token=x&y=%2f" {
		t.Errorf("got %s, want /a%%20b?token=x&y=%%2f", u)
	}
	for _, addr := range []string{"ws://127.0.0.1:0/?x", "ws://127.0.0.1:0?x=y", "tcp://127.0.0.1:0?x"} {
		if _, err := s.Bind(addr); err == nil {
			t.Errorf("%s is bound", addr)
		}
	}
	if _, err := c.Connect("tls://127.0.0.1:1?x"); err == nil {
		t.Error("Connect with a query on tls: got no error")
	}
}

// Peers that fill the inbox with slow messages do not make others wait for long.
func TestHoarders(t *testing.T) {
	s, clock := streamsock.NewStill(t, streamsock.Config{ReceiveBytes: 1 << 20, MaxMessage: 1 << 20})
	addr := bind(t, s, "tcp://127.0.0.1:0")
	const size, half = 900_000, 600_000
	begin := string(binary.BigEndian.AppendUint32(nil, size))
	var hoarders []*raw
	for i := range 2 {
		r := dialRaw(t, addr, nil)
		hoarders = append(hoarders, r)
		wants(t, s, fmt.Sprint("connected ", i+1))
		r.bytes(begin + strings.Repeat("x", half))
		wiretest.Eventually(t, "half a message", func() bool { return s.Partial() >= int64((i+1)*half) })
	}
	other := dialRaw(t, addr, nil)
	wants(t, s, "connected 3")
	other.bytes("\x00\x01\x00\x00" + strings.Repeat("x", 1<<15))
	wiretest.Eventually(t, "it to wait", s.Peer(3).Waits)
	go other.bytes(strings.Repeat("x", 1<<15))
	hoarders[0].bytes("x")
	wiretest.Eventually(t, "the first hoarder to wait", s.Peer(1).Waits)
	hoards := s.Peer(2)
	held, looked := s.Partial(), hoards.Looked()
	hoarders[1].bytes(strings.Repeat("x", 5000))
	wiretest.Eventually(t, "more of it", func() bool { return s.Partial() == held+5000 })
	clock.Advance(10 * time.Second)
	wiretest.Eventually(t, "its rate to be looked at", func() bool { return hoards.Looked() != looked })
	looked = hoards.Looked()
	hoarders[1].bytes(strings.Repeat("x", 5000)) // 500 bytes a second
	wiretest.Eventually(t, "more of it", func() bool { return s.Partial() == held+10_000 })
	wiretest.Eventually(t, "its rate to be looked at again", func() bool { clock.Advance(time.Second); return hoards.Looked() != looked })
	for range 2 { // in any order
		m := recv(t, s)
		through := m.Peer.ID() == 3 && len(m.Data) == 1<<16
		if cut := m.Peer == hoards && m.End != nil && m.End.Reason == streamsock.ReasonSlow; !cut && !through {
			t.Fatalf("%v of %d, %+v", m.Kind, m.Peer.ID(), m.End)
		}
		m.Release()
	}
}
