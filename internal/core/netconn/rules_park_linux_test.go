package netconn

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/ebb"
	"github.com/shockwave-go/shockwave/internal/core/lot"
)

// parker is an engine whose connections park, and one connection to it.
type parker struct {
	eng    *Engine
	conn   *Conn
	client net.Conn
}

// newParker connects; begin, if set, runs when the engine has accepted.
func newParker(t *testing.T, idlePark time.Duration, begin func(c *Conn)) *parker {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &parker{}
	conns := make(chan *Conn, 1)
	p.eng = New(Config{IdlePark: idlePark, MinWriteRate: -1, New: func(c *Conn, _ net.Listener) (Protocol, error) {
		if begin != nil {
			begin(c)
		}
		conns <- c
		return silent{}, nil
	}})
	if p.eng.cfg.Loop == Plain {
		_ = l.Close()
		t.Skip("the plain loop does not park")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = p.eng.Serve(l, nil)
	}()
	if p.client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	p.conn = <-conns
	t.Cleanup(func() {
		_ = p.client.Close()
		_ = p.eng.Close()
		<-done
	})
	return p
}

// wait waits until f is true.
func (p *parker) wait(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// A connection that cannot park, because its output waits for the peer or there is no lot, tries again after the same
// time, not at every tick of the clock: thousands of slow readers must not keep a core busy.
func TestParksRarely(t *testing.T) {
	const idleSince = 5
	for after, want := range map[int64]int64{0: 1, 1: 1, 999: 1, 1000: 2, 1001: 2, 5999: 6} {
		if at := usedOnce.nextPark(idleSince+after*1e6, idleSince, quickParkShare*1e9); at != idleSince+want*1e9 {
			t.Errorf("%d ms after the wait has begun the next try is at %d ms", after, (at-idleSince)/1e6)
		}
	}
}

// An engine that has ended does not open its lot again for a connection that is about to park, because nothing would close
// it.
func TestClosedLotStaysClosed(t *testing.T) {
	p := newParker(t, time.Microsecond, nil)
	p.wait(t, "the connection to park", func() bool { return p.eng.Stats().Parked == 1 })
	if p.eng.lot.Load() == nil {
		t.Fatal("there is no lot, which this test needs")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := p.eng.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	p.wait(t, "the lot to close", func() bool { return p.eng.lot.Load() == nil })
	if p.conn.ask(lot.Input) {
		t.Error("a connection that has ended got a place")
	}
	if l := p.eng.lot.Load(); l != nil {
		t.Error("an engine that has ended opened its lot again")
		l.Close()
	}
}

// Repeating a request to the lot takes neither the lock of the engine, which all connections share, nor that of the
// connection.
func TestAskAgainTakesNoLock(t *testing.T) {
	p := newParker(t, time.Hour, nil)
	call := p.conn.OnGone(func() {})
	asked := make(chan bool, 1)
	p.eng.mu.Lock()
	p.conn.mu.Lock()
	go func() {
		asked <- call.Stop() && p.conn.OnGone(func() {}).Stop() && p.conn.ask(lot.Gone)
	}()
	select {
	case ok := <-asked:
		if !ok {
			t.Error("a call was not stopped, or the lot not asked")
		}
	case <-time.After(10 * time.Second):
		t.Error("OnGone waits for a lock")
	}
	p.conn.mu.Unlock()
	p.eng.mu.Unlock()
}

// A connection parks while the lot is still to report room, and the late event finds no flusher's state. This happens
// because the system accepts bytes as soon as there is some room, but reports room only when a third of its buffer is
// free.
func TestParksWhileRoomIsAwaited(t *testing.T) {
	p := newParker(t, time.Microsecond, func(c *Conn) {
		c.tr.Below().(*net.TCPConn).SetWriteBuffer(256 << 10)
		unit := make([]byte, 4<<10)
		for !c.out.Left() {
			if ok, err := c.Post(Whole, unit); !ok || err != nil {
				t.Error("Post: ", ok, err)
				return
			}
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.seat.has(lot.Room) {
			t.Error("the lot is not asked for room")
		}
	})
	p.conn.resume() // as the clock does it
	drop := make([]byte, 16<<10)
	early := false
	for p.conn.out.Left() {
		if _, err := p.client.Read(drop); err != nil {
			t.Fatal(err)
		}
		p.conn.mu.Lock()
		early = p.conn.seat.has(lot.Room)
		p.conn.mu.Unlock()
		p.conn.resume()
	}
	if !early {
		t.Skip("this system reported the room first")
	}
	p.wait(t, "the connection to park", func() bool { return p.eng.Stats().Parked == 1 })
	p.client.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	for n, err := 1, error(nil); n > 0 && err == nil; {
		n, err = p.client.Read(drop)
	}
	if _, err := p.conn.Write([]byte("x")); err != nil {
		t.Error(err)
	}
}

// A connection whose IdleTimeout passes while it goes to the lot ends as any other.
func TestParksAtItsDeadline(t *testing.T) {
	clk := clock.NewManual()
	e := New(Config{Clock: clk, IdlePark: 200 * 20 * clock.Tick, IdleTimeout: 24 * clock.Tick, LingerTimeout: -1,
		New: func(*Conn, net.Listener) (Protocol, error) { return silent{}, nil }})
	if e.cfg.Loop == Plain {
		t.Skip("the plain loop does not park")
	}
	defer e.Close()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				clk.Advance(clock.Tick)
				for begin := time.Now(); time.Since(begin) < 2*time.Microsecond; {
				}
			}
		}
	}()
	defer func() { close(stop); <-stopped }()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := &parker{}
	for range 100 {
		var far []net.Conn
		for range 30 {
			nc, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			far = append(far, nc)
			near, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Run(near, nil, func(*Conn) (Protocol, error) { return silent{}, nil }); err != nil {
				t.Fatal(err)
			}
		}
		p.wait(t, "all connections to end", func() bool { return e.Stats().Open == 0 })
		for _, nc := range far {
			nc.Close()
		}
	}
}

// A connection that parks is no longer active, so a flood can end with it.
func TestEbbOfParked(t *testing.T) {
	p := newParker(t, time.Microsecond, func(c *Conn) { c.eng.ebb.High.Store(ebb.FloodSize) })
	p.wait(t, "the ebb to begin", p.eng.ebb.Due.Load)
	if parked := p.eng.Stats().Parked; parked != 1 {
		t.Errorf("%d connections have parked, want 1", parked)
	}
}
