package netconn_test

import (
	"bytes"
	"net"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// parting sends something at its first input and returns ErrDone. ended gets the error of End.
type parting struct {
	say   []byte
	ended chan error
}

func (l *parting) Data(c *netconn.Conn, p []byte) (int, error) {
	if _, err := c.Write(l.say); err != nil {
		return len(p), err
	}
	return len(p), netconn.ErrDone
}

func (l *parting) End(_ *netconn.Conn, err error) { l.ended <- err }

// On a transport without a buffer between Write and Read, two ends that both end with output do not wait for each other.
// The clock stands still here: no deadline passes.
func TestBothEndsSaySomethingLast(t *testing.T) {
	e := netconn.New(netconn.Config{Clock: clock.NewManual()})
	t.Cleanup(func() { _ = e.Close() })
	a, b := net.Pipe()
	ended := make(chan error, 2)
	for _, nc := range []net.Conn{a, b} {
		p := &parting{bytes.Repeat([]byte("bye "), 1000), ended}
		if err := e.Run(nc, []byte("x"), func(*netconn.Conn) (netconn.Protocol, error) { return p, nil }); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := within(t, "an end", ended); err != nil {
			t.Errorf("ended with %v", err)
		}
	}
}

// On a transport without a buffer, two ends that both respond to input read while they write.
func TestBothEndsWriteAndRead(t *testing.T) {
	const size = 1000
	e := netconn.New(netconn.Config{Clock: clock.NewManual()})
	t.Cleanup(func() { _ = e.Close() })
	a, b := net.Pipe()
	heard := make(chan int, 2)
	for _, nc := range []net.Conn{a, b} {
		p := &responder{say: bytes.Repeat([]byte("x"), size), heard: heard}
		if err := e.Run(nc, []byte("?"), func(*netconn.Conn) (netconn.Protocol, error) { return p, nil }); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if n := within(t, "the other end's bytes", heard); n != size {
			t.Errorf("read %d bytes", n)
		}
	}
}

// responder responds to a question with say, and reports when it has read as many bytes besides the question.
type responder struct {
	say   []byte
	n     int
	heard chan int
}

func (a *responder) Data(c *netconn.Conn, p []byte) (int, error) {
	if bytes.Equal(p, []byte("?")) {
		_, err := c.Write(a.say)
		return 1, err
	}
	if a.n += len(p); a.n >= len(a.say) {
		a.heard <- a.n
	}
	return len(p), nil
}

func (*responder) End(*netconn.Conn, error) {}
