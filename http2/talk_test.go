package http2

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/hpack"
)

// talk is a conversation between a Conn and a peer whose frames the test writes.
type talk struct {
	t   *testing.T
	c   *Conn
	enc hpack.Encoder
	dec hpack.Decoder
	now int64
	in  []byte
	cut int // bytes that arrive at once; 0: all
}

func server(t *testing.T, cfg Config) *talk {
	tk := &talk{t: t, c: NewServer(&cfg, 1), now: 1}
	tk.c.AppendPending(nil)
	tk.send(Preface + settings())
	tk.want("Settings")
	tk.send(frame(FrameSettings, FlagAck, 0, ""))
	tk.want("SettingsAck")
	tk.says("SETTINGS ack")
	return tk
}

func client(t *testing.T, cfg Config) *talk {
	tk := &talk{t: t, c: NewClient(&cfg, 1), now: 1}
	tk.c.AppendPending(nil)
	tk.send(settings())
	tk.want("Settings")
	tk.send(frame(FrameSettings, FlagAck, 0, ""))
	tk.want("SettingsAck")
	tk.says("SETTINGS ack")
	return tk
}

// frame returns a frame by its parts.
func frame(typ FrameType, flags Flags, id uint32, payload string) string {
	h := FrameHeader{Length: uint32(len(payload)), Type: typ, Flags: flags, Stream: id}
	return string(h.Append(nil)) + payload
}

func settings(pairs ...uint32) string {
	p := []byte{}
	for i := 0; i < len(pairs); i += 2 {
		p = appendSetting(p, uint16(pairs[i]), pairs[i+1])
	}
	return frame(FrameSettings, 0, 0, string(p))
}

func u32(v uint32) string { return string(binary.BigEndian.AppendUint32(nil, v)) }

func windowUpdate(id, n uint32) string     { return frame(FrameWindowUpdate, 0, id, u32(n)) }
func reset(id uint32, code ErrCode) string { return frame(FrameRSTStream, 0, id, u32(uint32(code))) }
func data(id uint32, flags Flags, p string) string {
	return frame(FrameData, flags, id, p)
}

// block encodes fields, given as "name: value".
func (tk *talk) block(lines ...string) string {
	return string(tk.enc.AppendBlock(nil, fieldsOf(lines...)))
}

func fieldsOf(lines ...string) (f []Field) {
	for _, l := range lines {
		name, value, _ := strings.Cut(l[1:], ":")
		f = append(f, Field{Name: l[:1] + name, Value: strings.TrimPrefix(value, " ")})
	}
	return f
}

var getLines = []string{":method: GET", ":scheme: https", ":authority: example.com", ":path: /"}

func (tk *talk) get(id uint32, more ...string) string {
	return frame(FrameHeaders, FlagEndHeaders|FlagEndStream, id, tk.block(append(getLines[:4:4], more...)...))
}

func (tk *talk) post(id uint32, more ...string) string {
	lines := []string{":method: POST", ":scheme: https", ":authority: example.com", ":path: /"}
	return frame(FrameHeaders, FlagEndHeaders, id, tk.block(append(lines, more...)...))
}

func (tk *talk) send(s string) { tk.in = append(tk.in, s...) }

// next returns the next event as text.
func (tk *talk) next() string {
	for {
		in := tk.in
		if tk.cut > 0 && len(in) > tk.cut {
			in = in[:tk.cut]
		}
		ev, n, err := tk.c.Next(in, tk.now)
		tk.in = tk.in[n:]
		switch {
		case err != nil:
			return "error " + err.Error()
		case ev.Kind != EventNone:
			return describe(ev)
		case n == 0 && len(in) == len(tk.in):
			return "nothing"
		case n == 0:
			tk.cut++
		}
	}
}

var kindNames = [...]string{
	"None", "Headers", "Informational", "Trailers", "HeadersTooLarge", "Data", "Reset", "GoAway", "Settings",
	"SettingsAck", "Pong", "Window", "Priority", "Refused",
}

func describe(ev Event) string {
	var b strings.Builder
	b.WriteString(kindNames[ev.Kind])
	if ev.Stream != nil {
		fmt.Fprintf(&b, " %d", ev.Stream.ID())
	}
	if h := ev.Head; h != nil {
		if ev.Kind == EventHeadersTooLarge {
			b.WriteString(" " + h.Method)
		} else if h.Method != "" {
			fmt.Fprintf(&b, " %s %s %s %s", h.Method, h.Scheme, h.Authority, h.Path)
		}
		if h.Protocol != "" {
			fmt.Fprintf(&b, " protocol=%s", h.Protocol)
		}
		if h.Status != 0 {
			fmt.Fprintf(&b, " %d", h.Status)
		}
		for _, f := range h.Fields {
			fmt.Fprintf(&b, " %s=%s", f.Name, f.Value)
		}
	}
	switch ev.Kind {
	case EventData:
		fmt.Fprintf(&b, " %q", ev.Data)
	case EventReset, EventRefused:
		fmt.Fprintf(&b, " %v", ev.Code)
		if ev.Err != nil {
			fmt.Fprintf(&b, " (%s)", ev.Err.Msg)
		}
	case EventGoAway:
		fmt.Fprintf(&b, " %d %v %q", ev.LastStream, ev.Code, ev.Data)
	case EventPong:
		fmt.Fprintf(&b, " %d", ev.Opaque)
	}
	if ev.EndStream {
		b.WriteString(" END")
	}
	return b.String()
}

// want checks the events that come next.
func (tk *talk) want(events ...string) {
	tk.t.Helper()
	for _, want := range events {
		if got := tk.next(); got != want {
			tk.t.Fatalf("event %q, want %q", got, want)
		}
	}
}

// silent checks that there are no events and that all bytes were consumed.
func (tk *talk) silent() {
	tk.t.Helper()
	tk.want("nothing")
	if len(tk.in) > 0 {
		tk.t.Fatalf("%d bytes were not taken", len(tk.in))
	}
}

// says checks the pending frames of the connection itself.
func (tk *talk) says(want ...string) {
	tk.t.Helper()
	tk.wrote(tk.c.AppendPending(nil), want...)
}

// wrote checks frames that were appended.
func (tk *talk) wrote(b []byte, want ...string) {
	tk.t.Helper()
	got := tk.frames(b)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		tk.t.Fatalf("sent\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

var typeNames = map[FrameType]string{
	FrameData: "DATA", FrameHeaders: "HEADERS", FrameRSTStream: "RST_STREAM", FrameSettings: "SETTINGS", FramePing: "PING",
	FrameGoAway: "GOAWAY", FrameWindowUpdate: "WINDOW_UPDATE", FrameContinuation: "CONTINUATION", FramePriorityUpdate: "PRIORITY_UPDATE",
}

func (tk *talk) frames(b []byte) (out []string) {
	tk.t.Helper()
	for len(b) > 0 {
		h := ParseFrameHeader(b)
		p := b[FrameHeaderLen : FrameHeaderLen+h.Length]
		b = b[FrameHeaderLen+h.Length:]
		s := typeNames[h.Type]
		if h.Stream != 0 {
			s += fmt.Sprintf(" %d", h.Stream)
		}
		switch h.Type {
		case FrameData:
			s += fmt.Sprintf(" %q", p)
		case FrameHeaders, FrameContinuation:
			fields, err := tk.dec.Append(p, nil)
			if err == nil && h.Flags&FlagEndHeaders != 0 {
				err = tk.dec.End()
			}
			if err != nil {
				tk.t.Fatal(err)
			}
			for _, f := range fields {
				s += fmt.Sprintf(" %s=%s", f.Name, f.Value)
			}
		case FrameRSTStream:
			s += " " + ErrCode(binary.BigEndian.Uint32(p)).String()
		case FramePing:
			s += fmt.Sprintf(" %x", binary.BigEndian.Uint64(p))
		case FrameWindowUpdate:
			s += fmt.Sprintf(" %d", binary.BigEndian.Uint32(p))
		case FrameGoAway:
			s += fmt.Sprintf(" %d %v", binary.BigEndian.Uint32(p), ErrCode(binary.BigEndian.Uint32(p[4:])))
		case FramePriorityUpdate:
			s += fmt.Sprintf(" %d %s", binary.BigEndian.Uint32(p), p[4:])
		}
		switch {
		case (h.Type == FrameSettings || h.Type == FramePing) && h.Flags&FlagAck != 0:
			s += " ack"
		case (h.Type == FrameData || h.Type == FrameHeaders) && h.Flags&FlagEndStream != 0:
			s += " END"
		}
		out = append(out, s)
	}
	return out
}

// streamOf returns the stream with the identifier, nil if there is none or the owner has released it.
func streamOf(c *Conn, id uint32) *Stream {
	if s := c.core.streams.find(id); s != nil && !s.phase.released() {
		return s
	}
	return nil
}
