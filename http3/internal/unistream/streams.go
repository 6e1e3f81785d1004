// Package unistream reads the unidirectional streams that the peer of a connection of HTTP/3 opens (RFC 9114 §6.2): its control stream,
// those of QPACK, and those of sessions of WebTransport, which it hands over. It passes the frames of the control stream to the
// connection.
package unistream

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http3/internal/cost"
	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/http3/internal/section"
	"github.com/shockwave-go/shockwave/http3/internal/session"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

var (
	errCreation = &h3frame.Error{Code: h3frame.StreamCreationError, Violation: shockwave.Violation{Rule: "RFC 9114 §6.2", Msg: "second stream of its type, or a type that only servers may open"}}
	// We never send MAX_PUSH_ID, so a server may push nothing.
	errPushStream = &h3frame.Error{Code: h3frame.IDError, Violation: shockwave.Violation{Rule: "RFC 9114 §4.6", Msg: "push was not allowed"}}
)

// Streams are the streams of one connection's peer. A goroutine accepts them, and one reads each; those of a client that carry little are
// passed to Quiet instead.
type Streams struct {
	qc       quicconn.Conn
	owner    Owner
	isServer bool          // the peer is a server
	known    atomic.Uint32 // a bit for each type that has come
	quiet    *Quiet        // nil: all have goroutines

	// session takes a stream of a session of WebTransport, and patience is for how long the front of a stream is waited for; nil and 0
	// where there are none.
	session  func(u quicconn.Receive, id uint64, ahead []byte)
	patience time.Duration
}

// Owner is the connection to which Streams belong. Any goroutine calls its methods.
type Owner interface {
	Fail(err error)                 // ends the connection
	Charge(cost int32)              // makes the peer pay for what makes no progress
	ControlEvent(ev *h3frame.Event) // is told what the control stream brings
}

// OfServer returns the streams of a server. Each has a goroutine.
func OfServer(qc quicconn.Conn, owner Owner) *Streams {
	return &Streams{qc: qc, owner: owner, isServer: true}
}

// OfClient returns the streams of a client, some of which may be quiet.
func OfClient(qc quicconn.Conn, owner Owner) (*Streams, *Quiet) {
	a := &Streams{qc: qc, owner: owner}
	a.quiet = newQuiet(a.Accept)
	return a, a.quiet
}

// OfSessions returns the streams of a client that may open sessions of WebTransport. take receives those of its sessions; ahead holds the
// bytes that were read after the header, and is not kept. patience is the time limit for the header.
func OfSessions(qc quicconn.Conn, owner Owner, patience time.Duration, take func(u quicconn.Receive, id uint64, ahead []byte)) *Streams {
	return &Streams{qc: qc, owner: owner, session: take, patience: patience}
}

// Accept accepts the peer's unidirectional streams, until ctx ends. If ctx has ended, it accepts those that have arrived.
func (a *Streams) Accept(ctx context.Context) {
	for {
		u, err := a.qc.AcceptUni(ctx)
		if err != nil {
			return
		}
		go a.read(u)
	}
}

// read reads a unidirectional stream: one of a known type as long as the connection goes on.
func (a *Streams) read(u quicconn.Receive) {
	b := make([]byte, 0, bufferSize)
	if a.patience > 0 {
		u.Until(time.Now().Add(a.patience))
	}
	kind, n := uint64(0), 0
	for n == 0 {
		m, err := u.Read(b[len(b):cap(b)])
		b = b[:len(b)+m]
		if kind, n = h3frame.Varint(b); n == 0 && err != nil {
			u.Stop(h3frame.StreamCreationError)
			a.drop(u)
			return
		}
	}
	if h3frame.StreamType(kind) == h3frame.WebTransportStream && a.session != nil {
		a.readSession(u, b, n)
		return
	}
	if a.patience > 0 {
		u.Until(time.Time{})
	}
	switch t := h3frame.StreamType(kind); {
	case t > h3frame.DecoderStream:
		u.Stop(h3frame.StreamCreationError)
		a.drop(u)
	case t == h3frame.PushStream && a.isServer:
		a.owner.Fail(errPushStream)
	case t == h3frame.PushStream, !a.isFirst(t):
		a.owner.Fail(errCreation)
	default:
		a.begin(t, &stream{u: u, read: a.readerOf(t), fail: a.owner.Fail}, b[n:], b[:cap(b)])
	}
}

// readSession reads the session that a stream belongs to, after its type of n bytes, and hands the stream over. b holds the bytes that
// have been read.
func (a *Streams) readSession(u quicconn.Receive, b []byte, n int) {
	id, size := h3frame.Varint(b[n:])
	for size == 0 {
		m, err := u.Read(b[len(b):cap(b)])
		b = b[:len(b)+m]
		if id, size = h3frame.Varint(b[n:]); size == 0 && err != nil {
			if err == io.EOF {
				a.owner.Fail(session.ErrCut)
				return
			}
			u.Stop(h3frame.StreamCreationError)
			a.drop(u)
			return
		}
	}
	u.Until(time.Time{})
	a.session(u, id, b[n+size:])
}

// drop gives up a stream without meaning.
func (a *Streams) drop(u quicconn.Receive) {
	u.Release()
	a.owner.Charge(cost.Stream)
}

// isFirst reports whether no stream of type t has arrived before.
func (a *Streams) isFirst(t h3frame.StreamType) bool { return a.known.Or(1<<t)&(1<<t) == 0 }

// begin reads a stream after its type. b holds the bytes that have arrived after the type, buf is memory for more.
func (a *Streams) begin(t h3frame.StreamType, s *stream, b, buf []byte) {
	switch {
	case !s.tell(b):
	case a.quiet == nil:
		s.readOn(buf)
	case t == h3frame.ControlStream:
		a.quiet.hasControl(s)
		a.quiet.readControl(s, buf)
	default:
		a.quiet.add(s)
	}
}

// readerOf returns the reader for a stream of this type.
func (a *Streams) readerOf(kind h3frame.StreamType) func([]byte) error {
	switch kind {
	case h3frame.EncoderStream:
		return qpackError(qpack.EncoderStream{}.Read)
	case h3frame.DecoderStream:
		return qpackError(new(qpack.DecoderStream).Read)
	}
	c := &h3frame.Control{Server: a.isServer}
	return func(b []byte) error {
		if err := c.Read(b, a.owner.ControlEvent); err != nil {
			return err
		}
		return nil
	}
}

// qpackError returns read with its errors translated into those of HTTP/3.
func qpackError(read func([]byte) error) func([]byte) error {
	return func(b []byte) error { return section.FrameError(read(b)) }
}
