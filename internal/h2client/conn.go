// Package h2client is the client's side of HTTP/2 connections: requests that are begun when the server has room for them,
// connections that are found dead or end when they were idle for long, and a pool of them. What a request says and what
// becomes of its response is the affair of the faces.
package h2client

import (
	"crypto/tls"
	"io"
	"net"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/h2conn"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// Config is what connections go by. A zero time is none.
type Config struct {
	Wire        http2.Config  // what servers are granted; connections share it if it is complete
	IdleTimeout time.Duration // until a connection without requests ends
	PingAfter   time.Duration // silence, while there are requests, after which the server is asked whether it is there
	PingTimeout time.Duration // for its answer; default 15 s
	// WriteByteTimeout is the longest wait for the server to take another byte; default: the engine's.
	WriteByteTimeout time.Duration

	// Idle, if set, is told that there are no requests any more, and nobody waits to begin one; with the connection's lock
	// held.
	Idle func(c *Conn)
	// CountError, if set, is called for every error of the protocol, and for those that servers tell of. Any goroutine may
	// call it.
	CountError func(name string)

	// Settled, if set, is called when the server has sent SETTINGS: it may take more requests at once, or less. Any goroutine
	// may call it.
	Settled func()
}

// Conn is a connection to a server. All methods may be called concurrently.
//
//	Start ─► HEADERS ─┐
//	Send  ─► DATA ────┴► unsaid ─► one goroutine lets the others speak, then draws for all
//	Data  ─► events ─► exchanges, each of which wakes its goroutine
type Conn struct {
	h2conn.Conn
	cfg  *Config
	over func(*Conn) // told when no more requests are taken, once

	TLS *tls.ConnectionState // nil without TLS; it is not changed

	drawing atomic.Bool // somebody is about to draw
	closed  atomic.Bool // no more requests are taken
	reused  atomic.Bool // a request was begun before

	// The connection's lock guards these.
	speaks  bool // who holds the lock draws afterwards
	settled bool // SETTINGS have come of which nobody has been told
	queue   queue
	goAway  *GoAwayError
	broken  *brokenError // nil unless reading has failed
	health  h2conn.Health
	idle    int64 // since when there are no requests; 0 while there are
	answers int64 // heads that have arrived
}

// New makes a connection of nc, run by e. ahead was read from it already; state is that of its TLS, if it has any. over is called when it takes no more requests,
// on any goroutine.
func New(e *netconn.Engine, nc net.Conn, ahead []byte, cfg *Config, state *tls.ConnectionState, over func(*Conn)) (*Conn, error) {
	c := &Conn{TLS: state, cfg: cfg, over: over}
	ready := make(chan struct{})
	err := e.Run(nc, ahead, func(link *netconn.Conn) (netconn.Protocol, error) {
		c.begin(link)
		close(ready)
		return c, nil
	})
	if err != nil {
		return nil, err
	}
	<-ready
	c.Draw()
	return c, nil
}

func (c *Conn) begin(link *netconn.Conn) {
	now := link.Moment()
	c.idle = now
	if d := c.cfg.WriteByteTimeout; d > 0 {
		link.SetWriteTimeout(d)
	}
	c.health = h2conn.Health{After: c.cfg.PingAfter, Timeout: c.cfg.PingTimeout}
	c.health.Heard(now)
	c.Init(link, http2.NewClient(&c.cfg.Wire, now), c, &h2conn.Policy{CountError: c.cfg.CountError})
	c.Lock()
	c.Arm(c.Wire().Deadline())
	c.Arm(c.dueIdle(now))
	c.Unlock()
}

// Reused reports whether it has carried a request before the one that asks first.
func (c *Conn) Reused() bool { return c.reused.Swap(true) }

// GoAway returns what the server has ended the connection with, nil if it has not.
func (c *Conn) GoAway() *GoAwayError {
	c.Lock()
	defer c.Unlock()
	return c.goAway
}

// Usable reports whether requests are taken.
func (c *Conn) Usable() bool { return !c.closed.Load() }

// Most returns how many requests the server takes at once, as far as that is known; 0 if no more are taken.
func (c *Conn) Most() int {
	c.Lock()
	defer c.Unlock()
	if c.closed.Load() {
		return 0
	}
	return int(min(c.Wire().PeerMaxStreams(), 1<<31-1))
}

// Head implements h2conn.Owner.
func (c *Conn) Head(ev *http2.Event) {
	ev.Stream.Owner.(*h2conn.Stream).Owner.(*Exchange).head(ev)
	c.answers++
}

// Trailers implements h2conn.Owner.
func (c *Conn) Trailers(s *h2conn.Stream, fields []http2.Field) {
	x := s.Owner.(*Exchange)
	x.Trailer = append(x.Trailer[:0], fields...)
}

// Unsaid implements h2conn.Owner.
func (c *Conn) Unsaid(bool) {
	if !c.speaks && c.drawing.CompareAndSwap(false, true) {
		go c.drawSoon()
	}
}

// speak is called without the lock by who has said something while speaks was set.
func (c *Conn) speak() {
	if c.drawing.CompareAndSwap(false, true) {
		c.drawSoon()
	}
}

// drawSoon sends what many goroutines have to say in one piece: those that can run say theirs first. Who finds drawing
// set has said it before that is taken back, and so it is drawn.
func (c *Conn) drawSoon() {
	runtime.Gosched()
	c.drawing.Store(false)
	c.Draw()
}

// Ready implements h2conn.Owner.
func (c *Conn) Ready() {
	c.Lock()
	c.health.Heard(c.Now())
	c.queue.admit(c)
	settled := c.settled
	c.settled = false
	c.Unlock()
	if settled && c.cfg.Settled != nil {
		c.cfg.Settled()
	}
}

// Over implements h2conn.Owner.
func (c *Conn) Over(error) {
	c.Lock()
	c.refuse()
	c.Unlock()
}

// EndOfInput implements netconn.InputEnder.
func (c *Conn) EndOfInput(err error) {
	err = c.Link().EndedBy(err)
	c.Lock()
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		c.broken = &brokenError{err}
	}
	c.Unlock()
	c.Conn.EndOfInput(err)
	c.Lock()
	c.refuse()
	c.Unlock()
}

// refuse has no more requests taken. The lock is held.
func (c *Conn) refuse() {
	if !c.closed.Swap(true) {
		go c.over(c)
	}
	c.queue.dismiss()
}

// Told implements h2conn.Watcher.
func (c *Conn) Told(ev *http2.Event) {
	switch ev.Kind {
	case http2.Reset:
		c.Note("recv_rststream_" + h2conn.Token(ev.Code))
		return
	case http2.GoAway:
	default:
		c.settled = c.settled || ev.Kind == http2.Settings // what that changes is looked at in Ready
		return
	}
	if ev.Code != http2.NoError {
		c.Note("recv_goaway_" + h2conn.Token(ev.Code))
	}
	c.goAway = &GoAwayError{LastStream: ev.LastStream, Code: ev.Code, Debug: string(ev.Data)}
	c.refuse()
}

// Close takes no more requests. Those that there are come to their end, and with the last of them the connection.
func (c *Conn) Close() {
	c.Lock()
	c.refuse()
	c.Unlock()
	c.Drain()
}

// CloseIfIdle is Close of a connection that has no requests, and reports whether it is closed by that. One that is about to
// begin goes elsewhere.
func (c *Conn) CloseIfIdle() (closed bool) {
	c.Lock()
	idle := c.unused()
	closed = idle && !c.closed.Load()
	if idle {
		c.refuse()
		c.Wire().Shutdown(c.Now())
	}
	c.Unlock()
	if idle {
		c.Link().Nudge()
	}
	return closed
}

// unused reports whether there are no requests, and nobody waits to begin one. The lock is held.
func (c *Conn) unused() bool { return c.Wire().Len() == 0 && len(c.queue.waiting) == 0 }

// idleSince returns since when there are no requests, and whether there are none. A new connection is about to have one.
func (c *Conn) idleSince() (since int64, idle bool) {
	c.Lock()
	defer c.Unlock()
	isNew := !c.reused.Load() && c.Now()-c.idle < int64(time.Second)
	return c.idle, c.idle != 0 && len(c.queue.waiting) == 0 && !c.closed.Load() && !isNew
}

// Abort ends the connection now, and its requests with it.
func (c *Conn) Abort() { c.Link().Abort() }
