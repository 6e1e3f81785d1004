package http3

import "github.com/shockwave-go/shockwave"

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/hpack"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// stream is a request stream, and the carrier.Stream of its exchange. One that was answered is used again, with its exchange.
type stream struct {
	s   *Server
	k   *conn
	str quicStream
	x   carrier.Exchange

	prevOpen, nextOpen *stream // guarded by conn.mu
	credit             quicStream
	hasCredit          bool // credit is the stream before, whose credit is given back with this one's answer
	updated            bool // a PRIORITY_UPDATE has come; guarded by conn.mu
	granted            bool // the request may open a session of WebTransport
	late               bool // it has come behind our GOAWAY: it may only be a stream of a session's
	handed             bool // it was one

	reader reader
	writer writer
	gone   goneHook

	decoder qpack.Decoder
	fields  []hpack.Field
	head    http2.Head
}

// reader is the receiving half. The goroutine that reads owns it, but for wait.
type reader struct {
	wait   wait
	msg    h3frame.Message
	mem    []byte
	in     []byte // received and not read: a part of mem
	left   int    // bytes at the front of in that are content
	eof    bool   // the stream's end was received
	err    error  // what every further read returns
	pace   pace
	pauses bool // the client may send at any pace
}

// writer is the sending half. mu guards what follows it.
type writer struct {
	wait     wait
	timed    atomic.Bool // the write deadline was set, and may have passed
	mu       sync.Mutex
	out      []byte
	quick    int // bytes that were given to QUIC without waiting; at least atOnce: no more are
	fields   sectionFields
	headSent bool
	ended    bool // our side has ended, or was reset
	stalls   bool // the client may take nothing for any time
}

// keptBuffer is the largest buffer that a stream keeps when it is used again.
const (
	keptBuffer  = 16 << 10
	firstBuffer = 2 << 10
)

func newStream(s *Server) *stream {
	m := &stream{s: s}
	m.reader.mem = make([]byte, firstBuffer)
	m.decoder.MaxListBytes, m.decoder.MaxFields = s.settings.MaxHeadBytes, s.settings.MaxHeadFields
	if m.decoder.MaxFields > 0 {
		m.decoder.MaxFields += pseudoFields
	}
	m.x = s.carrier.NewExchange(m, 3)
	return m
}

// pseudoFields is how many pseudo-fields a request may have.
const pseudoFields = 5

// begin prepares m for the stream str. The caller must hold the connection's lock.
func (m *stream) begin(k *conn, str quicStream) {
	m.k, m.str = k, str
	most := m.s.settings.MaxHeadBytes
	if most <= 0 {
		most = 1 << 30
	}
	m.reader.msg.Reset(most)
}

// reset prepares m for the pool.
func (m *stream) reset() {
	r, w := &m.reader, &m.writer
	*r = reader{mem: r.mem, wait: wait{}}
	if len(r.mem) > keptBuffer {
		r.mem = make([]byte, firstBuffer)
	}
	out := w.out[:0]
	if cap(out) > keptBuffer {
		out = nil
	}
	w.timed.Store(false)
	w.wait, w.out, w.quick, w.headSent, w.ended, w.stalls = wait{}, out, 0, false, false, false
	clear(m.fields)
	m.fields = m.fields[:0]
	m.head = http2.Head{}
	m.gone.reset()
	m.k, m.str, m.credit, m.hasCredit, m.updated = nil, quicStream{}, quicStream{}, false, false
	m.granted, m.late, m.handed = false, false, false
}

// run answers the request. A worker calls it.
func (m *stream) run() {
	k := m.k
	returned := false
	defer func() {
		if !returned { // runtime.Goexit: this worker ends, another one goes on
			m.over()
			m.s.carrier.Wake(k)
		}
	}()
	outcome := carrier.Answered
	if r, ok := m.readHead(); ok {
		outcome = m.x.Answer(r)
	}
	returned = true
	if m.handed {
		m.k.handedOver(m)
		m.reset()
		m.s.streams.Put(m)
		return
	}
	switch outcome {
	case carrier.TakenOver:
		return // m is the handler's
	case carrier.Failed:
		m.over()
		return
	}
	m.over()
	m.reset()
	m.s.streams.Put(m)
}

// over ends the stream: whatever of the request has not been read is not wanted (RFC 9114 §4.1).
func (m *stream) over() {
	m.gone.remove()
	m.writer.mu.Lock()
	if !m.writer.ended {
		m.writer.ended = true
		m.str.end()
	}
	m.writer.mu.Unlock()
	if !m.reader.eof {
		m.str.stop(h3frame.NoError)
	}
	m.giveCredit()
	m.k.closed(m)
}

// giveCredit gives the credit of the stream before back: with an answer, because a packet of its own would cost as much as one.
func (m *stream) giveCredit() {
	if m.hasCredit {
		m.hasCredit = false
		m.credit.release()
	}
}

// readHead reads the head of the request. If it returns false, the stream or its connection was refused.
func (m *stream) readHead() (*carrier.Request, bool) {
	r := &m.reader
	if d := m.s.settings.HeadTimeout; d > 0 {
		r.wait.until = clock.After(m.s.clock.Now(), d)
	}
	for {
		p, n, err := r.msg.Next(r.in)
		if err != nil {
			m.refuse(err)
			return nil, false
		}
		if m.late && (p.Kind == h3frame.Section || p.Kind == h3frame.TooLarge) {
			m.refuse(errLate)
			return nil, false
		}
		switch p.Kind {
		case h3frame.Section:
			r.in = r.in[n:]
			r.wait.until = 0
			return m.request(p.Bytes)
		case h3frame.TooLarge:
			r.in = r.in[n:]
			m.findMethod()
			r.wait.until = 0
			return &carrier.Request{Head: &m.head, TooLarge: true, End: true, ConnValue: m.k.value}, true
		case h3frame.Session:
			if m.k.sessions == nil {
				m.refuse(errSession)
			} else {
				r.in = r.in[n:]
				m.readSession()
			}
			return nil, false
		case h3frame.Skipped:
			r.in = r.in[n:]
			m.chargeIdle()
		default:
			if err := m.more(p.Need); err != nil {
				m.refuse(m.cutError(err))
				return nil, false
			}
		}
	}
}

// methodWithin is how much of a section that is too large is looked at for its method. Pseudo-fields come first.
const methodWithin = 512

// findMethod finds the method in a section that is too large, because the answer to HEAD has no content (RFC 9110 §9.3.2). A method that
// does not come, or not soon enough, stays unknown.
func (m *stream) findMethod() {
	for {
		m.fields, _ = m.decoder.Decode(m.reader.in, m.fields[:0]) // fails at the end, behind what it has returned
		have := len(m.reader.in)
		if m.noteMethod() || have >= methodWithin || m.more(have+1) != nil {
			return
		}
	}
}

// noteMethod notes the method that is among m's fields. It returns false if there is none.
func (m *stream) noteMethod() bool {
	for _, f := range m.fields {
		if f.Name == ":method" {
			m.head.Method = f.Value
			return true
		}
	}
	return false
}

var errSession = &h3frame.Error{Code: h3frame.FrameUnexpected, Violation: shockwave.Violation{Rule: "RFC 9114 §7.2", Msg: "WebTransport is not offered"}}

// errLate refuses a request behind our GOAWAY: the client may send it elsewhere (RFC 9114 §4.1.1).
var errLate = &h3frame.Error{Code: h3frame.RequestRejected, Scope: h3frame.Stream, Violation: shockwave.Violation{Rule: "RFC 9114 §5.2", Msg: "request behind GOAWAY"}}

// request returns the request with the head that section encodes.
func (m *stream) request(section []byte) (*carrier.Request, bool) {
	fields, err := m.decoder.Decode(section, m.fields)
	m.fields = fields
	r := &carrier.Request{Head: &m.head, ConnValue: m.k.value}
	if e, ok := err.(*qpack.Error); ok {
		if e.Code != qpack.TooLarge {
			m.k.fail(asFrameError(e))
			return nil, false
		}
		r.TooLarge, r.End = true, true
		m.noteMethod()
		return r, true
	}
	priority, bad := m.head.ReadRequest(fields, m.s.settings.ExtendedConnect)
	if bad != nil {
		m.refuse(malformed(bad))
		return nil, false
	}
	if priority != "" {
		m.k.headPriority(m, priority)
	}
	if m.head.Method != "CONNECT" {
		m.reader.msg.Expect(m.head.ContentLength)
	}
	if m.reader.eof {
		if err := m.checkWhole(); err != nil {
			m.refuse(err)
			return nil, false
		}
		r.End = len(m.reader.in) == 0
	}
	if !m.waitHandshake() {
		return nil, false
	}
	if m.k.sessions != nil && m.head.Protocol != "" {
		if err := m.k.sessions.grantTo(m); err != nil {
			m.refuse(err)
			return nil, false
		}
	}
	return r, true
}

// checkWhole checks a request that has arrived whole before its handler is called.
func (m *stream) checkWhole() *h3frame.Error {
	msg, in := m.reader.msg, m.reader.in
	for len(in) > 0 {
		p, n, err := msg.Next(in)
		if err != nil {
			return err
		}
		if p.Kind == h3frame.Nothing {
			return msg.Cut()
		}
		in = in[n:]
	}
	return msg.End()
}

// waitHandshake waits for the end of the handshake if the request came before it and might be a replay that does harm (RFC 8470
// §3). It reports false if the connection has ended.
func (m *stream) waitHandshake() bool {
	select {
	case <-m.k.qc.handshaken():
		return true
	default:
	}
	if !m.k.qc.early() {
		return true // the client has not sent it before it had our part of the handshake
	}
	switch m.head.Method {
	case "GET", "HEAD", "OPTIONS":
		m.head.Fields = append(m.head.Fields, http2.Field{Name: "early-data", Value: "1"})
		return true
	}
	select {
	case <-m.k.qc.handshaken():
		return true
	case <-m.k.qc.ended():
		return false
	}
}

// refuse ends the stream, or the connection if err says so.
func (m *stream) refuse(err error) {
	e, ok := errors.AsType[*h3frame.Error](err)
	switch {
	case ok && e.Scope == h3frame.Connection:
		m.k.fail(err)
		m.abort(e.Code)
	case ok:
		m.s.carrier.Refused()
		m.s.settings.Log.Debug("http3: request refused", "err", err, "remote", m.k.qc.remoteAddr())
		m.abort(e.Code)
	case err == netconn.ErrSlow:
		m.abort(h3frame.RequestIncomplete)
	default: // the client has given it up, or the connection has ended
		m.abort(h3frame.RequestCancelled)
	}
}

// cutError returns the error of a request whose end has come in place of its head, or of the rest of a frame.
func (m *stream) cutError(err error) error {
	if !m.reader.eof {
		return err
	}
	if len(m.reader.in) > 0 {
		return m.reader.msg.Cut()
	}
	if e := m.reader.msg.End(); e != nil {
		return e
	}
	return err
}

// chargeIdle makes the client pay for frames that have brought nothing.
func (m *stream) chargeIdle() {
	if n := m.reader.msg.Idle(); n > 0 {
		m.k.charge(int32(min(n, 1000)) * costIdle)
	}
}

// abort ends both halves with a code.
func (m *stream) abort(code h3frame.Code) {
	m.str.reset(code) // ends a write that waits and holds the lock
	m.str.stop(code)
	m.writer.mu.Lock()
	m.writer.ended = true
	m.writer.mu.Unlock()
}
