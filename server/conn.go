package server

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// conn is one connection as a netconn.Protocol. It is small: of an idle connection this is all there is.
// Except for the atomic ones its fields belong to the connection's goroutine.
type conn struct {
	srv       *Server
	value     any           // Request.ConnValue
	ex        *exchange     // nil between messages
	count     *atomic.Int64 // this connection's share of the server's request counter
	served    int64         // requests whose head was read
	uncounted int32         // of those, how many are not in count
	batch     bool          // Data has begun to answer

	readDeadline, writeDeadline atomic.Bool // a handler has set one of its own
}

// newConn is netconn.Config.New.
func (s *Server) newConn(c *netconn.Conn, l net.Listener) (netconn.Protocol, error) {
	if passed, err := s.passOn(c, l); passed {
		return nil, err
	}
	k := &conn{srv: s, count: s.requests.shard()}
	if s.cfg.OnConn != nil {
		k.value = s.cfg.OnConn(l, c.NetConn())
	}
	return k, nil
}

// Data answers the requests in in and counts them.
func (k *conn) Data(c *netconn.Conn, in []byte) (int, error) {
	n, err := k.run(c, in)
	k.tally()
	k.batch = false
	return n, err
}

// run answers the requests in in, one after the other:
//
//	parse a head ─► whole message in in? ─► handler ─► next
//	     │                   └─ no ─► outside the latch: handler, which streams the body ─► next
//	     └─ not whole: wait for more, with the exchange kept, since the parser remembers how far it came
func (k *conn) run(c *netconn.Conn, in []byte) (taken int, err error) {
	if k.ex == nil {
		k.ex = k.srv.lend(k, c)
	}
	for {
		x := k.ex
		head, err := x.req.head.Parse(in[taken:])
		if err != nil {
			return taken, k.refuse(c, err)
		}
		if head == 0 {
			return taken, nil
		}
		x.message = span{taken: taken, head: head}
		if x.wholeIn(in) {
			k.begin(c)
			taken, err = k.answerWhole(in)
		} else if c.Latched() {
			x.req.head.Reset()
			return taken, netconn.ErrUnlatch
		} else {
			k.begin(c)
			err = k.answerStreamed(c, in)
			in, taken = c.Unread(), 0
		}
		if err != nil {
			return k.finish(taken, err)
		}
		if taken == len(in) {
			k.dropExchange()
			return taken, nil
		}
		x.reset()
	}
}

// begin is called before a request is handled. The first of a batch is counted at once, the others when Data ends.
func (k *conn) begin(c *netconn.Conn) {
	k.served++
	k.uncounted++
	if k.batch {
		// The answers so far must not wait for a handler that blocks.
		c.FlushSoon()
		return
	}
	k.batch = true
	k.tally()
}

// tally adds what was served since the last time to the server's counter, which is shared and so costs more.
func (k *conn) tally() {
	if k.uncounted > 0 {
		k.count.Add(int64(k.uncounted))
		k.uncounted = 0
	}
}

// errTakenOver says that a handler took the connection over.
var errTakenOver = errors.New("server: taken over")

// finish is the way out of Data when no further request will be answered.
func (k *conn) finish(taken int, err error) (int, error) {
	k.dropExchange()
	switch err {
	case errTakenOver:
		return 0, nil
	case netconn.ErrAbort:
		return 0, err
	}
	return taken, err
}

// End is told that the connection is over.
func (k *conn) End(c *netconn.Conn, err error) {
	if k.ex != nil && len(bytes.Trim(c.Unread(), "\r\n")) > 0 { // a head has begun
		if why := k.headEnded(err); why != nil {
			k.refuse(c, why)
		}
	}
	k.dropExchange()
}

// headEnded returns how a connection is answered that ended within a head, with err; nil: not at all.
func (k *conn) headEnded(err error) *http1.Error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return k.srv.manners.cutHead
	case errors.Is(err, netconn.ErrSlow):
		return k.srv.manners.slowHead
	}
	return nil
}

// dropExchange gives the exchange back, if there is one.
func (k *conn) dropExchange() {
	if x := k.ex; x != nil {
		k.ex = nil
		k.srv.giveBack(x)
	}
}
