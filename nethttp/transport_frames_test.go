package nethttp_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"testing"

	"github.com/shockwave-go/shockwave/http2"
)

// frames is a server of which a test says every frame.
type frames struct {
	t  *testing.T
	nc net.Conn
	r  *bufio.Reader
	n  int // which connection it is, from 0
}

// script has say speak with each connection, on a goroutine of its own, and returns the URL. The preface has been
// read; when say returns the connection is closed.
func script(t *testing.T, say func(p *frames)) string {
	t.Helper()
	return "http://" + acceptAll(t, func(nc net.Conn, n int) {
		p := &frames{t: t, nc: nc, r: bufio.NewReader(nc), n: n}
		preface := make([]byte, len(http2.Preface))
		if _, err := io.ReadFull(p.r, preface); err == nil && string(preface) == http2.Preface {
			say(p)
		}
	})
}

// send sends a frame.
func (p *frames) send(typ http2.FrameType, flags http2.Flags, stream uint32, payload string) {
	b := http2.FrameHeader{Length: uint32(len(payload)), Type: typ, Flags: flags, Stream: stream}.Append(nil)
	p.nc.Write(append(b, payload...)) // a client that has gone shows in what is read next
}

// settings sends SETTINGS of pairs.
func (p *frames) settings(pairs ...uint32) {
	var b []byte
	for i := 0; i < len(pairs); i += 2 {
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(b, uint16(pairs[i])), pairs[i+1])
	}
	p.send(http2.FrameSettings, 0, 0, string(b))
}

// head answers with 200 and no fields.
func (p *frames) head(stream uint32, end bool) {
	flags := http2.FlagEndHeaders
	if end {
		flags |= http2.FlagEndStream
	}
	p.send(http2.FrameHeaders, flags, stream, "\x88")
}

// data sends DATA.
func (p *frames) data(stream uint32, s string, end bool) {
	flags := http2.Flags(0)
	if end {
		flags = http2.FlagEndStream
	}
	p.send(http2.FrameData, flags, stream, s)
}

// reset sends RST_STREAM, goAway GOAWAY, grow WINDOW_UPDATE.
func (p *frames) reset(stream uint32, code http2.ErrCode) {
	p.send(http2.FrameRSTStream, 0, stream, word(uint32(code)))
}

func (p *frames) goAway(last uint32, code http2.ErrCode) {
	p.send(http2.FrameGoAway, 0, 0, word(last)+word(uint32(code))+"bye")
}

func (p *frames) grow(stream, n uint32) { p.send(http2.FrameWindowUpdate, 0, stream, word(n)) }

func word(v uint32) string { return string(binary.BigEndian.AppendUint32(nil, v)) }

// next returns the next frame that is about a stream, or GOAWAY; ok is false at the end. SETTINGS are acknowledged, and
// WINDOW_UPDATE and PING passed over.
func (p *frames) next() (h http2.FrameHeader, payload []byte, ok bool) {
	for {
		h, payload, ok = p.frame()
		if !ok {
			return h, nil, false
		}
		switch h.Type {
		case http2.FrameSettings:
			if h.Flags&http2.FlagAck == 0 {
				p.send(http2.FrameSettings, http2.FlagAck, 0, "")
			}
		case http2.FrameWindowUpdate, http2.FramePing:
		default:
			return h, payload, true
		}
	}
}

// frame returns the next frame.
func (p *frames) frame() (h http2.FrameHeader, payload []byte, ok bool) {
	var head [http2.FrameHeaderLen]byte
	if _, err := io.ReadFull(p.r, head[:]); err != nil {
		return h, nil, false
	}
	h = http2.ParseFrameHeader(head[:])
	payload = make([]byte, h.Length)
	_, err := io.ReadFull(p.r, payload)
	return h, payload, err == nil
}

// want returns the next frame, which must be of a type.
func (p *frames) want(typ http2.FrameType) (h http2.FrameHeader, payload []byte) {
	p.t.Helper()
	h, payload, ok := p.next()
	if !ok || h.Type != typ {
		p.t.Errorf("connection %d: got frame %v (%v), want %v", p.n, h, ok, typ)
	}
	return h, payload
}

// drain reads until the client closes.
func (p *frames) drain() {
	for ok := true; ok; {
		_, _, ok = p.next()
	}
}

// rest reads until the client closes, and fails at a frame but GOAWAY.
func (p *frames) rest() {
	p.t.Helper()
	for {
		h, _, ok := p.next()
		if !ok {
			return
		}
		if h.Type != http2.FrameGoAway {
			p.t.Errorf("connection %d: got frame %v, want the end", p.n, h)
		}
	}
}
