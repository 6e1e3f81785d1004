package request

import (
	"bytes"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/http3/internal/section"
	"github.com/shockwave-go/shockwave/http3/internal/session"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// readHead reads the head of the request. If it returns false, the stream or its connection was refused, or the stream is a session's.
func (m *Stream) readHead() (*carrier.Request, bool) {
	r := &m.reader
	if d := m.c.Settings.HeadTimeout; d > 0 {
		r.half.headBy = clock.After(m.c.Clock.Now(), d)
	}
	for {
		p, n, err := r.msg.Next(r.in.Bytes)
		if err != nil {
			m.Refuse(err)
			return nil, false
		}
		if m.kind == late && (p.Kind == h3frame.Section || p.Kind == h3frame.TooLarge) {
			m.Refuse(errLate)
			return nil, false
		}
		switch p.Kind {
		case h3frame.Section:
			r.in.Skip(n)
			r.half.headBy = 0
			return m.request(p.Bytes)
		case h3frame.TooLarge:
			r.in.Skip(n)
			m.findMethod()
			r.half.headBy = 0
			return &carrier.Request{Head: &m.head, TooLarge: true, End: true, ConnValue: m.c.Value}, true
		case h3frame.Session:
			if m.c.Sessions == nil {
				m.Refuse(section.ErrSession)
			} else {
				r.in.Skip(n)
				m.readSession()
			}
			return nil, false
		case h3frame.Skipped:
			r.in.Skip(n)
			m.c.chargeIdle(r.msg.Idle())
		default:
			if err := r.more(p.Need); err != nil {
				m.Refuse(r.cutError(err))
				return nil, false
			}
		}
	}
}

// methodWithin is how many bytes of a section that is too large are searched for the method. Pseudo-fields come first.
const methodWithin = 512

// findMethod finds the method in a section that is too large, because the response to HEAD has no content (RFC 9110 §9.3.2). A method that
// is not found within methodWithin stays unknown.
func (m *Stream) findMethod() {
	for {
		m.fields, _ = m.decoder.Decode(m.reader.in.Bytes, m.fields[:0]) // fails at the end, behind what it has returned
		have := len(m.reader.in.Bytes)
		if m.noteMethod() || have >= methodWithin || m.reader.more(have+1) != nil {
			return
		}
	}
}

// noteMethod records the method among m's fields. It returns false if there is none.
func (m *Stream) noteMethod() bool {
	for _, f := range m.fields {
		if f.Name == ":method" {
			m.head.Method = f.Value
			return true
		}
	}
	return false
}

// errLate refuses a request after our GOAWAY: the client may send it elsewhere (RFC 9114 §4.1.1).
var errLate = &h3frame.Error{Code: h3frame.RequestRejected, Scope: h3frame.Stream, Violation: shockwave.Violation{Rule: "RFC 9114 §5.2", Msg: "request after GOAWAY"}}

// request returns the request with the head that a section encodes.
func (m *Stream) request(encoded []byte) (*carrier.Request, bool) {
	fields, err := m.decoder.Decode(encoded, m.fields)
	m.fields = fields
	r := &carrier.Request{Head: &m.head, ConnValue: m.c.Value}
	if e, ok := err.(*qpack.Error); ok {
		if e.Code != qpack.TooLarge {
			m.c.Break(section.FrameError(e))
			return nil, false
		}
		r.TooLarge, r.End = true, true
		m.noteMethod()
		return r, true
	}
	priority, bad := m.head.ReadRequest(fields, m.c.Settings.ExtendedConnect)
	if bad != nil {
		m.Refuse(section.Malformed(bad))
		return nil, false
	}
	if priority != "" {
		m.owner.Prioritize(m, priority)
	}
	if m.head.Method != "CONNECT" {
		m.reader.msg.Expect(m.head.ContentLength)
	}
	if m.reader.eof {
		if err := m.reader.checkWhole(); err != nil {
			m.Refuse(err)
			return nil, false
		}
		r.End = len(m.reader.in.Bytes) == 0
	}
	if !m.waitHandshake() {
		return nil, false
	}
	if err := m.grantSession(); err != nil {
		m.Refuse(err)
		return nil, false
	}
	return r, true
}

// readTrailer reads the trailer section of the request.
func (m *Stream) readTrailer(encoded []byte) *h3frame.Error {
	fields, err := m.decoder.Decode(encoded, nil)
	if err != nil {
		e, _ := section.FrameError(err).(*h3frame.Error)
		if e.Code == 0 {
			return errTrailer
		}
		return e
	}
	if bad := m.head.ReadTrailers(fields); bad != nil {
		return section.Malformed(bad)
	}
	m.x.Trailer(m.head.Fields)
	return nil
}

// waitHandshake waits for the end of the handshake if the request came before it and might be a harmful replay (RFC 8470
// §3). It reports false if the connection has ended.
func (m *Stream) waitHandshake() bool {
	if m.c.QC.IsHandshaken() || !m.c.QC.Early() { // the client has not sent it before it had our part of the handshake
		return true
	}
	switch m.head.Method {
	case "GET", "HEAD", "OPTIONS":
		m.head.Fields = append(m.head.Fields, http2.Field{Name: "early-data", Value: "1"})
		return true
	}
	select {
	case <-m.c.QC.Handshaken():
		return true
	case <-m.c.QC.Ended():
		return false
	}
}

// grantSession grants the request a session of WebTransport, if it asks for one and the server offers sessions.
func (m *Stream) grantSession() *h3frame.Error {
	if m.c.Sessions == nil || m.head.Protocol == "" {
		return nil
	}
	granted, err := m.c.Sessions.Grant(m.ID(), m.head.Protocol)
	if granted {
		m.kind = sessionRequest
	}
	return err
}

// readSession reads the header of a stream that starts with WebTransport's signal value, and hands the stream over.
func (m *Stream) readSession() {
	r := &m.reader
	id, n := h3frame.Varint(r.in.Bytes)
	for n == 0 {
		if err := r.more(len(r.in.Bytes) + 1); err != nil {
			if r.eof && r.err == nil {
				err = session.ErrCut
			}
			m.Refuse(err)
			return
		}
		id, n = h3frame.Varint(r.in.Bytes)
	}
	r.half.headBy = 0
	str, ahead := m.str, bytes.Clone(r.in.Bytes[n:])
	str.ReadAgain() // a deadline may have come when the header had
	m.kind = sessionStream
	m.c.Sessions.Arrive(id,
		func(to session.Guest) { to.AddStream(str.ForSession(ahead)) },
		func(code h3frame.Code) {
			str.Stop(code)
			str.Reset(code)
		})
}
