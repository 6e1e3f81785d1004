package h1client

import (
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Tunnel is a connection on which another protocol is spoken, or that tunnels bytes to another server. It is a net.Conn.
// All methods may be called concurrently.
type Tunnel struct {
	c       *Conn
	reading sync.Mutex // held during Read

	mu     sync.Mutex
	closed bool
}

// Tunnel returns the connection as a stream of bytes, after a head with status 101, or with 2xx in response to CONNECT
// (RFC 9110 §15.2.2, §9.3.6). Bytes that have arrived behind the head are read first. The reading goroutine may call it
// once, before Leave. The connection is closed by Close of the Tunnel, or by Abort; shutting down the engine waits for
// that.
func (c *Conn) Tunnel() *Tunnel {
	c.turn.mu.Lock()
	c.state = tunneled
	c.turn.mu.Unlock()
	return &Tunnel{c: c}
}

// Read reads at least one byte into p and waits for it if necessary.
func (t *Tunnel) Read(p []byte) (int, error) {
	t.reading.Lock()
	defer t.reading.Unlock()
	if t.isClosed() {
		return 0, net.ErrClosed
	}
	n, err := t.c.turn.p.Read(p)
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

// Write writes p. It returns when p has been sent.
func (t *Tunnel) Write(p []byte) (int, error) { return t.c.turn.p.Write(p) }

// CloseWrite ends this side of the stream. The other side can still be read.
func (t *Tunnel) CloseWrite() error { return t.c.turn.p.CloseWrite() }

// Close closes the connection. A Read that is waiting fails with net.ErrClosed. Output that has not been sent is lost.
func (t *Tunnel) Close() error {
	t.mu.Lock()
	was := t.closed
	t.closed = true
	t.mu.Unlock()
	if was {
		return net.ErrClosed
	}
	p := t.c.turn.p
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

// LocalAddr returns the local address.
func (t *Tunnel) LocalAddr() net.Addr { return t.c.turn.p.LocalAddr() }

// RemoteAddr returns the server's address.
func (t *Tunnel) RemoteAddr() net.Addr { return t.c.turn.p.RemoteAddr() }

// SetDeadline sets the read and the write deadline.
func (t *Tunnel) SetDeadline(at time.Time) error {
	_ = t.SetReadDeadline(at)
	return t.SetWriteDeadline(at)
}

// SetReadDeadline bounds reads, including one that is waiting; the zero time means no bound.
func (t *Tunnel) SetReadDeadline(at time.Time) error { return t.c.turn.p.SetReadDeadline(at) }

// SetWriteDeadline bounds each wait for the server to take output; the zero time means no bound. If it passes during a
// wait nothing can be written any more.
func (t *Tunnel) SetWriteDeadline(at time.Time) error { return t.c.turn.p.SetWriteDeadline(at) }
