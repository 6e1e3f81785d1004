package tcpmux_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// long is how long what must happen may take.
const long = time.Minute

// proxy is a network between two sessions that can be cut.
type proxy struct {
	t      testing.TB
	l      net.Listener
	to     string
	mu     sync.Mutex
	open   map[net.Conn]bool
	gone   bool          // who connects is cut off
	deaf   bool          // nothing is passed on any more, on the connections that are there
	lag    time.Duration // from one end to the other
	served sync.WaitGroup

	refused atomic.Int32 // connections while it was gone
}

func newProxy(t testing.TB, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{t: t, l: l, to: to, open: map[net.Conn]bool{}}
	p.served.Go(p.serve)
	t.Cleanup(func() {
		l.Close()
		p.cut()
		p.served.Wait()
	})
	return p
}

func (p *proxy) url() string { return "tcp://" + p.l.Addr().String() }

func (p *proxy) serve() {
	for {
		nc, err := p.l.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		gone := p.gone
		p.mu.Unlock()
		if gone {
			nc.Close()
			p.refused.Add(1)
			continue
		}
		far, err := net.Dial("tcp", p.to)
		if err != nil {
			nc.Close()
			continue
		}
		p.mu.Lock()
		p.open[nc], p.open[far] = true, true
		p.mu.Unlock()
		p.served.Go(func() { p.pass(nc, far) })
		p.served.Go(func() { p.pass(far, nc) })
	}
}

func (p *proxy) pass(to, from net.Conn) {
	defer func() {
		to.Close()
		from.Close()
		p.mu.Lock()
		delete(p.open, to)
		delete(p.open, from)
		p.mu.Unlock()
	}()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		p.mu.Lock()
		deaf, lag := p.deaf, p.lag
		p.mu.Unlock()
		if err != nil {
			return
		}
		if deaf {
			continue
		}
		time.Sleep(lag)
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}

// cut resets all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for nc := range p.open {
		nc.(*net.TCPConn).SetLinger(0)
		nc.Close()
	}
}

// away has the network be away, or back.
func (p *proxy) away(gone bool) {
	p.mu.Lock()
	p.gone = gone
	p.mu.Unlock()
	if gone {
		p.cut()
	}
}

// rig is a listener, and sessions to it through a proxy.
type rig struct {
	testing.TB
	l   *tcpmux.Listener
	p   *proxy
	ctx context.Context
}

func newRig(t testing.TB, cfg tcpmux.Config) *rig {
	t.Helper()
	l, err := tcpmux.Listen("tcp://127.0.0.1:0", cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*long)
	t.Cleanup(func() {
		cancel()
		_ = l.Shutdown(ctx) // which has ended: nobody is waited for
	})
	return &rig{TB: t, l: l, p: newProxy(t, l.Addr().String()), ctx: ctx}
}

// session returns both sides of a new session.
func (r *rig) session(cfg tcpmux.Config) (dialled, accepted *tcpmux.Session) {
	r.Helper()
	dialled, err := tcpmux.Dial(r.ctx, r.p.url(), cfg)
	if err != nil {
		r.Fatal(err)
	}
	accepted, err = r.l.Accept(r.ctx)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { _ = dialled.Close() })
	return dialled, accepted
}

// quick is for sessions whose connections are cut often.
var quick = tcpmux.Config{RedialFirst: time.Millisecond, RedialLongest: 5 * time.Millisecond}

// channel returns both sides of a new channel.
func (r *rig) channel(a, b *tcpmux.Session, name string) (x, y *tcpmux.Channel) {
	r.Helper()
	x, err := a.Open(name)
	if err != nil {
		r.Fatal(err)
	}
	if y, err = b.Accept(r.ctx); err != nil {
		r.Fatal(err)
	}
	if x.Name() != y.Name() {
		r.Fatalf("%q was opened and %q announced", x.Name(), y.Name())
	}
	return x, y
}

func (r *rig) send(c *tcpmux.Channel, p string) {
	r.Helper()
	if err := c.Send(r.ctx, []byte(p)); err != nil {
		r.Fatalf("send: %v", err)
	}
}

func (r *rig) want(c *tcpmux.Channel, p string) {
	r.Helper()
	got, err := c.Receive(r.ctx)
	if err != nil || string(got) != p {
		r.Fatalf("got %.40q, %v; want %.40q", got, err, p)
	}
	tcpmux.Recycle(got)
}

func (r *rig) wantEnd(c *tcpmux.Channel) {
	r.Helper()
	if got, err := c.Receive(r.ctx); err != io.EOF {
		r.Fatalf("got %q, %v; want the end", got, err)
	}
}

// waits waits for something that must happen.
func waits(t testing.TB, what string, f func() bool) {
	t.Helper()
	for until := time.Now().Add(long); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%s: not within %v", what, long)
		}
	}
}

// shutdown shuts s down and returns how it has ended.
func shutdown(ctx context.Context, s *tcpmux.Session) *tcpmux.EndError {
	_ = s.Shutdown(ctx)
	return isEnd(s.Err())
}

func isEnd(err error) *tcpmux.EndError {
	var e *tcpmux.EndError
	errors.As(err, &e)
	return e
}
