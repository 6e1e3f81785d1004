package request

import (
	"io"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http3/internal/inbuf"
	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// reader is the receiving half of a stream. The goroutine that reads owns it. It implements carrier.Reader.
type reader struct {
	c    *Conn
	qs   quicconn.Stream
	half half

	msg    h3frame.Message
	in     inbuf.Buffer
	left   int   // bytes at the front of in that are content
	eof    bool  // the stream's end was received
	err    error // what every further read returns
	pace   pace
	pauses bool // the client may send at any pace

	refuse  func(err *h3frame.Error)                  // ends the stream, or the connection
	trailer func(section []byte) (bad *h3frame.Error) // reads the trailer section
}

// begin prepares r for a stream.
func (r *reader) begin(c *Conn, s quicconn.Stream) {
	r.c, r.qs = c, s
	most := c.Settings.MaxHeadBytes
	if most <= 0 {
		most = 1 << 30
	}
	r.msg.Reset(most)
}

// reset prepares r for begin.
func (r *reader) reset() {
	r.half.reset()
	r.in.Reset()
	r.c, r.qs, r.msg = nil, quicconn.Stream{}, h3frame.Message{}
	r.left, r.eof, r.err, r.pace, r.pauses = 0, false, nil, pace{}, false
}

// receive reads from the stream of QUIC into p.
func (r *reader) receive(p []byte) (n int, err error) {
	if r.err != nil {
		return 0, r.err
	}
	set, c := r.c.Settings, r.c.Clock
	rate := set.MinReadRate
	if r.pauses || r.half.headBy != 0 {
		rate = 0
	}
	for {
		began, err := r.half.begin(c, r.c.Holder, r.pace.left(rate, set.RateGrace))
		if err != nil {
			return 0, err
		}
		n, err = r.qs.Read(p)
		waited, why := r.half.end(c, began)
		r.pace.waited += waited
		r.pace.bytes += int64(n)
		if err != nil && quicconn.WasInterrupted(err) {
			r.qs.ReadAgain()
			if why == nil && n == 0 {
				continue // a deadline was set anew
			}
			r.c.noteSlow(why)
			return n, why
		}
		switch {
		case err == io.EOF:
			r.eof = true
			if n > 0 {
				err = nil
			}
		case err != nil:
			err = r.c.translate(err)
			r.err, r.eof = err, true
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// more receives bytes after those in r.in, until there are need bytes, or at least one. At the end of the stream it returns io.EOF.
func (r *reader) more(need int) error {
	if r.eof {
		return io.EOF
	}
	for have := len(r.in.Bytes); len(r.in.Bytes) < need || len(r.in.Bytes) == have; {
		n, err := r.receive(r.in.Room(need))
		r.in.Grow(n)
		if err != nil {
			return err
		}
		if r.eof && len(r.in.Bytes) < need {
			return io.EOF
		}
	}
	return nil
}

// cutError returns the error of a request that ends before its head, or inside a frame. Other errors are returned unchanged.
func (r *reader) cutError(err error) error {
	if !r.eof {
		return err
	}
	if e := r.badEnd(len(r.in.Bytes)); e != nil {
		return e
	}
	return err
}

// badEnd returns the error of a request that ends here, with rest bytes of an incomplete frame, or nil if it may end.
func (r *reader) badEnd(rest int) *h3frame.Error {
	if rest > 0 {
		return r.msg.Cut()
	}
	return r.msg.End()
}

// checkWhole checks a request that has arrived completely before its handler is called.
func (r *reader) checkWhole() *h3frame.Error {
	msg, in := r.msg, r.in.Bytes
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

// next reads the next bytes of content after those at the front of r.in, at least one. At the end of the request it returns io.EOF.
func (r *reader) next() error {
	if r.err != nil {
		return r.err
	}
	for have := r.left; r.left == have; {
		if r.msg.Left() > 0 && len(r.in.Bytes) == r.left {
			if err := r.moreContent(len(r.in.Bytes) + 1); err != nil {
				return err
			}
		}
		p, n, err := r.msg.Next(r.in.Bytes[r.left:])
		if err != nil {
			return r.fail(err)
		}
		switch p.Kind {
		case h3frame.Content:
			r.in.Cut(r.left, n-len(p.Bytes))
			r.left += len(p.Bytes)
		case h3frame.Section:
			if err := r.trailer(p.Bytes); err != nil {
				return r.fail(err)
			}
			r.in.Cut(r.left, n)
		case h3frame.TooLarge:
			return r.fail(errTrailer)
		case h3frame.Skipped:
			r.in.Cut(r.left, n)
			r.c.chargeIdle(r.msg.Idle())
		default:
			if err := r.moreContent(r.left + p.Need); err != nil {
				return err
			}
		}
	}
	return nil
}

// moreContent is more for a request whose handler reads.
func (r *reader) moreContent(need int) error {
	err := r.more(need)
	if err != io.EOF {
		if err != nil && err != netconn.ErrSlow && !r.half.isInterrupted() {
			r.err = err
		}
		return err
	}
	if e := r.badEnd(len(r.in.Bytes) - r.left); e != nil {
		return r.fail(e)
	}
	r.err = io.EOF
	return io.EOF
}

var errTrailer = &h3frame.Error{Code: h3frame.ExcessiveLoad, Scope: h3frame.Stream, Violation: shockwave.Violation{Rule: "RFC 9114 §4.2.2", Msg: "trailer section that is too large"}}

// fail ends the stream, or the connection, because of err, and returns the reader's error: the request is incomplete.
func (r *reader) fail(err *h3frame.Error) error {
	r.err = io.ErrUnexpectedEOF
	r.refuse(err)
	return r.err
}

// Unread implements carrier.Reader.
func (r *reader) Unread() []byte { return r.in.Bytes[:r.left:r.left] }

// Take implements carrier.Reader.
func (r *reader) Take(n int) {
	r.in.Skip(n)
	r.left -= n
	r.c.Budget.Deliver(n)
}

// Fill implements carrier.Reader.
func (r *reader) Fill() ([]byte, error) {
	if err := r.next(); err != nil {
		return nil, err
	}
	return r.Unread(), nil
}

// Read implements carrier.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if r.left == 0 && r.msg.Left() == 0 {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	if r.left > 0 {
		n := copy(p, r.Unread())
		r.Take(n)
		return n, nil
	}
	n, err := r.receive(p[:min(uint64(len(p)), r.msg.Left())])
	if e := r.msg.Took(n); e != nil {
		return n, r.fail(e)
	}
	r.c.Budget.Deliver(n)
	if err == io.EOF {
		err = r.fail(r.msg.Cut())
	}
	return n, err
}

// AllowPauses implements carrier.Link.
func (r *reader) AllowPauses() { r.pauses = true }
