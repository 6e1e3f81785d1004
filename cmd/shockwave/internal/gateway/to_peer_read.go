package gateway

import (
	"io"

	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
	"github.com/shockwave-go/shockwave/websocket"
)

// readBuffer is the buffer for reading from a service. It is small while the service sends little, so that idle
// connections need little memory.
type readBuffer struct {
	small [512]byte
	large []byte // buffer from the pool, while reads fill small
}

const largeBuffer = 16 << 10

// space returns the slice to read into.
func (in *readBuffer) space() []byte {
	if in.large != nil {
		return in.large
	}
	return in.small[:]
}

// filled returns the n bytes that were read, valid until the next read, and chooses the buffer for that.
func (in *readBuffer) filled(n int) []byte {
	b := in.space()[:n]
	switch {
	case in.large == nil && n == len(in.small):
		in.large = websocket.DefaultBufferPool.Get(largeBuffer)
	case in.large != nil && n < len(in.small):
		copy(in.small[:], b)
		b = in.small[:n]
		in.free()
	}
	return b
}

func (in *readBuffer) free() {
	if in.large != nil {
		websocket.DefaultBufferPool.Put(in.large)
		in.large = nil
	}
}

// messageReader splits what a service sends into messages.
type messageReader struct {
	p   *peer
	r   lenframe.Reader
	msg []byte // part of a message so far; grows with the bytes received, not with the announced length
}

// take delivers the messages that b completes.
func (f *messageReader) take(b []byte) error {
	for {
		e, part, n, err := f.r.Next(b)
		switch {
		case err != nil:
			return err
		case e == lenframe.Message:
			err = f.p.deliver(part)
		case e == lenframe.Nothing:
			if f.r.Between() {
				f.msg = nil // idle connections keep no memory
			}
			return nil
		default:
			f.msg = append(f.msg, part...)
			if e == lenframe.End {
				err = f.p.deliver(f.msg)
				f.msg = f.msg[:0]
			}
		}
		if err != nil {
			return err
		}
		b = b[n:]
	}
}

// ended returns the meaning of a read error for messages. On tls a FIN without close_notify counts like one with it:
// the lengths show whether anything is missing.
func (f *messageReader) ended(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return f.r.Ended()
	}
	return err
}
