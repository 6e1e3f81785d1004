// Package h2conn runs an HTTP/2 connection of package http2, which does no I/O, on a connection of package netconn. Many
// goroutines read and write streams, each blocking only on its own stream, while the connection is read and written in
// large pieces. What a stream carries is up to the Owner: a server, or a client.
package h2conn

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Owner uses the streams of a connection: a server or a client.
type Owner interface {
	// Head handles a header section: an event of kind http2.EventHeaders, EventInformational or EventHeadersTooLarge. If the peer opened
	// the stream, Head must call Begin for a Stream of its own. It is called with the lock held; what ev points to is
	// only valid until Head returns.
	Head(ev *http2.Event)
	// Trailers handles a trailer section. It is called with the lock held, before the stream reaches the end of its
	// input.
	Trailers(s *Stream, fields []http2.Field)
	// OutputReady reports that there is output to send: the owner must call Draw soon, without the lock. last means that this
	// is the last output of its stream, so the goroutine that uses the stream can call Draw itself. It is called with the
	// lock held.
	OutputReady(last bool)
	// Ready is called on the connection's goroutine, without the lock, when all received bytes have been processed.
	Ready()
	// Closed is called once, without the lock, when the connection has ended and all its streams have failed.
	Closed(err error)
}

// Watcher is an Owner that also handles events of the connection itself: a client, or a server that checks its peers.
type Watcher interface {
	// ConnEvent handles EventSettings, EventSettingsAck, EventGoAway and EventPong, and an EventReset that the peer sent. It is called with the
	// lock held; what ev points to is only valid until ConnEvent returns.
	ConnEvent(ev *http2.Event)
	// Due does what is due at now and returns when it wants to be called again, 0 for never. It is called with the lock
	// held at the time given to Arm, and at other times too. An error ends the connection and its streams.
	Due(now int64) (next int64, err error)
}

// Conn is an HTTP/2 connection as a netconn.Protocol. One lock guards all of it. The lock is held only briefly: never
// while a goroutine blocks, and never during a call that sends on the connection.
//
//	bytes ─► Data ─► http2.Conn ─► events ─► Owner, Streams
//	Streams ─► header sections, DATA ─► AppendOutput ─► netconn's output, which draws when there is room
type Conn struct {
	link  *netconn.Conn
	owner Owner

	mu         sync.Mutex
	wire       *http2.Conn
	out        []byte // output of streams, in the order in which it was encoded
	err        error  // why the connection is over; nil while it is not
	alarm      int64  // when Alarm is due; 0 if it is not set
	policy     *Policy
	draws      uint32      // how often AppendOutput was called
	messages   uint32      // see Messages
	uncounted  *errorNames // error names that CountError has not been given yet; may be nil
	work       workState
	inData     bool // Data is running: output appended now is sent when it returns
	ended      bool // the peer has closed its sending side
	used       bool // there have been streams since the last Data
	roomWanted bool // a goroutine is blocked in AwaitRoom
}

// Policy holds the limits and hooks of an owner. All its connections share it.
type Policy struct {
	MinReadRate int           // lowest rate, in bytes per second, of a body that a reader waits for; 0 is no limit
	RateGrace   time.Duration // time before MinReadRate is enforced

	// CountError, if set, is called without the lock for every protocol error, with a name for a counter: conn_ or
	// stream_, the code, and http2.Error's Name. Conn.Note passes other names to it.
	CountError func(name string)
}

// workState records whether netconn has been told that there is work (BeginWork), so that it need not be told at the
// beginning and end of each stream.
type workState uint8

const (
	idle   workState = iota // no streams, and netconn has been told so
	active                  // there are streams, or were since the last Alarm
	quiet                   // there were no streams at the last Alarm
)

// idleDelay is roughly how long a connection must have had no streams before netconn is told that it is idle.
const idleDelay = 100 * time.Millisecond

// Init makes c, which must be the zero Conn, the protocol of link. It is called once, before any other method.
func (c *Conn) Init(link *netconn.Conn, wire *http2.Conn, owner Owner, policy *Policy) {
	c.link, c.wire, c.owner, c.policy = link, wire, owner, policy
	link.ShareOutput()
}

// Lock locks the connection.
func (c *Conn) Lock() { c.mu.Lock() }

// Unlock unlocks the connection.
func (c *Conn) Unlock() { c.mu.Unlock() }

// Link returns the underlying connection.
func (c *Conn) Link() *netconn.Conn { return c.link }

// Wire returns the HTTP/2 state of the connection. The caller must hold the lock.
func (c *Conn) Wire() *http2.Conn { return c.wire }

// Err returns why the connection is over, or nil if it is not. The caller must hold the lock.
func (c *Conn) Err() error { return c.err }

// Ended reports whether the peer has closed its sending side. The caller must hold the lock.
func (c *Conn) Ended() bool { return c.ended }

// Messages counts the parts of messages that have arrived: header sections and DATA, modulo 2^32. The caller must hold the lock.
func (c *Conn) Messages() uint32 { return c.messages }

// Now returns the current time for the wire. It is as coarse as netconn's clock.
func (c *Conn) Now() int64 { return c.link.Moment() }

// wireNow is Now, and exact while the wire measures the round trip. The caller must hold the lock.
func (c *Conn) wireNow() int64 {
	if c.wire.MeasuresRTT() {
		return c.link.ExactMoment()
	}
	return c.link.Moment()
}

// Data implements netconn.Protocol. It processes received bytes.
func (c *Conn) Data(_ *netconn.Conn, in []byte) (int, error) {
	c.mu.Lock()
	c.inData = true
	n, err := c.take(in)
	c.inData = false
	c.noteStreams()
	if c.work == idle && !c.used {
		c.link.StayIdle() // PINGs alone do not keep a connection from being idle
	}
	c.used = c.work != idle
	// Len counts streams that were reset but whose handlers still run: the connection waits for those handlers.
	done := c.wire.Drained() && c.wire.Len() == 0
	names := c.takeUncounted()
	c.mu.Unlock()
	c.link.Draw(c) // sent when Data has returned
	c.owner.Ready()
	c.policy.countErrors(names)
	switch {
	case err != nil:
		return n, netconn.ErrDoneEarly
	case done:
		return n, netconn.ErrDone
	}
	return n, nil
}

// eventPool holds the events of take and tick. An event passed to an owner, an interface, would otherwise be allocated
// each time.
var eventPool = sync.Pool{New: func() any { return new(http2.Event) }}

func putEvent(ev *http2.Event) {
	*ev = http2.Event{}
	eventPool.Put(ev)
}

// take feeds in to the wire and handles the events. The caller must hold the lock.
func (c *Conn) take(in []byte) (taken int, err error) {
	ev := eventPool.Get().(*http2.Event)
	defer putEvent(ev)
	for c.err == nil {
		var n int
		*ev, n, err = c.wire.Next(in[taken:], c.wireNow())
		taken += n
		if err != nil {
			c.noteError(connPrefix, err)
			c.fail(err)
			return taken, err
		}
		if ev.Kind == http2.EventNone {
			break
		}
		c.handle(ev)
	}
	return taken, nil
}

// handle passes an event to its stream or to the owner. The caller must hold the lock.
func (c *Conn) handle(ev *http2.Event) {
	switch ev.Kind {
	case http2.EventHeaders, http2.EventInformational, http2.EventHeadersTooLarge:
		c.messages++
		c.owner.Head(ev)
		if ev.EndStream {
			streamOf(ev.Stream).endOfInput(io.EOF)
		}
	case http2.EventTrailers:
		c.messages++
		s := streamOf(ev.Stream)
		c.owner.Trailers(s, ev.Head.Fields)
		s.endOfInput(io.EOF)
	case http2.EventData:
		c.messages++
		streamOf(ev.Stream).arrived(ev.Data, ev.EndStream)
	case http2.EventSettings, http2.EventSettingsAck, http2.EventGoAway, http2.EventPong:
		c.notifyWatcher(ev)
	case http2.EventReset:
		streamOf(ev.Stream).fail(c.resetError(ev))
		if ev.Err == nil {
			c.notifyWatcher(ev)
		} else {
			c.noteError(streamPrefix, ev.Err)
		}
	case http2.EventRefused:
		c.noteError(streamPrefix, ev.Err)
	}
}

func (c *Conn) notifyWatcher(ev *http2.Event) {
	if w, ok := c.owner.(Watcher); ok {
		w.ConnEvent(ev)
	}
}

// streamOf returns the Stream that owns s. Every stream that the wire has an event for has one, from Begin to End.
func streamOf(s *http2.Stream) *Stream { return s.Owner.(*Stream) }

// resetError returns the error that a stream fails with when it was reset.
func (c *Conn) resetError(ev *http2.Event) error {
	e := &StreamError{StreamID: ev.Stream.ID(), Code: ev.Code}
	if ev.Err != nil {
		e.Cause = ev.Err
	} else if c.wire.IsClient() {
		e.Cause = errFromPeer
	}
	return e
}

// AppendOutput implements netconn.Source. It appends what is ready to be sent, about most bytes.
func (c *Conn) AppendOutput(dst []byte, most int) (_ []byte, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.draws++
	dst = append(dst, c.out...)
	c.out = c.out[:0]
	c.wakeRoomWaiters()
	dst = c.wire.AppendPending(dst)
	if c.wire.MeasuresRTT() {
		c.wire.OutputSent(c.link.ExactMoment())
	}
	for len(dst) < most {
		w := c.wire.NextSender()
		if w == nil {
			return dst, false
		}
		dst = streamOf(w).appendUnsent(dst, most-len(dst))
	}
	return dst, true
}

// ErrOver is the error of streams when the connection has ended in good order.
var ErrOver = errors.New("http2: the connection has ended")

// fail ends the connection and fails all streams with err. The caller must hold the lock.
func (c *Conn) fail(err error) {
	if c.err != nil {
		return
	}
	c.err = c.link.SystemError(err)
	if rule, ok := err.(*http2.Error); ok {
		c.err = &ConnectionError{Cause: rule}
	} else if err == nil || err == io.EOF {
		c.err = ErrOver
	}
	for w := range c.wire.Streams {
		streamOf(w).fail(c.err)
	}
}

// EndOfInput implements netconn.InputEnder. The peer has closed its sending side: requests can still be answered, but
// bodies that are not complete fail, and the functions given to OnGone are called.
func (c *Conn) EndOfInput(error) {
	c.mu.Lock()
	c.ended = true
	for w := range c.wire.Streams {
		s := streamOf(w)
		s.endOfInput(io.ErrUnexpectedEOF)
		s.writer.signal() // it may be waiting for a window
		s.runOnGone()
	}
	free := c.becomeIdle()
	c.mu.Unlock()
	if free {
		c.link.EndWork()
	}
}

// Aborted implements netconn.Aborter: the functions given to OnGone are called.
func (c *Conn) Aborted() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.wire.Streams {
		streamOf(w).runOnGone()
	}
}

// End implements netconn.Protocol. The connection has ended.
func (c *Conn) End(_ *netconn.Conn, err error) {
	c.mu.Lock()
	if c.err == nil && (err == netconn.ErrIdle || err == netconn.ErrSlow) {
		c.wire.Fail(http2.ErrCodeNo, "")
	}
	if c.err == nil {
		c.noteError(connPrefix, c.wire.Err()) // a stream's error may have ended the connection, which Data did not see
	}
	c.fail(err)
	over := c.err
	c.park()
	names := c.takeUncounted()
	c.mu.Unlock()
	c.link.Draw(c) // the link keeps this until it ends
	c.owner.Closed(over)
	c.policy.countErrors(names)
}

// Drain implements netconn.Drainer. It sends GOAWAY; streams that are open are completed.
func (c *Conn) Drain() {
	c.mu.Lock()
	if c.err == nil {
		c.wire.Shutdown(c.Now())
	}
	c.mu.Unlock()
	c.link.Nudge() // runs Data, which sends the GOAWAY
}

// outputReady tells the owner that there is output to send, unless Data is running, which sends it anyway. The caller
// must hold the lock.
func (c *Conn) outputReady(last bool) {
	if !c.inData && c.err == nil {
		c.owner.OutputReady(last)
	}
}

// Draw sends pending output, as much as the peer takes.
func (c *Conn) Draw() { c.link.Draw(c) }

// ErrClosed is net.ErrClosed: the error of a stream that its owner has ended, and of writing after the end of our
// message.
var ErrClosed = net.ErrClosed
