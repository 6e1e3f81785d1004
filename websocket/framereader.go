package websocket

import (
	"io"
	"math"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/defaults"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// FrameReader reads single frames of one direction from any source. It is for proxies, tools, and programs that need
// frames where a Conn gives them messages. It checks every header and the order of the frames (RFC 6455 §5). It does not
// check that text is UTF-8 or that a close frame is valid, and it answers nothing.
//
// Its memory grows with the bytes that have arrived, not with the length that a header announces. A FrameReader must not
// be used concurrently.
type FrameReader struct {
	src        io.Reader
	pendingErr error // an error that src returned together with bytes
	limit      int64
	role       Role
	seq        wsframe.Sequence

	buf      []byte // from the pool; buf[from:to] is unread input
	from, to int

	head   wsframe.Header // of the current frame; its key is that of the next byte
	framed bool           // the payload of the current frame has not all been delivered
	held   []byte         // from the pool: payload of the current frame, kept for a later call

	frame Frame // the result of ReadFrameInto
	err   error // sticky: every later read fails with it
}

// frameRead is the size of a read from the source.
const frameRead = 4 << 10

// emptyReads is how many reads in a row may return no bytes and no error.
const emptyReads = 100

// NewFrameReader returns a FrameReader for the frames that role reads: a server reads masked frames, a client unmasked
// ones (RFC 6455 §5.1). limit is the maximum payload of a frame in bytes; 0 means 1 MiB, and a negative limit the
// maximum length of a slice. The FrameReader may read more from src than one frame. It uses a buffer from a pool until
// Close.
func NewFrameReader(src io.Reader, role Role, limit int64) *FrameReader {
	defaults.SetLimit(&limit, 1<<20)
	if limit == 0 || limit > math.MaxInt {
		limit = math.MaxInt // the maximum length of a slice where int has 32 bits
	}
	return &FrameReader{src: src, limit: limit, role: role, seq: wsframe.Incoming(role.frames(), 0), buf: bufpool.Get(frameRead)}
}

// AllowRSV sets which reserved bits the negotiated extensions use: RSV1 for permessage-deflate. Frames with other bits
// are refused (RFC 6455 §5.2). It must be called before the first read.
func (f *FrameReader) AllowRSV(bits RSV) {
	f.seq = wsframe.Incoming(f.role.frames(), wsframe.RSV(bits))
}

// Close releases the buffer. Later reads fail with ErrClosed. It does not close the source, and always returns nil.
func (f *FrameReader) Close() error {
	bufpool.Put(f.buf)
	bufpool.Put(f.held)
	f.buf, f.held, f.from, f.to = nil, nil, 0, 0
	f.err = ErrClosed
	return nil
}

// ReadFrameInto reads the next frame and stores its payload, unmasked, in buf; n is the length of the payload. The Frame
// and its Payload, which is buf[:n], are valid until the next call. It does not allocate.
//
// If the payload does not fit, the error is io.ErrShortBuffer, n is the required length and the Frame has no Payload;
// the next call returns the same frame. The error is a *ProtocolError if the peer has broken a rule, and ErrTooBig for a
// frame beyond the limit; both are final. It is io.EOF if the source ends between frames, and io.ErrUnexpectedEOF if it
// ends inside one. Any other error is that of the source: after an expired deadline the next call continues where this
// one stopped.
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
	f.frame = Frame{FIN: f.head.Fin(), Opcode: Opcode(f.head.Opcode()), RSV: RSV(f.head.RSV()), Payload: payload, Length: f.head.Length}
}

// header reads the next header, unless the payload of the current frame is still to be read.
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
			f.err = frameError(err)
			return f.err
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

// fill reads more bytes into buf, which holds an incomplete header.
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
