package load

import (
	"errors"

	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// errUnasked is what we have against a message that answers none of ours.
var errUnasked = errors.New("load: a message that nobody asked for")

// readFrame reads the header of a frame, or goes on with its payload, as far as b goes.
func (e *echo) readFrame(s *seat, b []byte, now int64) (n int, err error) {
	if !e.framed {
		if n, err = e.readHeader(s, b); n == 0 || err != nil {
			return 0, err
		}
	}
	size := int(min(e.left, int64(len(b)-n)))
	piece := b[n : n+size]
	n += size
	e.left -= int64(size)
	if e.opcode.IsControl() {
		e.control = append(e.control, piece...)
	} else {
		e.compare(piece)
	}
	if e.left > 0 {
		return n, nil
	}
	e.framed = false
	switch {
	case e.opcode.IsControl():
		return n, e.answerControl(s.conn)
	case e.fin:
		return n, e.settle(s, now)
	}
	return n, nil
}

func (e *echo) readHeader(s *seat, b []byte) (n int, err error) {
	h, n, err := wsframe.Parse(b)
	if n == 0 || err != nil {
		return 0, err
	}
	if err := e.seq.Next(h); err != nil {
		return 0, err
	}
	e.framed, e.opcode, e.fin, e.left = true, h.Opcode, h.Fin, h.Length
	if h.Opcode.IsControl() {
		e.control = e.control[:0]
		return n, nil
	}
	if s.flight.total == 0 {
		return 0, errUnasked
	}
	e.other = e.other || e.seq.Opcode() != e.msg.opcode
	return n, nil
}

// answerControl does what a control frame asks for (RFC 6455 §5.5), without waiting for the socket.
func (e *echo) answerControl(c *netconn.Conn) error {
	switch e.opcode {
	case wsframe.Ping:
		c.Post(netconn.Part, appendMasked(nil, wsframe.Kind{Opcode: wsframe.Pong, Fin: true}, e.control))
	case wsframe.Close:
		if _, _, err := wsframe.ParseClose(e.control); err != nil {
			return err
		}
		c.Post(netconn.Final, appendMasked(nil, wsframe.Kind{Opcode: wsframe.Close, Fin: true}, e.control[:min(2, len(e.control))]))
		return netconn.ErrDone
	}
	return nil
}
