package nethttp_test

import (
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/testsupport/h2talk"
)

// frames is a server that the test writes frame by frame.
type frames struct {
	*h2talk.Talk
	t testing.TB
	n int // which connection it is, from 0
}

// newFrames returns the server's end of nc, or nil if the client's preface does not come.
func newFrames(t testing.TB, nc net.Conn, n int) *frames {
	p := &frames{h2talk.New(t, nc), t, n}
	p.Timeout = time.Hour
	p.Framer.ReadMetaHeaders = nil // what the fields say is for other tests
	preface := make([]byte, len(xhttp2.ClientPreface))
	if _, err := io.ReadFull(nc, preface); err != nil || string(preface) != xhttp2.ClientPreface {
		return nil
	}
	return p
}

// script calls say for each connection, on its own goroutine, and returns the URL. The preface has been read. When say
// returns the connection is closed.
func script(t *testing.T, say func(p *frames)) string {
	t.Helper()
	return "http://" + acceptAll(t, func(nc net.Conn, n int) {
		if p := newFrames(t, nc, n); p != nil {
			say(p)
		}
	})
}

// send sends a frame, also an invalid one. A client that has gone shows in what is read next.
func (p *frames) send(typ xhttp2.FrameType, flags xhttp2.Flags, stream uint32, payload string) {
	p.Framer.WriteRawFrame(typ, flags, stream, []byte(payload))
}

// settings sends SETTINGS of pairs.
func (p *frames) settings(pairs ...uint32) {
	var all []xhttp2.Setting
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, xhttp2.Setting{ID: xhttp2.SettingID(pairs[i]), Val: pairs[i+1]})
	}
	p.Framer.WriteSettings(all...)
}

// head answers with 200 and no fields.
func (p *frames) head(stream uint32, end bool) { p.Headers(stream, end, ":status", "200") }

// data sends DATA.
func (p *frames) data(stream uint32, s string, end bool) { p.Framer.WriteData(stream, end, []byte(s)) }

// reset sends RST_STREAM, goAway GOAWAY, and grow WINDOW_UPDATE.
func (p *frames) reset(stream uint32, code http2.ErrCode) {
	p.Framer.WriteRSTStream(stream, xhttp2.ErrCode(code))
}

func (p *frames) goAway(last uint32, code http2.ErrCode) {
	p.Framer.WriteGoAway(last, xhttp2.ErrCode(code), []byte("bye"))
}

func (p *frames) grow(stream, n uint32) { p.send(xhttp2.FrameWindowUpdate, 0, stream, word(n)) }

func word(v uint32) string { return string(binary.BigEndian.AppendUint32(nil, v)) }

// next returns the next frame that is about a stream, or GOAWAY; ok is false at the end. SETTINGS are acknowledged, and
// WINDOW_UPDATE and PING passed over.
func (p *frames) next() (h xhttp2.FrameHeader, payload []byte, ok bool) {
	for {
		h, payload, ok = p.frame()
		if !ok {
			return h, nil, false
		}
		switch h.Type {
		case xhttp2.FrameSettings:
			if h.Flags&xhttp2.FlagSettingsAck == 0 {
				p.Framer.WriteSettingsAck()
			}
		case xhttp2.FrameWindowUpdate, xhttp2.FramePing:
		default:
			return h, payload, true
		}
	}
}

// frame returns the next frame and its content.
func (p *frames) frame() (h xhttp2.FrameHeader, payload []byte, ok bool) {
	f, err := p.Framer.ReadFrame()
	if err != nil {
		return h, nil, false
	}
	switch f := f.(type) {
	case *xhttp2.DataFrame:
		payload = f.Data()
	case *xhttp2.HeadersFrame:
		payload = f.HeaderBlockFragment()
	case *xhttp2.SettingsFrame:
		_ = f.ForeachSetting(func(s xhttp2.Setting) error {
			payload = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(payload, uint16(s.ID)), s.Val)
			return nil
		})
	case *xhttp2.RSTStreamFrame:
		payload = []byte(word(uint32(f.ErrCode)))
	case *xhttp2.WindowUpdateFrame:
		payload = []byte(word(f.Increment))
	}
	return f.Header(), payload, true
}

// want returns the next frame, which must be of a type.
func (p *frames) want(typ xhttp2.FrameType) (h xhttp2.FrameHeader, payload []byte) {
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
		if h.Type != xhttp2.FrameGoAway {
			p.t.Errorf("connection %d: got frame %v, want the end", p.n, h)
		}
	}
}
