package http3_test

import (
	"bytes"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// line is a network between one client and a server that loses, doubles and reorders datagrams. rebind gives the client another address,
// as a router does when it has forgotten the client.
type line struct {
	addr    string         // what the client sends to
	front   net.PacketConn // that, as a socket
	to      *net.UDPAddr
	all     sync.WaitGroup
	loss    float64      // how often a datagram is lost, or doubled; half as often as it is late
	largest atomic.Int64 // what is larger is lost; 0: nothing
	lost    atomic.Int64 // for that reason
	unheard atomic.Int64 // what the server has sent while the client was deaf
	every   int          // after so many datagrams of the client's it is given another address; 0: never

	mu     sync.Mutex
	client net.Addr
	back   *net.UDPConn // the address to which the server responds
	ended  bool
	down   bool // nothing passes
	deaf   bool // nothing that the server sends arrives
	rnd    *rand.Rand
	fates  fates
}

// fates counts the fates of datagrams.
type fates struct{ passed, lost, doubled, late, moves int }

// newLine returns a line that ends with the test.
func newLine(t *testing.T, addr string, loss float64, every int) *line {
	t.Helper()
	l, err := openLine(addr, loss, every)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.end)
	return l
}

// openLine returns a line to a server at addr.
func openLine(addr string, loss float64, every int) (*line, error) {
	front, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	to, err := net.ResolveUDPAddr("udp", addr)
	if err == nil {
		l := &line{addr: front.LocalAddr().String(), front: front, to: to, rnd: rand.New(rand.NewPCG(1, 2)), loss: loss, every: every}
		if err = l.rebind(); err == nil {
			l.all.Go(l.carry)
			return l, nil
		}
	}
	front.Close()
	return nil, err
}

// carry passes on the client's datagrams.
func (l *line) carry() {
	l.mu.Lock()
	front := l.front
	l.mu.Unlock()
	for p := make([]byte, 2048); ; {
		n, from, err := front.ReadFrom(p)
		if err != nil {
			return
		}
		l.mu.Lock()
		l.client = from
		l.fates.passed++
		move := l.every > 0 && l.fates.passed%l.every == 0
		l.mu.Unlock()
		if move {
			l.rebind() // if it fails, a test misses the move
		}
		l.mu.Lock()
		back := l.back
		l.mu.Unlock()
		l.pass(p[:n], func(p []byte) { back.Write(p) })
	}
}

// reopen opens the client's end again, after it was closed.
func (l *line) reopen(t *testing.T) {
	t.Helper()
	front, err := net.ListenPacket("udp", l.addr)
	if err != nil {
		t.Fatal(err)
	}
	l.mu.Lock()
	l.front = front
	l.mu.Unlock()
	l.all.Go(l.carry)
}

// setDeaf starts or stops losing the server's datagrams.
func (l *line) setDeaf(deaf bool) {
	l.mu.Lock()
	l.deaf = deaf
	l.mu.Unlock()
}

// set takes the line down or up.
func (l *line) set(down bool) {
	l.mu.Lock()
	l.down = down
	l.mu.Unlock()
}

// sent returns how many datagrams the client has sent.
func (l *line) sent() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fates.passed
}

// rebind gives the client another address.
func (l *line) rebind() error {
	back, err := net.DialUDP("udp", nil, l.to)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		back.Close()
		return net.ErrClosed
	}
	if l.back != nil {
		l.back.Close()
		l.fates.moves++
	}
	l.back = back
	l.all.Go(func() {
		for p := make([]byte, 2048); ; {
			n, err := back.Read(p)
			if err != nil {
				return
			}
			l.mu.Lock()
			to, front, deaf := l.client, l.front, l.deaf
			l.mu.Unlock()
			if deaf {
				l.unheard.Add(1)
				continue
			}
			l.pass(p[:n], func(p []byte) { front.WriteTo(p, to) })
		}
	})
	return nil
}

// pass passes a datagram on, or loses, doubles or delays it.
func (l *line) pass(p []byte, send func([]byte)) {
	l.mu.Lock()
	x := l.rnd.Float64()
	late := time.Duration(l.rnd.IntN(5)) * time.Millisecond
	switch {
	case l.largest.Load() > 0 && int64(len(p)) > l.largest.Load():
		l.lost.Add(1)
		send = func([]byte) {}
	case l.down, x < l.loss:
		l.fates.lost++
		send = func([]byte) {}
	case x < 2*l.loss:
		l.fates.doubled++
		once := send
		send = func(p []byte) { once(p); once(p) }
	case x < 4*l.loss && !l.ended:
		l.fates.late++
		p = bytes.Clone(p)
		then := send
		send = func(p []byte) {
			l.all.Go(func() {
				time.Sleep(late)
				then(p)
			})
		}
	}
	l.mu.Unlock()
	send(p)
}

// end ends the line.
func (l *line) end() {
	l.mu.Lock()
	l.ended = true
	back := l.back
	l.mu.Unlock()
	l.front.Close()
	back.Close()
	l.all.Wait()
}

// judge fails the test unless the line has lost, doubled, delayed and moved datagrams.
func (l *line) judge(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	f := l.fates
	l.mu.Unlock()
	if t.Logf("%+v", f); f.lost == 0 || f.doubled == 0 || f.late == 0 || f.moves == 0 {
		t.Error("the network has not lost, doubled, delayed and moved packets")
	}
}
