package httpread

import (
	"io"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// Buffer makes a Conn of a reader. Its memory grows with what is unread. It is for one goroutine at a time.
type Buffer struct {
	src io.Reader
	buf []byte // leased; unread is buf[at:]
	at  int
}

// NewBuffer returns a Buffer of src, with room for size bytes to begin with.
func NewBuffer(src io.Reader, size int) *Buffer { return &Buffer{src: src, buf: bufpool.Get(size)[:0]} }

// Release gives the memory back: what Unread returned, and the heads that were read from it, must not be used any more.
// Without Release all of that is the caller's.
func (b *Buffer) Release() {
	bufpool.Put(b.buf)
	b.buf, b.at = nil, 0
}

// Unread returns what has been received and not taken, valid until the next Fill.
func (b *Buffer) Unread() []byte { return b.buf[b.at:] }

// Take says that n bytes of Unread are taken. It panics when there are fewer.
func (b *Buffer) Take(n int) {
	if n < 0 || n > len(b.buf)-b.at {
		panic("httpread: Take of more than there is")
	}
	b.at += n
}

// Fill receives once, waits for that if need be, and returns Unread. It fails as the reader does, when that gave no bytes.
func (b *Buffer) Fill() ([]byte, error) {
	if b.at > 0 {
		b.buf = b.buf[:copy(b.buf, b.buf[b.at:])]
		b.at = 0
	}
	n := len(b.buf)
	b.buf = bufpool.Grow(b.buf, n+1)
	m, err := b.src.Read(b.buf[n:cap(b.buf)])
	b.buf = b.buf[:n+m]
	if m > 0 {
		err = nil // the reader will say it again
	}
	return b.buf, err
}

// Read copies from Unread and takes what it copied, or, if that is empty, receives into p.
func (b *Buffer) Read(p []byte) (int, error) {
	if unread := b.Unread(); len(unread) > 0 {
		n := copy(p, unread)
		b.at += n
		return n, nil
	}
	return b.src.Read(p)
}
