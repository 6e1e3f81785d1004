package server

import (
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// h1Message is an exchange that HTTP/1.1 carries. It is lent to a connection when bytes arrive and given back when no
// message is half done, so that an idle connection holds none.
type h1Message struct {
	exchange
	h1Link

	head    http1.Request
	copied  []byte // a copy of the head, when the input buffer is needed for a streamed body
	at      span
	framing framing // from the commit on
	out     []byte  // the head of the answer, or framing, that goes before the next piece of body
}

// span is where a message stands in the input that Data was given.
type span struct {
	taken int // bytes before it
	head  int // length of its head
	body  int // length of its body, if that is there whole
}

// newH1Message is for the pool, whose messages are ready for a request.
func newH1Message(s *Server) *h1Message {
	m := new(h1Message)
	m.head.Limits = s.cfg.limits()
	m.head.TunnelPaths = s.behaviour.quirks.has(connectToPaths)
	m.init(s, m)
	return m
}

// lend gives connection k a message.
func (s *Server) lend(k *h1Conn, c *netconn.Conn) *h1Message {
	m := s.h1Messages.Get().(*h1Message)
	m.h1Link = h1Link{c, k}
	m.source, m.link, m.connValue = c, &m.h1Link, k.connValue
	return m
}

// giveBack takes m for the next connection. No handler may run that knows it.
func (s *Server) giveBack(m *h1Message) {
	m.reset()
	m.trim()
	m.h1Link = h1Link{}
	m.copied = trim(m.copied)
	m.out = trim(m.out)
	m.head.Header.Trim(keptScratch)
	s.h1Messages.Put(m)
}

// reset makes m ready for the next request of its connection.
func (m *h1Message) reset() {
	m.exchange.reset()
	m.head.Reset()
	m.framing = framing{}
	m.out = m.out[:0]
}

// h1Link is the connection as a message of HTTP/1.1 uses it, which has it to itself.
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

// opened tells the exchange what the head says.
func (m *h1Message) setRequest() {
	r := &m.req
	r.major, r.minor = 1, uint8(m.head.Minor)
	r.keepAlive, r.upgrade = m.head.KeepAlive, m.head.Upgrade
	r.begin(&m.head.RequestHead, bodyLength(m.head.Framing))
}

// bodyLength is how long a body is, -1 if only its end tells.
func bodyLength(f http1.Framing) int64 {
	switch f.Delimiter {
	case http1.NoBody:
		return 0
	case http1.ByLength:
		return f.Length
	}
	return -1
}

// startStream makes the request's body one that is read from the connection.
func (m *h1Message) startStream() {
	b := &m.req.body
	b.Start(m.head.Framing, m.head.Limits)
	b.initExpect(m.head.Expect)
	if limit := m.srv.cfg.ReadTimeout; limit > 0 {
		m.Conn.SetReadDeadline(time.Now().Add(limit))
	} else if m.conn.readDeadline.Load() {
		m.conn.readDeadline.Store(false)
		m.Conn.SetReadDeadline(time.Time{})
	}
}
