package streamsock

import (
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
)

// wire is the message format on one connection. The reading methods are called on the connection's goroutine, appendSegment
// while the output is being sent.
type wire interface {
	// read consumes n bytes of in and passes the messages to c. A close frame of the peer is returned as a *closeError.
	read(c *conn, in []byte) (n int, err error)
	// between reports whether no byte of the next message was received.
	between() bool
	// held returns how many bytes of an incomplete message are held.
	held() int
	// drop releases an incomplete message.
	drop()
	// post writes a message to the connection if that accepts it at once.
	post(c *conn, m outMsg) (ok bool, err error)
	// appendSegment appends the messages of s in this format, and releases s.
	appendSegment(dst []byte, s segment) []byte
}

// stream is the wire of tcp, tls and unix: length-prefixed messages.
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

func (w *stream) post(c *conn, m outMsg) (ok bool, err error) {
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
