package conformance

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quic-go/qpack"
	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// h3Patience is how long a response or an end is waited for: a server may look at streams that are not urgent now and then only.
const h3Patience = 30 * time.Second

// h3Pace is how long something is waited for that may never come.
type h3Pace struct {
	response time.Duration
	end      time.Duration // of the connection, or SETTINGS
}

var unhurried = h3Pace{h3Patience, h3Patience}

// h3Manner is how a client divides its messages into frames and streams.
type h3Manner struct {
	name     string
	every    bool // a write for each byte
	long     bool // types and lengths of frames have eight bytes
	compress bool // the static table and Huffman's code, else literals
	pieces   bool // DATA frames of one byte, and an empty one
	grease   bool // frames, streams and settings of reserved types between what is said (RFC 9114 §7.2.8)
	between  bool // after the response to a request, and before another request
	late     bool // a stream with a lower number is used behind it
	twice    bool // on two streams
}

// h3Talk is one connection on which a case is played.
type h3Talk struct {
	c       *quic.Conn
	manner  h3Manner
	pace    h3Pace
	unis    map[string]*quic.SendStream
	control string // the name of the stream that the script has used last of those which must not end
	server  h3Server
}

// dialH3 opens a connection, of which nothing was used yet.
func (tg *target) dialH3(m h3Manner) (*h3Talk, error) {
	ctx, cancel := context.WithTimeout(context.Background(), h3Patience)
	defer cancel()
	cfg := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h3"}} // as in dialFor
	c, err := quic.DialAddr(ctx, tg.addr, cfg, &quic.Config{EnableDatagrams: true, HandshakeIdleTimeout: h3Patience, MaxIdleTimeout: 2 * h3Patience})
	if err != nil {
		return nil, err
	}
	k := &h3Talk{c: c, manner: m, pace: unhurried, unis: map[string]*quic.SendStream{}}
	k.server.listen(c)
	return k, nil
}

// close ends the connection, and waits for what reads it.
func (k *h3Talk) close() {
	_ = k.c.CloseWithError(quic.ApplicationErrorCode(h3frame.NoError), "")
	k.server.reading.Wait()
}

// greet opens the control stream with settings that ask for nothing.
func (k *h3Talk) greet() error {
	said := "00 SETTINGS()"
	if k.manner.grease {
		said = "00 SETTINGS(v64 v7) 0x40(\"reserved\")" // 0x21 + 31
		grease, _ := parseWire("v95 \"anything\"")
		k.uni("reserved", &grease)
	}
	w, err := parseWire(said)
	k.uni("reserved control", &w)
	return err
}

// uni writes on a unidirectional stream of ours, which it opens if nothing was written on it before.
func (k *h3Talk) uni(name string, w *h3Wire) {
	s := k.unis[name]
	if s == nil {
		ctx, cancel := context.WithTimeout(k.c.Context(), k.pace.response)
		defer cancel()
		var err error
		if s, err = k.c.OpenUniStreamSync(ctx); err != nil {
			return // what has ended the connection is judged later
		}
		k.unis[name] = s
		if t := h3UniType(name); t >= 0 {
			_, _ = s.Write([]byte{byte(t)})
		}
	}
	if kind := h3UniType(name); kind >= 0 && kind != 1 { // all but a push
		k.control = name
	}
	k.write(s, w.bytes)
	switch {
	case w.fin:
		_ = s.Close()
	case w.reset:
		s.CancelWrite(quic.StreamErrorCode(w.code))
	}
}

// write writes in the manner of the talk. That the server does not want it any more is judged later.
func (k *h3Talk) write(s interface {
	io.Writer
	SetWriteDeadline(time.Time) error
}, b []byte,
) {
	_ = s.SetWriteDeadline(time.Now().Add(k.pace.response))
	size := max(len(b), 1)
	if k.manner.every && len(b) < 2000 {
		size = 1
	}
	for piece := range slices.Chunk(b, size) {
		if _, err := s.Write(piece); err != nil {
			return
		}
	}
}

// h3Stream is a request stream.
type h3Stream struct {
	*quic.Stream
	heard h3Heard
	ended bool // our direction
}

// request opens a request stream.
func (k *h3Talk) request() (*h3Stream, error) {
	ctx, cancel := context.WithTimeout(k.c.Context(), k.pace.response)
	defer cancel()
	s, err := k.c.OpenStreamSync(ctx)
	return &h3Stream{Stream: s}, err
}

// say sends a step. s is the request stream; nil if the script has none.
func (k *h3Talk) say(s *h3Stream, step *h3Step) {
	var out []byte
	for i := range step.say {
		say := &step.say[i]
		switch {
		case say.uni != "":
			if s != nil { // in order, as far as streams have one
				k.write(s, out)
				out = nil
			}
			k.uni(say.uni, &say.wire)
		case say.plain:
			k.write(s, append(out, say.wire.bytes...))
			out = nil
			k.end(s, &say.wire)
		default:
			out = append(out, k.frame(say)...)
		}
	}
	if s == nil {
		return
	}
	k.write(s, out)
	if step.onRequest() && !step.open && !s.ended {
		k.end(s, &h3Wire{fin: true})
	}
}

// end ends a direction of a request stream, if w says so.
func (k *h3Talk) end(s *h3Stream, w *h3Wire) {
	switch {
	case w.fin:
		_ = s.Close()
	case w.reset:
		s.CancelWrite(quic.StreamErrorCode(w.code))
	case w.stop:
		s.CancelRead(quic.StreamErrorCode(w.code))
		return
	default:
		return
	}
	s.ended = true
}

// frame makes the frames of a section, or of DATA.
func (k *h3Talk) frame(say *h3Say) (b []byte) {
	if k.manner.grease {
		b = k.header(b, 0x21, 4)
		b = append(k.header(append(b, "junk"...), 0x21+31*1000, 0), 0x40, 0x21, 0) // a type of two bytes that fits one
	}
	if say.head {
		section := k.section(say)
		return append(k.header(b, 1, len(section)), section...)
	}
	size := max(len(say.data), 1)
	if k.manner.pieces {
		b = k.header(b, 0, 0)
		size = 1 + len(say.data)/20
	}
	for piece := range slices.Chunk(say.data, size) {
		b = append(k.header(b, 0, len(piece)), piece...)
	}
	if len(say.data) == 0 {
		b = k.header(b, 0, 0)
	}
	return b
}

// header appends the header of a frame.
func (k *h3Talk) header(b []byte, t uint64, length int) []byte {
	if !k.manner.long {
		return h3frame.AppendVarint(h3frame.AppendVarint(b, t), uint64(length))
	}
	for _, n := range []uint64{t, uint64(length)} {
		b = append(b, 0xc0)
		for shift := 48; shift >= 0; shift -= 8 {
			b = append(b, byte(n>>shift))
		}
	}
	return b
}

// section encodes fields (RFC 9204 §4.5).
func (k *h3Talk) section(say *h3Say) []byte {
	var b bytes.Buffer
	enc := qpack.NewEncoder(&b)
	if !k.manner.compress || len(say.fields) == 0 {
		b.Write([]byte{0, 0})
	}
	for i, f := range say.fields {
		if say.scheme == i+1 {
			f.Value = "https"
		}
		if k.manner.compress {
			_ = enc.WriteField(qpack.HeaderField{Name: f.Name, Value: f.Value})
			continue
		}
		literalH3(&b, 0x20, 0x07, f.Name)
		literalH3(&b, 0, 0x7f, f.Value)
	}
	return b.Bytes()
}

// literalH3 appends a string as it is, behind its length in the bits of mask (RFC 9204 §4.1).
func literalH3(b *bytes.Buffer, first, mask byte, s string) {
	if n := len(s); n < int(mask) {
		b.WriteByte(first | byte(n))
	} else {
		b.WriteByte(first | mask)
		for n -= int(mask); n >= 128; n >>= 7 {
			b.WriteByte(byte(n) | 128)
		}
		b.WriteByte(byte(n))
	}
	b.WriteString(s)
}

// hear waits for what the outcomes want, and tells which of the responses so far are judged.
func (k *h3Talk) hear(s *h3Stream, from int, all []h3Outcome) (next int, err error) {
	switch first := all[0]; {
	case first.keep, first.wait:
		return from, nil // judged when a response to something else has come
	case s == nil || mustClose(all):
		return from, k.closed(s, all)
	}
	h := &s.heard
	last := &all[0]
	interim := len(last.responses) > 0 && strings.HasPrefix(last.responses[len(last.responses)-1].status[0], "1")
	err = k.read(s, func() bool { return interim && len(h.replies) > from || last.open && len(finals(h.replies)) > 0 })
	if err != nil {
		return 0, err
	}
	if h.closed && mayClose(all) {
		return from, k.closed(s, all)
	}
	replies := h.replies[from:]
	if !interim {
		replies = finals(replies)
	}
	var why error
	for i := range all {
		if why = all[i].meets(h, replies); why != nil {
			continue
		}
		if all[i].open {
			return from, nil // the response is judged again when it is whole
		}
		return len(h.replies), nil
	}
	return 0, why
}

// finals are the replies that are not informational.
func finals(replies []*reply) []*reply {
	return slices.DeleteFunc(slices.Clone(replies), func(r *reply) bool { return r.status < 200 })
}

// meets returns an error that says why the received responses are not o; nil if they are.
func (o *h3Outcome) meets(h *h3Heard, replies []*reply) error {
	switch {
	case h.closed:
		return h.end
	case h.reset != "" && !slices.Contains(o.reset, h.reset):
		return fmt.Errorf("reset %s after responses %v, want %q %v", h.reset, statuses(replies), o.reset, o.responses)
	case h.reset == "" && o.reset != nil, o.closes != nil:
		return fmt.Errorf("responses %v, want %q %q", statuses(replies), o.reset, o.closes)
	case len(o.responses) != len(replies):
		return fmt.Errorf("responses %v, want %d", statuses(replies), len(o.responses))
	}
	for i, r := range replies {
		if err := o.responses[i].matches(r); err != nil {
			return err
		}
		if o.open && i == len(replies)-1 {
			continue
		}
		if err := r.wellFormedH3(o.responses[i].head); err != nil {
			return err
		}
	}
	return nil
}

// closed waits until the server has ended the connection, with one of the codes. What it has said on the stream s before, if there is
// one, is told if it has not.
func (k *h3Talk) closed(s *h3Stream, all []h3Outcome) error {
	timer := time.NewTimer(k.pace.end)
	defer timer.Stop()
	select {
	case <-k.c.Context().Done():
	case <-timer.C:
		heard := ""
		if s != nil {
			err := k.read(s, func() bool { return false })
			heard = fmt.Sprintf("; on the stream came %v, %s %v", statuses(s.heard.replies), s.heard.reset, err)
		}
		return fmt.Errorf("the connection stays open%s", heard)
	}
	end := context.Cause(k.c.Context())
	var wants []string
	for i := range all {
		wants = append(wants, all[i].closes...)
	}
	if e, ok := errors.AsType[*quic.ApplicationError](end); ok && e.Remote {
		if code := h3CodeName(uint64(e.ErrorCode)); !slices.Contains(wants, code) {
			return fmt.Errorf("the connection was closed with %s %q, want %q", code, e.ErrorMessage, wants)
		}
		return nil
	}
	return fmt.Errorf("the connection ended with %w, want %q", end, wants)
}

// h3Server is what a server does with streams of its own (RFC 9114 §6.2).
type h3Server struct {
	reading sync.WaitGroup
	settled chan struct{} // closed by SETTINGS
	broken  chan struct{} // closed when wrong is set

	mu    sync.Mutex
	kinds map[uint64]bool // of its streams of which there may be one
	wrong error
}

// listen reads what the server opens until the connection has ended.
func (v *h3Server) listen(c *quic.Conn) {
	v.settled, v.broken, v.kinds = make(chan struct{}), make(chan struct{}), map[uint64]bool{}
	v.reading.Go(func() {
		for {
			u, err := c.AcceptUniStream(c.Context())
			if err != nil {
				return
			}
			v.reading.Go(func() { v.blame(v.read(u)) })
		}
	})
	v.reading.Go(func() {
		if _, err := c.AcceptStream(c.Context()); err == nil {
			v.blame(errors.New("the server has opened a bidirectional stream (RFC 9114 §6.1)"))
		}
	})
}

// blame notes the first rule that the server has broken; nil is none.
func (v *h3Server) blame(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.wrong == nil && err != nil {
		v.wrong = err
		close(v.broken)
	}
}

// blamed returns it.
func (v *h3Server) blamed() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.wrong
}

// isFirst notes a stream of a kind of which there is one.
func (v *h3Server) isFirst(kind uint64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	had := v.kinds[kind]
	v.kinds[kind] = true
	return !had
}

// read reads one of the server's streams, and returns the rule that it breaks.
func (v *h3Server) read(u *quic.ReceiveStream) error {
	in := &h3Reader{r: u}
	kind, err := in.varint()
	if err != nil {
		return nil // RFC 9114 §6.2: it may end before its type
	}
	switch {
	case kind == 1:
		return errors.New("a push stream that was not allowed (RFC 9114 §4.6)")
	case kind > 3:
		return nil
	case !v.isFirst(kind):
		return fmt.Errorf("two streams of type %d (RFC 9114 §6.2)", kind)
	case kind == 0:
		err = v.readControl(in)
	default: // QPACK's: we have no dynamic table, so whatever comes is read and not looked at
		_, err = io.Copy(io.Discard, u)
	}
	if err == nil || errors.Is(err, io.EOF) {
		return fmt.Errorf("the stream of type %d has ended (RFC 9114 §6.2.1)", kind)
	}
	if wrong, ok := errors.AsType[ruleError](err); ok {
		return wrong
	}
	return nil // the connection has ended
}

// ruleError is the rule that a server has broken.
type ruleError string

func (e ruleError) Error() string { return string(e) }

// readControl reads the frames of the control stream.
func (v *h3Server) readControl(in *h3Reader) error {
	for first := true; ; first = false {
		t, payload, err := in.frame()
		switch {
		case err != nil:
			return err
		case first != (t == 4):
			return ruleError(fmt.Sprintf("a frame of type %#x as the control stream's first: %v (RFC 9114 §6.2.1)", t, first))
		case t == 4:
			if err := checkSettings(payload); err != nil {
				return err
			}
			close(v.settled)
		case t != 7 && t != 3 && t < 0x10:
			return ruleError(fmt.Sprintf("a frame of type %#x on the control stream (RFC 9114 §7.2)", t))
		}
	}
}

// checkSettings checks the settings of a server (RFC 9114 §7.2.4).
func checkSettings(payload []byte) error {
	in := &h3Reader{r: bytes.NewReader(payload)}
	seen := map[uint64]bool{}
	for {
		id, err := in.varint()
		if err == io.EOF {
			return nil
		}
		value, valueErr := in.varint()
		switch {
		case err != nil || valueErr != nil:
			return ruleError("SETTINGS end inside a setting (RFC 9114 §7.1)")
		case seen[id]:
			return ruleError(fmt.Sprintf("the setting %#x comes twice (RFC 9114 §7.2.4)", id))
		case id == 0 || id >= 2 && id <= 5:
			return ruleError(fmt.Sprintf("the setting %#x of HTTP/2 (RFC 9114 §7.2.4.1)", id))
		case (id == 8 || id == 0x33) && value > 1:
			return ruleError(fmt.Sprintf("the setting %#x is %d (RFC 9220 §3, RFC 9297 §2.1.1)", id, value))
		}
		seen[id] = true
	}
}

// isTimeout reports whether err is that of a deadline.
func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
