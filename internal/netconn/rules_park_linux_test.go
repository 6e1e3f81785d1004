package netconn

import (
	"context"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/sys"
)

// parker is an engine whose connections park, and one connection to it.
type parker struct {
	eng    *Engine
	conn   *Conn
	client net.Conn
	turns  *atomic.Int64 // how often the serve loop went round
}

// turnSocket is a socket that counts the turns of the serve loop.
type turnSocket struct {
	*net.TCPConn
	turns *atomic.Int64
}

func (s turnSocket) SyscallConn() (syscall.RawConn, error) {
	raw, err := s.TCPConn.SyscallConn()
	return turnCount{raw, s.turns}, err
}

type turnCount struct {
	syscall.RawConn
	turns *atomic.Int64
}

func (r turnCount) Read(turn func(fd uintptr) bool) error {
	return r.RawConn.Read(func(fd uintptr) bool {
		r.turns.Add(1)
		return turn(fd)
	})
}

// newParker connects; begin, if set, runs when the engine has accepted.
func newParker(t *testing.T, idlePark time.Duration, begin func(c *Conn)) *parker {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &parker{turns: new(atomic.Int64)}
	conns := make(chan *Conn, 1)
	p.eng = New(Config{IdlePark: idlePark, MinWriteRate: -1, New: func(c *Conn, _ net.Listener) (Protocol, error) {
		if c.socket {
			c.nc = turnSocket{c.nc.(*net.TCPConn), p.turns}
		}
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

// wantRareTurns expects that the loop of a connection that has not said anything yet goes round once for each time it
// would park, and no more.
func (p *parker) wantRareTurns(t *testing.T) {
	t.Helper()
	park := p.eng.cfg.IdlePark / quickPark
	time.Sleep(park + 2*tick)
	before, began := p.turns.Load(), time.Now()
	time.Sleep(5 * park)
	turns, took := p.turns.Load()-before, time.Since(began)
	if most := int64(took/park) + 2; turns > most {
		t.Errorf("%d turns in %v in which nothing happened, want at most %d", turns, took, most)
	}
}

// TestNoTurnsWhileOutputWaits: a connection that cannot park because its output waits for the peer tries again after
// the same time once more, not at every tick of the clock: thousands of slow readers must not keep a core busy.
func TestNoTurnsWhileOutputWaits(t *testing.T) {
	written := make(chan struct{})
	p := newParker(t, 60*quickPark*time.Millisecond, func(c *Conn) {
		go func() {
			defer close(written)
			_, _ = c.Write(make([]byte, 32<<20))
		}()
	})
	WaitUntilBlocked(t, "IO wait", "(*Conn).transmitWaiting")
	p.wantRareTurns(t)
	_ = p.eng.Close()
	<-written
}

// TestNoTurnsWithoutALot: the same where no descriptor is left for a lot. When there is one again, it parks.
func TestNoTurnsWithoutALot(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	p := newParker(t, 60*quickPark*time.Millisecond, nil)
	none := limit
	none.Cur = 3
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	p.wantRareTurns(t)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	p.wait(t, "it to park", func() bool { return p.eng.Stats().Parked == 1 })
}

// TestClosedLotStaysClosed: an engine may end while a connection is on its way to the lot. Nobody is left then who
// would close a lot that is opened only now.
func TestClosedLotStaysClosed(t *testing.T) {
	p := newParker(t, time.Microsecond, nil)
	p.wait(t, "it to park", func() bool { return p.eng.Stats().Parked == 1 })
	if p.eng.lotOf() == nil {
		t.Fatal("there is no lot: the test shows nothing")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := p.eng.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	p.wait(t, "the lot to close", func() bool { return p.eng.lotOf() == nil })
	if p.conn.askLot(sys.IN) {
		t.Error("a connection that has ended got a place")
	}
	if l := p.eng.lotOf(); l != nil {
		t.Error("an engine that has ended opened its lot again")
		l.close()
	}
}
