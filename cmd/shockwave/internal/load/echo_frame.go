package load

import (
	"errors"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// errUnasked is the error for a message when no echo is expected.
var errUnasked = errors.New("load: a message that nobody asked for")

// errTextInStream is the error for a text message where binary messages carry a byte stream.
var errTextInStream = errors.New("load: a text message in a stream of bytes")

// readFrame reads from b the header of a frame, unless it has been read, and as much of the payload as b has.
func (e *echoReader) readFrame(s *slot, b []byte, now int64) (n int, err error) {
	if !e.framed {
		if n, err = e.readHeader(s, b); n == 0 || err != nil {
			return 0, err
		}
	}
	size := int(min(e.left, int64(len(b)-n)))
	piece := b[n : n+size]
	n += size
	e.left -= int64(size)
	switch {
	case e.opcode.IsControl():
		e.control = append(e.control, piece...)
	case e.msg.oneWay:
	case e.stream != nil:
		if _, err := e.stream.take(s, piece, now); err != nil {
			return n, err
		}
	default:
		e.compare(piece)
	}
	if e.left > 0 {
		return n, nil
	}
	e.framed = false
	switch {
	case e.opcode.IsControl():
		return n, e.answerControl(s)
	case e.fin && !e.msg.oneWay && e.stream == nil:
		return n, e.settle(s, now)
	}
	return n, nil
}

func (e *echoReader) readHeader(s *slot, b []byte) (n int, err error) {
	h, n, err := wsframe.Parse(b)
	if n == 0 || err != nil {
		return 0, err
	}
	if err := e.seq.Next(h); err != nil {
		return 0, err
	}
	e.framed, e.opcode, e.fin, e.left = true, h.Opcode(), h.Fin(), h.Length
	if h.Opcode().IsControl() {
		e.control = e.control[:0]
		return n, nil
	}
	switch {
	case e.msg.oneWay:
	case e.stream != nil && e.seq.Opcode() != e.msg.opcode:
		return 0, errTextInStream
	case e.stream != nil:
	case s.flight.total == 0:
		return 0, errUnasked
	default:
		e.differs = e.differs || e.seq.Opcode() != e.msg.opcode
	}
	return n, nil
}

// answerControl answers a control frame (RFC 6455 §5.5). It does not wait for the socket.
func (e *echoReader) answerControl(s *slot) error {
	c := s.conn
	switch e.opcode {
	case wsframe.Ping:
		c.Post(netconn.Part, appendMasked(nil, wsframe.Final(wsframe.Pong), e.control))
	case wsframe.Close:
		if _, _, err := wsframe.ParseClose(e.control); err != nil {
			return err
		}
		s.peerEnded = true
		c.Post(netconn.Final, appendMasked(nil, wsframe.Final(wsframe.Close), e.control[:min(2, len(e.control))]))
		return netconn.ErrDone
	}
	return nil
}
