package streamsock

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/wsmessage"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket"
)

// frames is the wire of ws and wss (RFC 6455 §5). Each message is a WebSocket message, or with prefixed framing the payloads
// of all WebSocket messages together are a stream of messages.
type frames struct {
	out      *netconn.Output
	role     wsframe.Role
	text     bool    // text messages are allowed
	prefixed *stream // with prefixed framing: reads the payloads

	in   wsmessage.Assembler
	head []byte // an incomplete header
}

func newFrames(out *netconn.Output, role wsframe.Role, f format) *frames {
	w := &frames{out: out, role: role, text: f.text}
	limit := int64(f.maxMessage)
	if f.prefixed {
		w.prefixed, w.text, limit = newStream(out, f), false, 0
	}
	w.in.Init(role, 0, limit)
	return w
}

// between implements wire.
func (w *frames) between() bool { return len(w.head) == 0 && w.in.Between() && w.whole() }

// whole reports whether a close frame that comes now cuts no message. Without prefixed framing a close frame within a
// fragmented message gives that message up, so none counts as cut.
func (w *frames) whole() bool { return w.prefixed == nil || w.prefixed.between() }

// held implements wire.
func (w *frames) held() int {
	if w.prefixed != nil {
		return w.prefixed.held()
	}
	return w.in.Held()
}

// drop implements wire.
func (w *frames) drop() {
	w.in.Drop()
	if w.prefixed != nil {
		w.prefixed.drop()
	}
}

// read implements wire. It unmasks in in place.
func (w *frames) read(in []byte, to receiver) (n int, err error) {
	for {
		if !w.in.InFrame() {
			k, err := w.header(in[n:])
			n += k
			if err != nil || !w.in.InFrame() {
				return n, err
			}
		}
		take := w.in.Take
		if w.prefixed != nil {
			take = w.in.TakeInPlace
		}
		e, p, k, err := take(in[n:], nil)
		n += k
		if err == nil {
			err = w.event(e, p, to)
		}
		if err != nil {
			return n, w.readError(err, in[n:])
		}
		if n == len(in) {
			return n, nil
		}
	}
}

// header takes the header of the next frame. n is how many bytes of b it has consumed. An incomplete header is consumed and
// kept in w.head, because a connection with unconsumed bytes is not idle.
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
	n, err = w.in.Begin(b)
	if err != nil {
		return 0, w.readError(err, b)
	}
	if n > 0 && w.in.FrameOpcode() == wsframe.Text && !w.text {
		return 0, errText
	}
	return n, nil
}

// readError returns err as the error of a connection. If a message is too long, b begins with the header that says so.
func (w *frames) readError(err error, b []byte) error {
	if err != wsmessage.ErrTooBig {
		return err
	}
	h, _, _ := wsframe.Parse(b)
	if h.Opcode() == wsframe.Text && !w.text {
		return errText
	}
	held := int64(w.in.Held())
	return &lenframe.Error{Length: held + min(h.Length, math.MaxInt64-1<<40), Limit: w.in.Limit()}
}

// event handles an event of w.in.
func (w *frames) event(e wsmessage.Event, p []byte, to receiver) error {
	switch e {
	case wsmessage.Nothing:
		return nil
	case wsmessage.Message:
		to.got(p, w.in.Detach(), w.in.Opcode() == wsframe.Text)
		return nil
	case wsmessage.Part, wsmessage.LastPart:
		_, err := w.prefixed.read(p, to)
		return err
	}
	defer w.in.Release()
	return w.control(e, p)
}

// control acts on a control frame (RFC 6455 §5.5).
func (w *frames) control(e wsmessage.Event, p []byte) error {
	switch e {
	case wsmessage.Ping:
		_, _ = w.out.Post(netconn.Whole, w.append(nil, wsframe.Pong, p)) // if it fails, the connection ends
	case wsmessage.Close:
		code, text, err := wsframe.ParseClose(p)
		if err != nil {
			return err
		}
		return &closeError{websocket.CloseCode(code), string(text)}
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
func (w *frames) post(m outMsg) (ok bool, err error) {
	if w.role == wsframe.Server && w.prefixed == nil {
		var head [wsframe.MaxHeaderSize]byte
		h := wsframe.Header{Kind: wsframe.Final(opcode(m.text)), Length: int64(len(m.b))}
		ok, _, err = w.out.PostTwo(netconn.Whole, wsframe.Append(head[:0], h), m.b)
		return ok, err
	}
	b := bufpool.Get(wsframe.MaxHeaderSize + lenframe.HeaderSize + len(m.b))[:0]
	if w.prefixed != nil {
		b = w.append(b, wsframe.Binary, lenframe.Append(nil, m.b))
	} else {
		b = w.append(b, opcode(m.text), m.b)
	}
	ok, _, err = w.out.PostTwo(netconn.Whole, nil, b)
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
