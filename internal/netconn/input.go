package netconn

import "github.com/shockwave-go/shockwave/internal/bufpool"

// input is what has arrived and was not taken: buf[r:w]. It is the reader's.
type input struct {
	buf  []byte          // leased for as long as it holds something
	r, w int             // of buf
	held *bufpool.Shared // buf, if somebody has asked to keep it
}

// Unread returns the bytes that arrived and were not taken, valid until the next Fill, Read or return of Data.
func (in *input) Unread() []byte { return in.buf[in.r:in.w] }

// Retain keeps the bytes of Unread as they are, taken or not, until the Release of what it returns: they can be handed on
// without a copy.
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

// keep makes a copy of ahead what has arrived.
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

// mostRead is how large a buffer grows for who sends more than one holds, while all of it is taken.
const maxReadSize = 64 << 10

// nextLease returns the size of the next lease, 0 for the first one, after a buffer of size bytes of which room were free
// has received n: who has filled it gets a larger one, and who needs little of it one as at first.
func nextReadSize(lease, size, n, room int) int {
	switch {
	case n == room:
		return min(4*size, maxReadSize)
	case n < size/4:
		return 0
	}
	return lease
}

// space returns where the next bytes go, behind what is unread: in a buffer that has first bytes at least and grows to
// most, 0 for any size.
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

// move goes on in another buffer, which has room behind what is unread.
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

// add appends one byte, whatever the bounds are.
func (in *input) add(b byte) {
	space, _ := in.space(1, 0)
	space[0] = b
	in.w++
}

// release gives the buffer back if it holds nothing.
func (in *input) release() {
	if in.buf != nil && in.r == in.w {
		in.putBuffer()
	}
}

// giveBack gives the buffer back.
func (in *input) putBuffer() {
	if in.held != nil {
		in.held.Release()
	} else {
		bufpool.Put(in.buf)
	}
	*in = input{}
}
