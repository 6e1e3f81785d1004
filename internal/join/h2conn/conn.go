// Package h2conn runs an HTTP/2 connection of package http2, which does no I/O, on a connection of package netconn. Many
// goroutines read and write streams, each blocking only on its own stream, while the connection is read and written in
// large pieces. What a stream carries is up to the Owner: a server, or a client.
package h2conn

import (
	"errors"
	"io"
	"sync"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Conn is an HTTP/2 connection as a netconn.Protocol. One lock guards all of it, and a method that needs it held ends in
// Locked; the others take it. The lock is held only briefly: never while a goroutine blocks, and never during a call that
// sends on the connection.
//
//	bytes ─► Data ─► http2.Conn ─► events ─► Owner, Streams
//	Streams ─► header sections, DATA ─► AppendOutput ─► netconn's output, which draws when there is room
type Conn struct{ session }

// Init makes c, which must be the zero Conn, the protocol of link. It is called once, before any other method.
func (c *Conn) Init(link *netconn.Conn, wire *http2.Conn, owner Owner, policy *Policy) {
	c.link, c.wire, c.owner, c.policy = link, wire, owner, policy
	link.ShareOutput()
}

// BeginLocked makes s the owner's end of w. s must be the zero Stream, or one that has been ended with EndLocked.
func (c *Conn) BeginLocked(s *Stream, w *http2.Stream) { s.beginLocked(&c.session, w) }

// wireNowLocked is Now, and exact while the wire measures the round trip.
func (c *Conn) wireNowLocked() int64 {
	if c.wire.MeasuresRTT() {
		return c.link.ExactMoment()
	}
	return c.link.Moment()
}

// Data implements netconn.Protocol. It processes received bytes.
func (c *Conn) Data(_ *netconn.Conn, in []byte) (int, error) {
	c.mu.Lock()
	c.inData = true
	n, err := c.takeLocked(in)
	c.inData = false
	c.NoteStreamsLocked()
	if c.activity.received() {
		c.link.StayIdle() // PINGs alone do not keep a connection from being idle
	}
	// Len counts streams that were reset but whose handlers still run: the connection waits for those handlers.
	done := c.wire.Drained() && c.wire.Len() == 0
	names := c.takeUncountedLocked()
	c.mu.Unlock()
	c.link.Draw(c) // sent when Data has returned
	c.owner.Ready()
	names.report(c.policy.CountError)
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

// takeLocked feeds in to the wire and handles the events.
func (c *Conn) takeLocked(in []byte) (taken int, err error) {
	ev := eventPool.Get().(*http2.Event)
	defer putEvent(ev)
	for c.err == nil {
		var n int
		*ev, n, err = c.wire.Next(in[taken:], c.wireNowLocked())
		taken += n
		if err != nil {
			c.countErrorLocked(connPrefix, err)
			c.failLocked(err)
			return taken, err
		}
		if ev.Kind == http2.EventNone {
			break
		}
		c.handleLocked(ev)
	}
	return taken, nil
}

// handleLocked passes an event to its stream or to the owner.
func (c *Conn) handleLocked(ev *http2.Event) {
	switch ev.Kind {
	case http2.EventHeaders, http2.EventInformational, http2.EventHeadersTooLarge:
		c.messages++
		c.owner.HeadLocked(ev)
		if ev.EndStream {
			StreamOf(ev.Stream).reader.end(io.EOF)
		}
	case http2.EventTrailers:
		c.messages++
		c.owner.TrailersLocked(ev)
		StreamOf(ev.Stream).reader.end(io.EOF)
	case http2.EventData:
		c.messages++
		StreamOf(ev.Stream).reader.arrived(ev.Data, ev.EndStream)
	case http2.EventSettings, http2.EventSettingsAck, http2.EventGoAway, http2.EventPong:
		c.notifyWatcherLocked(ev)
	case http2.EventReset:
		StreamOf(ev.Stream).failLocked(c.resetError(ev))
		if ev.Err == nil {
			c.notifyWatcherLocked(ev)
		} else {
			c.countErrorLocked(streamPrefix, ev.Err)
		}
	case http2.EventRefused:
		c.countErrorLocked(streamPrefix, ev.Err)
	}
}

func (c *Conn) notifyWatcherLocked(ev *http2.Event) {
	if w, ok := c.owner.(Watcher); ok {
		w.ConnEventLocked(ev)
	}
}

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

// ErrOver is the error of streams when the connection has ended in good order.
var ErrOver = errors.New("http2: the connection has ended")

// failLocked ends the connection and fails all streams with err.
func (c *Conn) failLocked(err error) {
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
		StreamOf(w).failLocked(c.err)
	}
}

// EndOfInput implements netconn.InputEnder. The peer has closed its sending side: requests can still get responses, but
// bodies that are not complete fail, and the functions given to OnGone are called.
func (c *Conn) EndOfInput(error) {
	c.mu.Lock()
	c.ended = true
	for w := range c.wire.Streams {
		StreamOf(w).inputEndedLocked()
	}
	free := c.becomeIdleLocked()
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
		StreamOf(w).onGone.run()
	}
}

// End implements netconn.Protocol. The connection has ended.
func (c *Conn) End(_ *netconn.Conn, err error) {
	c.mu.Lock()
	if c.err == nil && (err == netconn.ErrIdle || err == netconn.ErrSlow) {
		c.wire.Fail(http2.ErrCodeNo, "")
	}
	if c.err == nil {
		c.countErrorLocked(connPrefix, c.wire.Err()) // a stream's error may have ended the connection, which Data did not see
	}
	c.failLocked(err)
	over := c.err
	c.parkLocked()
	names := c.takeUncountedLocked()
	c.mu.Unlock()
	c.link.Draw(c) // the link keeps this until it ends
	c.owner.Closed(over)
	names.report(c.policy.CountError)
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
