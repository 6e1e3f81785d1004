package hostile

import (
	"net"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	gorilla "github.com/gorilla/websocket"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/compat/internal/wsecho"
	"github.com/shockwave-go/shockwave/websocket"
)

const (
	perAttack  = 10 // of each kind
	roundTrips = 20
	// mayHold is how much memory the server may hold for all attackers together, in bytes. Half of it is what ten clients
	// that do not read have been sent messages of 512 KiB for.
	mayHold = 32 << 20
	// mayStay is how much more may be in use after the attack than before: pools, and what a span of the heap rounds up.
	mayStay = 4 << 20
)

// Hostile clients are cut off, an honest one is served meanwhile, and the memory that they took is given back.
func TestHostileClients(t *testing.T) {
	for _, way := range []wsecho.Way{wsecho.Blocking, wsecho.Callbacks} {
		t.Run(way.Name, func(t *testing.T) {
			s := way.Start(t, websocket.Config{ReadLimit: 1 << 20, CloseTimeout: time.Second})
			good := dial(t, s.Addr)
			good.roundTrips(t, roundTrips)
			heap, goroutines := usage()

			conns, cut := siege(t, s.Addr)
			good.roundTrips(t, roundTrips)
			for name, over := range cut {
				both.Receive(t, over, "the end of the attack: "+name)
			}
			good.roundTrips(t, roundTrips)
			now, _ := usage()
			t.Logf("%d KiB are in use under attack, %d KiB before", now>>10, heap>>10)
			if now > heap+mayHold {
				t.Error("the attackers hold too much memory")
			}

			for _, c := range conns {
				c.Close()
			}
			await(t, "the attackers' connections to end", func() bool { return s.Group.Len() == 1 })
			await(t, "goroutines and memory to be as before", func() bool {
				h, g := usage()
				return g <= goroutines && h <= heap+mayStay
			})
			good.roundTrips(t, roundTrips)
		})
	}
}

// Peers that neither read nor stop sending are closed as fast as all others.
func TestClosingUnderAttack(t *testing.T) {
	for _, way := range []wsecho.Way{wsecho.Blocking, wsecho.Callbacks} {
		t.Run(way.Name, func(t *testing.T) {
			s := way.Start(t, websocket.Config{CloseTimeout: time.Second})
			siege(t, s.Addr)
			var closing sync.WaitGroup
			for c := range s.Group.All() {
				closing.Go(func() {
					c.Close(websocket.ClosePolicyViolation, "enough")
					both.Receive(t, c.Done(), "the end of a connection that was closed")
				})
			}
			closing.Wait()
			if n := s.Group.Len(); n != 0 {
				t.Errorf("%d connections are left", n)
			}
		})
	}
}

// siege begins all attacks. It returns all connections, and for the attacks that the server must end by itself the
// channels that tell when it has.
func siege(t *testing.T, addr string) (conns []net.Conn, cut map[string]chan struct{}) {
	cut = map[string]chan struct{}{}
	for range perAttack {
		for _, a := range attacks {
			c, over := a.besiege(t, addr)
			conns = append(conns, c)
			t.Cleanup(func() {
				c.Close()
				<-over
			})
			if a.cut {
				cut[a.name] = over // one for all of a kind
			}
		}
	}
	return conns, cut
}

// usage returns the bytes of heap in use and the number of goroutines.
func usage() (heap uint64, goroutines int) {
	runtime.GC() // the first empties pools into their second half,
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse, runtime.NumGoroutine()
}

// await looks until something is so. The test ends if it does not come to be.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(both.Patience); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			heap, goroutines := usage()
			t.Fatalf("waited in vain for %s: %d KiB in use, %d goroutines", what, heap>>10, goroutines)
		}
	}
}

// guest is a client that behaves.
type guest struct{ *gorilla.Conn }

func dial(t *testing.T, addr string) guest {
	t.Helper()
	dialer := gorilla.Dialer{HandshakeTimeout: both.Patience}
	c, _, err := dialer.Dial("ws://"+addr+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return guest{c}
}

// roundTrips sends n messages, each after the response to the one before.
func (g guest) roundTrips(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		g.SetReadDeadline(time.Now().Add(both.Patience))
		if err := g.WriteMessage(gorilla.TextMessage, []byte("are you there?")); err != nil {
			t.Fatalf("round trip %d: %v", i, err)
		}
		if _, p, err := g.ReadMessage(); err != nil || string(p) != "are you there?" {
			t.Fatalf("round trip %d: %q: %v", i, p, err)
		}
	}
}
