package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// h2Manner is how a client divides its messages into frames.
type h2Manner struct {
	name     string
	every    bool // a write for each byte
	cut      int  // 0: whole; else header blocks are cut behind that many bytes, and twice more
	compress bool // Huffman's code and the dynamic table, else literals
	padded   bool // padding, and a priority
	between  bool // a request before, and one behind, in the same write
	twice    bool // on two streams
}

// h2Talk is one connection on which a case is played.
type h2Talk struct {
	nc      net.Conn
	fr      *http2.Framer
	out     bytes.Buffer // frames to be sent
	block   bytes.Buffer
	enc     *hpack.Encoder
	manner  h2Manner
	secure  bool
	streams map[uint32]*h2Heard
	report  []string
}

// h2Heard is what has come on a stream.
type h2Heard struct {
	replies []*reply
	ended   bool
	reset   string // an error code's name
}

// errGone says that the connection has ended.
var errGone = errors.New("the connection has ended")

// beginH2 begins a conversation: what is said first leaves together with the preface.
func beginH2(nc net.Conn, secure bool, m h2Manner) *h2Talk {
	k := &h2Talk{nc: nc, manner: m, secure: secure, streams: map[uint32]*h2Heard{}}
	k.fr = http2.NewFramer(&k.out, nc)
	k.fr.AllowIllegalWrites = true
	k.fr.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	k.enc = hpack.NewEncoder(&k.block)
	k.out.WriteString(http2.ClientPreface)
	_ = k.fr.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 24})
	_ = k.fr.WriteWindowUpdate(0, 1<<24)
	return k
}

// get sends a plain request.
func (k *h2Talk) get(id uint32, path string) {
	steps, _ := parseH2Script("R: GET " + path + "\nS: 200")
	k.say(id, &steps[0])
}

// say sends the frames of a step.
func (k *h2Talk) say(id uint32, s *h2Step) {
	for i, say := range s.say {
		end := i == len(s.say)-1 && !s.open
		if !say.head {
			if k.manner.padded {
				_ = k.fr.WriteDataPadded(id, end, say.data, make([]byte, 7))
			} else {
				_ = k.fr.WriteData(id, end, say.data)
			}
			continue
		}
		k.head(id, end, say)
	}
	if len(s.say) == 0 && !s.open {
		_ = k.fr.WriteData(id, true, nil)
	}
}

// head makes frames of a header section.
func (k *h2Talk) head(id uint32, end bool, say h2Say) {
	k.block.Reset()
	for i, f := range say.fields {
		if k.secure && say.scheme == i+1 {
			f.Value = "https"
		}
		if k.manner.compress {
			_ = k.enc.WriteField(f)
		} else {
			literal(&k.block, f)
		}
	}
	b := slices.Clone(k.block.Bytes())
	const most = 16 << 10
	first := min(len(b), most-100)
	if k.manner.cut > 0 {
		first = min(first, k.manner.cut)
	}
	p := http2.HeadersFrameParam{StreamID: id, BlockFragment: b[:first], EndStream: end, EndHeaders: first == len(b)}
	if k.manner.padded {
		p.PadLength, p.Priority = 7, http2.PriorityParam{StreamDep: 0, Weight: 3}
	}
	_ = k.fr.WriteHeaders(p)
	for b = b[first:]; len(b) > 0; {
		n := min(len(b), most)
		if k.manner.cut > 0 {
			n = min(n, max(k.manner.cut, len(b)/2))
		}
		_ = k.fr.WriteContinuation(id, n == len(b), b[:n])
		b = b[n:]
	}
}

// literal appends a field as it is (RFC 7541 §6.2.2).
func literal(b *bytes.Buffer, f hpack.HeaderField) {
	b.WriteByte(0)
	for _, s := range []string{f.Name, f.Value} {
		if n := len(s); n < 127 {
			b.WriteByte(byte(n))
		} else {
			b.WriteByte(127)
			for n -= 127; n >= 128; n >>= 7 {
				b.WriteByte(byte(n) | 128)
			}
			b.WriteByte(byte(n))
		}
		b.WriteString(s)
	}
}

// leave sends what was said. That the peer closed early is no failure here: what it said is judged later.
func (k *h2Talk) leave() {
	_ = k.nc.SetWriteDeadline(time.Now().Add(patience))
	b := slices.Clone(k.out.Bytes())
	k.out.Reset()
	size := len(b)
	if k.manner.every && len(b) < 2000 {
		size = 1
	}
	for len(b) > 0 {
		n := min(size, len(b))
		if _, err := k.nc.Write(b[:n]); err != nil {
			return
		}
		b = b[n:]
	}
}

// until reads until done, and replies to what needs a reply.
func (k *h2Talk) until(done func() bool) error {
	for !done() {
		_ = k.nc.SetReadDeadline(time.Now().Add(patience))
		f, err := k.fr.ReadFrame()
		if err != nil {
			var bad http2.StreamError
			if errors.As(err, &bad) {
				return fmt.Errorf("stream %d: the response is malformed: %w", bad.StreamID, bad.Cause)
			}
			if isEnd(err) {
				return errGone
			}
			return err
		}
		if err := k.took(f); err != nil {
			return err
		}
	}
	return nil
}

// on returns what has come on a stream.
func (k *h2Talk) on(id uint32) *h2Heard {
	if k.streams[id] == nil {
		k.streams[id] = new(h2Heard)
	}
	return k.streams[id]
}

// took handles a frame.
func (k *h2Talk) took(f http2.Frame) error {
	h := f.Header()
	k.report = append(k.report, h.String())
	s := k.on(h.StreamID)
	switch f := f.(type) {
	case *http2.SettingsFrame:
		if !f.IsAck() {
			_ = k.fr.WriteSettingsAck()
			k.leave()
		}
	case *http2.GoAwayFrame:
		return fmt.Errorf("GOAWAY %v %q", f.ErrCode, f.DebugData())
	case *http2.RSTStreamFrame:
		if s.ended && f.ErrCode == http2.ErrCodeNo {
			return nil // the request is not wanted whole (RFC 9113 §8.1)
		}
		s.reset, s.ended = f.ErrCode.String(), true
	case *http2.MetaHeadersFrame:
		r := &reply{}
		for _, l := range f.Fields {
			if l.Name == ":status" {
				r.status, _ = strconv.Atoi(l.Value)
			} else {
				r.fields = append(r.fields, [2]string{l.Name, l.Value})
			}
		}
		s.replies = append(s.replies, r)
		s.ended = s.ended || f.StreamEnded()
	case *http2.DataFrame:
		if len(s.replies) == 0 || s.ended {
			return fmt.Errorf("stream %d: DATA outside a response", h.StreamID)
		}
		r := s.replies[len(s.replies)-1]
		r.body = append(r.body, f.Data()...)
		s.ended = f.StreamEnded()
	}
	return nil
}

// hear waits until one outcome is complete, and returns the outcomes that are still possible.
func (k *h2Talk) hear(id uint32, from int, all []h2Outcome) (next int, err error) {
	if all[0].wait {
		return from, nil // judged when a response to something else has come
	}
	s := k.on(id)
	interim := len(all[0].responses) > 0 && strings.HasPrefix(all[0].responses[len(all[0].responses)-1].status[0], "1")
	err = k.until(func() bool { return s.ended || interim && len(s.replies) > from })
	if err != nil {
		return 0, err
	}
	replies := s.replies[from:]
	if !interim {
		replies = slices.DeleteFunc(slices.Clone(replies), func(r *reply) bool { return r.status < 200 })
	}
	var why error
	for _, o := range all {
		if why = o.meets(s.reset, replies); why == nil {
			return len(s.replies), nil
		}
	}
	return 0, why
}

// meets returns an error that says why the received responses are not o; nil if they are.
func (o *h2Outcome) meets(reset string, replies []*reply) error {
	switch {
	case o.reset != reset:
		return fmt.Errorf("reset %q after responses %v, want %q", reset, statuses(replies), o.reset)
	case len(o.responses) != len(replies):
		return fmt.Errorf("responses %v, want %d", statuses(replies), len(o.responses))
	}
	for i, r := range replies {
		if err := o.responses[i].matches(r); err != nil {
			return err
		}
		if err := r.wellFormedH2(o.responses[i].head); err != nil {
			return err
		}
	}
	return nil
}

func statuses(replies []*reply) (all []int) {
	for _, r := range replies {
		all = append(all, r.status)
	}
	return all
}

// wellFormedH2 returns an error if r breaks a rule for every response.
func (r *reply) wellFormedH2(head bool) error {
	return r.wellFramed(head, "RFC 9113 §8.2.2", "RFC 9113 §8.1.1")
}

// wellFramed returns an error if r breaks a rule of a version with streams. fieldRule is that version's rule of fields that are
// about a connection, lengthRule that of content-length.
func (r *reply) wellFramed(head bool, fieldRule, lengthRule string) error {
	if err := r.wellFormed(false); err != nil {
		return err
	}
	for _, f := range r.fields {
		switch f[0] {
		case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade":
			return fmt.Errorf("%s in a response (%s)", f[0], fieldRule)
		}
	}
	lengths := r.values("content-length")
	switch {
	case len(lengths) > 1:
		return fmt.Errorf("two lengths: %q", lengths)
	case head || r.status < 200 || r.status == 204 || r.status == 304:
		if len(r.body) > 0 || (r.status < 200 || r.status == 204) && len(lengths) > 0 {
			return fmt.Errorf("%d with %d bytes, content-length %q", r.status, len(r.body), lengths)
		}
	case len(lengths) == 1 && lengths[0] != strconv.Itoa(len(r.body)):
		return fmt.Errorf("%d bytes of %q (%s)", len(r.body), lengths, lengthRule)
	}
	return nil
}

// play plays a case on stream id.
func (k *h2Talk) play(id uint32, steps []h2Step) error {
	heard := 0
	for i := range steps {
		if i > 0 { // the first was said before
			k.say(id, &steps[i])
			k.leave()
		}
		var err error
		if heard, err = k.hear(id, heard, steps[i].hear); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

// served checks that the plain request on stream id got its response.
func (k *h2Talk) served(id uint32, path string) error {
	steps, _ := parseH2Script("R: GET " + path + "\nS: 200 method=GET host=a length=0 target=" + path)
	return k.play(id, steps)
}

// playH2 plays a case in one manner.
func playH2(tg *target, steps []h2Step, m h2Manner) (report string, err error) {
	nc, err := tg.dialFor("h2")
	if err != nil {
		return "", err
	}
	defer func() { _ = nc.Close() }()
	k := beginH2(nc, tg.tls, m)
	if m.between {
		k.get(1, "/before")
	}
	streams := []uint32{3}
	if m.twice {
		streams = append(streams, 5)
	}
	for _, id := range streams {
		k.say(id, &steps[0])
	}
	if m.between {
		k.get(7, "/behind")
	}
	k.leave()
	for _, id := range streams {
		if err == nil {
			err = k.play(id, steps)
		}
	}
	if err == nil && m.between {
		err = errors.Join(k.served(1, "/before"), k.served(7, "/behind"))
	}
	if err == nil {
		k.get(9, "/afterward")
		k.leave()
		err = k.served(9, "/afterward")
	}
	for _, id := range streams {
		if err == nil && steps[len(steps)-1].hear[0].wait && (k.on(id).ended || len(k.on(id).replies) > 0) {
			err = fmt.Errorf("stream %d: an incomplete message got a response", id)
		}
	}
	if errors.Is(err, io.EOF) {
		err = errGone
	}
	return strings.Join(k.report, "\n"), err
}
