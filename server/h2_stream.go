package server

import (
	"crypto/tls"
	"net"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/h2conn"
)

// h2Stream is an exchange on an HTTP/2 stream.
type h2Stream struct {
	exchange
	h2conn.Stream
	conn *h2Conn
	next *h2Stream // in h2Conn.ready

	head    shockwave.RequestHead
	text    []byte           // the bytes that head points to: method, target and lines
	trailer shockwave.Header // of the request
	refusal *http1.Error     // if not nil, this is the response and the handler is not called

	contentType string // replaces the handler's Content-Type, if not empty
	headPending bool   // the head of the response is decided but not sent
	headSent    bool   // the head of the response was sent
	finished    bool   // the response has ended
}

// newH2Stream returns a new stream. The pool calls it.
func newH2Stream(s *Server) *h2Stream {
	m := new(h2Stream)
	m.init(s, m, m, m)
	m.Stream.Owner = m
	return m
}

// giveBack returns m to the pool. No handler that has access to m may be running.
func (m *h2Stream) giveBack() {
	m.exchange.reset()
	m.trim()
	m.head = shockwave.RequestHead{Header: m.head.Header}
	m.head.Header.Trim(keptScratch)
	trim(&m.text)
	m.trailer.Trim(keptScratch)
	m.refusal, m.contentType, m.headPending, m.headSent, m.finished = nil, "", false, false, false
	m.srv.h2Streams.Put(m)
}

// run answers the request. A worker calls it.
func (m *h2Stream) run() {
	returned := false
	defer func() {
		if !returned {
			m.handlerFailed(recover())
		}
	}()
	m.setTimeouts()
	if m.refusal != nil {
		m.refuse()
	} else {
		m.serve()
	}
	err := m.res.finish()
	returned = true
	if err == errTakenOver {
		m.srv.workers.rejoin()
		m.cancelOnGone()
		return
	}
	m.endStream(err)
	m.giveBack()
}

// setTimeouts sets the deadlines of the request's body and of the response.
func (m *h2Stream) setTimeouts() {
	cfg := &m.srv.cfg
	if cfg.ReadTimeout <= 0 && cfg.WriteTimeout <= 0 {
		return
	}
	m.conn.Lock()
	defer m.conn.Unlock()
	if cfg.ReadTimeout > 0 && m.req.body.Streamed() {
		m.SetReadTimeout(cfg.ReadTimeout)
	}
	if cfg.WriteTimeout > 0 {
		m.SetWriteTimeout(cfg.WriteTimeout)
	}
}

// refuse answers with m.refusal.
func (m *h2Stream) refuse() {
	m.srv.refused.Add(1)
	m.srv.log.Debug("server: request refused", "status", m.refusal.Status, "err", m.refusal, "remote", m.RemoteAddr())
	m.res.Error(m.refusal.Status, m.refusal.Msg)
}

// errH2HeadSize is the refusal of a head that is larger than Config.MaxHeadBytes or MaxHeadFields.
var errH2HeadSize = &http1.Error{
	Status: 431, Who: shockwave.Peer, Rule: "RFC 6585 §5", Msg: "the request's fields are too large or too many",
}

// endStream ends the stream when its response is done. If err, the error of the response, is not nil, the stream is
// reset.
func (m *h2Stream) endStream(err error) {
	k := m.conn
	k.Lock()
	if err != nil {
		m.Reset(http2.InternalError)
	}
	free := m.End()
	k.Unlock()
	if free {
		k.Link().EndWork()
	}
}

// handlerFailed ends the stream of a handler that panicked with v, or called runtime.Goexit; then v is nil. The stream
// is reset because the response is incomplete: the client must not take it for a complete short one. m is not used
// again, because something may still refer to it.
func (m *h2Stream) handlerFailed(v any) {
	if !isAbort(v) && !(v == nil && m.srv.behaviour.quirks.has(quietGoexit)) {
		m.panicked(v)
	}
	if m.res.phase == hijacked {
		m.srv.workers.rejoin()
		m.cancelOnGone()
	} else {
		m.endStream(errHandlerFailed)
	}
	if v == nil { // unless it was panic(nil), this goroutine ends: another worker goes on
		m.srv.workers.wake(m.conn)
	}
}

// NetConn implements link.
func (m *h2Stream) NetConn() net.Conn { return m.conn.Link().NetConn() }

// TLS implements link.
func (m *h2Stream) TLS() *tls.ConnectionState { return m.conn.Link().TLS() }

// LocalAddr implements link.
func (m *h2Stream) LocalAddr() net.Addr { return m.conn.Link().LocalAddr() }

// RemoteAddr implements link.
func (m *h2Stream) RemoteAddr() net.Addr { return m.conn.Link().RemoteAddr() }

// Now implements link.
func (m *h2Stream) Wall() time.Time { return m.conn.Link().Wall() }

// Draining implements link.
func (m *h2Stream) Draining() bool { return m.conn.Link().Draining() }
