package nethttp_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"testing"

	"github.com/shockwave-go/shockwave/http2"
)

// frames is a server whose every frame is written by the test.
type frames struct {
	t  *testing.T
	nc net.Conn
	r  *bufio.Reader
	n  int // which connection it is, from 0
}

// script calls say for each connection, on its own goroutine, and returns the URL. The preface has been read. When say
// returns the connection is closed.
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
	p.nc.Write(append(b, payload...)) // that a client has left shows in the next read
}

// settings sends SETTINGS of pairs.
func (p *frames) settings(pairs ...uint32) {
	var b []byte
	for i := 0; i < len(pairs); i += 2 {
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(b, uint16(pairs[i])), pairs[i+1])
	}
	p.send(http2.FrameSettings, 0, 0, string(b))
}

// head sends status 200 without fields.
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

// reset sends RST_STREAM, goAway GOAWAY, and grow WINDOW_UPDATE.
func (p *frames) reset(stream uint32, code http2.ErrCode) {
	p.send(http2.FrameRSTStream, 0, stream, word(uint32(code)))
}

func (p *frames) goAway(last uint32, code http2.ErrCode) {
	p.send(http2.FrameGoAway, 0, 0, word(last)+word(uint32(code))+"bye")
}

func (p *frames) grow(stream, n uint32) { p.send(http2.FrameWindowUpdate, 0, stream, word(n)) }

func word(v uint32) string { return string(binary.BigEndian.AppendUint32(nil, v)) }

// next returns the next frame that concerns a stream, or GOAWAY; ok is false at the end. It acknowledges SETTINGS and
// skips WINDOW_UPDATE and PING.
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

// want returns the next frame, which must have the type.
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

// rest reads until the client closes, and fails at any frame except GOAWAY.
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
