package h1client

import (
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// Tunnel is what a connection becomes when its server has agreed to speak something else on it, or to be a tunnel: a stream.
// It is a net.Conn, all of whose methods may be called concurrently.
type Tunnel struct {
	c       *Conn
	reading sync.Mutex // held by who reads

	mu     sync.Mutex
	closed bool
}

// Tunnel makes the connection the caller's as a stream, after a head with status 101, or 2xx to CONNECT (RFC 9110 §15.2.2,
// §9.3.6): what has arrived behind the head comes first. It is the reader's, once, and before Leave; the connection ends
// with Close of what it returns, or Abort. An engine that shuts down waits for that.
func (c *Conn) Tunnel() *Tunnel {
	c.mu.Lock()
	c.given = true
	c.mu.Unlock()
	return &Tunnel{c: c}
}

// Read reads at least one byte into p, waiting for it if need be.
func (t *Tunnel) Read(p []byte) (int, error) {
	t.reading.Lock()
	defer t.reading.Unlock()
	if t.isClosed() {
		return 0, net.ErrClosed
	}
	n, err := t.c.p.Read(p)
	if err == netconn.ErrInterrupted {
		err = net.ErrClosed
	}
	return n, err
}

func (t *Tunnel) isClosed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}

// Write writes p, and returns when it has left.
func (t *Tunnel) Write(p []byte) (int, error) { return t.c.p.Write(p) }

// CloseWrite ends this side's half of the stream: the other can still be read.
func (t *Tunnel) CloseWrite() error { return t.c.p.CloseWrite() }

// Close ends the connection. Reads that wait fail with net.ErrClosed; what is being written is lost.
func (t *Tunnel) Close() error {
	t.mu.Lock()
	was := t.closed
	t.closed = true
	t.mu.Unlock()
	if was {
		return net.ErrClosed
	}
	p := t.c.p
	p.Interrupt(true)
	t.reading.Lock()
	defer t.reading.Unlock()
	how := error(nil)
	if p.Unsent() {
		how = netconn.ErrAbort
	}
	go t.c.finish(how)
	return nil
}

// LocalAddr returns our address.
func (t *Tunnel) LocalAddr() net.Addr { return t.c.p.LocalAddr() }

// RemoteAddr returns the server's address.
func (t *Tunnel) RemoteAddr() net.Addr { return t.c.p.RemoteAddr() }

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (t *Tunnel) SetDeadline(at time.Time) error {
	_ = t.SetReadDeadline(at)
	return t.SetWriteDeadline(at)
}

// SetReadDeadline bounds reads, also one under way; the zero time is none.
func (t *Tunnel) SetReadDeadline(at time.Time) error { return t.c.p.SetReadDeadline(at) }

// SetWriteDeadline bounds every wait for the server to take something; the zero time is none. When it has passed within
// one nothing can be written any more.
func (t *Tunnel) SetWriteDeadline(at time.Time) error { return t.c.p.SetWriteDeadline(at) }
