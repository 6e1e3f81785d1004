package clientconn

import (
	"io"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/http3/internal/cost"
	"github.com/shockwave-go/shockwave/http3/internal/inbuf"
	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/http3/internal/section"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// response is the receiving half of a stream, as the frames of a response. The goroutine that reads owns it.
type response struct {
	str     quicconn.Stream
	msg     h3frame.Message
	decoder qpack.Decoder
	in      inbuf.Buffer
	content []byte // content that was not read: in front of in
	skipped int    // bytes that mean nothing, since the server has paid for them
	eof     bool   // the stream's end was received
	err     error  // with which reading has come to its end
}

// judge is called when a response breaks a rule, and for what it costs.
type judge interface {
	refuse(e *h3frame.Error) error // returns the error of the request
	failed(err error) error        // likewise, of a stream that has failed with err
	charge(units int32)
}

// begin prepares r for a stream.
func (r *response) begin(str quicconn.Stream, cfg *Config) {
	r.str = str
	r.msg.Reset(cfg.HeadBytes)
	r.decoder.MaxListBytes, r.decoder.MaxFields = cfg.HeadBytes, cfg.HeadFields
}

// isBuffered reports whether received bytes, or the stream's end, were not looked at yet.
func (r *response) isBuffered() bool { return r.eof || len(r.in.Bytes) > 0 }

// next returns the next section or piece of content. At the end of the response it returns io.EOF.
func (r *response) next(j judge) (h3frame.Part, error) {
	for {
		p, n, err := r.msg.Next(r.in.Bytes)
		if err != nil && err.Rule == errPushPromise.Rule {
			err = errPushPromise
		}
		if err != nil {
			return p, j.refuse(err)
		}
		switch p.Kind {
		case h3frame.Section, h3frame.Content:
			r.in.Skip(n)
			return p, nil
		case h3frame.TooLarge:
			return p, j.refuse(errHeadTooLarge)
		case h3frame.Session:
			return p, j.refuse(section.ErrSession)
		case h3frame.Skipped:
			r.in.Skip(n)
			r.chargeSkipped(j, n)
		default:
			if err := r.more(j, p.Need); err != nil {
				return p, err
			}
		}
	}
}

// errPushPromise is the error for PUSH_PROMISE, because this client never sends MAX_PUSH_ID.
var errPushPromise = &h3frame.Error{Code: h3frame.IDError, Violation: shockwave.Violation{Rule: "RFC 9114 §7.2.5", Msg: "PUSH_PROMISE was not allowed"}}

var errHeadTooLarge = &h3frame.Error{Code: h3frame.ExcessiveLoad, Scope: h3frame.Stream, Violation: shockwave.Violation{Rule: "RFC 9114 §4.2.2", Msg: "response fields that are too many or too long"}}

// chargeSkipped charges the server for frames without meaning, and for the n bytes of one.
func (r *response) chargeSkipped(j judge, n int) {
	units := min(r.msg.Idle(), 1000) * cost.Idle
	r.skipped += n
	units += r.skipped / skippedUnit
	r.skipped %= skippedUnit
	if units > 0 {
		j.charge(int32(units))
	}
}

// skippedUnit is how many bytes without meaning cost one unit.
const skippedUnit = 4 << 10

// more receives bytes after those in r.in. At the end of a complete response it returns io.EOF.
func (r *response) more(j judge, need int) error {
	if r.eof {
		return r.endOf(j)
	}
	n, err := r.str.Read(r.in.Room(need))
	r.in.Grow(n)
	if err == io.EOF {
		r.eof = true
		return nil
	}
	if err != nil {
		return j.failed(err)
	}
	return nil
}

// endOf returns io.EOF if the response may end here (RFC 9114 §4.1).
func (r *response) endOf(j judge) error {
	e := r.msg.End()
	if len(r.in.Bytes) > 0 {
		e = r.msg.Cut()
	}
	if e == nil {
		return io.EOF
	}
	if e.Code == h3frame.RequestIncomplete { // that is a server's code
		e = errNoResponse
	}
	j.refuse(e)
	return &earlyEnd{e}
}

var errNoResponse = &h3frame.Error{Code: h3frame.MessageError, Scope: h3frame.Stream, Violation: shockwave.Violation{Rule: "RFC 9114 §4.1", Msg: "stream ends before the head of its response"}}

// decode returns the fields of a section.
func (r *response) decode(j judge, encoded []byte) ([]http2.Field, error) {
	fields, err := r.decoder.Decode(encoded, nil)
	if err == nil {
		return fields, nil
	}
	if e, ok := err.(*qpack.Error); ok && e.Code == qpack.TooLarge {
		return nil, j.refuse(errHeadTooLarge)
	}
	e, _ := section.FrameError(err).(*h3frame.Error)
	return nil, j.refuse(e)
}

// take copies received content to p.
func (r *response) take(p []byte) int {
	n := copy(p, r.content)
	r.content = r.content[n:]
	return n
}

// readDirectly receives content of the current frame into p. ok is false if received content is waiting.
func (r *response) readDirectly(j judge, p []byte) (n int, ok bool, err error) {
	if len(r.in.Bytes) > 0 || r.msg.Left() == 0 || r.eof {
		return 0, false, nil
	}
	n, err = r.str.Read(p[:min(uint64(len(p)), r.msg.Left())])
	if e := r.msg.Took(n); e != nil {
		return n, true, j.refuse(e)
	}
	if err == io.EOF {
		r.eof = true
		return n, true, nil
	}
	if err != nil {
		err = j.failed(err)
	}
	return n, true, err
}
