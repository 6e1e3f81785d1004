package message

import (
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// frames reads the frames of the server on one WebSocket connection.
type frames struct {
	seq     wsframe.Sequence
	open    bool // a frame's header has been read, and its payload is not complete
	opcode  wsframe.Opcode
	fin     bool
	left    int64  // remaining bytes of the frame
	control []byte // payload of a control frame so far
}

func newFrames(deflate bool) frames {
	extensions := wsframe.RSV(0)
	if deflate {
		extensions = wsframe.RSV1
	}
	return frames{
		seq:     wsframe.Incoming(wsframe.Client, extensions),
		control: make([]byte, 0, wsframe.MaxControlPayload),
	}
}

// piece is a part of a frame.
type piece struct {
	payload     []byte
	first, last bool // of its frame
}

// next reads from b the header of a frame, unless it has been read, and as much of the payload as b has. n is 0 if the header
// is incomplete.
func (f *frames) next(b []byte) (p piece, n int, err error) {
	if p.first = !f.open; p.first {
		if n, err = f.header(b); n == 0 || err != nil {
			return p, 0, err
		}
	}
	size := int(min(f.left, int64(len(b)-n)))
	p.payload = b[n : n+size]
	f.left -= int64(size)
	f.open = f.left > 0
	p.last = !f.open
	if f.opcode.IsControl() {
		f.control = append(f.control, p.payload...)
	}
	return p, n + size, nil
}

func (f *frames) header(b []byte) (n int, err error) {
	h, n, err := wsframe.Parse(b)
	if n == 0 || err != nil {
		return 0, err
	}
	if err := f.seq.Next(h); err != nil {
		return 0, err
	}
	f.open, f.opcode, f.fin, f.left = true, h.Opcode(), h.Fin(), h.Length
	if h.Opcode().IsControl() {
		f.control = f.control[:0]
	}
	return n, nil
}

// midMessage reports whether a message has begun and is not complete.
func (f *frames) midMessage() bool { return f.seq.Open() || f.open && !f.opcode.IsControl() }

// respond responds to a complete control frame (RFC 6455 §5.5). It does not wait for the socket. It returns
// netconn.ErrDone after a close frame.
func (f *frames) respond(c *netconn.Conn) error {
	switch f.opcode {
	case wsframe.Ping:
		c.Post(netconn.Part, appendMasked(nil, wsframe.Final(wsframe.Pong), f.control))
	case wsframe.Close:
		if _, _, err := wsframe.ParseClose(f.control); err != nil {
			return err
		}
		c.Post(netconn.Final, appendMasked(nil, wsframe.Final(wsframe.Close), f.control[:min(2, len(f.control))]))
		return netconn.ErrDone
	}
	return nil
}
