package request

import (
	"errors"

	"github.com/shockwave-go/shockwave/hpack"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// Stream is a request stream, and the carrier.Stream of its exchange. After a response it is used again, with its exchange.
type Stream struct {
	c     *Conn
	owner Owner
	str   quicconn.Stream
	x     carrier.Exchange
	kind  kind

	at     links           // the owner's
	credit quicconn.Stream // the stream before, whose credit is given back with this one's response; zero: none

	// PriorityUpdated says that a PRIORITY_UPDATE has come. It is the owner's.
	PriorityUpdated bool

	reader
	writer
	gone goneHook

	decoder qpack.Decoder
	fields  []hpack.Field
	head    http2.Head
}

// kind says what a stream is.
//
//	plain ─┬─► sessionRequest        a CONNECT that was granted a session
//	       └─► sessionStream ◄── late
type kind uint8

const (
	plain          kind = iota
	late                // it has come behind our GOAWAY: it may only be a stream of a session's
	sessionRequest      // the request may open a session of WebTransport
	sessionStream       // it belongs to a session: it is no request
)

// Owner is the connection to which streams belong. Any goroutine calls its methods.
type Owner interface {
	Prioritize(m *Stream, field string) // the head asks for a priority
	Complete(last bool)                 // a response was written whole, or the connection is to take no more requests: last
	SetTaken(taken bool)                // a handler has taken a stream over, or has given it back, which ends it
	Ended(m *Stream, how End)
}

// End says how the work on a stream has ended.
type End uint8

const (
	Answered   End = iota // in whatever way
	Unwanted              // the client does not want the response any more, or must not send the request
	HandedOver            // to the session that it belongs to
)

// New returns a stream of s, for Begin.
func New(s *Server) *Stream {
	m := new(Stream)
	m.decoder.MaxListBytes, m.decoder.MaxFields = s.Settings.MaxHeadBytes, s.Settings.MaxHeadFields
	if m.decoder.MaxFields > 0 {
		m.decoder.MaxFields += pseudoFields
	}
	m.reader.refuse, m.reader.trailer = m.refuseFrame, m.readTrailer
	m.x = s.Host.NewExchange(m, 3)
	return m
}

// pseudoFields is how many pseudo-fields a request may have.
const pseudoFields = 5

// Begin prepares m for the stream str. isLate says that the stream came after our GOAWAY. The credit of the stream before, unless that
// is zero, is given back with m's response, because a packet of its own would cost as much as a response.
func (m *Stream) Begin(c *Conn, owner Owner, str, before quicconn.Stream, isLate bool) {
	m.c, m.owner, m.str, m.credit = c, owner, str, before
	m.reader.begin(c, str)
	m.writer.begin(c, str)
	if isLate {
		m.kind = late
	}
}

// reset prepares m for Begin.
func (m *Stream) reset() {
	m.reader.reset()
	m.writer.reset()
	m.gone.reset()
	clear(m.fields)
	m.fields = m.fields[:0]
	m.head = http2.Head{}
	m.c, m.owner, m.str, m.credit, m.kind, m.PriorityUpdated = nil, nil, quicconn.Stream{}, quicconn.Stream{}, plain, false
}

// ID returns the stream's identifier.
func (m *Stream) ID() uint64 { return m.str.ID() }

// HasSession reports whether the request was granted a session of WebTransport.
func (m *Stream) HasSession() bool { return m.kind == sessionRequest }

// SetPriority sets the priority of the response.
func (m *Stream) SetPriority(p http2.PriorityParams) { m.str.Prioritize(p.Urgency, p.Incremental) }

// Run runs the request's handler and completes its response. A worker calls it. If it returns true, m can be used again.
func (m *Stream) Run() (again bool) {
	returned := false
	defer func() {
		if !returned { // runtime.Goexit
			m.end()
		}
	}()
	outcome := carrier.Answered
	if r, ok := m.readHead(); ok {
		outcome = m.x.Answer(r)
	}
	returned = true
	switch {
	case m.kind == sessionStream:
		m.giveCredit()
		m.owner.Ended(m, HandedOver)
	case outcome == carrier.TakenOver:
		return false // m is the handler's
	default:
		m.end()
		if outcome == carrier.Failed {
			return false
		}
	}
	m.reset()
	return true
}

// end ends the stream: bytes of the request that have not been read are not wanted (RFC 9114 §4.1).
func (m *Stream) end() {
	m.gone.remove()
	m.writer.finish()
	if !m.reader.eof {
		m.str.Stop(h3frame.NoError)
	}
	m.giveCredit()
	how := Answered
	if m.kind == late || m.str.Unwanted() {
		how = Unwanted
	}
	m.owner.Ended(m, how)
}

// giveCredit gives back the credit of the stream before.
func (m *Stream) giveCredit() {
	if m.credit != (quicconn.Stream{}) {
		m.credit.Release()
		m.credit = quicconn.Stream{}
	}
}

// Refuse ends the stream, or the connection if err says so.
func (m *Stream) Refuse(err error) {
	e, ok := errors.AsType[*h3frame.Error](err)
	switch {
	case ok && e.Scope == h3frame.Connection:
		m.c.Break(err)
		m.Reset(e.Code)
	case ok:
		m.c.Host.Refused()
		m.c.Settings.Log.Debug("http3: request refused", "err", err, "remote", m.c.QC.RemoteAddr())
		m.Reset(e.Code)
	case err == netconn.ErrSlow:
		m.Reset(h3frame.RequestIncomplete)
	default: // the client has given it up, or the connection has ended
		m.Reset(h3frame.RequestCancelled)
	}
}

// refuseFrame is Refuse, for reader.
func (m *Stream) refuseFrame(err *h3frame.Error) { m.Refuse(err) }

// Reset ends both halves with a code.
func (m *Stream) Reset(code h3frame.Code) {
	m.str.Reset(code) // ends a write that waits and holds the lock
	m.str.Stop(code)
	m.writer.cut()
}
