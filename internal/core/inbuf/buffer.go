// Package inbuf holds what a connection has received and its reader has not taken yet, in a buffer that is leased from the
// pool for as long as there is something.
package inbuf

import (
	"errors"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// ErrFull means that as many bytes have arrived as may wait, and none of them was taken.
var ErrFull = errors.New("netconn: input buffer full")

// Buffer is the input that has arrived and has not been taken: buf[r:w]. The reader owns it. The zero Buffer is ready for use.
type Buffer struct {
	buf  []byte          // from the pool, while there is input
	r, w int             // indexes into buf
	held *bufpool.Shared // the holder of buf, after Retain
}

// Unread returns the input that has not been taken. It is valid until the next Fill or Read, or until Data returns.
func (in *Buffer) Unread() []byte { return in.buf[in.r:in.w] }

// Empty reports whether all input has been taken.
func (in *Buffer) Empty() bool { return in.r == in.w }

// Len returns how many bytes of input have not been taken.
func (in *Buffer) Len() int { return in.w - in.r }

// Size returns the size of the buffer, 0 if none is leased.
func (in *Buffer) Size() int { return len(in.buf) }

// Arrived appends n bytes, which were received into Space, to the input.
func (in *Buffer) Arrived(n int) { in.w += n }

// TakeAll takes all input.
func (in *Buffer) TakeAll() { in.r = in.w }

// Retained reports whether somebody keeps bytes of the buffer.
func (in *Buffer) Retained() bool { return in.held != nil }

// Lend gives the buffer, all of whose input has been taken and which nobody retains, to the caller. It may be nil.
func (in *Buffer) Lend() []byte {
	b := in.buf
	in.buf, in.r, in.w = nil, 0, 0
	return b
}

// Return takes back what Lend has given, or another buffer from the pool.
func (in *Buffer) Return(b []byte) { in.buf = b }

// Retain keeps the bytes of Unread unchanged, taken or not, until Release is called on the result. It allows passing
// them on without a copy.
func (in *Buffer) Retain() *bufpool.Shared {
	if in.held == nil {
		in.held = bufpool.Share(in.buf)
	}
	return in.held.Retain()
}

// Take takes n bytes of Unread.
func (in *Buffer) Take(n int) {
	if n < 0 || n > in.w-in.r {
		panic("netconn: Take of more than there is")
	}
	in.r += n
}

// Keep makes a copy of ahead the unread input, in a buffer of at least first bytes.
func (in *Buffer) Keep(ahead []byte, first int) {
	if len(ahead) > 0 {
		in.getBuffer(max(len(ahead), first))
		in.w = copy(in.buf, ahead)
	}
}

func (in *Buffer) getBuffer(size int) {
	b := bufpool.Get(size)
	in.buf, in.r, in.w = b[:cap(b)], 0, 0
}

// MaxSize is the limit to which the buffer grows for a peer that fills it, while all of it is taken.
const MaxSize = 64 << 10

// NextSize returns the size of the next buffer, 0 for the default, after a receive of n bytes into a buffer of size
// bytes with room bytes free. A full buffer is followed by a larger one, a mostly empty one by the default. Otherwise
// the size stays readSize.
func NextSize(readSize, size, n, room int) int {
	switch {
	case n == room:
		return min(4*size, MaxSize)
	case n < size/4:
		return 0
	}
	return readSize
}

// Space returns the space behind the unread input for the next receive. The buffer has at least first bytes and grows
// up to most bytes; 0 means no limit.
func (in *Buffer) Space(first, most int) ([]byte, error) {
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
func (in *Buffer) move(first, most int) ([]byte, error) {
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

// Add appends b, regardless of limits.
func (in *Buffer) Add(b []byte) {
	for len(b) > 0 {
		space, _ := in.Space(len(b), 0)
		n := copy(space, b)
		in.w, b = in.w+n, b[n:]
	}
}

// Release returns the buffer to the pool if it is empty.
func (in *Buffer) Release() {
	if in.buf != nil && in.r == in.w {
		in.putBuffer()
	}
}

// putBuffer returns the buffer to the pool.
func (in *Buffer) putBuffer() {
	if in.held != nil {
		in.held.Release()
	} else {
		bufpool.Put(in.buf)
	}
	*in = Buffer{}
}
