package server

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// h1Server serves connections of HTTP/1.
type h1Server struct {
	*service
	messages sync.Pool // of *h1Message
	http2    *h2Server // serves those that turn out to speak HTTP/2
}

// init prepares s.
func (s *h1Server) init(shared *service, next *h2Server) {
	s.service, s.http2 = shared, next
	s.messages.New = func() any { return newH1Message(shared) }
}

// newConn returns a new connection. allowsH2C reports whether it may become one of HTTP/2.
func (s *h1Server) newConn(value any, allowsH2C bool) *h1Conn {
	return &h1Conn{srv: s, connValue: value, count: s.requests.shard(), allowsH2C: allowsH2C, sniffs: allowsH2C}
}

// h1Conn is an HTTP/1.1 connection as a netconn.Protocol. It is small, because an idle connection needs nothing else.
// Its fields belong to the connection's goroutine, except for the atomic ones.
type h1Conn struct {
	srv       *h1Server
	connValue any           // Request.ConnValue
	message   *h1Message    // nil between messages
	count     *atomic.Int64 // this connection's shard of the server's request counter
	served    int64         // requests whose head was read
	uncounted int32         // those of served that are not in count yet
	batch     bool          // Data has begun to serve a request
	sniffs    bool          // the first bytes may be those of HTTP/2
	allowsH2C bool          // clients may switch to HTTP/2 without TLS

	readDeadline, writeDeadline atomic.Bool // a handler has set a deadline of its own
}

// Data implements netconn.Protocol: it serves the requests in in, one after the other, and counts them:
//
//	parse a head ─► whole message in in? ─► handler ─► next
//	     │                   └─ no ─► outside the latch: handler, which streams the body ─► next
//	     └─ incomplete: wait for more and keep the message, since the parser remembers its position
func (k *h1Conn) Data(c *netconn.Conn, in []byte) (taken int, err error) {
	if k.sniffs {
		if taken, done, err := k.sniffFirst(c, in); done {
			return taken, err
		}
	}
	defer k.endBatch()
	if k.message == nil {
		k.message = k.srv.lend(k, c)
	}
	for {
		m := k.message
		head, err := m.head.Parse(in[taken:])
		if err != nil {
			return taken, k.refuse(c, err)
		}
		if head == 0 {
			return taken, nil
		}
		m.at = span{taken: taken, head: head}
		switch {
		case m.wholeIn(in):
			k.begin(c)
			taken = m.prepareWhole(in)
			err = k.answer(m)
		case c.Latched():
			m.head.Reset()
			return taken, netconn.ErrUnlatch
		default:
			k.begin(c)
			if err = k.prepareStreamed(c, in); err == nil {
				err = k.answer(m)
			}
			in, taken = c.Unread(), 0
		}
		if err != nil {
			return k.finish(m, taken, err)
		}
		if taken == len(in) {
			k.dropMessage()
			return taken, nil
		}
		m.reset()
	}
}

// begin is called before a request is handled. The first request of a batch is counted at once, the others when Data
// ends.
func (k *h1Conn) begin(c *netconn.Conn) {
	k.served++
	k.uncounted++
	if k.batch {
		// The responses so far must not wait for a handler that blocks.
		c.FlushSoon()
		return
	}
	k.batch = true
	k.tally()
}

// endBatch is called when Data ends.
func (k *h1Conn) endBatch() {
	k.tally()
	k.batch = false
}

// tally adds the requests that are not counted yet to the counter. The counter is shared with other connections, so
// this is not done for each request of a batch.
func (k *h1Conn) tally() {
	if k.uncounted > 0 {
		k.count.Add(int64(k.uncounted))
		k.uncounted = 0
	}
}

// errBecame means that the connection speaks HTTP/2 from now on.
var errBecame = errors.New("server: become another protocol")

// finish returns the results of Data when no further request will be served after m.
func (k *h1Conn) finish(m *h1Message, taken int, err error) (int, error) {
	k.dropMessage()
	switch err {
	case errTakenOver, errBecame:
		return 0, nil
	case errGoexit: // the goroutine goes on, so it was panic(nil) and not Goexit; m is not in the pool
		m.panicked(nil)
		return 0, netconn.ErrAbort
	case netconn.ErrAbort:
		return 0, err
	}
	return taken, err
}

// End implements netconn.Protocol. If the connection ended within a head, it may send a response to that.
func (k *h1Conn) End(c *netconn.Conn, err error) {
	if k.message != nil && len(bytes.Trim(c.Unread(), "\r\n")) > 0 { // part of a head has arrived
		if why := k.headEnded(err); why != nil {
			k.refuse(c, why)
		}
	}
	k.dropMessage()
}

// headEnded returns the error to respond with when the connection ended within a head, with err. nil means no response.
func (k *h1Conn) headEnded(err error) *http1.Error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return k.srv.behaviour.CutHead
	case errors.Is(err, netconn.ErrSlow):
		return k.srv.behaviour.SlowHead
	}
	return nil
}

// dropMessage returns the message, if there is one, to the pool.
func (k *h1Conn) dropMessage() {
	if m := k.message; m != nil {
		k.message = nil
		k.srv.giveBack(m)
	}
}
