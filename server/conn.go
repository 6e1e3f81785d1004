package server

import (
	"errors"
	"net"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// conn is one connection as a netconn.Protocol. It is small: an idle connection is nothing but this.
// Its fields belong to the connection's goroutine.
type conn struct {
	srv      *Server
	value    any           // Request.ConnValue
	count    *atomic.Int64 // this connection's share of the server's request counter
	served   int           // requests whose head was read
	message  span
	ex       *exchange   // nil between messages
	deadline atomic.Bool // a handler has set a write deadline of its own
}

// span is where the message in hand stands in the input that Data was given.
type span struct {
	taken int // bytes before it
	head  int // length of its head
	body  int // length of its body, if that is there whole
}

// newConn is netconn.Config.New.
func (s *Server) newConn(c *netconn.Conn, l net.Listener) (netconn.Protocol, error) {
	k := &conn{srv: s, count: s.requests.shard()}
	if s.cfg.OnConn != nil {
		k.value = s.cfg.OnConn(l, c.NetConn())
	}
	return k, nil
}

// Data answers the requests in in, one after the other:
//
//	parse a head ─► whole message in in? ─► handler ─► next
//	     │                   └─ no ─► outside the latch: stream the body ─► handler ─► next
//	     └─ not whole: wait for more, with the exchange kept, since the parser remembers how far it came
func (k *conn) Data(c *netconn.Conn, in []byte) (int, error) {
	if k.ex == nil {
		k.ex = k.srv.lend(k, c)
	}
	taken, first := 0, true
	for taken < len(in) {
		x := k.ex
		head, err := x.req.head.Parse(in[taken:])
		if err != nil {
			return taken, k.refuse(c, err)
		}
		if head == 0 {
			return taken, nil
		}
		k.message = span{taken: taken, head: head}
		if !first {
			// The answers so far must not wait for a handler that blocks.
			c.FlushSoon()
		}
		first = false
		if x.wholeIn(in[taken+head:]) {
			taken, err = k.answerWhole(in)
		} else if c.Latched() {
			x.req.head.Reset()
			return taken, netconn.ErrUnlatch
		} else {
			err = k.answerStreamed(c, in)
			in, taken = c.Unread(), 0
		}
		if err != nil {
			return k.finish(taken, len(in), err)
		}
		x.reset()
	}
	k.dropExchange()
	return taken, nil
}

// errTakenOver says that a handler took the connection over.
var errTakenOver = errors.New("server: taken over")

// finish is the way out of Data when no further request will be answered.
func (k *conn) finish(taken, arrived int, err error) (int, error) {
	k.dropExchange()
	switch {
	case err == errTakenOver:
		return 0, nil
	case err == netconn.ErrDone && taken < arrived:
		// Closing a socket with unread input makes a reset, which can destroy an answer that the client has not read yet.
		return taken, netconn.ErrLinger
	}
	return taken, err
}

// wholeIn tells whether the message can be answered from the input buffer: rest, what stands behind its head, holds its
// whole body, and the handler will have no reason to take the connection over.
func (x *exchange) wholeIn(rest []byte) bool {
	h := &x.req.head
	if h.Upgrade || h.Form == http1.AuthorityForm || h.BadExpect {
		return false
	}
	switch h.Framing.Delimiter {
	case http1.NoBody:
		x.conn.message.body = 0
		return true
	case http1.ByLength:
		x.conn.message.body = int(min(h.Framing.Length, int64(len(rest))+1))
		return h.Framing.Length <= int64(len(rest))
	}
	return false
}

// answerWhole answers a message that lies whole in in and returns how much of in is taken then.
func (k *conn) answerWhole(in []byte) (int, error) {
	m := &k.message
	start := m.taken + m.head
	end := start + m.body
	k.ex.req.body.startWhole(in[start:end])
	return end, k.answer(k.ex)
}

// answerStreamed answers a message whose body is read from the connection while the handler runs. Reading moves the input buffer,
// so that the head is copied first.
func (k *conn) answerStreamed(c *netconn.Conn, in []byte) error {
	x, m := k.ex, &k.message
	x.head = append(x.head[:0], in[m.taken:m.taken+m.head]...)
	x.req.head.Reset()
	if _, err := x.req.head.Parse(x.head); err != nil {
		return k.refuse(c, err)
	}
	c.Take(m.taken + m.head)
	*m = span{}
	if x.req.head.BadExpect {
		return k.refuse(c, errExpectation)
	}
	c.BeginMessage()
	x.req.startStream()
	return k.answer(x)
}

// End is told that the connection is over.
func (k *conn) End(c *netconn.Conn, err error) {
	if k.ex != nil && errors.Is(err, netconn.ErrSlow) {
		k.refuse(c, errSlowHead)
	}
	k.dropExchange()
}

// dropExchange gives the exchange back, if there is one.
func (k *conn) dropExchange() {
	if x := k.ex; x != nil {
		k.ex = nil
		k.srv.giveBack(x)
	}
}
