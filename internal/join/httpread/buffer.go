package httpread

import (
	"io"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// Buffer is a Conn that reads from an io.Reader. Its memory grows with the unread bytes. It must be used by one
// goroutine at a time.
type Buffer struct {
	src io.Reader
	buf []byte // from the pool
	at  int    // the unread bytes are buf[at:]
}

// NewBuffer returns a Buffer that reads from src and has room for size bytes at first.
func NewBuffer(src io.Reader, size int) *Buffer { return &Buffer{src: src, buf: bufpool.Get(size)[:0]} }

// Release returns the memory to the pool. Afterwards the slices that Unread returned, and heads parsed from them, must
// not be used. A caller that does not call Release may keep them.
func (b *Buffer) Release() {
	bufpool.Put(b.buf)
	b.buf, b.at = nil, 0
}

// Unread returns the received bytes that have not been taken. They are valid until the next Fill.
func (b *Buffer) Unread() []byte { return b.buf[b.at:] }

// Take removes the first n bytes of Unread. It panics if there are fewer.
func (b *Buffer) Take(n int) {
	if n < 0 || n > len(b.buf)-b.at {
		panic("httpread: Take of more than there is")
	}
	b.at += n
}

// Fill calls the reader once, which may wait, and returns Unread. It returns the reader's error if that gave no bytes.
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
		err = nil // the reader returns it again next time
	}
	return b.buf, err
}

// Read copies from Unread and takes what it copied. If Unread is empty, it reads from the reader into p.
func (b *Buffer) Read(p []byte) (int, error) {
	if unread := b.Unread(); len(unread) > 0 {
		n := copy(p, unread)
		b.at += n
		return n, nil
	}
	return b.src.Read(p)
}
