// Package h2conn joins package http2, which does no I/O, to a connection of package netconn: streams on which goroutines
// read and write, each waiting for its own, over one connection that is read in large pieces and written in large
// pieces. What streams are for is the affair of its owner: a server, or a client.
package h2conn

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// Owner is who uses the streams of a connection.
type Owner interface {
	// Head is told of a head: http2.Headers, Informational or HeadersTooLarge. For a stream that the peer has opened it
	// begins a Stream. The lock is held, and what ev points to is borrowed.
	Head(ev *http2.Event)
	// Trailers is told of a trailer section, before the stream is told of its end. The lock is held.
	Trailers(s *Stream, fields []http2.Field)
	// Unsaid is told that something waits to be drawn: it has Draw called soon. last: it is the last of its stream, whose
	// goroutine can do so itself. The lock is held.
	Unsaid(last bool)
	// Ready is called when all that has arrived has been looked at, on the connection's goroutine, without the lock.
	Ready()
	// Over is told, once, that the connection is: all streams have failed. It is called without the lock.
	Over(err error)
}

// Watcher is an Owner that looks after the connection itself: a client.
type Watcher interface {
	// Told is told of Settings, SettingsAck, GoAway and Pong, and of a Reset that was the peer's. The lock is held, and what
	// ev points to is borrowed.
	Told(ev *http2.Event)
	// Due is asked when the time of Arm has come, or another's: it does what is due and returns when to be asked again, 0
	// for never. An error ends the connection, and its streams with it. The lock is held.
	Due(now int64) (next int64, err error)
}

// Conn is a connection of HTTP/2 as a netconn.Protocol. All of it is looked after under one lock, which is held for
// moments: never while somebody waits, and never when the connection is asked to send.
//
//	bytes ─► Data ─► http2.Conn ─► events ─► Owner, Streams
//	Streams ─► header sections, DATA ─► AppendOutput ─► netconn's output, which draws when there is room
type Conn struct {
	link  *netconn.Conn
	owner Owner

	mu     sync.Mutex
	wire   *http2.Conn
	out    []byte // what streams have said, in the order in which it was encoded
	over   error  // why nothing is said any more
	alarm  int64  // when Alarm is to be called; 0: not asked for
	policy *Policy
	noted  *faults // for Policy.CountError; nil if there are none
	work   busy
	taking bool // Data runs: what is said leaves with it
	ended  bool // the peer has ended its side
	used   bool // there have been streams since the last Data
	crowds bool // somebody waits for room in out
}

// Policy is what an owner demands of its peers; its connections share it.
type Policy struct {
	MinReadRate int           // bytes per second of a body while somebody waits for it; 0 is none
	RateGrace   time.Duration // over which that is judged

	// CountError, if set, is called for every error, without the lock, with a name for counters: conn_ or stream_, the code
	// and http2.Error's Name; or what Conn.Note was given.
	CountError func(name string)
}

// busy is whether netconn has been told that work goes on. It is not told at each stream's beginning and end.
type busy uint8

const (
	idle    busy = iota // no streams
	active              // there are, or were since the last look
	resting             // there were none at the last look
)

// rest is after how long without streams a connection is idle.
const rest = 100 * time.Millisecond

// Init makes c, which is the zero Conn, the protocol of link. It is called once, before all else.
func (c *Conn) Init(link *netconn.Conn, wire *http2.Conn, owner Owner, policy *Policy) {
	c.link, c.wire, c.owner, c.policy = link, wire, owner, policy
}

// Lock takes the lock.
func (c *Conn) Lock() { c.mu.Lock() }

// Unlock gives it back.
func (c *Conn) Unlock() { c.mu.Unlock() }

// Link returns the connection below.
func (c *Conn) Link() *netconn.Conn { return c.link }

// Wire returns the state of the connection. The lock is held.
func (c *Conn) Wire() *http2.Conn { return c.wire }

// Err returns why the connection is over, nil while it is not. The lock is held.
func (c *Conn) Err() error { return c.over }

// Ended reports whether the peer has ended its side. The lock is held.
func (c *Conn) Ended() bool { return c.ended }

// Now is the moment, for the wire. The time of a tick is precise enough.
func (c *Conn) Now() int64 { return c.link.Moment() }

// Data implements netconn.Protocol.
func (c *Conn) Data(_ *netconn.Conn, in []byte) (int, error) {
	c.mu.Lock()
	c.unpark()
	c.taking = true
	n, err := c.take(in)
	c.taking = false
	c.look()
	if c.work == idle && !c.used {
		c.link.StayIdle() // PINGs are no use of a connection
	}
	c.used = c.work != idle
	// A handler of a stream that was reset may still run: it is waited for.
	done := c.wire.Drained() && c.wire.Len() == 0
	noted := c.takeNoted()
	c.mu.Unlock()
	c.link.Draw(c) // it leaves when Data has returned
	c.owner.Ready()
	c.policy.tell(noted)
	switch {
	case err != nil:
		return n, netconn.ErrDoneEarly
	case done:
		return n, netconn.ErrDone
	}
	return n, nil
}

// events are what take and tick hand on: to an owner, so that each would be allocated.
var events = sync.Pool{New: func() any { return new(http2.Event) }}

func giveBack(ev *http2.Event) {
	*ev = http2.Event{}
	events.Put(ev)
}

// take has the wire take in. The lock is held.
func (c *Conn) take(in []byte) (taken int, err error) {
	ev := events.Get().(*http2.Event)
	defer giveBack(ev)
	for c.over == nil {
		var n int
		*ev, n, err = c.wire.Next(in[taken:], c.Now())
		taken += n
		if err != nil {
			c.noteError(ofConn, err)
			c.fail(err)
			return taken, err
		}
		if ev.Kind == http2.None {
			break
		}
		c.handle(ev)
	}
	return taken, nil
}

// handle passes an event on. The lock is held.
func (c *Conn) handle(ev *http2.Event) {
	switch ev.Kind {
	case http2.Headers, http2.Informational, http2.HeadersTooLarge:
		c.owner.Head(ev)
		if ev.EndStream {
			streamOf(ev.Stream).endOfInput(io.EOF)
		}
	case http2.Trailers:
		s := streamOf(ev.Stream)
		c.owner.Trailers(s, ev.Head.Fields)
		s.endOfInput(io.EOF)
	case http2.Data:
		streamOf(ev.Stream).arrived(ev.Data, ev.EndStream)
	case http2.Settings, http2.SettingsAck, http2.GoAway, http2.Pong:
		c.tellWatcher(ev)
	case http2.Reset:
		streamOf(ev.Stream).fail(resetError(ev))
		if ev.Err == nil {
			c.tellWatcher(ev)
		} else {
			c.noteError(ofStream, ev.Err)
		}
	case http2.Refused:
		c.noteError(ofStream, ev.Err)
	}
}

func (c *Conn) tellWatcher(ev *http2.Event) {
	if w, ok := c.owner.(Watcher); ok {
		w.Told(ev)
	}
}

// streamOf returns the Stream that owns s: every stream that the wire tells of has one, from Begin to End.
func streamOf(s *http2.Stream) *Stream { return s.Owner.(*Stream) }

// resetError is what a stream that was reset says.
func resetError(ev *http2.Event) error {
	if ev.Err != nil {
		return ev.Err
	}
	return &http2.Error{Code: ev.Code, Rule: "RFC 9113 §6.4", Msg: "the stream was reset by its peer"}
}

// AppendOutput implements netconn.Source.
func (c *Conn) AppendOutput(dst []byte, most int) (_ []byte, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	dst = append(dst, c.out...)
	c.out = c.out[:0]
	c.disperse()
	dst = c.wire.AppendPending(dst)
	for len(dst) < most {
		w := c.wire.NextSender()
		if w == nil {
			return dst, false
		}
		dst = streamOf(w).appendRest(dst, most-len(dst))
	}
	return dst, true
}

// ErrOver is what streams say when the connection has ended in good order.
var ErrOver = errors.New("http2: the connection has ended")

// fail ends all streams with err. The lock is held.
func (c *Conn) fail(err error) {
	if c.over != nil {
		return
	}
	if c.over = err; err == nil || err == io.EOF {
		c.over = ErrOver
	}
	for w := range c.wire.Streams {
		streamOf(w).fail(c.over)
	}
}

// EndOfInput implements netconn.InputEnder: requests may still be answered, but nothing more of them comes, and who asked
// to be told of the end is.
func (c *Conn) EndOfInput(error) {
	c.mu.Lock()
	c.ended = true
	for w := range c.wire.Streams {
		s := streamOf(w)
		s.endOfInput(io.ErrUnexpectedEOF)
		s.writer.tell() // it may wait for a window
		s.tellGone()
	}
	free := c.rested()
	c.mu.Unlock()
	if free {
		c.link.EndWork()
	}
}

// End implements netconn.Protocol.
func (c *Conn) End(_ *netconn.Conn, err error) {
	c.mu.Lock()
	if c.over == nil && (err == netconn.ErrIdle || err == netconn.ErrSlow) {
		c.wire.Fail(http2.NoError, "")
	}
	if c.over == nil {
		c.noteError(ofConn, c.wire.Err()) // which came of a stream's end
	}
	c.fail(err)
	over := c.over
	c.park()
	noted := c.takeNoted()
	c.mu.Unlock()
	c.link.Draw(c) // it is held until the end
	c.owner.Over(over)
	c.policy.tell(noted)
}

// Drain implements netconn.Drainer: the peer is told to go elsewhere, and the streams that there are come to their end.
func (c *Conn) Drain() {
	c.mu.Lock()
	if c.over == nil {
		c.wire.Shutdown(c.Now())
	}
	c.mu.Unlock()
	c.link.Nudge() // Data has it leave
}

// said has the owner see to it that what was said leaves. The lock is held.
func (c *Conn) said(last bool) {
	if !c.taking && c.over == nil {
		c.owner.Unsaid(last)
	}
}

// Draw sends what waits to be drawn, as far as the peer takes it.
func (c *Conn) Draw() { c.link.Draw(c) }

// ErrClosed is net.ErrClosed: what a stream says after its owner has given it up, or ended our message.
var ErrClosed = net.ErrClosed
