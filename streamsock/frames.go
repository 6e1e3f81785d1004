package streamsock

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/utf8x"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// frames is the wire of ws and wss (RFC 6455 §5). Each message is a WebSocket message, or with prefixed framing the payloads
// of all WebSocket messages together are a stream of messages.
type frames struct {
	role     wsframe.Role
	limit    uint32
	text     bool    // text messages are allowed
	prefixed *stream // with prefixed framing: reads the payloads

	seq    wsframe.Sequence
	frame  wsframe.Header
	head   []byte // an incomplete header
	framed bool   // the header has been read, and left bytes of the payload are to come
	left   int64
	key    uint32
	gather gather
	check  utf8x.Validator
	ctl    []byte // the payload of the current control frame
	spare  [wsframe.MaxControlPayload]byte
}

func newFrames(role wsframe.Role, s *settings) *frames {
	w := &frames{role: role, limit: s.maxMessage, text: s.Text, seq: wsframe.Incoming(role, 0)}
	if s.Framing == FramingPrefixed {
		w.prefixed, w.text = newStream(s), false
	}
	return w
}

// between implements wire.
func (w *frames) between() bool {
	return !w.framed && len(w.head) == 0 && !w.seq.Open() && w.whole()
}

// whole reports whether a close frame that comes now cuts no message. Without prefixed framing a close frame within a
// fragmented message gives that message up, so none counts as cut.
func (w *frames) whole() bool { return w.prefixed == nil || w.prefixed.between() }

// held implements wire.
func (w *frames) held() int {
	if w.prefixed != nil {
		return w.prefixed.held()
	}
	return len(w.gather.b)
}

// drop implements wire.
func (w *frames) drop() {
	w.gather.drop()
	if w.prefixed != nil {
		w.prefixed.drop()
	}
}

// read implements wire. It unmasks in in place.
func (w *frames) read(c *conn, in []byte) (n int, err error) {
	for {
		if !w.framed {
			k, err := w.header(in[n:])
			n += k
			if !w.framed || err != nil {
				return n, err
			}
		}
		size := int(min(w.left, int64(len(in)-n)))
		p := in[n : n+size : n+size]
		n += size
		if w.key != 0 {
			w.key = mask.XOR(p, p, w.key)
		}
		w.left -= int64(size)
		w.framed = w.left > 0
		if err := w.payload(c, p); err != nil {
			return n, err
		}
		if w.framed {
			return n, nil
		}
	}
}

// header reads the header of the next frame, and sets framed when it is complete. n is how many bytes of b it has consumed.
// An incomplete header is consumed and kept in w.head, because a connection with unconsumed bytes is not idle.
func (w *frames) header(b []byte) (n int, err error) {
	if len(w.head) == 0 {
		if n, err = w.begin(b); n == 0 && err == nil {
			w.head = append(w.head, b...)
			n = len(b)
		}
		return n, err
	}
	kept := len(w.head)
	w.head = append(w.head, b[:min(len(b), wsframe.MaxHeaderSize-kept)]...)
	if n, err = w.begin(w.head); n == 0 && err == nil {
		return len(w.head) - kept, nil
	}
	w.head = w.head[:0]
	return max(n-kept, 0), err
}

// begin starts a frame if b begins with a complete header; otherwise n is 0.
func (w *frames) begin(b []byte) (n int, err error) {
	h, n, err := wsframe.Parse(b)
	if n == 0 || err != nil {
		return 0, err
	}
	if err := w.seq.Next(h); err != nil {
		return 0, err
	}
	switch {
	case h.Opcode() == wsframe.Text && !w.text:
		return 0, errText
	case !h.Opcode().IsControl() && w.prefixed == nil && h.Length > int64(w.limit)-int64(len(w.gather.b)):
		return 0, &lenframe.Error{Length: int64(len(w.gather.b)) + min(h.Length, math.MaxInt64-1<<40), Limit: int64(w.limit)}
	}
	w.frame, w.left, w.key, w.framed = h, h.Length, h.Key, true
	return n, nil
}

// payload processes p, the unmasked payload of the frame or, if w.framed is set, a part of it.
func (w *frames) payload(c *conn, p []byte) error {
	switch {
	case w.frame.Opcode().IsControl():
		w.ctl = append(w.ctl, p...)
		if w.framed {
			return nil
		}
		ctl := w.ctl
		w.ctl = w.spare[:0]
		return w.control(c, ctl)
	case w.prefixed != nil:
		_, err := w.prefixed.read(c, p)
		return err
	}
	text := w.seq.Opcode() == wsframe.Text
	if w.frame.Fin() && !w.framed && !w.gather.inProgress() {
		if text && !utf8x.Valid(p) {
			return errNotUTF8
		}
		c.got(p, nil, text)
		return nil
	}
	return w.piece(c, p, text)
}

// errNotUTF8 is the error for text that is not UTF-8 (RFC 6455 §8.1).
var errNotUTF8 = &wsframe.Error{Code: wsframe.CloseInvalidPayload, Violation: shockwave.Violation{Rule: "RFC 6455 §8.1", Msg: "text that is not UTF-8"}}

// piece adds a part of a message that did not come whole.
func (w *frames) piece(c *conn, p []byte, text bool) error {
	if !w.gather.inProgress() {
		w.check.Reset()
	}
	if text {
		if _, ok := w.check.Write(p); !ok {
			return errNotUTF8
		}
	}
	w.gather.add(p, int(min(int64(len(w.gather.b)+len(p))+w.left, math.MaxInt32)))
	if w.framed || !w.frame.Fin() {
		return nil
	}
	if text && !w.check.Done() {
		return errNotUTF8
	}
	b := w.gather.take()
	c.got(b, b, text)
	return nil
}

// control acts on a control frame (RFC 6455 §5.5).
func (w *frames) control(c *conn, p []byte) error {
	switch w.frame.Opcode() {
	case wsframe.Ping:
		_, _ = c.nc.Post(netconn.Whole, w.append(nil, wsframe.Pong, p)) // if it fails, End is called
	case wsframe.Close:
		code, text, err := wsframe.ParseClose(p)
		if err != nil {
			return err
		}
		return &closeError{code, string(text)}
	}
	return nil
}

// append appends a frame with payload p, masked on the client side.
func (w *frames) append(dst []byte, o wsframe.Opcode, p []byte) []byte {
	h := wsframe.Header{Kind: wsframe.Final(o), Length: int64(len(p))}
	if w.role == wsframe.Server {
		return append(wsframe.Append(dst, h), p...)
	}
	h.Masked, h.Key = true, rand.Uint32()
	dst = wsframe.Append(dst, h)
	n := len(dst)
	dst = append(dst, p...)
	mask.XOR(dst[n:], p, h.Key)
	return dst
}

// opcode returns the opcode of a message.
func opcode(text bool) wsframe.Opcode {
	if text {
		return wsframe.Text
	}
	return wsframe.Binary
}

// post implements wire.
func (w *frames) post(c *conn, m outMsg) (ok bool, err error) {
	if w.role == wsframe.Server && w.prefixed == nil {
		var head [wsframe.MaxHeaderSize]byte
		h := wsframe.Header{Kind: wsframe.Final(opcode(m.text)), Length: int64(len(m.b))}
		ok, _, err = c.nc.PostTwo(netconn.Whole, wsframe.Append(head[:0], h), m.b)
		return ok, err
	}
	b := bufpool.Get(wsframe.MaxHeaderSize + lenframe.HeaderSize + len(m.b))[:0]
	if w.prefixed != nil {
		b = w.append(b, wsframe.Binary, lenframe.Append(nil, m.b))
	} else {
		b = w.append(b, opcode(m.text), m.b)
	}
	ok, _, err = c.nc.PostTwo(netconn.Whole, nil, b)
	bufpool.Put(b)
	return ok, err
}

// appendSegment implements wire.
func (w *frames) appendSegment(dst []byte, s segment) []byte {
	b := s.b[s.at:]
	n := len(dst)
	if w.prefixed != nil {
		dst = w.append(bufpool.Grow(dst, n+wsframe.MaxHeaderSize+len(b))[:n], wsframe.Binary, b)
		s.free()
		return dst
	}
	dst = bufpool.Grow(dst, n+len(b)+(wsframe.MaxHeaderSize-lenframe.HeaderSize)*s.n)[:n]
	for o := opcode(s.text); len(b) > 0; {
		size := lenframe.HeaderSize + int(binary.BigEndian.Uint32(b))
		dst = w.append(dst, o, b[lenframe.HeaderSize:size])
		b = b[size:]
	}
	s.free()
	return dst
}
