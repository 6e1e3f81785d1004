package websocket

import (
	"io"
	"math"
	"net"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/defaults"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// FrameReader reads the frames of one direction one by one, from wherever their bytes come: for proxies, for tools, and
// for programs that want frames where a Conn gives messages. It checks every header, and the order of the frames
// (RFC 6455 §5); that text is UTF-8, and what a close frame says, it does not look at. It answers nothing.
//
// The memory that it takes follows the bytes that have come, never a length that a header claims. A FrameReader is for
// one goroutine at a time.
type FrameReader struct {
	src   io.Reader
	later error // what src said together with its last bytes
	limit int64
	role  Role
	seq   wsframe.Sequence

	buf      []byte // leased: buf[from:to] has been read and not taken
	from, to int

	head   wsframe.Header // of the frame in hand; its key is that of the next byte
	framed bool           // head has been read, and not all of its payload been handed out
	held   []byte         // leased: payload of the frame in hand that had no buffer to go to

	frame Frame // what ReadFrameInto returns
	err   error // what every read fails with from now on
}

// frameRead is how many bytes a FrameReader asks for at once.
const frameRead = 4 << 10

// emptyReads is how often in a row a source may return nothing and no error.
const emptyReads = 100

// NewFrameReader returns a FrameReader for what role reads: ServerRole's frames must be masked, ClientRole's must not
// be (RFC 6455 §5.1). limit is the most bytes of payload that a frame may have; 0 is 1 MiB, a negative limit none but
// what a slice can hold. src is read ahead of the frames. The FrameReader has a buffer from a pool until Close.
func NewFrameReader(src io.Reader, role Role, limit int64) *FrameReader {
	defaults.SetLimit(&limit, 1<<20)
	if limit == 0 || limit > math.MaxInt {
		limit = math.MaxInt // no slice holds more, where an int has 32 bits
	}
	return &FrameReader{src: src, limit: limit, role: role, seq: wsframe.Incoming(role, 0), buf: bufpool.Get(frameRead)}
}

// AllowRSV says which of the reserved bits the negotiated extensions use: RSV1 with permessage-deflate. It is called
// before the first read. Frames with others are refused (RFC 6455 §5.2).
func (f *FrameReader) AllowRSV(bits RSV) { f.seq = wsframe.Incoming(f.role, bits) }

// Close gives the buffer back. Reads fail with net.ErrClosed from now on; the source stays as it is. It returns nil.
func (f *FrameReader) Close() error {
	bufpool.Put(f.buf)
	bufpool.Put(f.held)
	f.buf, f.held, f.from, f.to = nil, nil, 0, 0
	f.err = net.ErrClosed
	return nil
}

// ReadFrameInto reads the next frame and its payload, unmasked, into buf; n is how long that is. The Frame and its
// Payload, which is buf[:n], are valid until the next call. It allocates nothing.
//
// If the payload does not fit, the error is io.ErrShortBuffer and the Frame has no Payload: the next call, with a larger
// buf perhaps, returns the same frame. The error is a *ProtocolError when the peer has broken a rule and ErrTooBig for a
// frame beyond the limit; both are final. It is io.EOF when the source ends between frames, io.ErrUnexpectedEOF when it
// ends within one, and else what the source said: if that was a deadline, the next call goes on where this one stopped.
func (f *FrameReader) ReadFrameInto(buf []byte) (frame *Frame, n int, err error) {
	if err := f.header(); err != nil {
		return nil, 0, err
	}
	n = int(f.head.Length)
	if n > len(buf) {
		if err := f.hold(n); err != nil {
			return nil, 0, err
		}
		f.describe(nil)
		return &f.frame, n, io.ErrShortBuffer
	}
	if err := f.deliver(buf[:n]); err != nil {
		return nil, 0, err
	}
	f.describe(buf[:n:n])
	return &f.frame, n, nil
}

func (f *FrameReader) describe(payload []byte) {
	f.frame = Frame{FIN: f.head.Fin, Opcode: f.head.Opcode, RSV: f.head.RSV, Payload: payload, Length: f.head.Length}
}

// header sees to it that a header has been read.
func (f *FrameReader) header() error {
	if f.err != nil || f.framed {
		return f.err
	}
	for {
		h, n, err := wsframe.Parse(f.buf[f.from:f.to])
		if err == nil && n > 0 {
			err = f.seq.Next(h)
		}
		if err == nil && h.Length > f.limit {
			err = ErrTooBig
		}
		if err != nil {
			f.err = err
			return err
		}
		if n > 0 {
			f.from += n
			f.head, f.framed = h, true
			return nil
		}
		if err := f.fill(); err != nil {
			return err
		}
	}
}

// fill reads more of a header, of which buf holds the first bytes.
func (f *FrameReader) fill() error {
	f.to = copy(f.buf, f.buf[f.from:f.to])
	f.from = 0
	n, err := f.read(f.buf[f.to:])
	f.to += n
	if err == io.EOF && f.to > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}
