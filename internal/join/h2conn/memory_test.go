package h2conn_test

import (
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	xhttp2 "golang.org/x/net/http2"
)

// Reading and writing on an existing stream allocates nothing in a steady state, and a connection that
// was parked gets its memory back from the pools.
func TestAllocations(t *testing.T) {
	if bufpool.Poisoned {
		t.Skip("under the race detector sync.Pool forgets at random")
	}
	near, far := ways[1].conns(t)
	r := begin(t, near, far, settings{wire: http2.Config{Budget: 1 << 30}})
	r.HelloServer()
	var s *stream
	frame := append([]byte{0, 0, 200, 0, 0, 0, 0, 0, 1}, make([]byte, 200)...)
	ping := []byte{0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}
	in := make([]byte, 64<<10)
	exchange := func(out []byte, n int) {
		if _, err := far.Write(out); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(far, in[:n]); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name  string
		most  float64
		round func()
	}{
		{"a PING to one that was parked", 2, func() { // small parts are allocated anew, the workspace is not
			r.Park()
			exchange(ping, len(ping))
		}},
		{"a part of a body", 0, func() {
			if s == nil {
				s = r.open(1, false)
				_ = s.respond(false)
				r.Want("HEADERS 1 200")
			}
			exchange(frame, 0)
			p, err := s.Fill()
			if err != nil || len(p) == 0 {
				t.Fatal(len(p), err)
			}
			s.Take(len(p))
			exchange(ping, len(ping))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for range 100 {
				tc.round()
			}
			if n := testing.AllocsPerRun(500, tc.round); n > tc.most {
				t.Errorf("%v allocations", n)
			}
		})
	}
	s.leave()
}

// An idle connection that was used before holds almost no memory.
func TestIdleMemory(t *testing.T) {
	const conns, most = 40, 8 << 10
	var rigs [conns]*rig
	for i := range rigs {
		near, far := ways[1].conns(t)
		rigs[i] = begin(t, near, far, settings{})
		rigs[i].HelloServer()
	}
	before := heap()
	for _, r := range rigs {
		for id := uint32(1); id < 9; id += 2 {
			s := r.open(id, false)
			r.data(id, string(make([]byte, 7<<10)), true)
			r.WantIdle()
			if err := s.respond(false); err != nil {
				t.Fatal(err)
			}
			s.says(30_000)
			r.Want("HEADERS "+s.path[1:]+" 200", "UNKNOWN_FRAME_TYPE_119")
			if _, err := s.Fill(); err != nil {
				t.Fatal(err)
			}
			s.leave()
			r.Want("RST_STREAM " + s.path[1:] + " CANCEL")
		}
		r.passes(time.Second)
		r.Framer = xhttp2.NewFramer(r.Talk.Conn, r.Talk.Conn) // the memory of the peer does not count
		r.begun = nil
	}
	if n := (heap() - before) / conns; n > most {
		t.Errorf("%d bytes for each", n)
	}
	runtime.KeepAlive(rigs)
}

// counted is a pool that counts its Puts.
type counted struct{ puts atomic.Int32 }

func (*counted) Get() any  { return nil }
func (p *counted) Put(any) { p.puts.Add(1) }

// A connection that has ended leaves its memory to others.
func TestEndedReturnsMemory(t *testing.T) {
	pool := new(counted)
	ended := int32(0)
	onWays(t, settings{wire: http2.Config{Pool: pool}}, func(t *testing.T, r *rig) {
		r.WantIdle()
		r.HalfClose()
		wiretest.Within(t, "Over", r.over)
		if ended++; pool.puts.Load() < ended {
			t.Error("the connection keeps its memory")
		}
	})
}

// heap returns the size of the heap in use.
func heap() int {
	for range 3 {
		runtime.GC() // the content of a sync.Pool goes with the second
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
