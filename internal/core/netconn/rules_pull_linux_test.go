package netconn

import (
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/inbuf"
	"github.com/shockwave-go/shockwave/internal/core/lot"
)

// pulledSocket returns a Pulled on a socket, and its peer.
func pulledSocket(t *testing.T) (c *Pulled, far net.Conn) { return pulledSocketWith(t, Config{}) }

func pulledSocketWith(t *testing.T, cfg Config) (c *Pulled, far net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if far, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.Close() })
	near, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	e := New(cfg)
	t.Cleanup(func() { e.Close() })
	if e.cfg.Loop == Plain {
		t.Skip("nothing is pulled from the descriptor")
	}
	if c, err = e.Pull(near, nil, noOwner{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Finish(ErrAbort) })
	return c, far
}

// A reader of a Pulled lets others run before it waits, unless another reader waits and the runtime has not polled since: while
// goroutines can run, it does not poll.
func TestPullsAskThePoller(t *testing.T) {
	c, far := pulledSocket(t)
	e := c.eng
	if c.yieldFirst() {
		t.Error("other receives are counted, but there are none")
	}
	filled := make(chan error)
	go func() {
		_, err := c.Fill()
		filled <- err
	}()
	WaitUntilBlocked(t, "IO wait", "(*Pulled).receive")
	if !e.pollerNotAsked.Load() {
		t.Error("a goroutine waits, and onWait was not called")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if others(c); c.yieldFirst() {
		t.Error("others have run although a goroutine waits")
	}
	if _, err := far.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := <-filled; err != nil || e.pollerNotAsked.Load() {
		t.Fatalf("after the wait: %v, unpolled %v", err, e.pollerNotAsked.Load())
	}
	for tries := 0; !c.yieldFirst(); tries++ {
		if tries == 100 { // sometimes the scheduler runs this goroutine first
			t.Fatal("others have not run")
		}
		others(c)
	}
	c.Take(len(c.Unread()))
	go func() { // it works longer than c tries
		for range 2 * pullTries {
			e.stats.in(1)
			runtime.Gosched()
		}
		far.Write([]byte("y"))
	}()
	if b, err := c.Fill(); string(b) != "y" || err != nil {
		t.Errorf("after tries in vain: %q, %v", b, err)
	}
}

// A reader that gets its input while others run does not wait, and says so.
func TestPullsWithoutAWait(t *testing.T) {
	c, far := pulledSocket(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for tries, waited := 0, true; waited; tries++ {
		if tries == 1000 { // the scheduler may run this goroutine before the other one has written
			t.Fatal("onWait was called each time")
		}
		go func() {
			far.Write([]byte("x"))
			c.eng.stats.in(1)
		}()
		waited = false
		if _, err := c.FillOnWait(func() { waited = true }); err != nil {
			t.Fatal(err)
		}
		c.Take(len(c.Unread()))
	}
}

// others receives when its turn comes.
func others(c *Pulled) { go c.eng.stats.in(1) }

// A peer that sends more than a buffer holds is read from in larger pieces, and in small ones again when it sends little.
func TestPullsInPiecesThatFit(t *testing.T) {
	c, far := pulledSocket(t)
	e := c.eng
	most := 0
	for range 100 {
		if most == inbuf.MaxSize {
			break
		}
		go far.Write(make([]byte, 2*inbuf.MaxSize))
		for got := 0; got < 2*inbuf.MaxSize; {
			b, err := c.Fill()
			if err != nil {
				t.Fatal(err)
			}
			if len(b) > max(4*most, e.readBuffer) {
				t.Fatalf("%d bytes in a piece, after %d at most", len(b), most)
			}
			most = max(most, len(b))
			got += len(b)
			c.Take(len(b))
		}
	}
	if most != inbuf.MaxSize {
		t.Errorf("%d bytes in a piece, want %d at most", most, inbuf.MaxSize)
	}
	for _, size := range []int{1, 2} {
		if _, err := far.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		b, err := c.Fill()
		if err != nil || len(b) != size {
			t.Fatal(len(b), err)
		}
		c.Take(len(b))
	}
	if c.puller.readSize != e.readBuffer {
		t.Errorf("after a small receive the next buffer has %d bytes", c.puller.readSize)
	}
}

// toldAt is a reader that calls a function when the lot reports an event.
type toldAt struct {
	reader
	do func()
}

func (r toldAt) lotEvent(lot.Event) { r.do() }

// A request that is made without the lock while an event is being reported asks the lot for the next event. If the old
// request still seemed to stand, no further event would come.
func TestEventIsNoLongerAskedForWhenItIsTold(t *testing.T) {
	c, far := pulledSocket(t)
	stands := make(chan bool, 1)
	c.parent = toldAt{c, func() { stands <- c.seat.has(lot.Input) }}
	if !c.ask(lot.Input | lot.Gone) {
		t.Fatal("there is no lot")
	}
	if _, err := far.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	select {
	case asked := <-stands:
		if asked {
			t.Error("the event is reported while the request for it still seems to stand")
		}
	case <-time.After(10 * time.Second):
		t.Error("no event is reported")
	}
}
