package server

import (
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/server/internal/behaviour"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// h1Message is an exchange on an HTTP/1.1 connection. A connection takes one from the pool when bytes arrive and
// returns it when no message is incomplete, so that an idle connection holds none.
type h1Message struct {
	exchange
	h1Link

	head    http1.Request
	copied  []byte // copy of the head, if the input buffer is needed to stream the body
	at      span
	framing bodyplan.Framing // set at the commit
	out     []byte           // pending output that goes before the next piece of body: the head, or framing
}

// span is the position of a message in the input that Data was given.
type span struct {
	taken int // bytes before the message
	head  int // length of the head
	body  int // length of the body, if all of it is there
}

// newH1Message returns a message that is ready for a request. The pool calls it.
func newH1Message(s *service) *h1Message {
	m := new(h1Message)
	m.head.Limits = s.cfg.limits()
	m.head.TunnelPaths = s.behaviour.Quirks.Has(behaviour.ConnectToPaths)
	m.init(s, &m.h1Link, m, &m.h1Link)
	return m
}

// lend takes a message from the pool for connection k.
func (s *h1Server) lend(k *h1Conn, c *netconn.Conn) *h1Message {
	m := s.messages.Get().(*h1Message)
	m.h1Link, m.connValue = h1Link{c, k}, k.connValue
	return m
}

// giveBack returns m to the pool. No handler that has access to m may be running.
func (s *h1Server) giveBack(m *h1Message) {
	m.reset()
	m.trim()
	m.h1Link = h1Link{}
	trim(&m.copied)
	trim(&m.out)
	m.head.Header.Trim(keptScratch)
	s.messages.Put(m)
}

// reset prepares m for the next request on its connection.
func (m *h1Message) reset() {
	m.exchange.reset()
	m.head.Reset()
	m.framing = bodyplan.Framing{}
	m.out = m.out[:0]
}

// h1Link is the link of an HTTP/1.1 message, which has the connection to itself.
type h1Link struct {
	*netconn.Conn
	conn *h1Conn
}

// SetReadDeadline implements link.
func (l *h1Link) SetReadDeadline(t time.Time) error {
	l.conn.readDeadline.Store(true)
	return l.Conn.SetReadDeadline(t)
}

// SetWriteDeadline implements link.
func (l *h1Link) SetWriteDeadline(t time.Time) error {
	l.conn.writeDeadline.Store(true)
	return l.Conn.SetWriteDeadline(t)
}

// setRequest fills in the Request from the parsed head.
func (m *h1Message) setRequest() {
	r := &m.req
	r.major, r.minor = 1, uint8(m.head.Minor)
	r.keepAlive, r.upgrade = m.head.KeepAlive, m.head.Upgrade
	r.begin(&m.head.RequestHead, bodyLength(m.head.Framing))
}

// bodyLength returns the length of a body with framing f, -1 if it is unknown.
func bodyLength(f http1.Framing) int64 {
	switch f.Delimiter {
	case http1.NoBody:
		return 0
	case http1.ByLength:
		return f.Length
	}
	return -1
}

// startStream prepares the request's body to be read from the connection, and sets its deadline.
func (m *h1Message) startStream() {
	b := &m.req.body
	b.Start(m.head.Framing, m.head.Limits)
	b.initExpect(m.head.Expect)
	if limit := m.srv.cfg.ReadTimeout; limit > 0 {
		m.Conn.SetReadTimeout(limit)
	} else if m.conn.readDeadline.Load() {
		m.conn.readDeadline.Store(false)
		m.Conn.SetReadDeadline(time.Time{})
	}
}
