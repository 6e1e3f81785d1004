// Package inbuf is a buffer for the bytes of a message that were received and not yet looked at.
package inbuf

// First is the size of a new buffer, and room the least room for each further read.
const (
	First = 2 << 10
	room  = 512
)

// kept is the largest buffer that is kept for another message.
const kept = 16 << 10

// Buffer holds the bytes. The zero value is ready for use. It belongs to one goroutine.
type Buffer struct {
	Bytes []byte // received and not taken: a part of mem
	mem   []byte
}

// Skip removes n bytes from the front.
func (b *Buffer) Skip(n int) { b.Bytes = b.Bytes[n:] }

// Room returns the free memory after the bytes. Memory grows with the bytes that arrive: it doubles until need bytes fit.
func (b *Buffer) Room(need int) []byte {
	if b.mem == nil {
		b.mem = make([]byte, First)
	}
	if len(b.Bytes) == 0 {
		b.Bytes = b.mem[:0]
	}
	if cap(b.Bytes) < need || cap(b.Bytes)-len(b.Bytes) < room {
		b.move(need)
	}
	return b.Bytes[len(b.Bytes):cap(b.Bytes)]
}

// move moves the bytes to the front of the memory, or into a larger one.
func (b *Buffer) move(need int) {
	n, mem := len(b.Bytes), b.mem
	if n+room > len(mem) || need > len(mem) && n >= len(mem)/2 {
		mem = make([]byte, 2*len(mem))
	}
	copy(mem, b.Bytes)
	b.mem, b.Bytes = mem, mem[:n]
}

// Grow adds n bytes that were received into the room.
func (b *Buffer) Grow(n int) { b.Bytes = b.Bytes[:len(b.Bytes)+n] }

// Cut removes n bytes after the first at bytes.
func (b *Buffer) Cut(at, n int) {
	if at == 0 {
		b.Skip(n)
	} else if n > 0 {
		b.Bytes = b.Bytes[:at+copy(b.Bytes[at:], b.Bytes[at+n:])]
	}
}

// Reset prepares b for another message.
func (b *Buffer) Reset() {
	b.Bytes = nil
	if len(b.mem) > kept {
		b.mem = nil
	}
}
