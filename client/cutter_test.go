package client_test

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// cutter stands between clients and a server, and cuts connections: at once, or after so many bytes that the client has
// said, or the server, or both.
type cutter struct {
	net.Listener
	to   string
	open sync.WaitGroup
	cuts [4]atomic.Int32 // of each kind, how many have cut something
}

// The kinds of cuts.
const (
	cutAtOnce = iota
	cutUp     // of requests
	cutDown   // of responses
	cutBoth
)

// newCutter returns a cutter in front of a server, until the test ends.
func newCutter(t *testing.T, to string) *cutter {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{Listener: l, to: to}
	c.open.Go(c.run)
	t.Cleanup(func() { l.Close(); c.open.Wait() })
	return c
}

func (c *cutter) run() {
	for {
		near, err := c.Accept()
		if err != nil {
			return
		}
		if rand.N(20) == 0 {
			c.cuts[cutAtOnce].Add(1)
			end(near)
			continue
		}
		far, err := net.Dial("tcp", c.to)
		if err != nil {
			end(near)
			continue
		}
		p := &pair{near: near, far: far, cutter: c, kind: cutUp + rand.N(3)}
		p.left.Store(rand.Int64N(1 << (10 + rand.N(6))))
		c.open.Go(func() { p.pass(far, near, p.kind != cutDown) })
		c.open.Go(func() { p.pass(near, far, p.kind != cutUp) })
	}
}

// end closes a connection, or resets it.
func end(nc net.Conn) {
	if rand.N(2) == 0 {
		nc.(*net.TCPConn).SetLinger(0)
	}
	nc.Close()
}

// pair is a connection that a cutter passes on.
type pair struct {
	near, far net.Conn
	cutter    *cutter
	kind      int
	left      atomic.Int64
	once      sync.Once
}

// pass passes on one side's bytes, up to the cut if there is one on this side, and then ends both connections.
func (p *pair) pass(to, from net.Conn, counts bool) {
	defer p.once.Do(func() { end(p.near); end(p.far) })
	buf := make([]byte, 4<<10)
	for {
		n, err := from.Read(buf)
		if counts {
			if left := p.left.Add(-int64(n)); left < 0 {
				n = int(max(0, int64(n)+left))
				p.cutter.cuts[p.kind].Add(1)
				err = io.EOF
			}
		}
		if _, failed := to.Write(buf[:n]); failed != nil || err != nil {
			return
		}
	}
}
