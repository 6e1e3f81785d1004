package server

import (
	"cmp"
	"errors"
	"strconv"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/http2"
)

// errHandlerFailed means that a handler panicked or called runtime.Goexit.
var errHandlerFailed = errors.New("server: the handler did not return")

// begin implements sink. The head is encoded later, together with what follows it, because header sections must be sent
// in the order in which they are encoded.
func (m *h2Stream) begin(_ *ResponseWriter, contentType string, _ bool) {
	m.contentType, m.headPending = contentType, true
}

// send implements sink.
func (m *h2Stream) send(w *ResponseWriter, p []byte) error {
	// If all of the body is known to be here, END_STREAM goes with its last byte, unless trailers are announced.
	all := w.plan.body == ofLength && w.written == w.plan.length && !w.asks(wantsChunks) ||
		w.plan.body == noBody
	m.conn.Lock()
	defer m.conn.Unlock()
	if err := m.sendHead(w, all && len(w.buf)+len(p) == 0); err != nil {
		return err
	}
	return m.sendBody(w.buf, p, all)
}

// end implements sink.
func (m *h2Stream) end(w *ResponseWriter, broken bool) error {
	m.conn.Lock()
	defer m.conn.Unlock()
	trailers := w.trailer.Len() > 0 && w.plan.body != noBody
	err := m.sendHead(w, len(w.buf) == 0 && !trailers && !broken)
	if err == nil {
		err = m.sendBody(w.buf, nil, !trailers && !broken)
	}
	switch {
	case err != nil:
		return err
	case broken:
		// RFC 9113 §8.1.1: the reset tells the client that the message is incomplete.
		m.Reset(http2.InternalError)
	case trailers && !m.finished:
		err = m.sendTrailers(&w.trailer)
	}
	if m.conn.isLast(w) { // after the response, because some clients read nothing after the GOAWAY
		m.conn.Wire().Shutdown(m.conn.Now())
	}
	return err
}

// sendHead sends the head of the response, if it has not been sent. end reports that no body follows. The caller must
// hold the connection's lock, which is released while sendHead waits for room.
func (m *h2Stream) sendHead(w *ResponseWriter, end bool) error {
	if !m.headPending {
		return nil
	}
	m.AwaitRoom()
	wire, out, err := m.Out()
	if err != nil {
		return err
	}
	m.headPending, m.headSent = false, true
	out = wire.BeginHeaders(out, m.Wire())
	out = wire.AppendStatus(out, m.status(w))
	pre := m.srv.preambles.at(m.Wall())
	if !w.asks(hasDate) {
		out = wire.AppendField(out, "date", pre.dateValue)
	}
	if !w.asks(hasServer) && pre.serverValue != "" {
		out = wire.AppendField(out, "server", pre.serverValue)
	}
	if w.plan.length >= 0 {
		var scratch [20]byte
		out = wire.AppendFieldBytes(out, nameContentLength, strconv.AppendInt(scratch[:0], w.plan.length, 10))
	}
	if kind := cmp.Or(m.contentType, w.sniffed); kind != "" {
		out = wire.AppendField(out, "content-type", kind)
	}
	out = m.appendFields(wire, out, w)
	m.finished = end
	m.SetOut(wire.EndHeaders(out, end), end)
	return nil
}

var nameContentLength = []byte("content-length")

// status returns the status to send for w's. Outside of a WebSocket's upgrade that is 500 for 101: HTTP/2 connections do not
// change their protocol (RFC 9113 §8.6).
func (m *h2Stream) status(w *ResponseWriter) int {
	if m.answersUpgrade() {
		return upgradeStatus(w.status)
	}
	if w.status == 101 {
		m.srv.log.Error("server: 101 was answered on HTTP/2, which does not know it", "remote", m.RemoteAddr())
		return 500
	}
	return w.status
}

// sendBody sends two pieces of the body, a and b, and ends the message after them if end is true. The caller must hold
// the connection's lock, which is released while sendBody waits.
func (m *h2Stream) sendBody(a, b []byte, end bool) error {
	if m.finished {
		return nil
	}
	if len(a) > 0 && len(b) > 0 {
		if err := m.Send(a, false); err != nil {
			return err
		}
		a = nil
	}
	if len(a) == 0 {
		a = b
	}
	if len(a) == 0 && !end {
		return nil
	}
	m.finished = end
	return m.Send(a, end)
}

// appendFields appends w's lines.
func (m *h2Stream) appendFields(wire *http2.Conn, out []byte, w *ResponseWriter) []byte {
	h := &w.header
	for i := range h.Len() {
		name, value := h.At(i)
		kind := kindOf(name)
		if kind == connectionField || !w.sends(kind, value, m.contentType != "") || connectionSpecific(name) {
			continue
		}
		if m.answersUpgrade() && belongsToUpgrade(w, name) {
			continue
		}
		out = m.appendField(wire, out, name, value)
	}
	return out
}

// appendField appends a line with its name in lower case (RFC 9113 §8.2). An invalid line is left out.
func (m *h2Stream) appendField(wire *http2.Conn, out, name, value []byte) []byte {
	if !http1.ValidToken(name) || !http1.ValidFieldValue(value) {
		m.srv.log.Debug("server: a field of an answer was left out", "name", string(name), "value", string(value))
		return out
	}
	var scratch [64]byte
	return wire.AppendFieldBytes(out, appendLower(scratch[:0], name), value)
}

// appendLower appends name with its ASCII letters in lower case.
func appendLower(dst, name []byte) []byte {
	for _, c := range name {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// connectionSpecific reports whether a field belongs to an HTTP/1 connection and is forbidden in HTTP/2 (RFC 9113
// §8.2.2).
func connectionSpecific(name []byte) bool {
	var scratch [20]byte
	switch len(name) {
	case len("upgrade"), len("keep-alive"), len("proxy-connection"):
	default:
		return false
	}
	switch string(appendLower(scratch[:0], name)) {
	case "upgrade", "keep-alive", "proxy-connection":
		return true
	}
	return false
}

// sendTrailers sends the trailer section, which ends the message. The caller must hold the connection's lock, which is
// released while sendTrailers waits for room.
func (m *h2Stream) sendTrailers(h *shockwave.Header) error {
	m.AwaitRoom()
	wire, out, err := m.Out()
	if err != nil {
		return err
	}
	out = wire.BeginHeaders(out, m.Wire())
	for i := range h.Len() {
		if name, value := h.At(i); !http1.ForbiddenTrailer(name) {
			out = m.appendField(wire, out, name, value)
		}
	}
	m.finished = true
	m.SetOut(wire.EndHeaders(out, true), true)
	return nil
}

// inform implements sink.
func (m *h2Stream) inform(code int, h *shockwave.Header) error {
	m.conn.Lock()
	defer m.conn.Unlock()
	if m.headSent {
		return nil // in full duplex the response may have begun: this section would be its trailers
	}
	if code != 100 { // 100 comes once, and from the reader, which must not wait while the writer waits for room
		m.AwaitRoom()
	}
	wire, out, err := m.Out()
	if err != nil {
		return err
	}
	out = wire.BeginHeaders(out, m.Wire())
	out = wire.AppendStatus(out, code)
	if h != nil {
		for i := range h.Len() {
			if name, value := h.At(i); allowedInInformational(name) && kindOf(name) != connectionField && !connectionSpecific(name) {
				out = m.appendField(wire, out, name, value)
			}
		}
	}
	m.SetOut(wire.EndHeaders(out, false), false)
	return nil
}

// flush implements sink.
func (m *h2Stream) flush() error { return m.Flush() }
