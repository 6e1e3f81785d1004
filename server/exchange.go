package server

import (
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// exchange is what one request and its answer need. It is lent to a connection when bytes arrive and given back when no
// message is half done, so that an idle connection holds none.
type exchange struct {
	conn *conn
	c    *netconn.Conn
	req  Request
	res  ResponseWriter

	message span
	maxBody int64 // Config.MaxBodyBytes

	head     []byte      // a copy of the request's head, when the input buffer is needed for a streamed body
	stopGone func() bool // takes the wish of OnGone back
	decoded  []byte      // what Values and Mux have decoded
	route    route       // what a Mux has found
}

// span is where a message stands in the input that Data was given.
type span struct {
	taken int // bytes before it
	head  int // length of its head
	body  int // length of its body, if that is there whole
}

// keptScratch is how much of each of its buffers an exchange keeps when it goes back to the pool.
const keptScratch = 16 << 10

// newExchange is for the pool, whose exchanges are ready for a request.
func newExchange(s *Server) *exchange {
	x := &exchange{maxBody: s.cfg.MaxBodyBytes}
	x.req.x, x.res.x = x, x
	x.req.head.Limits = s.cfg.limits()
	x.req.head.TunnelPaths = s.manners.habits.has(tunnelsToPaths)
	x.req.head.Lenient = s.manners.habits.has(takesOddHeads)
	x.reset()
	return x
}

// reset makes x ready for the next request.
func (x *exchange) reset() {
	x.req.reset(x.maxBody)
	x.res.reset()
	x.decoded = x.decoded[:0]
	x.route.reset()
	if x.stopGone != nil {
		x.stopGone()
		x.stopGone = nil
	}
}

// lend gives connection k an exchange.
func (s *Server) lend(k *conn, c *netconn.Conn) *exchange {
	x := s.exchanges.Get().(*exchange)
	x.conn, x.c = k, c
	return x
}

// giveBack takes x for the next connection. No handler may run that knows x.
func (s *Server) giveBack(x *exchange) {
	x.reset()
	x.conn, x.c = nil, nil
	x.head = trim(x.head)
	x.decoded = trim(x.decoded)
	x.req.body.buf = trim(x.req.body.buf)
	x.res.head = trim(x.res.head)
	x.res.buf = trim(x.res.buf)
	x.req.head.Header.Trim(keptScratch)
	x.res.header.Trim(keptScratch)
	x.res.trailer.Trim(keptScratch)
	s.exchanges.Put(x)
}

// trim empties b, and lets it go if it has grown large.
func trim(b []byte) []byte {
	if cap(b) > keptScratch {
		return nil
	}
	return b[:0]
}
