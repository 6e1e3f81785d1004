package h2client_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/h2client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	xhttp2 "golang.org/x/net/http2"
)

// rig is a pool whose connections lead to peers, with a clock that only the test moves.
type rig struct {
	h2client.Pool
	t      *testing.T
	cfg    h2client.Config
	eng    *netconn.Engine
	clock  *clock.Clock
	dialed chan *peer // the other ends of all connections
	grants []xhttp2.Setting
	calls  chan context.Context // of dialsWhen

	mu      sync.Mutex
	over    bool
	ends    []net.Conn     // of all peers
	dialing sync.WaitGroup // also for requests that no longer wait
}

var key = h2client.Key{Host: "example.com"}

func newRig(t *testing.T, cfg h2client.Config) *rig {
	r := &rig{t: t, cfg: cfg, clock: clock.NewManual(), dialed: make(chan *peer, 100), calls: make(chan context.Context, 100)}
	r.eng = netconn.New(netconn.Config{
		Clock: r.clock, IdleTimeout: -1, MessageTimeout: -1, LingerTimeout: -1, MinReadRate: -1, MinWriteRate: -1,
	})
	r.Dial = r.dial
	t.Cleanup(func() {
		r.Close()
		r.mu.Lock()
		r.over = true
		r.mu.Unlock()
		r.dialing.Wait()
		for _, end := range r.ends {
			_ = end.Close()
		}
		_ = r.eng.Close()
		wiretest.Eventually(t, "the connections to end", func() bool { return r.eng.Stats().Open == 0 })
	})
	return r
}

func (r *rig) dial(context.Context, h2client.Key) (*h2client.Conn, error) {
	r.mu.Lock()
	if r.over {
		r.mu.Unlock()
		return nil, net.ErrClosed
	}
	r.dialing.Add(1)
	r.mu.Unlock()
	defer r.dialing.Done()
	near, far := wiretest.Pipe(wiretest.Config{Split: wiretest.Random(5)}, wiretest.Config{})
	r.mu.Lock()
	r.ends = append(r.ends, far)
	r.mu.Unlock()
	c, err := h2client.New(r.eng, near, nil, &r.cfg, nil, r.Gone)
	if err != nil {
		return nil, err
	}
	p := newPeer(r.t, far)
	p.HelloClient(r.grants...) // before the first request, so that the client knows the server's limits
	r.dialed <- p
	return c, nil
}

// get is a request with no fields but the pseudo-fields.
type get struct{}

func (get) AppendTo(wire carrier.Fields, dst []byte) []byte {
	dst = wire.AppendField(dst, ":method", "GET")
	dst = wire.AppendField(dst, ":scheme", "http")
	dst = wire.AppendField(dst, ":authority", "example.com")
	return wire.AppendField(dst, ":path", "/")
}

// asked is the request as the peer sees it, after the stream's number.
const asked = " :method=GET :scheme=http :authority=example.com :path=/"

// call is a request that was begun on its own goroutine.
type call struct {
	h2client.Exchange
	t       *testing.T
	started chan error // what Pool.Start has returned
}

// start begins a request; sends says that it has a body.
func (r *rig) start(ctx context.Context, sends bool) *call {
	k := &call{t: r.t, started: make(chan error, 1)}
	go func() { k.started <- r.Start(ctx, key, &k.Exchange, get{}, sends, nil) }()
	return k
}

// begin begins a request without a body, and must succeed.
func (r *rig) begin() *call {
	r.t.Helper()
	k := r.start(context.Background(), false)
	k.begun()
	return k
}

// begun expects that the request has begun.
func (k *call) begun() {
	k.t.Helper()
	if err := wiretest.Within(k.t, "the request to begin", k.started); err != nil {
		k.t.Fatal(err)
	}
}

// failed expects that the request has not begun.
func (k *call) failed() error {
	k.t.Helper()
	err := wiretest.Within(k.t, "the request to fail", k.started)
	if err == nil {
		k.t.Fatal("the request has begun")
	}
	return err
}

// first begins a request on the first connection.
func (r *rig) first() (*call, *peer) {
	r.t.Helper()
	k := r.start(context.Background(), false)
	p := wiretest.Within(r.t, "the connection", r.dialed)
	k.begun()
	p.Want("HEADERS 1" + asked + " END")
	return k, p
}

// status expects a final head and returns its status.
func (k *call) status() int {
	k.t.Helper()
	heads := k.awaits(nil)
	if err := wiretest.Within(k.t, "the head", heads); err != nil {
		k.t.Fatal(err)
	}
	return k.Status
}

// awaits calls Await on a new goroutine.
func (k *call) awaits(done <-chan struct{}) <-chan error {
	ended := make(chan error, 1)
	go func() {
		_, more, err := k.Await(done)
		if more {
			k.t.Error("an informational response")
		}
		ended <- err
	}()
	return ended
}

// leave calls Leave, and must be the last to do so.
func (k *call) leave() {
	k.t.Helper()
	if !k.Leave(nil) {
		k.t.Error("other goroutines still use the exchange")
	}
}

// cancel calls Cancel with the lock held.
func (k *call) cancel(err error) {
	c := k.Conn()
	c.Lock()
	k.CancelLocked(http2.ErrCodeCancel, err)
	c.Unlock()
}

// stop calls StopSendingLocked with the lock held.
func (k *call) stop(err error) {
	c := k.Conn()
	c.Lock()
	k.StopSendingLocked(err)
	c.Unlock()
}

// passes advances the clock in steps, so that goroutines that are woken can act in between.
func (r *rig) passes(d time.Duration, p *peer) {
	r.t.Helper()
	for ; d > 0; d -= 100 * time.Millisecond {
		r.clock.Advance(min(d, 100*time.Millisecond))
		p.WantIdle()
	}
}

// until advances the clock until f is true.
func (r *rig) until(what string, f func() bool) {
	r.t.Helper()
	wiretest.Eventually(r.t, what, func() bool { r.clock.Advance(50 * time.Millisecond); return f() })
}
