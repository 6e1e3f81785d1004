package behaviour

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/quic-go/qpack"
	"github.com/quic-go/quic-go"
	"golang.org/x/net/http2/hpack"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	ourqpack "github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// h3Wire is the wire of a session of HTTP/3. A goroutine reads each response, and one the server's control stream. They end with the
// connection.
type h3Wire struct {
	*session
	qc *quic.Conn
}

// h3Stream is what a request of HTTP/3 has besides.
type h3Stream struct{ *quic.Stream }

// h3Window is how much the client reads of a response that no test reads.
const h3Window = 64 << 10

func newH3Session(s *scene, qc *quic.Conn) *session {
	w := &h3Wire{qc: qc}
	w.session = newSession(s, w)
	return w.session
}

// greet implements wire.
func (h *h3Wire) greet() {
	control, err := h.qc.OpenUniStream()
	if err == nil {
		_, err = control.Write(h3frame.AppendSettings(h3frame.AppendVarint(nil, uint64(h3frame.ControlStream))))
	}
	if err != nil {
		h.err = err
		return
	}
	go h.listen()
	go func() {
		<-h.qc.Context().Done()
		h.note(func() { h.err = context.Cause(h.qc.Context()) })
	}()
}

// note calls f with the lock held.
func (h *h3Wire) note(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
	h.changed.Broadcast()
}

// listen reads the server's unidirectional streams.
func (h *h3Wire) listen() {
	for {
		s, err := h.qc.AcceptUniStream(context.Background())
		if err != nil {
			return
		}
		go func() {
			var control h3frame.Control
			control.Server = true
			b := make([]byte, 4096)
			for first := true; ; first = false {
				n, err := s.Read(b)
				if err != nil || first && n > 0 && b[0] != byte(h3frame.ControlStream) {
					return
				}
				in := b[:n]
				if first {
					in = in[1:]
				}
				bad := control.Read(in, func(ev *h3frame.Event) {
					if ev.Type == h3frame.GoAway {
						h.note(func() { h.bye = true })
					}
				})
				if bad != nil {
					h.note(func() { h.err = bad })
				}
			}
		}()
	}
}

// open implements wire.
func (h *h3Wire) open(s *exchange, fields []hpack.HeaderField, end bool) {
	h.mu.Unlock()
	str, err := h.qc.OpenStreamSync(context.Background())
	h.mu.Lock()
	if err != nil {
		s.lost = true
		h.changed.Broadcast()
		return
	}
	s.h3 = h3Stream{str}
	for i := range fields {
		if fields[i].Name == ":scheme" && fields[i].Value == "http" {
			fields[i].Value = "https"
		}
	}
	go h.read(s)
	h.section(s, fields, end)
}

// section implements wire.
func (h *h3Wire) section(s *exchange, fields []hpack.HeaderField, end bool) {
	section := ourqpack.Encoder{}.AppendPrefix(nil)
	for _, f := range fields {
		section = ourqpack.Encoder{}.AppendField(section, f.Name, f.Value)
	}
	h.write(s, append(h3frame.AppendHeader(nil, h3frame.Headers, uint64(len(section))), section...), end)
}

// data implements wire.
func (h *h3Wire) data(s *exchange, b []byte, end bool) {
	if len(b) > 0 {
		b = append(h3frame.AppendHeader(nil, h3frame.Data, uint64(len(b))), b...)
	}
	h.write(s, b, end)
}

// write sends b. That it fails is seen by who reads.
func (h *h3Wire) write(s *exchange, b []byte, end bool) {
	str := s.h3.Stream
	if str == nil {
		return
	}
	h.mu.Unlock()
	defer h.mu.Lock()
	str.Write(b)
	if end {
		str.Close()
	}
}

// cancel implements wire.
func (h *h3Wire) cancel(s *exchange) {
	if str := s.h3.Stream; str != nil {
		str.CancelWrite(quic.StreamErrorCode(h3frame.RequestCancelled))
		str.CancelRead(quic.StreamErrorCode(h3frame.RequestCancelled))
	}
}

// giveBack implements wire: read looks at hearing.
func (h *h3Wire) giveBack(*exchange) {}

// close implements wire.
func (h *h3Wire) close() { h.qc.CloseWithError(quic.ApplicationErrorCode(h3frame.NoError), "") }

// read reads the response to a request.
func (h *h3Wire) read(s *exchange) {
	var m h3frame.Message
	m.Reset(1 << 20)
	var in []byte
	for b := make([]byte, 32<<10); ; {
		n, err := s.h3.Read(b)
		in = append(in, b[:n]...)
		h.mu.Lock()
		for broken := false; !broken; {
			p, n, bad := m.Next(in)
			if bad != nil || p.Kind == h3frame.Nothing {
				broken = true
				if bad != nil {
					s.reset = "the response is broken: " + bad.Error()
				}
				continue
			}
			in = in[n:]
			h.part(s, &m, p)
		}
		if err != nil {
			s.end(err, m.End())
		}
		h.changed.Broadcast()
		for len(s.body) >= h3Window && !s.hearing && h.err == nil {
			h.changed.Wait()
		}
		over := err != nil || s.reset != ""
		h.mu.Unlock()
		if over {
			return
		}
	}
}

// part records a part of a response. The lock is held.
func (h *h3Wire) part(s *exchange, m *h3frame.Message, p h3frame.Part) {
	switch p.Kind {
	case h3frame.Content:
		s.body = append(s.body, p.Bytes...)
	case h3frame.Section:
		var fields []hpack.HeaderField
		next := qpack.NewDecoder().Decode(p.Bytes)
		for {
			f, err := next()
			if err != nil {
				break
			}
			fields = append(fields, hpack.HeaderField{Name: f.Name, Value: f.Value})
		}
		s.heads = append(s.heads, fields)
		if status, _ := headOf(fields); status/100 == 1 {
			m.Interim()
		}
	}
}

// end records how a response has ended.
func (s *exchange) end(err error, cut *h3frame.Error) {
	switch e, reset := errors.AsType[*quic.StreamError](err); {
	case errors.Is(err, io.EOF) && cut == nil:
		s.ended = true
	case errors.Is(err, io.EOF):
		s.reset = "the response is broken: " + cut.Error()
	case reset && h3frame.Code(e.ErrorCode) == h3frame.RequestRejected:
		s.lost = true
	case reset:
		s.reset = asHTTP2(h3frame.Code(e.ErrorCode))
	default:
		s.lost = true
	}
}

// asHTTP2 is the name of the code of HTTP/2 that means the same (RFC 9114 §A.4).
func asHTTP2(c h3frame.Code) string {
	switch c {
	case h3frame.NoError:
		return "NO_ERROR"
	case h3frame.MessageError:
		return "PROTOCOL_ERROR"
	case h3frame.InternalError:
		return "INTERNAL_ERROR"
	case h3frame.RequestCancelled:
		return "CANCEL"
	case h3frame.ExcessiveLoad:
		return "ENHANCE_YOUR_CALM"
	case h3frame.ConnectError:
		return "CONNECT_ERROR"
	}
	return c.String()
}

// lives implements wire. HTTP/3 has no ping, and what the server says on its control stream may arrive after a response that it sent
// later. So where the row's record over HTTP/2 goes on with an end, the end is waited for.
func (h *h3Wire) lives() bool {
	if strings.HasPrefix(h.s.toCome(), "ended") {
		late := false
		timer := time.AfterFunc(patience, func() { h.note(func() { late = true }) })
		defer timer.Stop()
		for h.err == nil && !h.bye && !late {
			h.changed.Wait()
		}
		return late
	}
	h.mu.Unlock()
	code := h.probe()
	h.mu.Lock()
	return code == h3frame.RequestIncomplete && !h.bye
}

// probe sends a request that is none, and returns the code with which it is refused.
func (h *h3Wire) probe() h3frame.Code {
	str, err := h.qc.OpenStreamSync(context.Background())
	if err != nil {
		return 0
	}
	str.Close()
	str.SetReadDeadline(time.Now().Add(patience))
	_, err = io.ReadAll(str)
	if e, ok := errors.AsType[*quic.StreamError](err); ok {
		return h3frame.Code(e.ErrorCode)
	}
	return 0
}
