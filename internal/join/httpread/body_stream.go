package httpread

import (
	"bytes"
	"io"
	"math"
)

// readStream reads from the connection, checks the limit and counts the bytes.
func (b *Body) readStream(c Conn, p []byte) (int, error) {
	n, err := b.pull(c, p)
	if over := b.read + int64(n) - b.limit; over > 0 {
		n, err = n-int(over), ErrTooLarge
	}
	b.read += int64(n)
	b.err = err
	if n > 0 {
		return n, nil
	}
	return 0, err
}

// minDirectRead is the size of p from which data is received directly into p, unless p takes all that comes. A smaller p
// is filled from the connection's buffer, which receives more at once: io.Copy to io.Discard reads 8 KiB at a time, and a
// system call for each costs more than copying.
const minDirectRead = 16 << 10

// pull reads at least one byte of data into p, or fails.
func (b *Body) pull(c Conn, p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		in := c.Unread()
		switch {
		case b.dec.Done():
			return 0, io.EOF
		case b.dec.Remaining() > b.limit-b.read:
			return 0, ErrTooLarge // the chunk's size is beyond the limit: fail without waiting for its data
		case len(in) > 0:
			data, took, err := b.dec.Next(b.window(in, len(p)))
			n := copy(p, data)
			c.Take(took)
			if n > 0 || err != nil {
				return n, err
			}
		case b.dataRun() > 0 && int64(len(p)) >= min(b.dataRun(), minDirectRead):
			n, err := c.Read(p[:min(int64(len(p)), b.dataRun())])
			if !b.byClose {
				b.dec.Skip(int64(n))
			}
			return n, b.endError(err)
		default:
			if _, err := c.Fill(); err != nil {
				return 0, b.endError(err)
			}
		}
	}
}

// window returns the prefix of in that the decoder may see so that it returns at most room bytes of data. It is data if
// data comes next, otherwise the rest of a line of framing.
func (b *Body) window(in []byte, room int) []byte {
	if len(in) <= room {
		return in
	}
	if b.dataRun() > 0 {
		return in[:room]
	}
	if i := bytes.IndexByte(in, '\n'); i >= 0 {
		return in[:i+1]
	}
	return in // an incomplete line contains no data
}

// dataRun returns how many bytes of data come next without framing between them.
func (b *Body) dataRun() int64 {
	if b.byClose {
		return math.MaxInt64
	}
	return b.dec.Remaining()
}

// endError returns err. For io.EOF, the end of the connection, it returns what that means for the body: io.EOF if only
// the connection's end delimits the body (RFC 9112 §6.3, rule 8), otherwise io.ErrUnexpectedEOF or the decoder's error.
func (b *Body) endError(err error) error {
	if err != io.EOF {
		return err
	}
	if err := b.dec.End(); err != nil {
		return err
	}
	return io.EOF
}
