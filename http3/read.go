package http3

import "github.com/shockwave-go/shockwave"

import (
	"io"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// receive reads from the stream of QUIC into p.
func (m *stream) receive(p []byte) (n int, err error) {
	r, set := &m.reader, m.s.settings
	if r.err != nil {
		return 0, r.err
	}
	rate := set.MinReadRate
	if r.pauses || r.wait.until != 0 {
		rate = 0
	}
	for {
		began, err := m.beginWait(&r.wait, r.pace.left(rate, set.RateGrace))
		if err != nil {
			return 0, err
		}
		n, err = m.str.read(p)
		waited, why := m.endWait(&r.wait, began)
		r.pace.waited += waited
		r.pace.bytes += int64(n)
		if err != nil && wasInterrupted(err) {
			m.str.readAgain()
			if why == nil && n == 0 {
				continue // a deadline was set anew
			}
			m.noteSlow(why)
			return n, why
		}
		switch {
		case err == io.EOF:
			r.eof = true
			if n > 0 {
				err = nil
			}
		case err != nil:
			err = translate(err)
			r.err, r.eof = err, true
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// noteSlow counts a client that was too slow.
func (m *stream) noteSlow(why error) {
	if why == netconn.ErrSlow {
		m.s.slow.Add(1)
	}
}

// more receives bytes behind those in r.in, until there are need, or at least one. At the end of the stream it returns io.EOF.
func (m *stream) more(need int) error {
	r := &m.reader
	if r.eof {
		return io.EOF
	}
	m.makeRoom(need)
	for have := len(r.in); len(r.in) < need || len(r.in) == have; {
		n, err := m.receive(r.in[len(r.in):cap(r.in)])
		r.in = r.in[:len(r.in)+n]
		if err != nil {
			return err
		}
		if r.eof && len(r.in) < need {
			return io.EOF
		}
		if len(r.in) == cap(r.in) && len(r.in) < need {
			m.makeRoom(need)
		}
	}
	return nil
}

// makeRoom makes room behind r.in. Memory follows what has arrived: it doubles until need bytes fit.
func (m *stream) makeRoom(need int) {
	r := &m.reader
	if len(r.in) == 0 {
		r.in = r.mem[:0]
	}
	if cap(r.in) >= need && cap(r.in)-len(r.in) >= leastRoom {
		return
	}
	if len(r.in)+leastRoom > len(r.mem) || need > len(r.mem) && len(r.in) >= len(r.mem)/2 {
		mem := make([]byte, 2*len(r.mem))
		copy(mem, r.in)
		r.mem = mem
	} else {
		copy(r.mem, r.in)
	}
	r.in = r.mem[:len(r.in)]
}

// leastRoom is how much room there is at least for what is received.
const leastRoom = 512

// content makes sure that content is at the front of r.in, or that the current DATA frame has some that has not been received. At the
// end of the request it returns io.EOF.
func (m *stream) content() error {
	if r := &m.reader; r.left > 0 || r.msg.Left() > 0 {
		return nil
	}
	return m.next()
}

// next reads the next bytes of content behind those at the front of r.in, at least one. At the end of the request it returns io.EOF.
func (m *stream) next() error {
	r := &m.reader
	if r.err != nil {
		return r.err
	}
	for have := r.left; r.left == have; {
		if r.msg.Left() > 0 && len(r.in) == r.left {
			if err := m.moreContent(len(r.in) + 1); err != nil {
				return err
			}
		}
		p, n, err := r.msg.Next(r.in[r.left:])
		if err != nil {
			return m.failRead(err)
		}
		switch p.Kind {
		case h3frame.Content:
			r.cut(n - len(p.Bytes))
			r.left += len(p.Bytes)
		case h3frame.Section:
			if err := m.trailer(p.Bytes); err != nil {
				return m.failRead(err)
			}
			r.cut(n)
		case h3frame.TooLarge:
			return m.failRead(errTrailer)
		case h3frame.Skipped:
			r.cut(n)
			m.chargeIdle()
		default:
			if err := m.moreContent(r.left + p.Need); err != nil {
				return err
			}
		}
	}
	return nil
}

// cut takes n bytes behind the content out of r.in.
func (r *reader) cut(n int) {
	if r.left == 0 {
		r.in = r.in[n:]
	} else if n > 0 {
		r.in = r.in[:r.left+copy(r.in[r.left:], r.in[r.left+n:])]
	}
}

// moreContent is more for a request whose handler reads.
func (m *stream) moreContent(need int) error {
	r := &m.reader
	err := m.more(need)
	if err != io.EOF {
		if err != nil && err != netconn.ErrSlow && r.wait.interrupted == nil {
			r.err = err
		}
		return err
	}
	if len(r.in) > r.left {
		return m.failRead(r.msg.Cut())
	}
	if e := r.msg.End(); e != nil {
		return m.failRead(e)
	}
	r.err = io.EOF
	return io.EOF
}

var errTrailer = &h3frame.Error{Code: h3frame.ExcessiveLoad, Scope: h3frame.Stream, Violation: shockwave.Violation{Rule: "RFC 9114 §4.2.2", Msg: "trailer section that is too large"}}

// failRead ends the stream, or the connection, for err, and returns what the reader gets: the request is not complete.
func (m *stream) failRead(err *h3frame.Error) error {
	m.reader.err = io.ErrUnexpectedEOF
	m.refuse(err)
	return m.reader.err
}

// trailer reads the trailer section of the request.
func (m *stream) trailer(section []byte) *h3frame.Error {
	fields, err := m.decoder.Decode(section, nil)
	if err != nil {
		e, _ := asFrameError(err).(*h3frame.Error)
		if e.Code == 0 {
			return errTrailer
		}
		return e
	}
	if bad := m.head.ReadTrailers(fields); bad != nil {
		return malformed(bad)
	}
	m.x.Trailer(m.head.Fields)
	return nil
}

// Unread implements carrier.Reader.
func (m *stream) Unread() []byte { return m.reader.in[:m.reader.left:m.reader.left] }

// Take implements carrier.Reader.
func (m *stream) Take(n int) {
	r := &m.reader
	r.in, r.left = r.in[n:], r.left-n
	m.delivered(n)
}

// delivered notes that n bytes of content were read: that is progress.
func (m *stream) delivered(n int) {
	if n > 0 {
		m.k.mu.Lock()
		m.k.budget.Deliver(n)
		m.k.mu.Unlock()
	}
}

// Fill implements carrier.Reader.
func (m *stream) Fill() ([]byte, error) {
	if err := m.next(); err != nil {
		return nil, err
	}
	return m.Unread(), nil
}

// Read implements carrier.Reader.
func (m *stream) Read(p []byte) (int, error) {
	r := &m.reader
	if err := m.content(); err != nil {
		return 0, err
	}
	if r.left > 0 {
		n := copy(p, m.Unread())
		m.Take(n)
		return n, nil
	}
	n, err := m.receive(p[:min(uint64(len(p)), r.msg.Left())])
	if e := r.msg.Took(n); e != nil {
		return n, m.failRead(e)
	}
	m.delivered(n)
	if err == io.EOF {
		err = m.failRead(r.msg.Cut())
	}
	return n, err
}

// AllowPauses implements carrier.Link.
func (m *stream) AllowPauses() { m.reader.pauses = true }
