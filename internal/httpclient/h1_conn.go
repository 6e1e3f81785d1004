package httpclient

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/h1client"
	"github.com/shockwave-go/shockwave/internal/httpread"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// conn is a connection of HTTP/1.1, and the exchange on it.
type conn struct {
	*h1client.Conn
	place *place
	born  int64 // moment
	now   atomic.Uint32
	mu    sync.Mutex // held by those who come from elsewhere, and to end a turn

	// Of the turn.
	trace   *Trace
	toProxy bool          // it ends at a proxy, which is asked in absolute-form
	last    bool          // this is the last one
	given   bool          // it is a tunnel's; set before the reader leaves
	rested  time.Duration // how long the connection had been idle
}

// leaseHead is the memory for a head to begin with; most fit.
const leaseHead = 1 << 10

// await implements exchange.
func (c *conn) await(ctx context.Context, r *Response) (err error) {
	r.watch(ctx)
	if r.text == nil {
		r.text = bufpool.Get(leaseHead)
	}
	r.head.Reset()
	r.text, err = c.Await(r.head, r.text[:0])
	if err != nil {
		if errors.Is(err, netconn.ErrSlow) {
			err = ErrHeadTimeout
		}
		if _, wrong := err.(*http1.Error); wrong {
			err = &BadHead{Text: string(cut(c.Refused())), Err: err}
		}
		return err
	}
	h := r.head
	r.Major, r.Minor, r.Status, r.Reason = 1, h.Minor, h.Status, h.Reason
	if h.Status >= 200 {
		r.Length = c.Length()
	}
	return nil
}

// told implements exchange.
func (c *conn) told() { c.Told() }

// whole implements exchange.
func (c *conn) whole(r *Response) bool {
	if r.tunnels {
		return false
	}
	n := len(r.text)
	text, ok := c.Whole(r.text)
	if !ok {
		return false
	}
	r.text, r.body, r.alone = text, text[n:], r.Length == 0
	r.head.Header.Rebase(text[:n])
	r.keepTrailer(c.Trailer())
	return true
}

// read implements exchange.
func (c *conn) read(p []byte) (int, error) {
	n, err := c.Read(p)
	if err != nil && errors.Is(err, netconn.ErrSlow) {
		err = ErrIdleTimeout
	}
	return n, err
}

// trailer implements exchange.
func (c *conn) trailer() *shockwave.Header { return c.Trailer() }

// bound implements exchange.
func (c *conn) bound(idle time.Duration) { c.SetReadIdle(idle) }

// Guest is a net.Conn that may have deadlines without effect, and writes elsewhere.
type Guest interface {
	net.Conn
	// Abandon ends it: who reads and who writes fail. Any goroutine may call it.
	Abandon()
	// Mark begins the account that Refused is about; it reports whether a Write has failed since, and none has sent a byte.
	Mark()
	Refused() bool
}

// again implements exchange: a server may close an idle connection while a request is on its way (RFC 9112 §9.3.1).
func (c *conn) again(err error, replayable bool) (retry, error) {
	if !c.Reused() || !c.Unheard() {
		return never, err
	}
	g, ok := c.Link().NetConn().(Guest)
	if replayable || ok && g.Refused() {
		return stale, err
	}
	return never, err
}

// What is read of a response that nobody wants.
var spare = httpread.Bounds{Bytes: 256 << 10, Wait: 50 * time.Millisecond, Time: 50 * time.Millisecond}

// discard implements exchange.
func (c *conn) discard() {
	if n := c.Length(); n <= int64(spare.Bytes) && !c.last && c.Link().Wakes() {
		c.Discard(spare)
	}
}

// tunnel implements exchange.
func (c *conn) tunnel() (io.ReadWriteCloser, error) {
	c.given = true
	t := &tunnel{c.Tunnel(), c}
	c.Leave()
	return t, nil
}

// tunnel is a connection that is no more HTTP's.
type tunnel struct {
	*h1client.Tunnel
	c *conn
}

// Close ends it.
func (t *tunnel) Close() error {
	err := t.Tunnel.Close()
	if err == nil {
		t.c.place.lost()
	}
	return err
}

// send implements exchange.
func (c *conn) send(p []byte, end bool) error { return c.SendPart(p, end) }

// sendTrailer implements exchange.
func (c *conn) sendTrailer(h *shockwave.Header) error { return c.SendTrailers(h) }

// proceed implements exchange.
func (c *conn) proceed(d time.Duration, done <-chan struct{}) bool { return c.Proceed(d, done) }

// expire implements exchange.
func (c *conn) expire(d time.Duration) { c.Expire(d) }

// info implements exchange.
func (c *conn) info() connInfo {
	return connInfo{nc: c.Link().NetConn(), tls: c.TLS, reused: c.Reused(), idle: c.rested}
}

// turn implements exchange.
func (c *conn) turn() turn { return turn(c.now.Load()) }

// leave implements exchange.
func (c *conn) leave() {
	if !c.Leave() {
		return
	}
	c.mu.Lock()
	c.now.Add(1)
	c.mu.Unlock()
	if !c.given {
		c.place.done(c)
	}
}

// cancel implements exchange.
func (c *conn) cancel(t turn, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn() != t {
		return
	}
	c.Cancel(err)
	if g, ok := c.Link().NetConn().(Guest); ok {
		g.Abandon()
	}
}

// hush implements exchange.
func (c *conn) hush(t turn, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn() == t {
		c.StopSending(err)
	}
}

// moment is the time as the connection's clock counts it.
func (c *conn) moment() int64 { return c.Link().Moment() }
