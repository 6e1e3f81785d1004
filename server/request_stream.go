package server

import (
	"bytes"
	"io"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// readStream reads from the connection and keeps the account.
func (b *requestBody) readStream(c *netconn.Conn, p []byte) (int, error) {
	if b.expect.CompareAndSwap(expected, continued) {
		if _, err := c.Write(continueNow); err != nil {
			b.err = err
			return 0, err
		}
	}
	n, err := b.pull(c, p)
	if over := b.read + int64(n) - b.max; over > 0 {
		n, err = n-int(over), b.tooLarge()
	}
	b.read += int64(n)
	b.err = err
	if n > 0 {
		return n, nil
	}
	return 0, err
}

// directFrom is the size from which a read goes from the socket to the caller's memory, without the input buffer
// between.
const directFrom = 2 << 10

// pull reads at least one byte of data into p, or fails.
func (b *requestBody) pull(c *netconn.Conn, p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		in := c.Unread()
		switch {
		case b.dec.Done():
			return 0, io.EOF
		case b.dec.Remaining() > b.max-b.read:
			return 0, b.tooLarge() // a chunk that says so itself: not worth waiting for
		case len(in) > 0:
			data, took, err := b.dec.Next(b.window(in, len(p)))
			n := copy(p, data)
			c.Take(took)
			if n > 0 || err != nil {
				return n, err
			}
		case b.dec.Remaining() > 0 && len(p) >= directFrom:
			n, err := c.Read(p[:min(int64(len(p)), b.dec.Remaining())])
			b.dec.Skip(int64(n))
			return n, cut(err)
		default:
			if _, err := c.Fill(); err != nil {
				return 0, cut(err)
			}
		}
	}
}

// window is as much of in as the decoder may see so that it gives out no more than room bytes of data: data, while that
// is what comes next, else the rest of a line of framing.
func (b *requestBody) window(in []byte, room int) []byte {
	if len(in) <= room {
		return in
	}
	if b.dec.Remaining() > 0 {
		return in[:room]
	}
	if i := bytes.IndexByte(in, '\n'); i >= 0 {
		return in[:i+1]
	}
	return in // a line that is not whole: no data in it
}

// cut turns the end of the connection into what it means for the body.
func cut(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF // RFC 9112 §8
	}
	return err
}
