package streamsock

import (
	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/lenframe"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// wire is how messages travel on one connection. The reading half belongs to the connection's goroutine, the writing half to
// whoever the output has asked for more.
type wire interface {
	// read takes what of in is a message's, gives messages to c, and says how much it has taken. A close frame of the peer
	// is a *closeError.
	read(c *conn, in []byte) (n int, err error)
	// between reports whether nothing has come of the next message.
	between() bool
	// held is how many bytes are held of a message that is not whole.
	held() int
	// drop gives back what is held of messages.
	drop()
	// post gives the connection a message if it takes it at once.
	post(c *conn, m note) (ok bool, err error)
	// appendSegment appends what s has of messages, and gives s back.
	appendSegment(dst []byte, s segment) []byte
}

// stream is the wire of tcp, tls and unix: messages behind their lengths.
type stream struct {
	in     lenframe.Reader
	gather gather
}

func newStream(s *settings) *stream {
	return &stream{in: lenframe.Reader{MaxMessage: s.maxMessage}}
}

func (w *stream) between() bool { return w.in.Between() }
func (w *stream) held() int     { return len(w.gather.b) }
func (w *stream) drop()         { w.gather.drop() }

func (w *stream) read(c *conn, in []byte) (n int, err error) {
	for {
		e, p, k, err := w.in.Next(in[n:])
		n += k
		switch {
		case err != nil:
			return n, err
		case e == lenframe.Nothing:
			return n, nil
		case e == lenframe.Message:
			c.got(p, nil, false)
		case e == lenframe.End:
			w.gather.add(p, len(p))
			b := w.gather.take()
			c.got(b, b, false)
		default:
			w.gather.add(p, int(min(int64(w.in.Length()), 1<<31-1)))
		}
	}
}

func (w *stream) post(c *conn, m note) (ok bool, err error) {
	if m.shared != nil {
		return c.nc.PostShared(netconn.Whole, m.shared)
	}
	var head [lenframe.HeaderSize]byte
	ok, _, err = c.nc.PostTwo(netconn.Whole, lenframe.AppendHeader(head[:0], len(m.b)), m.b)
	return ok, err
}

func (w *stream) appendSegment(dst []byte, s segment) []byte {
	if len(dst) == 0 && s.at == 0 && s.shared == nil {
		bufpool.Put(dst)
		return s.b
	}
	n := len(dst)
	dst = bufpool.Grow(dst, n+len(s.b)-s.at)[:n]
	dst = append(dst, s.b[s.at:]...)
	s.free()
	return dst
}
