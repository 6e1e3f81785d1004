package server

import (
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
)

// h2Stream is an exchange on an HTTP/2 stream, and the carrier.Stream of it: h2_carrier.go.
type h2Stream struct {
	fieldMessage
	h2conn.Stream
	conn     *h2Conn
	next     *h2Stream // in h2Conn.ready
	headSent bool      // the head of the final response was sent; guarded by the connection's lock
	ended    bool      // our side has ended; likewise
}

// newH2Stream returns a new stream. The pool calls it.
func newH2Stream(s *h2Server) *h2Stream {
	m := new(h2Stream)
	m.init(s.service, m, 2)
	m.Stream.Owner = m
	return m
}

// giveBack returns m to the pool. No handler that has access to m may be running.
func (s *h2Server) giveBack(m *h2Stream) {
	m.reset()
	m.headSent, m.ended = false, false
	s.streams.Put(m)
}

// run serves the request. A worker calls it.
func (m *h2Stream) run() {
	returned := false
	defer func() {
		if !returned {
			m.handlerFailed(recover())
		}
	}()
	err := m.answer()
	returned = true
	if err == errTakenOver {
		m.conn.srv.workers.Rejoin()
		m.cancelOnGone()
		return
	}
	m.endStream(err)
	m.conn.srv.giveBack(m)
}

// endStream ends the stream when its response is done. If err, the error of the response, is not nil, the stream is
// reset.
func (m *h2Stream) endStream(err error) {
	k := m.conn
	k.Lock()
	if err != nil {
		m.ResetLocked(http2.ErrCodeInternal)
	}
	free := m.EndLocked()
	k.Unlock()
	if free {
		k.Link().EndWork()
	}
}

// errHandlerFailed means that a handler panicked or called runtime.Goexit.
var errHandlerFailed = errors.New("server: the handler did not return")

// handlerFailed ends the stream of a handler that panicked with v, or called runtime.Goexit; then v is nil. The stream
// is reset because the response is incomplete: the client must not take it for a complete short one. m is not used
// again, because something may still refer to it.
func (m *h2Stream) handlerFailed(v any) {
	m.handlerPanicked(v)
	if m.res.phase == hijacked {
		m.conn.srv.workers.Rejoin()
		m.cancelOnGone()
	} else {
		m.endStream(errHandlerFailed)
	}
	if v == nil { // unless it was panic(nil), this goroutine ends: another worker goes on
		m.conn.srv.workers.Wake(m.conn)
	}
}

// TLS implements carrier.Link.
func (m *h2Stream) TLS() *tls.ConnectionState { return m.conn.Link().TLS() }

// LocalAddr implements carrier.Link.
func (m *h2Stream) LocalAddr() net.Addr { return m.conn.Link().LocalAddr() }

// RemoteAddr implements carrier.Link.
func (m *h2Stream) RemoteAddr() net.Addr { return m.conn.Link().RemoteAddr() }

// Wall implements carrier.Link.
func (m *h2Stream) Wall() time.Time { return m.conn.Link().Wall() }

// Draining implements carrier.Link.
func (m *h2Stream) Draining() bool { return m.conn.Link().Draining() }
