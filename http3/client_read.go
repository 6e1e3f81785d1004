package http3

import "github.com/shockwave-go/shockwave"

import (
	"io"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// responseReader holds what of a response's stream was received and not read.
type responseReader struct {
	msg     h3frame.Message
	mem     []byte
	in      []byte // received and not looked at: a part of mem
	content []byte // content that was not read: in front of in
	skipped int    // bytes that mean nothing, since the server has paid for them
	eof     bool   // the stream's end was received
	err     error  // with which reading has come to its end
}

// next returns the next section or piece of content. At the end of the response it returns io.EOF.
func (x *clientExchange) next() (h3frame.Part, error) {
	r := &x.in
	for {
		p, n, err := r.msg.Next(r.in)
		if err != nil && err.Rule == errPushPromise.Rule {
			err = errPushPromise
		}
		if err != nil {
			return p, x.refuse(err)
		}
		switch p.Kind {
		case h3frame.Section, h3frame.Content:
			r.in = r.in[n:]
			return p, nil
		case h3frame.TooLarge:
			return p, x.refuse(errHeadTooLarge)
		case h3frame.Session:
			return p, x.refuse(errSession)
		case h3frame.Skipped:
			r.in = r.in[n:]
			x.chargeSkipped(n)
		default:
			if err := x.more(p.Need); err != nil {
				return p, err
			}
		}
	}
}

// errPushPromise is what a client says to PUSH_PROMISE that has never sent MAX_PUSH_ID.
var errPushPromise = &h3frame.Error{Code: h3frame.IDError, Violation: shockwave.Violation{Rule: "RFC 9114 §7.2.5", Msg: "PUSH_PROMISE, which was not allowed"}}

var errHeadTooLarge = &h3frame.Error{Code: h3frame.ExcessiveLoad, Scope: h3frame.Stream, Violation: shockwave.Violation{Rule: "RFC 9114 §4.2.2", Msg: "response fields that are too many or too long"}}

// chargeSkipped makes the server pay for frames that have brought nothing, and for the n bytes of one.
func (x *clientExchange) chargeSkipped(n int) {
	r := &x.in
	cost := min(r.msg.Idle(), 1000) * costIdle
	r.skipped += n
	cost += r.skipped / skippedUnit
	r.skipped %= skippedUnit
	if cost > 0 {
		x.k.charge(int32(cost))
	}
}

// skippedUnit is how many bytes that mean nothing cost one unit.
const skippedUnit = 4 << 10

// more receives bytes behind those in r.in. At the end of a response that is complete it returns io.EOF.
func (x *clientExchange) more(need int) error {
	r := &x.in
	if r.eof {
		return x.endOf()
	}
	r.makeRoom(need)
	n, err := x.str.read(r.in[len(r.in):cap(r.in)])
	r.in = r.in[:len(r.in)+n]
	if err == io.EOF {
		r.eof = true
		return nil
	}
	if err != nil {
		return x.failed(err)
	}
	return nil
}

// makeRoom makes room behind r.in. Memory follows what has arrived: it doubles until need bytes fit.
func (r *responseReader) makeRoom(need int) {
	if r.mem == nil {
		r.mem = make([]byte, firstBuffer)
	}
	if len(r.in) == 0 {
		r.in = r.mem[:0]
	}
	if cap(r.in) >= need && cap(r.in)-len(r.in) >= leastRoom {
		return
	}
	if need > len(r.mem) || len(r.in)+leastRoom > len(r.mem) {
		if len(r.in) >= len(r.mem)/2 {
			mem := make([]byte, 2*len(r.mem))
			copy(mem, r.in)
			r.mem = mem
		}
	}
	if len(r.in) > 0 && &r.mem[0] != &r.in[0] {
		copy(r.mem, r.in)
	}
	r.in = r.mem[:len(r.in)]
}

// endOf returns io.EOF if the response may end here (RFC 9114 §4.1).
func (x *clientExchange) endOf() error {
	r := &x.in
	e := r.msg.End()
	if len(r.in) > 0 {
		e = r.msg.Cut()
	}
	if e == nil {
		return io.EOF
	}
	if e.Code == h3frame.RequestIncomplete { // that is a server's code
		e = errNoResponse
	}
	x.refuse(e)
	return &earlyEnd{e}
}

var errNoResponse = &h3frame.Error{Code: h3frame.MessageError, Scope: h3frame.Stream, Violation: shockwave.Violation{Rule: "RFC 9114 §4.1", Msg: "stream ends before the head of its response"}}

// decode returns the fields of a section.
func (x *clientExchange) decode(section []byte) ([]http2.Field, error) {
	fields, err := x.decoder.Decode(section, nil)
	if err == nil {
		return fields, nil
	}
	if e, ok := err.(*qpack.Error); ok && e.Code == qpack.TooLarge {
		return nil, x.refuse(errHeadTooLarge)
	}
	e, _ := asFrameError(err).(*h3frame.Error)
	return nil, x.refuse(e)
}

// Bare implements carrier.ClientStream.
func (x *clientExchange) Bare() bool { return x.bare }

// Trailer implements carrier.ClientStream.
func (x *clientExchange) Trailer() []http2.Field {
	if x.endAwaited {
		return nil
	}
	return x.trailer
}

// Whole implements carrier.ClientStream.
func (x *clientExchange) Whole() (p []byte, ok bool) {
	if x.endAwaited {
		return nil, true
	}
	r := &x.in
	if !r.eof {
		return nil, false
	}
	p = bufpool.Get(len(r.in))[:0]
	for {
		n, err := x.Read(p[len(p):cap(p)])
		p = p[:len(p)+n]
		if err == io.EOF {
			return p, true
		}
		if err != nil { // the next Read fails in the same way
			r.content, r.err = append([]byte(nil), p...), err
			bufpool.Put(p)
			return nil, false
		}
	}
}

// Read implements carrier.ClientStream. At the end of the response it returns io.EOF.
func (x *clientExchange) Read(p []byte) (int, error) {
	r := &x.in
	bounded := x.idle > 0 && len(r.content) == 0
	if bounded {
		x.idleTimer.begin(x)
	}
	n, err := x.read(p)
	if bounded {
		x.idleTimer.end()
	}
	if err != nil && r.err == nil {
		r.err = err
		x.ended(err)
	}
	return n, err
}

// read is Read without a bound.
func (x *clientExchange) read(p []byte) (int, error) {
	r := &x.in
	if len(r.content) == 0 && r.err != nil {
		return 0, r.err
	}
	for len(r.content) == 0 {
		if len(r.in) == 0 && r.msg.Left() > 0 && !r.eof {
			return x.readDirectly(p)
		}
		part, err := x.next()
		if err != nil {
			return 0, err
		}
		if part.Kind == h3frame.Content {
			r.content = part.Bytes
		} else if err := x.readTrailer(part.Bytes); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.content)
	r.content = r.content[n:]
	x.k.earn(0, n)
	return n, nil
}

// readDirectly receives content of the current frame into p.
func (x *clientExchange) readDirectly(p []byte) (int, error) {
	r := &x.in
	n, err := x.str.read(p[:min(uint64(len(p)), r.msg.Left())])
	if e := r.msg.Took(n); e != nil {
		return n, x.refuse(e)
	}
	x.k.earn(0, n)
	if err == io.EOF {
		r.eof = true
		return n, nil
	}
	if err != nil {
		return n, x.failed(err)
	}
	return n, nil
}

// readTrailer reads the trailer section.
func (x *clientExchange) readTrailer(section []byte) error {
	fields, err := x.decode(section)
	if err != nil {
		return err
	}
	var head http2.Head
	if bad := head.ReadTrailers(fields); bad != nil {
		return x.refuse(malformed(bad))
	}
	x.trailer = append(x.trailer, head.Fields...)
	return nil
}
