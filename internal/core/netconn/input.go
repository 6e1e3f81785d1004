package netconn

import "github.com/shockwave-go/shockwave/internal/core/bufpool"

// input is the input that has arrived and has not been taken: buf[r:w]. The reader owns it.
type input struct {
	buf  []byte          // from the pool, while there is input
	r, w int             // indexes into buf
	held *bufpool.Shared // the holder of buf, after Retain
}

// Unread returns the input that has not been taken. It is valid until the next Fill or Read, or until Data returns.
func (in *input) Unread() []byte { return in.buf[in.r:in.w] }

// Retain keeps the bytes of Unread unchanged, taken or not, until Release is called on the result. It allows passing
// them on without a copy.
func (in *input) Retain() *bufpool.Shared {
	if in.held == nil {
		in.held = bufpool.Share(in.buf)
	}
	return in.held.Retain()
}

// take takes n bytes of Unread.
func (in *input) take(n int) {
	if n < 0 || n > in.w-in.r {
		panic("netconn: Take of more than there is")
	}
	in.r += n
}

// keep makes a copy of ahead the unread input.
func (in *input) keep(ahead []byte, first int) {
	if len(ahead) > 0 {
		in.getBuffer(max(len(ahead), first))
		in.w = copy(in.buf, ahead)
	}
}

func (in *input) getBuffer(size int) {
	b := bufpool.Get(size)
	in.buf, in.r, in.w = b[:cap(b)], 0, 0
}

// maxReadSize is the limit to which the buffer grows for a peer that fills it, while all of it is taken.
const maxReadSize = 64 << 10

// nextReadSize returns the size of the next buffer, 0 for the default, after a receive of n bytes into a buffer of size
// bytes with room bytes free. A full buffer is followed by a larger one, a mostly empty one by the default. Otherwise
// the size stays readSize.
func nextReadSize(readSize, size, n, room int) int {
	switch {
	case n == room:
		return min(4*size, maxReadSize)
	case n < size/4:
		return 0
	}
	return readSize
}

// space returns the space behind the unread input for the next receive. The buffer has at least first bytes and grows
// up to most bytes; 0 means no limit.
func (in *input) space(first, most int) ([]byte, error) {
	switch {
	case in.buf == nil:
		in.getBuffer(first)
	case in.held != nil && !in.held.Sole():
		if in.w == len(in.buf) {
			return in.move(first, most)
		}
	case in.r == in.w && len(in.buf) < first:
		in.putBuffer()
		in.getBuffer(first)
	case in.r == in.w:
		in.r, in.w = 0, 0
	case in.w < len(in.buf):
	case in.r > 0:
		in.w = copy(in.buf, in.buf[in.r:in.w])
		in.r = 0
	default:
		return in.move(first, most)
	}
	return in.buf[in.w:], nil
}

// move replaces the buffer by one that has room behind the unread input.
func (in *input) move(first, most int) ([]byte, error) {
	unread := in.Unread()
	if len(unread) == len(in.buf) {
		if most > 0 && len(in.buf) >= most {
			return nil, ErrFull
		}
		first = 2 * len(in.buf)
	}
	old := *in
	in.held = nil
	in.getBuffer(max(first, len(unread)+1))
	in.w = copy(in.buf, unread)
	old.putBuffer()
	return in.buf[in.w:], nil
}

// add appends b, regardless of limits.
func (in *input) add(b []byte) {
	for len(b) > 0 {
		space, _ := in.space(len(b), 0)
		n := copy(space, b)
		in.w, b = in.w+n, b[n:]
	}
}

// release returns the buffer to the pool if it is empty.
func (in *input) release() {
	if in.buf != nil && in.r == in.w {
		in.putBuffer()
	}
}

// putBuffer returns the buffer to the pool.
func (in *input) putBuffer() {
	if in.held != nil {
		in.held.Release()
	} else {
		bufpool.Put(in.buf)
	}
	*in = input{}
}
