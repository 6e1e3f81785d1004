package http3_test

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/server"
)

// slowSocket is a socket that sends a datagram every two milliseconds.
type slowSocket struct {
	net.PacketConn
	mu sync.Mutex
}

func (s *slowSocket) WriteTo(p []byte, to net.Addr) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	time.Sleep(2 * time.Millisecond)
	return s.PacketConn.WriteTo(p, to)
}

// responses are the responses to a client of TestPriorities.
type responses struct {
	k    *talk
	ctl  *quic.SendStream
	mu   sync.Mutex
	got  map[string]int
	all  sync.WaitGroup
	ends chan string               // the names of responses, as they end
	last map[string]map[string]int // by response: what had come of each when it ended
}

// ask requests a response of half a megabyte, and reads it.
func (a *responses) ask(name, priority string) *quic.Stream {
	a.k.Helper()
	if priority != "" {
		priority = "|priority " + priority
	}
	s := a.k.open(unhex(a.k, "[:method GET|:scheme https|:authority a.test|:path /"+priority+"]"), true)
	a.all.Go(func() {
		buf := make([]byte, 4<<10)
		for {
			n, err := s.Read(buf)
			a.mu.Lock()
			a.got[name] += n
			a.mu.Unlock()
			if err != nil {
				if err != io.EOF {
					a.k.Errorf("%s: got %v, want %v", name, err, io.EOF)
				}
				a.mu.Lock()
				a.last[name] = map[string]int{}
				for other, n := range a.got {
					a.last[name][other] = n
				}
				a.mu.Unlock()
				a.ends <- name
				return
			}
		}
	})
	return s
}

// has waits until n bytes of a response have arrived.
func (a *responses) has(name string, n int) {
	a.k.Helper()
	wiretest.Eventually(a.k, name, func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.got[name] >= n
	})
}

// update sends a PRIORITY_UPDATE.
func (a *responses) update(s *quic.Stream, priority string) {
	p := append(h3frame.AppendVarint(nil, uint64(s.StreamID())), priority...)
	a.ctl.Write(append(h3frame.AppendHeader(nil, h3frame.PriorityUpdateRequest, uint64(len(p))), p...))
}

// The client's priorities decide which response is sent first (RFC 9218), even if the network could carry more.
func TestPriorities(t *testing.T) {
	const size, half = 1 << 19, 1 << 18
	for _, tc := range []struct {
		name   string
		ask    func(a *responses)
		first  string // which ends first
		others int    // how much of the other one has come by then: less than half, or more
	}{
		{"the more urgent one, asked for later", func(a *responses) {
			a.ask("slow", "u=5")
			a.has("slow", 1)
			a.ask("urgent", "u=1")
		}, "urgent", -1},
		{"one after the other", func(a *responses) {
			a.ask("one", "u=3")
			a.has("one", 1)
			a.ask("two", "u=3")
		}, "one", -1},
		{"one after the other, by default", func(a *responses) {
			a.ask("one", "")
			a.has("one", 1)
			a.ask("two", "u=3")
		}, "one", -1},
		{"in turns", func(a *responses) {
			a.ask("one", "u=3, i")
			a.ask("two", "u=3, i")
		}, "", 1},
		{"in turns, of a client that says nothing", func(a *responses) {
			a.ask("one", "")
			a.ask("two", "")
		}, "", 1},
		{"changed by PRIORITY_UPDATE", func(a *responses) {
			a.ask("one", "u=3")
			a.has("one", 1)
			a.update(a.ask("two", "u=6"), "u=0")
		}, "two", -1},
		{"PRIORITY_UPDATE of a response that has begun", func(a *responses) {
			one := a.ask("one", "u=1")
			a.has("one", 1)
			a.ask("two", "u=3")
			a.update(one, "u=7")
		}, "two", -1},
		{"PRIORITY_UPDATE before the request", func(a *responses) {
			a.ask("one", "u=3")
			a.has("one", 1)
			p := append(h3frame.AppendVarint(nil, 4), "u=0"...)
			a.ctl.Write(append(h3frame.AppendHeader(nil, h3frame.PriorityUpdateRequest, uint64(len(p))), p...))
			time.Sleep(50 * time.Millisecond) // if it comes after the request it has the same effect
			a.ask("two", "u=6")
		}, "two", -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := startOn(t, func(pc net.PacketConn) net.PacketConn { return &slowSocket{PacketConn: pc} }, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, _ *server.Request) { w.Write(make([]byte, size)) })}, http3.Config{})
			a := &responses{k: &talk{r, r.dialWith(&quic.Config{InitialStreamReceiveWindow: 4 << 20, InitialConnectionReceiveWindow: 16 << 20})},
				got: map[string]int{}, last: map[string]map[string]int{}, ends: make(chan string, 2)}
			a.ctl = a.k.uni(unhex(t, "00 0400"))
			tc.ask(a)
			first := wiretest.Within(t, "a response", a.ends)
			a.all.Wait()
			if tc.first != "" && first != tc.first {
				t.Errorf("%s ends first: %v", first, a.last[first])
			}
			for name, n := range a.last[first] {
				if name != first && (n < half) != (tc.others < 0) {
					t.Errorf("when %s has ended %d bytes of %s have come", first, n, name)
				}
			}
			for name, n := range a.got {
				if n < size {
					t.Errorf("%d bytes of %s have come", n, name)
				}
			}
		})
	}
}
