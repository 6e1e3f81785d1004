package server

import (
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// hijack implements sink. It returns a stream that CONNECT has made a tunnel (RFC 9113 §8.5, RFC 8441) as a net.Conn.
// Other streams cannot be taken over.
func (m *h2Stream) hijack() (net.Conn, []byte, error) {
	w := &m.res
	if m.req.method != isTunnel || w.status >= 300 {
		return nil, nil, errNoTunnel
	}
	if err := w.Flush(); err != nil {
		return nil, nil, err
	}
	t := &h2Tunnel{m: m}
	t.SetDeadline(time.Time{})
	m.AllowPauses()
	ahead := m.Unread()
	m.Take(len(ahead)) // the caller has them; Read must not return them again
	return t, ahead, nil
}

// h2Tunnel is an HTTP/2 stream as a net.Conn. Its methods are safe for concurrent use.
type h2Tunnel struct {
	m *h2Stream

	reading     sync.Mutex
	writing     sync.Mutex
	mu          sync.Mutex
	writeClosed bool // CloseWrite was called
	closed      bool
}

// Read implements net.Conn.
func (t *h2Tunnel) Read(p []byte) (int, error) {
	t.reading.Lock()
	defer t.reading.Unlock()
	if t.isClosed() {
		return 0, net.ErrClosed
	}
	if t.m.ReadExpired() {
		return 0, t.m.connError("read", netconn.ErrSlow)
	}
	n, err := t.m.Stream.Read(p)
	return n, t.m.connError("read", err)
}

// Write implements net.Conn.
func (t *h2Tunnel) Write(p []byte) (int, error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	k := t.m.conn
	k.Lock()
	defer k.Unlock()
	if t.isClosed() || t.writeClosed {
		return 0, net.ErrClosed
	}
	if len(p) == 0 {
		return 0, nil
	}
	if err := t.m.Send(p, false); err != nil {
		return 0, t.m.connError("write", err)
	}
	return len(p), nil
}

// isClosed reports whether Close was called.
func (t *h2Tunnel) isClosed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}

// CloseWrite ends our side of the stream.
func (t *h2Tunnel) CloseWrite() error {
	t.writing.Lock()
	defer t.writing.Unlock()
	k := t.m.conn
	k.Lock()
	defer k.Unlock()
	if t.isClosed() || t.writeClosed {
		return net.ErrClosed
	}
	t.writeClosed = true
	return t.m.Send(nil, true)
}

// Close ends the stream. Written bytes are still sent. Bytes that the client still sends are refused.
func (t *h2Tunnel) Close() error {
	t.mu.Lock()
	again := t.closed
	t.closed = true
	t.mu.Unlock()
	if again {
		return net.ErrClosed
	}
	k := t.m.conn
	k.Lock()
	t.m.Interrupt(net.ErrClosed) // ends a Read or Write that holds its mutex
	k.Unlock()
	t.reading.Lock()
	defer t.reading.Unlock()
	t.writing.Lock()
	defer t.writing.Unlock()
	k.Lock()
	free := t.m.Finish(!t.writeClosed)
	k.Unlock()
	k.Draw()
	if free {
		k.Link().EndWork()
	}
	return nil
}

// Abort resets the stream.
func (t *h2Tunnel) Abort() error {
	k := t.m.conn
	k.Lock()
	t.m.Reset(http2.ConnectError)
	k.Unlock()
	return t.Close()
}

// LocalAddr implements net.Conn.
func (t *h2Tunnel) LocalAddr() net.Addr { return t.m.LocalAddr() }

// RemoteAddr implements net.Conn.
func (t *h2Tunnel) RemoteAddr() net.Addr { return t.m.RemoteAddr() }

// SetDeadline implements net.Conn.
func (t *h2Tunnel) SetDeadline(d time.Time) error {
	t.m.SetReadDeadline(d)
	return t.m.SetWriteDeadline(d)
}

// SetReadDeadline implements net.Conn.
func (t *h2Tunnel) SetReadDeadline(d time.Time) error { return t.m.SetReadDeadline(d) }

// SetWriteDeadline implements net.Conn.
func (t *h2Tunnel) SetWriteDeadline(d time.Time) error { return t.m.SetWriteDeadline(d) }
