package http3

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/h3frame"
	"github.com/shockwave-go/shockwave/internal/qpack"
)

var (
	errCreation = &h3frame.Error{Code: h3frame.StreamCreationError, Rule: "RFC 9114 §6.2", Msg: "a second stream of a type of which there is one, or one that only servers open"}
	errCritical = &h3frame.Error{Code: h3frame.ClosedCriticalStream, Rule: "RFC 9114 §6.2.1", Msg: "end of a stream that must stay open"}
	// We never send MAX_PUSH_ID, so a server may push nothing.
	errPushStream = &h3frame.Error{Code: h3frame.IDError, Rule: "RFC 9114 §4.6", Msg: "push that was not allowed"}
)

// peerStreams are the unidirectional streams that the peer of a connection opens (RFC 9114 §6.2).
type peerStreams struct {
	qc       quicConn
	owner    streamOwner
	isServer bool          // the peer is a server
	known    atomic.Uint32 // a bit for each type that has come

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

// accept accepts the peer's unidirectional streams.
func (a *peerStreams) accept() {
	for {
		u, err := a.qc.acceptUni()
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
		a.readOn(u, a.readerOf(t), b[n:], b[:cap(b)])
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

// readOn reads a stream that must not end. b is what has been read of it, buf memory for more.
func (a *peerStreams) readOn(u quicReceive, read func([]byte) error, b, buf []byte) {
	for {
		if err := read(b); err != nil {
			a.owner.fail(err)
			return
		}
		n, err := u.Read(buf)
		b = buf[:n]
		if _, reset := resetBy(err); err == io.EOF || reset {
			if err := read(b); err != nil {
				a.owner.fail(err)
			} else {
				a.owner.fail(errCritical)
			}
			return
		}
		if err != nil {
			return // the connection has ended
		}
	}
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
		return &h3frame.Error{Code: h3frame.Code(e.Code), Who: e.Who, Rule: e.Rule, Msg: e.Msg}
	}
	return err
}

// controlEvent is told what the control stream brings.
func (k *conn) controlEvent(ev *h3frame.Event) {
	switch ev.Type {
	case h3frame.Settings:
		if k.sessions != nil {
			k.sessions.settle(ev.Settings)
		}
	case h3frame.PriorityUpdateRequest:
		k.prioritize(ev.ID, ev.Priority)
		k.charge(costPriority)
	default:
		k.charge(costControl)
	}
}

// prioritize sets the priority of a request, which may not have arrived yet (RFC 9218 §7).
func (k *conn) prioritize(id uint64, p http2.PriorityParams) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for m := k.first; m != nil; m = m.nextOpen {
		if m.str.id() == id {
			m.str.prioritize(p.Urgency, p.Incremental)
			return
		}
	}
	if id < k.next {
		return // it has been answered
	}
	for i := range k.early {
		if k.early[i].id == id {
			k.early[i].priority = p
			return
		}
	}
	if len(k.early) < maxEarly {
		k.early = append(k.early, earlyPriority{id, p})
	}
}

// firstPriority sets the priority of a request that has arrived: that of a PRIORITY_UPDATE which came before it, or else that of its
// field.
func (k *conn) firstPriority(m *stream, field string) {
	p, signalled := http2.PriorityParams{}, field != ""
	if signalled {
		p = http2.ParsePriority(field)
	}
	k.mu.Lock()
	for i, e := range k.early {
		if e.id == m.str.id() {
			p, signalled = e.priority, true
			k.early = append(k.early[:i], k.early[i+1:]...)
			break
		}
	}
	k.mu.Unlock()
	if signalled {
		m.str.prioritize(p.Urgency, p.Incremental)
	}
}
