package server

import (
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// hijack implements sink. It returns a stream that CONNECT has made a tunnel (RFC 9113 §8.5, RFC 9114 §4.4, RFC 8441) as a
// net.Conn. Other streams cannot be taken over. On a WebSocket's stream whose response has not begun, the handler writes
// that to the connection itself.
func (m *fieldMessage) hijack() (net.Conn, []byte, error) {
	w := &m.res
	byHand := m.answersUpgrade() && w.phase == unanswered
	switch {
	case byHand:
	case m.answersUpgrade() && w.status == 101, m.req.method == bodyplan.Tunnel && w.status < 300:
		if err := w.Flush(); err != nil {
			return nil, nil, err
		}
	default:
		return nil, nil, errNoTunnel
	}
	t := &tunnel{m: m, on: m.on, aborted: carrier.Broken}
	if byHand {
		t.byHand = newHandAnswer(&m.exchange)
	}
	if m.answersUpgrade() || m.head.Header.Has(":protocol") {
		t.aborted = carrier.Cancelled
	}
	m.on.TakeOver()
	ahead := m.on.Unread()
	m.on.Take(len(ahead)) // the caller has them; Read must not return them again
	return t, ahead, nil
}

// tunnel is a stream as a net.Conn. Its methods are safe for concurrent use.
type tunnel struct {
	m       *fieldMessage
	on      carrier.Stream
	aborted carrier.Reason // tells the client that the tunnel was aborted

	reading     sync.Mutex
	writing     sync.Mutex
	byHand      *handAnswer // reads what the handler writes as its response; nil in the tunnel; guarded by writing
	mu          sync.Mutex
	writeClosed bool // CloseWrite was called
	closed      bool
}

// Read implements net.Conn.
func (t *tunnel) Read(p []byte) (int, error) {
	t.reading.Lock()
	defer t.reading.Unlock()
	if t.isClosed() {
		return 0, net.ErrClosed
	}
	if t.on.ReadExpired() {
		return 0, t.m.connError("read", netconn.ErrSlow)
	}
	n, err := t.on.Read(p)
	return n, t.connError("read", err)
}

// Write implements net.Conn.
func (t *tunnel) Write(p []byte) (int, error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	if t.isClosed() || t.writeClosed {
		return 0, net.ErrClosed
	}
	rest := p
	if t.byHand != nil {
		var err error
		if rest, err = t.writeByHandLocked(p); err != nil {
			return 0, err
		}
	}
	if len(rest) == 0 {
		return len(p), nil
	}
	if err := t.on.Send(nil, rest, nil, nil, carrier.More); err != nil {
		return 0, t.connError("write", err)
	}
	return len(p), nil
}

// connError returns the error of a connection for err, one of the stream: what has ended the stream otherwise than in good
// order is a reset.
func (t *tunnel) connError(op string, err error) error {
	switch err {
	case nil, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed:
		return err
	}
	if _, told := err.(*net.OpError); told {
		return err // the connection's
	}
	e := t.m.connError(op, err)
	if e == err {
		e = t.m.opError(op, streamReset{err})
	}
	return e
}

// streamReset is the error of a stream that was reset. For errors.Is it is ECONNRESET, by which programs know that their
// peer has gone.
type streamReset struct{ error }

// Is makes it ECONNRESET.
func (streamReset) Is(target error) bool { return target == syscall.ECONNRESET }

// Error begins with the words of ECONNRESET.
func (e streamReset) Error() string { return syscall.ECONNRESET.Error() + ": " + e.error.Error() }

// Unwrap returns the stream's error.
func (e streamReset) Unwrap() error { return e.error }

// writeByHandLocked reads p as a part of the response, and returns what of it is behind the head of a 101. A response
// that is malformed ends the stream.
func (t *tunnel) writeByHandLocked(p []byte) (rest []byte, err error) {
	rest, open, err := t.byHand.write(p)
	switch {
	case open:
		t.byHand = nil
	case err != nil:
		t.abortFor(err)
	}
	return rest, err
}

// abortFor aborts the stream because its response, which the handler has written by hand, cannot be sent for err.
func (t *tunnel) abortFor(err error) {
	t.m.srv.log.Debug("server: malformed response on a hijacked connection", "err", err, "remote", t.on.RemoteAddr())
	t.on.Abort(carrier.Incomplete)
}

// isClosed reports whether Close was called.
func (t *tunnel) isClosed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}

// CloseWrite ends our side of the stream.
func (t *tunnel) CloseWrite() error {
	t.writing.Lock()
	defer t.writing.Unlock()
	if t.isClosed() || t.writeClosed {
		return net.ErrClosed
	}
	t.writeClosed = true
	if t.byHand != nil {
		if t.byHand.at == handEnded {
			return nil
		}
		if !t.byHand.end() {
			t.abortFor(io.ErrUnexpectedEOF)
			return io.ErrUnexpectedEOF
		}
	}
	return t.on.Send(nil, nil, nil, nil, carrier.Complete)
}

// Close ends the stream. Written bytes are still sent. Bytes that the client still sends are refused.
func (t *tunnel) Close() error {
	t.mu.Lock()
	again := t.closed
	t.closed = true
	t.mu.Unlock()
	if again {
		return net.ErrClosed
	}
	t.on.Interrupt(net.ErrClosed) // ends a Read or Write that holds its mutex
	t.reading.Lock()
	defer t.reading.Unlock()
	t.writing.Lock()
	defer t.writing.Unlock()
	if t.byHand != nil && !t.writeClosed && !t.byHand.end() {
		t.abortFor(io.ErrUnexpectedEOF)
	}
	t.on.Finish()
	return nil
}

// Abort resets the stream.
func (t *tunnel) Abort() error {
	t.on.Abort(t.aborted)
	return t.Close()
}

// Carrier returns the stream. What is built on streams, such as WebTransport, finds its transport by it.
func (t *tunnel) Carrier() carrier.Stream { return t.on }

// LocalAddr implements net.Conn.
func (t *tunnel) LocalAddr() net.Addr { return t.on.LocalAddr() }

// RemoteAddr implements net.Conn.
func (t *tunnel) RemoteAddr() net.Addr { return t.on.RemoteAddr() }

// SetDeadline implements net.Conn.
func (t *tunnel) SetDeadline(d time.Time) error {
	t.on.SetReadDeadline(d)
	return t.on.SetWriteDeadline(d)
}

// SetReadDeadline implements net.Conn.
func (t *tunnel) SetReadDeadline(d time.Time) error { return t.on.SetReadDeadline(d) }

// SetWriteDeadline implements net.Conn.
func (t *tunnel) SetWriteDeadline(d time.Time) error { return t.on.SetWriteDeadline(d) }
