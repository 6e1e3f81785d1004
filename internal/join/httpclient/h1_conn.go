package httpclient

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h1client"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

// conn is a connection of HTTP/1.1 and the exchange on it.
type conn struct {
	*h1client.Conn
	owner connOwner
	born  int64    // when it was opened, by moment
	user  UserConn // the connection below if it is one

	// The following fields belong to the current turn.
	trace    *Trace
	toProxy  bool          // the connection ends at a proxy, to which targets are sent in absolute-form
	last     bool          // the connection is used for no other request
	tunneled bool          // the connection has become a tunnel; set before the reader leaves
	idleFor  time.Duration // how long the connection was idle before
}

// connOwner is where a connection comes from and goes to.
type connOwner interface {
	// finished is called when the exchange on c is over. reusable says that another one could begin.
	finished(c *conn, reusable bool)
	// connEnded is called when a connection that belonged to a tunnel has ended.
	connEnded()
}

// await implements exchange.
func (c *conn) await(ctx context.Context, m *message, w contextWatcher) (err error) {
	m.text, err = c.Await(m.head, m.text[:0], func() { w.watch(ctx) })
	if err != nil {
		if errors.Is(err, netconn.ErrSlow) {
			err = timeoutOn(c.Link(), ErrHeadTimeout)
		}
		if _, wrong := err.(*http1.Error); wrong {
			err = &BadHead{Text: string(cut(c.Refused())), Err: err}
		}
		return c.Link().SystemError(err)
	}
	h := m.head
	m.Major, m.Minor, m.Status = 1, h.Minor, h.Status
	if h.Status >= 200 {
		m.Length = c.Length()
	}
	return nil
}

// resetInterim implements exchange.
func (c *conn) resetInterim() { c.ResetInterim() }

// whole implements exchange.
func (c *conn) whole(m *message) bool {
	if m.tunneled {
		return false
	}
	n := len(m.text)
	text, ok := c.Whole(m.text)
	if !ok {
		return false
	}
	m.text, m.body, m.headOnly = text, text[n:], m.Length == 0
	m.head.Rebase(text[:n])
	m.keepTrailer(c.Trailer())
	return true
}

// read implements exchange.
func (c *conn) read(p []byte) (int, error) {
	n, err := c.Read(p)
	if err != nil && errors.Is(err, netconn.ErrSlow) {
		err = timeoutOn(c.Link(), ErrIdleTimeout)
	}
	return n, c.Link().SystemError(err)
}

// trailer implements exchange.
func (c *conn) trailer() *shockwave.Header { return c.Trailer() }

// boundRead implements exchange.
func (c *conn) boundRead(idle time.Duration) { c.SetReadIdle(idle) }

// UserConn is a net.Conn whose deadlines may have no effect and whose writes may not go to a socket.
type UserConn interface {
	net.Conn
	// Abandon closes the connection: reads and writes fail. Any goroutine may call it, also after Close.
	Abandon()
	// Mark starts the observation that FailedUnsent reports on.
	Mark()
	// FailedUnsent reports whether a Write has failed since Mark, and no Write has sent a byte.
	FailedUnsent() bool
}

// canRetry implements exchange. A server may close an idle connection while a request is on its way (RFC 9112 §9.3.1), also
// one that has been idle since it was opened.
func (c *conn) canRetry(err error, replayable bool) (retry, error) {
	if !c.Reused() && !c.Look || !c.NoResponse() {
		return never, err
	}
	if replayable || c.user != nil && c.user.FailedUnsent() {
		return stale, err
	}
	return never, err
}

// discardBounds bound how much is read of a response that is no longer wanted.
var discardBounds = httpread.Bounds{Bytes: 256 << 10, Wait: 50 * time.Millisecond, Time: 50 * time.Millisecond}

// discard implements exchange.
func (c *conn) discard() {
	if n := c.Length(); n <= int64(discardBounds.Bytes) && !c.last && c.Link().Wakes() {
		c.Discard(discardBounds)
	}
}

// tunnel implements exchange.
func (c *conn) tunnel() (io.ReadWriteCloser, error) {
	c.tunneled = true
	t := &tunnel{c.Tunnel(), c}
	c.Leave()
	return t, nil
}

// tunnel is a connection on which HTTP is no longer spoken.
type tunnel struct {
	*h1client.Tunnel
	c *conn
}

// Close closes the connection.
func (t *tunnel) Close() error {
	err := t.Tunnel.Close()
	if err == nil {
		t.c.owner.connEnded()
	}
	return err
}

// send implements exchange.
func (c *conn) send(p []byte, end bool) error { return c.SendPart(p, end) }

// unsent implements exchange.
func (c *conn) unsent() []byte { return nil }

// sendTrailer implements exchange.
func (c *conn) sendTrailer(h *shockwave.Header) error { return c.SendTrailers(h) }

// proceed implements exchange.
func (c *conn) proceed(d time.Duration, done <-chan struct{}) bool { return c.Proceed(d, done) }

// boundHead implements exchange.
func (c *conn) boundHead(d time.Duration) { c.Expire(d) }

// tls implements exchange.
func (c *conn) tls() *tls.ConnectionState { return c.TLS }

// info implements exchange.
func (c *conn) info() connInfo {
	return connInfo{nc: c.Link().NetConn(), reused: c.Reused(), idle: c.idleFor}
}

// turn implements exchange.
func (c *conn) turn() turn { return turn(c.Served()) }

// leave implements exchange.
func (c *conn) leave() {
	if last, reusable := c.Leave(); last && !c.tunneled {
		c.owner.finished(c, reusable)
	}
}

// cancel implements exchange.
func (c *conn) cancel(t turn, err error) {
	if c.Cancel(int(t), err) && c.user != nil {
		c.user.Abandon()
	}
}

// stopSending implements exchange.
func (c *conn) stopSending(t turn, err error) { c.StopSending(int(t), err) }

// isNew reports whether the connection has just been opened: it has carried no request and has not been idle.
func (c *conn) isNew() bool { return c.Served() == 0 && !c.Look }

// moment returns the time by the connection's clock.
func (c *conn) moment() int64 { return c.Link().Moment() }
