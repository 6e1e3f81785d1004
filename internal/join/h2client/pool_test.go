package h2client_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/h2client"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	xhttp2 "golang.org/x/net/http2"
)

// dialsWhen makes r dial only once the gate is closed, and counts the dials.
func (r *rig) dialsWhen(gate <-chan struct{}, fails error) (dials *atomic.Int32, cancelled chan struct{}) {
	dials, cancelled = new(atomic.Int32), make(chan struct{}, 100)
	r.Dial = func(ctx context.Context, key h2client.Key) (*h2client.Conn, error) {
		r.calls <- ctx
		dials.Add(1)
		select {
		case <-gate:
		case <-ctx.Done():
			cancelled <- struct{}{}
			return nil, ctx.Err()
		}
		if fails != nil {
			return nil, fails
		}
		return r.dial(ctx, key)
	}
	return dials, cancelled
}

// calling begins n requests that wait for a connection.
func (r *rig) calling(ctx context.Context, n int) (calls []*call) {
	r.t.Helper()
	before := r.Calling(key)
	for range n {
		calls = append(calls, r.start(ctx, false))
	}
	wiretest.Eventually(r.t, "the requests to wait", func() bool { return r.Calling(key) == before+n })
	return calls
}

// Requests that come while a connection is being opened wait for it.
func TestOneDialForMany(t *testing.T) {
	r := newRig(t, h2client.Config{})
	gate := make(chan struct{})
	dials, _ := r.dialsWhen(gate, nil)
	calls := r.calling(t.Context(), 5)
	close(gate)
	for _, k := range calls {
		k.begun()
	}
	if n := dials.Load(); n != 1 || len(r.Conns()) != 1 {
		t.Errorf("%d connections", n)
	}
	for _, k := range calls {
		k.leave()
	}
}

// All waiting requests get the error, and the next one dials again.
func TestDialFails(t *testing.T) {
	r := newRig(t, h2client.Config{})
	gate, mine := make(chan struct{}), errors.New("mine")
	dials, _ := r.dialsWhen(gate, mine)
	calls := r.calling(t.Context(), 3)
	close(gate)
	for _, k := range calls {
		if err := k.failed(); err != mine {
			t.Errorf("got %v", err)
		}
	}
	if r.Hosts() != 0 {
		t.Error("the host pool is kept")
	}
	_ = r.start(t.Context(), false).failed()
	if n := dials.Load(); n != 2 {
		t.Errorf("%d attempts", n)
	}
}

// A dial is canceled when the last waiting request has gone, and not before. Later requests dial
// again.
func TestDialIsGivenUp(t *testing.T) {
	r := newRig(t, h2client.Config{})
	gate, mine := make(chan struct{}), errors.New("mine")
	dials, cancelled := r.dialsWhen(gate, nil)
	first, cancelFirst := context.WithCancelCause(t.Context())
	second, cancelSecond := context.WithCancelCause(t.Context())
	a, b := r.calling(first, 1), r.calling(second, 1)
	cancelFirst(mine)
	if err := a[0].failed(); err != mine {
		t.Errorf("got %v", err)
	}
	if call := <-r.calls; call.Err() != nil {
		t.Error("the other one still waits")
	}
	cancelSecond(mine)
	if err := b[0].failed(); err != mine {
		t.Errorf("got %v", err)
	}
	wiretest.Within(t, "the attempt to end", cancelled)
	c := r.calling(t.Context(), 1)
	close(gate)
	c[0].begun()
	c[0].leave()
	if n := dials.Load(); n != 2 {
		t.Errorf("%d attempts", n)
	}
}

// A connection whose dial was canceled but succeeded is used, although its host pool was dropped,
// and does not replace another dial.
func TestDialThatComesLate(t *testing.T) {
	r := newRig(t, h2client.Config{})
	gates := []chan struct{}{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	mine, dials := errors.New("mine"), 0
	r.Dial = func(ctx context.Context, key h2client.Key) (*h2client.Conn, error) {
		dials++
		n := dials
		r.calls <- ctx
		if <-gates[n-1]; n == 2 {
			return nil, mine
		}
		return r.dial(ctx, key)
	}
	ctx, cancel := context.WithCancel(t.Context())
	first := r.calling(ctx, 1)[0]
	cancel()
	if err := first.failed(); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	wiretest.Within(t, "the first attempt", r.calls)
	second := r.calling(t.Context(), 1)[0]
	wiretest.Within(t, "the second attempt", r.calls)
	close(gates[1])
	if err := second.failed(); err != mine {
		t.Errorf("got %v", err)
	}
	if r.Hosts() != 0 {
		t.Error("the host pool is kept")
	}
	third := r.calling(t.Context(), 1)[0]
	wiretest.Within(t, "the third attempt", r.calls)
	close(gates[0])
	wiretest.Within(t, "the first connection", r.dialed)
	wiretest.Eventually(t, "the pool to have it", func() bool { return len(r.Conns()) == 1 })
	if r.Calling(key) != 1 {
		t.Error("the third attempt is forgotten")
	}
	fourth := r.begin() // on the first connection
	close(gates[2])
	third.begun()
	if c := third.Conn(); dials != 3 || fourth.Conn() != r.Conns()[0] || len(r.Conns()) != 2 && c != fourth.Conn() {
		t.Errorf("%d attempts, %d connections", dials, len(r.Conns()))
	}
	third.leave()
	fourth.leave()
}

// A connection whose dial was canceled but succeeded is used also if its host pool was dropped.
func TestDialThatComesLast(t *testing.T) {
	r := newRig(t, h2client.Config{})
	late, mine, dials := make(chan struct{}), errors.New("mine"), new(atomic.Int32)
	r.Dial = func(ctx context.Context, key h2client.Key) (*h2client.Conn, error) {
		if r.calls <- ctx; dials.Add(1) > 1 {
			return nil, mine
		}
		<-late
		return r.dial(ctx, key)
	}
	ctx, cancel := context.WithCancel(t.Context())
	first := r.calling(ctx, 1)[0]
	wiretest.Within(t, "the first attempt", r.calls)
	cancel()
	_ = first.failed()
	if err := r.start(t.Context(), false).failed(); err != mine || r.Hosts() != 0 {
		t.Errorf("got %v, %d hosts", err, r.Hosts())
	}
	close(late)
	wiretest.Within(t, "the connection", r.dialed)
	wiretest.Eventually(t, "the pool to have it", func() bool { return r.Has(key) })
	r.begin().leave()
	if n := dials.Load(); n != 2 {
		t.Errorf("%d attempts", n)
	}
}

// Nothing is kept of a host when its dial was canceled.
func TestGivenUpLeavesNothing(t *testing.T) {
	r := newRig(t, h2client.Config{})
	_, cancelled := r.dialsWhen(nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	k := r.calling(ctx, 1)[0]
	cancel()
	_ = k.failed()
	wiretest.Within(t, "the attempt to end", cancelled)
	wiretest.Eventually(t, "the host pool to be forgotten", func() bool { return r.Hosts() == 0 })
}

// The error is returned if the engine runs no connections.
func TestNoEngine(t *testing.T) {
	r := newRig(t, h2client.Config{})
	_ = r.eng.Close()
	near, far := wiretest.Pipe(wiretest.Config{}, wiretest.Config{})
	defer far.Close()
	if c, err := h2client.New(r.eng, near, nil, &r.cfg, nil, r.Gone); c != nil || err == nil {
		t.Errorf("got %v, %v", c, err)
	}
}

// Without room another connection is opened, up to MaxConns. Then requests wait on the connection
// with the fewest waiting.
func TestFurtherConnections(t *testing.T) {
	r := newRig(t, h2client.Config{})
	r.MaxConns, r.grants = 2, []xhttp2.Setting{streams(1)}
	a, b := r.begin(), r.begin()
	if a.Conn() == b.Conn() || len(r.Conns()) != 2 {
		t.Fatal("one connection for two")
	}
	c, d := r.start(t.Context(), false), (*call)(nil)
	one := func(n int) func() bool {
		return func() bool { return a.Conn().Waiting()+b.Conn().Waiting() == n }
	}
	wiretest.Eventually(t, "the third to wait", one(1))
	d = r.start(t.Context(), false)
	wiretest.Eventually(t, "the fourth to wait", one(2))
	if a.Conn().Waiting() != 1 || b.Conn().Waiting() != 1 {
		t.Error("both wait on the same connection")
	}
	a.leave()
	b.leave()
	c.begun()
	d.begun()
	c.leave()
	d.leave()
}

// After opening some connections without getting room, a request waits for room.
func TestServersThatTakeNothing(t *testing.T) {
	r := newRig(t, h2client.Config{})
	r.grants = []xhttp2.Setting{streams(0)}
	ctx, cancel := context.WithCancel(t.Context())
	k := r.start(ctx, false)
	wiretest.Eventually(t, "the request to wait", func() bool {
		n := 0
		for _, c := range r.Conns() {
			n += c.Waiting()
		}
		return n == 1
	})
	if n := len(r.Conns()); n != h2client.MaxDials {
		t.Errorf("%d connections", n)
	}
	cancel()
	if err := k.failed(); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

// A request gives up after some connections that end before it begins, and reports the reason.
func TestServersThatEnd(t *testing.T) {
	var gone *h2client.GoAwayError
	for name, tc := range map[string]struct {
		end func(c *h2client.Conn, p *peer)
		is  func(err error) bool
	}{
		"closed":     {func(_ *h2client.Conn, p *peer) { _ = p.Conn.Close() }, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
		"half known": {func(c *h2client.Conn, _ *peer) { c.Conn.EndOfInput(io.EOF) }, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
		"aborted":    {func(c *h2client.Conn, _ *peer) { c.Abort() }, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
		"GOAWAY":     {func(_ *h2client.Conn, p *peer) { p.goAway(0, xhttp2.ErrCodeInternal) }, func(err error) bool { return errors.As(err, &gone) }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, h2client.Config{})
			dials := 0
			r.Dial = func(ctx context.Context, key h2client.Key) (*h2client.Conn, error) {
				dials++
				c, err := r.dial(ctx, key)
				if err == nil {
					tc.end(c, <-r.dialed)
					wiretest.Eventually(t, "the connection to end", func() bool { return !c.Usable() || name == "half known" })
				}
				return c, err
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if err := r.start(ctx, false).failed(); !tc.is(err) || dials != h2client.MaxRefused+1 {
				t.Errorf("got %v after %d connections", err, dials)
			}
			wiretest.Eventually(t, "the pool to forget them", func() bool { return len(r.Conns()) == 0 })
		})
	}
}

// Requests that have begun fail, and no more begin. A connection that is opened too late is closed.
func TestPoolClose(t *testing.T) {
	r := newRig(t, h2client.Config{})
	k, p := r.first()
	waits := k.awaits(nil)
	r.Close()
	if err := wiretest.Within(t, "Await", waits); err == nil {
		t.Error("no error")
	}
	p.WantGone()
	k.leave()
	if err := r.start(t.Context(), false).failed(); err != h2client.ErrClosed {
		t.Errorf("got %v", err)
	}

	r = newRig(t, h2client.Config{})
	gate := make(chan struct{})
	r.dialsWhen(gate, nil)
	late := r.calling(t.Context(), 1)
	r.Close()
	close(gate)
	if err := late[0].failed(); err != h2client.ErrClosed {
		t.Errorf("got %v", err)
	}
	wiretest.Within(t, "the connection", r.dialed).WantGone()
}

// Each different key has its own connections.
func TestKeys(t *testing.T) {
	r := newRig(t, h2client.Config{})
	var calls []*call
	for _, key := range []h2client.Key{key, {Host: "other"}, {Host: key.Host, Secure: true}, {Host: key.Host, Via: "http://proxy"}, key} {
		k := &call{t: t, started: make(chan error, 1)}
		k.started <- r.Start(t.Context(), key, &k.Exchange, get{}, false, nil)
		k.begun()
		calls = append(calls, k)
	}
	if len(r.Conns()) != 4 || r.Hosts() != 4 || calls[0].Conn() != calls[4].Conn() {
		t.Errorf("%d connections", len(r.Conns()))
	}
	for _, k := range calls {
		k.leave()
	}
}

// Many requests at once, canceled at any time, on connections that go away. Every request returns, and
// nothing is left over.
func TestPoolStorm(t *testing.T) {
	r := newRig(t, h2client.Config{})
	r.grants, r.MaxConns = []xhttp2.Setting{streams(4)}, 3
	stop := make(chan struct{})
	var servers, clients sync.WaitGroup
	servers.Go(func() {
		for n := 0; ; n++ {
			select {
			case p := <-r.dialed:
				servers.Go(func() { serveStorm(p, 20+n%30) })
			case <-stop:
				return
			}
		}
	})
	disturber := make(chan struct{})
	go func() { // idle connections are closed, some others take no more, and all are looked at
		defer close(disturber)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			r.CloseIdle()
			for i, c := range r.Conns() {
				if c.GoAway(); (n+i)%20 == 0 {
					c.Close()
				}
			}
		}
	}()
	var responded atomic.Int32
	for i := range 8 {
		clients.Go(func() {
			for j := range 40 {
				ctx, cancel := context.WithCancel(t.Context())
				k := &call{t: t}
				done := make(chan struct{})
				go func() { // some are cancelled
					defer close(done)
					if (i+j)%5 == 0 {
						cancel()
					}
				}()
				if err := r.Start(ctx, key, &k.Exchange, get{}, false, nil); err == nil {
					if _, _, err = k.Await(ctx.Done()); err == nil && k.Status == 200 {
						responded.Add(1)
					}
					k.NoResponse()
					k.leave()
				} else if ctx.Err() == nil && !h2client.Unprocessed(err) {
					var gone *h2client.GoAwayError
					if !errors.As(err, &gone) && !errors.Is(err, io.ErrUnexpectedEOF) {
						t.Errorf("got %v", err)
					}
				}
				cancel()
				<-done
			}
		})
	}
	clients.Wait()
	r.Close()
	close(stop)
	<-disturber
	ended := make(chan int, 1)
	go func() { servers.Wait(); ended <- 1 }()
	r.until("the connections to end", func() bool { return len(ended) > 0 })
	if responded.Load() < 100 {
		t.Errorf("only %d of 320 requests got a response", responded.Load())
	}
	wiretest.Eventually(t, "the pool to be empty", func() bool { return r.Hosts() == 0 })
}

// serveStorm responds to a number of requests, and then goes away in one of two ways.
func serveStorm(p *peer, n int) {
	defer p.Conn.Close()
	last := uint32(0)
	for {
		f, err := p.Framer.ReadFrame()
		if err != nil {
			return
		}
		if f.Header().Type != xhttp2.FrameHeaders || last > uint32(n) {
			continue
		}
		last = f.Header().StreamID
		p.ok(last, true)
		if last > uint32(n) {
			if n%3 == 0 {
				return
			}
			p.goAway(last, xhttp2.ErrCodeNo)
		}
	}
}
