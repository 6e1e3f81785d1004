package gateway

import (
	"io"

	"github.com/shockwave-go/shockwave/internal/lenframe"
	"github.com/shockwave-go/shockwave/websocket"
)

// intake is what a service is read into: little while it says little, so that a connection that is idle costs little.
type intake struct {
	small [512]byte
	large []byte // lent by the pool, while reads fill small
}

const largeIntake = 16 << 10

// room returns where to read to.
func (in *intake) room() []byte {
	if in.large != nil {
		return in.large
	}
	return in.small[:]
}

// read returns the n bytes that have been read, which are valid until the next read, and decides about the room of that.
func (in *intake) read(n int) []byte {
	b := in.room()[:n]
	switch {
	case in.large == nil && n == len(in.small):
		in.large = websocket.DefaultBufferPool.Get(largeIntake)
	case in.large != nil && n < len(in.small):
		copy(in.small[:], b)
		b = in.small[:n]
		in.free()
	}
	return b
}

func (in *intake) free() {
	if in.large != nil {
		websocket.DefaultBufferPool.Put(in.large)
		in.large = nil
	}
}

// frames makes messages of what a service says.
type frames struct {
	p   *peer
	r   lenframe.Reader
	msg []byte // what has come of a message that did not come at once: memory follows that, not the length
}

// take delivers the messages that b completes.
func (f *frames) take(b []byte) error {
	for {
		e, part, n, err := f.r.Next(b)
		switch {
		case err != nil:
			return err
		case e == lenframe.Message:
			err = f.p.deliver(part)
		case e == lenframe.Nothing:
			if f.r.Between() {
				f.msg = nil // who is idle keeps no memory
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

// ended returns what the end of reading means for messages. A FIN on tls without close_notify is one with it: lengths tell
// whether anything is missing.
func (f *frames) ended(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return f.r.Ended()
	}
	return err
}
