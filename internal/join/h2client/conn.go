// Package h2client is the client's side of HTTP/2 connections. A request begins when the server has room for it.
// Connections that stop answering or are idle for long are ended. A Pool holds the connections of a client. Building
// requests and interpreting responses is left to the packages client and nethttp.
package h2client

import (
	"crypto/tls"
	"io"
	"net"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
)

// Config configures connections. A zero duration means no limit.
type Config struct {
	Wire        http2.Config  // limits for the server; shared by the connections if it is complete
	IdleTimeout time.Duration // until a connection without requests ends
	PingAfter   time.Duration // silence during a request after which a PING is sent
	PingGap     time.Duration // the same, if the server has sent no part of a message since the last PING; default PingAfter
	PingTimeout time.Duration // how long the answer to a PING may take; default 15 s
	// WriteByteTimeout bounds a wait for the server to take another byte; default: the engine's WriteTimeout.
	WriteByteTimeout time.Duration

	// Idle, if set, is called with the connection's lock held when there are no more requests and none waits to begin.
	Idle func(c *Conn)
	// CountError, if set, is called for every protocol error, and for every error that a server reports. Any goroutine
	// may call it.
	CountError func(name string)

	// SettingsReceived, if set, is called when the server has sent SETTINGS: the number of requests that it takes at once
	// may have changed. Any goroutine may call it.
	SettingsReceived func()
}

// Complete returns the configuration with a complete Wire, which the connections share, and with it their memory.
func (cfg Config) Complete() Config {
	cfg.Wire.Pool = h2conn.Pool
	cfg.Wire = *cfg.Wire.Complete()
	return cfg
}

// Conn is a connection to a server. All methods may be called concurrently.
//
//	Start ─► HEADERS ─┐
//	Send  ─► DATA ────┴► OutputReady ─► drawSoon: one goroutine sends the output of all
//	Data  ─► events ─► Exchanges, each of which wakes its goroutine
type Conn struct {
	h2conn.Conn
	cfg       *Config
	onRetired func(*Conn) // called once, when no more requests are taken

	TLS *tls.ConnectionState // nil without TLS; it must not be modified

	drawing atomic.Bool // a goroutine is about to call Draw
	closed  atomic.Bool // no more requests are taken
	reused  atomic.Bool // Reused was called before
	warm    atomic.Bool // opened by Pool.Warm, or found by it

	// The connection's lock guards these.
	callerDraws     bool // the goroutine that holds the lock will call requestDraw
	settingsPending bool // SETTINGS have come, and Config.SettingsReceived was not called yet
	queue           queue
	goAway          *GoAwayError
	readErr         *brokenError // the error of the receiving side; nil if there was none
	health          h2conn.Health
	idleStart       int64 // when the last request ended; 0 while there are requests
	headsReceived   int64 // number of heads that have arrived
	pings           pings
}

// New runs an HTTP/2 connection on nc, served by e. ahead is what was already read from nc; state is the state of its
// TLS, nil if there is none. over is called once, on any goroutine, when the connection takes no more requests.
func New(e *netconn.Engine, nc net.Conn, ahead []byte, cfg *Config, state *tls.ConnectionState, over func(*Conn)) (*Conn, error) {
	c := &Conn{TLS: state, cfg: cfg, onRetired: over}
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
	now := link.ExactMoment() // a round trip is measured from here
	c.idleStart = now
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

// Reused reports whether it was called before: the first request of a connection finds it new, each later one finds it
// reused.
func (c *Conn) Reused() bool { return c.reused.Swap(true) }

// Warm reports whether the connection may have been idle before its first request, because Pool.Warm has opened it.
func (c *Conn) Warm() bool { return c.warm.Load() }

// GoAway returns the server's GOAWAY as an error, nil if none was received.
func (c *Conn) GoAway() *GoAwayError {
	c.Lock()
	defer c.Unlock()
	return c.goAway
}

// Usable reports whether the connection still takes requests.
func (c *Conn) Usable() bool { return !c.closed.Load() }

// Most returns how many requests the server takes at once, as far as that is known. It returns 0 if no more are taken.
func (c *Conn) Most() int {
	c.Lock()
	defer c.Unlock()
	if c.closed.Load() {
		return 0
	}
	return int(min(c.Wire().PeerSettings().MaxStreams, 1<<31-1))
}

// Head implements h2conn.Owner.
func (c *Conn) Head(ev *http2.Event) {
	ev.Stream.Owner.(*h2conn.Stream).Owner.(*Exchange).head(ev)
	c.headsReceived++
}

// Trailers implements h2conn.Owner.
func (c *Conn) Trailers(s *h2conn.Stream, fields []http2.Field) {
	x := s.Owner.(*Exchange)
	x.Trailer = append(x.Trailer[:0], fields...)
}

// OutputReady implements h2conn.Owner.
func (c *Conn) OutputReady(bool) {
	if !c.callerDraws && c.drawing.CompareAndSwap(false, true) {
		go c.drawSoon()
	}
}

// requestDraw sends pending output, unless another goroutine is about to. It is called without the lock, by a goroutine
// that has produced output while callerDraws was set.
func (c *Conn) requestDraw() {
	if c.drawing.CompareAndSwap(false, true) {
		c.drawSoon()
	}
}

// drawSoon sends the output of many goroutines at once: it first yields, so that those that can run add theirs. A
// goroutine that finds drawing set has added its output before drawing is cleared, so Draw sends that too.
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
	received := c.settingsPending
	c.settingsPending = false
	c.Unlock()
	if received && c.cfg.SettingsReceived != nil {
		c.cfg.SettingsReceived()
	}
}

// Closed implements h2conn.Owner.
func (c *Conn) Closed(error) {
	c.Lock()
	c.retire()
	c.Unlock()
}

// EndOfInput implements netconn.InputEnder.
func (c *Conn) EndOfInput(err error) {
	err = c.Link().SystemError(c.Link().EndedBy(err))
	c.Lock()
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		c.readErr = &brokenError{err}
	}
	c.Unlock()
	c.Conn.EndOfInput(err)
	c.Lock()
	c.retire()
	c.Unlock()
}

// retire makes the connection take no more requests. The caller must hold the lock.
func (c *Conn) retire() {
	if !c.closed.Swap(true) {
		go c.onRetired(c)
	}
	c.queue.dismiss()
}

var _ h2conn.Watcher = (*Conn)(nil)

// ConnEvent implements h2conn.Watcher.
func (c *Conn) ConnEvent(ev *http2.Event) {
	switch ev.Kind {
	case http2.EventReset:
		c.CountLater("recv_rststream_" + h2conn.Token(ev.Code))
		return
	case http2.EventGoAway:
	case http2.EventPong:
		c.pings.answered(&c.Conn)
		return
	default:
		c.settingsPending = c.settingsPending || ev.Kind == http2.EventSettings // Ready calls Config.SettingsReceived
		return
	}
	if ev.Code != http2.ErrCodeNo {
		c.CountLater("recv_goaway_" + h2conn.Token(ev.Code))
	}
	c.goAway = &GoAwayError{LastStream: ev.LastStream, Code: ev.Code, Debug: string(ev.Data)}
	c.retire()
}

// Close makes the connection take no more requests. Those that have begun are completed, then the connection ends.
func (c *Conn) Close() {
	c.Lock()
	c.retire()
	c.Unlock()
	c.Drain()
}

// CloseIfIdle closes the connection if it has no requests, and reports whether this call closed it. A request that is
// about to begin uses another connection.
func (c *Conn) CloseIfIdle() (closed bool) {
	c.Lock()
	idle := c.unused()
	closed = idle && !c.closed.Load()
	if idle {
		c.retire()
		c.Wire().Shutdown(c.Now())
	}
	c.Unlock()
	if idle {
		c.Link().Nudge()
	}
	return closed
}

// unused reports whether there are no requests and none waits to begin. The caller must hold the lock.
func (c *Conn) unused() bool { return c.Wire().Len() == 0 && len(c.queue.waiting) == 0 }

// idleSince returns since when there have been no requests, and whether there are none. A connection that is less than a
// second old and has had no request does not count as idle: it was opened for one.
func (c *Conn) idleSince() (since int64, idle bool) {
	c.Lock()
	defer c.Unlock()
	isNew := !c.reused.Load() && c.Now()-c.idleStart < int64(time.Second)
	return c.idleStart, c.idleStart != 0 && len(c.queue.waiting) == 0 && !c.closed.Load() && !isNew
}

// Abort closes the connection at once. Its requests fail.
func (c *Conn) Abort() { c.Link().Abort() }
