package streamsock

import (
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
)

// wire is the message format on one connection, whose output it has. The reading methods are called on the connection's
// goroutine, appendSegment while the output is being sent.
type wire interface {
	// read finds the messages in the input, of which it consumes n bytes. A close frame of the peer is returned as a
	// *closeError.
	read(in []byte, to receiver) (n int, err error)
	// between reports whether no byte of the next message was received.
	between() bool
	// held returns how many bytes of an incomplete message are held.
	held() int
	// drop releases an incomplete message.
	drop()
	// post writes a message to the output if that accepts it at once.
	post(m outMsg) (ok bool, err error)
	// appendSegment appends the messages of s in this format, and releases s.
	appendSegment(dst []byte, s segment) []byte
}

// receiver takes the messages that a wire finds.
type receiver interface {
	// got takes a message. p is either a part of the input, or lies in lease, a buffer from the pool that got takes over.
	got(p, lease []byte, text bool)
}

// format is what a wire must know of the settings.
type format struct {
	maxMessage uint32
	text       bool // text messages are allowed
	prefixed   bool // WebSocket messages carry a stream of messages
}

// stream is the wire of tcp, tls and unix: length-prefixed messages.
type stream struct {
	out    *netconn.Output
	in     lenframe.Reader
	gather gather
}

func newStream(out *netconn.Output, f format) *stream {
	return &stream{out: out, in: lenframe.Reader{MaxMessage: f.maxMessage}}
}

func (w *stream) between() bool { return w.in.Between() }
func (w *stream) held() int     { return len(w.gather.b) }
func (w *stream) drop()         { w.gather.drop() }

func (w *stream) read(in []byte, to receiver) (n int, err error) {
	for {
		e, p, k, err := w.in.Next(in[n:])
		n += k
		switch {
		case err != nil || e == lenframe.Nothing:
			return n, err
		case e == lenframe.Message:
			to.got(p, nil, false)
		case e == lenframe.End:
			w.gather.add(p, len(p))
			b := w.gather.take()
			to.got(b, b, false)
		default:
			w.gather.add(p, int(min(int64(w.in.Length()), 1<<31-1)))
		}
	}
}

func (w *stream) post(m outMsg) (ok bool, err error) {
	if m.shared != nil {
		return w.out.PostShared(netconn.Whole, m.shared)
	}
	var head [lenframe.HeaderSize]byte
	ok, _, err = w.out.PostTwo(netconn.Whole, lenframe.AppendHeader(head[:0], len(m.b)), m.b)
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
