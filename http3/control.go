package http3

import "github.com/shockwave-go/shockwave"

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

var (
	errCreation = &h3frame.Error{Code: h3frame.StreamCreationError, Violation: shockwave.Violation{Rule: "RFC 9114 §6.2", Msg: "a second stream of a type of which there is one, or one that only servers open"}}
	errCritical = &h3frame.Error{Code: h3frame.ClosedCriticalStream, Violation: shockwave.Violation{Rule: "RFC 9114 §6.2.1", Msg: "end of a stream that must stay open"}}
	// We never send MAX_PUSH_ID, so a server may push nothing.
	errPushStream = &h3frame.Error{Code: h3frame.IDError, Violation: shockwave.Violation{Rule: "RFC 9114 §4.6", Msg: "push that was not allowed"}}
)

// peerStreams are the unidirectional streams that the peer of a connection opens (RFC 9114 §6.2). A goroutine accepts them, and one
// reads each; those of a server's connection that say little are given to quiet instead.
type peerStreams struct {
	qc       quicConn
	owner    streamOwner
	isServer bool          // the peer is a server
	known    atomic.Uint32 // a bit for each type that has come
	quiet    *quietStreams // nil on a client's connection, and with sessions of WebTransport

	// session takes a stream of a session of WebTransport, and patience is for how long the front of a stream is waited for; nil and 0
	// where there are none.
	session  func(u quicReceive, id uint64, ahead []byte)
	patience time.Duration
}

// streamOwner is the connection that peerStreams are of. Any goroutine calls its methods.
type streamOwner interface {
	fail(err error)                 // ends the connection
	charge(cost int32)              // makes the peer pay for what makes no progress
	controlEvent(ev *h3frame.Event) // is told what the control stream brings
}

// accept accepts the peer's unidirectional streams, until ctx ends. If it has ended, it accepts those that are there.
func (a *peerStreams) accept(ctx context.Context) {
	for {
		u, err := a.qc.acceptUni(ctx)
		if err != nil {
			return
		}
		go a.read(u)
	}
}

// read reads a unidirectional stream: one that we know as long as the connection goes on.
func (a *peerStreams) read(u quicReceive) {
	b := make([]byte, 0, uniBuffer)
	if a.patience > 0 {
		u.until(time.Now().Add(a.patience))
	}
	kind, n := uint64(0), 0
	for n == 0 {
		m, err := u.Read(b[len(b):cap(b)])
		b = b[:len(b)+m]
		if kind, n = h3frame.Varint(b); n == 0 && err != nil {
			u.stop(h3frame.StreamCreationError)
			a.drop(u)
			return
		}
	}
	if h3frame.StreamType(kind) == h3frame.WebTransportStream && a.session != nil {
		a.readSession(u, b, n)
		return
	}
	if a.patience > 0 {
		u.until(time.Time{})
	}
	switch t := h3frame.StreamType(kind); {
	case t > h3frame.DecoderStream:
		u.stop(h3frame.StreamCreationError)
		a.drop(u)
	case t == h3frame.PushStream && a.isServer:
		a.owner.fail(errPushStream)
	case t == h3frame.PushStream, !a.isFirst(t):
		a.owner.fail(errCreation)
	default:
		a.begin(t, &uniStream{u: u, read: a.readerOf(t)}, b[n:], b[:cap(b)])
	}
}

// readSession reads the session that a stream belongs to, behind its type of n bytes, and hands the stream over. b is what has been
// read.
func (a *peerStreams) readSession(u quicReceive, b []byte, n int) {
	id, size := h3frame.Varint(b[n:])
	for size == 0 {
		m, err := u.Read(b[len(b):cap(b)])
		b = b[:len(b)+m]
		if id, size = h3frame.Varint(b[n:]); size == 0 && err != nil {
			if err == io.EOF {
				a.owner.fail(errSessionCut)
				return
			}
			u.stop(h3frame.StreamCreationError)
			a.drop(u)
			return
		}
	}
	u.until(time.Time{})
	a.session(u, id, b[n+size:])
}

// uniBuffer is how much of such a stream is read at once: there is little to read, for as long as the connection lasts.
const uniBuffer = 256

// drop gives a stream back that means nothing.
func (a *peerStreams) drop(u quicReceive) {
	u.release()
	a.owner.charge(costStream)
}

// isFirst reports whether no stream of type t has come before.
func (a *peerStreams) isFirst(t h3frame.StreamType) bool { return a.known.Or(1<<t)&(1<<t) == 0 }

// uniStream is a unidirectional stream of a type that we know.
type uniStream struct {
	u    quicReceive
	read func([]byte) error // is told what arrives, in its order
}

// begin reads a stream that has told its type. b is what has come behind that, buf memory for more.
func (a *peerStreams) begin(t h3frame.StreamType, s *uniStream, b, buf []byte) {
	switch {
	case !a.tell(s, b):
	case a.quiet == nil:
		a.readOn(s, buf)
	case t == h3frame.ControlStream:
		a.quiet.hasControl(s)
		a.readOn(s, buf)
	default:
		a.quiet.add(s)
	}
}

// tell passes on what has arrived. It returns false if that has ended the connection.
func (a *peerStreams) tell(s *uniStream, b []byte) bool {
	err := s.read(b)
	if err != nil {
		a.owner.fail(err)
	}
	return err == nil
}

// readOn reads a stream that must not end, until the connection has ended, or the stream becomes a quiet one.
func (a *peerStreams) readOn(s *uniStream, buf []byte) {
	for {
		n, err := s.u.Read(buf)
		if err != nil && wasInterrupted(err) {
			if a.tell(s, buf[:n]) {
				a.quiet.add(s)
			}
			return
		}
		if !a.took(s, buf[:n], err) {
			return
		}
	}
}

// took passes on what was read, with the error of reading. It returns false if the connection has ended.
func (a *peerStreams) took(s *uniStream, b []byte, err error) bool {
	if !a.tell(s, b) {
		return false
	}
	if _, reset := resetBy(err); err == io.EOF || reset {
		a.owner.fail(errCritical)
	}
	return err == nil
}

// readerOf returns what reads a stream of this type.
func (a *peerStreams) readerOf(kind h3frame.StreamType) func([]byte) error {
	switch kind {
	case h3frame.EncoderStream:
		return qpackError(qpack.EncoderStream{}.Read)
	case h3frame.DecoderStream:
		return qpackError(new(qpack.DecoderStream).Read)
	}
	c := &h3frame.Control{Server: a.isServer}
	return func(b []byte) error {
		if err := c.Read(b, a.owner.controlEvent); err != nil {
			return err
		}
		return nil
	}
}

// qpackError returns read with its errors as those of HTTP/3.
func qpackError(read func([]byte) error) func([]byte) error {
	return func(b []byte) error { return asFrameError(read(b)) }
}

// asFrameError returns an error of QPACK as one of HTTP/3, and any other as it is.
func asFrameError(err error) error {
	if e, ok := err.(*qpack.Error); ok {
		return &h3frame.Error{Code: h3frame.Code(e.Code), Violation: shockwave.Violation{Who: e.Who, Rule: e.Rule, Msg: e.Msg}}
	}
	return err
}

// controlEvent is told what the control stream brings.
func (k *conn) controlEvent(ev *h3frame.Event) {
	switch ev.Type {
	case h3frame.Settings:
		k.mostFields.Store(ev.Settings.MaxFieldSection)
		if k.sessions != nil {
			k.sessions.settle(ev.Settings)
		}
	case h3frame.PriorityUpdateRequest:
		k.updatePriority(ev.ID, ev.Priority)
		k.charge(costPriority)
	default:
		k.charge(costControl)
	}
}
