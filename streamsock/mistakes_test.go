package streamsock_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/streamsock"
)

// What other sockets of this kind have got wrong, each by its name.

// A message of one byte, or of none, is a message and not an event.
func TestOneByteIsAMessage(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			ours, theirs := certificate(t)
			s := newSocket(t, streamsock.Config{TLSConfig: ours})
			r := dialRaw(t, bind(t, s, at(t, transport)), theirs)
			wants(t, s, "connected 1")
			for _, p := range []string{"\x00", "", "\x01", "\x02", ""} {
				r.message(p)
				if m := recv(t, s); m.Kind != streamsock.KindBinary || string(m.Data) != p || m.End != nil {
					t.Fatalf("%q became %v %q", p, m.Kind, m.Data)
				}
				if err := s.Send(1, []byte(p)); err != nil {
					t.Fatal(err)
				}
				r.want(p)
			}
		})
	}
}

// The dialling side is told when the other side has closed.
func TestServerCloseIsSeen(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			ours, theirs := certificate(t)
			s := newSocket(t, streamsock.Config{TLSConfig: ours})
			c := newSocket(t, streamsock.Config{DialTLSConfig: theirs, RedialFirst: -1})
			addr := bind(t, s, at(t, transport))
			if _, err := c.Connect(addr); err != nil {
				t.Fatal(err)
			}
			wants(t, s, "connected 1")
			wants(t, c, "connected 1")
			r := dialRaw(t, addr, theirs)
			wants(t, s, "connected 2")
			for id := range streamsock.ID(2) {
				if err := s.Disconnect(id+1, 0, ""); err != nil {
					t.Fatal(err)
				}
			}
			if isFramed(transport) {
				wants(t, c, "disconnected 1 closed")
				r.want("close 1000")
				r.frame(0x88, "\x03\xe8")
			} else {
				wants(t, c, "disconnected 1 eof")
			}
			if b, err := io.ReadAll(r.in); len(b) > 0 || err != nil {
				t.Errorf("got %q, %v; want the end of the stream", b, err)
			}
		})
	}
}

// EventConnected comes after the handshake is complete, on both sides.
func TestConnectedMeansConnected(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"tls", "ws", "wss"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			ours, _ := certificate(t)
			failed := make(chan error, 10)
			s := newSocket(t, streamsock.Config{
				TLSConfig: ours, HandshakeTimeout: time.Second, RedialFirst: time.Millisecond,
				OnDialError: func(_ *streamsock.Peer, err error) { failed <- err },
			})
			host := strings.TrimPrefix(bind(t, s, at(t, transport)), transport)
			if _, err := s.Connect(transport + "://" + l.Addr().String()); err != nil { // which accepts and says nothing
				t.Fatal(err)
			}
			dialRaw(t, "tcp"+host, nil)
			wiretest.Within(t, "the failure", failed)
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
			defer cancel()
			if m, err := s.Recv(ctx); err == nil {
				t.Errorf("got %v, %d; want no event", m.Kind, m.Peer.ID())
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		failed := make(chan error, 10)
		s := newSocket(t, streamsock.Config{RedialFirst: time.Hour, OnDialError: func(_ *streamsock.Peer, err error) { failed <- err }})
		for _, transport := range []string{"tcp", "ws"} {
			if _, err := s.Connect(transport + "://127.0.0.1:1"); err != nil {
				t.Fatal(err)
			}
			wiretest.Within(t, "the failure", failed)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		if m, err := s.Recv(ctx); err == nil {
			t.Errorf("got %v, %d; want no event", m.Kind, m.Peer.ID())
		}
	})
}

// Exactly as many messages and bytes are queued as the limits allow.
func TestHighWaterMark(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		messages, size int
		bytes          int64
		want           int
	}{
		{messages: 1, size: 10, want: 1},
		{messages: 2, size: 10, want: 2},
		{messages: 1000, size: 0, want: 1000},
		{size: 0, want: 1000},
		{size: 1 << 20, want: 4},
		{size: 1<<20 - 1, want: 4},
		{size: 1<<20 + 1, want: 3},
		{size: 5 << 20, want: 1},
		{messages: 7, bytes: 100, size: 10, want: 7},
		{messages: 70, bytes: 100, size: 10, want: 10},
		{messages: 70, bytes: 99, size: 10, want: 9},
		{messages: -1, size: 1, want: 4 << 20},
		{messages: 3, bytes: -1, size: 5 << 20, want: 3},
	} {
		t.Run(fmt.Sprint(tc), func(t *testing.T) {
			s := newSocket(t, streamsock.Config{
				QueueMessages: tc.messages, QueueBytes: tc.bytes, Slow: streamsock.FailWhenSlow, Linger: time.Millisecond, RedialFirst: time.Hour,
			})
			p, err := s.Connect("tcp://127.0.0.1:1") // nobody is there
			if err != nil {
				t.Fatal(err)
			}
			n, b := 0, make([]byte, tc.size)
			for ; n <= tc.want && err == nil; n++ {
				err = p.Send(b)
			}
			st := p.Stats()
			if n != tc.want+1 || err != streamsock.ErrQueueFull || st.Queued != int64(tc.want) || st.QueuedBytes != int64(tc.want*tc.size) || st.Dropped != 1 {
				t.Errorf("%d sent, %v, %+v, want %d", n-1, err, st, tc.want)
			}
		})
	}
}

// A header that announces two gigabytes takes no memory.
func TestTwoGigabytesClaimed(t *testing.T) {
	const size = 2<<30 - 1 // which an int of 32 bits can say
	stream := string(binary.BigEndian.AppendUint32(nil, size)) + "hello"
	frame := "\x82\xff" + string(binary.BigEndian.AppendUint64(nil, size)) + "\x00\x00\x00\x00hello"
	for _, tc := range []struct {
		transport, says string
		framing         streamsock.Framing
	}{{"tcp", stream, 0}, {"tls", stream, 0}, {"ws", frame, 0}, {"wss", frame, 0}, {"ws", "\x82\x89\x00\x00\x00\x00" + stream, streamsock.FramingPrefixed}} {
		t.Run(tc.transport, func(t *testing.T) {
			ours, theirs := certificate(t)
			s := newSocket(t, streamsock.Config{TLSConfig: ours, MaxMessage: -1, Framing: tc.framing})
			addr := bind(t, s, at(t, tc.transport))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := dialRaw(t, addr, theirs)
			r.bytes(tc.says)
			wants(t, s, "connected 1")
			closeWrite(r)
			wants(t, s, "disconnected 1 truncated")
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 2<<20 {
				t.Errorf("%d bytes were allocated", n)
			}
		})
	}
}

// A peer that takes nothing makes no other wait, however messages are sent.
func TestOneSlowPeer(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			ours, theirs := certificate(t)
			s := newSocket(t, streamsock.Config{TLSConfig: ours, QueueMessages: 3, Linger: time.Millisecond})
			addr := bind(t, s, at(t, transport))
			dialRaw(t, addr, theirs) // reads nothing
			slow := wants(t, s, "connected 1")
			lively := dialRaw(t, addr, theirs)
			other := wants(t, s, "connected 2")
			var senders sync.WaitGroup
			for range 4 {
				senders.Go(func() {
					for slow.Send(make([]byte, 1<<20)) == nil {
					}
				})
			}
			wiretest.Eventually(t, "the queue to be full", func() bool { return slow.Stats().Queued == 3 })
			for i := range 100 {
				msg := fmt.Sprint(i)
				if err := other.Send([]byte(msg)); err != nil {
					t.Fatal(err)
				}
				s.Broadcast([]byte("all"))
				s.SendMany([]streamsock.ID{1, 2}, []byte("many"))
				lively.message(msg)
				lively.want(msg, "all", "many")
				wants(t, s, "2 "+msg)
			}
			if err := slow.Disconnect(0, ""); err != nil {
				t.Error(err)
			}
			senders.Wait()
		})
	}
}

// No two peers have the same id at the same time.
func TestNoIDTwice(t *testing.T) {
	for _, transport := range []string{"tcp", "ws"} {
		t.Run(transport, func(t *testing.T) {
			const last = 5
			var mu sync.Mutex
			live := map[streamsock.ID]*streamsock.Peer{}
			n := 0
			s := newSocket(t, streamsock.Config{LastID: last, OnMessage: func(m streamsock.Message) {
				mu.Lock()
				defer mu.Unlock()
				id := m.Peer.ID()
				switch m.Kind {
				case streamsock.EventConnected:
					if live[id] != nil || id < 1 || id > last {
						t.Errorf("id %d", id)
					}
					live[id] = m.Peer
				case streamsock.EventDisconnected:
					if live[id] != m.Peer {
						t.Errorf("id %d was another's", id)
					}
					delete(live, id)
					n++
				}
			}})
			addr := bind(t, s, at(t, transport))
			var wg sync.WaitGroup
			for range 2 * last {
				wg.Go(func() {
					for range 10 {
						c := streamsock.New(streamsock.Config{RedialFirst: -1})
						if p, err := c.Connect(addr); err == nil {
							_ = p.Send([]byte("x"))
						}
						_ = c.Shutdown(context.Background())
					}
				})
			}
			wg.Wait()
			_ = s.Shutdown(context.Background())
			if n < 20 || len(live) > 0 {
				t.Errorf("%d came, %d have not gone", n, len(live))
			}
		})
	}
}
